// The room of a cluster while a gang is tried in it: some of its members are placed, and some units
// are gone. The room itself does not change. A node that changes is summed up again from the pods
// that stay there: amounts are only added, so saturated sums stay too large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "policy/model/pod.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/node_filter.h"
#include "policy/placement/room_units.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

// A unit of the cluster, as the trial numbers it.
struct TrialUnit {
  HoldingUnit unit{};
  std::vector<std::uint32_t> nodes{};  // of each of its pods, as for_each_pod() has them
  bool is_gone = false;
};

class GangTrial {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // Which terminating pods count as gone: none, or all that are not overdue.
  enum class Leaving : std::uint8_t { Stay, Gone };
  // The members are numbered in their order. Everything must outlive this object.
  GangTrial(ClusterRoom& room, std::span<const Pod* const> members, const ScheduleTerms& terms,
            Leaving leaving);
  ~GangTrial();
  GangTrial(const GangTrial&) = delete;
  GangTrial& operator=(const GangTrial&) = delete;

  [[nodiscard]] const ClusterRoom& room() const { return room_; }
  [[nodiscard]] ClusterRoom& mutable_room() { return room_; }  // builds label columns on demand
  [[nodiscard]] std::size_t members() const { return members_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> nodes() const { return numbers_; }
  // Members of one class are alike: what holds for one holds for all.
  [[nodiscard]] std::size_t class_of(std::size_t member) const { return members_[member].kind; }
  [[nodiscard]] std::size_t classes() const { return filters_.size(); }
  [[nodiscard]] std::size_t first_of_class(std::size_t kind) const { return first_[kind]; }
  [[nodiscard]] const NodeFilter& filter_of(std::size_t member) const {
    return filters_[members_[member].kind];
  }
  [[nodiscard]] const Pod& pod(std::size_t member) const { return *members_[member].pod; }
  // The node of a placed member, else kNone.
  [[nodiscard]] std::uint32_t node_of(std::size_t member) const { return members_[member].node; }
  [[nodiscard]] std::span<const std::size_t> members_on(std::uint32_t node) const {
    return states_[node].members;
  }
  // Pods on other nodes matter to some member.
  [[nodiscard]] bool looks_around() const { return looks_around_; }

  // Whether the member fits on the node beside everything that is there now. Requires that it is
  // not placed.
  [[nodiscard]] Refusal refusal(std::size_t member, std::uint32_t node) const;
  [[nodiscard]] bool fits(std::size_t member, std::uint32_t node) const {
    return refusal(member, node).code == NodeCode::Success;
  }
  // Whether every placed member still fits where it is; on that node alone, unless some member
  // looks around: then all of them, one after the other as they were placed.
  [[nodiscard]] bool still_fit_on(std::uint32_t node);
  // Whether all of them do, each judged beside those placed before it.
  [[nodiscard]] bool still_fit_in_order();
  // The placed members, in the order in which they were placed.
  [[nodiscard]] const std::vector<std::size_t>& placed() const { return placed_; }
  [[nodiscard]] Occupancy occupancy_of(std::size_t member, std::uint32_t node) const {
    return occupancy(members_[member].kind, node);
  }
  // What the node's figures would be, for scores.
  [[nodiscard]] NodeTotals totals_on(std::uint32_t node) const;

  void place(std::size_t member, std::uint32_t node);
  void take_back(std::size_t member);
  void take_back_all();

  // The units with a priority below that, of which every pod may go: potential victims. In the
  // order of nodes; a group comes with its first pod.
  void find_units(std::int32_t below);
  [[nodiscard]] std::span<const TrialUnit> units() const { return units_; }
  // The numbers of the units with pods on that node.
  [[nodiscard]] std::vector<std::uint32_t> units_on(std::uint32_t node) const;
  void remove(std::uint32_t unit);
  void put_back(std::uint32_t unit);
  // The same for the room on one node alone, whatever the unit's size. To be undone before another
  // node is looked at.
  void remove_on(std::uint32_t unit, std::uint32_t node);
  void put_back_on(std::uint32_t unit, std::uint32_t node);
  // All units at once: those are gone, and the others are there.
  void set_gone(const std::vector<bool>& gone);
  // No member is placed, and no unit is gone.
  void clear();

 private:
  struct Member {
    const Pod* pod = nullptr;
    std::size_t kind = 0;  // its class
    RoomHolding holding{};
    std::uint32_t node = kNone;
  };
  struct Holder {
    const RoomHolding* pod = nullptr;
    std::uint32_t unit = kNone;
  };
  struct State {
    Resources used{};
    std::int64_t pods = 0;
    std::vector<std::size_t> members{};
    std::vector<Holder> holders{};  // those that do not count as gone, once units are known
    std::vector<ClaimedResources> claims{};  // that are counted in `used`
  };

  void sort_into_classes(std::span<const Pod* const> members);
  [[nodiscard]] bool counts(const RoomHolding& holding) const;
  void sum_up(std::uint32_t node);
  void tally(const RoomHolding& holding, std::uint32_t node, int sign);
  [[nodiscard]] Occupancy occupancy(std::size_t kind, std::uint32_t node) const;
  void change(std::uint32_t unit, bool is_gone);
  void change_on(std::uint32_t unit, std::uint32_t node, bool is_gone);

  ClusterRoom& room_;
  const ScheduleTerms& terms_;
  Leaving leaving_;
  RoomUnits room_units_;
  std::vector<Member> members_{};
  std::vector<std::size_t> placed_{};
  std::vector<NodeFilter> filters_{};        // by class
  std::vector<std::uint32_t> held_kinds_{};  // of the room, by class
  std::vector<const Pod*> of_class_{};
  std::vector<std::size_t> first_{};      // member of each class
  std::vector<std::uint32_t> numbers_{};  // of the known nodes, by name
  std::vector<State> states_{};           // by the node's number
  std::vector<TrialUnit> units_{};
  bool looks_around_ = false;
};

}  // namespace elbowroom::policy
