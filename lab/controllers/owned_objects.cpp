#include "lab/controllers/owned_objects.h"

#include <utility>

namespace elbowroom::lab {
namespace {

constexpr const char* kManager = "kube-controller-manager";

// In a scenario objects of several kinds may have one uid.
std::string key_of_owner(const std::string& kind, const std::string& uid) {
  return kind + " " + uid;
}

Object handle_of(const World& world, const Kind& kind, const Json& stored) {
  return *world.find_stored_object(kind, text_at(stored, {"metadata", "namespace"}),
                                   text_at(stored, {"metadata", "name"}));
}

}  // namespace

const Kind& controller_kind(std::string_view plural) { return *find_kind("apps", "v1", plural); }
const Kind& controlled_pods() { return *find_kind("", "v1", "pods"); }

std::vector<Object> stored_objects(const World& world, const Kind& kind,
                                   const std::function<bool(const Json&)>& is_wanted) {
  std::vector<Object> objects;
  for (const Json* json : world.all_stored_objects(kind)) {
    if (is_wanted(*json)) objects.push_back(handle_of(world, kind, *json));
  }
  return objects;
}

std::vector<Object> stored_objects(const World& world, const Kind& kind) {
  return stored_objects(world, kind, [](const Json&) { return true; });
}

Dependants controlled_objects(const World& world, const Kind& kind) {
  Dependants all;
  for (const Json* json : world.all_stored_objects(kind)) {
    const Json* owner = controller_of(*json);
    if (owner == nullptr) continue;
    all[key_of_owner(text_at(*owner, {"kind"}), text_at(*owner, {"uid"}))].push_back(
        handle_of(world, kind, *json));
  }
  return all;
}

const std::vector<Object>& dependants_of(const Dependants& all, const Json& owner) {
  static const std::vector<Object> none;
  const auto found =
      all.find(key_of_owner(text_at(owner, {"kind"}), text_at(owner, {"metadata", "uid"})));
  return found == all.end() ? none : found->second;
}

const Json* controller_of(const Json& object) {
  for (const Json& owner : list_at(object, {"metadata", "ownerReferences"})) {
    if (truth_at(owner, {"controller"})) return &owner;
  }
  return nullptr;
}

Json controller_reference(const Kind& kind, const Json& owner) {
  return {{"apiVersion", api_version_of(kind)},
          {"kind", kind.name},
          {"name", text_at(owner, {"metadata", "name"})},
          {"uid", text_at(owner, {"metadata", "uid"})},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

bool is_leaving(const Json& object) {
  return present_at(object, {"metadata", "deletionTimestamp"});
}

std::int64_t desired_replicas(const Json& object) {
  return integer_at(object, {"spec", "replicas"}).value_or(1);
}

Target target_of(const Kind& kind, const Json& object, Subresource part) {
  return {.kind = &kind,
          .ns = text_at(object, {"metadata", "namespace"}),
          .name = text_at(object, {"metadata", "name"}),
          .subresource = part};
}

bool write_object(World& world, const Kind& kind, Json object) {
  const std::uint64_t before = world.version();
  (void)world.update(target_of(kind, object), object, {.manager = kManager});
  return world.version() != before;
}

bool write_status(World& world, const Kind& kind, Json object, Json status) {
  if (map_at(object, {"status"}) == status) return false;
  const std::uint64_t before = world.version();
  object["status"] = std::move(status);
  (void)world.update(target_of(kind, object, Subresource::Status), object, {.manager = kManager});
  return world.version() != before;
}

bool remove_object(World& world, const Kind& kind, const Json& object) {
  const std::uint64_t before = world.version();
  (void)world.remove(target_of(kind, object), {.uid = text_at(object, {"metadata", "uid"})});
  return world.version() != before;
}

void put_count(Json& status, const char* name, std::int64_t count) {
  if (count != 0) status[name] = count;
}

}  // namespace elbowroom::lab
