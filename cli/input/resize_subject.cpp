#include "cli/input/resize_subject.h"

#include <map>
#include <set>
#include <utility>

#include "cli/simulate_options.h"
#include "policy/preemption/node_groups.h"

namespace elbowroom::cli {
namespace {

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
    return failure(Code::NotFound,
                   "node " + pod.node + " of pod " + key_of(pod) + " is not in the input");
  }
  return node;
}

}  // namespace

void add_judging_options(CLI::App& verb) {
  add_valued(verb, "--critical-preemption",
             "does the node make room for critical pods? default: as its annotation says")
      ->check(CLI::IsMember({"true", "false"}));
  add_valued(verb, "--cpu-manager-policy", "the node's: none (default) or static")
      ->check(CLI::IsMember({"none", "static"}));
  add_valued(verb, "--memory-manager-policy", "the node's: None (default) or Static")
      ->check(CLI::IsMember({"None", "Static"}));
  add_valued(verb, "--rules", "who is chosen to go: elbowroom (default) or upstream")
      ->check(CLI::IsMember({"elbowroom", "upstream"}));
}

void take_judging_options(const CLI::App& verb, ResizeQuery& query) {
  const std::string critical = value_of(verb, "--critical-preemption", "");
  if (!critical.empty()) query.critical_preemption = critical == "true";
  query.managers.static_cpu = value_of(verb, "--cpu-manager-policy", "none") == "static";
  query.managers.static_memory = value_of(verb, "--memory-manager-policy", "None") == "Static";
  if (value_of(verb, "--rules", "elbowroom") == "upstream") {
    query.rules = policy::RuleSet::Upstream;
  }
}

Result<ResizeSubject> ResizeSubject::of(const Manifests& manifests, const ResizeQuery& query) {
  const policy::Pod* found = find_pod(manifests, query.pod);
  if (found == nullptr) {
    return failure(Code::NotFound, not_in_input(manifests, query.pod));
  }
  ASSIGN_OR_RETURN(const policy::Node* const original, node_of(manifests, *found));
  ResizeSubject made;
  ASSIGN_OR_RETURN(made.pod_, with_changes(*found, query.changes));
  made.node_ = *original;
  made.node_.critical_preemption_by_node =
      query.critical_preemption.value_or(made.node_.critical_preemption_by_node);
  made.budgets_ = {.upstream = manifests.pod_disruption_budgets,
                   .ours = manifests.disruption_budgets};
  for (const policy::Pod& original_pod : manifests.pods) {
    const policy::Pod& each = original_pod.uid == made.pod_.uid ? made.pod_ : original_pod;
    if (each.node == made.node_.name) made.pods_.push_back(each);
    if (each.node.empty() && each.nominated_node == made.node_.name) {
      made.nominated_.push_back(each);
    }
  }
  if (!made.budgets_.ours.empty()) made.budgets_.cluster_pods = manifests.pods;
  made.now_ = query.now.value_or(manifests.newest.value_or(policy::Time{}));
  made.lapsed_ = policy::overdue_pods_at(manifests.pods, made.now_);
  made.add_groups(manifests);
  made.managers_ = query.managers;
  made.rules_ = query.rules;
  made.lacks_ = query.lacks;
  return made;
}

// The pods of the node's groups on other nodes, and which of those may not go.
void ResizeSubject::add_groups(const Manifests& manifests) {
  std::set<std::string> groups;
  for (const policy::Pod& each : pods_) {
    if (each.group) groups.insert(policy::group_key_of(each));
  }
  if (groups.empty()) return;
  std::map<std::string, std::vector<policy::Pod>> there;  // by node
  for (const policy::Pod& each : manifests.pods) {
    if (each.node.empty() || each.node == node_.name) continue;
    there[each.node].push_back(each);
    if (each.group && groups.contains(policy::group_key_of(each))) elsewhere_.push_back(each);
  }
  for (const policy::Node& node : manifests.nodes) {
    const auto pods = there.find(node.name);
    if (pods != there.end()) policy::note_stuck(node, pods->second, lapsed_, unremovable_);
  }
}

policy::ResizeQuestion ResizeSubject::question() const {
  return {.node = node_,
          .pods = pods_,
          .pod = pod_,
          .nominated = nominated_,
          .budgets = budgets_,
          .lapsed = lapsed_,
          .managers = managers_,
          .rules = rules_,
          .now = now_,
          .elsewhere = elsewhere_,
          .unremovable = &unremovable_,
          .lacks = lacks_};
}

}  // namespace elbowroom::cli
