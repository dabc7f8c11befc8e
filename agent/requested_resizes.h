// Counts requested resizes, as kubelet's container_requested_resizes_total does. One change is one
// container's request or limit of cpu or memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "policy/model/pod.h"

namespace elbowroom::agent {

// By RESOURCE/REQUIREMENT/OPERATION: cpu or memory; requests or limits; increase, decrease, add or
// remove.
using RequestedResizes = std::map<std::string, std::uint64_t>;

// Adds the differences between the pod's desired and allocated amounts, container by container.
void count_requests(const policy::Pod& view, RequestedResizes& counts);

}  // namespace elbowroom::agent
