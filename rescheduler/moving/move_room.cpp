#include "rescheduler/moving/move_room.h"

#include <utility>

#include "api/codec/decode_selecting.h"
#include "control/listed.h"
#include "policy/moves/movable.h"

namespace elbowroom::rescheduler {
namespace {

std::string place_of(std::string_view kind, std::string_view key) {
  return std::string(kind) + " " + std::string(key);
}

void note(MoveRoom::KeysByNode& of, const policy::Pod& pod, bool comes) {
  std::set<std::string>& keys = of[pod.node];
  comes ? void(keys.insert(policy::key_of(pod))) : void(keys.erase(policy::key_of(pod)));
  if (keys.empty()) of.erase(pod.node);
}

}  // namespace

void MoveRoom::put(const policy::Node& node) {
  ++version_;
  room_.put(node);
}

void MoveRoom::remove_node(std::string_view name) {
  ++version_;
  room_.remove_node(name);
}

void MoveRoom::put(const policy::Namespace& seen) {
  ++version_;
  room_.put_namespace(seen.name, seen.labels);
}

void MoveRoom::remove_namespace(const std::string& name) {
  ++version_;
  room_.remove_namespace(name);
}

void MoveRoom::apply(const cluster::PodEvent& event) {
  if (event.before) {
    room_.remove(*event.before);
    follow(*event.before, false);
    count_replica(*event.before, false);
  }
  if (event.after) {
    room_.add(*event.after);
    follow(*event.after, true);
    count_replica(*event.after, true);
  }
  if (event.before || event.after) ++version_;
}

void MoveRoom::follow(const policy::Pod& pod, bool comes) {
  if (pod.node.empty()) return;
  if (!pod.placement.preferred_nodes.empty()) note(preferring_, pod, comes);
  if (policy::is_restless({&pod, 1})) note(marked_, pod, comes);
}

void MoveRoom::count_replica(const policy::Pod& pod, bool comes) {
  if (!pod.controller || pod.node.empty()) return;
  auto replica = policy::replica_of(pod);
  if (!replica) return;
  if (comes) return replicas_[pod.controller->uid].push_back(*std::move(replica));
  const auto at = replicas_.find(pod.controller->uid);
  if (at == replicas_.end()) return;
  std::erase_if(at->second, [&](const policy::Replica& each) { return each.key == replica->key; });
  if (at->second.empty()) replicas_.erase(at);
}

std::vector<policy::Replica> MoveRoom::replicas_of(std::string_view controller) const {
  const auto at = replicas_.find(controller);
  return at == replicas_.end() ? std::vector<policy::Replica>{} : at->second;
}

void MoveRoom::saw(const cluster::PackedPod& packed) {
  if (!packed.node().empty()) return gone(packed.key());
  const policy::Pod pod = packed.unpacked();
  const bool waits = pod.phase == policy::Phase::Pending && !pod.deletion;
  if (!waits) return gone(packed.key());
  ++version_;
  pending_.insert_or_assign(std::string(packed.key()), packed);
}

void MoveRoom::gone(std::string_view key) {
  const auto at = pending_.find(key);
  if (at == pending_.end()) return;
  ++version_;
  pending_.erase(at);
}

void MoveRoom::put(const policy::MoveOwner& owner) {
  const std::string place = place_of(owner.kind, owner.ns + "/" + owner.name);
  if (const auto known = owner_uids_.find(place); known != owner_uids_.end()) {
    if (known->second != owner.uid) owners_.erase(known->second);
  }
  owner_uids_.insert_or_assign(place, owner.uid);
  policy::MoveOwner& known = owners_[owner.uid];
  if (known == owner) return;
  ++version_;
  known = owner;
  if (const auto kind = api::selecting_kind_of(owner.kind)) {
    room_.selecting().put(
        {.kind = *kind, .ns = owner.ns, .name = owner.name, .selector = owner.selector});
  }
}

void MoveRoom::remove_owner(std::string_view kind, std::string_view key) {
  const auto at = owner_uids_.find(place_of(kind, key));
  if (at == owner_uids_.end()) return;
  ++version_;
  owners_.erase(at->second);
  owner_uids_.erase(at);
  if (const auto selecting = api::selecting_kind_of(kind)) {
    const auto [ns, name] = control::name_parts(key);
    room_.selecting().remove(*selecting, ns, name);
  }
}

std::vector<policy::Pod> MoveRoom::pending_with(std::string_view prefix) const {
  std::vector<policy::Pod> pods;
  for (auto at = pending_.lower_bound(prefix);
       at != pending_.end() && at->first.starts_with(prefix); ++at) {
    pods.push_back(at->second.unpacked());
  }
  return pods;
}

std::vector<std::string> MoveRoom::pending_keys() const {
  std::vector<std::string> keys;
  keys.reserve(pending_.size());
  for (const auto& [key, packed] : pending_) keys.push_back(key);
  return keys;
}

const policy::MoveOwner* MoveRoom::owner(std::string_view uid) const {
  const auto at = owners_.find(uid);
  return at == owners_.end() ? nullptr : &at->second;
}

std::vector<std::string> MoveRoom::owner_keys(std::string_view kind) const {
  std::vector<std::string> keys;
  const std::string prefix = place_of(kind, "");
  for (auto at = owner_uids_.lower_bound(prefix);
       at != owner_uids_.end() && at->first.starts_with(prefix); ++at) {
    keys.push_back(at->first.substr(prefix.size()));
  }
  return keys;
}

}  // namespace elbowroom::rescheduler
