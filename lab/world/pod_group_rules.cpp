#include "lab/world/pod_group_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace elbowroom::lab {
namespace {

constexpr std::size_t kMostTemplates = 8;
constexpr std::int64_t kHighestPriority = 1'000'000'000;  // of what users define
constexpr const char* kLower = "PreemptLowerPriority";

using Problems = std::vector<FieldProblem>;

const Kind& group_kind() { return *find_kind("scheduling.k8s.io", "v1beta1", "podgroups"); }
const Kind& workload_kind() { return *find_kind("scheduling.k8s.io", "v1beta1", "workloads"); }

std::string name_of(const Json& object) { return text_at(object, {"metadata", "name"}); }

void set_if_missing(Json& map, const char* field, const Json& value) {
  Json& member = map[field];
  if (member.is_null()) member = value;
}

bool has(const Json& map, std::string_view field) {
  const Json* found = find_at(map, {field});
  return found != nullptr && !found->is_null();
}

void invalid_value(Problems& problems, std::string field, const Json& value, std::string_view why) {
  problems.push_back({.reason = "FieldValueInvalid",
                      .field = std::move(field),
                      .message = "Invalid value: " + to_text(value) + ": " + std::string(why)});
}

void required(Problems& problems, std::string field) {
  problems.push_back(
      {.reason = "FieldValueRequired", .field = std::move(field), .message = "Required value"});
}

// Exactly one member of a union is set.
void check_union(const Json& value, std::array<std::string_view, 2> members,
                 const std::string& field, Problems& problems) {
  const std::string all = "`" + std::string(members[0]) + "`, `" + std::string(members[1]) + "`";
  const bool first = has(value, members[0]);
  const bool second = has(value, members[1]);
  if (first && second) {
    const std::string both = "{" + std::string(members[0]) + ", " + std::string(members[1]) + "}";
    invalid_value(problems, field, both, "must specify exactly one of: " + all);
  } else if (!first && !second) {
    invalid_value(problems, field, "", "must specify one of: " + all);
  }
}

// What groups and the templates of workloads have in common.
void check_spec(const Json& spec, const std::string& at, Problems& problems) {
  const Json& policy = map_at(spec, {"schedulingPolicy"});
  check_union(policy, {"basic", "gang"}, at + "schedulingPolicy", problems);
  if (has(policy, "gang")) {
    const std::int64_t count = integer_at(policy, {"gang", "minCount"}).value_or(0);
    const std::string field = at + "schedulingPolicy.gang.minCount";
    if (count == 0) required(problems, field);
    if (count < 0) invalid_value(problems, field, count, "must be greater than or equal to 1");
  }
  if (has(spec, "disruptionMode")) {
    check_union(map_at(spec, {"disruptionMode"}), {"single", "all"}, at + "disruptionMode",
                problems);
  }
  if (const auto priority = integer_at(spec, {"priority"}); priority > kHighestPriority) {
    invalid_value(problems, at + "priority", *priority,
                  "must be less than or equal to " + std::to_string(kHighestPriority));
  }
  const std::string preemption = text_at(spec, {"preemptionPolicy"});
  if (!preemption.empty() && preemption != kLower && preemption != "Never") {
    problems.push_back({.reason = "FieldValueNotSupported",
                        .field = at + "preemptionPolicy",
                        .message = "Unsupported value: " + to_text(Json(preemption)) +
                                   ": supported values: \"Never\", \"PreemptLowerPriority\""});
  }
}

void check_reference(const Json& reference, std::array<std::string_view, 2> names,
                     const std::string& at, Problems& problems) {
  for (const std::string_view name : names) {
    if (text_at(reference, {name}).empty()) required(problems, at + "." + std::string(name));
  }
}

// Fields that never change.
void check_same(const Json& before, const Json& after, const std::string& at,
                std::initializer_list<const char*> fields, Problems& problems) {
  const Json none;
  for (const char* field : fields) {
    const Json* was = find_at(before, {field});
    const Json* is = find_at(after, {field});
    if ((was == nullptr ? none : *was) == (is == nullptr ? none : *is)) continue;
    invalid_value(problems, at + field, none, "field is immutable");
  }
}

// A gang stays one, and so does a group that is none.
void check_policy_stays(const Json& before, const Json& after, const std::string& at,
                        Problems& problems) {
  const Json& was = map_at(before, {"schedulingPolicy"});
  const Json& is = map_at(after, {"schedulingPolicy"});
  const std::string field = at + "schedulingPolicy.";
  check_same(was, is, field, {"basic"}, problems);
  if (has(was, "gang") == has(is, "gang")) return;
  invalid_value(
      problems, field + "gang", Json(),
      has(is, "gang") ? "field cannot be set once created" : "field cannot be cleared once set");
}

std::optional<ApiError> refused(const Kind& kind, const Json& object, const Problems& problems) {
  if (problems.empty()) return std::nullopt;
  return invalid(kind, name_of(object), problems);
}

// The class that a group names, or the default one; nothing: the named one does not exist.
std::optional<PriorityOf> class_of(const Json& spec, const PriorityLookup& priorities) {
  const std::string named = text_at(spec, {"priorityClassName"});
  const auto found = priorities(named);
  if (!found && named.empty()) return PriorityOf{};
  return found;
}

// Source: kubernetes plugin/pkg/admission/priority. There a group that leaves its policy out is
// refused when its class never preempts; here it has the policy of its class.
std::optional<ApiError> set_group_priority(Json& group, const PriorityLookup& priorities) {
  const std::string name = name_of(group);
  Json& spec = group["spec"];
  const auto from = class_of(spec, priorities);
  if (!from) {
    return forbidden(
        group_kind(), name,
        "no PriorityClass with name " + text_at(spec, {"priorityClassName"}) + " was found");
  }
  const auto asked = integer_at(spec, {"priority"});
  if (asked && *asked != from->value) {
    return forbidden(group_kind(), name,
                     "priority set in the pod group (" + std::to_string(*asked) +
                         ") must match the priority computed (" + std::to_string(from->value) +
                         ") based on the priority class set in the spec");
  }
  // The default is there before admission, so a class that says Never wants the group to say it,
  // too.
  std::string policy = text_at(spec, {"preemptionPolicy"});
  if (policy.empty()) policy = kLower;
  if (policy != from->preemption_policy) {
    return forbidden(group_kind(), name,
                     "the string value of PreemptionPolicy (" + policy +
                         ") must not be provided in pod group spec; priority admission controller "
                         "computed " +
                         from->preemption_policy + " from the given PriorityClass name");
  }
  spec["priority"] = from->value;
  if (!from->class_name.empty()) spec["priorityClassName"] = from->class_name;
  spec["preemptionPolicy"] = from->preemption_policy;
  return std::nullopt;
}

// "Pod" and "PodGroup" are v1alpha2's words.
void modernize_mode(Json& spec) {
  const std::string mode = text_at(spec, {"disruptionMode"});
  if (mode == "Pod" || mode == "Single") spec["disruptionMode"] = {{"single", Json::object()}};
  if (mode == "PodGroup" || mode == "All") spec["disruptionMode"] = {{"all", Json::object()}};
}

void set_default_mode(Json& spec) {
  set_if_missing(spec, "disruptionMode", {{"single", Json::object()}});
}

}  // namespace

