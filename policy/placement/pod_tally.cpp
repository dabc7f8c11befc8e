#include "policy/placement/pod_tally.h"

#include <algorithm>

#include "policy/model/selector.h"

namespace elbowroom::policy {
namespace {

void count_on(const ClusterRoom& room, PodTally& tally, const NodeCounts& on, std::int64_t amount) {
  for (const NodeCounts::Entry& each : on.entries()) {
    if (!room.figures()[each.node].is_known || !tally.counts_node(each.node)) continue;
    const std::uint32_t pods = tally.counts_terminating ? each.pods : each.pods - each.terminating;
    tally.by_value[tally.value_at(each.node)] += amount * pods;
  }
}

// Those that count as gone only for this tally.
void take_leaving(const ClusterRoom& room, PodTally& tally) {
  for (std::uint32_t node = 0; node < room.nodes().size(); ++node) {
    const NodeTotals& figures = room.figures()[node];
    if (!figures.has_terminating || !figures.is_known || !tally.counts_node(node)) continue;
    for (const RoomHolding& each : room.nodes()[node].holders) {
      if (tally.is_gone(each)) {
        tally.by_value[tally.value_at(node)] -= tally.adds_if_there(each);
      }
    }
  }
}

}  // namespace

PodTally tally_by(ClusterRoom& room, std::string_view label) {
  const LabelColumn& column = room.column(label);
  return {.column = &column, .by_value = std::vector<std::int64_t>(column.values.size(), 0)};
}

void count(const ClusterRoom& room, std::span<PodTally> tallies) {
  for (PodTally& tally : tallies) {
    for (const auto& [kind, amount] : tally.by_kind.all()) {
      count_on(room, tally, room.kinds().all()[kind].on, amount);
    }
    for (const auto& [terms, amount] : tally.by_terms.all()) {
      count_on(room, tally, room.kinds().terms()[terms].on, amount);
    }
    if (tally.counts_terminating && tally.without_leaving != nullptr) take_leaving(room, tally);
  }
}

bool is_about(const ClusterRoom& room, const PodTerm& term, std::string_view ns,
              const Labels& labels) {
  if (!term.selector || !matches(*term.selector, labels)) return false;
  if (std::ranges::find(term.namespaces, ns) != term.namespaces.end()) return true;
  return term.namespace_selector && room.matches_namespace(*term.namespace_selector, ns);
}

}  // namespace elbowroom::policy
