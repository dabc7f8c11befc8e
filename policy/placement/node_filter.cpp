#include "policy/placement/node_filter.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "policy/model/charge.h"
#include "policy/placement/placement_messages.h"

namespace elbowroom::policy {
namespace {

Refusal unschedulable(Reason reason) { return {NodeCode::Unschedulable, bit_of(reason)}; }
Refusal unresolvable(Reason reason) {
  return {NodeCode::UnschedulableAndUnresolvable, bit_of(reason)};
}

// Source: kube-scheduler framework/types.go, HostPortInfo.
bool conflict(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip.empty() || b.ip.empty());
}

bool conflict(const std::vector<HostPort>& asked, const std::vector<HostPort>& used) {
  return std::ranges::any_of(asked, [&](const HostPort& each) {
    return std::ranges::any_of(used, [&](const HostPort& other) { return conflict(each, other); });
  });
}

std::uint32_t against_all(const Pod& pod) {
  if (is_terminating(pod)) return bit_of(Reason::Deleted);
  if (!pod.placement.gates.empty()) return bit_of(Reason::Gated);
  if (!group_obstacle(pod).empty()) return bit_of(Reason::Group);
  return pod.has_resource_claims ? bit_of(Reason::ResourceClaims) : 0U;
}

// Collects the reasons of one filter.
class Verdict {
 public:
  void add(Reason reason, bool resolvable) {
    refusal_.reasons |= bit_of(reason);
    if (!resolvable) refusal_.code = NodeCode::UnschedulableAndUnresolvable;
    if (refusal_.code == NodeCode::Success) refusal_.code = NodeCode::Unschedulable;
  }
  [[nodiscard]] Refusal refusal() const { return refusal_; }

 private:
  Refusal refusal_{};
};

void check(Verdict& verdict, Reason reason, std::int64_t request, std::int64_t used,
           std::int64_t allocatable) {
  if (request > 0 && is_too_much(request, used, allocatable))
    verdict.add(reason, request <= allocatable);
}

}  // namespace

NodeFilter::NodeFilter(ClusterRoom& room, const Pod& pod, const ScheduleTerms& terms,
                       FilterTime when)
    : room_(room),
      pod_(pod),
      terms_(terms),
      avoided_besides_(avoided_besides(terms, pod)),
      match_(room, pod.placement),
      request_(totals_of(pod).desired) {
  reasons_against_all_nodes_ = against_all(pod);
  if (!pod.placement.claims.empty()) {
    volumes_.emplace(room, pod);
    const bool is_told = reasons_against_all_nodes_ != 0 || volumes_->obstacle().empty();
    if (!is_told) reasons_against_all_nodes_ = bit_of(Reason::VolumeClaims);
  }
  priority_ = priority_of(pod);
  if (pod.group && pod.group->is_gang()) gang_ = room.find_group(group_key_of(pod));
  prepare_taints(room);
  prepare_host_ports();
  prepare_others(room);
  for (const SpreadConstraint& each : pod.placement.spread) room.column(each.topology_key);
  for (const SpreadConstraint& each : pod.placement.spread) {
    if (each.required) tallies_.push_back(tally_by(room, each.topology_key));
  }
  near_first_ = tallies_.size();
  for (const PodTerm& each : pod.placement.required_affinity) {
    tallies_.push_back(tally_by(room, each.topology_key));
  }
  near_last_ = tallies_.size();
  for (const PodTerm& each : pod.placement.required_anti_affinity) {
    tallies_.push_back(tally_by(room, each.topology_key));
  }
  apart_last_ = tallies_.size();
  prepare_existing_anti_affinity(room);
  existing_last_ = tallies_.size();
  prepare_spread();
  prepare_pod_affinity();
  if (when == FilterTime::AfterTermination) {
    for (PodTally& each : tallies_) each.without_leaving = &terms.lapsed;
  }
  count(room_, tallies_);
  for (Spread& each : spreads_) find_least_domains(each);
  for (std::size_t i = near_first_; i < near_last_; ++i) {
    const PodTally& tally = tallies_[i];
    for (std::size_t value = 1; value < tally.by_value.size(); ++value) {
      near_anywhere_ += tally.by_value[value];
    }
  }
  no_changes_.assign(tallies_.size(), 0);
}

// ---- prepared once per pod ----

