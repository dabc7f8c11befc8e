// The eviction subresource of pods: a delete that the PodDisruptionBudget of the pod must allow.
// Source: kubernetes pkg/registry/core/pod/storage/eviction.go.
#pragma once

#include <chrono>
#include <optional>
#include <string>

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

// Why a PodDisruptionBudget is in the way, in the server's words.
struct EvictionRefusal {
  std::string why{};
  bool passes = true;  // the passing of time may help; false: several budgets cover the pod
  std::chrono::milliseconds retry_after{0};  // what the server asks for; 0: nothing
};
// Of the answer to an eviction; none: it succeeded, or failed for another reason.
[[nodiscard]] std::optional<EvictionRefusal> refusal_in(const Response& answer);

}  // namespace elbowroom::api
