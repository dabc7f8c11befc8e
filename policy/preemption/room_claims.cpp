#include "policy/preemption/room_claims.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace elbowroom::policy {
namespace {

constexpr std::size_t kMaxPermutedClaims = 8;

Fit fit_of_nominated(const NodeMoment& moment, const Pod& pod) {
  Fit fit{.capacity = moment.node.allocatable, .charge = cluster_charge(pod)};
  for_each_amount(fit.charge,
                  [&](std::string_view name, std::int64_t) { fit.checked.emplace_back(name); });
  return fit;
}

std::size_t place_of(const std::vector<PodOnNode>& node_pods, const PodOnNode* of) {
  return static_cast<std::size_t>(of - node_pods.data());
}

}  // namespace

std::vector<RoomClaim> claims_before(const NodeMoment& moment, const PodOnNode& deferred,
                                     const std::vector<const PodOnNode*>& unserved) {
  std::vector<RoomClaim> room_claims;
  for (const Pod& pod : moment.nominated) {
    if (!comes_first(pod, *deferred.pod)) continue;
    room_claims.push_back({.pod = &pod, .fit = fit_of_nominated(moment, pod)});
  }
  std::ranges::sort(room_claims, {}, [](const RoomClaim& each) {
    return std::tuple(-std::int64_t{priority_of(*each.pod)}, key_of(*each.pod), each.pod->uid);
  });
  for (const PodOnNode* each : unserved) {
    RoomClaim& made =
        room_claims.emplace_back(RoomClaim{each->pod, each, fit_of(moment, *each), {}});
    made.own = without(made.fit.charge, each->claims);
  }
  return room_claims;
}

ChargeSum FutureRoom::used(const Selection& gone, const Selection& took,
                           const PodOnNode* but) const {
  std::vector<const Resources*> charges;
  charges.reserve(node_pods.size());
  for (const PodOnNode& each : node_pods) charges.push_back(&each.charge);
  ChargeSum total;
  if (but != nullptr) total.leave_out(but->claims);
  for (std::size_t i = 0; i < room_claims.size(); ++i) {
    if (!took[i]) continue;
    const RoomClaim& room_claim = room_claims[i];
    if (room_claim.holder == nullptr) {
      total.add(room_claim.fit.charge, {});
    } else {
      charges[place_of(node_pods, room_claim.holder)] = &room_claim.own;
    }
  }
  for (std::size_t i = 0; i < node_pods.size(); ++i) {
    if (!gone[i] && &node_pods[i] != but) total.add(*charges[i], node_pods[i].planned_claims());
  }
  return total;
}

bool FutureRoom::can_take(const RoomClaim& room_claim, const Selection& gone,
                          const Selection& took) const {
  if (room_claim.holder != nullptr && gone[place_of(node_pods, room_claim.holder)]) return false;
  return is_zero(lacking(room_claim.fit, used(gone, took, room_claim.holder).total()));
}

Selection FutureRoom::taken_in_order(const Selection& gone) const {
  Selection took(room_claims.size(), false);
  for (std::size_t i = 0; i < room_claims.size(); ++i)
    took[i] = can_take(room_claims[i], gone, took);
  return took;
}

Selection FutureRoom::blocking_claims(const Selection& gone, const Fit& fit) const {
  const Selection none(room_claims.size(), false);
  std::vector<std::size_t> able;
  Selection all = none;
  for (std::size_t i = 0; i < room_claims.size(); ++i) {
    if (!can_take(room_claims[i], gone, none)) continue;
    able.push_back(i);
    all[i] = true;
  }
  const auto spoil = [&](const Selection& took) {
    return !is_zero(lacking(fit, used(gone, took, &deferred).total()));
  };
  if (able.empty() || !spoil(all)) return none;
  if (able.size() > kMaxPermutedClaims) return all;
  for (std::size_t which = 1; which < (std::size_t{1} << able.size()); ++which) {
    Selection took = none;
    for (std::size_t bit = 0; bit < able.size(); ++bit) {
      if ((which >> bit & 1U) != 0) took[able[bit]] = true;
    }
    if (!spoil(took)) continue;
    // All together, each beside all the others: then some order exists in which they take the room.
    const bool together = std::ranges::all_of(able, [&](std::size_t i) {
      if (!took[i]) return true;
      Selection others = took;
      others[i] = false;
      return can_take(room_claims[i], gone, others);
    });
    if (together) return took;
  }
  return none;
}

}  // namespace elbowroom::policy
