// Room that needs no further victim: terminating pods, and shrinks in progress. It counts only for
// a limited time. The owner of a clock decides when that time expires; a node that keeps overdue
// pods loses no others.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "policy/model/charge.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// The pods whose time has expired, as decided by the owner of a clock.
struct OverduePods {
  std::set<std::string, std::less<>> overdue{};        // uids: terminating past deadline + 30 s
  std::set<std::string, std::less<>> stuck_shrinks{};  // uids: not actuated for 60 s
  std::set<std::string, std::less<>> unevaluated_shrinks{};  // uids: not judged for 30 s

  friend bool operator==(const OverduePods&, const OverduePods&) = default;
};

// Lapsed pods by wall time, for a decision about one moment. Overdue: from the deletion deadline +
// 30 s on. Stuck: PodResizeInProgress is known to be older than 60 s.
[[nodiscard]] OverduePods overdue_pods_at(std::span<const Pod> pods, Time now);

// The pod is terminating, whatever deleted it, and still in time.
[[nodiscard]] bool is_leaving(const Pod& pod, const OverduePods& lapsed);

// What the pod will hold once its shrinks are done, never more than its held charge. A pure shrink
// (desired nowhere above held) counts as desired, unless it is Infeasible or was not judged in
// time. An allocated shrink counts as done, unless its actuation failed or is stuck.
[[nodiscard]] Resources charge_after_shrinks(const Pod& pod, const Totals& totals,
                                             const OverduePods& lapsed);

// Why no pod may be removed on that node, or nothing. The node is not Ready, or a pod that was
// removed to make room (see RemovalMark) is overdue and still holds its room. `reader` is the
// namespace of the pod that the text is written onto.
[[nodiscard]] std::optional<PodText> stuck_node(const Node& node, std::span<const Pod> pods,
                                                const OverduePods& lapsed,
                                                std::string_view reader = "");

}  // namespace elbowroom::policy
