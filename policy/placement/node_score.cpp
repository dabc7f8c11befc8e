#include "policy/placement/node_score.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

#include "policy/placement/default_spread.h"
#include "policy/placement/image_score.h"
#include "policy/placement/pod_tally.h"

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kFull = 100;
constexpr std::int64_t kAhead = 10'000;
// Shares of a node are in billionths.
constexpr std::int64_t kWhole = 1'000'000'000;

using Scores = std::vector<std::int64_t>;
using Nodes = std::span<const std::uint32_t>;

// `used` of `allocatable` in billionths, rounded down; the whole where allocatable is zero or
// exceeded.
std::int64_t share(std::int64_t used, std::int64_t allocatable) {
  if (allocatable <= 0 || used >= allocatable) return kWhole;
  // As many bits as the product leaves free, so that nothing overflows.
  const int spare = std::countl_zero(static_cast<std::uint64_t>(used)) - 1;
  constexpr int kBits = 30;
  const int shift = std::max(0, kBits - spare);
  return (used >> shift) * kWhole / std::max<std::int64_t>(1, allocatable >> shift);
}

// The unused part of `allocatable`, in percent of it.
std::int64_t left(std::int64_t used, std::int64_t allocatable) {
  if (used >= allocatable) return 0;
  const std::int64_t free = allocatable - used;
  if (free <= kMaxAmount / kFull) return free * kFull / allocatable;
  return free / (allocatable / kFull);
}

// Scales to 0..100 by the largest. Source: kube-scheduler helper.DefaultNormalizeScore.
void normalize(Scores& scores, bool reverse) {
  const std::int64_t most = scores.empty() ? 0 : *std::ranges::max_element(scores);
  for (std::int64_t& each : scores) {
    if (most > 0) each = each * kFull / most;
    if (reverse) each = kFull - each;
  }
}

// ---- inter-pod affinity ----

// Source: kube-scheduler interpodaffinity, scoring.go. The weight of an existing pod's required
// affinity is upstream's default, 1.
class InterPodAffinityScore {
 public:
  InterPodAffinityScore(ClusterRoom& room, const NodeFilter& filter)
      : room_(room), pod_(filter.pod()) {
    const Placement& placement = pod_.placement;
    add_wishes(placement.preferred_affinity, 1);
    add_wishes(placement.preferred_anti_affinity, -1);
    for (const std::uint32_t number : room.kinds().terms_about(pod_.ns, pod_.labels)) {
      const PodTerms& terms = room.kinds().terms()[number];
      for (const PreferredPods& each : terms.preferred_affinity) {
        add_existing(number, each.term, each.weight);
      }
      for (const PreferredPods& each : terms.preferred_anti_affinity) {
        add_existing(number, each.term, -each.weight);
      }
      for (const PodTerm& each : terms.required_affinity) add_existing(number, each, 1);
    }
    count(room_, tallies_);
  }

  [[nodiscard]] bool matter() const { return !tallies_.empty(); }

  [[nodiscard]] Scores of(Nodes nodes) const {
    Scores scores(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const PodTally& tally : tallies_) {
        const std::uint32_t value = tally.value_at(nodes[i]);
        if (value != 0) scores[i] += tally.by_value[value];
      }
    }
    const auto [least, most] = std::ranges::minmax(scores);
    for (std::int64_t& each : scores) {
      each = most == least ? 0 : (each - least) * kFull / (most - least);
    }
    return scores;
  }

 private:
  // What the pod wishes of existing ones.
  void add_wishes(const std::vector<PreferredPods>& wishes, std::int64_t sign) {
    for (const PreferredPods& each : wishes) {
      for (const std::uint32_t kind : room_.kinds_about(each.term)) {
        tally_of(each.term).by_kind.add(kind, sign * each.weight);
      }
    }
  }

  // What existing pods with those terms wish of the pod.
  void add_existing(std::uint32_t terms, const PodTerm& term, std::int64_t weight) {
    if (is_about(room_, term, pod_.ns, pod_.labels)) tally_of(term).by_terms.add(terms, weight);
  }

  PodTally& tally_of(const PodTerm& term) {
    const auto [at, added] = by_key_.emplace(term.topology_key, tallies_.size());
    if (added) tallies_.push_back(tally_by(room_, term.topology_key));
    return tallies_[at->second];
  }

  ClusterRoom& room_;
  const Pod& pod_;
  std::map<std::string_view, std::size_t> by_key_{};
  std::vector<PodTally> tallies_{};
};

// ---- spread ----

