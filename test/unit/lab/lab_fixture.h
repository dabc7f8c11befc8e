// The initial objects of the lab's tests.
#pragma once

#include <string>
#include <utility>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "lab/world/world.h"

namespace elbowroom::lab::testing {

inline const Kind& pods() { return *find_kind("", "v1", "pods"); }
inline const Kind& nodes() { return *find_kind("", "v1", "nodes"); }

inline Json container(const std::string& name, const std::string& cpu, const std::string& memory) {
  return {{"name", name},
          {"image", "pause"},
          {"resources", {{"requests", {{"cpu", cpu}, {"memory", memory}}}}}};
}

inline Json pod_object(const std::string& name, const std::string& node = "") {
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", {{"name", name}}},
              {"spec", {{"containers", Json::array({container("app", "1", "1Gi")})}}}};
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  return pod;
}

inline Json node_object(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"status", {{"capacity", {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}}}}}};
}

inline Target pod_target(const std::string& name, Subresource part = Subresource::None) {
  return {.kind = &pods(), .ns = "default", .name = name, .subresource = part};
}

// The error's "CODE REASON", or "ok".
template <class T>
std::string outcome(const Answer<T>& answer) {
  if (answer) return "ok";
  return std::to_string(answer.error().code) + " " + answer.error().reason;
}

template <class T>
std::string message_of(const Answer<T>& answer) {
  return answer ? "" : answer.error().message;
}

}  // namespace elbowroom::lab::testing
