// The part of World that writes: create, load, update, patch, bind, remove.
#include <algorithm>
#include <utility>

#include "api/codec/timestamp.h"
#include "lab/apiserver/admission.h"
#include "lab/apiserver/event_form.h"
#include "lab/world/app_rules.h"
#include "lab/world/condition.h"
#include "lab/world/managed_fields.h"
#include "lab/world/object_form.h"
#include "lab/world/object_validation.h"
#include "lab/world/pod_group_rules.h"
#include "lab/world/pod_rules.h"
#include "lab/world/server_side_apply.h"
#include "lab/world/world.h"

namespace elbowroom::lab {
namespace {

// Metadata that no write of an object may change.
constexpr const char* kFixedMetadata[] = {
    "name",       "namespace",         "uid",      "creationTimestamp",         "resourceVersion",
    "generation", "deletionTimestamp", "selfLink", "deletionGracePeriodSeconds"};

bool is_pod(const Kind& kind) { return kind.name == "Pod"; }
bool is_event(const Kind& kind) { return kind.plural == "events"; }
bool is_pod_group(const Kind& kind) { return kind.name == "PodGroup"; }
bool is_workload(const Kind& kind) { return kind.name == "Workload"; }

// The target in the version that its objects are stored in.
Target stored_target(Target asked) {
  asked.kind = &stored_kind(*asked.kind);
  return asked;
}

// Copies a part, or its absence. Usually it is unchanged: clients write an object as they read it.
void take(const Json& from, const std::string& part, Json& into) {
  const auto it = from.find(part);
  if (it == from.end()) {
    into.erase(part);
  } else if (Json& place = into[part]; place != *it) {
    place = *it;
  }
}

// Copies all parts except those named.
void take_all_but(std::initializer_list<std::string_view> named, const Json& from, Json& into) {
  const auto is_named = [&](const std::string& part) {
    return std::ranges::find(named, part) != named.end();
  };
  for (auto it = into.begin(); it != into.end();) {
    const bool stays = is_named(it.key()) || from.contains(it.key());
    it = stays ? std::next(it) : into.erase(it);
  }
  for (auto it = from.begin(); it != from.end(); ++it) {
    if (!is_named(it.key())) take(from, it.key(), into);
  }
}

std::string_view name_of(Subresource subresource) {
  if (subresource == Subresource::Status) return "status";
  return subresource == Subresource::Resize ? "resize" : "";
}

// What makes a server-side apply invalid.
std::optional<ApiError> refuse_apply(const Target& target, Json& config,
                                     const std::string& manager) {
  if (auto refused = validate_object(*target.kind, config)) return refused;
  if (manager.empty()) {
    ApiError error = invalid(
        *target.kind, "",
        {{"FieldValueRequired", "fieldManager", "Required value: is required for apply patch"}});
    error.message =
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for "
        "apply patch";
    return error;
  }
  if (present_at(config, {"metadata", "managedFields"})) {
    return bad_request("metadata.managedFields must be nil");
  }
  if (text_at(config, {"metadata", "name"}) != target.name) {
    return bad_request("the name of the object (" + text_at(config, {"metadata", "name"}) +
                       ") does not match the name on the URL (" + target.name + ")");
  }
  return std::nullopt;
}

std::string letters_for(std::uint64_t number) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text(5, 'b');
  for (char& letter : text) {
    letter = kLetters[number % kLetters.size()];
    number /= kLetters.size();
  }
  return text;
}

// Why the object is not the one that a DELETE names in its preconditions; nullopt: it is.
std::optional<ApiError> refuse_precondition(const Target& target, const Object& live,
                                            const DeleteOptions& options) {
  const Kind& kind = *target.kind;
  const std::string own = text_at(live, {"metadata", "uid"});
  if (!options.uid.empty() && options.uid != own) {
    return wrong_uid(kind, target.name, options.uid, own);
  }
  const std::string version = text_at(live, {"metadata", "resourceVersion"});
  if (options.resource_version.empty() || options.resource_version == version) {
    return std::nullopt;
  }
  return conflict(kind, target.name,
                  "the ResourceVersion in the precondition (" + options.resource_version +
                      ") does not match the ResourceVersion in record (" + version +
                      "). The object might have been modified");
}

// The grace of a pod that is deleted, in seconds: a pod that does not run ends at once.
std::int64_t pod_grace(const Object& live, const DeleteOptions& options) {
  const std::string phase = text_at(live, {"status", "phase"});
  const bool runs =
      present_at(live, {"spec", "nodeName"}) && phase != "Succeeded" && phase != "Failed";
  if (!runs) return 0;
  const std::int64_t grace = options.grace_seconds.value_or(
      integer_at(live, {"spec", "terminationGracePeriodSeconds"}).value_or(30));
  return grace < 0 ? 1 : grace;
}

}  // namespace

