#include "cli/scenario/simulate_run.h"

#include <algorithm>
#include <utility>

#include "cli/input/from_cluster.h"
#include "cli/input/manifests.h"
#include "cli/input/read_input.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/picture_file.h"
#include "cli/scenario/scenario.h"
#include "cli/scenario/scenario_run.h"
#include "cli/scenario/timeline_picture.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

struct Input {
  Scenario scenario{};
  ObjectSet set{};
  std::vector<std::string> lacks{};  // from_cluster.h, lacks_of
};

bool is_from_cluster(const CLI::App& verb) {
  return verb.get_option("--from-cluster")->count() > 0;
}

// Objects that a step creates follow the same rules as the initial ones.
Result<void> check_later_objects(const Scenario& scenario, ObjectSet& set) {
  for (const Step& step : scenario.steps) {
    const auto* apply = std::get_if<ApplyStep>(&step.what);
    if (apply == nullptr) continue;
    const auto read = manifests_of({lab::to_value(apply->object)}, step.place + ".apply");
    if (!read) return std::unexpected(read.error());
    set.manifests.unknown_kinds.insert(read->unknown_kinds.begin(), read->unknown_kinds.end());
    set.manifests.odd_terms.insert(read->odd_terms.begin(), read->odd_terms.end());
    set.manifests.odd_groups.insert(read->odd_groups.begin(), read->odd_groups.end());
  }
  return {};
}

Result<InputText> read_scenario(const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<InputText> texts, read_input(path));
  if (texts.size() != 1) {
    return failure(Code::Invalid,
                   path + ": holds " + std::to_string(texts.size()) + " files: name one scenario");
  }
  return std::move(texts.front());
}

// The objects of the scenario and those of a cluster.
Result<ObjectSet> objects_of_cluster(const CLI::App& verb, const std::vector<Value>& given,
                                     const std::string& source, std::vector<std::string>& lacks) {
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  Result<ClusterObjects> read = read_cluster(*cluster->reader);
  if (!read) stop(exit_status_of(read.error()), read.error().message);
  warn_of_unread(*read);
  const std::string& server = cluster->reader->server();
  ASSIGN_OR_RETURN(const UndecodableObjects left_out, leave_out(read->objects, "", server));
  warn_of(left_out);
  if (const std::size_t unclear = left_out.unclear.size(); unclear > 0) {
    complain("the scenario begins without the pods that are left out; on their nodes (" +
             std::to_string(unclear) + ") the cluster's own scheduler removes nobody meanwhile");
  }
  ASSIGN_OR_RETURN(ObjectSet joined, join_objects(given, source, read->objects, server));
  lacks = lacks_of(*read, joined.manifests);
  return joined;
}

Result<Input> read(const CLI::App& verb, const std::string& path) {
  ASSIGN_OR_RETURN(const InputText file, read_scenario(path));
  auto scenario = parse_scenario(file.text);
  if (!scenario) return std::unexpected(scenario.error().with(file.name));
  Input input{.scenario = std::move(*scenario)};
  const std::vector<Value>& given = input.scenario.objects;
  const std::string source = file.name + ": spec.objects";
  ASSIGN_OR_RETURN(input.set, is_from_cluster(verb)
                                  ? objects_of_cluster(verb, given, source, input.lacks)
                                  : load_objects(given, source, values_of(verb, "--filename")));
  auto sound = check_later_objects(input.scenario, input.set);
  if (!sound) return std::unexpected(sound.error().with(file.name));
  return input;
}

bool removes_pods(const Timeline& timeline) {
  return std::ranges::any_of(timeline.events,
                             [](const TimelineEvent& each) { return !each.victims.empty(); });
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  if (is_from_cluster(verb) && !values_of(verb, "--filename").empty()) {
    stop(kExitUsage, "-f and --from-cluster exclude each other: give one of them");
  }
  const std::string path = value_of(verb, "scenario", "");
  const Result<Input> input = read(verb, path);
  if (!input) stop(kExitFailure, input.error().message);
  Manifests manifests = input->set.manifests;
  if (input->scenario.controllers) {
    for (const lab::Kind& kind : lab::all_kinds()) {
      if (kind.group == "apps") manifests.unknown_kinds.erase(std::string(kind.name));
    }
  }
  warn_of_unknown_kinds(manifests);
  warn_of_odd_terms(input->set.manifests);
  warn_of_odd_groups(input->set.manifests);

  const RunOptions how{
      .start = options->now.value_or(input->set.manifests.newest.value_or(policy::Time{})),
      .validates_capacity = value_of(verb, "--admission", "") == "1.36",
      .records_budgets = asks_for_picture(verb)};
  const Result<Played> played = play(input->scenario, input->set.objects, how);
  if (!played) stop(kExitFailure, played.error().with(path).message);
  for (const std::string& refusal : played->refusals) complain(refusal);
  if (const auto known = check_victims_are_known(removes_pods(played->timeline), input->lacks);
      !known) {
    stop(exit_status_of(known.error()), known.error().message);
  }
  if (asks_for_picture(verb)) write_picture_text(verb, timeline_picture(played->timeline));
  print(printed(played->timeline, options->format));
  if (!played->timeline.failed.empty()) throw CLI::RuntimeError(kExitFailure);
}

}  // namespace

void add_simulate_run(CLI::App& simulate) {
  CLI::App* verb = simulate.add_subcommand(
      "run", "play a scenario in virtual time: what happens when, and is it what was expected");
  add_valued(*verb, "scenario", "the scenario; - for standard input")
      ->type_name("SCENARIO.yaml")
      ->required();
  add_valued(*verb, "-f,--filename", "more objects: a file, a folder, or -; repeatable")
      ->type_name("FILE|DIR|-")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_flag("--from-cluster")
      ->description("begin with the objects of a cluster, which is only read");
  add_cluster_options(*verb);
  add_output_options(*verb);
  add_valued(*verb, "--admission",
             "1.36: refuse resizes above a node's allocatable, as API servers do since then")
      ->check(CLI::IsMember({"1.36"}));
  add_picture_option(*verb, "a picture of the pods on their nodes over time, to this file");
  verb->footer(
      "examples:\n"
      "  elbowroom simulate run test/scenarios/room-is-made.yaml\n"
      "  elbowroom simulate run what-if.yaml --from-cluster");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
