#include "api/codec/decode_pod.h"

#include <algorithm>
#include <limits>

#include "api/codec/container_fields.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_placement.h"
#include "api/codec/field.h"
#include "policy/model/charge.h"

namespace elbowroom::api {
namespace {

using policy::Container;
using policy::ContainerKind;
using policy::Pod;
using policy::Resources;

constexpr std::string_view kConfigSource = "kubernetes.io/config.source";
constexpr std::string_view kMove = "elbowroom.dev/move";
constexpr std::string_view kConfigMirror = "kubernetes.io/config.mirror";

Result<policy::PreemptionPolicy> decode_preemption_policy(const Field& spec) {
  ASSIGN_OR_RETURN(const std::string text, spec.text("preemptionPolicy"));
  if (text == "Never") return policy::PreemptionPolicy::Never;
  if (text.empty() || text == "PreemptLowerPriority") {
    return policy::PreemptionPolicy::PreemptLowerPriority;
  }
  // A policy of a newer server: what it allows is unknown.
  if (spec.is_served()) return policy::PreemptionPolicy::Never;
  return spec.refuse("preemptionPolicy", "must be PreemptLowerPriority or Never");
}

Result<void> decode_spec(const Field& spec, const PodReading& reading, Pod& pod) {
  ASSIGN_OR_RETURN(pod.node, spec.text("nodeName"));
  ASSIGN_OR_RETURN(pod.scheduler_name, spec.text("schedulerName"));
  ASSIGN_OR_RETURN(const Field group, spec.get("schedulingGroup"));
  ASSIGN_OR_RETURN(pod.scheduling_group, group.text("podGroupName"));
  ASSIGN_OR_RETURN(const Field claims, spec.get("resourceClaims"));
  ASSIGN_OR_RETURN(const std::size_t claim_count, claims.size());
  pod.has_resource_claims = claim_count > 0;

  using Limits = std::numeric_limits<std::int32_t>;
  ASSIGN_OR_RETURN(const auto priority, spec.integer("priority", Limits::min(), Limits::max()));
  if (priority) pod.priority = static_cast<std::int32_t>(*priority);
  ASSIGN_OR_RETURN(pod.preemption_policy, decode_preemption_policy(spec));
  ASSIGN_OR_RETURN(const auto grace, grace_seconds(spec, "terminationGracePeriodSeconds"));
  pod.termination_grace_seconds = grace.value_or(30);

  ASSIGN_OR_RETURN(const auto overhead, spec.resources("overhead"));
  pod.overhead = overhead.value_or(Resources{});
  ASSIGN_OR_RETURN(const Field level, spec.get("resources"));
  ASSIGN_OR_RETURN(pod.pod_level.desired, decode_requirements(level));
  RETURN_IF_ERROR(decode_containers(spec, reading.parts, pod));
  default_pod_level(level, pod);
  if (reading.terms == Terms::Read) pod.placement = decode_placement(spec, pod, reading.odd);
  return {};
}

policy::Phase phase_of(std::string_view text) {
  if (text.empty() || text == "Pending") return policy::Phase::Pending;
  if (text == "Running") return policy::Phase::Running;
  if (text == "Succeeded") return policy::Phase::Succeeded;
  if (text == "Failed") return policy::Phase::Failed;
  return policy::Phase::Unknown;
}

std::optional<policy::Qos> qos_of(std::string_view text) {
  if (text == "Guaranteed") return policy::Qos::Guaranteed;
  if (text == "Burstable") return policy::Qos::Burstable;
  if (text == "BestEffort") return policy::Qos::BestEffort;
  return std::nullopt;
}

// The amount of one resource that an item of a list has under that key; none: zero.
Result<void> add_amount(const Field& item, std::string_view key, std::size_t times, Resources& to) {
  ASSIGN_OR_RETURN(const std::string name, item.text("name"));
  ASSIGN_OR_RETURN(const Field at, item.get(key));
  if (!at.present() || name.empty() || name == "pods") return {};
  ASSIGN_OR_RETURN(const std::int64_t amount, at.as_quantity(name));
  const auto count = static_cast<std::int64_t>(times);
  const bool is_too_large = count > 0 && amount > policy::kMaxAmount / count;
  Resources more;
  policy::set_amount(more, name, is_too_large ? policy::kMaxAmount : amount * count);
  policy::add_to(to, more);
  return {};
}

void add_claimed(const std::string& claim, const Resources& amounts, Pod& pod) {
  if (policy::is_zero(amounts)) return;
  const auto known = std::ranges::find(pod.claimed, claim, &policy::ClaimedResources::claim);
  if (known != pod.claimed.end()) return policy::add_to(known->amounts, amounts);
  pod.claimed.push_back({claim, amounts});
}

// What a claim maps is the claim's, overhead each pod's own. 1.36 has `resources` for the former.
// Source: component-helpers resource.getDRANodeAllocatableResources (1.37), KEP-5517.
Result<void> decode_claimed(const Field& status, Pod& pod) {
  ASSIGN_OR_RETURN(const Field list, status.get("nodeAllocatableResourceClaimStatuses"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field item = list.item(i);
    ASSIGN_OR_RETURN(const std::string claim, item.text("resourceClaimName"));
    ASSIGN_OR_RETURN(const Field containers, item.get("containers"));
    ASSIGN_OR_RETURN(const std::size_t references, containers.size());
    ASSIGN_OR_RETURN(const auto resources, item.resources("resources"));
    Resources shared = resources.value_or(Resources{});
    Resources own;
    ASSIGN_OR_RETURN(const Field mapping, item.get("mapping"));
    ASSIGN_OR_RETURN(const std::size_t mapped, mapping.size());
    for (std::size_t at = 0; at < mapped; ++at) {
      RETURN_IF_ERROR(add_amount(mapping.item(at), "quantity", 1, shared));
    }
    ASSIGN_OR_RETURN(const Field overhead, item.get("overhead"));
    ASSIGN_OR_RETURN(const std::size_t overheads, overhead.size());
    for (std::size_t at = 0; at < overheads; ++at) {
      RETURN_IF_ERROR(add_amount(overhead.item(at), "perPod", 1, own));
      RETURN_IF_ERROR(add_amount(overhead.item(at), "perContainer", references, own));
    }
    add_claimed(claim, shared, pod);
    add_claimed("", own, pod);
  }
  return {};
}

Result<void> decode_status(const Field& status, const ContainerParts* parts, Pod& pod) {
  ASSIGN_OR_RETURN(const std::string phase, status.text("phase"));
  pod.phase = phase_of(phase);
  ASSIGN_OR_RETURN(const std::string qos, status.text("qosClass"));
  pod.qos_in_status = qos_of(qos);
  ASSIGN_OR_RETURN(pod.started, status.time("startTime"));
  ASSIGN_OR_RETURN(pod.nominated_node, status.text("nominatedNodeName"));
  ASSIGN_OR_RETURN(pod.conditions, decode_conditions(status, Conditioned::Pod));
  ASSIGN_OR_RETURN(pod.pod_level.allocated_requests, status.resources("allocatedResources"));
  ASSIGN_OR_RETURN(const Field resources, status.get("resources"));
  ASSIGN_OR_RETURN(pod.pod_level.actual_requests, resources.resources("requests"));
  ASSIGN_OR_RETURN(pod.pod_level.actual_limits, resources.resources("limits"));
  RETURN_IF_ERROR(decode_container_statuses(status, parts, pod));
  return decode_claimed(status, pod);
}

Result<void> check_totals(const Pod& pod) {
  const policy::Totals totals = policy::totals_of(pod);
  const Resources largest = policy::resizing_charge(totals);
  std::string too_large;
  policy::for_each_amount(largest, [&](std::string_view name, std::int64_t amount) {
    if (too_large.empty() && amount == policy::kMaxAmount && policy::leaves_64_bits(pod, name)) {
      too_large = name;
    }
  });
  if (too_large.empty()) return {};
  return failure(Code::Invalid,
                 "spec.containers: the requests of " + too_large + " add up to more than 2^63-1");
}

Result<Pod> decode(const Field& root, const PodReading& reading) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  Pod pod;
  pod.ns = metadata.ns.empty() ? "default" : std::move(metadata.ns);
  pod.name = std::move(metadata.name);
  pod.uid = std::move(metadata.uid);
  pod.generation = metadata.generation;
  pod.resource_version = std::move(metadata.resource_version);
  pod.labels = std::move(metadata.labels);
  pod.created = metadata.created;
  pod.deletion = metadata.deletion;
  pod.deletion_grace_seconds = metadata.deletion_grace_seconds;
  const auto source = metadata.annotations.find(kConfigSource);
  pod.is_static = source != metadata.annotations.end() && source->second != "api";
  pod.is_mirror = metadata.annotations.contains(kConfigMirror);
  const auto move = metadata.annotations.find(kMove);
  pod.never_moves = move != metadata.annotations.end() && move->second == "never";
  // A server shows a static pod as its mirror pod. Any user may set the other annotation alone, and
  // a kubelet overwrites it.
  if (root.is_served() && !pod.is_mirror) pod.is_static = false;
  ASSIGN_OR_RETURN(pod.controller, decode_controller(root));

  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  RETURN_IF_ERROR(decode_spec(spec, reading, pod));
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  RETURN_IF_ERROR(decode_status(status, reading.parts, pod));

  if (pod.uid.empty() && !pod.node.empty()) {
    return failure(Code::Invalid, "metadata.uid: must not be empty on a pod that has a node");
  }
  if (pod.uid.empty()) pod.uid = key_of(pod);
  if (!root.is_served()) RETURN_IF_ERROR(check_totals(pod));
  return pod;
}

}  // namespace

Result<policy::Pod> decode_pod(const Value& object) { return decode_pod_as({}, object); }

Result<policy::Pod> decode_pod_as(const PodReading& reading, const Value& object) {
  Result<Pod> pod = decode(Field(object, reading.source), reading);
  if (!pod) return std::unexpected(pod.error().with("pod " + name_in_errors(object, true)));
  return pod;
}

}  // namespace elbowroom::api