Answer<Json> World::admit(const Kind& kind, Json object) const {
  const PriorityLookup priorities = [this](std::string_view name) {
    return priority_of_class(name);
  };
  if (is_pod(kind)) return admitted_pod(std::move(object), priorities);
  if (is_of_groups(kind) && !options_.keeps_group_constraints) {
    drop_group_constraints(Json(), object);
  }
  if (is_pod_group(kind)) {
    add_pod_group_finalizer(object);
    return admitted_pod_group(std::move(object), priorities);
  }
  if (is_workload(kind)) {
    if (auto refused = refuse_workload(object)) return std::unexpected(*std::move(refused));
  }
  if (is_app(kind)) return admitted_app(kind, std::move(object));
  if (kind.name == "Namespace") object["status"]["phase"] = "Active";
  if (kind.name == "Node") {
    if (!options_.keeps_preemption_policy && object.contains("spec")) {
      object["spec"].erase("podPreemptionPolicy");
    }
    if (auto refused = refuse_preemption_policy(kind, object)) return std::unexpected(*refused);
    Json& status = object["status"];
    if (status.contains("capacity") && !status.contains("allocatable")) {
      status["allocatable"] = status["capacity"];
    }
  }
  return object;
}

// Records which manager owns which field, after `before` has become `after`.
void World::update_managers(const Target& target, const Json& before, const WriteOptions& options,
                            Json& after) const {
  Json& metadata = after["metadata"];
  if (!options_.tracks_fields) {
    metadata.erase("managedFields");
    return;
  }
  if (options.managed_fields) {
    metadata["managedFields"] = *options.managed_fields;
    return;
  }
  const FieldWriter writer{.manager = options.manager,
                           .subresource = std::string(name_of(target.subresource))};
  const Json* sent = find_at(after, {"metadata", "managedFields"});
  auto managers = managed_fields_of(sent != nullptr && !sent->empty() ? after : before);
  if (!options.manager.empty()) {
    managers = managers_after_update(
        *target.kind, std::move(managers), writer, before, after,
        api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now_)));
  }
  metadata["managedFields"] = to_json(managers);
  if (metadata["managedFields"].empty()) metadata.erase("managedFields");
}

// An object from a file: what it says of itself stays.
Answer<Json> World::admit_from_file(const Kind& kind, const std::string& ns, Json object) const {
  if (!is_of_groups(kind)) return admit(kind, std::move(object));
  if (!is_pod_group(kind)) return object;
  if (find(kind, ns, text_at(object, {"metadata", "name"})) == nullptr) {
    add_pod_group_finalizer(object);
  }
  return loaded_pod_group(std::move(object),
                          [this](std::string_view name) { return priority_of_class(name); });
}

