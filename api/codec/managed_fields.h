// Who wrote into an object, by its metadata.managedFields. Anybody may write under any name, so it
// tells of programs that mean well and get in each other's way.
#pragma once

#include <optional>
#include <string_view>

#include "base/document.h"
#include "policy/model/time.h"

namespace elbowroom::api {

// When the manager of that name last set something in the object's status, by the API server's
// clock; nullopt where it never did, or the object does not say. What it only took away does not
// show. Of hostile lists no more than the first hundred entries are read.
[[nodiscard]] std::optional<policy::Time> status_written_by(const Value& object,
                                                            std::string_view manager);

}  // namespace elbowroom::api
