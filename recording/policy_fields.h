// The fields of policy/ and api/ values in recordings. A structured binding takes every struct
// apart, so a member that is added to a value but not here is a compiler error. A name that was
// written once never changes its meaning.
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/timestamp.h"
#include "api/write/lease.h"
#include "base/result.h"
#include "policy/model/budget.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/resize/resize.h"
#include "recording/json_fields.h"

// ---- times and amounts ----

// RFC 3339; a time outside its range is "@" and its microseconds since 1970.
template <>
struct elbowroom::recording::Worded<elbowroom::policy::Time> {
  static constexpr std::string_view kWhat = "RFC 3339 time in UTC";
  static constexpr std::int64_t kFirst = -62'167'219'200'000'000;  // 0000-01-01
  static constexpr std::int64_t kLast = 253'402'300'799'999'999;   // 9999-12-31

  static std::string text(policy::Time time) {
    const std::int64_t micros = time.time_since_epoch().count();
    const bool sayable = micros >= kFirst && micros <= kLast;
    return sayable ? api::format_timestamp(time) : "@" + std::to_string(micros);
  }
  static std::optional<policy::Time> value(std::string_view text) {
    if (!text.starts_with('@')) {
      const auto time = api::parse_timestamp(text);
      return time ? std::optional(*time) : std::nullopt;
    }
    std::int64_t micros = 0;
    const char* end = text.data() + text.size();
    const auto [stop, wrong] = std::from_chars(text.data() + 1, end, micros);
    // About 31,000 years: sums of times never wrap.
    constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
    if (wrong != std::errc{} || stop != end || micros > kMost || micros < -kMost) {
      return std::nullopt;
    }
    return policy::Time(std::chrono::microseconds(micros));
  }
};

template <>
struct elbowroom::recording::Special<elbowroom::policy::Resources> {
  static void write(FieldWriter& to, const policy::Resources& of) {
    // The guard: a new resource with its own member fails to compile here.
    [[maybe_unused]] const auto& [cpu, memory, ephemeral_storage, others] = of;
    std::map<std::string, std::int64_t, std::less<>> amounts;
    policy::for_each_amount(
        of, [&](std::string_view name, std::int64_t amount) { amounts.emplace(name, amount); });
    to.map(amounts);
  }
  static void read(FieldReader& by, const Value& from, policy::Resources& of) {
    of = {};
    if (!by.expect(from, Value::Kind::Map)) return;
    for (const Member& each : from.members) {
      const auto amount = by.number<std::int64_t>(each.value);
      if (amount < 0) by.fail("is below zero");
      if (!by.ok()) return by.inside("[\"" + each.key + "\"]");
      policy::set_amount(of, by.unarmoured(each.key), amount);
    }
  }
};

