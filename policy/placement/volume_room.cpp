#include "policy/placement/volume_room.h"

#include <algorithm>

namespace elbowroom::policy {
namespace {

// Handles of volumes that do not exist yet: no driver's own begins so.
constexpr std::string_view kNotMadeYet = "\n";

std::string claim_key(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

auto sorted_place(std::vector<std::string>& in, std::string_view value) {
  return std::ranges::lower_bound(in, value, {},
                                  [](const std::string& each) { return std::string_view(each); });
}

void insert_sorted(std::vector<std::string>& into, std::string_view value) {
  const auto at = sorted_place(into, value);
  if (at == into.end() || *at != value) into.emplace(at, value);
}

void erase_sorted(std::vector<std::string>& from, std::string_view value) {
  const auto at = sorted_place(from, value);
  if (at != from.end() && *at == value) from.erase(at);
}

// The expression under which a volume is filed: all its nodes have one of those values.
const NodeExpression* filed_by(const PersistentVolume& volume) {
  if (!volume.nodes || volume.nodes->size() != 1) return nullptr;
  for (const NodeExpression& each : volume.nodes->front().labels) {
    if (each.op == NodeOperator::In) return &each;
  }
  return nullptr;
}

std::optional<NodeExpression> filed_by(const StorageCapacity& capacity) {
  if (!capacity.nodes) return std::nullopt;
  for (const auto& [key, value] : capacity.nodes->match_labels) {
    return NodeExpression{.key = key, .op = NodeOperator::In, .values = {value}};
  }
  for (const LabelExpression& each : capacity.nodes->expressions) {
    if (each.op != LabelOperator::In) continue;
    return NodeExpression{.key = each.key, .op = NodeOperator::In, .values = each.values};
  }
  return std::nullopt;
}

template <class T>
const T* find_in(const std::map<std::string, T, std::less<>>& all, std::string_view name) {
  const auto at = all.find(name);
  return at == all.end() ? nullptr : &at->second;
}

}  // namespace

// ---- claims and volumes ----

VolumeRoom::ClaimEntry& VolumeRoom::entry(std::string_view key) {
  const auto at = claims_.find(key);
  return at == claims_.end() ? claims_.emplace(key, ClaimEntry{}).first->second : at->second;
}

void VolumeRoom::drop_if_unused(std::string_view key) {
  const auto at = claims_.find(key);
  if (at == claims_.end()) return;
  const ClaimEntry& of = at->second;
  if (!of.claim && of.users.empty() && of.volumes.empty()) claims_.erase(at);
}

void VolumeRoom::put(VolumeClaim claim) {
  ++changes_;
  const std::string key = key_of(claim);
  ClaimEntry& of = entry(key);
  if (!of.claim) ++known_claims_;
  // A controller decides which ephemeral users count.
  count_all(of, -1);
  of.claim = std::move(claim);
  count_all(of, 1);
  recount(key);
}

void VolumeRoom::remove_claim(std::string_view key) {
  ++changes_;
  const auto at = claims_.find(key);
  if (at == claims_.end() || !at->second.claim) return;
  count_all(at->second, -1);
  at->second.claim.reset();
  --known_claims_;
  count_all(at->second, 1);
  recount(key);
  drop_if_unused(key);
}

void VolumeRoom::put(PersistentVolume volume) {
  ++changes_;
  remove_volume(volume.name);
  const std::string name = volume.name;
  const PersistentVolume& kept = volumes_[name] = std::move(volume);
  file(kept, true);
  if (!kept.claim) return;
  const std::string key = claim_key(kept.claim->ns, kept.claim->name);
  insert_sorted(entry(key).volumes, name);
  recount(key);
}

void VolumeRoom::remove_volume(std::string_view name) {
  ++changes_;
  const auto at = volumes_.find(name);
  if (at == volumes_.end()) return;
  file(at->second, false);
  const auto ref = at->second.claim;
  volumes_.erase(at);
  if (!ref) return;
  const std::string key = claim_key(ref->ns, ref->name);
  erase_sorted(entry(key).volumes, name);
  recount(key);
  drop_if_unused(key);
}

void VolumeRoom::file(const PersistentVolume& volume, bool comes) {
  if (!volume.is_available || volume.is_terminating || volume.claim) return;
  ClassVolumes& of = by_class_[volume.storage_class];
  const std::pair<std::int64_t, std::string> entry(volume.capacity, volume.name);
  if (comes) {
    of.available.add(filed_by(volume), entry);
  } else {
    of.available.remove(filed_by(volume), entry);
    if (of.available.empty()) by_class_.erase(volume.storage_class);
  }
}

void VolumeRoom::put(StorageClass storage_class) {
  ++changes_;
  const std::string name = storage_class.name;
  const StorageClass* known = this->storage_class(name);
  const bool counts_alike = known != nullptr && known->provisioner == storage_class.provisioner;
  classes_[name] = std::move(storage_class);
  if (!counts_alike) recount_class(name);
}

void VolumeRoom::remove_class(std::string_view name) {
  ++changes_;
  const auto at = classes_.find(name);
  if (at == classes_.end()) return;
  classes_.erase(at);
  recount_class(name);
}

void VolumeRoom::recount_class(std::string_view storage_class) {
  for (const auto& [key, of] : claims_) {
    if (of.claim && of.claim->storage_class == storage_class) recount(key);
  }
}

void VolumeRoom::put(CsiNode node) {
  ++changes_;
  remove_csi_node(node.name);
  for (const auto& [driver, limit] : node.limits) ++limits_[driver];
  const std::string name = node.name;
  csi_nodes_[name] = std::move(node);
}
void VolumeRoom::remove_csi_node(std::string_view name) {
  ++changes_;
  const auto at = csi_nodes_.find(name);
  if (at == csi_nodes_.end()) return;
  for (const auto& [driver, limit] : at->second.limits) {
    const auto nodes = limits_.find(driver);
    if (--nodes->second == 0) limits_.erase(nodes);
  }
  csi_nodes_.erase(at);
}

void VolumeRoom::put(CsiDriver driver) {
  ++changes_;
  const std::string name = driver.name;
  drivers_[name] = std::move(driver);
}
void VolumeRoom::remove_driver(std::string_view name) {
  ++changes_;
  if (const auto at = drivers_.find(name); at != drivers_.end()) drivers_.erase(at);
}

void VolumeRoom::put(StorageCapacity capacity) {
  ++changes_;
  const std::string key = claim_key(capacity.ns, capacity.name);
  remove_capacity(key);
  file_capacity(capacity, true);
  capacities_[key] = std::move(capacity);
}
void VolumeRoom::remove_capacity(std::string_view key) {
  ++changes_;
  const auto at = capacities_.find(key);
  if (at == capacities_.end()) return;
  file_capacity(at->second, false);
  capacities_.erase(at);
}

void VolumeRoom::file_capacity(const StorageCapacity& capacity, bool comes) {
  if (!capacity.nodes || !capacity.largest) return;
  const auto by = filed_by(capacity);
  const std::string key = claim_key(capacity.ns, capacity.name);
  LabelledIndex<std::string>& index = capacities_by_class_[capacity.storage_class];
  if (comes) {
    index.add(by ? &*by : nullptr, key);
  } else {
    index.remove(by ? &*by : nullptr, key);
    if (index.empty()) capacities_by_class_.erase(capacity.storage_class);
  }
}

void VolumeRoom::put_all(const VolumeObjects& objects) {
  for (const auto& each : objects.classes) put(each);
  for (const auto& each : objects.claims) put(each);
  for (const auto& each : objects.volumes) put(each);
  for (const auto& each : objects.csi_nodes) put(each);
  for (const auto& each : objects.drivers) put(each);
  for (const auto& each : objects.capacities) put(each);
}

// ---- pods ----

void VolumeRoom::add(const Pod& pod, std::string_view node, bool is_nominated) {
  if (pod.placement.claims.empty()) return;
  const std::string key = key_of(pod);
  if (users_.contains(key)) remove(pod);
  User& user = users_[key];
  user = {.uid = pod.uid, .node = std::string(node), .is_nominated = is_nominated};
  for (const PodClaim& each : pod.placement.claims) {
    std::string name = claim_key(pod.ns, each.name);
    if (std::ranges::find(user.claims, name) != user.claims.end()) continue;
    user.claims.push_back(std::move(name));
    user.is_ephemeral.push_back(each.is_ephemeral);
  }
  for (const std::string& each : user.claims) {
    ClaimEntry& of = entry(each);
    insert_sorted(of.users, key);
    if (of.counted != 0 && counts_for(of, user, each)) count(user, of.counted, 1);
  }
}

void VolumeRoom::remove(const Pod& pod) {
  const auto at = users_.find(key_of(pod));
  if (at == users_.end()) return;
  const User user = std::move(at->second);
  for (const std::string& each : user.claims) {
    ClaimEntry& of = entry(each);
    if (of.counted != 0 && counts_for(of, user, each)) count(user, of.counted, -1);
    erase_sorted(of.users, at->first);
    drop_if_unused(each);
  }
  users_.erase(at);
}

// ---- the volumes of CSI drivers, as nodes count them ----

bool VolumeRoom::counts_for(const ClaimEntry& of, const User& user, std::string_view claim) const {
  if (user.is_nominated || !of.claim) return false;
  const auto at = std::ranges::find(user.claims, claim);
  const bool is_ephemeral = user.is_ephemeral[static_cast<std::size_t>(at - user.claims.begin())];
  return !is_ephemeral || of.claim->controller_uid == user.uid;
}

void VolumeRoom::count(const User& user, std::uint32_t number, int sign) {
  NodeUse& node = nodes_[user.node];
  std::size_t& users = node.users[number];
  const std::string& driver = csi_volumes_[number].volume.driver;
  if (sign > 0) {
    if (users++ == 0) ++node.by_driver[driver];
    return;
  }
  if (--users > 0) return;
  node.users.erase(number);
  const auto at = node.by_driver.find(driver);
  if (--at->second == 0) node.by_driver.erase(at);
  if (node.users.empty()) nodes_.erase(user.node);
}

void VolumeRoom::count_all(const ClaimEntry& of, int sign) {
  if (of.counted == 0 || !of.claim) return;
  const std::string key = key_of(*of.claim);
  for (const std::string& each : of.users) {
    const User& user = users_.find(each)->second;
    if (counts_for(of, user, key)) count(user, of.counted, sign);
  }
}

void VolumeRoom::recount(std::string_view key) {
  const auto at = claims_.find(key);
  if (at == claims_.end()) return;
  ClaimEntry& of = at->second;
  const auto as = of.claim ? csi_volume_of(*of.claim) : std::nullopt;
  const std::uint32_t before = of.counted;
  if (before == 0 && !as) return;
  if (before != 0 && as && csi_volumes_[before].volume == *as) return;
  count_all(of, -1);
  of.counted = as ? hold_csi(*as) : 0;
  count_all(of, 1);
  if (before != 0) release_csi(before);
}

std::uint32_t VolumeRoom::hold_csi(const CsiVolume& volume) {
  auto& number = csi_numbers_[volume];
  if (number == 0) {
    if (free_csi_.empty()) {
      number = static_cast<std::uint32_t>(csi_volumes_.size());
      csi_volumes_.emplace_back();
    } else {
      number = free_csi_.back();
      free_csi_.pop_back();
    }
    csi_volumes_[number].volume = volume;
  }
  ++csi_volumes_[number].claims;
  return number;
}

void VolumeRoom::release_csi(std::uint32_t number) {
  CsiEntry& of = csi_volumes_[number];
  if (--of.claims > 0) return;
  csi_numbers_.erase(of.volume);
  of = {};
  free_csi_.push_back(number);
}

// Source: kube-scheduler nodevolumelimits/csi.go, getCSIDriverInfo.
std::optional<CsiVolume> VolumeRoom::csi_volume_of(const VolumeClaim& claim) const {
  const PersistentVolume* bound = claim.volume.empty() ? nullptr : volume(claim.volume);
  if (bound != nullptr && bound->claim && refers_to(*bound->claim, claim)) {
    if (bound->driver.empty() || bound->handle.empty()) return std::nullopt;
    return CsiVolume{.driver = bound->driver, .handle = bound->handle};
  }
  const StorageClass* of = storage_class(claim.storage_class);
  if (of == nullptr || !of->provisions()) return std::nullopt;
  return CsiVolume{.driver = of->provisioner, .handle = std::string(kNotMadeYet) + key_of(claim)};
}

std::uint32_t VolumeRoom::csi_number(const CsiVolume& volume) const {
  const auto at = csi_numbers_.find(volume);
  return at == csi_numbers_.end() ? 0 : at->second;
}

std::int64_t VolumeRoom::used_on(std::string_view node, std::string_view driver) const {
  const NodeUse* use = find_in(nodes_, node);
  if (use == nullptr) return 0;
  const std::int64_t* count = find_in(use->by_driver, driver);
  return count == nullptr ? 0 : *count;
}

bool VolumeRoom::uses(std::string_view node, std::uint32_t number) const {
  const NodeUse* use = find_in(nodes_, node);
  return use != nullptr && use->users.contains(number);
}

std::vector<std::uint32_t> VolumeRoom::csi_numbers_of(std::string_view pod) const {
  std::vector<std::uint32_t> numbers;
  const User* user = find_in(users_, pod);
  if (user == nullptr) return numbers;
  // A nominated pod counts as if it were on the node.
  User there = *user;
  there.is_nominated = false;
  for (const std::string& each : user->claims) {
    const ClaimEntry& of = claims_.find(each)->second;
    if (of.counted != 0 && counts_for(of, there, each)) numbers.push_back(of.counted);
  }
  return numbers;
}

// ---- assumed ----

void VolumeRoom::assume_bound(std::string_view volume, const VolumeClaim& claim) {
  take_back_bound(volume);
  assumed_bound_[std::string(volume)] = {.ns = claim.ns, .name = claim.name, .uid = claim.uid};
  assumed_for_.emplace(key_of(claim), volume);
}
void VolumeRoom::assume_selected(std::string_view claim, std::string_view node) {
  assumed_selected_[std::string(claim)] = node;
}
void VolumeRoom::take_back_bound(std::string_view volume) {
  const auto at = assumed_bound_.find(volume);
  if (at == assumed_bound_.end()) return;
  assumed_for_.erase({claim_key(at->second.ns, at->second.name), std::string(volume)});
  assumed_bound_.erase(at);
}
void VolumeRoom::take_back_selected(std::string_view claim) {
  const auto at = assumed_selected_.find(claim);
  if (at != assumed_selected_.end()) assumed_selected_.erase(at);
}

const ClaimRef* VolumeRoom::claim_of(const PersistentVolume& volume) const {
  if (const ClaimRef* assumed = find_in(assumed_bound_, volume.name)) return assumed;
  return volume.claim ? &*volume.claim : nullptr;
}

const std::string* VolumeRoom::selected_node(const VolumeClaim& claim) const {
  if (!assumed_selected_.empty()) {
    if (const std::string* assumed = find_in(assumed_selected_, key_of(claim))) return assumed;
  }
  return claim.selected_node ? &*claim.selected_node : nullptr;
}

// ---- what decisions read ----

const VolumeClaim* VolumeRoom::claim(std::string_view key) const {
  const ClaimEntry* of = find_in(claims_, key);
  return of == nullptr || !of->claim ? nullptr : &*of->claim;
}
const PersistentVolume* VolumeRoom::volume(std::string_view name) const {
  return find_in(volumes_, name);
}
const StorageClass* VolumeRoom::storage_class(std::string_view name) const {
  return find_in(classes_, name);
}
const CsiDriver* VolumeRoom::driver(std::string_view name) const { return find_in(drivers_, name); }
const CsiNode* VolumeRoom::csi_node(std::string_view name) const {
  return find_in(csi_nodes_, name);
}

std::vector<std::string> VolumeRoom::users_of(std::string_view claim) const {
  std::vector<std::string> pods;
  const ClaimEntry* of = find_in(claims_, claim);
  if (of == nullptr) return pods;
  for (const std::string& each : of->users) {
    if (!users_.find(each)->second.is_nominated) pods.push_back(each);
  }
  return pods;
}

std::string_view VolumeRoom::node_of(std::string_view pod) const {
  const User* user = find_in(users_, pod);
  return user == nullptr || user->is_nominated ? std::string_view() : std::string_view(user->node);
}

std::span<const std::string> VolumeRoom::claims_of(std::string_view pod) const {
  const User* user = find_in(users_, pod);
  return user == nullptr ? std::span<const std::string>() : std::span(user->claims);
}

std::vector<std::string> VolumeRoom::volumes_for(std::string_view claim) const {
  std::vector<std::string> names;
  if (const ClaimEntry* of = find_in(claims_, claim)) names = of->volumes;
  const std::string key(claim);
  for (auto at = assumed_for_.lower_bound({key, ""}); at != assumed_for_.end(); ++at) {
    if (at->first != key) break;
    insert_sorted(names, at->second);
  }
  return names;
}

std::vector<const VolumeRoom::BySize*> VolumeRoom::available(std::string_view storage_class,
                                                             const Labels& node) const {
  const ClassVolumes* of = find_in(by_class_, storage_class);
  return of == nullptr ? std::vector<const BySize*>() : of->available.sets_for(node);
}

bool VolumeRoom::has_capacity(std::string_view storage_class, std::int64_t size,
                              const Labels& node) const {
  const LabelledIndex<std::string>* index = find_in(capacities_by_class_, storage_class);
  if (index == nullptr) return false;
  for (const std::set<std::string>* keys : index->sets_for(node)) {
    for (const std::string& each : *keys) {
      const StorageCapacity& capacity = capacities_.find(each)->second;
      if (*capacity.largest >= size && matches(*capacity.nodes, node)) return true;
    }
  }
  return false;
}

}  // namespace elbowroom::policy
