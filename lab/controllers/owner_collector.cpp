#include "lab/controllers/owner_collector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lab/controllers/owned_objects.h"

namespace elbowroom::lab {
namespace {

bool is_collected(const Kind& kind) {
  return kind.group == "apps" || kind.name == "Pod" || kind.name == "PersistentVolumeClaim";
}

const Kind& kind_at(std::size_t index) { return all_kinds()[index]; }

std::size_t index_of(const Kind& kind) {
  return static_cast<std::size_t>(&kind - all_kinds().data());
}

bool is_gone(const World& world, const Json& owner, const std::string& ns) {
  const Kind* kind = find_kind_of(text_at(owner, {"apiVersion"}), text_at(owner, {"kind"}));
  if (kind == nullptr) return false;
  const Json* there =
      world.peek(stored_kind(*kind), kind->namespaced ? ns : "", text_at(owner, {"name"}));
  return there == nullptr || text_at(*there, {"metadata", "uid"}) != text_at(owner, {"uid"});
}

bool is_abandoned(const World& world, const Json& object) {
  const Json& owners = list_at(object, {"metadata", "ownerReferences"});
  const std::string ns = text_at(object, {"metadata", "namespace"});
  return !owners.empty() && !is_leaving(object) &&
         std::ranges::all_of(owners, [&](const Json& owner) { return is_gone(world, owner, ns); });
}

}  // namespace

void OwnerCollector::read_owners(const Place& place) {
  const auto& [index, ns, name] = place;
  for (const Place& owner : std::exchange(owners_[place], {})) {
    const auto entry = dependants_.find(owner);
    entry->second.erase(place);
    if (entry->second.empty()) dependants_.erase(entry);
  }
  std::vector<Place> owners;
  if (const Json* object = world_.peek(kind_at(index), ns, name)) {
    for (const Json& owner : list_at(*object, {"metadata", "ownerReferences"})) {
      const Kind* kind = find_kind_of(text_at(owner, {"apiVersion"}), text_at(owner, {"kind"}));
      if (kind == nullptr) continue;
      Place of{index_of(stored_kind(*kind)), kind->namespaced ? ns : "", text_at(owner, {"name"})};
      if (std::ranges::find(owners, of) == owners.end()) owners.push_back(std::move(of));
    }
  }
  for (const Place& owner : owners) dependants_[owner].insert(place);
  if (owners.empty()) {
    owners_.erase(place);
  } else {
    owners_[place] = std::move(owners);
    open_.insert(place);
  }
}

void OwnerCollector::begin_again() {
  owners_.clear();
  dependants_.clear();
  open_.clear();
  for (const Kind& kind : all_kinds()) {
    if (!is_collected(kind)) continue;
    for (const Json* object : world_.all_stored_objects(kind)) {
      read_owners({index_of(kind), text_at(*object, {"metadata", "namespace"}),
                   text_at(*object, {"metadata", "name"})});
    }
  }
}

void OwnerCollector::follow_changes() {
  for (const Kind& kind : all_kinds()) {
    if (&stored_kind(kind) != &kind || world_.last_change(kind) <= seen_) continue;
    const auto changes = world_.changed_after(kind, seen_);
    if (!changes) return begin_again();
    for (const ChangedObject& change : *changes) {
      const Place place{index_of(kind), change.ns, change.name};
      if (is_collected(kind)) read_owners(place);
      if (const auto found = dependants_.find(place); found != dependants_.end()) {
        open_.insert(found->second.begin(), found->second.end());
      }
    }
  }
}

ControllerStep OwnerCollector::step() {
  follow_changes();
  seen_ = world_.version();
  ControllerStep step;
  for (const auto& [index, ns, name] : std::exchange(open_, {})) {
    const Object* found = world_.find_stored_object(kind_at(index), ns, name);
    if (found == nullptr || !is_abandoned(world_, *found)) continue;
    const Object object = *found;
    step.changed = remove_object(world_, kind_at(index), object) || step.changed;
  }
  return step;
}

}  // namespace elbowroom::lab