// Logarithms are in units of 2^-30.
constexpr int kPartBits = 30;
constexpr std::int64_t kOne = std::int64_t{1} << kPartBits;

// ln(n), 1 <= n < 2^31, exact to its last few bits, and the same on every machine: the binary
// logarithm bit by bit, one squaring at a time, times ln(2).
std::int64_t scaled_ln(std::int64_t n) {
  constexpr std::uint64_t kTwo = std::uint64_t{1} << 32;
  const int bits = 63 - std::countl_zero(static_cast<std::uint64_t>(n));
  std::uint64_t mantissa = static_cast<std::uint64_t>(n) << (31 - bits);  // 1 to 2, in 2^31ths
  std::int64_t log2 = std::int64_t{bits} * kOne;
  for (std::int64_t part = kOne / 2; part > 0; part /= 2) {
    mantissa = (mantissa * mantissa) >> 31U;
    if (mantissa < kTwo) continue;
    mantissa /= 2;
    log2 += part;
  }
  constexpr std::int64_t kLn2 = 744'261'118;  // in units of 2^-30
  // In two steps, so that nothing overflows.
  return (log2 >> kPartBits) * kLn2 + (((log2 & (kOne - 1)) * kLn2) >> kPartBits);
}

constexpr std::string_view kHostname = "kubernetes.io/hostname";

// Source: kube-scheduler podtopologyspread, scoring.go.
struct SpreadQuestion {
  std::vector<const SpreadConstraint*> preferred{};
  // A node without the label of one of them is not scored by any. Not so where they are defaults:
  // then the others score it.
  bool needs_all_keys = true;
};

// Whether the node has the labels that are needed to count it.
bool has_keys(const SpreadQuestion& of, const std::vector<PodTally>& tallies, std::uint32_t node) {
  return !of.needs_all_keys || std::ranges::all_of(tallies, [&](const PodTally& each) {
    return each.value_at(node) != 0;
  });
}

// The pods that preferred spread constraints count, one tally for each constraint.
std::vector<PodTally> spread_tallies(ClusterRoom& room, const NodeFilter& filter,
                                     const SpreadQuestion& of) {
  const std::vector<const SpreadConstraint*>& preferred = of.preferred;
  const Pod& pod = filter.pod();
  std::vector<PodTally> tallies;
  for (const SpreadConstraint* each : preferred) {
    PodTally& tally = tallies.emplace_back(tally_by(room, each->topology_key));
    tally.counts_terminating = false;
    if (!each->selector) continue;
    for (const std::uint32_t kind : room.kinds().selected(pod.ns, *each->selector)) {
      tally.by_kind.add(kind, 1);
    }
  }
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    tallies[i].counted_nodes.assign(room.nodes().size(), false);
    for (std::uint32_t node = 0; node < room.nodes().size(); ++node) {
      tallies[i].counted_nodes[node] =
          room.figures()[node].is_known && has_keys(of, tallies, node) &&
          (!preferred[i]->honors_node_affinity || filter.match().is_allowed(node)) &&
          (!preferred[i]->honors_taints || filter.tolerates_hard_taints(node));
    }
  }
  count(room, tallies);
  return tallies;
}

// Each weight depends on the number of domains among the feasible nodes. Those without the label,
// as far as they count, are one domain.
std::vector<std::int64_t> spread_weights(const SpreadQuestion& of,
                                         const std::vector<PodTally>& tallies, Nodes nodes) {
  std::vector<std::int64_t> weights;
  for (std::size_t at = 0; at < tallies.size(); ++at) {
    // Each node is a domain of its own, whatever its label says.
    const bool by_node = of.preferred[at]->topology_key == kHostname;
    std::vector<bool> seen(tallies[at].by_value.size(), false);
    std::int64_t domains = 0;
    for (const std::uint32_t node : nodes) {
      const std::uint32_t value = tallies[at].value_at(node);
      if (!has_keys(of, tallies, node) || (seen[value] && !by_node)) continue;
      seen[value] = true;
      ++domains;
    }
    weights.push_back(scaled_ln(domains + 2));
  }
  return weights;
}

