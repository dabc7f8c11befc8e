// Parses the path of a request to the API server. It checks only the shape; the world checks
// whether the object exists.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/world/kind.h"

namespace elbowroom::lab {

struct Route {
  const Kind* kind = nullptr;
  std::string ns{};           // "" for cluster scope and for all namespaces
  std::string name{};         // "" for the collection
  std::string subresource{};  // "status", "resize", "scale", "binding", "eviction", or ""

  friend bool operator==(const Route&, const Route&) = default;
};

// Parses "/api/v1/namespaces/NS/pods/NAME/status" and similar paths; nothing if the cluster serves
// no such resource. Pod groups and workloads are served in the given versions.
[[nodiscard]] std::optional<Route> parse_route(std::string_view path,
                                               GroupVersions groups = GroupVersions::All);

}  // namespace elbowroom::lab