namespace elbowroom::recording {

using namespace std::string_view_literals;

template <>
struct Fields<policy::MilliCpu> {
  static void list(auto& io, auto& of) {
    auto& [value] = of;
    io("milli", value);
  }
};
template <>
struct Fields<policy::Bytes> {
  static void list(auto& io, auto& of) {
    auto& [value] = of;
    io("bytes", value);
  }
};
template <>
struct Fields<policy::Requirements> {
  static void list(auto& io, auto& of) {
    auto& [requests, limits] = of;
    io("requests", requests)("limits", limits);
  }
};

// ---- pods and nodes ----

template <>
struct Names<policy::Qos> {
  static constexpr std::array kAll = {"Guaranteed"sv, "Burstable"sv, "BestEffort"sv};
};
template <>
struct Names<policy::Phase> {
  static constexpr std::array kAll = {"Pending"sv, "Running"sv, "Succeeded"sv, "Failed"sv,
                                      "Unknown"sv};
};
template <>
struct Names<policy::ContainerKind> {
  static constexpr std::array kAll = {"Regular"sv, "Sidecar"sv, "Init"sv};
};
template <>
struct Names<policy::ResizePolicy> {
  static constexpr std::array kAll = {"NotRequired"sv, "RestartContainer"sv};
};
template <>
struct Names<policy::RunState> {
  static constexpr std::array kAll = {"None"sv, "Waiting"sv, "Running"sv, "Terminated"sv};
};
template <>
struct Names<policy::PreemptionPolicy> {
  static constexpr std::array kAll = {"PreemptLowerPriority"sv, "Never"sv};
};
template <>
struct Names<policy::NodeReady> {
  static constexpr std::array kAll = {"Unstated"sv, "True"sv, "False"sv, "Unknown"sv};
};
template <>
struct Names<policy::Verdict> {
  static constexpr std::array kAll = {"Unchanged"sv, "Allocated"sv, "Deferred"sv, "Infeasible"sv};
};
template <>
struct Fields<policy::Condition> {
  static void list(auto& io, auto& of) {
    auto& [type, status, reason, message, observed_generation, last_transition] = of;
    io("type", type)("status", status)("reason", reason)("message", message)(
        "observedGeneration", observed_generation)("lastTransitionTime", last_transition);
  }
};
template <>
struct Fields<policy::Container> {
  static void list(auto& io, auto& of) {
    auto& [name, kind, desired, allocated_requests, allocated_limits, actual_requests,
           actual_limits, cpu_resize, memory_resize, state, swaps, would_swap] = of;
    io("name", name)("kind", kind)("desired", desired)("allocatedRequests", allocated_requests)(
        "allocatedLimits", allocated_limits)("actualRequests", actual_requests)(
        "actualLimits", actual_limits)("cpuResize", cpu_resize)("memoryResize", memory_resize)(
        "state", state)("swaps", swaps)("wouldSwap", would_swap);
  }
};
template <>
struct Fields<policy::PodLevel> {
  static void list(auto& io, auto& of) {
    auto& [desired, allocated_requests, allocated_limits, actual_requests, actual_limits] = of;
    io("desired", desired)("allocatedRequests", allocated_requests)(
        "allocatedLimits", allocated_limits)("actualRequests", actual_requests)("actualLimits",
                                                                                actual_limits);
  }
};
template <>
struct Fields<policy::ClaimedResources> {
  static void list(auto& io, auto& of) {
    auto& [claim, amounts] = of;
    io("claim", claim)("amounts", amounts);
  }
};
template <>
struct Fields<policy::Owner> {
  static void list(auto& io, auto& of) {
    auto& [kind, name, uid] = of;
    io("kind", kind)("name", name)("uid", uid);
  }
};
template <>
struct Fields<policy::Pod> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid, generation, resource_version, labels, controller, node, nominated_node,
           scheduler_name, scheduling_group, has_resource_claims, priority, preemption_policy,
           is_static, is_mirror, never_moves, qos_in_status, phase, created, started, deletion,
           deletion_grace_seconds, termination_grace_seconds, containers, pod_level, overhead,
           claimed, placement, conditions, group] = of;
    (void)placement;  // not used to make room for resizes
    (void)group;      // a node knows no groups
    io("namespace", ns)("name", name)("uid", uid)("generation", generation)(
        "resourceVersion", resource_version)("labels", labels)("controller", controller)(
        "node", node)("nominatedNode", nominated_node)("schedulerName", scheduler_name)(
        "schedulingGroup", scheduling_group)("hasResourceClaims", has_resource_claims)(
        "priority", priority)("preemptionPolicy", preemption_policy)("static", is_static)(
        "mirror", is_mirror)("neverMoves", never_moves)("qos", qos_in_status)("phase", phase)(
        "created", created)("started", started)("deletion", deletion)("deletionGraceSeconds",
                                                                      deletion_grace_seconds)(
        "terminationGraceSeconds", termination_grace_seconds)("containers", containers)(
        "podLevel", pod_level)("overhead", overhead)("claimed", claimed)("conditions", conditions);
  }
};
template <>
struct Fields<policy::Node> {
  static void list(auto& io, auto& of) {
    auto& [name, uid, resource_version, labels, allocatable, allowed_pods, unschedulable, taints,
           ready, resize_preemption_owners, malformed_owners, critical_preemption_by_node,
           avoided_controllers, images] = of;
    (void)taints, (void)avoided_controllers, (void)images;  // the same
    io("name", name)("uid", uid)("resourceVersion", resource_version)("labels", labels)(
        "allocatable", allocatable)("allowedPods", allowed_pods)("unschedulable", unschedulable)(
        "ready", ready)("resizePreemptionOwners", resize_preemption_owners)(
        "malformedOwners", malformed_owners)("criticalPreemptionByNode",
                                             critical_preemption_by_node);
  }
};
template <>
struct Fields<policy::Shortage> {
  static void list(auto& io, auto& of) {
    auto& [resource, requested, used, capacity, lacking] = of;
    io("resource", resource)("requested", requested)("used", used)("capacity", capacity)("lacking",
                                                                                         lacking);
  }
};
template <>
struct Fields<policy::ResizeDecision> {
  static void list(auto& io, auto& of) {
    auto& [verdict, reason, detail, message, shortages] = of;
    io("verdict", verdict)("reason", reason)("detail", detail)("message", message)("shortages",
                                                                                   shortages);
  }
};
template <>
struct Fields<policy::ManagerPolicies> {
  static void list(auto& io, auto& of) {
    auto& [static_cpu, static_memory] = of;
    io("staticCpu", static_cpu)("staticMemory", static_memory);
  }
};

