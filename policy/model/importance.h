// The order of importance among potential victims. It is a strict total order, so the same pods
// always give the same victims.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// The unit of removal: a pod, or a pod group that is removed as a whole.
struct VictimUnit {
  std::int32_t priority = 0;
  bool is_group = false;
  std::int64_t members = 1;
  Qos qos = Qos::BestEffort;  // of a group: the best of its members
  std::optional<Time> started{};
  std::string uid{};  // of a group: the group's

  friend bool operator==(const VictimUnit&, const VictimUnit&) = default;
};

[[nodiscard]] VictimUnit unit_of(const Pod& pod);

// Smaller is more important: higher priority, group before pod, QoS (Guaranteed, Burstable,
// BestEffort; not in upstream's rules), more members (in upstream's rules only), earlier start (one
// that never started counts as the latest), lesser uid.
// Source: kube-scheduler framework/preemption MoreImportantVictim (1.37).
struct Importance {
  std::int64_t negated_priority = 0;
  bool is_pod = true;
  int qos_rank = 0;
  std::int64_t negated_members = 0;
  bool never_started = true;
  Time started{};
  std::string_view uid{};  // refers into the unit it was made from, which must outlive it

  friend auto operator<=>(const Importance&, const Importance&) = default;
};

[[nodiscard]] Importance importance_of(const VictimUnit& unit, RuleSet rules);
[[nodiscard]] Importance importance_of(const Pod& pod, RuleSet rules);

}  // namespace elbowroom::policy
