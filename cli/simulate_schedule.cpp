#include "cli/simulate_schedule.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/encode_scheduling_decision.h"
#include "cli/answers.h"
#include "cli/input/completed_object.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/covering_budgets.h"
#include "cli/pod_selection.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "cluster/unreadable_object.h"

namespace elbowroom::cli {
namespace {

// Objects of files take the place of those of the same kind and name.
void add(const std::vector<Value>& files, std::vector<Value>& objects) {
  std::set<std::string> names;
  for (const Value& each : files) names.insert(object_identity(each));
  if (!names.empty()) {
    std::erase_if(objects,
                  [&](const Value& each) { return names.contains(object_identity(each)); });
  }
  objects.insert(objects.end(), files.begin(), files.end());
}

Result<DecodedObjects> read_whole_cluster(ClusterReader& reader, const std::vector<Value>& files,
                                          const std::string& pod, bool warns) {
  ASSIGN_OR_RETURN(ClusterObjects read, read_cluster(reader));
  if (warns) warn_of_unread(read);
  add(files, read.objects);
  ASSIGN_OR_RETURN(DecodedObjects all, understand(std::move(read.objects), pod, reader.server()));
  all.lacks = lacks_of(read, all.manifests);
  return all;
}

policy::Budgets budgets_in(const Manifests& manifests) {
  return {.upstream = manifests.pod_disruption_budgets, .ours = manifests.disruption_budgets};
}

policy::ClusterMoment moment_of(const Manifests& manifests, const policy::Budgets& budgets,
                                const ScheduleQuery& query) {
  return {.nodes = manifests.nodes,
          .pods = manifests.pods,
          .budgets = budgets,
          .namespaces = manifests.namespaces,
          .selecting = manifests.selecting,
          .volumes = &manifests.volumes,
          .rules = query.rules,
          .now = query.now.value_or(manifests.newest.value_or(policy::Time{}))};
}

// `fallback`: the namespace of names without one. Of several pods the names come later.
ScheduleQuery query_of(const CLI::App& verb, const std::string& fallback) {
  ScheduleQuery query;
  const std::string group = value_of(verb, "--group", "");
  if (!group.empty()) {
    query.group = key_of(object_of(verb, group, Named::PodGroup, fallback));
  } else if (names_one_pod(verb)) {
    query.pod = key_of(object_of(verb, value_of(verb, "pod", ""), Named::Pod, fallback));
  }
  if (value_of(verb, "--rules", "elbowroom") == "upstream") {
    query.rules = policy::RuleSet::Upstream;
  }
  if (is_given(verb, "--all")) query.shown = ShownNodes::All;
  return query;
}

void check_words(const CLI::App& verb) {
  if (value_of(verb, "--group", "").empty()) return check_selection(verb, {});
  check_watch(verb);
  if (names_one_pod(verb) || is_given(verb, "--all-namespaces") || is_given(verb, "--selector")) {
    stop(kExitUsage, "a pod and --group: ask about one of the two");
  }
}

std::vector<policy::CoveringBudget> budgets_of_victims(
    const Manifests& manifests, const std::vector<policy::VictimReport>& victims,
    const ScheduleQuery& query) {
  std::vector<std::string> uids;
  for (const policy::VictimReport& each : victims) uids.push_back(each.uid);
  return budgets_that_cover(manifests, uids,
                            query.now.value_or(manifests.newest.value_or(policy::Time{})));
}

PodAnswer answer_of(Value document, std::string table,
                    const std::vector<policy::CoveringBudget>& covering) {
  PodAnswer made{.document = std::move(document),
                 .table = std::move(table) + covering_text(encode_covering(covering))};
  add_covering(made.document, covering);
  return made;
}

PodAnswer answer_of(const policy::SchedulingDecision& decision, ShownNodes shown,
                    const std::vector<policy::CoveringBudget>& covering) {
  return answer_of(api::encode_scheduling_decision(decision), schedule_table(decision, shown),
                   covering);
}

PodAnswer answer_of(const policy::GroupSchedulingDecision& decision,
                    const std::vector<policy::CoveringBudget>& covering) {
  return answer_of(api::encode_group_scheduling_decision(decision), group_schedule_table(decision),
                   covering);
}

Result<PodAnswer> place_pod(const DecodedObjects& input, const ScheduleQuery& query) {
  ASSIGN_OR_RETURN(policy::SchedulingDecision decision, answer(input.manifests, query));
  RETURN_IF_ERROR(check_victims_are_known(!decision.victims.empty(), input.lacks));
  if (!input.lacks.empty()) {
    for (policy::NodeAnswer& each : decision.nodes) each.candidate.reset();
  }
  return answer_of(decision, query.shown,
                   budgets_of_victims(input.manifests, decision.victims, query));
}

Result<PodAnswer> place_group(const DecodedObjects& input, const ScheduleQuery& query) {
  ASSIGN_OR_RETURN(const policy::GroupSchedulingDecision decision,
                   answer_for_group(input.manifests, query));
  RETURN_IF_ERROR(check_victims_are_known(!decision.victims.empty(), input.lacks));
  return answer_of(decision, budgets_of_victims(input.manifests, decision.victims, query));
}

// Each as if it were the next one.
PodAnswer place_waiting(const DecodedObjects& input, ScheduleQuery query,
                        const PodSelection& selection) {
  WaitingPods waiting = waiting_pods(input.manifests, selection, WaitsFor::Node);
  return answer_each(
      waiting.keys, std::move(waiting.notes),
      [&](const std::string& key) {
        query.pod = key;
        return place_pod(input, query);
      },
      "no pod waits for a node\n");
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = options_of(verb, Inputs::Both);
  if (!options) stop(kExitUsage, options.error().message);
  check_words(verb);
  const SimulateSource source = open_source(verb, *options);
  ScheduleQuery query = query_of(verb, source.ns);
  query.now = options->now;
  const bool is_one = !query.pod.empty() || !query.group.empty();
  const PodSelection selection = is_one ? PodSelection{} : selection_of(verb, source.ns);
  std::vector<Value> added;
  if (source.reader != nullptr && !options->files.empty()) {
    Result<ObjectSet> files = load_objects({}, "", options->files);
    if (!files) stop(kExitFailure, files.error().message);
    warn_of_unknown_kinds(files->manifests);
    warn_of_makers(files->manifests);
    added = std::move(files->objects);
  }
  bool is_first = true;
  show_answer(verb, *options, [&]() -> Result<PodAnswer> {
    ASSIGN_OR_RETURN(const DecodedObjects input,
                     source.reader != nullptr
                         ? read_whole_cluster(*source.reader, added, query.pod, is_first)
                         : decode_files(options->files));
    if (std::exchange(is_first, false)) warn_about(input);
    query.avoided.clear();
    for (const auto& [node, why] : input.left_out.unclear) {
      query.avoided.emplace(node, cluster::kUnclearNode);
    }
    if (!is_one) return place_waiting(input, query, selection);
    Result<PodAnswer> made =
        query.group.empty() ? place_pod(input, query) : place_group(input, query);
    if (!made) return failure(made.error().code, with_source(made.error(), *options));
    return made;
  });
}

}  // namespace

Result<policy::SchedulingDecision> answer(const Manifests& manifests, const ScheduleQuery& query) {
  const policy::Pod* pod = find_pod(manifests, query.pod);
  if (pod == nullptr) {
    return failure(Code::NotFound, not_in_input(manifests, query.pod));
  }
  if (!pod->node.empty()) {
    return failure(Code::Invalid, "pod " + query.pod + " is on node " + pod->node +
                                      " (spec.nodeName) already: only a pending pod is placed");
  }
  if (is_finished(*pod)) {
    return failure(Code::Invalid, "pod " + query.pod + " has finished (status.phase " +
                                      std::string(to_string(pod->phase)) +
                                      "): there is nothing to place");
  }
  const policy::Budgets budgets = budgets_in(manifests);
  const policy::ClusterMoment moment = moment_of(manifests, budgets, query);
  policy::ClusterRoom room = policy::room_of(moment);
  policy::SchedulingDecision alone =
      policy::schedule(room, *pod,
                       {.lapsed = policy::overdue_pods_at(manifests.pods, moment.now),
                        .waits_until = moment.now + policy::kLongestAwaited,
                        .all_nodes = true,
                        .avoided = query.avoided});
  if (!pod->group || !pod->group->is_gang()) return alone;
  const policy::PodGroup* group = find_group(manifests, policy::group_key_of(*pod));
  policy::SchedulingDecision made =
      policy::decision_for(*pod, policy::schedule_group(moment, *group, query.avoided));
  made.nodes = std::move(alone.nodes);
  return made;
}

Result<policy::GroupSchedulingDecision> answer_for_group(const Manifests& manifests,
                                                         const ScheduleQuery& query) {
  const policy::PodGroup* group = find_group(manifests, query.group);
  if (group == nullptr) {
    return failure(Code::NotFound, group_not_in_input(manifests, query.group));
  }
  const policy::Budgets budgets = budgets_in(manifests);
  return policy::schedule_group(moment_of(manifests, budgets, query), *group, query.avoided);
}

void add_simulate_schedule(CLI::App& simulate) {
  CLI::App* verb = simulate.add_subcommand(
      "schedule", "place a pending pod: the node, what each node says, who would have to go");
  add_simulate_options(*verb);
  add_namespace_option(*verb, "the context's, or default with -f");
  add_valued(*verb, "pod", "the pending pod; -A and -l name several")
      ->type_name(name_syntax(Named::Pod));
  verb->get_option("--from-cluster")
      ->description("read from a cluster; with -f: and add the objects of the files");
  add_selection_options(*verb);
  add_valued(*verb, "--group", "a pod group instead: all its pending pods")
      ->type_name(name_syntax(Named::PodGroup));
  add_valued(*verb, "--rules", "who is chosen to go: elbowroom (default) or upstream")
      ->check(CLI::IsMember({"elbowroom", "upstream"}));
  verb->add_flag("--all")->description("every node in the table, not the thirty best");
  verb->footer(
      "examples:\n"
      "  elbowroom simulate schedule -f docs/examples/pending-budget.yaml default/web\n"
      "  elbowroom simulate schedule --from-cluster default/web -o yaml\n"
      "  elbowroom simulate schedule --from-cluster -f new.yaml default/web    (a Pod that is not "
      "there yet)\n"
      "  elbowroom simulate schedule --from-cluster -A                 (all that are pending)");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
