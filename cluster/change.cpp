#include "cluster/change.h"

#include <array>
#include <utility>

#include "policy/model/charge.h"

namespace elbowroom::cluster {
namespace {

using policy::Node;
using policy::Pod;

constexpr std::array kNames = {
    std::pair{Change::PodArrived, std::string_view("PodArrived")},
    std::pair{Change::PodLeft, std::string_view("PodLeft")},
    std::pair{Change::PodGrew, std::string_view("PodGrew")},
    std::pair{Change::PodShrank, std::string_view("PodShrank")},
    std::pair{Change::PodLeaving, std::string_view("PodLeaving")},
    std::pair{Change::PodChanged, std::string_view("PodChanged")},
    std::pair{Change::Nominated, std::string_view("Nominated")},
    std::pair{Change::Allocatable, std::string_view("Allocatable")},
    std::pair{Change::Ready, std::string_view("Ready")},
    std::pair{Change::NodePolicy, std::string_view("NodePolicy")},
    std::pair{Change::CriticalBy, std::string_view("CriticalBy")},
    std::pair{Change::Budget, std::string_view("Budget")},
    std::pair{Change::Own, std::string_view("Own")},
    std::pair{Change::RemovalEnded, std::string_view("RemovalEnded")},
    std::pair{Change::Placing, std::string_view("Placing")},
};

Changes sizes(const policy::Totals& before, const policy::Totals& after) {
  Changes changes;
  const auto compare = [&](const policy::Resources& from, const policy::Resources& to) {
    if (policy::exceeds_anywhere(to, from)) changes |= Change::PodGrew;
    if (policy::exceeds_anywhere(from, to)) changes |= Change::PodShrank;
  };
  compare(before.desired, after.desired);
  compare(before.allocated, after.allocated);
  compare(before.actual, after.actual);
  return changes;
}

// Compares the conditions of the resize. A removal mark affects only the decision of the scheduler
// that set it, which its own writes would otherwise requeue.
bool differ_in_resize(const policy::Conditions& a, const policy::Conditions& b) {
  for (const std::string_view type : {policy::kPodResizePending, policy::kPodResizeInProgress,
                                      policy::kPodResizePreemptionDisabled}) {
    const policy::Condition* before = policy::find_condition(a, type);
    const policy::Condition* after = policy::find_condition(b, type);
    if ((before == nullptr) != (after == nullptr)) return true;
    if (before != nullptr && *before != *after) return true;
  }
  return false;
}

// Whether the pod may be a victim, in which order, and whether it waits for room itself.
bool differ_as_victim(const Pod& a, const Pod& b) {
  return policy::priority_of(a) != policy::priority_of(b) || a.labels != b.labels ||
         a.started != b.started || a.qos_in_status != b.qos_in_status ||
         a.scheduling_group != b.scheduling_group || a.generation != b.generation ||
         differ_in_resize(a.conditions, b.conditions);
}

}  // namespace

Changes changes_of(const Pod* before, const Pod* after) {
  const bool held = before != nullptr && policy::holds_room(*before);
  const bool holds = after != nullptr && policy::holds_room(*after);
  if (!held) return holds ? Changes(Change::PodArrived) : Changes();
  if (!holds) return Change::PodLeft;

  Changes changes = sizes(policy::totals_of(*before), policy::totals_of(*after));
  // Once a resize is Infeasible, its desired size is no longer charged.
  if (policy::exceeds_anywhere(policy::cluster_charge(*before), policy::cluster_charge(*after))) {
    changes |= Change::PodShrank;
  }
  if (before->deletion != after->deletion) changes |= Change::PodLeaving;
  if (differ_as_victim(*before, *after)) changes |= Change::PodChanged;
  return changes;
}

Changes changes_of(const Node* before, const Node* after) {
  if (before == nullptr && after == nullptr) return {};
  if (before == nullptr || after == nullptr) {
    return Change::Allocatable | Change::Ready | Change::NodePolicy | Change::CriticalBy;
  }
  Changes changes;
  if (before->allocatable != after->allocatable || before->allowed_pods != after->allowed_pods) {
    changes |= Change::Allocatable;
  }
  if (before->ready != after->ready) changes |= Change::Ready;
  if (before->resize_preemption_owners != after->resize_preemption_owners) {
    changes |= Change::NodePolicy;
  }
  if (before->critical_preemption_by_node != after->critical_preemption_by_node) {
    changes |= Change::CriticalBy;
  }
  if (before->labels != after->labels || before->unschedulable != after->unschedulable ||
      before->taints != after->taints) {
    changes |= Change::Placing;
  }
  return changes;
}

std::vector<std::string_view> names_of(Changes changes) {
  std::vector<std::string_view> names;
  for (const auto& [change, name] : kNames) {
    if (changes.intersects(change)) names.push_back(name);
  }
  return names;
}

}  // namespace elbowroom::cluster
