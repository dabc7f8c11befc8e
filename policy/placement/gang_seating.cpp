#include "policy/placement/gang_seating.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "policy/placement/node_score.h"

namespace elbowroom::policy {
namespace {

// Where the members of one class fit, and how well.
class Seats {
 public:
  Seats(GangTrial& trial, std::size_t member) : trial_(trial), member_(member) {
    const NodeFilter& filter = trial.filter_of(member);
    request_ = filter.request();
    std::vector<std::uint32_t> fitting;
    for (const std::uint32_t node : trial.nodes()) {
      if (trial.fits(member, node)) fitting.push_back(node);
    }
    const std::vector<std::int64_t> scores = scores_of(trial.mutable_room(), filter, fitting);
    const std::vector<NodeTotals>& figures = trial.room().figures();
    for (std::size_t i = 0; i < fitting.size(); ++i) {
      // The part of the score that members placed there change is computed again.
      const std::uint32_t node = fitting[i];
      const std::int64_t rest = scores[i] - score_of_room(figures[node], request_);
      seats_.push_back({.node = node, .rest = rest});
      seats_.back().score = rest + score_of_room(trial.totals_on(node), request_);
    }
    place_of_.assign(figures.size(), kNowhere);
    for (std::size_t i = 0; i < fitting.size(); ++i) place_of_[fitting[i]] = i;
  }

  // `member` is of this class.
  [[nodiscard]] std::optional<std::uint32_t> best(std::size_t member, bool fullest) {
    member_ = member;
    if (trial_.looks_around()) {
      for (Seat& each : seats_) look_at(each);
    }
    const Seat* found = nullptr;
    for (const Seat& each : seats_) {
      if (!each.fits) continue;
      const std::int64_t score = fullest ? -each.score : each.score;
      if (found == nullptr || score > (fullest ? -found->score : found->score)) found = &each;
    }
    return found == nullptr ? std::nullopt : std::optional(found->node);
  }

  void changed(std::size_t member, std::uint32_t node) {
    member_ = member;
    if (place_of_[node] == kNowhere) return;
    Seat& seat = seats_[place_of_[node]];
    look_at(seat);
    seat.score = seat.rest + score_of_room(trial_.totals_on(node), request_);
  }

 private:
  struct Seat {
    std::uint32_t node = 0;
    std::int64_t rest = 0;  // of the score, whatever is placed there
    std::int64_t score = 0;
    bool fits = true;
  };
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  void look_at(Seat& seat) { seat.fits = trial_.fits(member_, seat.node); }

  GangTrial& trial_;
  std::size_t member_;
  Resources request_{};
  std::vector<Seat> seats_{};            // by the node's name
  std::vector<std::size_t> place_of_{};  // by the node's number
};

std::vector<std::size_t> as_they_are(const GangTrial& trial) {
  std::vector<std::size_t> order(trial.members());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// By class: on how many nodes a member fits now.
std::vector<std::int64_t> choices_of(const GangTrial& trial) {
  std::vector<std::int64_t> choices;
  for (std::size_t kind = 0; kind < trial.classes(); ++kind) {
    choices.push_back(std::ranges::count_if(trial.nodes(), [&](std::uint32_t node) {
      return trial.fits(trial.first_of_class(kind), node);
    }));
  }
  return choices;
}

// Those with the fewest nodes to choose from come first.
std::vector<std::size_t> scarce_first(const GangTrial& trial,
                                      const std::vector<std::int64_t>& choices) {
  std::vector<std::size_t> order = as_they_are(trial);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t member) { return choices[trial.class_of(member)]; });
  return order;
}

std::size_t seat_some(GangTrial& trial, std::size_t wanted, bool fullest,
                      std::span<const std::size_t> order) {
  std::vector<std::optional<Seats>> of_class(trial.classes());
  std::size_t placed = 0;
  for (std::size_t member = 0; member < trial.members(); ++member) {
    if (trial.node_of(member) != GangTrial::kNone) ++placed;
  }
  for (const std::size_t member : order) {
    if (placed >= wanted) break;
    if (trial.node_of(member) != GangTrial::kNone) continue;
    std::optional<Seats>& seats = of_class[trial.class_of(member)];
    if (!seats) seats.emplace(trial, member);
    const auto node = seats->best(member, fullest);
    if (!keeps_seats(trial)) seats.reset();
    if (!node) continue;
    trial.place(member, *node);
    ++placed;
    for (std::size_t other = 0; other < of_class.size(); ++other) {
      if (of_class[other]) of_class[other]->changed(trial.first_of_class(other), *node);
    }
  }
  return placed;
}

// Tries one placement after the other, those members first that have the fewest nodes to choose
// from. Members that are alike take nodes in the order of names, as any other order is the same
// placement.
class Search {
 public:
  // `order`: scarce_first().
  Search(GangTrial& trial, std::size_t wanted, std::span<const std::size_t> order)
      : trial_(trial), wanted_(wanted), order_(order) {}