void NodeFilter::prepare_taints(ClusterRoom& room) {
  const std::vector<Toleration>& tolerations = pod_.placement.tolerations;
  tolerates_unschedulable_ =
      tolerates(tolerations, Taint{.key = "node.kubernetes.io/unschedulable"});
  tolerated_ = &room.tolerated_by(tolerations);
}

void NodeFilter::prepare_host_ports() {
  if (pod_.placement.host_ports.empty()) return;
  conflicts_.assign(room_.kinds().all().size(), false);
  for (const std::uint32_t kind : room_.kinds().with_host_ports()) {
    conflicts_[kind] = conflict(pod_.placement.host_ports, room_.kinds().all()[kind].host_ports);
  }
}

void NodeFilter::prepare_others(ClusterRoom& room) {
  for (const auto& [name, amount] : request_.others) {
    others_.push_back({.amount = amount, .column = &room.resource_column(name)});
  }
}

// Source: kube-scheduler podtopologyspread, calPreFilterState.
void NodeFilter::prepare_spread() {
  std::size_t next = 0;
  for (const SpreadConstraint& each : pod_.placement.spread) {
    if (!each.required) continue;
    PodTally& tally = tallies_[next];
    tally.counts_terminating = false;
    const bool about_itself = each.selector && matches(*each.selector, pod_.labels);
    if (each.selector) {
      for (const std::uint32_t kind : room_.kinds().selected(pod_.ns, *each.selector)) {
        tally.by_kind.add(kind, 1);
      }
    }
    tally.counted_nodes.assign(room_.nodes().size(), false);
    spreads_.push_back({.tally = next,
                        .max_skew = each.max_skew,
                        .self = about_itself ? 1 : 0,
                        .min_domains = each.min_domains});
    ++next;
  }
  if (next == 0) return;
  for (std::uint32_t node = 0; node < room_.nodes().size(); ++node) {
    if (!room_.figures()[node].is_known) continue;
    bool has_all_keys = true;
    for (std::size_t i = 0; i < next; ++i) {
      has_all_keys = has_all_keys && tallies_[i].value_at(node) != 0;
    }
    if (!has_all_keys) continue;
    std::size_t at = 0;
    for (const SpreadConstraint& each : pod_.placement.spread) {
      if (!each.required) continue;
      tallies_[at++].counted_nodes[node] =
          (!each.honors_node_affinity || match_.is_allowed(node)) &&
          (!each.honors_taints || tolerates_hard_taints(node));
    }
  }
}

void NodeFilter::find_least_domains(Spread& spread) const {
  const PodTally& tally = tallies_[spread.tally];
  std::vector<bool> is_domain(tally.by_value.size(), false);
  for (std::uint32_t node = 0; node < tally.counted_nodes.size(); ++node) {
    if (tally.counted_nodes[node]) is_domain[tally.value_at(node)] = true;
  }
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  spread.least_count = spread.second_count = kNone;
  for (std::uint32_t value = 1; value < is_domain.size(); ++value) {
    if (!is_domain[value]) continue;
    ++spread.domains;
    const std::int64_t here = tally.by_value[value];
    if (here < spread.least_count) {
      spread.second_count = spread.least_count;
      spread.least_count = here;
      spread.least = value;
    } else {
      spread.second_count = std::min(spread.second_count, here);
    }
  }
}

// Source: kube-scheduler interpodaffinity, filtering.go.
void NodeFilter::prepare_pod_affinity() {
  const std::vector<PodTerm>& near = pod_.placement.required_affinity;
  const std::vector<PodTerm>& apart = pod_.placement.required_anti_affinity;
  if (near.empty() && apart.empty()) return;
  matches_own_affinity_ = std::ranges::all_of(
      near, [&](const PodTerm& each) { return is_about(room_, each, pod_.ns, pod_.labels); });
  for (const std::uint32_t kind : kinds_about_all(near)) {
    for (std::size_t i = near_first_; i < near_last_; ++i) tallies_[i].by_kind.add(kind, 1);
  }
  for (std::size_t i = 0; i < apart.size(); ++i) {
    for (const std::uint32_t kind : room_.kinds_about(apart[i])) {
      tallies_[near_last_ + i].by_kind.add(kind, 1);
    }
  }
}

