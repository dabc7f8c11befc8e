#include "agent/write/resize_event_text.h"

#include <nlohmann/json.hpp>

#include "api/codec/quantity.h"

namespace elbowroom::agent {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const policy::Resources& of) {
  Json json = Json::object();
  policy::for_each_amount(of, [&](std::string_view name, std::int64_t amount) {
    json[std::string(name)] = api::format_quantity(name, amount);
  });
  return json;
}

// Empty if nothing is set.
Json resources_of(const policy::Requirements& desired) {
  Json resources = Json::object();
  if (!policy::is_zero(desired.limits)) resources["limits"] = to_json(desired.limits);
  if (!policy::is_zero(desired.requests)) resources["requests"] = to_json(desired.requests);
  return resources;
}

Json containers_of(const policy::Pod& pod, bool init) {
  Json list = Json::array();
  for (const policy::Container& container : pod.containers) {
    if ((container.kind != policy::ContainerKind::Regular) != init) continue;
    const Json resources = resources_of(container.desired);
    if (!resources.empty()) list.push_back({{"name", container.name}, {"resources", resources}});
  }
  return list;
}

}  // namespace

std::string resize_event_text(std::string_view prefix, const policy::Pod& pod,
                              std::int64_t generation, std::string_view error) {
  Json json = Json::object();
  if (Json own = resources_of(pod.pod_level.desired); !own.empty()) {
    json["resources"] = std::move(own);
  }
  if (Json init = containers_of(pod, true); !init.empty()) json["initContainers"] = std::move(init);
  if (Json regular = containers_of(pod, false); !regular.empty()) {
    json["containers"] = std::move(regular);
  }
  json["generation"] = generation;
  if (!error.empty()) json["error"] = std::string(error);
  return std::string(prefix) + ": " +
         json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace elbowroom::agent
