#include "cli/waiting_pods.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "policy/model/natural_order.h"

namespace elbowroom::cli {
namespace {

constexpr ClusterKind kAnyPod{.group = "", .version = "v1", .name = "Pod", .plural = "pods"};

std::string_view word_at(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = api::value_at(object, path);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

bool has_condition(const Value& pod, std::string_view type) {
  const Value* all = api::value_at(pod, {"status", "conditions"});
  return all != nullptr && std::ranges::any_of(all->items, [&](const Value& each) {
           return api::text_at(each, "type") == type && api::text_at(each, "status") == "True";
         });
}

bool is_gated(const Value& pod) {
  const Value* gates = api::value_at(pod, {"spec", "schedulingGates"});
  return gates != nullptr && !gates->items.empty();
}

}  // namespace

bool waits_for_room(const Value& pod) {
  const std::string_view phase = word_at(pod, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") return false;
  if (!word_at(pod, {"metadata", "deletionTimestamp"}).empty()) return false;
  if (word_at(pod, {"spec", "nodeName"}).empty()) return !is_gated(pod);
  return has_condition(pod, "PodResizePending");
}

Result<std::vector<ObjectName>> waiting_pods(ClusterReader& reader, const std::string& ns,
                                             const std::string& selector) {
  Listed pods =
      std::move(reader.list({{.kind = kAnyPod, .ns = ns, .label_selector = selector}})[0]);
  if (!pods) return std::unexpected(std::move(pods).error());
  std::vector<ObjectName> names;
  for (const Value& each : *pods) {
    if (!waits_for_room(each)) continue;
    const api::ObjectRef ref = api::ref_of(each);
    names.push_back({.ns = ref.ns, .name = ref.name});
  }
  std::ranges::sort(names, policy::natural_less, key_of);
  return names;
}

}  // namespace elbowroom::cli
