#include "lab/world/pod_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/codec/decode_pod.h"
#include "api/codec/quantity.h"
#include "api/codec/wire_filter.h"

namespace elbowroom::lab {
namespace {

const Kind& pod_kind() { return *find_kind("", "v1", "pods"); }

void default_member(Json& map, std::string_view name, const Json& value) {
  Json& member = map[std::string(name)];
  if (member.is_null()) member = value;
}

// A limit without a request also sets the request. Source: kubernetes pkg/apis/core/v1 defaults.go.
void default_container(Json& container) {
  if (!container.is_object()) return;
  Json& resources = container["resources"];
  if (resources.is_null()) resources = Json::object();
  const Json limits = map_at(resources, {"limits"});
  for (const auto& [name, amount] : limits.items()) {
    if (find_at(resources, {"requests", name}) == nullptr) resources["requests"][name] = amount;
  }
  default_member(container, "imagePullPolicy", "IfNotPresent");
  default_member(container, "terminationMessagePath", "/dev/termination-log");
  default_member(container, "terminationMessagePolicy", "File");
}

// Source: kubernetes pkg/apis/core/validation validateResizePolicy.
std::optional<ApiError> refuse_resize_policy(const Json& pod) {
  if (text_at(pod, {"spec", "restartPolicy"}) != "Never") return std::nullopt;
  std::vector<FieldProblem> problems;
  for (const char* list : {"initContainers", "containers"}) {
    const Json& containers = list_at(pod, {"spec", list});
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const Json& policies = list_at(containers[i], {"resizePolicy"});
      for (std::size_t k = 0; k < policies.size(); ++k) {
        const std::string policy = text_at(policies[k], {"restartPolicy"});
        if (policy.empty() || policy == "NotRequired") continue;
        problems.push_back({"FieldValueInvalid",
                            "spec." + std::string(list) + "[" + std::to_string(i) +
                                "].resizePolicy[" + std::to_string(k) + "]",
                            "Invalid value: \"" + policy +
                                "\": must be 'NotRequired' when `restartPolicy` is 'Never'"});
      }
    }
  }
  if (problems.empty()) return std::nullopt;
  return invalid(pod_kind(), text_at(pod, {"metadata", "name"}), problems);
}

// Writes the pod-level requests that reading the pod has filled in.
void default_pod_level(const policy::Pod& value, Json& pod) {
  if (!present_at(pod, {"spec", "resources", "limits"})) return;
  Json& requests = pod["spec"]["resources"]["requests"];
  policy::for_each_amount(value.pod_level.desired.requests,
                          [&](std::string_view name, std::int64_t amount) {
                            default_member(requests, name, api::format_quantity(name, amount));
                          });
  if (requests.is_null()) pod["spec"]["resources"].erase("requests");
}

std::optional<ApiError> set_priority(Json& pod, std::string_view name,
                                     const PriorityLookup& priorities) {
  Json& spec = pod["spec"];
  const std::string class_name = text_at(spec, {"priorityClassName"});
  const auto asked = integer_at(spec, {"priority"});
  if (class_name.empty() && asked) {
    default_member(spec, "preemptionPolicy", "PreemptLowerPriority");
    return std::nullopt;
  }
  const auto found = priorities(class_name);
  if (!class_name.empty() && !found) {
    return forbidden(pod_kind(), name, "no PriorityClass with name " + class_name + " was found");
  }
  const PriorityOf priority = found.value_or(PriorityOf{});
  if (asked && *asked != priority.value) {
    return forbidden(pod_kind(), name,
                     "the integer value of priority (" + std::to_string(*asked) +
                         ") must not be provided in pod spec; priority admission controller "
                         "computed " +
                         std::to_string(priority.value) + " from the given PriorityClass name");
  }
  spec["priority"] = priority.value;
  if (!priority.class_name.empty()) spec["priorityClassName"] = priority.class_name;
  default_member(spec, "preemptionPolicy", priority.preemption_policy);
  return std::nullopt;
}

// Compares amounts by value, however they are written.
void spell_amounts(Json& container) {
  for (const std::string_view list : {"requests", "limits"}) {
    for (const auto& [resource, amount] : map_at(container, {"resources", list}).items()) {
      if (!amount.is_string()) continue;
      const auto known =
          api::parse_quantity(amount.get_ref<const std::string&>(), api::unit_of(resource));
      if (!known) continue;
      container["resources"][std::string(list)][resource] = api::format_quantity(resource, *known);
    }
  }
}

// The spec without the fields that an update of the pod itself may change.
Json fixed_part(const Json& pod) {
  Json spec = map_at(pod, {"spec"});
  for (const std::string_view list : {"containers", "initContainers"}) {
    const auto it = spec.find(list);
    if (it == spec.end() || !it->is_array()) continue;
    for (Json& container : *it) {
      if (!container.is_object()) continue;
      container.erase("image");
      spell_amounts(container);
    }
  }
  for (const char* field : {"activeDeadlineSeconds", "tolerations", "schedulingGates",
                            "terminationGracePeriodSeconds"}) {
    spec.erase(field);
  }
  return spec;
}

}  // namespace

