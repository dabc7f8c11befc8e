#include "lab/controllers/controllers.h"

#include <algorithm>

#include "lab/controllers/daemon_set.h"
#include "lab/controllers/deployment.h"
#include "lab/controllers/disruption.h"
#include "lab/controllers/replica_set.h"
#include "lab/controllers/stateful_set.h"

namespace elbowroom::lab {
namespace {

constexpr int kMostTurns = 1000;

bool concerns_controllers(const Kind& kind) {
  return kind.group == "apps" || kind.name == "Pod" || kind.name == "Node" ||
         kind.name == "PodDisruptionBudget" || kind.name.starts_with("PersistentVolume") ||
         kind.name == "StorageClass";
}

}  // namespace

std::uint64_t Controllers::last_change() const {
  std::uint64_t last = 0;
  for (const Kind& kind : all_kinds()) {
    if (concerns_controllers(kind)) last = std::max(last, world_.last_change(kind));
  }
  return last;
}

bool Controllers::is_due(policy::Time now) const {
  return seen_ != last_change() || (next_due_ && *next_due_ <= now);
}

bool Controllers::step(policy::Time now) {
  if (!is_due(now)) return false;
  bool changed = false;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    ControllerStep all = collector_.step();
    all.add(step_replica_sets(world_, now));
    all.add(step_deployments(world_, now));
    all.add(step_stateful_sets(world_, now));
    all.add(step_daemon_sets(world_, now));
    all.add(step_disruption(world_, now));
    all.add(volumes_.step());
    next_due_ = all.next_due;
    changed = changed || all.changed;
    if (all.changed) continue;
    seen_ = last_change();
    break;
  }
  return changed;
}

}  // namespace elbowroom::lab
