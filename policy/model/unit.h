// A unit: the pods that are removed or stay as one, wherever they run. It is a pod by itself, or a
// pod group that is disrupted as a whole. A unit of one pod costs no allocation, so the code that
// chooses victims is the same for both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// What units are compared by. `uid` refers into the pod or group, which must outlive the value.
struct UnitRank {
  std::int32_t priority = 0;
  bool is_group = false;
  bool is_grouped = false;  // a pod by itself that names a group
  std::int64_t members = 1;
  Qos qos = Qos::BestEffort;      // of a group: the best of its pods
  std::optional<Time> started{};  // of a group: the earliest of its pods
  std::string_view uid{};         // of a group: the group's

  friend bool operator==(const UnitRank&, const UnitRank&) = default;
};

[[nodiscard]] UnitRank rank_of(const Pod& pod);

// A pod group that is disrupted as a whole, as seen from one node. T is Pod, or the form in which a
// room keeps a pod. Everything that it refers to must outlive it; the lists of pods are parts of
// one list of the group's pods, so that a group of many pods is listed once, not once for each
// node.
template <class T>
struct GroupUnit {
  std::string_view uid{};              // the group's
  std::string_view key{};              // NAMESPACE/NAME
  std::int32_t priority = 0;           // the group's; it counts for each of its pods
  std::span<const T* const> here{};    // its pods that hold room on the node
  std::span<const T* const> before{};  // its pods that hold room on other nodes,
  std::span<const T* const> after{};   // in two parts
  std::string_view kept_by{};          // why none of its pods may go now; "": nothing known
};

// A reference to a pod by itself or to a group; either must outlive it.
template <class T>
struct Unit {
  const T* pod = nullptr;  // a unit of one
  const GroupUnit<T>* group = nullptr;

  Unit() = default;
  Unit(const T* only) : pod(only) {}  // NOLINT(google-explicit-constructor): a pod is a unit of one
  explicit Unit(const GroupUnit<T>& of) : group(&of) {}

  friend bool operator==(const Unit&, const Unit&) = default;
};

// The unit's pods on the node. Of a unit of one the span refers into `unit` itself.
template <class T>
[[nodiscard]] std::span<const T* const> pods_here(const Unit<T>& unit) {
  if (unit.group == nullptr) return {&unit.pod, 1};
  return unit.group->here;
}

// The number of its pods, over the whole cluster.
template <class T>
[[nodiscard]] std::size_t members_of(const Unit<T>& unit) {
  if (unit.group == nullptr) return 1;
  return unit.group->here.size() + unit.group->before.size() + unit.group->after.size();
}

// Calls f(const T&) for each of its pods on other nodes.
template <class T, class F>
void for_each_elsewhere(const Unit<T>& unit, F f) {
  if (unit.group == nullptr) return;
  for (const T* each : unit.group->before) f(*each);
  for (const T* each : unit.group->after) f(*each);
}

// Calls f(const T&) for each of its pods: first those on the node.
template <class T, class F>
void for_each_pod(const Unit<T>& unit, F f) {
  for (const T* each : pods_here(unit)) f(*each);
  for_each_elsewhere(unit, f);
}

template <class T, class Test>
[[nodiscard]] bool any_pod(const Unit<T>& unit, Test test) {
  const auto passes = [&](const T* each) { return test(*each); };
  if (std::ranges::any_of(pods_here(unit), passes)) return true;
  return unit.group != nullptr && (std::ranges::any_of(unit.group->before, passes) ||
                                   std::ranges::any_of(unit.group->after, passes));
}

// True when the pod is one of the unit's pods on the node.
template <class T>
[[nodiscard]] bool is_of(const Unit<T>& unit, const T& pod) {
  return unit.group == nullptr
             ? unit.pod == &pod
             : std::ranges::find(unit.group->here, &pod) != unit.group->here.end();
}

// The priority that counts for each of the unit's pods.
template <class T>
[[nodiscard]] std::int32_t priority_of(const Unit<T>& unit) {
  return unit.group == nullptr ? priority_of(*unit.pod) : unit.group->priority;
}

template <class T>
[[nodiscard]] std::string_view uid_of(const Unit<T>& unit) {
  return unit.group == nullptr ? unit.pod->uid : unit.group->uid;
}

// The earliest start of its pods; none where no pod has started.
template <class T>
[[nodiscard]] std::optional<Time> start_of(const Unit<T>& unit) {
  if (unit.group == nullptr) return unit.pod->started;
  std::optional<Time> start;
  for_each_pod(unit, [&start](const T& pod) {
    if (pod.started) start = std::min(start.value_or(*pod.started), *pod.started);
  });
  return start;
}

template <class T>
[[nodiscard]] UnitRank rank_of(const Unit<T>& unit) {
  if (unit.group == nullptr) return rank_of(*unit.pod);
  UnitRank rank{.priority = unit.group->priority,
                .is_group = true,
                .members = static_cast<std::int64_t>(members_of(unit)),
                .started = start_of(unit),
                .uid = unit.group->uid};
  for_each_pod(unit, [&rank](const T& pod) {
    rank.qos = std::min(rank.qos, rank_of(pod).qos);  // Guaranteed, Burstable, BestEffort
  });
  return rank;
}

}  // namespace elbowroom::policy