Answer<Object> World::create(const Kind& asked, const std::string& ns, Json object,
                             const WriteOptions& options) {
  const Kind& kind = stored_kind(asked);
  if (!object.is_object()) return std::unexpected(bad_request("the object is no mapping"));
  if (const std::string prefix = text_at(object, {"metadata", "generateName"});
      !prefix.empty() && text_at(object, {"metadata", "name"}).empty()) {
    // Like upstream it tries eight names.
    for (std::uint64_t turn = 0; turn < 8; ++turn) {
      std::string name = prefix + letters_for(version_ * 7919 + uids_ + turn);
      const bool is_taken = find(kind, kind.namespaced ? ns : "", name) != nullptr;
      object["metadata"]["name"] = std::move(name);
      if (!is_taken) break;
    }
  }
  if (auto refused = validate_object(kind, object)) return std::unexpected(*refused);
  if (is_event(kind)) object = core_event(std::move(object));

  const std::string name = text_at(object, {"metadata", "name"});
  if (present_at(object, {"metadata", "resourceVersion"})) {
    return std::unexpected(
        bad_request("resourceVersion should not be set on objects to be created"));
  }
  if (kind.namespaced) {
    const std::string own = text_at(object, {"metadata", "namespace"});
    if (!own.empty() && own != ns) {
      return std::unexpected(
          bad_request("the namespace of the provided object does not match the "
                      "namespace sent on the request"));
    }
    const Kind& namespaces = *find_kind("", "v1", "namespaces");
    if (find(namespaces, "", ns) == nullptr) return std::unexpected(not_found(namespaces, ns));
  }
  if (find(kind, kind.namespaced ? ns : "", name) != nullptr) {
    return std::unexpected(already_exists(kind, name));
  }
  // A node registers with its status; the status of all other objects comes later.
  if (kind.has_status && kind.name != "Node") object.erase("status");
  ASSIGN_OR_RETURN(Json admitted, admit(kind, std::move(object)));
  stamp(kind, ns, admitted);
  update_managers({.kind = &kind, .ns = ns, .name = name}, Json::object(), options, admitted);
  if (options.dry_run) return in_version(asked, Object(std::move(admitted)));
  ASSIGN_OR_RETURN(Object stored, commit(kind, std::nullopt, std::move(admitted)));
  return shown(asked, stored);
}

Answer<Object> World::load(Json object) {
  const std::string named = text_at(object, {"kind"});
  const Kind* kind = find_kind_of(text_at(object, {"apiVersion"}), named);
  if (kind == nullptr) {
    return std::unexpected(bad_request("no kind \"" + named + "\" in version \"" +
                                       text_at(object, {"apiVersion"}) + "\" here"));
  }
  kind = &stored_kind(*kind);
  if (auto refused = validate_object(*kind, object)) return std::unexpected(*refused);
  if (is_event(*kind)) object = core_event(std::move(object));
  std::string ns;
  if (kind->namespaced) {
    ns = text_at(object, {"metadata", "namespace"});
    if (ns.empty()) ns = "default";
    const Kind& namespaces = *find_kind("", "v1", "namespaces");
    if (find(namespaces, "", ns) == nullptr) {
      const auto made = create(namespaces, "", {{"metadata", {{"name", ns}}}});
      if (!made) return std::unexpected(made.error());
    }
  }
  const Json given = map_at(object, {"metadata"});
  ASSIGN_OR_RETURN(Json admitted, admit_from_file(*kind, ns, std::move(object)));
  stamp(*kind, ns, admitted);
  admitted["metadata"].erase("managedFields");
  for (const char* field : {"uid", "creationTimestamp", "generation", "deletionTimestamp",
                            "deletionGracePeriodSeconds"}) {
    if (const Json* kept = find_at(given, {field})) admitted["metadata"][field] = *kept;
  }
  if (is_pod_group(*kind) && present_at(given, {"deletionTimestamp"})) {
    admitted["metadata"]["deletionGracePeriodSeconds"] = 0;  // it ends with its finalizers
  }
  const Object* found = find(*kind, ns, text_at(admitted, {"metadata", "name"}));
  return commit(*kind, found == nullptr ? std::nullopt : std::optional(*found),
                std::move(admitted));
}

std::optional<ApiError> World::refuse_by_kind(const Kind& kind, const Json& before,
                                              Json& after) const {
  if (is_pod(kind)) {
    if (text_at(after, {"status", "qosClass"}).empty())
      take(map_at(before, {"status"}), "qosClass", after["status"]);
    return std::nullopt;
  }
  if (kind.name == "Node") {
    const Json* was = find_at(before, {"spec", "podPreemptionPolicy"});
    const Json* is = find_at(after, {"spec", "podPreemptionPolicy"});
    if (!options_.keeps_preemption_policy && is != nullptr) {
      if (was == nullptr)
        after["spec"].erase("podPreemptionPolicy");
      else if (*was != *is) {
        return invalid(
            kind, text_at(after, {"metadata", "name"}),
            {{"FieldValueForbidden", "spec.podPreemptionPolicy", "Forbidden: disabled"}});
      }
    }
    return refuse_preemption_policy(kind, after);
  }
  if (is_app(kind)) return refuse_app_update(kind, before, after);
  if (is_pod_group(kind)) return refuse_pod_group_update(before, after);
  if (is_workload(kind)) return refuse_workload_update(before, after);
  if (kind.name == "PriorityClass" && find_at(before, {"value"}) != nullptr &&
      integer_at(before, {"value"}) != integer_at(after, {"value"})) {
    return invalid(
        kind, text_at(after, {"metadata", "name"}),
        {{"FieldValueForbidden", "value", "Forbidden: may not be changed in an update."}});
  }
  return std::nullopt;
}

