#include "policy/placement/pod_tally.h"

#include <algorithm>

#include "policy/model/selector.h"

namespace elbowroom::policy {

PodTally tally_by(ClusterRoom& room, std::string_view label) {
  const LabelColumn& column = room.column(label);
  return {.column = &column,
          .by_kind = std::vector<std::int64_t>(room.kinds().size(), 0),
          .by_value = std::vector<std::int64_t>(column.values.size(), 0)};
}

void count(const ClusterRoom& room, std::span<PodTally> tallies) {
  std::vector<bool> matters(room.kinds().size(), false);
  bool any = false;
  for (const PodTally& tally : tallies) {
    for (std::size_t kind = 0; kind < matters.size(); ++kind) {
      if (tally.by_kind[kind] == 0) continue;
      matters[kind] = any = true;
    }
  }
  if (!any) return;
  for (std::uint32_t node = 0; node < room.nodes().size(); ++node) {
    if (!room.figures()[node].is_known) continue;
    for (const RoomHolding& holding : room.nodes()[node].holders) {
      if (!matters[holding.kind]) continue;
      for (PodTally& tally : tallies) {
        if (tally.counts_node(node)) tally.by_value[tally.value_at(node)] += tally.adds(holding);
      }
    }
  }
}

bool is_about(const ClusterRoom& room, const PodTerm& term, std::string_view ns,
              const Labels& labels) {
  if (!term.selector || !matches(*term.selector, labels)) return false;
  if (std::ranges::find(term.namespaces, ns) != term.namespaces.end()) return true;
  return term.namespace_selector && matches(*term.namespace_selector, room.namespace_labels(ns));
}

}  // namespace elbowroom::policy
