// A picture of a node's room: who holds it now, and then, when a resize is allocated and the pods
// that go for it are gone.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::cli {

// An SVG document. `decision`: a ResizeDecision. A bar for each of two moments and each resource; a
// pod's name is in the tooltip of its part, and beside it where it has the room. Names are
// sanitized. At most the 200 largest holders are told apart.
[[nodiscard]] std::string room_picture(const Value& decision);

}  // namespace elbowroom::cli
