// A Pod of the API as the value that policy decides on. Unknown fields are passed over, but every
// number, time and quantity is checked, and an error names pod and field; only a term of placement
// is never an error.
#pragma once

#include "api/codec/container_fields.h"
#include "api/codec/decode_placement.h"
#include "api/codec/field.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// Invalid, beside wrong types and amounts: no metadata.name, no metadata.uid on a pod that has a
// node (a pod without one is then named by its key), no containers, a container without a name or
// with a name twice, totals of requests that leave 64 bits. Requests that are left out where there
// is a limit are the limit, as the API server fills them in.
[[nodiscard]] Result<policy::Pod> decode_pod(const Value& object);

// Are the terms of placement read? Who never places needs none of them.
enum class Terms : std::uint8_t { Skipped, Read };

struct PodReading {
  Source source = Source::File;
  Terms terms = Terms::Read;
  OddTerms* odd = nullptr;                // takes the terms that cannot be understood
  const ContainerParts* parts = nullptr;  // containers and statuses that are not in the tree
};

// The same, read so. What a server gave is nearly always better read by decode_cluster_pod.h.
[[nodiscard]] Result<policy::Pod> decode_pod_as(const PodReading& reading, const Value& object);

}  // namespace elbowroom::api
