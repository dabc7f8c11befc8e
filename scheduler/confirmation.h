// Whether a pod still asks for the room that others are to go for, by what the API server itself
// answers. A watch may lag, most of all right after it was opened again; this answer does not.
#pragma once

#include <optional>
#include <string>

#include "policy/model/pod.h"
#include "scheduler/set_removal.h"

namespace elbowroom::scheduler {

// "" where the pod as it is `now` waits for the same resize on the same node and asks for the same
// room; else what has changed. `seen`: as it was when the set was chosen; nullopt: not known any
// more, which nobody has to be told here.
[[nodiscard]] std::string change_since(const Preemptor& whom,
                                       const std::optional<policy::Pod>& seen,
                                       const policy::Pod& now);

}  // namespace elbowroom::scheduler
