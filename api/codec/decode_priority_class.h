// A PriorityClass of the API (scheduling.k8s.io/v1). API servers resolve classes when they admit a
// pod, so this matters only for manifests that no API server has admitted.
#pragma once

#include <cstdint>
#include <string>

#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

struct PriorityClass {
  std::string name{};
  std::int32_t value = 0;
  bool global_default = false;
  bool never_preempts = false;  // preemptionPolicy: Never

  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

// Invalid: no metadata.name, a value that is missing or outside 32 bits, an unknown
// preemptionPolicy.
[[nodiscard]] Result<PriorityClass> decode_priority_class(const Value& object);

}  // namespace elbowroom::api
