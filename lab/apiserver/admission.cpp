#include "lab/apiserver/admission.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/decode_node.h"
#include "api/codec/quantity.h"
#include "base/document.h"
#include "lab/world/pod_rules.h"
#include "policy/model/charge.h"

namespace elbowroom::lab {
namespace {

const Kind& pod_kind() { return *find_kind("", "v1", "pods"); }

// Containers keep their names and their order.
void check_names(const std::string& list, const Json& before, const Json& after,
                 std::vector<FieldProblem>& problems) {
  const std::string field = "spec." + list;
  if (before.size() != after.size()) {
    // A container that a patch adds by mistake mostly has no image either.
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (!text_at(after[i], {"image"}).empty()) continue;
      problems.push_back(
          {"FieldValueRequired", field + "[" + std::to_string(i) + "].image", "Required value"});
    }
    problems.push_back({"FieldValueForbidden", field,
                        "Forbidden: " + list + " may not be added or removed on resize"});
    return;
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (text_at(before[i], {"name"}) == text_at(after[i], {"name"})) continue;
    problems.push_back({"FieldValueForbidden", field + "[" + std::to_string(i) + "].name",
                        "Forbidden: " + list + " may not be renamed or reordered on resize"});
  }
}

std::optional<std::int64_t> amount(std::string_view resource, const Json& quantity) {
  if (!quantity.is_string()) return std::nullopt;
  const auto value = api::parse_quantity(quantity.get<std::string>(), api::unit_of(resource));
  return value ? std::optional(*value) : std::nullopt;
}

bool same_amount(std::string_view resource, const Json& a, const Json& b) {
  if (a == b) return true;
  const auto left = amount(resource, a);
  return left && left == amount(resource, b);
}

bool same_amounts(const Json& a, const Json& b) {
  return a.size() == b.size() && std::ranges::all_of(a.items(), [&](const auto& each) {
           const auto it = b.find(each.key());
           return it != b.end() && same_amount(each.key(), each.value(), *it);
         });
}

// Whose resources are validated, in upstream's words.
struct Whose {
  std::string field{};   // "spec.containers[0].resources"
  std::string level{};   // "pod-level ", of a pod; else ""
  FieldProblem other{};  // the message when anything but cpu and memory changes
};

Whose of_pod() {
  return {"spec.resources",
          "pod-level ",
          {"FieldValueForbidden", "spec",
           "Forbidden: only cpu and memory resources are mutable at pod-level"}};
}

Whose of_container(const std::string& list, std::size_t index) {
  const std::string place = "spec." + list + "[" + std::to_string(index) + "]";
  if (list == "containers") {
    return {
        place + ".resources",
        "",
        {"FieldValueForbidden", "spec", "Forbidden: only cpu and memory resources are mutable"}};
  }
  return {place + ".resources",
          "",
          {"FieldValueForbidden", place,
           "Forbidden: only cpu and memory resources for init or sidecar containers are mutable"}};
}

bool is_negative(const Json& amount) {
  return amount.is_string() ? amount.get_ref<const std::string&>().starts_with('-')
                            : amount.is_number() && amount.get<double>() < 0;
}

// Reports what is wrong with one list of amounts. `side` is "requests" or "limits".
void check_side(const Json& before, const Json& after, const Whose& whose, const std::string& side,
                std::vector<FieldProblem>& problems) {
  const Json& was = map_at(before, {side});
  const Json& is = map_at(after, {side});
  for (const auto& [name, amount] : is.items()) {
    const bool scalable = name == "cpu" || name == "memory";
    const auto it = was.find(name);
    if (!scalable && (it == was.end() || !same_amount(name, *it, amount))) {
      problems.push_back(whose.other);
    }
    const std::string place = whose.field + "." + side + "[" + name + "]";
    if (is_negative(amount)) {
      problems.push_back(
          {"FieldValueInvalid", place,
           "Invalid value: " + to_text(amount) + ": must be greater than or equal to 0"});
    } else if (!amount.is_number() &&
               (!amount.is_string() ||
                !api::parse_quantity(amount.get<std::string>(), api::unit_of(name)))) {
      problems.push_back(
          {"FieldValueInvalid", place, "Invalid value: " + to_text(amount) + ": is no quantity"});
    }
  }
  bool removed = false;
  for (const auto& [name, amount] : was.items()) removed = removed || !is.contains(name);
  if (removed) {
    problems.push_back({"FieldValueForbidden", whose.field + "." + side,
                        "Forbidden: " + whose.level + "resource " + side + " cannot be removed"});
  }
}

void check_order(const Json& after, const std::string& field, std::vector<FieldProblem>& problems) {
  for (const auto& [name, limit] : map_at(after, {"limits"}).items()) {
    const Json* request = find_at(after, {"requests", name});
    if (request == nullptr) continue;
    const auto asked = amount(name, *request);
    const auto bound = amount(name, limit);
    if (!asked || !bound || *asked <= *bound) continue;
    problems.push_back({"FieldValueInvalid", field + ".requests",
                        "Invalid value: " + to_text(*request) + ": must be less than or equal to " +
                            name + " limit of " + api::format_quantity(name, *bound)});
  }
}

void check_resources(const Json& before, const Json& after, const Whose& whose,
                     std::vector<FieldProblem>& problems) {
  check_side(before, after, whose, "requests", problems);
  check_side(before, after, whose, "limits", problems);
  check_order(after, whose.field, problems);
}

// Compares the sum of the containers' requests and each container's limit with the pod-level
// resources. Source: kubernetes pkg/apis/core/validation, validatePodResourceConsistency.
void check_pod_level(const policy::Pod& containers, const Json& pod,
                     std::vector<FieldProblem>& problems) {
  const policy::Resources together = policy::totals_of(containers).desired;
  for (const auto& [name, request] : map_at(pod, {"spec", "resources", "requests"}).items()) {
    const auto has = amount(name, request);
    const std::int64_t wanted = policy::amount_of(together, name);
    if (!has || wanted <= *has) continue;
    problems.push_back({"FieldValueInvalid", "spec.resources.requests[" + name + "]",
                        "Invalid value: " + to_text(request) +
                            ": must be greater than or equal to aggregate container requests of " +
                            api::format_quantity(name, wanted)});
  }
  for (const auto& [name, limit] : map_at(pod, {"spec", "resources", "limits"}).items()) {
    const Json& all = list_at(pod, {"spec", "containers"});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Json* own = find_at(all[i], {"resources", "limits", name});
      const auto asked = own == nullptr ? std::nullopt : amount(name, *own);
      const auto most = amount(name, limit);
      if (!asked || !most || *asked <= *most) continue;
      problems.push_back(
          {"FieldValueInvalid",
           "spec.resources.containers[" + std::to_string(i) + "][" + name + "].limits",
           "Invalid value: " + to_text(*own) + ": must be less than or equal to pod limits of " +
               api::format_quantity(name, *most)});
    }
  }
}