Answer<Json> admitted_pod_group(Json group, const PriorityLookup& priorities) {
  Json& spec = make_at(group, {"spec"});
  set_default_mode(spec);
  if (auto refusal = set_group_priority(group, priorities)) {
    return std::unexpected(*std::move(refusal));
  }
  Problems problems;
  check_spec(spec, "spec.", problems);
  if (has(spec, "workloadRef")) {
    check_reference(map_at(spec, {"workloadRef"}), {"workloadName", "templateName"},
                    "spec.workloadRef", problems);
  } else if (has(spec, "parentCompositePodGroupName")) {
    problems.push_back(
        {.reason = "FieldValueRequired",
         .field = "spec.workloadRef",
         .message = "Required value: must be set when parentCompositePodGroupName is set"});
  }
  if (auto refusal = refused(group_kind(), group, problems)) {
    return std::unexpected(*std::move(refusal));
  }
  group["status"] = Json::object();
  return group;
}

Json loaded_pod_group(Json group, const PriorityLookup& priorities) {
  Json& spec = make_at(group, {"spec"});
  modernize_mode(spec);
  set_default_mode(spec);
  const PriorityOf from = class_of(spec, priorities).value_or(PriorityOf{});
  if (!has(spec, "priority") && !from.class_name.empty()) {
    spec["priorityClassName"] = from.class_name;
  }
  set_if_missing(spec, "priority", from.value);
  set_if_missing(spec, "preemptionPolicy", from.preemption_policy);
  if (!present_at(group, {"status"})) group["status"] = Json::object();
  return group;
}

void add_pod_group_finalizer(Json& group) {
  Json& finalizers = group["metadata"]["finalizers"];
  if (!finalizers.is_array()) finalizers = Json::array();
  for (const Json& each : finalizers) {
    if (each == kPodGroupFinalizer) return;
  }
  finalizers.push_back(kPodGroupFinalizer);
}

