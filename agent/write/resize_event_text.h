// The texts of resize events in the kubelet's format: a sentence and one JSON object. Scripts parse
// them, so prefix, keys and their order are fixed.
#pragma once

#include <string>
#include <string_view>

#include "policy/model/pod.h"

namespace elbowroom::agent {

// Returns `PREFIX: {"resources":{...},"initContainers":[...],"containers":[...],"generation":N,
// "error":"..."}`. Empty parts are omitted, and so are the pod's own resources if it has none.
// Source: kubelet allocation, resize events (1.35 tests); `resources` is ours.
[[nodiscard]] std::string resize_event_text(std::string_view prefix, const policy::Pod& pod,
                                            std::int64_t generation, std::string_view error);

}  // namespace elbowroom::agent
