#include "policy/taker.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace elbowroom::policy {
namespace {

constexpr std::size_t kTriedInAllWays = 8;

Fit fit_of_nominated(const NodeMoment& moment, const Pod& pod) {
  Fit fit{.capacity = moment.node.allocatable, .charge = cluster_charge(pod)};
  for_each_amount(fit.charge,
                  [&](std::string_view name, std::int64_t) { fit.checked.emplace_back(name); });
  return fit;
}

std::size_t place_of(const std::vector<Occupant>& occupants, const Occupant* of) {
  return static_cast<std::size_t>(of - occupants.data());
}

}  // namespace

std::vector<Taker> takers_before(const NodeMoment& moment, const Occupant& deferred,
                                 const std::vector<const Occupant*>& unserved) {
  std::vector<Taker> takers;
  for (const Pod& pod : moment.nominated) {
    if (!comes_first(pod, *deferred.pod)) continue;
    takers.push_back({.pod = &pod, .fit = fit_of_nominated(moment, pod)});
  }
  std::ranges::sort(takers, {}, [](const Taker& each) {
    return std::tuple(-std::int64_t{priority_of(*each.pod)}, key_of(*each.pod), each.pod->uid);
  });
  for (const Occupant* each : unserved) {
    takers.push_back({.pod = each->pod, .holder = each, .fit = fit_of(moment, *each)});
  }
  return takers;
}

Resources RoomLater::used(const Selection& gone, const Selection& took, const Occupant* but) const {
  std::vector<const Resources*> charges;
  charges.reserve(occupants.size());
  for (const Occupant& each : occupants) charges.push_back(&each.charge);
  Resources total;
  for (std::size_t i = 0; i < takers.size(); ++i) {
    if (!took[i]) continue;
    const Taker& taker = takers[i];
    if (taker.holder == nullptr) {
      add_to(total, taker.fit.charge);
    } else {
      charges[place_of(occupants, taker.holder)] = &taker.fit.charge;
    }
  }
  for (std::size_t i = 0; i < occupants.size(); ++i) {
    if (!gone[i] && &occupants[i] != but) add_to(total, *charges[i]);
  }
  return total;
}

bool RoomLater::can_take(const Taker& taker, const Selection& gone, const Selection& took) const {
  if (taker.holder != nullptr && gone[place_of(occupants, taker.holder)]) return false;
  return is_zero(lacking(taker.fit, used(gone, took, taker.holder)));
}

Selection RoomLater::taken_in_order(const Selection& gone) const {
  Selection took(takers.size(), false);
  for (std::size_t i = 0; i < takers.size(); ++i) took[i] = can_take(takers[i], gone, took);
  return took;
}

Selection RoomLater::spoilers(const Selection& gone, const Fit& fit) const {
  const Selection none(takers.size(), false);
  std::vector<std::size_t> able;
  Selection all = none;
  for (std::size_t i = 0; i < takers.size(); ++i) {
    if (!can_take(takers[i], gone, none)) continue;
    able.push_back(i);
    all[i] = true;
  }
  const auto spoil = [&](const Selection& took) {
    return !is_zero(lacking(fit, used(gone, took, &deferred)));
  };
  if (able.empty() || !spoil(all)) return none;
  if (able.size() > kTriedInAllWays) return all;
  for (std::size_t which = 1; which < (std::size_t{1} << able.size()); ++which) {
    Selection took = none;
    for (std::size_t bit = 0; bit < able.size(); ++bit) {
      if ((which >> bit & 1U) != 0) took[able[bit]] = true;
    }
    if (!spoil(took)) continue;
    // Together, each beside all the others: then there is an order in which they come.
    const bool together = std::ranges::all_of(able, [&](std::size_t i) {
      if (!took[i]) return true;
      Selection others = took;
      others[i] = false;
      return can_take(takers[i], gone, others);
    });
    if (together) return took;
  }
  return none;
}

}  // namespace elbowroom::policy
