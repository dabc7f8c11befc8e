#include "rescheduler/status.h"

#include "rescheduler/reactor.h"

namespace elbowroom::rescheduler {

ReschedulerStatus rescheduler_status_of(const Reactor& reactor) {
  const ClusterState& cluster = reactor.cluster();
  return {.leads = reactor.leads(),
          .synced = cluster.is_synced(),
          .idle_because = reactor.idle_because(),
          .lost = cluster.lost(),
          .lease = reactor.lease_error(),
          .writes = reactor.write_error(),
          .unseen = cluster.unseen(),
          .settings = reactor.moves().settings().trouble(),
          .rests = reactor.moves().trouble(),
          .counts = reactor.counts(),
          .nodes = cluster.snapshot().nodes(),
          .pods = cluster.snapshot().pods(),
          .budgets = cluster.own_budgets(),
          .unreadable = cluster.odd_budgets().size(),
          .moving = reactor.moves().under_way(),
          .resting = reactor.moves().rests().owners()};
}

}  // namespace elbowroom::rescheduler
