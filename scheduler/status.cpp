#include "scheduler/status.h"

#include <algorithm>

#include "scheduler/reactor.h"

namespace elbowroom::scheduler {

SchedulerStatus scheduler_status_of(const Reactor& reactor, std::chrono::milliseconds now) {
  SchedulerStatus made{.leads = reactor.leads(),
                       .synced = reactor.is_synced(),
                       .idle_because = reactor.idle_because(),
                       .lost = reactor.lost(),
                       .lease = reactor.lease_error(),
                       .counts = reactor.counts(),
                       .assumed = reactor.assumed(),
                       .refused = reactor.refusals().held(now),
                       .nodes = reactor.snapshot().nodes(),
                       .pods = reactor.snapshot().pods(),
                       .unreadable = reactor.snapshot().unreadable()};
  for (std::size_t where = 0; where < made.queued.size(); ++where) {
    made.queued[where] = reactor.queue().count(static_cast<Queue::Where>(where));
  }
  for (const auto& [key, pod] : reactor.waiting()) {
    if (pod.is_pending) continue;
    if (const auto where = reactor.queue().where(key)) {
      ++made.queued_resizes[static_cast<std::size_t>(*where)];
    }
    made.deferred_longest = std::max(made.deferred_longest, now - pod.deferred_since);
  }
  return made;
}

}  // namespace elbowroom::scheduler
