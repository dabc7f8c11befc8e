// Decides what is moved now: a pass over the cluster as it is known, with the configuration, the
// owners that rest and the pods that are expected. It decides and counts; others carry it out.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "policy/moves/movable.h"
#include "policy/moves/move_plan.h"
#include "policy/moves/move_rules.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/moving/arrivals.h"
#include "rescheduler/moving/owner_rests.h"

namespace elbowroom::rescheduler {

class MovePass {
 public:
  // All must outlive it.
  MovePass(ClusterState& cluster, const OwnerRests& rests, const Arrivals& arrivals)
      : cluster_(cluster), rests_(rests), arrivals_(arrivals) {}

  // `server`: the API server's time.
  [[nodiscard]] policy::MovePlan plan(const policy::MoveRules& rules, policy::Time server);

  // On a copy of the room: why the pod is moved now, or is not, in words. Requires that the pod is
  // known.
  [[nodiscard]] std::string explain(const policy::MoveRules& rules, policy::Time server,
                                    const policy::Pod& pod) const;
  // The object that rests after a move of the pod.
  [[nodiscard]] policy::TopOwner owner_of(const policy::Pod& pod) const;

 private:
  [[nodiscard]] policy::MoveScene scene(policy::ClusterRoom& room, policy::Time server) const;
  [[nodiscard]] policy::MovePlan plan(policy::ClusterRoom& room, const policy::MoveRules& rules,
                                      policy::Time server, const std::string& explained) const;

  ClusterState& cluster_;
  const OwnerRests& rests_;
  const Arrivals& arrivals_;
};

}  // namespace elbowroom::rescheduler
