// Who matters more among potential victims. The one thing to know: a strict total order, so the
// same pods always give the same victims.
#pragma once

#include <cstdint>
#include <string>

#include "policy/pod.h"
#include "policy/rules.h"

namespace elbowroom::policy {

// Smaller is more important: higher priority, QoS (Guaranteed, Burstable, BestEffort; not in
// upstream's rules), earlier start (a pod that never started counts as the latest), lesser uid.
// Source: kube-scheduler framework/preemption MoreImportantVictim (1.37).
struct Importance {
  std::int64_t negated_priority = 0;
  int qos_rank = 0;
  bool never_started = true;
  Time started{};
  std::string uid{};

  friend auto operator<=>(const Importance&, const Importance&) = default;
};

[[nodiscard]] Importance importance_of(const Pod& pod, RuleSet rules);

}  // namespace elbowroom::policy
