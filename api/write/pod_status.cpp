#include "api/write/pod_status.h"

#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/quantity.h"
#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

Value json_of(const policy::Resources& resources) {
  Value map = json_map({});
  policy::for_each_amount(resources, [&](std::string_view name, std::int64_t amount) {
    set_member(map, name, json_text(format_quantity(name, amount)));
  });
  // Sorted as the server writes it, so that equal values compare equal.
  std::ranges::sort(map.members, {}, &Member::key);
  return map;
}

Value conditions_of(const PodStatusChange& change) {
  Value list = json_list({});
  for (const policy::Condition& condition : change.set)
    list.items.push_back(encode_condition(condition));
  for (const std::string& type : change.clear) {
    list.items.push_back(json_map({{"$patch", json_text("delete")}, {"type", json_text(type)}}));
  }
  return list;
}

// An amount of zero means "none": the member is removed.
void set_amounts(Value& map, std::string_view key, const policy::Resources& amounts) {
  if (policy::is_zero(amounts)) {
    drop_member(map, key);
  } else {
    set_member(map, key, json_of(amounts));
  }
}

void set_requirements(Value& owner, const policy::Requirements& actual) {
  const Value* there = owner.find("resources");
  if (there == nullptr && policy::is_zero(actual.requests) && policy::is_zero(actual.limits))
    return;
  Value resources = there != nullptr && there->kind == Value::Kind::Map ? *there : json_map({});
  set_amounts(resources, "requests", actual.requests);
  set_amounts(resources, "limits", actual.limits);
  set_member(owner, "resources", std::move(resources));
}

void apply(Value& status, const ContainerAmounts& amounts) {
  if (amounts.allocated) set_amounts(status, "allocatedResources", *amounts.allocated);
  if (amounts.actual) set_requirements(status, *amounts.actual);
}

constexpr std::string_view kLists[] = {"containerStatuses", "initContainerStatuses"};

// The status of that container in a copy of the pod's status, or nullptr.
Value* find_container(Value& status, std::string_view name) {
  for (Member& member : status.members) {
    if (std::ranges::find(kLists, member.key) == std::end(kLists)) continue;
    for (Value& item : member.value.items) {
      if (text_at(item, "name") == name) return &item;
    }
  }
  return nullptr;
}

// The members of `after` that differ from `before`, as text. The server merges a pod-level map by
// key, so removed members must be set to null.
Value differences(const Value& before, const Value& after,
                  std::initializer_list<std::string_view> keys) {
  Value out = json_map({});
  for (const std::string_view key : keys) {
    const Value* there = before.find(key);
    const Value* wanted = after.find(key);
    if (wanted == nullptr) continue;
    if (there == nullptr || to_json(*there) != to_json(*wanted)) set_member(out, key, *wanted);
  }
  return out;
}

void null_removed_members(const Value* before, Value& after) {
  if (before == nullptr) return;
  for (const Member& member : before->members) {
    if (after.find(member.key) == nullptr) set_member(after, member.key, Value{});
  }
}

Value merged_requirements(const Value* before, const policy::Requirements& actual) {
  Value requests = json_of(actual.requests);
  Value limits = json_of(actual.limits);
  if (before != nullptr) {
    null_removed_members(before->find("requests"), requests);
    null_removed_members(before->find("limits"), limits);
  }
  Value merged = json_map({});
  if (!limits.members.empty()) set_member(merged, "limits", std::move(limits));
  if (!requests.members.empty()) set_member(merged, "requests", std::move(requests));
  return merged;
}

// Omits what the pod already has.
void add_pod_level(const Value& before, const PodStatusChange& change, Value& patch) {
  if (change.pod_allocated) {
    const Value* there = before.find("allocatedResources");
    Value wanted = json_of(*change.pod_allocated);
    null_removed_members(there, wanted);
    if (there == nullptr || to_json(*there) != to_json(wanted)) {
      set_member(patch, "allocatedResources", std::move(wanted));
    }
  }
  if (change.pod_actual) {
    const Value* there = before.find("resources");
    Value wanted = merged_requirements(there, *change.pod_actual);
    if (there == nullptr || to_json(*there) != to_json(wanted)) {
      set_member(patch, "resources", std::move(wanted));
    }
  }
}