Answer<policy::Pod> decode(const Json& pod) {
  const std::string name = text_at(pod, {"metadata", "name"});
  const auto refuse = [&](const Error& error) {
    return std::unexpected(
        invalid(pod_kind(), name,
                {{.reason = "FieldValueInvalid", .field = "pod", .message = error.message}}));
  };
  if (text_at(pod, {"metadata", "uid"}).empty()) {  // it is being created
    Json named = pod;
    named["metadata"]["uid"] = "to-be-given";
    return decode(named);
  }
  static const api::WireFilter read("Pod", api::WireFilter::Of::Object);
  api::UnreadableTerms odd;
  auto value =
      api::decode_pod_as({.source = api::Source::Server, .odd = &odd}, to_value(pod, read));
  if (!value) return refuse(value.error());
  const auto refused = std::ranges::find(odd, false, &api::UnreadableTerm::is_served);
  if (refused != odd.end()) return refuse({Code::Invalid, "pod " + name + ": " + refused->why, {}});
  return std::move(*value);
}

std::string qos_class(const policy::Pod& pod) {
  policy::Pod unjudged = pod;
  unjudged.qos_in_status.reset();
  return std::string(policy::to_string(policy::qos_of(unjudged)));
}

void default_pod_spec(Json& spec) {
  default_member(spec, "restartPolicy", "Always");
  default_member(spec, "terminationGracePeriodSeconds", 30);
  default_member(spec, "schedulerName", "default-scheduler");
  default_member(spec, "dnsPolicy", "ClusterFirst");
  default_member(spec, "securityContext", Json::object());
  default_member(spec, "enableServiceLinks", true);
  for (const std::string_view list : {"containers", "initContainers"}) {
    const auto it = spec.find(list);
    if (it == spec.end() || !it->is_array()) continue;
    for (Json& container : *it) default_container(container);
  }
}

void drop_empty_amounts(Json& pod) {
  const auto drop = [](Json& owner, const char* name) {
    const auto it = owner.find(name);
    if (it != owner.end() && it->is_object() && it->empty()) owner.erase(it);
  };
  // Of a pod's spec or status, or of one container in it.
  const auto drop_in = [&](Json& of) {
    if (!of.is_object()) return;
    drop(of, "allocatedResources");
    const auto resources = of.find("resources");
    if (resources == of.end() || !resources->is_object()) return;
    drop(*resources, "requests");
    drop(*resources, "limits");
  };
  for (const char* part : {"spec", "status"}) {
    const auto at = pod.find(part);
    if (at == pod.end()) continue;
    drop_in(*at);
    for (const char* list :
         {"containers", "initContainers", "containerStatuses", "initContainerStatuses"}) {
      const auto all = at->find(list);
      if (all == at->end() || !all->is_array()) continue;
      for (Json& each : *all) drop_in(each);
    }
  }
}

Answer<Json> admitted_pod(Json pod, const PriorityLookup& priorities) {
  const std::string name = text_at(pod, {"metadata", "name"});
  if (!map_at(pod, {"spec"}).contains("containers")) {
    return std::unexpected(invalid(pod_kind(), name,
                                   {{.reason = "FieldValueRequired",
                                     .field = "spec.containers",
                                     .message = "Required value"}}));
  }
  default_pod_spec(pod["spec"]);
  if (auto refused = refuse_resize_policy(pod)) return std::unexpected(*refused);
  if (auto refused = set_priority(pod, name, priorities)) return std::unexpected(*refused);
  const auto value = decode(pod);
  if (!value) return std::unexpected(value.error());
  default_pod_level(*value, pod);
  Json& status = pod["status"];
  if (!status.is_object()) status = Json::object();
  default_member(status, "phase", "Pending");
  status["qosClass"] = qos_class(*value);
  drop_empty_amounts(pod);
  return pod;
}

void default_update(const Json& before, Json& after) {
  const auto spec = after.find("spec");
  if (spec == after.end() || !spec->is_object()) return;
  default_pod_spec(*spec);
  for (const char* field : {"priority", "preemptionPolicy"}) {
    if (const Json* kept = find_at(before, {"spec", field})) default_member(*spec, field, *kept);
  }
  if (!present_at(*spec, {"resources", "limits"})) return;
  if (const auto value = decode(after)) default_pod_level(*value, after);
}

std::optional<ApiError> refuse_update(const Json& before, const Json& after) {
  if (map_at(before, {"spec"}) == map_at(after, {"spec"})) return std::nullopt;
  if (fixed_part(before) == fixed_part(after)) return std::nullopt;
  return invalid(
      pod_kind(), text_at(before, {"metadata", "name"}),
      {{.reason = "FieldValueForbidden",
        .field = "spec",
        .message = "Forbidden: pod updates may not change fields other than "
                   "`spec.containers[*].image`,`spec.initContainers[*].image`,"
                   "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
                   "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if "
                   "it was previously negative)"}});
}

}  // namespace elbowroom::lab