  [[nodiscard]] Seating run() {
    if (place(0, 0)) return Seating::Seated;
    return checks_left_ < 0 ? Seating::GaveUp : Seating::NoRoom;
  }

 private:
  [[nodiscard]] bool place(std::size_t turn, std::size_t placed) {
    if (placed == wanted_) return true;
    if (trial_.members() - turn < wanted_ - placed) return false;
    const std::size_t member = order_[turn];
    const auto nodes = trial_.nodes();
    for (std::size_t at = first_for(member); at < nodes.size(); ++at) {
      if (--checks_left_ < 0) return false;
      if (!trial_.fits(member, nodes[at])) continue;
      trial_.place(member, nodes[at]);
      taken_[trial_.class_of(member)].push_back(at);
      if (place(turn + 1, placed + 1)) return true;
      taken_[trial_.class_of(member)].pop_back();
      trial_.take_back(member);
    }
    return place(turn + 1, placed);
  }
  [[nodiscard]] std::size_t first_for(std::size_t member) {
    const std::vector<std::size_t>& taken = taken_[trial_.class_of(member)];
    return taken.empty() || trial_.looks_around() ? 0 : taken.back();
  }

  GangTrial& trial_;
  std::size_t wanted_;
  std::span<const std::size_t> order_;
  int checks_left_ = kMostChecks;
  std::vector<std::vector<std::size_t>> taken_{std::vector<std::vector<std::size_t>>(
      trial_.classes())};  // places in the list of nodes, by class
};

}  // namespace

std::size_t seat_all(GangTrial& trial) {
  return seat_some(trial, trial.members(), false, as_they_are(trial));
}

Seating seat(GangTrial& trial, std::size_t wanted) {
  const auto is_seated = [&](bool fullest, std::span<const std::size_t> order) {
    if (seat_some(trial, wanted, fullest, order) >= wanted) return true;
    trial.take_back_all();
    return false;
  };
  const std::vector<std::size_t> given = as_they_are(trial);
  if (is_seated(false, given)) return Seating::Seated;
  if (!keeps_seats(trial)) return Seating::GaveUp;
  if (is_seated(true, given)) return Seating::Seated;
  const bool are_alike = trial.classes() == 1 && !trial.looks_around();
  if (are_alike) return Seating::NoRoom;
  const std::vector<std::int64_t> choices = choices_of(trial);
  const auto hopeful = static_cast<std::size_t>(std::ranges::count_if(
      given, [&](std::size_t member) { return choices[trial.class_of(member)] > 0; }));
  // Where members look around, one may fit once another one is placed.
  if (!trial.looks_around() && hopeful < wanted) return Seating::NoRoom;
  const std::vector<std::size_t> scarce = scarce_first(trial, choices);
  if (is_seated(false, scarce) || is_seated(true, scarce)) return Seating::Seated;
  if (trial.members() > kMostSearched) return Seating::GaveUp;
  const Seating searched = Search(trial, wanted, scarce).run();
  if (searched != Seating::Seated) trial.take_back_all();
  return searched;
}

SeatedGang seat_gang(GangTrial& trial, std::size_t needed) {
  const std::size_t placed = seat_all(trial);
  if (placed >= needed) return {.placed = placed};
  trial.take_back_all();
  const Seating seated = seat(trial, needed);
  return {.placed = seat_all(trial), .gave_up = seated == Seating::GaveUp};
}

void seat_nominated(GangTrial& trial) {
  for (std::size_t member = 0; member < trial.members(); ++member) {
    const auto node = trial.room().find_node(trial.pod(member).nominated_node);
    if (node && trial.fits(member, *node)) trial.place(member, *node);
  }
}

std::vector<std::string> outranked_by(GangTrial& trial, const Gang& gang) {
  std::vector<std::string> outranked;
  const std::uint32_t own = trial.room().find_group(gang.key);
  for (const std::uint32_t node : trial.nodes()) {
    const auto members = trial.members_on(node);
    if (members.empty()) continue;
    const std::size_t first = members.front();
    Occupancy there = trial.occupancy_of(first, node);
    for (const RoomHolding& each : trial.room().nodes()[node].nominated) {
      if (own != 0 && each.group == own) continue;
      const bool is_lower = priority_of(each) < gang.standing.priority;
      const NodeFilter& filter = trial.filter_of(first);
      const bool is_upstream = trial.room().rules() == RuleSet::Upstream;
      if (!is_lower || (!is_upstream && filter.leaves_room_for(each, node, there))) {
        filter.add(there, node, each);
      } else {
        outranked.push_back(each.key);
      }
    }
  }
  std::ranges::sort(outranked);
  return outranked;
}

}  // namespace elbowroom::policy
