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
          .counts = reactor.counts(),
          .nodes = cluster.snapshot().nodes(),
          .pods = cluster.snapshot().pods(),
          .budgets = cluster.own_budgets(),
          .unreadable = cluster.odd_budgets().size()};
}

}  // namespace elbowroom::rescheduler