// The kinds that every one of the terms is about.
std::vector<std::uint32_t> NodeFilter::kinds_about_all(const std::vector<PodTerm>& terms) const {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::vector<std::uint32_t> these = room_.kinds_about(terms[i]);
    if (i > 0) {
      std::vector<std::uint32_t> both;
      std::ranges::set_intersection(all, these, std::back_inserter(both));
      these = std::move(both);
    }
    all = std::move(these);
  }
  return all;
}

// Existing pods whose anti-affinity terms match this pod: one tally for each topology key.
void NodeFilter::prepare_existing_anti_affinity(ClusterRoom& room) {
  std::map<std::string_view, std::size_t> by_key;
  for (const std::uint32_t number : room.kinds().terms_about(pod_.ns, pod_.labels)) {
    for (const PodTerm& each : room.kinds().terms()[number].required_anti_affinity) {
      if (!is_about(room_, each, pod_.ns, pod_.labels)) continue;
      const auto [at, added] = by_key.emplace(each.topology_key, tallies_.size());
      if (added) tallies_.push_back(tally_by(room, each.topology_key));
      tallies_[at->second].by_terms.add(number, 1);
    }
  }
}

// ---- one node ----

const std::string* NodeFilter::why_avoided(std::uint32_t node) const {
  for (const AvoidedByName* avoided : {avoided_besides_, &terms_.avoided}) {
    if (avoided == nullptr || avoided->empty()) continue;
    const auto at = avoided->find(room_.nodes()[node].name);
    if (at != avoided->end()) return &at->second;
  }
  return nullptr;
}

Refusal NodeFilter::permanent_refusal(std::uint32_t node) const {
  if (reasons_against_all_nodes_ != 0) {
    return {NodeCode::UnschedulableAndUnresolvable, reasons_against_all_nodes_};
  }
  const NodeTotals& figures = room_.figures()[node];
  if (why_avoided(node) != nullptr) return unresolvable(Reason::Avoided);
  if (figures.is_unschedulable && !tolerates_unschedulable_) {
    return unresolvable(Reason::Unschedulable);
  }
  if (!tolerated_->hard[figures.taints]) return unresolvable(Reason::Taint);
  if (!match_.is_allowed(node)) return unresolvable(Reason::NodeAffinity);
  return {};
}

Refusal NodeFilter::refusal_by(const NodeTotals& figures) const {
  Verdict verdict;
  if (figures.pods >= figures.allowed_pods) {
    verdict.add(Reason::TooManyPods, true);
  }
  check(verdict, Reason::Cpu, request_.cpu.value, figures.used_cpu, figures.cpu);
  check(verdict, Reason::Memory, request_.memory.value, figures.used_memory, figures.memory);
  check(verdict, Reason::EphemeralStorage, request_.ephemeral_storage.value,
        figures.used_ephemeral_storage, figures.ephemeral_storage);
  return verdict.refusal();
}

Refusal NodeFilter::by_room(std::uint32_t node, const Resources& used, std::int64_t pods) const {
  NodeTotals figures = room_.figures()[node];
  figures.used_cpu = used.cpu.value;
  figures.used_memory = used.memory.value;
  figures.used_ephemeral_storage = used.ephemeral_storage.value;
  figures.pods = pods;
  Refusal refusal = refusal_by(figures);
  if (request_.others.empty()) return refusal;
  Verdict others;
  const Resources& allocatable = room_.nodes()[node].node.allocatable;
  for (const auto& [name, amount] : request_.others) {
    check(others, Reason::OtherResource, amount, amount_of(used, name),
          amount_of(allocatable, name));
  }
  refusal.reasons |= others.refusal().reasons;
  refusal.code = std::max(refusal.code, others.refusal().code);
  return refusal;
}

Refusal NodeFilter::by_spread(std::uint32_t node, const std::vector<std::int64_t>& changes) const {
  for (const Spread& each : spreads_) {
    const PodTally& tally = tallies_[each.tally];
    const std::uint32_t value = tally.value_at(node);
    if (value == 0) return unresolvable(Reason::SpreadLabel);
    const std::int64_t here =
        tally.by_value[value] + (tally.counts_node(node) ? changes[each.tally] : 0);
    std::int64_t least = each.least == value ? each.second_count : each.least_count;
    if (tally.counts_node(node)) least = std::min(least, here);
    if (each.domains < each.min_domains) least = 0;
    if (here + each.self - least > each.max_skew) return unschedulable(Reason::Spread);
  }
  return {};
}

