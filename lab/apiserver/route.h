// What the path of a request to the API server means. Only the shape is looked at here; whether the
// object exists is the world's answer.
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
  std::string subresource{};  // "status", "resize", "binding", "eviction", or ""

  friend bool operator==(const Route&, const Route&) = default;
};

// Of "/api/v1/namespaces/NS/pods/NAME/status" and its like; nothing where the cluster serves no
// such thing.
[[nodiscard]] std::optional<Route> parse_route(std::string_view path);

}  // namespace elbowroom::lab
