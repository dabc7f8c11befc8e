// Owners and their dependants, as controllers see them. Objects are handles to what the world holds
// at that moment, so they stay valid while the world changes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "lab/world/object.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

using Dependants =
    std::map<std::string, std::vector<Object>, std::less<>>;  // by kind and uid of the owner

// "deployments" of apps/v1, ...
[[nodiscard]] const Kind& controller_kind(std::string_view plural);
[[nodiscard]] const Kind& controlled_pods();

// All objects of the kind, by namespace and name.
[[nodiscard]] std::vector<Object> stored_objects(const World& world, const Kind& kind);
// The wanted ones: the others are passed without a copy.
[[nodiscard]] std::vector<Object> stored_objects(const World& world, const Kind& kind,
                                                 const std::function<bool(const Json&)>& is_wanted);
// Those that have a controller.
[[nodiscard]] Dependants controlled_objects(const World& world, const Kind& kind);
[[nodiscard]] const std::vector<Object>& dependants_of(const Dependants& all, const Json& owner);

// The reference with controller: true in metadata.ownerReferences, or nullptr.
[[nodiscard]] const Json* controller_of(const Json& object);
// A reference to the owner as the controller.
[[nodiscard]] Json controller_reference(const Kind& kind, const Json& owner);

[[nodiscard]] bool is_leaving(const Json& object);  // it has a deletionTimestamp
[[nodiscard]] std::int64_t desired_replicas(const Json& object);
[[nodiscard]] Target target_of(const Kind& kind, const Json& object,
                               Subresource part = Subresource::None);

// Each returns whether the world changed; what the API server refuses changes nothing.
bool write_object(World& world, const Kind& kind, Json object);
// Replaces the status, if it differs.
bool write_status(World& world, const Kind& kind, Json object, Json status);
// With the uid as precondition.
bool remove_object(World& world, const Kind& kind, const Json& object);

// Leaves a count of 0 out, as Go's omitempty does.
void put_count(Json& status, const char* name, std::int64_t count);

}  // namespace elbowroom::lab