bool NodeFilter::is_near(std::uint32_t node, const std::vector<std::int64_t>& changes) const {
  bool everywhere = true;
  std::int64_t anywhere = near_anywhere_;
  for (std::size_t i = near_first_; i < near_last_; ++i) {
    const std::uint32_t value = tallies_[i].value_at(node);
    if (value == 0) return false;
    anywhere += changes[i];
    everywhere = everywhere && tallies_[i].by_value[value] + changes[i] > 0;
  }
  // The first pod of a group whose members want to be near each other.
  return everywhere || (anywhere == 0 && matches_own_affinity_);
}

Refusal NodeFilter::by_topology(std::uint32_t node,
                                const std::vector<std::int64_t>& changes) const {
  if (const Refusal refusal = by_spread(node, changes); refusal.code != NodeCode::Success) {
    return refusal;
  }
  if (near_first_ != near_last_ && !is_near(node, changes)) return unresolvable(Reason::Near);
  for (std::size_t i = near_last_; i < existing_last_; ++i) {
    const std::uint32_t value = tallies_[i].value_at(node);
    if (value == 0 || tallies_[i].by_value[value] + changes[i] <= 0) continue;
    return unschedulable(i < apart_last_ ? Reason::Apart : Reason::ExistingAntiAffinity);
  }
  return {};
}

// Anti-affinity refuses no node in whose domain it counts nothing, whichever of its pods leave.
bool NodeFilter::may_be_refused_by_topology(std::uint32_t node) const {
  if (near_last_ != 0) return true;  // spread and affinity depend on every node
  for (const PodTally& tally : tallies_) {
    const std::uint32_t value = tally.value_at(node);
    if (value != 0 && tally.by_value[value] > 0) return true;
  }
  return false;
}

Refusal NodeFilter::checked(std::uint32_t node, const Occupancy& occupancy) const {
  const Refusal refusal = by_room(node, occupancy.used, occupancy.pods);
  // Upstream checks ports first, and then attempts preemption in vain for a pod that can never fit.
  if (occupancy.port_conflicts > 0 && refusal.code != NodeCode::UnschedulableAndUnresolvable) {
    return unschedulable(Reason::HostPorts);
  }
  if (refusal.code != NodeCode::Success) return refusal;
  if (volumes_) {
    const Refusal by_volumes = volumes_->refusal_beside(node, occupancy.volumes);
    if (by_volumes.code != NodeCode::Success) return by_volumes;
  }
  return tallies_.empty() ? refusal : by_topology(node, occupancy.changes);
}

// ---- with pods removed or added ----

Occupancy NodeFilter::empty(std::uint32_t node) const {
  Occupancy made{.changes = no_changes_};
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    if (!tallies_[i].counts_node(node)) continue;
    for (const RoomHolding& each : room_.nodes()[node].holders) {
      made.changes[i] -= tallies_[i].adds(each);
    }
  }
  return made;
}

void NodeFilter::add(Occupancy& to, std::uint32_t node, const RoomHolding& holding) const {
  add_to(to.used, holding.charge);
  if (!holding.claims.empty()) add_claims(to.used, to.claims, holding.claims);
  ++to.pods;
  if (!conflicts_.empty() && conflicts_[holding.kind]) ++to.port_conflicts;
  if (volumes_) volumes_->count(to.volumes, node, holding.key);
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    if (tallies_[i].counts_node(node)) to.changes[i] += tallies_[i].adds(holding);
  }
}

void NodeFilter::count_also(const RoomHolding& holding, std::uint32_t node, int sign) {
  bool spreads = false;
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    PodTally& tally = tallies_[i];
    const std::int64_t adds = tally.counts_node(node) ? tally.adds(holding) * sign : 0;
    if (adds == 0) continue;
    tally.by_value[tally.value_at(node)] += adds;
    spreads = spreads || i < near_first_;
    const bool is_near_term = i >= near_first_ && i < near_last_;
    if (is_near_term && tally.value_at(node) != 0) near_anywhere_ += adds;
  }
  if (!spreads) return;
  for (Spread& each : spreads_) {
    each.domains = 0;
    find_least_domains(each);
  }
}

void NodeFilter::add_itself(Occupancy& to) const {
  add_to(to.used, request_);
  ++to.pods;
}