Scores by_spread(ClusterRoom& room, const NodeFilter& filter, const SpreadQuestion& of,
                 Nodes nodes) {
  const std::vector<PodTally> tallies = spread_tallies(room, filter, of);
  const std::vector<std::int64_t> weights = spread_weights(of, tallies, nodes);
  Scores costs(nodes.size(), -1);  // -1: lacks the labels, the worst score
  std::int64_t least = kMaxAmount;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!has_keys(of, tallies, nodes[i])) continue;
    std::int64_t parts = kOne / 2;  // the sum is rounded, not its terms
    std::int64_t skews = 0;
    for (std::size_t at = 0; at < tallies.size(); ++at) {
      const std::uint32_t value = tallies[at].value_at(nodes[i]);
      if (value == 0) continue;
      parts = saturating_add(parts, tallies[at].by_value[value] * weights[at]);
      skews += of.preferred[at]->max_skew - 1;
    }
    costs[i] = parts / kOne + skews;
    least = std::min(least, costs[i]);
    most = std::max(most, costs[i]);
  }
  for (std::int64_t& each : costs) {
    if (each < 0) {
      each = 0;
    } else {
      each = most == 0 ? kFull : kFull * (most + least - each) / most;
    }
  }
  return costs;
}

void add_weighted(Scores& to, const Scores& more, std::int64_t weight) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i] * weight;
}

// How alike the used parts of cpu and memory are: 50 to 100.
std::int64_t balance(const NodeTotals& figures, std::int64_t used_cpu, std::int64_t used_memory) {
  if (figures.cpu <= 0 || figures.memory <= 0) return kFull;
  const std::int64_t cpu = share(used_cpu, figures.cpu);
  const std::int64_t memory = share(used_memory, figures.memory);
  const std::int64_t apart = cpu > memory ? cpu - memory : memory - cpu;
  return (2 * kWhole - apart) * kFull / (2 * kWhole);
}

bool avoids(const Node& node, const Pod& pod, Time now) {
  const auto& avoided = node.avoided_controllers;
  const std::string& uid = pod.controller->uid;
  const auto at = std::ranges::lower_bound(avoided, uid, {}, &AvoidedController::uid);
  return at != avoided.end() && at->uid == uid && (!at->until || now < *at->until);
}

}  // namespace

// Source: kube-scheduler noderesources, leastResourceScorer and balancedResourceScorer.
std::int64_t score_of_room(const NodeTotals& figures, const Resources& request) {
  const bool has_cpu = figures.cpu > 0;
  const bool has_memory = figures.memory > 0;
  const Resources scored = scored_charge(request);
  std::int64_t least = 0;
  if (has_cpu) least += left(saturating_add(figures.scored_cpu, scored.cpu.value), figures.cpu);
  if (has_memory) {
    least += left(saturating_add(figures.scored_memory, scored.memory.value), figures.memory);
  }
  if (has_cpu && has_memory) least /= 2;
  if (request.cpu.value == 0 && request.memory.value == 0) return least;
  const std::int64_t with = balance(figures, saturating_add(figures.used_cpu, request.cpu.value),
                                    saturating_add(figures.used_memory, request.memory.value));
  const std::int64_t without = balance(figures, figures.used_cpu, figures.used_memory);
  return least + kFull / 2 + (kFull / 2 + with - without) / 2;
}

std::vector<std::int64_t> scores_of(ClusterRoom& room, const NodeFilter& filter, Nodes nodes) {
  const Pod& pod = filter.pod();
  Scores total(nodes.size(), 0);
  if (nodes.empty()) return total;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    total[i] = score_of_room(room.figures()[nodes[i]], filter.request());
  }
  Scores one(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) one[i] = filter.soft_taints(nodes[i]);
  normalize(one, true);
  add_weighted(total, one, 3);
  if (filter.match().prefers()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) one[i] = filter.match().preference(nodes[i]);
    normalize(one, false);
    add_weighted(total, one, 2);
  }
  const std::vector<SpreadConstraint> defaults = default_spread(room.selecting(), pod);
  SpreadQuestion spread{.needs_all_keys = defaults.empty()};
  for (const SpreadConstraint& each : defaults.empty() ? pod.placement.spread : defaults) {
    if (!each.required) spread.preferred.push_back(&each);
  }
  if (!spread.preferred.empty()) add_weighted(total, by_spread(room, filter, spread, nodes), 2);
  const bool has_preferences =
      !pod.placement.preferred_affinity.empty() || !pod.placement.preferred_anti_affinity.empty();
  if (has_preferences || room.kinds().has_terms()) {
    const InterPodAffinityScore neighbours(room, filter);
    if (neighbours.matter()) add_weighted(total, neighbours.of(nodes), 2);
  }
  add_image_scores(room.images(), room.known_nodes(), pod.placement.images, nodes, total);
  if (pod.controller && room.is_avoided_somewhere(pod.controller->uid)) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!avoids(room.nodes()[nodes[i]].node, pod, filter.decided_at())) total[i] += kAhead;
    }
  }
  return total;
}

}  // namespace elbowroom::policy
