#include "cli/uninstall/leftovers.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "api/codec/avoid_entries.h"
#include "api/codec/decode_common.h"
#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/transport/url.h"
#include "api/write/node_annotation.h"
#include "api/write/pod_status.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::cli {
namespace {

constexpr std::string_view kCriticalPreemption = "elbowroom.dev/critical-preemption";

// The schedulerName of the scheduler where its configuration says no other. Pods of another one may
// be nominated by another program.
constexpr std::string_view kPlacedByUs = "elbowroom";
// kube-scheduler writes the same condition of a PodGroup.
constexpr std::string_view kMarkedBy = "elbowroom-scheduler: ";

std::string_view text_of(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = api::value_at(object, path);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

std::string version_of(const Value& object) {
  const Value* version = api::value_at(object, {"metadata", "resourceVersion"});
  return version == nullptr ? std::string() : version->text;
}

// The types of the Pod's conditions that are ours.
Result<std::vector<std::string>> our_conditions(const Value& object) {
  const api::Field root(object, api::Source::Server);
  ASSIGN_OR_RETURN(const api::Field status, root.get("status"));
  policy::Pod pod;
  ASSIGN_OR_RETURN(pod.conditions, api::decode_conditions(status, api::Conditioned::Pod));
  std::vector<std::string> types;
  const bool is_by_policy =
      policy::find_condition(pod.conditions, policy::kPodResizePreemptionDisabled) != nullptr &&
      policy::may_be_replaced_by_policy(
          *policy::find_condition(pod.conditions, policy::kPodResizePreemptionDisabled));
  if (is_by_policy) types.emplace_back(policy::kPodResizePreemptionDisabled);
  if (policy::removal_mark(pod)) types.emplace_back(policy::kDisruptionTarget);
  return types;
}

// The Node that the Pod, which waits, was nominated to by us; "": none.
std::string_view our_nomination(const Value& pod) {
  const bool waits = text_of(pod, {"spec", "nodeName"}).empty() &&
                     text_of(pod, {"spec", "schedulerName"}) == kPlacedByUs;
  return waits ? text_of(pod, {"status", "nominatedNodeName"}) : std::string_view();
}

Result<std::vector<Leftover>> in_pod(const Value& object, const api::ObjectRef& ref) {
  if (api::value_at(object, {"metadata", "deletionTimestamp"}) != nullptr) {
    return std::vector<Leftover>();
  }
  ASSIGN_OR_RETURN(std::vector<std::string> types, our_conditions(object));
  const std::string nominated(our_nomination(object));
  if (types.empty() && nominated.empty()) return std::vector<Leftover>();
  Leftover found{
      .kind = "Pod", .object = api::to_string(ref), .path = api::pod_path(ref.ns, ref.name)};
  for (const std::string& type : types) {
    found.what += (found.what.empty() ? "condition " : ", condition ") + type;
  }
  if (!nominated.empty()) {
    found.what += (found.what.empty() ? "nomination to " : ", nomination to ") + nominated;
  }
  api::PodStatusChange change{.clear = std::move(types), .read_at = version_of(object)};
  if (!nominated.empty()) change.nominated_node = "";
  found.removal.method = api::Method::Patch;
  found.removal.path = api::pod_path(ref.ns, ref.name, "status");
  found.removal.content_type = api::kStrategicMergePatch;
  found.removal.body = api::conditions_patch(ref.uid, change);
  return std::vector<Leftover>{std::move(found)};
}

std::vector<Leftover> in_group(const Value& object, const api::ObjectRef& ref) {
  const Value* conditions = api::value_at(object, {"status", "conditions"});
  const bool is_marked =
      conditions != nullptr && std::ranges::any_of(conditions->items, [](const Value& each) {
        return api::text_at(each, "type") == policy::kDisruptionTarget &&
               api::text_at(each, "message").starts_with(kMarkedBy);
      });
  if (!is_marked) return {};
  const std::string_view group_version = api::text_at(object, "apiVersion");
  const std::string_view version = group_version.substr(group_version.find('/') + 1);
  Leftover found{.kind = "PodGroup",
                 .object = api::to_string(ref),
                 .what = "condition " + std::string(policy::kDisruptionTarget),
                 .path = api::pod_group_path(version, ref.ns, ref.name)};
  found.removal.method = api::Method::Patch;
  found.removal.path = api::pod_group_path(version, ref.ns, ref.name, "status");
  found.removal.content_type = api::kStrategicMergePatch;
  found.removal.body = api::conditions_patch(
      ref.uid, {.clear = {std::string(policy::kDisruptionTarget)}, .read_at = version_of(object)});
  return {std::move(found)};
}

Leftover annotation_of(const api::NodeAnnotation& read, std::string what,
                       const std::optional<std::string>& value) {
  return {.kind = "Node",
          .object = read.node,
          .what = std::move(what),
          .path = api::node_object_path(read.node),
          .removal = api::annotation_request(read, value)};
}

Result<std::vector<Leftover>> in_node(const Value& object) {
  std::vector<Leftover> found;
  ASSIGN_OR_RETURN(const api::NodeAnnotation critical,
                   api::annotation_in(object, kCriticalPreemption));
  if (critical.value) {
    found.push_back(
        annotation_of(critical, "annotation " + std::string(kCriticalPreemption), std::nullopt));
  }
  ASSIGN_OR_RETURN(const api::NodeAnnotation avoided,
                   api::annotation_in(object, api::kPreferAvoidPods));
  if (!avoided.value) return found;
  auto entries = api::AvoidEntries::parse(avoided.value);
  // Nobody can tell which entries of such an annotation are ours; it is left as it is.
  if (!entries) return found;
  const std::size_t ours = entries->drop_ours();
  if (ours == 0) return found;
  found.push_back(annotation_of(avoided,
                                std::to_string(ours) + (ours == 1 ? " entry" : " entries") +
                                    " of annotation " + std::string(api::kPreferAvoidPods),
                                entries->text()));
  return found;
}

}  // namespace

Result<std::vector<Leftover>> leftovers_in(const Value& object) {
  const std::string_view kind = api::text_at(object, "kind");
  const api::ObjectRef ref = api::ref_of(object);
  if (kind == "Node") return in_node(object);
  if (kind == "Pod") return in_pod(object, ref);
  if (kind == "PodGroup") return in_group(object, ref);
  return std::vector<Leftover>();
}

Result<Leftover> leftover_object(const Value& object, std::string_view path) {
  const api::ObjectRef ref = api::ref_of(object);
  const std::string kind(api::text_at(object, "kind"));
  if (ref.uid.empty()) return failure(Code::Invalid, kind + " " + to_string(ref) + " has no uid");
  Leftover found{
      .kind = kind, .object = api::to_string(ref), .what = "the object", .path = std::string(path)};
  Value conditions = api::json_map(
      {{"uid", api::json_text(ref.uid)}, {"resourceVersion", api::json_text(version_of(object))}});
  found.removal.method = api::Method::Delete;
  found.removal.path = path;
  found.removal.content_type = api::kJson;
  found.removal.body = api::to_json(api::json_map({{"apiVersion", api::json_text("v1")},
                                                   {"kind", api::json_text("DeleteOptions")},
                                                   {"preconditions", std::move(conditions)}}));
  return found;
}

}  // namespace elbowroom::cli
