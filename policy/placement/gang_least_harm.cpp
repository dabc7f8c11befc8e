#include "policy/placement/gang_least_harm.h"

#include <algorithm>
#include <compare>
#include <set>
#include <utility>
#include <vector>

namespace elbowroom::policy {
namespace {

// What the next members of a class take on a node, and the units that have to go for them, beside
// those that are gone already.
struct Seat {
  std::uint32_t node = 0;
  std::size_t members = 0;  // 0: none fits
  GangHarm harm{};
  std::vector<std::uint32_t> victims{};
};

// By the harm for each member.
std::strong_ordering compare(const Seat& a, const Seat& b) {
  const auto of_a = static_cast<std::int64_t>(a.members);
  const auto of_b = static_cast<std::int64_t>(b.members);
  const auto each = [&](std::int64_t in_a, std::int64_t in_b) {
    return in_a * of_b <=> in_b * of_a;
  };
  if (const auto by = each(a.harm.violations, b.harm.violations); by != nullptr) return by;
  if (const auto by = each(a.harm.priorities, b.harm.priorities); by != nullptr) return by;
  if (const auto by = each(a.harm.soft_violations, b.harm.soft_violations); by != nullptr)
    return by;
  if (const auto by = each(a.harm.victims, b.harm.victims); by != nullptr) return by;
  if (const auto by = a.harm.has_started <=> b.harm.has_started; by != nullptr) return by;
  return a.harm.negated_start <=> b.harm.negated_start;
}

class LeastHarm {
 public:
  LeastHarm(GangTrial& trial, const GangUnits& units, const GangLimit& limit, std::size_t needed,
            SeatOrder order)
      : trial_(trial), units_(units), limit_(limit), needed_(needed), order_(order) {
    seats_.resize(trial.classes());
    left_.resize(trial.classes());
    for (std::size_t member = 0; member < trial.members(); ++member) {
      left_[trial.class_of(member)].push_back(member);
    }
    place_of_.resize(trial.room().nodes().size());
    for (std::size_t i = 0; i < trial.nodes().size(); ++i) place_of_[trial.nodes()[i]] = i;
  }

  [[nodiscard]] bool run() {
    while (placed_ < needed_) {
      const auto [kind, seat] = order_ == SeatOrder::AsGiven ? next_in_turn() : cheapest();
      if (seat == nullptr || looks_ > kMostLooks) {
        trial_.clear();
        return false;
      }
      take(kind, *seat);
    }
    // A unit that went for a later member may have been what made an earlier one fit.
    if (!trial_.looks_around() || trial_.still_fit_in_order()) return true;
    trial_.clear();
    return false;
  }

 private:
  struct Choice {
    std::size_t kind = 0;
    Seat* seat = nullptr;
  };

  // A member for which no node has room is left out.
  Choice next_in_turn() {
    while (turn_ < trial_.members()) {
      const std::size_t kind = trial_.class_of(turn_++);
      if (Seat* seat = best_of(kind)) return {kind, seat};
    }
    return {};
  }

  Choice cheapest() {
    Choice found;
    for (std::size_t kind = 0; kind < seats_.size(); ++kind) {
      Seat* seat = left_[kind].empty() ? nullptr : best_of(kind);
      const bool is_better =
          seat != nullptr && (found.seat == nullptr || compare(*seat, *found.seat) < 0);
      if (is_better) found = {kind, seat};
    }
    return found;
  }

  std::size_t most_of(std::size_t kind) const {
    if (order_ != SeatOrder::Filling) return 1;
    return std::min(left_[kind].size(), needed_ - placed_);
  }

  Seat* best_of(std::size_t kind) {
    std::vector<Seat>& seats = seats_[kind];
    if (seats.empty()) {
      for (const std::uint32_t node : trial_.nodes()) seats.push_back(look_at(kind, node));
    }
    for (;;) {
      Seat* best = nullptr;
      for (Seat& each : seats) {
        if (each.members > 0 && (best == nullptr || compare(each, *best) < 0)) best = &each;
      }
      if (best == nullptr || best->members <= most_of(kind)) return best;
      *best = look_at(kind, best->node);  // it was made for more members than are left
    }
  }