// The object to store, from the parts of `wanted` that this subresource may write.
Answer<Json> World::replaced(const Target& target, const Json& live, Json wanted) const {
  const Kind& kind = *target.kind;
  if (target.subresource == Subresource::Resize) {
    ASSIGN_OR_RETURN(Json resized, resized_pod(live, wanted));
    if (resized["spec"] == live["spec"]) return resized;
    const Json* node = peek(*find_kind("", "v1", "nodes"), "", text_at(live, {"spec", "nodeName"}));
    if (options_.validates_features) {
      if (auto refused = refuse_features(live, resized, node)) return std::unexpected(*refused);
    }
    if (options_.validates_capacity) {
      if (auto refused = refuse_capacity(resized, node)) return std::unexpected(*refused);
    }
    return resized;
  }
  if (target.subresource == Subresource::Status) {
    take_all_but({"metadata", "status"}, live, wanted);
    take_all_but({"labels", "annotations"}, live["metadata"], wanted["metadata"]);
    return wanted;
  }
  for (const char* field : kFixedMetadata) take(live["metadata"], field, wanted["metadata"]);
  if (kind.has_status) take(live, "status", wanted);
  if (is_pod(kind)) {
    default_update(live, wanted);
    if (auto refused = refuse_update(live, wanted)) return std::unexpected(*refused);
  }
  if (is_of_groups(kind) && !options_.keeps_group_constraints) {
    drop_group_constraints(live, wanted);
  }
  if (is_app(kind)) default_app(kind, wanted);
  if (is_pod_group(kind)) default_pod_group_update(wanted);
  return wanted;
}

Answer<Object> World::write(const Target& target, const Object& before, Json wanted,
                            const WriteOptions& options) {
  const Kind& kind = *target.kind;
  const Json& live = before;
  if (auto refused = validate_object(kind, wanted)) return std::unexpected(*refused);
  if (is_event(kind)) wanted = core_event(std::move(wanted));
  if (text_at(wanted, {"metadata", "name"}) != target.name) {
    return std::unexpected(
        bad_request("the name of the object (" + text_at(wanted, {"metadata", "name"}) +
                    ") does not match the name on the URL (" + target.name + ")"));
  }
  const std::string asked = text_at(wanted, {"metadata", "resourceVersion"});
  if (!asked.empty() && asked != text_at(live, {"metadata", "resourceVersion"})) {
    return std::unexpected(stale(kind, target.name));
  }
  ASSIGN_OR_RETURN(Json result, replaced(target, live, std::move(wanted)));
  if (kind.has_status && !result.contains("status") && live.contains("status")) {
    result["status"] = Json::object();
  }
  if (auto refused = refuse_by_kind(kind, live, result)) return std::unexpected(*refused);
  if (is_pod(kind)) drop_empty_amounts(result);
  if (kind.counts_generation && target.subresource != Subresource::Status &&
      find_at(result, {"spec"}) != nullptr && map_at(result, {"spec"}) != map_at(live, {"spec"})) {
    result["metadata"]["generation"] = integer_at(live, {"metadata", "generation"}).value_or(0) + 1;
  }
  // A client may correct the list of owners; a client that leaves it out does not change it.
  bool differs = result != live;
  if (differs || options.managed_fields) {
    const bool may_undo =
        options_.tracks_fields || find_at(result, {"metadata", "managedFields"}) != nullptr;
    update_managers(target, live, options, result);
    if (may_undo) differs = result != live;
  }
  if (!differs) return shown(kind, before);
  // A deleted object ends when its last finalizer is removed.
  const bool ends = present_at(live, {"metadata", "finalizers"}) &&
                    !present_at(result, {"metadata", "finalizers"}) &&
                    integer_at(live, {"metadata", "deletionGracePeriodSeconds"}) == 0;
  if (!options.dry_run && !ends) {
    ASSIGN_OR_RETURN(Object stored, commit(kind, before, std::move(result)));
    return shown(kind, stored);
  }
  if (is_pod(kind)) {
    if (const auto value = decode(result); !value) return std::unexpected(value.error());
  }
  return shown(kind, ends && !options.dry_run ? drop(kind, before, std::move(result))
                                              : Object(std::move(result)));
}

