#include "api/transport/request_outcome.h"

#include <algorithm>
#include <array>

namespace elbowroom::api {
namespace {

constexpr std::array<std::string_view, 23> kResources = {"nodes",
                                                         "pods",
                                                         "poddisruptionbudgets",
                                                         "disruptionbudgets",
                                                         "events",
                                                         "leases",
                                                         "namespaces",
                                                         "podgroups",
                                                         "priorityclasses",
                                                         "discovery",
                                                         "version",
                                                         "services",
                                                         "replicationcontrollers",
                                                         "deployments",
                                                         "replicasets",
                                                         "statefulsets",
                                                         "configmaps",
                                                         "persistentvolumeclaims",
                                                         "persistentvolumes",
                                                         "storageclasses",
                                                         "csinodes",
                                                         "csidrivers",
                                                         "csistoragecapacities"};

// Removes and returns the next part of a path.
std::string_view take_part(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end);
  return part;
}

}  // namespace

RequestOutcome called(const Request& request) {
  std::string_view path = request.path;
  const std::string_view first = take_part(path);
  take_part(path);                      // the group, or the core API's version
  if (first != "api") take_part(path);  // the group's version
  std::string_view resource = take_part(path);
  bool one = first == "version";  // not a collection
  if (one) resource = first;
  if (first.starts_with("api") && resource.empty()) {  // what the server serves
    one = true;
    resource = "discovery";
  }
  if (resource == "namespaces") {
    one = !take_part(path).empty();
    if (const std::string_view within = take_part(path); !within.empty()) {
      resource = within;
      one = false;
    }
  }
  one = one || !take_part(path).empty();

  RequestOutcome call;
  const auto* known = std::ranges::find(kResources, resource);
  call.resource = known == kResources.end() ? std::string_view("other") : *known;
  call.verb = to_string(request.method);
  const bool watches =
      std::ranges::any_of(request.query, [](const auto& entry) { return entry.first == "watch"; });
  if (request.method == Method::Get && !one) call.verb = watches ? "WATCH" : "LIST";
  return call;
}

}  // namespace elbowroom::api
