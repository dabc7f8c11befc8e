// How the scheduler's reactor decides, for its whole life.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "control/elector.h"
#include "policy/model/rules.h"
#include "scheduler/breaker/circuit_breaker.h"

namespace elbowroom::scheduler {

struct ReactorOptions {
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  bool dry_run = false;  // decide and explain, perform nothing but the Lease
  bool leader_elect = true;
  control::ElectorOptions elector{};
  CircuitBreakerLimits breaker{};
  // Schedulers that preempt for resizes themselves; nullopt: default-scheduler where the API server
  // keeps podPreemptionPolicy, else none.
  std::optional<std::set<std::string, std::less<>>> yield_to{};
  // Mode full: the names of schedulers whose pending pods are ours to place ("": pods that name
  // none). Empty: mode resize.
  std::set<std::string, std::less<>> places_for{};
};

}  // namespace elbowroom::scheduler