// The nominated pod's other requirements are checked when that pod is scheduled.
bool NodeFilter::leaves_room_for(const RoomHolding& nominated, std::uint32_t node,
                                 const Occupancy& occupancy) const {
  const NodeTotals& figures = room_.figures()[node];
  const Resources& allocatable = room_.nodes()[node].node.allocatable;
  const Resources& used = occupancy.used;
  const Resources& more = nominated.charge;
  const auto is_short = [](std::int64_t request, std::int64_t in_use, std::int64_t all) {
    return request > 0 && is_too_much(request, in_use, all);
  };
  if (occupancy.pods >= figures.allowed_pods) return false;
  if (is_short(more.cpu.value, used.cpu.value, allocatable.cpu.value)) return false;
  if (is_short(more.memory.value, used.memory.value, allocatable.memory.value)) return false;
  if (is_short(more.ephemeral_storage.value, used.ephemeral_storage.value,
               allocatable.ephemeral_storage.value)) {
    return false;
  }
  for (const auto& [name, amount] : more.others) {
    if (is_short(amount, amount_of(used, name), amount_of(allocatable, name))) return false;
  }
  if (!conflicts_.empty() && conflicts_[nominated.kind]) return false;
  if (volumes_ && volumes_->conflicts_with(nominated.key)) return false;
  // One of the two does not allow the other beside it.
  for (std::size_t i = near_last_; i < existing_last_; ++i) {
    if (tallies_[i].value_at(node) != 0 && tallies_[i].adds(nominated) > 0) return false;
  }
  return true;
}

bool NodeFilter::counts_as_nominated(const RoomHolding& holding) const {
  if (gang_ != 0 && holding.group == gang_) return false;
  return priority_of(holding) >= priority_ && holding.uid != pod_.uid;
}

Refusal NodeFilter::refusal_beside(std::uint32_t node, const Occupancy& occupancy) const {
  const Blocks<RoomHolding>& nominated = room_.nodes()[node].nominated;
  if (std::ranges::any_of(nominated,
                          [this](const auto& each) { return counts_as_nominated(each); })) {
    Occupancy with = occupancy;
    for (const RoomHolding& each : nominated) {
      if (counts_as_nominated(each)) add(with, node, each);
    }
    const Refusal refusal = checked(node, with);
    if (refusal.code != NodeCode::Success) return refusal;
  }
  return checked(node, occupancy);
}

Refusal NodeFilter::refusal(std::uint32_t node) const {
  const Refusal standing = permanent_refusal(node);
  if (standing.code != NodeCode::Success) return standing;
  const NodeTotals& figures = room_.figures()[node];
  if (figures.has_nominated) {
    if (tallies_.empty() && conflicts_.empty() && others_.empty() && !volumes_) {
      return by_figures_and_nominated(node);
    }
    Occupancy occupancy{
        .used = room_.nodes()[node].used, .pods = figures.pods, .changes = no_changes_};
    occupancy.port_conflicts = has_port_conflict(node) ? 1 : 0;
    for (const RoomHolding& each : room_.nodes()[node].holders) {
      if (!volumes_) break;
      volumes_->count(occupancy.volumes, node, each.key);
    }
    return refusal_beside(node, occupancy);
  }
  Refusal refusal = refusal_by(figures);
  add_others(refusal, node);
  if (has_port_conflict(node) && refusal.code != NodeCode::UnschedulableAndUnresolvable) {
    return unschedulable(Reason::HostPorts);
  }
  if (refusal.code != NodeCode::Success) return refusal;
  if (volumes_) {
    const Refusal by_volumes = volumes_->refusal(node);
    if (by_volumes.code != NodeCode::Success) return by_volumes;
  }
  return tallies_.empty() ? refusal : by_topology(node, no_changes_);
}

bool NodeFilter::has_port_conflict(std::uint32_t node) const {
  return !conflicts_.empty() && room_.figures()[node].has_host_ports &&
         std::ranges::any_of(room_.nodes()[node].holders,
                             [this](const RoomHolding& each) { return conflicts_[each.kind]; });
}