void drop_group_constraints(const Json& before, Json& object) {
  constexpr const char* kField = "schedulingConstraints";
  const auto spec = object.find("spec");
  if (spec == object.end() || !spec->is_object()) return;
  if (!has(map_at(before, {"spec"}), kField)) spec->erase(kField);
  const Json& olds = list_at(before, {"spec", "podGroupTemplates"});
  const bool in_use = std::ranges::any_of(olds, [](const Json& old) { return has(old, kField); });
  const auto templates = spec->find("podGroupTemplates");
  if (in_use || templates == spec->end() || !templates->is_array()) return;
  for (Json& each : *templates) {
    if (each.is_object()) each[kField] = nullptr;  // Go writes it always
  }
}

void default_pod_group_update(Json& group) {
  const auto spec = group.find("spec");
  if (spec == group.end() || !spec->is_object()) return;
  set_default_mode(*spec);
  set_if_missing(*spec, "preemptionPolicy", kLower);
}

std::optional<ApiError> refuse_pod_group_update(const Json& before, const Json& after) {
  const Json& was = map_at(before, {"spec"});
  const Json& is = map_at(after, {"spec"});
  if (was == is) return std::nullopt;
  Problems problems;
  check_same(
      was, is, "spec.",
      {"parentCompositePodGroupName", "workloadRef", "schedulingConstraints", "resourceClaims",
       "disruptionMode", "priorityClassName", "priority", "preemptionPolicy"},
      problems);
  check_policy_stays(was, is, "spec.", problems);
  if (problems.empty()) check_spec(is, "spec.", problems);
  return refused(group_kind(), after, problems);
}

std::optional<ApiError> refuse_workload(const Json& workload) {
  Problems problems;
  const Json& spec = map_at(workload, {"spec"});
  const Json& templates = list_at(spec, {"podGroupTemplates"});
  const Json given = {
      {"podGroupTemplates", templates.empty() ? Json() : Json(true)},
      {"compositePodGroupTemplates",
       list_at(spec, {"compositePodGroupTemplates"}).empty() ? Json() : Json(true)}};
  check_union(given, {"podGroupTemplates", "compositePodGroupTemplates"}, "spec", problems);
  if (templates.size() > kMostTemplates) {
    problems.push_back({.reason = "FieldValueTooMany",
                        .field = "spec.podGroupTemplates",
                        .message = "Too many: " + std::to_string(templates.size()) +
                                   ": must have at most 8 items"});
  }
  if (has(spec, "controllerRef")) {
    check_reference(map_at(spec, {"controllerRef"}), {"kind", "name"}, "spec.controllerRef",
                    problems);
  }
  Json seen = Json::object();
  for (std::size_t i = 0; i < templates.size() && i < kMostTemplates; ++i) {
    const std::string at = "spec.podGroupTemplates[" + std::to_string(i) + "]";
    const std::string name = text_at(templates[i], {"name"});
    if (name.empty()) required(problems, at + ".name");
    if (seen.contains(name)) {
      problems.push_back({.reason = "FieldValueDuplicate",
                          .field = at,
                          .message = "Duplicate value: " + to_text(Json{{"name", name}})});
    }
    seen[name] = true;
    check_spec(templates[i], at + ".", problems);
  }
  return refused(workload_kind(), workload, problems);
}

std::optional<ApiError> refuse_workload_update(const Json& before, const Json& after) {
  const Json& was = map_at(before, {"spec"});
  const Json& is = map_at(after, {"spec"});
  if (was == is) return std::nullopt;
  Problems problems;
  check_same(was, is, "spec.", {"controllerRef", "compositePodGroupTemplates"}, problems);
  const Json& olds = list_at(was, {"podGroupTemplates"});
  const Json& news = list_at(is, {"podGroupTemplates"});
  const auto named = [](const Json& all, const Json& wanted) {
    for (const Json& each : all) {
      if (text_at(each, {"name"}) == text_at(wanted, {"name"})) return &each;
    }
    return static_cast<const Json*>(nullptr);
  };
  const auto forbid = [&](std::string field, const char* why) {
    problems.push_back({.reason = "FieldValueForbidden",
                        .field = std::move(field),
                        .message = std::string("Forbidden: ") + why});
  };
  for (std::size_t i = 0; i < news.size(); ++i) {
    const std::string at = "spec.podGroupTemplates[" + std::to_string(i) + "]";
    const Json* old = named(olds, news[i]);
    if (old == nullptr) {
      forbid(at, "item may not be added");
      continue;
    }
    check_same(*old, news[i], at + ".",
               {"schedulingConstraints", "resourceClaims", "disruptionMode", "priorityClassName",
                "priority", "preemptionPolicy"},
               problems);
    check_policy_stays(*old, news[i], at + ".", problems);
  }
  for (const Json& old : olds) {
    if (named(news, old) != nullptr) continue;
    forbid("spec.podGroupTemplates", "item may not be removed");
    break;
  }
  if (problems.empty()) return refuse_workload(after);
  return refused(workload_kind(), after, problems);
}

}  // namespace elbowroom::lab
