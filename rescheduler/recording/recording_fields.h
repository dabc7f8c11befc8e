// What the rescheduler's own values are made of, for its recordings. See
// recording/policy_fields.h, and cluster/recording_fields.h for nodes, pods and budgets.
#pragma once

#include <array>

#include "cluster/recording_fields.h"
#include "control/recording_fields.h"
#include "rescheduler/collections.h"
#include "rescheduler/effect.h"
#include "rescheduler/observation.h"
#include "rescheduler/reactor_options.h"

namespace elbowroom::recording {

template <class T>
inline constexpr bool kIsOfMoves = false;
template <rescheduler::Collection kOf>
inline constexpr bool kIsOfMoves<rescheduler::OwnerOf<kOf>> = true;
template <rescheduler::Collection kOf>
inline constexpr bool kIsOfMoves<rescheduler::ConfigOf<kOf>> = true;
template <class T>
concept IsOfMoves = kIsOfMoves<T>;

template <>
struct Fields<rescheduler::ReactorOptions> {
  static void list(auto& io, auto& of) {
    auto& [dry_run, leader_elect, rules, has_no_past, elector] = of;
    io("dryRun", dry_run)("leaderElect", leader_elect)("rules", rules)("hasNoPast", has_no_past)(
        "elector", elector);
  }
};
template <>
struct Fields<policy::UnderutilizedNode> {
  static void list(auto& io, auto& of) {
    auto& [enabled, threshold, target, max_moves, min_gain] = of;
    io("enabled", enabled)("threshold", threshold)("target", target)("maxMovesPerPass", max_moves)(
        "minGain", min_gain);
  }
};
template <>
struct Fields<policy::AffinityPreference> {
  static void list(auto& io, auto& of) {
    auto& [enabled, min_gain] = of;
    io("enabled", enabled)("minGain", min_gain);
  }
};
template <>
struct Fields<policy::MovePolicies> {
  static void list(auto& io, auto& of) {
    auto& [underutilized_node, affinity_preference] = of;
    io("underutilizedNode", underutilized_node)("affinityPreference", affinity_preference);
  }
};
template <>
struct Fields<policy::NamespaceChoice> {
  static void list(auto& io, auto& of) {
    auto& [include, exclude] = of;
    io("include", include)("exclude", exclude);
  }
};
template <>
struct Fields<policy::WebhookRules> {
  static void list(auto& io, auto& of) {
    auto& [refuses, users, groups] = of;
    io("refusesWhenUnsure", refuses)("deletesByUsers", users)("deletesByGroups", groups);
  }
};
template <>
struct Fields<api::AdmissionReview> {
  static void list(auto& io, auto& of) {
    auto& [uid, group, resource, subresource, operation, ns, name, pod_uid, dry_run, user, groups] =
        of;
    io("uid", uid)("group", group)("resource", resource)("subResource", subresource)(
        "operation", operation)("namespace", ns)("name", name)("podUID", pod_uid)(
        "dryRun", dry_run)("user", user)("groups", groups);
  }
};
template <>
struct Fields<api::ReviewAnswer> {
  static void list(auto& io, auto& of) {
    auto& [allowed, code, message, retry_after, budget, warning] = of;
    io("allowed", allowed)("code", code)("message", message)("retryAfter", retry_after)(
        "budget", budget)("warning", warning);
  }
};
template <>
struct Fields<rescheduler::ReviewAsked> {
  static void list(auto& io, auto& of) {
    auto& [number, review] = of;
    io("number", number)("review", review);
  }
};
template <>
struct Fields<rescheduler::AnswerReview> {
  static void list(auto& io, auto& of) {
    auto& [number, uid, answer] = of;
    io("number", number)("uid", uid)("answer", answer);
  }
};
template <>
struct Fields<policy::MoveRules> {
  static void list(auto& io, auto& of) {
    auto& [interval, policies, reserve, cool_down, per_hour, per_node, avoid_for, protects,
           namespaces, webhook] = of;
    io("interval", interval)("policies", policies)("budgetReserve", reserve)("coolDown", cool_down)(
        "maxMovesPerHour", per_hour)("maxMovesPerNodePerHour", per_node)("avoidFor", avoid_for)(
        "protectLocalStorage", protects)("namespaces", namespaces)("webhook", webhook);
  }
};
template <>
struct Fields<policy::MoveOwner> {
  static void list(auto& io, auto& of) {
    auto& [kind, ns, name, uid, controller, tells, rolls_out, selector] = of;
    io("kind", kind)("namespace", ns)("name", name)("uid", uid)("controller", controller)(
        "tells", tells)("rollsOut", rolls_out)("selector", selector);
  }
};
template <rescheduler::Collection kOf>
struct Fields<rescheduler::OwnerOf<kOf>> {
  static void list(auto& io, auto& of) {
    auto& [is] = of;
    io("is", is);
  }
};
template <>
struct Fields<rescheduler::ConfigText> {
  static void list(auto& io, auto& of) {
    auto& [uid, version, data] = of;
    io("uid", uid)("resourceVersion", version)("data", data);
  }
};
template <rescheduler::Collection kOf>
struct Fields<rescheduler::ConfigOf<kOf>> {
  static void list(auto& io, auto& of) {
    auto& [is] = of;
    io("is", is);
  }
};
template <class T>
  requires IsOfMoves<T>
struct Fields<control::Listed<T>> {
  static void list(auto& io, auto& of) {
    auto& [objects, unreadable] = of;
    io("objects", objects)("unreadable", unreadable);
  }
};
template <class T>
  requires IsOfMoves<T>
struct Fields<control::Seen<T>> {
  static void list(auto& io, auto& of) {
    auto& [object] = of;
    io("object", object);
  }
};
template <>
struct Fields<rescheduler::Done> {
  static void list(auto& io, auto& of) {
    auto& [effect, lease, budget, version] = of;
    io("effect", effect)("lease", lease)("budget", budget)("resourceVersion", version);
  }
};
template <>
struct Names<rescheduler::Collection> {
  static constexpr auto kAll = control::names_of(rescheduler::kCollectionTable);
};
template <>
struct Names<decltype(rescheduler::Observation::what)> {
  static constexpr auto kAll = with_shared_names(std::array<std::string_view, 31>{
      "nodesListed"sv,        "nodeSeen"sv,        "nodeGone"sv,
      "podsListed"sv,         "podSeen"sv,         "podGone"sv,
      "budgetsListed"sv,      "budgetSeen"sv,      "budgetGone"sv,
      "podBudgetsListed"sv,   "podBudgetSeen"sv,   "podBudgetGone"sv,
      "namespacesListed"sv,   "namespaceSeen"sv,   "namespaceGone"sv,
      "deploymentsListed"sv,  "deploymentSeen"sv,  "deploymentGone"sv,
      "replicaSetsListed"sv,  "replicaSetSeen"sv,  "replicaSetGone"sv,
      "statefulSetsListed"sv, "statefulSetSeen"sv, "statefulSetGone"sv,
      "settingsListed"sv,     "settingsSeen"sv,    "settingsGone"sv,
      "restsListed"sv,        "restsSeen"sv,       "restsGone"sv,
      "reviewAsked"sv});
};
template <>
struct Fields<rescheduler::WriteBudget> {
  static void list(auto& io, auto& of) {
    auto& [budget, version, status, ledger] = of;
    io("budget", budget)("resourceVersion", version)("status", status)("ledger", ledger);
  }
};
template <>
struct Fields<rescheduler::ReportOdd> {
  static void list(auto& io, auto& of) {
    auto& [budget, why, now] = of;
    io("budget", budget)("why", why)("now", now);
  }
};
template <>
struct Fields<rescheduler::DropAvoided> {
  static void list(auto& io, auto& of) {
    auto& [node, now] = of;
    io("node", node)("now", now);
  }
};
template <>
struct Fields<rescheduler::AvoidNode> {
  static void list(auto& io, auto& of) {
    auto& [pod, node, now, lasts] = of;
    io("pod", pod)("node", node)("now", now)("lasts", lasts);
  }
};
template <>
struct Fields<rescheduler::AllowNode> {
  static void list(auto& io, auto& of) {
    auto& [pod_uid, node, now] = of;
    io("podUID", pod_uid)("node", node)("now", now);
  }
};
template <>
struct Fields<rescheduler::EvictPod> {
  static void list(auto& io, auto& of) {
    auto& [pod, dry_run] = of;
    io("pod", pod)("dryRun", dry_run);
  }
};
template <>
struct Fields<rescheduler::WriteRests> {
  static void list(auto& io, auto& of) {
    auto& [version, text] = of;
    io("resourceVersion", version)("text", text);
  }
};
template <>
struct Names<decltype(rescheduler::Effect::what)> {
  static constexpr std::array kAll = {
      "writeLease"sv,  "giveUpWrites"sv, "writeBudget"sv, "reportOdd"sv, "dropAvoided"sv,
      "emitEvent"sv,   "avoidNode"sv,    "allowNode"sv,   "evictPod"sv,  "readLedger"sv,
      "writeLedger"sv, "writeRests"sv,   "answerReview"sv};
};
template <>
struct Fields<rescheduler::Effect> {
  static void list(auto& io, auto& of) {
    auto& [id, not_after, what] = of;
    io("id", id)("notAfterMs", not_after)("what", what);
  }
};

}  // namespace elbowroom::recording