  Seat look_at(std::size_t kind, std::uint32_t node) {
    if (trial_.looks_around() && ++looks_ > kMostLooks) return {.node = node};
    Seat best{.node = node};
    Seat now{.node = node};
    const std::size_t most = most_of(kind);
    while (now.members < most && make_room(kind, now)) {
      const bool is_better = best.members == 0 || compare(now, best) < 0;
      if (is_better) best = now;
      if (now.victims.empty() || now.members == most) break;
      trial_.place(left_[kind][now.members - 1], node);
    }
    for (std::size_t i = 0; i < now.members; ++i) trial_.take_back(left_[kind][i]);
    for (const std::uint32_t unit : now.victims) trial_.put_back_on(unit, node);
    return best;
  }

  // Removes what one member more needs, and counts it. False: it does not fit, and nothing changes.
  bool make_room(std::size_t kind, Seat& now) {
    const std::size_t member = trial_.first_of_class(kind);
    if (!trial_.fits(member, now.node)) {
      std::vector<std::uint32_t> there;
      for (const std::uint32_t unit : trial_.units_on(now.node)) {
        if (!trial_.units()[unit].is_gone && units_.may_go(unit, limit_)) there.push_back(unit);
      }
      if (there.empty()) return false;
      for (const std::uint32_t unit : there) trial_.remove_on(unit, now.node);
      if (!trial_.fits(member, now.node)) {
        for (const std::uint32_t unit : there) trial_.put_back_on(unit, now.node);
        return false;
      }
      const auto more = units_.reprieve(std::move(there), [&](std::uint32_t unit) {
        trial_.put_back_on(unit, now.node);
        const bool stays = trial_.fits(member, now.node);
        if (!stays) trial_.remove_on(unit, now.node);
        return stays;
      });
      now.victims.insert(now.victims.end(), more.begin(), more.end());
      now.harm = units_.harm_of(now.victims);
    }
    ++now.members;
    return true;
  }

  // The seats of a node change when it takes a member, or when a unit with pods there goes; where
  // members look around, those of every node do.
  void take(std::size_t kind, const Seat& seat) {
    const Seat chosen = seat;
    std::set<std::uint32_t> touched = {chosen.node};
    for (const std::uint32_t unit : chosen.victims) {
      trial_.remove(unit);
      touched.insert(trial_.units()[unit].nodes.begin(), trial_.units()[unit].nodes.end());
    }
    for (std::size_t i = 0; i < chosen.members; ++i) {
      trial_.place(left_[kind].front(), chosen.node);
      left_[kind].erase(left_[kind].begin());
    }
    placed_ += chosen.members;
    for (std::size_t other = 0; other < seats_.size(); ++other) {
      if (seats_[other].empty() || left_[other].empty()) continue;
      if (trial_.looks_around()) {
        seats_[other].clear();
        continue;
      }
      for (const std::uint32_t node : touched) {
        seats_[other][place_of_[node]] = look_at(other, node);
      }
    }
  }

  GangTrial& trial_;
  const GangUnits& units_;
  GangLimit limit_;
  std::size_t needed_;
  SeatOrder order_;
  std::size_t placed_ = 0;
  std::size_t turn_ = 0;  // SeatOrder::AsGiven: the member that is next
  int looks_ = 0;
  std::vector<std::vector<Seat>> seats_{};        // by class, then as the trial's nodes
  std::vector<std::vector<std::size_t>> left_{};  // by class: members that are not placed
  std::vector<std::size_t> place_of_{};           // by node: its place among the trial's nodes
};

}  // namespace

bool place_with_least_harm(GangTrial& trial, const GangUnits& units, const GangLimit& limit,
                           std::size_t needed, SeatOrder order) {
  if (trial.classes() * trial.nodes().size() > kMostSeats) return false;
  return LeastHarm(trial, units, limit, needed, order).run();
}

}  // namespace elbowroom::policy