// ---- errors ----

template <>
struct Names<Code> {
  static constexpr std::array kAll = {"Invalid"sv, "NotFound"sv,    "Conflict"sv,  "Gone"sv,
                                      "Denied"sv,  "Unavailable"sv, "Exhausted"sv, "Internal"sv};
};
template <>
struct Fields<Error> {
  static void list(auto& io, auto& of) {
    auto& [code, message, retry_after] = of;
    io("code", code)("message", message)("retryAfterMs", retry_after);
  }
};
// ---- budgets and the Lease ----

template <>
struct Names<policy::LabelOperator> {
  static constexpr std::array kAll = {"In"sv, "NotIn"sv, "Exists"sv, "DoesNotExist"sv};
};
template <>
struct Names<policy::RuleSet> {
  static constexpr std::array kAll = {"elbowroom"sv, "upstream"sv};
};
template <>
struct Fields<policy::LabelExpression> {
  static void list(auto& io, auto& of) {
    auto& [key, op, values] = of;
    io("key", key)("operator", op)("values", values);
  }
};
template <>
struct Fields<policy::LabelSelector> {
  static void list(auto& io, auto& of) {
    auto& [match_labels, expressions] = of;
    io("matchLabels", match_labels)("matchExpressions", expressions);
  }
};
template <>
struct Names<policy::UnhealthyPodEviction> {
  static constexpr std::array kAll = {"IfHealthyBudget"sv, "AlwaysAllow"sv, "Unknown"sv};
};
template <>
struct Fields<policy::PodDisruptionBudget> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid, selector, disruptions_allowed, disrupted_pods, unhealthy, current_healthy,
           desired_healthy] = of;
    io("namespace", ns)("name", name)("uid", uid)("selector", selector)(
        "disruptionsAllowed", disruptions_allowed)("disruptedPods", disrupted_pods)(
        "unhealthyPodEvictionPolicy", unhealthy)("currentHealthy", current_healthy)(
        "desiredHealthy", desired_healthy);
  }
};
template <>
struct Fields<policy::IntOrPercent> {
  static void list(auto& io, auto& of) {
    auto& [value, percent] = of;
    io("value", value)("percent", percent);
  }
};
template <>
struct Fields<policy::LedgerEntry> {
  static void list(auto& io, auto& of) {
    auto& [pod, uid, time, by] = of;
    io("pod", pod)("uid", uid)("time", time)("by", by);
  }
};
template <>
struct Fields<policy::BudgetStatus> {
  static void list(auto& io, auto& of) {
    auto& [expected_pods, current_healthy, desired_healthy, disruptions_allowed, next_allowed_time,
           observed_time, observed_generation, conditions] = of;
    io("expectedPods", expected_pods)("currentHealthy", current_healthy)(
        "desiredHealthy", desired_healthy)("disruptionsAllowed", disruptions_allowed)(
        "nextAllowedTime", next_allowed_time)("observedTime", observed_time)(
        "observedGeneration", observed_generation)("conditions", conditions);
  }
};
template <>
struct Fields<policy::DisruptionBudget> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid, selector, min_available, max_unavailable, rate_disruptions, rate_per,
           hard, unhealthy, recent, version, generation, status] = of;
    io("namespace", ns)("name", name)("uid", uid)("selector", selector)(
        "minAvailable", min_available)("maxUnavailable", max_unavailable)(
        "rateDisruptions", rate_disruptions)("ratePerSeconds", rate_per)("hard", hard)(
        "unhealthyPodEvictionPolicy", unhealthy)("recent", recent)("resourceVersion", version)(
        "generation", generation)("status", status);
  }
};
template <>
struct Fields<api::Lease> {
  static void list(auto& io, auto& of) {
    auto& [uid, resource_version, holder, duration_seconds, acquired, renewed, transitions] = of;
    io("uid", uid)("resourceVersion", resource_version)("holder", holder)(
        "durationSeconds", duration_seconds)("acquired", acquired)("renewed", renewed)(
        "transitions", transitions);
  }
};

}  // namespace elbowroom::recording
