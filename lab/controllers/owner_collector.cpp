#include "lab/controllers/owner_collector.h"

#include <algorithm>
#include <vector>

#include "lab/controllers/owned_objects.h"

namespace elbowroom::lab {
namespace {

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

ControllerStep step_owner_collector(World& world) {
  ControllerStep step;
  for (const Kind& kind : all_kinds()) {
    if (kind.group != "apps" && kind.name != "Pod") continue;
    const auto abandoned = stored_objects(
        world, kind, [&](const Json& object) { return is_abandoned(world, object); });
    for (const Object& object : abandoned) {
      step.changed = remove_object(world, kind, object) || step.changed;
    }
  }
  return step;
}

}  // namespace elbowroom::lab