// The pod without its pod-level resources; nothing when it has none, or is no pod.
std::optional<policy::Pod> without_pod_resources(Json pod) {
  if (map_at(pod, {"spec", "resources"}).empty()) return std::nullopt;
  for (const char* field : {"resources", "overhead"}) pod["spec"].erase(field);
  pod.erase("status");
  auto value = decode(pod);
  if (!value) return std::nullopt;
  return *std::move(value);
}

// Copies the resources of one list of containers.
void take_resources(Json& pod, const Json& wanted, const std::string& list,
                    std::vector<FieldProblem>& problems) {
  const auto it = pod["spec"].find(list);
  if (it == pod["spec"].end() || !it->is_array()) return;
  const Json& asked = list_at(wanted, {"spec", list});
  for (std::size_t i = 0; i < it->size(); ++i) {
    Json& container = (*it)[i];
    const Json before = map_at(container, {"resources"});
    const Json after = map_at(asked[i], {"resources"});
    if (before == after) continue;
    const bool sidecar = text_at(container, {"restartPolicy"}) == "Always";
    if (list == "initContainers" && !sidecar) {
      problems.push_back({"FieldValueForbidden", "spec",
                          "Forbidden: resources for non-sidecar init containers are immutable"});
      continue;
    }
    check_resources(before, after, of_container(list, i), problems);
    // Claims and everything else but amounts are unchanged.
    for (const char* side : {"requests", "limits"}) {
      if (after.contains(side)) container["resources"][side] = after[side];
    }
  }
}

void take_pod_level(Json& pod, const Json& wanted, std::vector<FieldProblem>& problems) {
  const Json before = map_at(pod, {"spec", "resources"});
  const Json after = map_at(wanted, {"spec", "resources"});
  if (before == after) return;
  if (!present_at(wanted, {"spec", "resources"})) {
    problems.push_back({"FieldValueForbidden", "spec.resources",
                        "Forbidden: pod-level resources cannot be removed"});
    return;
  }
  check_resources(before, after, of_pod(), problems);
  pod["spec"]["resources"] = after;
}

