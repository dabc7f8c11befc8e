#include "cli/preview/waiting_resizes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/output/progress.h"
#include "policy/model/condition.h"
#include "policy/model/rejected_pods.h"
#include "policy/preemption/node_groups.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMostJudged = 1'000;

using policy::Pod;

std::optional<policy::Time> since(const Pod& pod) {
  const policy::Condition* pending =
      policy::find_condition(pod.conditions, policy::kPodResizePending);
  return pending == nullptr ? std::nullopt : pending->last_transition;
}

// The most important first, then the longest waiting.
bool is_before(const Pod* one, const Pod* other) {
  const auto rank = [](const Pod& pod) {
    return std::tuple(-std::int64_t{policy::priority_of(pod)},
                      since(pod).value_or(policy::Time::max()), policy::key_of(pod));
  };
  return rank(*one) < rank(*other);
}

// A cluster, ordered so that each resize looks at its own node only.
class Cluster {
 public:
  Cluster(const DecodedObjects& objects, policy::Time now)
      : objects_(objects),
        now_(now),
        budgets_{.upstream = objects.manifests.pod_disruption_budgets,
                 .ours = objects.manifests.disruption_budgets},
        lapsed_(policy::overdue_pods_at(objects.manifests.pods, now)) {
    for (const policy::DisruptionBudget& each : budgets_.ours) {
      budgets_.strengths.push_back(policy::strength_of(each, objects.manifests.pods));
    }
    for (const policy::Node& each : objects.manifests.nodes) nodes_[each.name].node = &each;
    for (const Pod& each : objects.manifests.pods) take(each);
    for (const auto& [name, there] : nodes_) {
      if (there.node != nullptr) policy::note_stuck(*there.node, there.pods, lapsed_, unremovable_);
    }
  }

  [[nodiscard]] std::vector<const Pod*> waiting() const {
    std::vector<const Pod*> found;
    for (const Pod& each : objects_.manifests.pods) {
      const auto at = nodes_.find(each.node);
      if (at == nodes_.end() || at->second.node == nullptr || policy::is_finished(each)) continue;
      if (policy::resize_is_pending(each)) found.push_back(&each);
    }
    std::ranges::sort(found, is_before);
    return found;
  }

  [[nodiscard]] policy::ResizeReport report(const Pod& pod) const {
    const There& there = nodes_.find(pod.node)->second;
    std::vector<Pod> pods = there.pods;
    if (std::ranges::find(pods, pod.uid, &Pod::uid) == pods.end()) pods.push_back(pod);
    const std::vector<Pod> elsewhere = members_elsewhere(there);
    policy::ResizeReport made = policy::report_resize({.node = *there.node,
                                                       .pods = pods,
                                                       .pod = pod,
                                                       .nominated = there.nominated,
                                                       .budgets = budgets_,
                                                       .lapsed = lapsed_,
                                                       .now = now_,
                                                       .elsewhere = elsewhere,
                                                       .unremovable = &unremovable_,
                                                       .lacks = objects_.lacks});
    remove_none_on_unclear_node(made, objects_.left_out);
    return made;
  }

 private:
  struct There {
    const policy::Node* node = nullptr;
    std::vector<Pod> pods{};
    std::vector<Pod> nominated{};
  };

  void take(const Pod& pod) {
    There& there = nodes_[pod.node.empty() ? pod.nominated_node : pod.node];
    if (pod.node.empty()) return there.nominated.push_back(pod);
    const bool holds_none = there.node != nullptr && policy::never_fits(*there.node, pod);
    if (!holds_none) there.pods.push_back(pod);
    if (pod.group) members_[policy::group_key_of(pod)].push_back(&pod);
  }

  // The pods on other nodes of the groups that have pods there.
  [[nodiscard]] std::vector<Pod> members_elsewhere(const There& there) const {
    std::set<std::string> groups;
    for (const Pod& each : there.pods) {
      if (each.group) groups.insert(policy::group_key_of(each));
    }
    std::vector<Pod> found;
    for (const std::string& group : groups) {
      for (const Pod* each : members_.find(group)->second) {
        if (each->node != there.node->name) found.push_back(*each);
      }
    }
    return found;
  }

  const DecodedObjects& objects_;
  const policy::Time now_;
  policy::Budgets budgets_;
  policy::OverduePods lapsed_;
  std::map<std::string, There, std::less<>> nodes_{};
  std::map<std::string, std::vector<const Pod*>, std::less<>> members_{};  // by group
  policy::Unremovable unremovable_{};
};

}  // namespace

WaitingResizes waiting_resizes(const DecodedObjects& objects, policy::Time now) {
  const Cluster cluster(objects, now);
  const std::vector<const Pod*> waiting = cluster.waiting();
  WaitingResizes all;
  for (const Pod* each : waiting) {
    if (all.judged.size() == kMostJudged) break;
    progress().tell("judging resizes", all.judged.size());
    all.judged.push_back({.report = cluster.report(*each), .since = since(*each)});
  }
  all.not_judged = waiting.size() - all.judged.size();
  return all;
}

}  // namespace elbowroom::cli
