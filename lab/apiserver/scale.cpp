#include "lab/apiserver/scale.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "lab/apiserver/selector_text.h"

namespace elbowroom::lab {
namespace {

ApiError invalid(const std::string& name, const std::string& why) {
  return {.code = 422,
          .reason = "Invalid",
          .message = "Scale.autoscaling \"" + name + "\" is invalid: " + why};
}

}  // namespace

bool has_scale(const Kind& kind) { return kind.group == "apps" && kind.name != "DaemonSet"; }

Json scale_of(const Json& object) {
  Json metadata = Json::object();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    const std::string value = text_at(object, {"metadata", key});
    if (!value.empty()) metadata[key] = value;
  }
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", std::move(metadata)},
          {"spec", {{"replicas", integer_at(object, {"spec", "replicas"}).value_or(1)}}},
          {"status",
           {{"replicas", integer_at(object, {"status", "replicas"}).value_or(0)},
            {"selector", selector_text(object)}}}};
}

Answer<Json> patch_to_scale(const Json& object, const Json& scale) {
  const std::string name = text_at(object, {"metadata", "name"});
  const std::string said = text_at(scale, {"metadata", "name"});
  if (!said.empty() && said != name) {
    return std::unexpected(invalid(name, "metadata.name: it is another one"));
  }
  const auto replicas = integer_at(scale, {"spec", "replicas"});
  if (!replicas || *replicas < 0 || *replicas > std::numeric_limits<std::int32_t>::max()) {
    return std::unexpected(invalid(
        name, "spec.replicas: Invalid value: must be greater than or equal to 0, and a number"));
  }
  Json patch = {{"spec", {{"replicas", *replicas}}}};
  for (const char* key : {"uid", "resourceVersion"}) {
    const std::string value = text_at(scale, {"metadata", key});
    if (!value.empty()) patch["metadata"][key] = value;
  }
  return patch;
}

}  // namespace elbowroom::lab
