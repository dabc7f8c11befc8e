#include "cli/simulate_resize.h"

#include <algorithm>
#include <utility>

#include "api/encode_resize_report.h"
#include "base/document_text.h"
#include "cli/from_cluster.h"
#include "cli/resize_table.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

bool is_pod_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == std::string_view::npos;
}

Result<ResizeQuery> query_of(const CLI::App& verb) {
  ResizeQuery query{.pod = value_of(verb, "pod", "")};
  if (!is_pod_key(query.pod)) {
    return failure(Code::Invalid, "\"" + query.pod + "\" names no pod: write NAMESPACE/NAME");
  }
  for (const std::string& set : values_of(verb, "--set")) {
    ASSIGN_OR_RETURN(std::vector<ResourceChange> changes, parse_changes(set));
    std::ranges::move(changes, std::back_inserter(query.changes));
  }
  const std::string critical = value_of(verb, "--critical-preemption", "");
  if (!critical.empty()) query.critical_preemption = critical == "true";
  query.managers.static_cpu = value_of(verb, "--cpu-manager-policy", "none") == "static";
  query.managers.static_memory = value_of(verb, "--memory-manager-policy", "None") == "Static";
  if (value_of(verb, "--rules", "elbowroom") == "upstream") {
    query.rules = policy::RuleSet::Upstream;
  }
  return query;
}

// A change of a container that is not there is the command line's fault, not the input's.
Result<void> check_changes(const Manifests& manifests, const ResizeQuery& query) {
  const policy::Pod* pod = find_pod(manifests, query.pod);
  if (pod == nullptr) return {};
  const Result<policy::Pod> changed = with_changes(*pod, query.changes);
  if (!changed) return std::unexpected(changed.error());
  return {};
}

Result<Manifests> read_cluster_for(const CLI::App& verb, const std::string& pod) {
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  ClusterReader& reader = *cluster->reader;
  const std::size_t slash = pod.find('/');
  ASSIGN_OR_RETURN(const ClusterObjects read,
                   read_around_pod(reader, pod.substr(0, slash), pod.substr(slash + 1)));
  warn_of_denied(read.denied);
  return manifests_of(read.objects, reader.server());
}

void run(const CLI::App& verb) {
  const Result<SimulateOptions> options = options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  Result<ResizeQuery> query = query_of(verb);
  if (!query) stop(kExitUsage, query.error().message);
  query->now = options->now;
  const Result<Manifests> manifests =
      options->from_cluster ? read_cluster_for(verb, query->pod) : load_manifests(options->files);
  if (!manifests) {
    stop(options->from_cluster ? exit_status_of(manifests.error()) : kExitFailure,
         manifests.error().message);
  }
  warn_of_unknown_kinds(*manifests);
  if (const auto fits = check_changes(*manifests, *query); !fits) {
    stop(kExitUsage, fits.error().message);
  }
  const Result<policy::ResizeReport> report = answer(*manifests, *query);
  if (!report) stop(kExitFailure, report.error().message);
  if (!print(printed(*report, options->format))) {
    stop(kExitFailure, "standard output takes no more");
  }
}

Result<const policy::Node*> node_of(const Manifests& manifests, const policy::Pod& pod) {
  if (pod.node.empty()) {
    return failure(Code::Invalid, "pod " + key_of(pod) +
                                      " has no node (spec.nodeName): only a running pod can be "
                                      "resized in place");
  }
  if (is_finished(pod)) {
    return failure(Code::Invalid, "pod " + key_of(pod) + " has finished (status.phase " +
                                      std::string(to_string(pod.phase)) +
                                      "): there is nothing to resize");
  }
  const policy::Node* node = find_node(manifests, pod.node);
  if (node == nullptr) {
    return failure(Code::NotFound, "node " + pod.node + " of pod " + key_of(pod) +
                                       " is not in the input: add it with -f");
  }
  return node;
}

}  // namespace

Result<policy::ResizeReport> answer(const Manifests& manifests, const ResizeQuery& query) {
  const policy::Pod* found = find_pod(manifests, query.pod);
  if (found == nullptr) {
    return failure(Code::NotFound, "pod " + query.pod + " is not in the input: add it with -f");
  }
  ASSIGN_OR_RETURN(const policy::Node* const original, node_of(manifests, *found));
  ASSIGN_OR_RETURN(const policy::Pod pod, with_changes(*found, query.changes));
  policy::Node node = *original;
  node.critical_preemption_by_node =
      query.critical_preemption.value_or(node.critical_preemption_by_node);

  std::vector<policy::Pod> pods;
  std::vector<policy::Pod> nominated;
  policy::Budgets budgets{.upstream = manifests.pod_disruption_budgets,
                          .ours = manifests.disruption_budgets};
  for (const policy::Pod& original_pod : manifests.pods) {
    const policy::Pod& each = original_pod.uid == pod.uid ? pod : original_pod;
    if (each.node == node.name) pods.push_back(each);
    if (each.node.empty() && each.nominated_node == node.name) nominated.push_back(each);
  }
  if (!budgets.ours.empty()) budgets.cluster_pods = manifests.pods;
  const policy::Time now = query.now.value_or(manifests.newest.value_or(policy::Time{}));
  const policy::Lapsed lapsed = policy::lapsed_at(pods, now);
  return policy::report_resize({.node = node,
                                .pods = pods,
                                .pod = pod,
                                .nominated = nominated,
                                .budgets = budgets,
                                .lapsed = lapsed,
                                .managers = query.managers,
                                .rules = query.rules,
                                .now = now});
}

std::string printed(const policy::ResizeReport& report, OutputFormat format) {
  switch (format) {
    case OutputFormat::Table:
      return resize_table(report);
    case OutputFormat::Json:
      return to_json(api::encode_resize_report(report));
    case OutputFormat::Yaml:
      return to_yaml(api::encode_resize_report(report));
  }
  return {};
}

void add_simulate_resize(CLI::App& simulate) {
  CLI::App* verb = simulate.add_subcommand(
      "resize", "judge a pod's pending resize: the verdict, what is lacking, who would go");
  add_simulate_options(*verb);
  add_valued(*verb, "pod", "the pod")->type_name("NAMESPACE/NAME")->required();
  add_valued(*verb, "--set", "desired requests to change before; repeatable")
      ->type_name("CONTAINER:RESOURCE=QUANTITY[,...]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_valued(*verb, "--critical-preemption",
             "does the node make room for critical pods? default: as its annotation says")
      ->check(CLI::IsMember({"true", "false"}));
  add_valued(*verb, "--cpu-manager-policy", "the node's: none (default) or static")
      ->check(CLI::IsMember({"none", "static"}));
  add_valued(*verb, "--memory-manager-policy", "the node's: None (default) or Static")
      ->check(CLI::IsMember({"None", "Static"}));
  add_valued(*verb, "--rules", "who is chosen to go: elbowroom (default) or upstream")
      ->check(CLI::IsMember({"elbowroom", "upstream"}));
  verb->callback([verb] { run(*verb); });
}

}  // namespace elbowroom::cli