void add_nomination(const PodStatusChange& change, Value& status) {
  if (!change.nominated_node) return;
  const std::string& node = *change.nominated_node;
  set_member(status, "nominatedNodeName", node.empty() ? Value{} : json_text(node));
}

void add_admission(const PodStatusChange& change, Value& status) {
  if (change.started) {
    set_member(
        status, "startTime",
        json_text(format_timestamp(std::chrono::floor<std::chrono::seconds>(*change.started))));
  }
  if (!change.rejected) return;
  set_member(status, "phase", json_text("Failed"));
  set_member(status, "reason", json_text(change.rejected->reason));
  set_member(status, "message", json_text(change.rejected->message));
}

}  // namespace

Value encode_condition(const policy::Condition& condition) {
  Value map = json_map({{"type", json_text(condition.type)},
                        {"status", json_text(condition.status)},
                        {"reason", json_text(condition.reason)},
                        {"message", json_text(condition.message)}});
  if (condition.last_transition) {
    set_member(map, "lastTransitionTime", json_text(format_timestamp(*condition.last_transition)));
  }
  if (condition.observed_generation) {
    set_member(map, "observedGeneration", json_number(*condition.observed_generation));
  }
  return map;
}

bool touches_resources(const PodStatusChange& change) {
  return !change.containers.empty() || change.pod_allocated || change.pod_actual;
}

std::string conditions_patch(const std::string& uid, const PodStatusChange& change) {
  Value status = json_map({});
  if (!change.set.empty() || !change.clear.empty()) {
    set_member(status, "conditions", conditions_of(change));
  }
  add_nomination(change, status);
  add_admission(change, status);
  Value metadata = json_map({{"uid", json_text(uid)}});
  if (!change.read_at.empty()) set_member(metadata, "resourceVersion", json_text(change.read_at));
  return to_json(json_map({{"metadata", std::move(metadata)}, {"status", std::move(status)}}));
}

Result<std::string> group_conditions_patch(const ObjectRef& group, const policy::Conditions& set) {
  if (group.ns.empty() || group.name.empty() || group.uid.empty()) {
    return failure(Code::Internal, "a status write needs namespace, name and uid");
  }
  for (const policy::Condition& each : set) {
    if (each.reason.empty() || !each.last_transition) {
      return failure(Code::Internal,
                     "condition " + each.type + " needs a reason and a lastTransitionTime");
    }
  }
  return conditions_patch(group.uid, {.set = set});
}

Result<std::optional<std::string>> status_patch(const ObjectRef& ref, const PodStatusChange& change,
                                                const Value& pod) {
  const Value* version = value_at(pod, {"metadata", "resourceVersion"});
  if (ref_of(pod).uid != ref.uid || version == nullptr) {
    return failure(Code::Conflict, "another pod has that name now");
  }
  if (!change.read_at.empty() && version->text != change.read_at) {
    return failure(Code::Conflict, "the pod was changed since version " + change.read_at);
  }
  const Value* status = pod.find("status");
  const Value before = status != nullptr ? *status : json_map({});
  Value after = before;
  for (const ContainerAmounts& amounts : change.containers) {
    Value* container = find_container(after, amounts.name);
    if (container == nullptr) {
      return failure(Code::Conflict, "container " + amounts.name + " has no status yet");
    }
    apply(*container, amounts);
  }

  Value patch = differences(before, after, {kLists[0], kLists[1]});
  add_pod_level(before, change, patch);
  const Value conditions = conditions_of(change);
  if (!conditions.items.empty()) set_member(patch, "conditions", conditions);
  add_nomination(change, patch);
  add_admission(change, patch);
  if (patch.members.empty()) return std::optional<std::string>();
  return std::optional(to_json(json_map(
      {{"metadata", json_map({{"uid", json_text(ref.uid)}, {"resourceVersion", *version}})},
       {"status", std::move(patch)}})));
}

}  // namespace elbowroom::api
