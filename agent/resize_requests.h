// What a resize asks for, counted as kubelet's container_requested_resizes_total does. The one
// thing to know: one change is one container's request or limit of cpu or memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "policy/pod.h"

namespace elbowroom::agent {

// By RESOURCE/REQUIREMENT/OPERATION: cpu or memory; requests or limits; increase, decrease, add or
// remove.
using ResizeRequests = std::map<std::string, std::uint64_t>;

// Adds what the pod desires other than it is allocated, container by container.
void count_requests(const policy::Pod& view, ResizeRequests& counts);

}  // namespace elbowroom::agent
