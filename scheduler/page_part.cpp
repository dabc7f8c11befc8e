#include "scheduler/page_part.h"

#include <string>
#include <vector>

#include "cluster/page_part.h"
#include "scheduler/explain.h"
#include "scheduler/waiting/waiting_pod.h"

namespace elbowroom::scheduler {
namespace {

// What was decided of the pods that wait, for room here or for a node: of others it says nothing.
void add_decided(const Reactor& reactor, const Moment& now, bool is_dry_run, page::NodeCopy& to) {
  to.explains_all = false;
  for (const std::vector<policy::Pod>* pods : {&to.pods, &to.nominated}) {
    for (const policy::Pod& each : *pods) {
      if (!waits_for_room(each) && !waits_for_node(each)) continue;
      const std::string key = policy::key_of(each);
      if (auto next = next_in_words(reactor, key, now, is_dry_run))
        to.decided[key] = *std::move(next);
    }
  }
}

}  // namespace

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
  for (page::NodeCopy& each : part.copies) add_decided(reactor, now, options.dry_run, each);
  part.idle_because =
      options.dry_run ? "it only tries out what it would do (dry run)" : reactor.idle_because();
  return part;
}

}  // namespace elbowroom::scheduler
