#include "cli/simulate_reschedule.h"

#include <optional>
#include <string>
#include <utility>

#include "api/codec/decode_move_rules.h"
#include "api/codec/encode_move_plan.h"
#include "base/document_text.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/move_table.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "cluster/unreadable_object.h"

namespace elbowroom::cli {
namespace {

// `now` is the server's, where none is given.
Result<DecodedObjects> read_whole_cluster(const CLI::App& verb, std::optional<policy::Time>& now) {
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  ASSIGN_OR_RETURN(ClusterObjects read, read_cluster(*cluster->reader, Owners::Yes));
  if (!now) now = cluster->reader->server_time();
  warn_of_unread(read);
  ASSIGN_OR_RETURN(DecodedObjects all,
                   understand(std::move(read.objects), "", cluster->reader->server()));
  const std::vector<std::string> lacks = lacks_of(read, all.manifests);
  if (!lacks.empty()) return depends_on("which pods may move", lacks);
  return all;
}

void warn_of_no_policy(const Manifests& manifests, bool from_cluster) {
  if (manifests.move_rules) return;
  complain("there is no ConfigMap " + std::string(api::kMoveRulesNamespace) + "/" +
           std::string(api::kMoveRulesName) + (from_cluster ? " in the cluster" : " in the input") +
           ", so no policy is on");
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  std::optional<policy::Time> now = options->now;
  const Result<DecodedObjects> input =
      options->from_cluster ? read_whole_cluster(verb, now) : decode_files(options->files);
  if (!input) {
    stop(options->from_cluster ? exit_status_of(input.error()) : kExitFailure,
         input.error().message);
  }
  warn_of(input->left_out);
  warn_of_unknown_kinds(input->manifests);
  warn_of_odd_terms(input->manifests);
  warn_of_odd_groups(input->manifests);
  warn_of_no_policy(input->manifests, options->from_cluster);
  RescheduleQuery query{.now = now};
  for (const auto& [node, why] : input->left_out.unclear) {
    query.left_alone.emplace(node, cluster::kUnclearNode);
  }
  print(printed(answer(input->manifests, query), options->format), options->format);
}

}  // namespace

policy::MovePlan answer(const Manifests& manifests, const RescheduleQuery& query) {
  const policy::Budgets budgets{.upstream = manifests.pod_disruption_budgets,
                                .ours = manifests.disruption_budgets};
  const policy::ClusterMoment moment{
      .nodes = manifests.nodes,
      .pods = manifests.pods,
      .budgets = budgets,
      .namespaces = manifests.namespaces,
      .selecting = manifests.selecting,
      .rules = policy::RuleSet::Elbowroom,
      .now = query.now.value_or(manifests.newest.value_or(policy::Time{}))};
  const policy::MoveRules rules =
      query.rules ? *query.rules : manifests.move_rules.value_or(policy::MoveRules{});
  return policy::plan_moves(moment, rules, {.left_alone = query.left_alone}, manifests.owners,
                            query.now.has_value());
}

std::string printed(const policy::MovePlan& plan, OutputFormat format) {
  if (format == OutputFormat::Table) return move_table(plan);
  const Value document = api::encode_move_plan(plan);
  return format == OutputFormat::Json ? to_json(document) : to_yaml(document);
}

void add_simulate_reschedule(CLI::App& simulate) {
  CLI::App* verb = simulate.add_subcommand(
      "reschedule", "one pass of the rescheduler: which pods it would move, where, to gain what");
  add_simulate_options(*verb);
  verb->footer(
      "examples:\n"
      "  elbowroom simulate reschedule -f docs/examples/reschedule/crowded.yaml\n"
      "  elbowroom simulate reschedule --from-cluster -o yaml");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
