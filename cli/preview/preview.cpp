#include "cli/preview/preview.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/output/progress.h"
#include "cli/simulate_reschedule.h"
#include "cluster/unreadable_object.h"
#include "policy/preemption/budget_coverage.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

constexpr std::string_view kNodes = "nodes";
constexpr std::string_view kPods = "pods";
constexpr std::string_view kBudgets = "poddisruptionbudgets.policy";
constexpr std::string_view kOurBudgets = "disruptionbudgets.elbowroom.dev";
constexpr std::string_view kConfigMaps = "configmaps";

// The part, unless something that it needs was not read.
template <class Make>
Result<std::invoke_result_t<Make>> part(const PreviewInput& input,
                                        std::initializer_list<std::string_view> needs,
                                        const Make& make) {
  std::vector<std::string> missing;
  for (const DeniedRight& each : input.denied) {
    if (std::ranges::find(needs, each.resource) != needs.end()) missing.push_back(each.right);
  }
  if (missing.empty()) return make();
  return failure(Code::Denied, "it needs the right to " + policy::listed(missing));
}

policy::Time now_of(const PreviewInput& input) {
  return input.now.value_or(input.objects.manifests.newest.value_or(policy::Time{}));
}

// Says which pods some budget covers.
class Coverage {
 public:
  explicit Coverage(const Manifests& manifests) {
    const auto put = [this](const auto& budget) {
      if (budget.selector) selectors_[budget.ns].push_back(&*budget.selector);
    };
    std::ranges::for_each(manifests.pod_disruption_budgets, put);
    std::ranges::for_each(manifests.disruption_budgets, put);
  }

  [[nodiscard]] bool has(const policy::Pod& pod) const {
    const auto at = selectors_.find(pod.ns);
    return at != selectors_.end() &&
           std::ranges::any_of(at->second, [&](const policy::LabelSelector* selector) {
             return policy::matches(*selector, pod.labels);
           });
  }

 private:
  std::map<std::string, std::vector<const policy::LabelSelector*>, std::less<>> selectors_{};
};

WorkloadCounts unprotected(const Manifests& manifests) {
  const Coverage coverage(manifests);
  return count_workloads(manifests, [&](const policy::Pod& pod) {
    return !pod.node.empty() && can_be_removed(pod) && !coverage.has(pod);
  });
}

WorkloadCounts of_no_priority(const Manifests& manifests) {
  return count_workloads(manifests, [](const policy::Pod& pod) {
    return can_be_removed(pod) && policy::priority_of(pod) == 0;
  });
}

std::vector<NodePolicy> policies(const Manifests& manifests) {
  std::vector<NodePolicy> found;
  for (const policy::Node& each : manifests.nodes) {
    if (policy::disables_resize_preemption(each)) {
      found.push_back({each.name, each.resize_preemption_owners});
    }
  }
  return found;
}

std::int64_t running(const Manifests& manifests) {
  return std::ranges::count_if(manifests.pods,
                               [](const policy::Pod& each) { return !policy::is_finished(each); });
}

MovePreview moves(const PreviewInput& input) {
  const DecodedObjects& objects = input.objects;
  progress().tell("looking for moves");
  RescheduleQuery query{.now = input.now};
  for (const auto& [node, why] : objects.left_out.unclear) {
    query.left_alone.emplace(node, cluster::kUnclearNode);
  }
  const std::optional<policy::MoveRules>& rules = objects.manifests.move_rules;
  MovePreview made{.by_defaults = !rules || !rules->is_on()};
  if (made.by_defaults) {
    query.rules = rules.value_or(policy::MoveRules{});
    query.rules->policies.underutilized_node.enabled = true;
    query.rules->policies.affinity_preference.enabled = true;
  }
  made.plan = answer(objects.manifests, query);
  return made;
}

}  // namespace

Preview preview_of(const PreviewInput& input) {
  const DecodedObjects& objects = input.objects;
  const Manifests& manifests = objects.manifests;
  const policy::Time now = now_of(input);
  Preview made{.now = now};
  for (const DeniedRight& each : input.denied) made.not_read.push_back(each.right);
  made.nodes = part(input, {kNodes}, [&] { return std::ssize(manifests.nodes); });
  made.pods = part(input, {kPods}, [&] { return running(manifests); });
  made.resizes = part(input, {kNodes, kPods}, [&] { return waiting_resizes(objects, now); });
  made.pending = part(input, {kNodes, kPods}, [&] { return place_pending(objects, now); });
  made.moves = part(input, {kNodes, kPods, kConfigMaps}, [&] { return moves(input); });
  if (made.moves && !objects.lacks.empty()) {
    made.moves =
        failure(Code::Denied, "which pods may move depends on " + policy::listed(objects.lacks));
  }
  made.unprotected =
      part(input, {kPods, kBudgets, kOurBudgets}, [&] { return unprotected(manifests); });
  made.of_no_priority = part(input, {kPods}, [&] { return of_no_priority(manifests); });
  made.policies = part(input, {kNodes}, [&] { return policies(manifests); });
  return made;
}

}  // namespace elbowroom::cli
