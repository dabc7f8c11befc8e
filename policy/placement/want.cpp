#include "policy/placement/want.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/selector.h"
#include "policy/placement/pod_tally.h"

namespace elbowroom::policy {
namespace {

struct Row {
  Reason of{};
  Reliefs cures{};
};

// In the order of Reason.
constexpr std::array kCures = {
    Row{Reason::Deleted, {}},
    Row{Reason::Gated, Relief::Own},
    Row{Reason::Group, Relief::Own},
    Row{Reason::ResourceClaims, Relief::Own},
    Row{Reason::VolumeClaims, Relief::Own},
    Row{Reason::Avoided, {}},
    Row{Reason::Unschedulable, Relief::Node},
    Row{Reason::Taint, Relief::Node},
    Row{Reason::NodeAffinity, Relief::Node},
    Row{Reason::HostPorts, Relief::Room},
    Row{Reason::TooManyPods, Relief::Room},
    Row{Reason::Cpu, Relief::Room},
    Row{Reason::Memory, Relief::Room},
    Row{Reason::EphemeralStorage, Relief::Room},
    Row{Reason::OtherResource, Relief::Room},
    Row{Reason::ClaimInUse, Relief::Company},
    Row{Reason::VolumeLimit, Relief::Room | Relief::Company},
    Row{Reason::VolumeNode, Relief::Node},
    Row{Reason::VolumeUnbound, Relief::Node | Relief::Own},
    Row{Reason::VolumeSpace, Relief::Node | Relief::Own},
    Row{Reason::VolumeGone, Relief::Own},
    Row{Reason::VolumeZone, Relief::Node},
    Row{Reason::SpreadLabel, Relief::Company | Relief::Node},
    Row{Reason::Spread, Relief::Company | Relief::Node},
    Row{Reason::Near, Relief::Company | Relief::Node},
    Row{Reason::Apart, Relief::Company | Relief::Node},
    Row{Reason::ExistingAntiAffinity, Relief::Company | Relief::Node},
};

bool is_more_than(std::int64_t request, std::int64_t used, std::int64_t allocatable) {
  return request > 0 && is_too_much(request, used, allocatable);
}

}  // namespace

Reliefs cures_of(Reason reason) { return kCures[std::to_underlying(reason)].cures; }

Reliefs cures_of_all(std::uint32_t reasons) {
  Reliefs all;
  for (const Row& each : kCures) {
    if ((reasons >> std::to_underlying(each.of) & 1U) != 0) all |= each.cures;
  }
  return all;
}

Want want_of(const Pod& pod) {
  Want made{.request = totals_of(pod).desired,
            .priority = priority_of(pod),
            .may_preempt = preemption_policy_of(pod) != PreemptionPolicy::Never,
            .ns = pod.ns,
            .labels = pod.labels,
            .affinity = pod.placement.required_affinity,
            .anti_affinity = pod.placement.required_anti_affinity};
  std::ranges::copy_if(pod.placement.spread, std::back_inserter(made.spread),
                       [](const SpreadConstraint& each) { return each.required; });
  for (const PodClaim& each : pod.placement.claims) made.claims.push_back(each.name);
  return made;
}

ReliefOf::ReliefOf(const ClusterRoom& room, const RoomChange& change)
    : room_(room), change_(change) {
  if (change.node && (change.brings.has(Relief::Room) || change.brings.has(Relief::Node))) {
    sum_up();
  }
}

// Pods that terminate count as gone, as others wait for them.
void ReliefOf::sum_up() {
  std::vector<ClaimedResources> counted;  // with the most important of the pods that share them
  const auto add = [&counted](Level& to, const RoomHolding& pod) {
    const auto add_charge = [&to](const Resources& charge) {
      to.cpu = saturating_add(to.cpu, charge.cpu.value);
      to.memory = saturating_add(to.memory, charge.memory.value);
      to.ephemeral_storage = saturating_add(to.ephemeral_storage, charge.ephemeral_storage.value);
    };
    add_charge(pod.charge);
    if (!pod.claims.empty()) {
      Resources claimed;
      add_claims(claimed, counted, pod.claims);
      add_charge(claimed);
    }
    ++to.pods;
  };
  levels_.push_back({.priority = std::numeric_limits<std::int32_t>::max()});
  const Blocks<RoomHolding>& holders = room_.nodes()[*change_.node].holders;
  for (const RoomHolding& each : holders) {
    if (each.is_fixed && !each.is_terminating()) add(levels_.front(), each);
  }
  for (const RoomHolding& each : holders) {
    if (each.is_fixed || each.is_terminating()) continue;
    if (priority_of(each) < levels_.back().priority) {
      Level next = levels_.back();
      next.priority = priority_of(each);
      levels_.push_back(next);
    }
    add(levels_.back(), each);
  }
}

bool ReliefOf::has_room_for(const Want& want) const {
  // The level of the least important pods that stay.
  const auto behind =
      want.may_preempt
          ? std::ranges::find_if(levels_.begin() + 1, levels_.end(),
                                 [&](const Level& each) { return each.priority < want.priority; })
          : levels_.end();
  const Level& used = *(behind - 1);
  const NodeTotals& figures = room_.figures()[*change_.node];
  if (used.pods >= figures.allowed_pods) return false;
  const Resources& request = want.request;
  if (is_more_than(request.cpu.value, used.cpu, figures.cpu) ||
      is_more_than(request.memory.value, used.memory, figures.memory) ||
      is_more_than(request.ephemeral_storage.value, used.ephemeral_storage,
                   figures.ephemeral_storage)) {
    return false;
  }
  const Resources& allocatable = room_.nodes()[*change_.node].node.allocatable;
  return std::ranges::all_of(request.others, [&](const auto& each) {
    return each.second <= amount_of(allocatable, each.first);
  });
}

bool ReliefOf::admits(const Want& want) const {
  const std::uint32_t node = *change_.node;
  return change_.is_new_node || node >= want.admitted.size() || want.admitted[node];
}

bool ReliefOf::matters(const Want& want, const Pod& pod) const {
  const auto is_counted = [&](const SpreadConstraint& each) {
    return each.selector && pod.ns == want.ns && matches(*each.selector, pod.labels);
  };
  const auto is_meant = [&](const PodTerm& each) {
    return is_about(room_, each, pod.ns, pod.labels);
  };
  const auto is_used = [&](const PodClaim& each) {
    return pod.ns == want.ns && std::ranges::find(want.claims, each.name) != want.claims.end();
  };
  return std::ranges::any_of(want.spread, is_counted) ||
         std::ranges::any_of(pod.placement.claims, is_used) ||
         std::ranges::any_of(want.affinity, is_meant) ||
         std::ranges::any_of(want.anti_affinity, is_meant) ||
         std::ranges::any_of(pod.placement.required_anti_affinity, [&](const PodTerm& each) {
           return is_about(room_, each, want.ns, want.labels);
         });
}

bool ReliefOf::is_company_of(const Want& want) const {
  if (change_.before == nullptr && change_.after == nullptr) return true;
  return (change_.before != nullptr && matters(want, *change_.before)) ||
         (change_.after != nullptr && matters(want, *change_.after));
}

bool ReliefOf::helps(const Want& want) const {
  const auto both = [&](Relief each) { return want.cures.has(each) && change_.brings.has(each); };
  if (both(Relief::Budget)) return true;
  if (both(Relief::Company) && is_company_of(want)) return true;
  if (!change_.node) return both(Relief::Room) || both(Relief::Node);
  // The labels of a node decide on which pods it shares a domain with.
  if (both(Relief::Node) && want.cures.has(Relief::Company)) return true;
  const bool may_fit = both(Relief::Room) && admits(want);
  const bool may_be_admitted =
      change_.brings.has(Relief::Node) && (change_.is_new_node || !admits(want));
  return (may_fit || may_be_admitted) && has_room_for(want);
}

void note(Want& want, const RoomChange& change) {
  if (!change.node || !change.brings.has(Relief::Node)) return;
  if (*change.node < want.admitted.size()) want.admitted[*change.node] = true;
  want.cures |= Relief::Room;
}

}  // namespace elbowroom::policy
