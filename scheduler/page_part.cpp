#include "scheduler/page_part.h"

#include <string>

#include "cluster/page_part.h"

namespace elbowroom::scheduler {

page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked, const Moment& now,
                         const ReactorOptions& options) {
  const Clocks clocks{now, reactor.state().server_clock.at(now.since_start)};
  const ClusterState& cluster = reactor.state().cluster;
  page::PagePart part = cluster::page_part(
      {.snapshot = cluster.snapshot(),
       .view_of = [&](const std::string& node) { return cluster.view_of(node, clocks); },
       .rules = options.rules,
       .now = clocks.server},
      asked);
  part.idle_because =
      options.dry_run ? "it only tries out what it would do (dry run)" : reactor.idle_because();
  return part;
}

}  // namespace elbowroom::scheduler