Answer<Object> World::update(const Target& asked, const Json& object, const WriteOptions& options) {
  const Target target = stored_target(asked);
  const Object* found = find(*target.kind, target.ns, target.name);
  if (found == nullptr) return std::unexpected(not_found(*target.kind, target.name));
  const Object live = *found;
  const std::string uid = text_at(object, {"metadata", "uid"});
  if (const std::string own = text_at(live, {"metadata", "uid"}); !uid.empty() && uid != own) {
    return std::unexpected(wrong_uid(*target.kind, target.name, uid, own));
  }
  const bool needs_version = target.kind->name == "Lease" || is_of_groups(*target.kind);
  if (needs_version && text_at(object, {"metadata", "resourceVersion"}).empty()) {
    return std::unexpected(invalid(*target.kind, target.name,
                                   {{"FieldValueInvalid", "metadata.resourceVersion",
                                     "Invalid value: \"\": must be specified for an update"}}));
  }
  return in_version(*asked.kind, write(target, live, object, options));
}

Answer<Object> World::patch(const Target& asked, PatchType type, const Json& patch,
                            const WriteOptions& options) {
  const Target target = stored_target(asked);
  const Object* found = find(*target.kind, target.ns, target.name);
  if (found == nullptr) return std::unexpected(not_found(*target.kind, target.name));
  const Object live = *found;
  ASSIGN_OR_RETURN(Json wanted, apply_patch(*asked.kind, type, shown(*asked.kind, live), patch));
  if (options.read) {
    ASSIGN_OR_RETURN(wanted, options.read(std::move(wanted)));
  }
  // A missing or empty one means the live one: kubectl sends null for fields that a manifest no
  // longer has.
  const std::string own = text_at(live, {"metadata", "uid"});
  if (const std::string uid = text_at(wanted, {"metadata", "uid"}); !uid.empty() && uid != own) {
    return std::unexpected(invalid(*target.kind, target.name,
                                   {{"FieldValueInvalid", "metadata.uid",
                                     "Invalid value: \"" + uid + "\": field is immutable"}}));
  }
  return in_version(*asked.kind, write(target, live, std::move(wanted), options));
}

Answer<Object> World::apply(const Target& asked, Json config, bool force, WriteOptions options) {
  const Target target = stored_target(asked);
  const Kind& kind = *target.kind;
  if (auto refused = refuse_apply(target, config, options.manager)) {
    return std::unexpected(*std::move(refused));
  }
  if (kind.namespaced) config["metadata"]["namespace"] = target.ns;
  const Object* found = find(kind, target.ns, target.name);
  if (found == nullptr && target.subresource != Subresource::None) {
    return std::unexpected(not_found(kind, target.name));
  }
  const Object live = found == nullptr ? Object(Json::object()) : *found;
  const ApplyRequest request{
      .writer = {.manager = options.manager,
                 .applies = true,
                 .subresource = std::string(name_of(target.subresource))},
      .force = force,
      .time = api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now_))};
  ASSIGN_OR_RETURN(AppliedObject merged, applied(kind, live, config, request));
  options.managed_fields = to_json(merged.managers);
  if (found == nullptr) {
    if (!text_at(config, {"metadata", "uid"}).empty()) {
      return std::unexpected(conflict(kind, target.name, "uid mismatch: the object is not there"));
    }
    merged.object["metadata"]["name"] = target.name;
    return create(*asked.kind, target.ns, std::move(merged.object), options);
  }
  if (const Json* version = find_at(config, {"metadata", "resourceVersion"})) {
    merged.object["metadata"]["resourceVersion"] = *version;
  }
  return in_version(*asked.kind, write(target, live, std::move(merged.object), options));
}