// What the pod requests of resources that few nodes have, and the node's holders leave of them.
void NodeFilter::add_others(Refusal& refusal, std::uint32_t node) const {
  if (others_.empty()) return;
  Verdict others;
  for (const Other& each : others_) {
    check(others, Reason::OtherResource, each.amount, each.column->used[node],
          each.column->allocatable[node]);
  }
  refusal.reasons |= others.refusal().reasons;
  refusal.code = std::max(refusal.code, others.refusal().code);
}

// Like refusal_beside(), for a pod that requests only the usual resources.
Refusal NodeFilter::by_figures_and_nominated(std::uint32_t node) const {
  NodeTotals with = room_.figures()[node];
  for (const RoomHolding& each : room_.nodes()[node].nominated) {
    if (!counts_as_nominated(each)) continue;
    with.used_cpu = saturating_add(with.used_cpu, each.charge.cpu.value);
    with.used_memory = saturating_add(with.used_memory, each.charge.memory.value);
    with.used_ephemeral_storage =
        saturating_add(with.used_ephemeral_storage, each.charge.ephemeral_storage.value);
    ++with.pods;
  }
  return refusal_by(with);  // a pod that fits with them fits without them
}

// ---- messages ----

Resources NodeFilter::used_beside(std::uint32_t node, const Occupancy& occupancy) const {
  Resources used = occupancy.used;
  for (const RoomHolding& each : room_.nodes()[node].nominated) {
    if (counts_as_nominated(each)) add_to(used, each.charge);
  }
  return used;
}

Resources NodeFilter::used_now(std::uint32_t node) const {
  return used_beside(node, {.used = room_.nodes()[node].used});
}

std::vector<std::string> NodeFilter::reasons(std::uint32_t node, const Refusal& refusal,
                                             const Resources& used) const {
  static constexpr std::pair<Reason, std::string_view> kTexts[] = {
      {Reason::Deleted, "the pod is being deleted"},
      {Reason::Gated, kBlockedByGates},
      {Reason::ResourceClaims, "resource claims are not supported"},
      {Reason::Unschedulable, "node(s) were unschedulable"},
      {Reason::Taint, "node(s) had untolerated taint(s)"},
      {Reason::NodeAffinity, "node(s) didn't match Pod's node affinity/selector"},
      {Reason::HostPorts, "node(s) didn't have free ports for the requested pod ports"},
      {Reason::TooManyPods, "Too many pods"},
      {Reason::Cpu, "Insufficient cpu"},
      {Reason::Memory, "Insufficient memory"},
      {Reason::EphemeralStorage, "Insufficient ephemeral-storage"},
      {Reason::ClaimInUse,
       "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
       "in-use by another pod"},
      {Reason::VolumeLimit, "node(s) exceed max volume count"},
      {Reason::VolumeNode, "node(s) didn't match PersistentVolume's node affinity"},
      {Reason::VolumeUnbound, "node(s) didn't find available persistent volumes to bind"},
      {Reason::VolumeSpace, "node(s) did not have enough free storage"},
      {Reason::VolumeGone,
       "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"},
      {Reason::VolumeZone, "node(s) had no available volume zone"},
      {Reason::SpreadLabel,
       "node(s) didn't match pod topology spread constraints (missing required label)"},
      {Reason::Spread, "node(s) didn't match pod topology spread constraints"},
      {Reason::Near, "node(s) didn't match pod affinity rules"},
      {Reason::Apart, "node(s) didn't match pod anti-affinity rules"},
      {Reason::ExistingAntiAffinity, "node(s) didn't satisfy existing pods anti-affinity rules"},
  };
  std::vector<std::string> texts;
  if (refusal.has(Reason::Avoided)) {
    if (const std::string* why = why_avoided(node)) texts.push_back(*why);
  }
  if (refusal.has(Reason::Group)) texts.push_back(group_obstacle(pod_));
  if (refusal.has(Reason::VolumeClaims) && volumes_) texts.push_back(volumes_->obstacle());
  for (const auto& [reason, text] : kTexts) {
    if (refusal.has(reason)) texts.emplace_back(text);
  }
  if (!refusal.has(Reason::OtherResource)) return texts;
  const Resources& allocatable = room_.nodes()[node].node.allocatable;
  for (const auto& [name, amount] : request_.others) {
    if (is_too_much(amount, amount_of(used, name), amount_of(allocatable, name))) {
      texts.push_back("Insufficient " + name);
    }
  }
  return texts;
}

}  // namespace elbowroom::policy
