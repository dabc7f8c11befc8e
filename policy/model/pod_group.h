// A pod group as decisions see it (scheduling.k8s.io PodGroup). It decides for its members: their
// priority, whether they preempt, whether they are removed one by one or as one, and how many of
// them must be placed together. This is a validated value, like Pod. Source: KEP-4671, KEP-5710.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/condition.h"
#include "policy/model/preemption_policy.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// Single: its pods are removed one by one. All: as one, wherever they run.
enum class DisruptionMode { Single, All };

// Why a group is not supported; none of its pods is placed.
enum class GroupObstacle {
  None,
  CompositeParent,        // it names a CompositePodGroup, whose members go together
  SchedulingConstraints,  // topology
  ResourceClaims,
  NotUnderstood,  // a field of a newer server, or one that contradicts itself
};

// What a group says in the place of each of its members.
struct GroupStanding {
  std::string uid{};
  std::int32_t priority = 0;
  PreemptionPolicy preemption_policy = PreemptionPolicy::PreemptLowerPriority;
  DisruptionMode mode = DisruptionMode::Single;
  GroupObstacle obstacle = GroupObstacle::None;
  // For a gang: the number of members that are placed together or not at all, > 0. None: the basic
  // policy; the members are placed one by one.
  std::optional<std::int32_t> min_count{};

  [[nodiscard]] bool is_gang() const { return min_count.has_value(); }
  // It is not known which pods go together with its members.
  [[nodiscard]] bool is_unclear() const {
    return obstacle == GroupObstacle::CompositeParent || obstacle == GroupObstacle::NotUnderstood;
  }
  friend bool operator==(const GroupStanding&, const GroupStanding&) = default;
};

struct PodGroup {
  std::string ns{};  // namespace
  std::string name{};
  std::string resource_version{};  // opaque; never used in decisions
  GroupStanding standing{};
  bool has_priority = false;     // spec.priority is set
  std::string priority_class{};  // spec.priorityClassName; resolved at admission
  bool has_policy = false;       // spec.preemptionPolicy is set
  std::string workload{};        // spec.workloadRef.workloadName; explained only
  std::string trouble{};         // NotUnderstood: the field, and what is wrong with it
  std::optional<Time> created{};
  std::optional<Time> deletion{};  // metadata.deletionTimestamp
  Conditions conditions{};         // status

  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

inline constexpr std::string_view kPodGroupInitiallyScheduled = "PodGroupInitiallyScheduled";
inline constexpr std::string_view kPodsNotMatchingPriority = "PodsNotMatchingPriority";

// "NAMESPACE/NAME".
[[nodiscard]] std::string key_of(const PodGroup& group);

[[nodiscard]] std::string_view to_string(DisruptionMode mode);
// What is not supported, in words; "" for None.
[[nodiscard]] std::string_view to_string(GroupObstacle obstacle);

}  // namespace elbowroom::policy
