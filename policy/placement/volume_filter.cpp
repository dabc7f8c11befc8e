#include "policy/placement/volume_filter.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "policy/placement/node_terms.h"

namespace elbowroom::policy {
namespace {

constexpr std::string_view kNotInGangs =
    "claims of a gang's pods that are unbound, ReadWriteOncePod, or of a driver with limits are "
    "not supported";

struct ZoneLabel {
  std::string_view label;
  std::string_view newer;
};
constexpr std::array<ZoneLabel, 4> kZoneLabels{{
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
}};

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

// The values of a zone label, which may be several. Source: cloud-provider volume/helpers,
// LabelZonesToSet: an empty one makes the label void.
std::set<std::string, std::less<>> zones_in(std::string_view text) {
  std::set<std::string, std::less<>> zones;
  constexpr std::string_view kBetween = "__";
  for (;;) {
    const std::size_t end = text.find(kBetween);
    std::string_view zone = text.substr(0, end);
    while (!zone.empty() && zone.front() == ' ') zone.remove_prefix(1);
    while (!zone.empty() && zone.back() == ' ') zone.remove_suffix(1);
    if (zone.empty()) return {};
    zones.emplace(zone);
    if (end == std::string_view::npos) return zones;
    text.remove_prefix(end + kBetween.size());
  }
}

Refusal unresolvable(std::uint32_t reasons) {
  return {NodeCode::UnschedulableAndUnresolvable, reasons};
}
Refusal resolvable(Reason reason) { return {NodeCode::Unschedulable, bit_of(reason)}; }

std::string key_of_claim(const Pod& pod, const PodClaim& claim) {
  return pod.ns + "/" + claim.name;
}

std::int64_t size_of(const VolumeClaim& claim) { return claim.request.value_or(0); }

std::pair<std::int64_t, std::string_view> by_size(const PersistentVolume& volume) {
  return {volume.capacity, volume.name};
}

}  // namespace

VolumeFilter::VolumeFilter(ClusterRoom& room, const Pod& pod)
    : room_(room), volumes_(room.volumes()) {
  obstacle_ = find_obstacle(pod);
  if (!obstacle_.empty()) return;
  prepare(room, pod);
  // The members of a gang are placed all at once, each as if the others used no volume.
  if (pod.group && pod.group->is_gang() && depends_on_others()) obstacle_ = kNotInGangs;
}

bool VolumeFilter::depends_on_others() const {
  return !unbound_.empty() || !exclusive_.empty() ||
         std::ranges::any_of(csi_drivers_,
                             [this](const std::string& each) { return volumes_.has_limits(each); });
}

// ---- what speaks against all nodes, in the order of upstream's PreFilter plugins ----

std::string VolumeFilter::find_obstacle(const Pod& pod) const {
  for (const PodClaim& each : pod.placement.claims) {
    const bool is_there = volumes_.claim(key_of_claim(pod, each)) != nullptr;
    if (is_there || each.is_ephemeral) continue;
    return "persistentvolumeclaim " + in_quotes(each.name) + " not found";
  }
  for (const PodClaim& each : pod.placement.claims) {
    const VolumeClaim* claim = volumes_.claim(key_of_claim(pod, each));
    if (claim == nullptr) {
      return "waiting for ephemeral volume controller to create the persistentvolumeclaim " +
             in_quotes(each.name);
    }
    if (claim->is_lost) {
      return "persistentvolumeclaim " + in_quotes(each.name) +
             " bound to non-existent persistentvolume " + in_quotes(claim->volume);
    }
    if (claim->is_terminating) {
      return "persistentvolumeclaim " + in_quotes(each.name) + " is being deleted";
    }
    if (each.is_ephemeral && claim->controller_uid != pod.uid) {
      return "PVC " + key_of(*claim) + " was not created for pod " + key_of(pod) +
             " (pod is not owner)";
    }
  }
  bool is_immediate = false;
  for (const PodClaim& each : pod.placement.claims) {
    const VolumeClaim* claim = volumes_.claim(key_of_claim(pod, each));
    if (claim->is_bound()) continue;
    const StorageClass* of = volumes_.storage_class(claim->storage_class);
    is_immediate =
        is_immediate || of == nullptr || !of->waits_for_consumer || !claim->volume.empty();
  }
  if (is_immediate) return "pod has unbound immediate PersistentVolumeClaims";
  for (const PodClaim& each : pod.placement.claims) {
    const VolumeClaim* claim = volumes_.claim(key_of_claim(pod, each));
    if (each.is_ephemeral || claim->volume.empty() || volumes_.volume(claim->volume) != nullptr) {
      continue;
    }
    return "persistentvolume " + in_quotes(claim->volume) + " not found";
  }
  return "";
}

// ---- prepared once per pod ----

void VolumeFilter::prepare(ClusterRoom& room, const Pod& pod) {
  std::set<std::string> seen;
  const std::string self = key_of(pod);
  for (const PodClaim& each : pod.placement.claims) {
    const std::string key = key_of_claim(pod, each);
    if (!seen.insert(key).second) continue;
    const VolumeClaim& claim = *volumes_.claim(key);
    prepare_csi(claim);
    if (!each.is_ephemeral && (claim.access_modes & kReadWriteOncePod) != 0) {
      exclusive_.insert(key);
      for (std::string& user : volumes_.users_of(key)) {
        if (user != self) in_use_by_.insert(std::move(user));
      }
    }
    if (claim.is_bound()) {
      prepare_bound(room, claim, each.is_ephemeral);
    } else {
      unbound_.push_back({.claim = &claim});
    }
  }
  if (!zones_.empty()) {
    for (const ZoneLabel& each : kZoneLabels) zone_columns_.push_back(&room.column(each.label));
  }
  prepare_unbound(room);
  known_.assign(room.nodes().size(), 0);
}

void VolumeFilter::prepare_csi(const VolumeClaim& claim) {
  const auto volume = volumes_.csi_volume_of(claim);
  if (!volume) return;
  if (!csi_.try_emplace(*volume, volumes_.csi_number(*volume)).second) return;
  if (std::ranges::find(csi_drivers_, volume->driver) == csi_drivers_.end()) {
    csi_drivers_.push_back(volume->driver);
  }
}

void VolumeFilter::prepare_bound(ClusterRoom& room, const VolumeClaim& claim, bool is_ephemeral) {
  const PersistentVolume* volume = volumes_.volume(claim.volume);
  if (volume == nullptr) {
    is_gone_ = true;
    return;
  }
  if (volume->nodes) bound_.emplace_back(room, *volume->nodes);
  if (is_ephemeral) return;
  for (const ZoneLabel& each : kZoneLabels) {
    const auto label = volume->labels.find(each.label);
    if (label == volume->labels.end()) continue;
    auto values = zones_in(label->second);
    if (values.empty()) continue;
    zones_.push_back({.column = &room.column(each.label),
                      .newer = &room.column(each.newer),
                      .values = std::move(values)});
  }
}

void VolumeFilter::prepare_unbound(ClusterRoom& room) {
  std::ranges::stable_sort(unbound_, {}, [](const Unbound& each) { return size_of(*each.claim); });
  for (Unbound& each : unbound_) {
    each.storage_class = volumes_.storage_class(each.claim->storage_class);
    if (each.storage_class->topologies) {
      topologies_.emplace_back(room, *each.storage_class->topologies);
      each.topologies = topologies_.size();
    }
  }
}

// ---- one node ----

const CsiNode* VolumeFilter::limits_on(std::uint32_t node) const {
  if (csi_drivers_.empty()) return nullptr;
  const CsiNode* limits = volumes_.csi_node(room_.nodes()[node].name);
  if (limits == nullptr) return nullptr;
  const bool matter = std::ranges::any_of(
      csi_drivers_, [&](const std::string& each) { return limits->limits.contains(each); });
  return matter ? limits : nullptr;
}

// `occupancy`: what counts as attached; nullptr: what the node's pods use.
bool VolumeFilter::exceeds(const CsiNode& limits, std::uint32_t node,
                           const VolumeOccupancy* occupancy) const {
  const std::string& name = room_.nodes()[node].name;
  const auto is_new = [&](std::uint32_t number) {
    if (number == 0) return true;
    return occupancy != nullptr ? !std::ranges::binary_search(occupancy->attached, number)
                                : !volumes_.uses(name, number);
  };
  for (std::size_t i = 0; i < csi_drivers_.size(); ++i) {
    const std::string& driver = csi_drivers_[i];
    const auto limit = limits.limits.find(driver);
    if (limit == limits.limits.end()) continue;
    const auto more = std::ranges::count_if(
        csi_, [&](const auto& each) { return each.first.driver == driver && is_new(each.second); });
    if (more == 0) continue;
    std::int64_t used = 0;
    if (occupancy == nullptr) {
      used = volumes_.used_on(name, driver);
    } else if (!occupancy->of_driver.empty()) {
      used = occupancy->of_driver[i];
    }
    if (used + more > limit->second) return true;
  }
  return false;
}

Refusal VolumeFilter::refusal(std::uint32_t node) const {
  if (!in_use_by_.empty()) return resolvable(Reason::ClaimInUse);
  const CsiNode* limits = limits_on(node);
  if (limits != nullptr && exceeds(*limits, node, nullptr)) return resolvable(Reason::VolumeLimit);
  return by_node(node);
}

Refusal VolumeFilter::refusal_beside(std::uint32_t node, const VolumeOccupancy& occupancy) const {
  const std::string& name = room_.nodes()[node].name;
  // Asked for each of the node's pods that may stay, and as many may use the claim.
  if (occupancy.conflicts > 0) return resolvable(Reason::ClaimInUse);
  const bool elsewhere = std::ranges::any_of(
      in_use_by_, [&](const std::string& pod) { return volumes_.node_of(pod) != name; });
  if (elsewhere) return resolvable(Reason::ClaimInUse);
  const CsiNode* limits = limits_on(node);
  if (limits != nullptr && exceeds(*limits, node, &occupancy)) {
    return resolvable(Reason::VolumeLimit);
  }
  return by_node(node);
}

bool VolumeFilter::conflicts_with(std::string_view pod) const {
  if (exclusive_.empty()) return false;
  return std::ranges::any_of(volumes_.claims_of(pod),
                             [&](const std::string& each) { return exclusive_.contains(each); });
}

void VolumeFilter::count(VolumeOccupancy& to, std::uint32_t node, std::string_view pod) const {
  if (conflicts_with(pod)) ++to.conflicts;
  if (limits_on(node) == nullptr) return;
  to.of_driver.resize(csi_drivers_.size());
  for (const std::uint32_t each : volumes_.csi_numbers_of(pod)) {
    const auto driver = std::ranges::find(csi_drivers_, volumes_.csi_volume(each).driver);
    if (driver == csi_drivers_.end()) continue;
    const auto at = std::ranges::lower_bound(to.attached, each);
    if (at != to.attached.end() && *at == each) continue;
    to.attached.insert(at, each);
    ++to.of_driver[static_cast<std::size_t>(driver - csi_drivers_.begin())];
  }
}

Refusal VolumeFilter::by_node(std::uint32_t node) const {
  std::uint64_t& known = known_[node];
  if (known == 0) known = std::uint64_t{1} + reasons_of(node);
  const auto reasons = static_cast<std::uint32_t>(known - 1);
  return reasons == 0 ? Refusal{} : unresolvable(reasons);
}

std::uint32_t VolumeFilter::reasons_of(std::uint32_t node) const {
  std::uint32_t reasons = is_gone_ ? bit_of(Reason::VolumeGone) : 0U;
  const bool bound_allow = std::ranges::all_of(
      bound_, [&](const NodeAffinityMatch& each) { return each.is_allowed(node); });
  if (!bound_allow) reasons |= bit_of(Reason::VolumeNode);
  if (!unbound_.empty()) reasons |= found_on(node).reasons;
  if (reasons != 0) return reasons;
  return zones_allow(node) ? 0U : bit_of(Reason::VolumeZone);
}

bool VolumeFilter::zones_allow(std::uint32_t node) const {
  const auto has = [&](const LabelColumn* column) { return column->value_of_node[node] != 0; };
  if (std::ranges::none_of(zone_columns_, has)) return true;
  return std::ranges::all_of(zones_, [&](const Zone& each) {
    const LabelColumn* column = has(each.column) ? each.column : each.newer;
    const std::uint32_t value = column->value_of_node[node];
    return value != 0 && each.values.contains(column->values[value]);
  });
}

// ---- unbound claims ----

VolumeFilter::Found VolumeFilter::found_on(std::uint32_t node) const {
  Found made;
  const Node& on = room_.nodes()[node].node;
  std::set<std::string_view> taken;
  std::vector<const Unbound*> to_provision;
  for (const Unbound& each : unbound_) {
    if (const std::string* selected = volumes_.selected_node(*each.claim)) {
      if (*selected != room_.nodes()[node].name) {
        return {.reasons = bit_of(Reason::VolumeUnbound)};
      }
      to_provision.push_back(&each);
    }
  }
  for (const Unbound& each : unbound_) {
    if (volumes_.selected_node(*each.claim) != nullptr) continue;
    const PersistentVolume* volume = matching(*each.claim, on, taken);
    if (volume == nullptr) {
      to_provision.push_back(&each);
      continue;
    }
    taken.insert(volume->name);
    made.plan.bindings.push_back({.claim = key_of(*each.claim), .volume = volume->name});
  }
  for (const Unbound* each : to_provision) {
    made.reasons = provisions(*each, node);
    if (made.reasons != 0) return made;
    made.plan.provisions.push_back(key_of(*each->claim));
  }
  return made;
}

// 0: a volume can be made for the claim there.
std::uint32_t VolumeFilter::provisions(const Unbound& of, std::uint32_t node) const {
  if (!of.storage_class->provisions()) return bit_of(Reason::VolumeUnbound);
  if (of.topologies != 0 && !topologies_[of.topologies - 1].is_allowed(node)) {
    return bit_of(Reason::VolumeUnbound);
  }
  const CsiDriver* driver = volumes_.driver(of.storage_class->provisioner);
  if (driver == nullptr || !driver->publishes_capacity || !of.claim->request) return 0;
  const bool suffices = volumes_.has_capacity(of.storage_class->name, *of.claim->request,
                                              room_.nodes()[node].node.labels);
  return suffices ? 0U : bit_of(Reason::VolumeSpace);
}

bool VolumeFilter::suits(const PersistentVolume& volume, const VolumeClaim& claim) const {
  return volume.capacity >= size_of(claim) && volume.is_block == claim.is_block &&
         volume.attributes_class == claim.attributes_class && !volume.is_terminating &&
         volume.storage_class == claim.storage_class;
}

// One that is reserved for the claim, or else the smallest that fits; of several alike the first by
// name. `taken`: by other claims of the pod.
const PersistentVolume* VolumeFilter::matching(const VolumeClaim& claim, const Node& node,
                                               const std::set<std::string_view>& taken) const {
  const auto reaches = [&](const PersistentVolume& volume) {
    return !volume.nodes || matches_any(*volume.nodes, node);
  };
  for (const std::string& name : volumes_.volumes_for(key_of(claim))) {
    const PersistentVolume* volume = volumes_.volume(name);
    if (volume == nullptr || taken.contains(name) || !suits(*volume, claim)) continue;
    const ClaimRef* ref = volumes_.claim_of(*volume);
    if (ref == nullptr || !refers_to(*ref, claim)) continue;
    return reaches(*volume) ? volume : nullptr;
  }
  const PersistentVolume* best = nullptr;
  for (const VolumeRoom::BySize* sizes : volumes_.available(claim.storage_class, node.labels)) {
    for (const PersistentVolume* volume : suited(claim, *sizes)) {
      if (best != nullptr && by_size(*volume) >= by_size(*best)) break;
      if (taken.contains(volume->name) || !reaches(*volume)) continue;
      best = volume;
      break;
    }
  }
  return best;
}

// Found once for all nodes: a selector that matches no volume would cost a walk on each.
const std::vector<const PersistentVolume*>& VolumeFilter::suited(
    const VolumeClaim& claim, const VolumeRoom::BySize& sizes) const {
  const auto [known, added] = suited_.try_emplace({&claim, &sizes});
  if (!added) return known->second;
  for (auto at = sizes.lower_bound({size_of(claim), ""}); at != sizes.end(); ++at) {
    const PersistentVolume& volume = *volumes_.volume(at->second);
    if (volumes_.claim_of(volume) != nullptr || !suits(volume, claim)) continue;
    if (claim.selector && !matches(*claim.selector, volume.labels)) continue;
    if ((claim.access_modes & volume.access_modes) != claim.access_modes) continue;
    known->second.push_back(&volume);
  }
  return known->second;
}

VolumePlan VolumeFilter::plan(std::uint32_t node) const {
  return unbound_.empty() ? VolumePlan{} : found_on(node).plan;
}

}  // namespace elbowroom::policy