// Refuses pods that cannot be resized at all.
std::optional<ApiError> refuse_pod(const Json& pod) {
  const auto refused = [&](const char* why) {
    return invalid(pod_kind(), text_at(pod, {"metadata", "name"}),
                   {{"FieldValueForbidden", "", why}});
  };
  // The API server sees a static pod as its mirror pod.
  if (present_at(pod, {"metadata", "annotations", "kubernetes.io/config.mirror"})) {
    return refused("Forbidden: static pods cannot be resized");
  }
  if (text_at(pod, {"spec", "os", "name"}) == "windows") {
    return refused("Forbidden: windows pods cannot be resized");
  }
  return std::nullopt;
}

}  // namespace

Answer<Json> resized_pod(const Json& live, const Json& wanted) {
  const std::string name = text_at(live, {"metadata", "name"});
  if (auto refused = refuse_pod(live)) return std::unexpected(*refused);
  std::vector<FieldProblem> problems;
  for (const char* list : {"containers", "initContainers"}) {
    check_names(list, list_at(live, {"spec", list}), list_at(wanted, {"spec", list}), problems);
  }
  if (!problems.empty()) return std::unexpected(invalid(pod_kind(), name, problems));

  Json resized = live;
  take_resources(resized, wanted, "containers", problems);
  take_resources(resized, wanted, "initContainers", problems);
  take_pod_level(resized, wanted, problems);
  if (const auto containers = without_pod_resources(resized)) {
    check_pod_level(*containers, resized, problems);
  }
  if (!problems.empty()) return std::unexpected(invalid(pod_kind(), name, problems));

  const auto value = decode(resized);
  if (!value) return std::unexpected(value.error());
  const std::string was = text_at(live, {"status", "qosClass"});
  if (!was.empty() && qos_class(*value) != was) {
    return std::unexpected(
        invalid(pod_kind(), name,
                {{"FieldValueInvalid", "spec",
                  "Invalid value: \"" + was +
                      "\": Pod QOS Class may not change as a result of resizing"}}));
  }
  return resized;
}

std::optional<ApiError> refuse_features(const Json& live, const Json& resized, const Json* node) {
  constexpr const char* kFeature = "InPlacePodLevelResourcesVerticalScaling";
  const std::string node_name = text_at(resized, {"spec", "nodeName"});
  if (node_name.empty()) return std::nullopt;
  const Json& before = map_at(live, {"spec", "resources"});
  const Json& after = map_at(resized, {"spec", "resources"});
  if (same_amounts(map_at(before, {"requests"}), map_at(after, {"requests"})) &&
      same_amounts(map_at(before, {"limits"}), map_at(after, {"limits"}))) {
    return std::nullopt;
  }
  // refuse_capacity() handles a node that does not exist: older API servers let it pass.
  if (node == nullptr) return std::nullopt;
  const std::string name = text_at(resized, {"metadata", "name"});
  const Json& declared = list_at(*node, {"status", "declaredFeatures"});
  if (std::ranges::find(declared, Json(kFeature)) != declared.end()) return std::nullopt;
  return forbidden(pod_kind(), name,
                   std::string("pod update requires features ") + kFeature +
                       " which are not available on node \"" + node_name + "\"");
}

std::optional<ApiError> refuse_capacity(const Json& resized, const Json* node) {
  const std::string name = text_at(resized, {"metadata", "name"});
  const std::string node_name = text_at(resized, {"spec", "nodeName"});
  if (node_name.empty()) return std::nullopt;
  if (node == nullptr) {
    return forbidden(pod_kind(), name, "node \"" + node_name + "\" not found");
  }
  const auto document = parse_json(to_text(*node));
  if (!document) return bad_request("node " + node_name + ": " + document.error().message);
  const auto value = api::decode_node(*document);
  if (!value) return bad_request("node " + node_name + ": " + value.error().message);
  const auto pod = decode(resized);
  if (!pod) return pod.error();

  const policy::Resources desired = policy::totals_of(*pod).desired;
  std::string lacking;
  for (const std::string_view resource : {policy::kCpu, policy::kMemory}) {
    const std::int64_t requested = policy::amount_of(desired, resource);
    const std::int64_t allocatable = policy::amount_of(value->allocatable, resource);
    if (requested <= allocatable) continue;
    lacking += lacking.empty() ? "" : "; ";
    lacking += std::string(resource) + ", requested: " + std::to_string(requested) +
               ", allocatable: " + std::to_string(allocatable);
  }
  if (lacking.empty()) return std::nullopt;
  lacking = "node didn't have enough allocatable resources: " + lacking;
  ApiError error = forbidden(pod_kind(), name, lacking);
  error.details["causes"] = Json::array({{{"reason", "NodeCapacity"}, {"message", lacking}}});
  return error;
}

}  // namespace elbowroom::lab
