// The name of an object as users write it; `ns` is "" for kinds without namespaces.
#pragma once

#include <string>

namespace elbowroom::cli {

struct ObjectName {
  std::string ns{};
  std::string name{};
};

// "NAMESPACE/NAME", for kinds with namespaces.
[[nodiscard]] inline std::string key_of(const ObjectName& object) {
  return object.ns + "/" + object.name;
}

}  // namespace elbowroom::cli
