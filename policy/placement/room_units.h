// The units that the pods of a cluster's room form, for one decision: a pod by itself, or a pod
// group that is removed as a whole. The room must not change while this is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policy/model/importance.h"
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
  // A group's pods on one node.
  struct Part {
    std::uint32_t group = 0;
    std::size_t first = 0;  // in pods_
    std::size_t count = 0;
    GroupUnit<RoomHolding> unit{};
  };

  void list();  // once
  void sort_by_group(const std::vector<std::pair<const RoomHolding*, std::uint32_t>>& found);
  void note_stuck(std::span<const Part> parts, std::uint32_t node);
  [[nodiscard]] GroupUnit<RoomHolding> unit_of(std::uint32_t group, std::size_t first,
                                               std::size_t count) const;

  const ClusterRoom& room_;
  const ScheduleTerms& terms_;
  // Flat lists, as one decision asks for all groups of all nodes.
  std::vector<const RoomHolding*> pods_{};          // by group, then by the node's name
  std::vector<std::uint32_t> nodes_{};              // of each
  std::vector<std::size_t> first_pod_{};            // by group, and the end; empty: not listed yet
  std::vector<Part> parts_{};                       // by the node's name
  std::vector<std::size_t> first_part_{};           // by the node's number
  std::vector<std::size_t> end_of_parts_{};         // by the node's number
  std::map<std::uint32_t, std::string> kept_by_{};  // by group
  std::map<std::uint32_t, GroupUnit<RoomHolding>> wholes_{};  // by group, of those asked for
  std::map<std::uint32_t, Importance> importance_{};          // the same
};

}  // namespace elbowroom::policy
