// Room that nobody needs to make any more: pods that are leaving and shrinks that are under way. It
// is believed in only for so long; whoever owns a clock says for which pods that time is over, and
// a node that keeps overdue pods loses no others.
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

// Whose time is over; decided by whoever owns a clock.
struct Lapsed {
  std::set<std::string, std::less<>> overdue{};           // uids: terminating past deadline + 30 s
  std::set<std::string, std::less<>> stuck_shrinks{};     // uids: not actuated for 60 s
  std::set<std::string, std::less<>> unjudged_shrinks{};  // uids: not judged for 30 s

  friend bool operator==(const Lapsed&, const Lapsed&) = default;
};

// By wall time, for a decision about one moment: overdue from the deletion deadline + 30 s on;
// stuck when PodResizeInProgress is known to be older than 60 s.
[[nodiscard]] Lapsed lapsed_at(std::span<const Pod> pods, Time now);

// Terminating, whoever asked for it, and still in time.
[[nodiscard]] bool is_leaving(const Pod& pod, const Lapsed& lapsed);

// What the pod will hold when the shrinks on their way are done, never more than its held charge: a
// pure shrink (desired nowhere above held) counts as desired unless it is Infeasible or was not
// judged in time, a shrink that is allocated counts as done unless its actuation failed or is
// stuck.
[[nodiscard]] Resources coming_charge(const Pod& pod, const Totals& totals, const Lapsed& lapsed);

// Why nobody may be removed on that node, or nothing: it is not Ready, or a pod that was removed to
// make room (see RemovalMark) holds its room although it is overdue. `reader` is the namespace of
// the pod that it is written onto.
[[nodiscard]] std::optional<Words> stuck_node(const Node& node, std::span<const Pod> pods,
                                              const Lapsed& lapsed, std::string_view reader = "");

}  // namespace elbowroom::policy