Answer<Object> World::bind(const std::string& ns, const std::string& name, const Json& binding,
                           bool dry_run) {
  const Kind& kind = *find_kind("", "v1", "pods");
  const Object* found = find(kind, ns, name);
  if (found == nullptr) return std::unexpected(not_found(kind, name));
  const Object live = *found;
  const std::string node = text_at(binding, {"target", "name"});
  if (node.empty()) return std::unexpected(bad_request("target.name is required in a Binding"));
  const std::string uid = text_at(binding, {"metadata", "uid"});
  if (const std::string own = text_at(live, {"metadata", "uid"}); !uid.empty() && uid != own) {
    return std::unexpected(wrong_uid(kind, name, uid, own));
  }
  if (const std::string asked = text_at(binding, {"metadata", "resourceVersion"});
      !asked.empty() && asked != text_at(live, {"metadata", "resourceVersion"})) {
    return std::unexpected(stale(kind, name));
  }
  if (present_at(live, {"metadata", "deletionTimestamp"})) {
    return std::unexpected(
        conflict(kind, name, "pod " + name + " is being deleted, cannot be assigned to a host"));
  }
  if (const std::string bound = text_at(live, {"spec", "nodeName"}); !bound.empty()) {
    return std::unexpected(
        conflict(kind, name, "pod " + name + " is already assigned to node \"" + bound + "\""));
  }
  if (dry_run) return Object(success_status(201));
  Json pod = live;
  pod["spec"]["nodeName"] = node;
  make_at(pod, {"status"}).erase("nominatedNodeName");
  set_condition(pod, {{"type", "PodScheduled"},
                      {"status", "True"},
                      {"lastTransitionTime",
                       api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now_))}});
  ASSIGN_OR_RETURN(const Object bound_pod, commit(kind, live, std::move(pod)));
  return Object(success_status(201));
}

Answer<Object> World::remove(const Target& asked, const DeleteOptions& options) {
  const Target target = stored_target(asked);
  const Kind& kind = *target.kind;
  const Object* found = find(kind, target.ns, target.name);
  if (found == nullptr) return std::unexpected(not_found(kind, target.name));
  const Object live = *found;
  if (auto refusal = refuse_precondition(target, live, options)) {
    return std::unexpected(*std::move(refusal));
  }

  const auto given = integer_at(live, {"metadata", "deletionGracePeriodSeconds"});
  const bool again = present_at(live, {"metadata", "deletionTimestamp"});
  // A second delete can only shorten the grace period: without one, or with a longer one, nothing
  // changes. Source: k8s.io/apiserver registry/rest/delete.go, BeforeDelete.
  const bool is_kept = given.value_or(0) > 0 || present_at(live, {"metadata", "finalizers"});
  if (again && given && is_kept && options.grace_seconds.value_or(*given) >= *given) {
    return shown(*asked.kind, live);
  }

  const std::int64_t grace = is_pod(kind) ? pod_grace(live, options) : 0;
  Json leaving = live;
  if (!again && kind.counts_generation) {
    leaving["metadata"]["generation"] =
        integer_at(live, {"metadata", "generation"}).value_or(0) + 1;
  }
  const auto deadline = std::chrono::floor<std::chrono::seconds>(now_) +
                        std::chrono::seconds(std::min<std::int64_t>(grace, 1'000'000'000));
  leaving["metadata"]["deletionTimestamp"] = api::format_timestamp(deadline);
  leaving["metadata"]["deletionGracePeriodSeconds"] = grace;
  const bool stays = grace > 0 || present_at(live, {"metadata", "finalizers"});
  if (options.dry_run) return in_version(*asked.kind, Object(std::move(leaving)));
  if (stays) return in_version(*asked.kind, commit(kind, live, std::move(leaving)));

  if (kind.name == "Namespace") drop_all_in(target.name);
  Object gone = drop(kind, live, std::move(leaving));
  if (is_pod(kind)) return gone;
  Json status = success_status(200);
  status["details"] = {
      {"name", target.name}, {"kind", kind.plural}, {"uid", text_at(live, {"metadata", "uid"})}};
  return Object(std::move(status));
}

// The objects of a namespace that is deleted.
void World::drop_all_in(std::string_view ns) {
  for (const Kind& kind : all_kinds()) {
    if (!kind.namespaced || kind.group == "events.k8s.io") continue;
    const Objects all = objects_of(kind);
    for (const auto& [key, object] : all) {
      if (text_at(object, {"metadata", "namespace"}) == ns) (void)drop(kind, object, object.json());
    }
  }
}

}  // namespace elbowroom::lab
