#include "lab/apiserver/route.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "lab/apiserver/scale.h"

namespace elbowroom::lab {
namespace {

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty() && parts.size() <= 8) {
    const std::size_t slash = path.find('/');
    if (const auto part = path.substr(0, slash); !part.empty()) parts.push_back(part);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return parts;
}

bool has_subresource(const Kind& kind, std::string_view subresource) {
  if (subresource.empty()) return true;
  if (subresource == "status") return kind.has_status;
  if (subresource == "scale") return has_scale(kind);
  constexpr std::array kOfPods{std::string_view("resize"), std::string_view("binding"),
                               std::string_view("eviction")};
  return kind.name == "Pod" && std::ranges::count(kOfPods, subresource) > 0;
}

}  // namespace

std::optional<Route> parse_route(std::string_view path, GroupVersions groups) {
  const auto parts = split(path);
  std::span<const std::string_view> rest(parts);
  std::string_view group;
  if (rest.size() >= 2 && rest[0] == "api") {
    rest = rest.subspan(1);
  } else if (rest.size() >= 3 && rest[0] == "apis") {
    group = rest[1];
    rest = rest.subspan(2);
  } else {
    return std::nullopt;
  }
  const std::string_view version = rest[0];
  rest = rest.subspan(1);

  Route route;
  if (rest.size() >= 3 && rest[0] == "namespaces" &&
      find_kind(group, version, rest[2]) != nullptr) {
    route.ns = rest[1];
    rest = rest.subspan(2);
  }
  if (rest.empty() || rest.size() > 3) return std::nullopt;
  route.kind = find_kind(group, version, rest[0]);
  if (route.kind == nullptr || !is_served(*route.kind, groups)) return std::nullopt;
  if (rest.size() >= 2) route.name = rest[1];
  if (rest.size() == 3) route.subresource = rest[2];
  const bool named_without_namespace =
      route.kind->namespaced && route.ns.empty() && !route.name.empty();
  const bool namespace_without_need = !route.kind->namespaced && !route.ns.empty();
  if (named_without_namespace || namespace_without_need) return std::nullopt;
  if (!has_subresource(*route.kind, route.subresource)) return std::nullopt;
  return route;
}

}  // namespace elbowroom::lab
