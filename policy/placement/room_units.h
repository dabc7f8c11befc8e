// The units that the pods of a cluster's room form, for one decision: a pod by itself, or a pod
// group that is removed as a whole. The room must not change while this is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policy/model/unit.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

using HoldingUnit = Unit<RoomHolding>;

// No pod may be removed from that node now, whatever it is removed for: the node does not answer,
// or it keeps a pod that had to make room. The latter not by upstream's rules.
[[nodiscard]] bool is_stuck(const ClusterRoom& room, std::uint32_t node,
                            const ScheduleTerms& terms);

class RoomUnits {
 public:
  // Both must outlive this object.
  RoomUnits(const ClusterRoom& room, const ScheduleTerms& terms) : room_(room), terms_(terms) {}
  RoomUnits(const RoomUnits&) = delete;
  RoomUnits& operator=(const RoomUnits&) = delete;

  // The units that have pods on the node, most important first. By default rules a terminating pod
  // is of no group: it leaves by itself. What the units refer to is valid as long as this object.
  [[nodiscard]] std::vector<HoldingUnit> on(std::uint32_t node);

  // The number of the group that the pod is removed with; 0: it is a unit of one.
  [[nodiscard]] std::uint32_t group_of(const RoomHolding& holding) const;

  // A group with all its pods as `here`, and the node of each; they come by the node's name.
  struct Whole {
    const GroupUnit<RoomHolding>& unit;
    std::span<const std::uint32_t> nodes;
  };
  [[nodiscard]] Whole whole(std::uint32_t group);

 private:
  static constexpr std::uint32_t kAllNodes = std::numeric_limits<std::uint32_t>::max();
  struct Members {
    std::vector<const RoomHolding*> pods{};                                  // by the node's name
    std::vector<std::uint32_t> nodes{};                                      // of each
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> on_node{};  // first, and how many
    std::string kept_by{};
  };

  const Members& members_of_group(std::uint32_t group);
  const GroupUnit<RoomHolding>& group_on(std::uint32_t group, std::uint32_t node);

  const ClusterRoom& room_;
  const ScheduleTerms& terms_;
  std::map<std::uint32_t, Members> members_{};  // by group
  std::map<std::pair<std::uint32_t, std::uint32_t>, GroupUnit<RoomHolding>> groups_{};
};

}  // namespace elbowroom::policy
