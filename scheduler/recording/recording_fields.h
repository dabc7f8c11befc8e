// What the scheduler's own values are made of, for its recordings. See recording/policy_fields.h;
// pods are recorded as they come out of being packed, with their placement, and nodes with their
// taints.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/packed_pod.h"
#include "control/recording_fields.h"
#include "recording/placement_fields.h"
#include "recording/policy_fields.h"
#include "scheduler/collections.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"
#include "scheduler/reactor.h"

namespace elbowroom::recording {

// A pod with what it asks of its node, in one map.
struct PlacedPod {
  policy::Pod pod{};
  policy::Placement placement{};
};
template <>
struct Fields<PlacedPod> {
  static void list(auto& io, auto& of) {
    auto& [pod, placement] = of;
    Fields<policy::Pod>::list(io, pod);
    io("placement", placement);
  }
};
template <>
struct Special<cluster::PackedPod> {
  static void write(FieldWriter& to, const cluster::PackedPod& of) {
    PlacedPod placed{.pod = of.unpacked()};
    placed.placement = std::move(placed.pod.placement);
    to.write(placed);
  }
  static void read(FieldReader& by, const Value& from, cluster::PackedPod& of) {
    PlacedPod placed;
    by.read(from, placed);
    placed.pod.placement = std::move(placed.placement);
    of = cluster::PackedPod::packed(placed.pod);
  }
};

// An entry without a time is the uid alone, as in recordings of older versions.
struct TimedAvoidance {
  std::string uid{};
  std::optional<policy::Time> until{};
};
template <>
struct Fields<TimedAvoidance> {
  static void list(auto& io, auto& of) {
    auto& [uid, until] = of;
    io("uid", uid)("until", until);
  }
};
template <>
struct Special<policy::AvoidedController> {
  static void write(FieldWriter& to, const policy::AvoidedController& of) {
    if (!of.until) return to.write(of.uid);
    to.write(TimedAvoidance{.uid = of.uid, .until = of.until});
  }
  static void read(FieldReader& by, const Value& from, policy::AvoidedController& of) {
    if (from.kind == Value::Kind::String) return by.read(from, of.uid);
    TimedAvoidance timed;
    by.read(from, timed);
    of = {.uid = std::move(timed.uid), .until = timed.until};
  }
};

// What recordings of agents leave out of a node, by its name.
struct NodeTerms {
  std::vector<policy::Taint> taints{};
  std::vector<policy::AvoidedController> avoided_controllers{};
};
template <>
struct Fields<NodeTerms> {
  static void list(auto& io, auto& of) {
    auto& [taints, avoided_controllers] = of;
    io("taints", taints)("avoidedControllers", avoided_controllers);
  }
};
using TermsByNode = std::map<std::string, NodeTerms, std::less<>>;

[[nodiscard]] inline TermsByNode terms_of(const std::vector<policy::Node>& nodes) {
  TermsByNode terms;
  for (const policy::Node& each : nodes) {
    if (each.taints.empty() && each.avoided_controllers.empty()) continue;
    terms[each.name] = {.taints = each.taints, .avoided_controllers = each.avoided_controllers};
  }
  return terms;
}
inline void give_terms(const TermsByNode& /*terms*/, const std::vector<policy::Node>& /*to*/) {}
inline void give_terms(const TermsByNode& terms, std::vector<policy::Node>& to) {
  for (policy::Node& each : to) {
    const auto at = terms.find(each.name);
    if (at == terms.end()) continue;
    each.taints = at->second.taints;
    each.avoided_controllers = at->second.avoided_controllers;
  }
}

// ---- options ----

template <>
struct Fields<scheduler::CircuitBreakerLimits> {
  static void list(auto& io, auto& of) {
    auto& [sets_per_pod, pods_per_node, window] = of;
    io("setsPerPod", sets_per_pod)("podsPerNode", pods_per_node)("windowMs", window);
  }
};
template <>
struct Fields<scheduler::ReactorOptions> {
  static void list(auto& io, auto& of) {
    auto& [rules, dry_run, leader_elect, elector, breaker, yield_to, places_for] = of;
    io("rules", rules)("dryRun", dry_run)("leaderElect", leader_elect)("elector", elector)(
        "breaker", breaker)("yieldTo", yield_to)("placesFor", places_for);
  }
};

// ---- observations: the reactor reads no uid of what is gone but a pod, and recordings hold none;
// nor do they hold the unreadable nodes and namespaces, which count as gone ----

// A name with its namespace, which recordings hold apart.
using control::NameParts;
template <>
struct Fields<NameParts> {
  static void list(auto& io, auto& of) {
    auto& [ns, name] = of;
    io("namespace", ns)("name", name);
  }
};
[[nodiscard]] inline std::vector<NameParts> parts_of(const std::vector<std::string>& keys) {
  std::vector<NameParts> parts;
  for (const std::string& key : keys) parts.push_back(control::name_parts(key));
  return parts;
}
inline void give_key(const NameParts& /*parts*/, const std::string& /*to*/) {}
inline void give_key(const NameParts& parts, std::string& to) { to = parts.ns + "/" + parts.name; }
inline void give_keys(const std::vector<NameParts>& /*parts*/,
                      const std::vector<std::string>& /*to*/) {}
inline void give_keys(const std::vector<NameParts>& parts, std::vector<std::string>& to) {
  to.clear();
  for (const NameParts& each : parts) to.push_back(each.ns + "/" + each.name);
}

template <class T>
concept IsBudget =
    std::is_same_v<T, policy::PodDisruptionBudget> || std::is_same_v<T, policy::DisruptionBudget>;

template <>
struct Names<scheduler::Collection> {
  static constexpr auto kAll = control::names_of(scheduler::kCollectionTable);
};
template <>
struct Fields<scheduler::NodesListed> {
  static void list(auto& io, auto& of) {
    auto& [nodes, unreadable] = of;
    io("nodes", nodes);
    TermsByNode terms = terms_of(nodes);
    io("terms", terms);
    give_terms(terms, nodes);
  }
};
template <>
struct Fields<scheduler::NodeSeen> {
  static void list(auto& io, auto& of) {
    auto& [node] = of;
    io("node", node)("taints", node.taints)("avoidedControllers", node.avoided_controllers);
  }
};
template <>
struct Fields<scheduler::NodeGone> {
  static void list(auto& io, auto& of) {
    auto& [name, uid] = of;
    io("name", name);
  }
};
template <>
struct Fields<scheduler::PodsListed> {
  static void list(auto& io, auto& of) {
    auto& [pods, unreadable] = of;
    io("pods", pods)("unreadable", unreadable);
  }
};
template <>
struct Fields<scheduler::PodSeen> {
  static void list(auto& io, auto& of) {
    auto& [pod] = of;
    io("pod", pod);
  }
};
template <>
struct Fields<scheduler::PodGone> {
  static void list(auto& io, auto& of) {
    auto& [key, uid] = of;
    io("pod", key)("uid", uid);
  }
};
template <IsBudget T>
struct Fields<control::Listed<T>> {
  static void list(auto& io, auto& of) {
    auto& [budgets, unreadable] = of;
    std::vector<NameParts> parts = parts_of(unreadable);
    io("budgets", budgets)("unreadable", parts);
    give_keys(parts, unreadable);
  }
};
template <IsBudget T>
struct Fields<control::Seen<T>> {
  static void list(auto& io, auto& of) {
    auto& [budget] = of;
    io("budget", budget);
  }
};
template <IsBudget T>
struct Fields<control::Gone<T>> {
  static void list(auto& io, auto& of) {
    auto& [key, uid] = of;
    NameParts parts = control::name_parts(key);
    io("namespace", parts.ns)("name", parts.name);
    give_key(parts, key);
  }
};
template <>
struct Names<policy::DisruptionMode> {
  static constexpr std::array kAll = {"Single"sv, "All"sv};
};
template <>
struct Names<policy::GroupObstacle> {
  static constexpr std::array kAll = {"None"sv, "CompositeParent"sv, "SchedulingConstraints"sv,
                                      "ResourceClaims"sv, "NotUnderstood"sv};
};
template <>
struct Fields<policy::GroupStanding> {
  static void list(auto& io, auto& of) {
    auto& [uid, priority, preemption_policy, mode, obstacle, min_count] = of;
    io("uid", uid)("priority", priority)("preemptionPolicy", preemption_policy)("mode", mode)(
        "obstacle", obstacle)("minCount", min_count);
  }
};
template <>
struct Fields<policy::PodGroup> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, resource_version, standing, has_priority, priority_class, has_policy, workload,
           trouble, created, deletion, conditions] = of;
    io("namespace", ns)("name", name)("resourceVersion", resource_version)("standing", standing)(
        "hasPriority", has_priority)("priorityClass", priority_class)("hasPolicy", has_policy)(
        "workload", workload)("trouble", trouble)("created", created)("deletion", deletion)(
        "conditions", conditions);
  }
};
template <>
struct Fields<scheduler::StoredBreaker> {
  static void list(auto& io, auto& of) {
    auto& [uid, resource_version, text] = of;
    io("uid", uid)("resourceVersion", resource_version)("text", text);
  }
};
template <>
struct Fields<scheduler::Done> {
  static void list(auto& io, auto& of) {
    auto& [effect, lease, pod, breaker, group, budget] = of;
    io("effect", effect)("lease", lease)("pod", pod)("breaker", breaker)("group", group)("budget",
                                                                                         budget);
  }
};
template <>
struct Fields<policy::Namespace> {
  static void list(auto& io, auto& of) {
    auto& [name, labels] = of;
    io("name", name)("labels", labels);
  }
};
template <>
struct Fields<scheduler::NamespacesListed> {
  static void list(auto& io, auto& of) {
    auto& [namespaces, unreadable] = of;
    io("namespaces", namespaces);
  }
};
template <>
struct Fields<scheduler::NamespaceSeen> {
  static void list(auto& io, auto& of) {
    auto& [seen] = of;
    io("namespace", seen);
  }
};
template <>
struct Fields<scheduler::NamespaceGone> {
  static void list(auto& io, auto& of) {
    auto& [name, uid] = of;
    io("name", name);
  }
};
template <>
struct Names<decltype(scheduler::Observation::what)> {
  static constexpr std::array kAll = {"nodesListed"sv,
                                      "nodeSeen"sv,
                                      "nodeGone"sv,
                                      "podsListed"sv,
                                      "podSeen"sv,
                                      "podGone"sv,
                                      "budgetsListed"sv,
                                      "budgetSeen"sv,
                                      "budgetGone"sv,
                                      "ownBudgetsListed"sv,
                                      "ownBudgetSeen"sv,
                                      "ownBudgetGone"sv,
                                      "unreadable"sv,
                                      "lost"sv,
                                      "back"sv,
                                      "policyFieldProbed"sv,
                                      "leaseSeen"sv,
                                      "leaseUnseen"sv,
                                      "stopAsked"sv,
                                      "timePassed"sv,
                                      "done"sv,
                                      "failed"sv,
                                      "namespacesListed"sv,
                                      "namespaceSeen"sv,
                                      "namespaceGone"sv,
                                      "serverDated"sv,
                                      "podGroupsListed"sv,
                                      "podGroupSeen"sv,
                                      "podGroupGone"sv};
};

