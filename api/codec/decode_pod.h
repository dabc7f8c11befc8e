// A Pod of the API as the value for decisions. Unknown fields are ignored, but every number, time
// and quantity is checked, and an error names pod and field. Only placement terms never cause an
// error.
#pragma once

#include "api/codec/container_fields.h"
#include "api/codec/decode_placement.h"
#include "api/codec/field.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// Invalid, in addition to wrong types and amounts: no metadata.name, no metadata.uid on a pod that
// has a node (otherwise the key replaces the uid), no containers, a container without a name or
// with a duplicate name, totals of requests that exceed 64 bits. A missing request with a limit is
// set to the limit, as in the API server.
[[nodiscard]] Result<policy::Pod> decode_pod(const Value& object);

// Whether to read the placement terms. Programs that never place pods do not need them.
enum class Terms : std::uint8_t { Skipped, Read };

struct PodReading {
  Source source = Source::File;
  Terms terms = Terms::Read;
  UnreadableTerms* odd = nullptr;         // receives the unreadable terms
  const ContainerParts* parts = nullptr;  // containers and statuses that are not in the tree
};

// The same with these options. For pods from a server, prefer decode_cluster_pod.h.
[[nodiscard]] Result<policy::Pod> decode_pod_as(const PodReading& reading, const Value& object);

}  // namespace elbowroom::api
