// The order of importance among units, the potential victims. It is a strict total order, so the
// same units always give the same victims.
#pragma once

#include <cstdint>
#include <string_view>

#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/model/unit.h"

namespace elbowroom::policy {

// Smaller is more important: higher priority, group before pod (in upstream's rules a pod that
// names a group counts as one, even if it goes by itself), QoS (Guaranteed, Burstable, BestEffort;
// not in upstream's rules), more members (in upstream's rules only), earlier start (one that never
// started counts as the latest), lesser uid. Source: kube-scheduler framework/preemption
// MoreImportantVictim (1.37).
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

[[nodiscard]] Importance importance_of(const UnitRank& unit, RuleSet rules);
[[nodiscard]] Importance importance_of(const Pod& pod, RuleSet rules);  // as a unit of one

}  // namespace elbowroom::policy
