// A reference to an object: namespace, name and uid. The uid is the identity; every write to a pod
// carries it.
#pragma once

#include <string>

#include "base/document.h"

namespace elbowroom::api {

struct ObjectRef {
  std::string ns{};  // "" for cluster-scoped objects
  std::string name{};
  std::string uid{};

  friend auto operator<=>(const ObjectRef&, const ObjectRef&) = default;
};

// From metadata. Members that are missing or not strings stay "".
[[nodiscard]] ObjectRef ref_of(const Value& object);

// "NAMESPACE/NAME", or "NAME" without a namespace.
[[nodiscard]] std::string to_string(const ObjectRef& ref);

}  // namespace elbowroom::api
