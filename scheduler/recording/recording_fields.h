// What the scheduler's own values are made of, for its recordings. See recording/policy_fields.h,
// and cluster/recording_fields.h for nodes, pods and budgets.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/recording_fields.h"
#include "control/recording_fields.h"
#include "recording/policy_fields.h"
#include "recording/volume_fields.h"
#include "scheduler/collections.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"
#include "scheduler/reactor.h"

namespace elbowroom::recording {

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

// ---- observations ----

template <>
struct Names<scheduler::Collection> {
  static constexpr auto kAll = control::names_of(scheduler::kCollectionTable);
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
struct Fields<api::PriorityClass> {
  static void list(auto& io, auto& of) {
    auto& [name, value, global_default, never_preempts] = of;
    io("name", name)("value", value)("globalDefault", global_default)("neverPreempts",
                                                                      never_preempts);
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
// Of claims, volumes, classes, and what drivers publish. Unreadable ones count as gone.
template <class T>
concept IsOfVolumes =
    std::is_same_v<T, policy::VolumeClaim> || std::is_same_v<T, policy::PersistentVolume> ||
    std::is_same_v<T, policy::StorageClass> || std::is_same_v<T, policy::CsiNode> ||
    std::is_same_v<T, policy::CsiDriver> || std::is_same_v<T, policy::StorageCapacity>;
template <IsOfVolumes T>
struct Fields<control::Listed<T>> {
  static void list(auto& io, auto& of) {
    auto& [objects, unreadable] = of;
    io("objects", objects);
  }
};
template <IsOfVolumes T>
struct Fields<control::Gone<T>> {
  static void list(auto& io, auto& of) {
    auto& [key, uid] = of;
    io("key", key);
  }
};
template <>
struct Names<policy::SelectingKind> {
  static constexpr std::array kAll = {"Service"sv, "ReplicationController"sv, "ReplicaSet"sv,
                                      "StatefulSet"sv};
};
template <>
struct Fields<policy::Selecting> {
  static void list(auto& io, auto& of) {
    auto& [kind, ns, name, selector] = of;
    io("kind", kind)("namespace", ns)("name", name)("selector", selector);
  }
};
template <policy::SelectingKind kOf>
struct Fields<scheduler::SelectingOf<kOf>> {
  static void list(auto& io, auto& of) {
    auto& [is] = of;
    Fields<policy::Selecting>::list(io, is);
  }
};
template <policy::SelectingKind kOf>
struct Fields<control::Listed<scheduler::SelectingOf<kOf>>> {
  static void list(auto& io, auto& of) {
    auto& [objects, unreadable] = of;
    io("objects", objects);
  }
};
template <policy::SelectingKind kOf>
struct Fields<control::Gone<scheduler::SelectingOf<kOf>>> {
  static void list(auto& io, auto& of) {
    auto& [key, uid] = of;
    NameParts parts = control::name_parts(key);
    io("namespace", parts.ns)("name", parts.name);
    give_key(parts, key);
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
                                      "podGroupGone"sv,
                                      "claimsListed"sv,
                                      "claimSeen"sv,
                                      "claimGone"sv,
                                      "volumesListed"sv,
                                      "volumeSeen"sv,
                                      "volumeGone"sv,
                                      "storageClassesListed"sv,
                                      "storageClassSeen"sv,
                                      "storageClassGone"sv,
                                      "csiNodesListed"sv,
                                      "csiNodeSeen"sv,
                                      "csiNodeGone"sv,
                                      "csiDriversListed"sv,
                                      "csiDriverSeen"sv,
                                      "csiDriverGone"sv,
                                      "storageCapacitiesListed"sv,
                                      "storageCapacitySeen"sv,
                                      "storageCapacityGone"sv,
                                      "servicesListed"sv,
                                      "serviceSeen"sv,
                                      "serviceGone"sv,
                                      "replicationControllersListed"sv,
                                      "replicationControllerSeen"sv,
                                      "replicationControllerGone"sv,
                                      "replicaSetsListed"sv,
                                      "replicaSetSeen"sv,
                                      "replicaSetGone"sv,
                                      "statefulSetsListed"sv,
                                      "statefulSetSeen"sv,
                                      "statefulSetGone"sv,
                                      "priorityClassesListed"sv,
                                      "priorityClassSeen"sv,
                                      "priorityClassGone"sv};
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
struct Fields<scheduler::BindVolume> {
  static void list(auto& io, auto& of) {
    auto& [volume, uid, resource_version, claim, was_reserved] = of;
    io("volume", volume)("uid", uid)("resourceVersion", resource_version)("claim", claim)(
        "wasReserved", was_reserved);
  }
};
template <>
struct Fields<scheduler::SelectNode> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid, resource_version, node] = of;
    io("namespace", ns)("name", name)("uid", uid)("resourceVersion", resource_version)("node",
                                                                                       node);
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
struct Names<decltype(scheduler::Effect::what)> {
  static constexpr std::array kAll = {
      "markVictim"sv,  "deleteVictim"sv, "confirmResize"sv, "emitEvent"sv,
      "writeLease"sv,  "giveUpWrites"sv, "bindPod"sv,       "writePending"sv,
      "readBreaker"sv, "writeBreaker"sv, "confirmGroup"sv,  "writeGroupStatus"sv,
      "readLedger"sv,  "writeLedger"sv,  "bindVolume"sv,    "selectNode"sv};
};
template <>
struct Fields<scheduler::Effect> {
  static void list(auto& io, auto& of) {
    auto& [id, not_after, what] = of;
    io("id", id)("notAfterMs", not_after)("what", what);
  }
};

}  // namespace elbowroom::recording
