// A pod of the lab that runs on a node, for the drivers of benchmarks: one container of 100m and
// 64Mi, Ready. What else a driver needs it adds.
#pragma once

#include <string>

#include "lab/world/json.h"

namespace elbowroom::bench {

inline lab::Json running_pod(const std::string& name, const std::string& node,
                             const std::string& started) {
  using lab::Json;
  const Json requests = {{"cpu", "100m"}, {"memory", "64Mi"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec",
           {{"nodeName", node},
            {"containers", Json::array({{{"name", "app"},
                                         {"image", "registry.example/app:1"},
                                         {"resources", {{"requests", requests}}}}})}}},
          {"status",
           {{"phase", "Running"},
            {"startTime", started},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})},
            {"containerStatuses", Json::array({{{"name", "app"},
                                                {"state", {{"running", {{"startedAt", started}}}}},
                                                {"ready", true},
                                                {"allocatedResources", requests},
                                                {"resources", {{"requests", requests}}}}})}}}};
}

}  // namespace elbowroom::bench
