#include "lab/admission.h"

#include <string>
#include <utility>
#include <vector>

#include "api/decode_node.h"
#include "api/quantity.h"
#include "base/document.h"
#include "lab/pod_rules.h"
#include "policy/charge.h"

namespace elbowroom::lab {
namespace {

const Kind& pod_kind() { return *find_kind("", "v1", "pods"); }

// Containers stay who they are, in their order.
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

bool same_amount(std::string_view resource, const Json& a, const Json& b) {
  if (a == b) return true;
  if (!a.is_string() || !b.is_string()) return false;
  const auto left = api::parse_quantity(a.get<std::string>(), api::unit_of(resource));
  const auto right = api::parse_quantity(b.get<std::string>(), api::unit_of(resource));
  return left && right && *left == *right;
}

bool is_negative(const Json& amount) {
  return amount.is_string() ? amount.get_ref<const std::string&>().starts_with('-')
                            : amount.is_number() && amount.get<double>() < 0;
}

// What is wrong with one list of amounts, `side` being "requests" or "limits".
void check_side(const Json& before, const Json& after, const std::string& field,
                const std::string& side, std::vector<FieldProblem>& problems) {
  const Json& was = map_at(before, {side});
  const Json& is = map_at(after, {side});
  for (const auto& [name, amount] : is.items()) {
    const bool scalable = name == "cpu" || name == "memory";
    const auto it = was.find(name);
    if (!scalable && (it == was.end() || !same_amount(name, *it, amount))) {
      problems.push_back(
          {"FieldValueForbidden", "spec", "Forbidden: only cpu and memory resources are mutable"});
    }
    const std::string place = field + "." + side + "[" + name + "]";
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
    problems.push_back({"FieldValueForbidden", field + "." + side,
                        "Forbidden: resource " + side + " cannot be removed"});
  }
}

void check_order(const Json& after, const std::string& field, std::vector<FieldProblem>& problems) {
  for (const auto& [name, limit] : map_at(after, {"limits"}).items()) {
    const Json* request = find_at(after, {"requests", name});
    if (request == nullptr || !request->is_string() || !limit.is_string()) continue;
    const auto asked = api::parse_quantity(request->get<std::string>(), api::unit_of(name));
    const auto bound = api::parse_quantity(limit.get<std::string>(), api::unit_of(name));
    if (!asked || !bound || *asked <= *bound) continue;
    problems.push_back({"FieldValueInvalid", field + ".requests",
                        "Invalid value: " + to_text(*request) + ": must be less than or equal to " +
                            name + " limit of " + api::format_quantity(name, *bound)});
  }
}

void check_resources(const Json& before, const Json& after, const std::string& field,
                     std::vector<FieldProblem>& problems) {
  check_side(before, after, field, "requests", problems);
  check_side(before, after, field, "limits", problems);
  check_order(after, field, problems);
}

// Takes over the resources of one list of containers.
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
    const std::string place = "spec." + list + "[" + std::to_string(i) + "]";
    const bool sidecar = text_at(container, {"restartPolicy"}) == "Always";
    if (list == "initContainers" && !sidecar) {
      problems.push_back({"FieldValueForbidden", "spec",
                          "Forbidden: resources for non-sidecar init containers are immutable"});
      continue;
    }
    check_resources(before, after, place + ".resources", problems);
    // The claims and everything else but amounts stay as they are.
    for (const char* side : {"requests", "limits"}) {
      if (after.contains(side)) container["resources"][side] = after[side];
    }
  }
}

}  // namespace

Answer<Json> resized_pod(const Json& live, const Json& wanted) {
  const std::string name = text_at(live, {"metadata", "name"});
  std::vector<FieldProblem> problems;
  for (const char* list : {"containers", "initContainers"}) {
    check_names(list, list_at(live, {"spec", list}), list_at(wanted, {"spec", list}), problems);
  }
  if (!problems.empty()) return std::unexpected(invalid(pod_kind(), name, problems));

  Json resized = live;
  take_resources(resized, wanted, "containers", problems);
  take_resources(resized, wanted, "initContainers", problems);
  const Json before = map_at(live, {"spec", "resources"});
  const Json after = map_at(wanted, {"spec", "resources"});
  if (before != after) {
    check_resources(before, after, "spec.resources", problems);
    resized["spec"]["resources"] = after;
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