// ---- effects ----

template <>
struct Fields<scheduler::ConfirmResize> {
  static void list(auto& io, auto& of) {
    auto& [preemptor] = of;
    io("preemptor", preemptor);
  }
};
template <>
struct Fields<scheduler::ReadBreaker> {
  static_assert(std::is_empty_v<scheduler::ReadBreaker>);
  static void list(auto& /*io*/, auto& /*of*/) {}
};
template <>
struct Fields<scheduler::WriteBreaker> {
  static void list(auto& io, auto& of) {
    auto& [stored] = of;
    io("stored", stored);
  }
};
template <>
struct Fields<scheduler::BindPod> {
  static void list(auto& io, auto& of) {
    auto& [pod, node] = of;
    io("pod", pod)("node", node);
  }
};
template <>
struct Fields<scheduler::WritePending> {
  static void list(auto& io, auto& of) {
    auto& [pod, scheduled, nominated] = of;
    io("pod", pod)("scheduled", scheduled)("nominated", nominated);
  }
};
template <>
struct Fields<scheduler::ConfirmGroup> {
  static void list(auto& io, auto& of) {
    auto& [group] = of;
    io("group", group);
  }
};
template <>
struct Fields<scheduler::WriteGroupStatus> {
  static void list(auto& io, auto& of) {
    auto& [group, set] = of;
    io("group", group)("set", set);
  }
};
template <>
struct Fields<cluster::BudgetName> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid] = of;
    io("namespace", ns)("name", name)("uid", uid);
  }
};
template <>
struct Fields<scheduler::ReadLedger> {
  static void list(auto& io, auto& of) {
    auto& [budget] = of;
    io("budget", budget);
  }
};
template <>
struct Fields<scheduler::WriteLedger> {
  static void list(auto& io, auto& of) {
    auto& [budget, version, ledger] = of;
    io("budget", budget)("resourceVersion", version)("ledger", ledger);
  }
};
template <>
struct Names<decltype(scheduler::Effect::what)> {
  static constexpr std::array kAll = {
      "markVictim"sv,   "deleteVictim"sv,     "confirmResize"sv, "emitEvent"sv,   "writeLease"sv,
      "giveUpWrites"sv, "bindPod"sv,          "writePending"sv,  "readBreaker"sv, "writeBreaker"sv,
      "confirmGroup"sv, "writeGroupStatus"sv, "readLedger"sv,    "writeLedger"sv};
};
template <>
struct Fields<scheduler::Effect> {
  static void list(auto& io, auto& of) {
    auto& [id, not_after, what] = of;
    io("id", id)("notAfterMs", not_after)("what", what);
  }
};

}  // namespace elbowroom::recording
