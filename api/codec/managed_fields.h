// Which programs wrote into an object, by its metadata.managedFields. Any client may write under
// any name, so this detects only well-meaning programs that conflict.
#pragma once

#include <optional>
#include <string_view>

#include "base/document.h"
#include "policy/model/time.h"

namespace elbowroom::api {

// When the manager with that name last set something in the object's status, by the API server's
// clock. nullopt if it never did, or the object does not show it. Removals are not visible. Reads
// at most the first hundred entries.
[[nodiscard]] std::optional<policy::Time> status_written_by(const Value& object,
                                                            std::string_view manager);

}  // namespace elbowroom::api
