// The eviction subresource of pods: a delete that the PodDisruptionBudget of the pod must allow.
// Source: kubernetes pkg/registry/core/pod/storage/eviction.go.
#pragma once

#include <chrono>
#include <optional>

#include "api/codec/object_ref.h"
#include "api/transport/http.h"
#include "base/result.h"

namespace elbowroom::api {

struct EvictionOptions {
  std::optional<std::chrono::seconds> grace{};  // none: the pod's own
  bool dry_run = false;                         // asks, and changes nothing
};

// The uid is always a precondition. Beware: the server charges the budget before it looks at the
// uid, so read the pod just before. Internal: the ref has no namespace, name or uid.
[[nodiscard]] Result<Request> eviction_request(const ObjectRef& pod,
                                               const EvictionOptions& options);

}  // namespace elbowroom::api
