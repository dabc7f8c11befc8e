// Objects of apps/v1 for the lab's tests.
#pragma once

#include <string>

#include "lab/world/patch.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab::testing {

inline const Kind& app_kind(std::string_view plural) { return *find_kind("apps", "v1", plural); }

// An object whose pods have the label app=NAME.
inline Json app_object(std::string_view plural, const std::string& name, int replicas) {
  const Kind& kind = app_kind(plural);
  Json object = {{"apiVersion", "apps/v1"},
                 {"kind", kind.name},
                 {"metadata", {{"name", name}, {"labels", {{"app", name}}}}}};
  const Json labels = {{"app", name}};
  object["spec"]["selector"]["matchLabels"] = labels;
  object["spec"]["template"]["metadata"]["labels"] = labels;
  object["spec"]["template"]["spec"]["containers"] =
      Json::array({container("app", "100m", "64Mi")});
  if (kind.name != "DaemonSet") object["spec"]["replicas"] = replicas;
  return object;
}

}  // namespace elbowroom::lab::testing
