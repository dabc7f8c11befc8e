#include "cli/simulate_schedule.h"

#include <algorithm>
#include <utility>

#include "api/codec/encode_scheduling_decision.h"
#include "base/document_text.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/covering_budgets.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "cluster/unreadable_object.h"

namespace elbowroom::cli {
namespace {

Result<DecodedObjects> read_whole_cluster(ClusterReader& reader, const std::string& pod) {
  ASSIGN_OR_RETURN(ClusterObjects read, read_cluster(reader));
  warn_of_unread(read);
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

// `fallback`: the namespace of names without one.
ScheduleQuery query_of(const CLI::App& verb, const std::string& fallback) {
  ScheduleQuery query;
  const std::string pod = value_of(verb, "pod", "");
  const std::string group = value_of(verb, "--group", "");
  if (!group.empty() && !pod.empty()) {
    stop(kExitUsage, "a pod and --group: ask about one of the two");
  }
  if (!group.empty()) {
    query.group = key_of(object_of(verb, group, Named::PodGroup, fallback));
  } else if (pod.empty()) {
    stop(kExitUsage, "no pod: write " + name_syntax(Named::Pod) + ", or --group GROUP");
  } else {
    query.pod = key_of(object_of(verb, pod, Named::Pod, fallback));
  }
  if (value_of(verb, "--rules", "elbowroom") == "upstream") {
    query.rules = policy::RuleSet::Upstream;
  }
  return query;
}

std::vector<policy::CoveringBudget> budgets_of_victims(
    const Manifests& manifests, const std::vector<policy::VictimReport>& victims,
    const ScheduleQuery& query) {
  std::vector<std::string> uids;
  for (const policy::VictimReport& each : victims) uids.push_back(each.uid);
  return budgets_that_cover(manifests, uids,
                            query.now.value_or(manifests.newest.value_or(policy::Time{})));
}

std::string with_table(std::string table, const std::vector<policy::CoveringBudget>& covering) {
  return std::move(table) + covering_text(encode_covering(covering));
}

std::string with_document(Value document, OutputFormat format,
                          const std::vector<policy::CoveringBudget>& covering) {
  add_covering(document, covering);
  return format == OutputFormat::Json ? to_json(document) : to_yaml(document);
}

Result<std::string> answer_in(OutputFormat format, const DecodedObjects& input,
                              const ScheduleQuery& query) {
  const Manifests& manifests = input.manifests;
  if (query.group.empty()) {
    ASSIGN_OR_RETURN(policy::SchedulingDecision decision, answer(manifests, query));
    RETURN_IF_ERROR(check_victims_are_known(!decision.victims.empty(), input.lacks));
    if (!input.lacks.empty()) {
      for (policy::NodeAnswer& each : decision.nodes) each.candidate.reset();
    }
    return printed(decision, format, budgets_of_victims(manifests, decision.victims, query),
                   query.shown);
  }
  ASSIGN_OR_RETURN(const policy::GroupSchedulingDecision decision,
                   answer_for_group(manifests, query));
  RETURN_IF_ERROR(check_victims_are_known(!decision.victims.empty(), input.lacks));
  return printed(decision, format, budgets_of_victims(manifests, decision.victims, query));
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  const SimulateSource source = open_source(verb, *options);
  ScheduleQuery query = query_of(verb, source.ns);
  query.now = options->now;
  if (verb.get_option("--all")->count() > 0) query.shown = ShownNodes::All;
  const Result<DecodedObjects> input = source.reader != nullptr
                                           ? read_whole_cluster(*source.reader, query.pod)
                                           : decode_files(options->files);
  if (!input) {
    stop(options->from_cluster ? exit_status_of(input.error()) : kExitFailure,
         input.error().message);
  }
  warn_of(input->left_out);
  warn_of_unknown_kinds(input->manifests);
  warn_of_odd_terms(input->manifests);
  warn_of_odd_groups(input->manifests);
  for (const auto& [node, why] : input->left_out.unclear) {
    query.avoided.emplace(node, cluster::kUnclearNode);
  }
  const Result<std::string> text = answer_in(options->format, *input, query);
  if (!text) stop(exit_status_of(text.error()), with_source(text.error(), *options));
  print(*text, options->format);
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

std::string printed(const policy::GroupSchedulingDecision& decision, OutputFormat format,
                    const std::vector<policy::CoveringBudget>& covering) {
  if (format == OutputFormat::Table) return with_table(group_schedule_table(decision), covering);
  return with_document(api::encode_group_scheduling_decision(decision), format, covering);
}

std::string printed(const policy::SchedulingDecision& decision, OutputFormat format,
                    const std::vector<policy::CoveringBudget>& covering, ShownNodes shown) {
  if (format == OutputFormat::Table) return with_table(schedule_table(decision, shown), covering);
  return with_document(api::encode_scheduling_decision(decision), format, covering);
}

void add_simulate_schedule(CLI::App& simulate) {
  CLI::App* verb = simulate.add_subcommand(
      "schedule", "place a pending pod: the node, what each node says, who would have to go");
  add_simulate_options(*verb);
  add_namespace_option(*verb, "the context's, or default with -f");
  add_valued(*verb, "pod", "the pending pod")->type_name(name_syntax(Named::Pod));
  add_valued(*verb, "--group", "a pod group instead: all its pending pods")
      ->type_name(name_syntax(Named::PodGroup));
  add_valued(*verb, "--rules", "who is chosen to go: elbowroom (default) or upstream")
      ->check(CLI::IsMember({"elbowroom", "upstream"}));
  verb->add_flag("--all")->description("every node in the table, not the thirty best");
  verb->footer(
      "examples:\n"
      "  elbowroom simulate schedule -f docs/examples/pending-budget.yaml default/web\n"
      "  elbowroom simulate schedule --from-cluster default/web -o yaml");
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
