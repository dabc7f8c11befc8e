#include "policy/placement/schedule.h"

#include <algorithm>
#include <utility>

#include "policy/placement/node_filter.h"
#include "policy/placement/node_score.h"
#include "policy/placement/placement_messages.h"
#include "policy/placement/pod_preemption.h"
#include "policy/placement/room_units.h"

namespace elbowroom::policy {
namespace {

// Columns beyond this number are rebuilt when a pod needs them again.
constexpr std::size_t kKeptColumns = 64;

using Late = PodPreemption::Late;

class Decider {
 public:
  Decider(ClusterRoom& room, const Pod& pod, const ScheduleTerms& terms)
      : room_(room), pod_(pod), terms_(terms), filter_(room, pod, terms) {
    decision_.pod = key_of(pod);
  }

  SchedulingDecision decide() {
    filter();
    if (!fitting_.empty()) {
      bind();
    } else {
      std::string after = make_room();
      decision_.message = unavailable(filter_, refused_) + std::move(after);
      const bool is_refused = decision_.result == SchedulingResult::Unschedulable;
      if (is_refused && terms_.asks_want) decision_.want = want();
    }
    if (terms_.all_nodes) describe_nodes();
    return std::move(decision_);
  }

 private:
  bool upstream() const { return room_.rules() == RuleSet::Upstream; }
  const std::string& name_of(std::uint32_t node) const { return room_.nodes()[node].name; }

  void filter() {
    const auto count = static_cast<std::uint32_t>(room_.figures().size());
    refused_.reserve(count);
    for (std::uint32_t node = 0; node < count; ++node) {
      if (!room_.figures()[node].is_known) continue;
      const Refusal refusal = filter_.refusal(node);
      if (refusal.code == NodeCode::Success) {
        fitting_.push_back(node);
      } else {
        refused_.push_back({node, refusal});
      }
    }
  }

  void bind() {
    scores_ = scores_of(room_, filter_, fitting_);
    std::size_t best = 0;
    for (std::size_t i = 1; i < fitting_.size(); ++i) {
      const bool is_better =
          scores_[i] > scores_[best] ||
          (scores_[i] == scores_[best] && name_of(fitting_[i]) < name_of(fitting_[best]));
      if (is_better) best = i;
    }
    decision_.result = SchedulingResult::Bind;
    decision_.node = name_of(fitting_[best]);
    decision_.volumes = filter_.volumes_on(fitting_[best]);
  }

  // The filter for when the leaving pods are gone. A pod that does not look at other nodes uses the
  // ordinary filter.
  const NodeFilter& filter_later() {
    if (upstream() || !filter_.looks_around()) return filter_;
    if (!later_) later_.emplace(room_, pod_, terms_, FilterTime::AfterTermination);
    return *later_;
  }

  // The same, but pods that leave late stay.
  const NodeFilter& filter_soon() {
    if (!filter_.looks_around()) return filter_;
    if (!soon_) {
      soon_terms_ = terms_;
      each_late([this](const RoomHolding& each) { soon_terms_.lapsed.overdue.insert(each.uid); });
      soon_.emplace(room_, pod_, soon_terms_, FilterTime::AfterTermination);
    }
    return *soon_;
  }

  PodPreemption preemption(Late late = Late::Leaves) {
    return {late == Late::Leaves ? filter_later() : filter_soon(), terms_, late};
  }

  template <class Take>
  void each_late(Take take) const {
    if (upstream() || !terms_.waits_until) return;
    for (std::uint32_t node = 0; node < room_.nodes().size(); ++node) {
      if (!room_.figures()[node].has_terminating) continue;
      for (const RoomHolding& each : room_.nodes()[node].holders) {
        if (terminates_late(each, pod_, terms_)) take(each);
      }
    }
  }

  bool has_late_pod() const {
    bool found = false;
    each_late([&](const RoomHolding& /*each*/) { found = true; });
    return found;
  }

  // Finds room by waiting or preemption. Returns the text that follows the nodes' reasons, if any.
  std::string make_room() {
    if (!upstream()) {
      const bool is_late = has_late_pod();
      auto node = node_that_empties(is_late ? Late::Stays : Late::Leaves);
      if (!node && is_late) {
        node = node_that_empties(Late::Leaves);
        if (node && preempt_instead_of(*node)) return "";
      }
      if (node) {
        await(*node);
        return "";
      }
    }
    if (preemption_policy_of(pod_) == PreemptionPolicy::Never) {
      return " preemption: not eligible due to preemptionPolicy=Never.";
    }
    if (upstream() && waits_for_its_own_victims()) {
      await(*room_.find_node(pod_.nominated_node));
      return " preemption: not eligible due to a terminating pod on the nominated node.";
    }
    return preempt();
  }

  // Upstream: the nominated node has a terminating pod that the scheduler itself preempted.
  bool waits_for_its_own_victims() const {
    const auto node = room_.find_node(pod_.nominated_node);
    if (!node) return false;
    const auto refused = std::ranges::find(refused_, *node, &RefusedNode::node);
    if (refused != refused_.end() &&
        refused->refusal.code == NodeCode::UnschedulableAndUnresolvable) {
      return false;
    }
    return std::ranges::any_of(room_.nodes()[*node].holders, [this](const RoomHolding& each) {
      return priority_of(each) < priority_of(pod_) && each.is_terminating() &&
             each.preempted_by_scheduler;
    });
  }

  // The nominated node first, then by name.
  std::optional<std::uint32_t> node_that_empties(Late late,
                                                 std::optional<std::uint32_t> but = std::nullopt) {
    const PodPreemption preemption = this->preemption(late);
    std::optional<std::uint32_t> found;
    for (const RefusedNode& each : refused_) {
      if (each.refusal.code != NodeCode::Unschedulable || each.node == but) continue;
      const bool is_nominated = name_of(each.node) == pod_.nominated_node;
      if (found && !is_nominated && name_of(*found) < name_of(each.node)) continue;
      if (!preemption.fits_after_termination(each.node)) continue;
      found = each.node;
      if (is_nominated) break;
    }
    return found;
  }

  void await(std::uint32_t node) {
    decision_.result = SchedulingResult::AwaitingVictims;
    decision_.node = name_of(node);
    outrank({.node = node});
  }

  // Records which nominations the pod ends once `chosen` has happened.
  void outrank(const NodePreemption& chosen) {
    const std::uint32_t node = chosen.node;
    const auto& nominated = room_.nodes()[node].nominated;
    if (nominated.empty()) return;
    Occupancy there = beside(chosen);
    for (const RoomHolding& each : nominated) {
      if (each.uid == pod_.uid || each.key == key_of(pod_)) continue;
      const bool is_lower = priority_of(each) < priority_of(pod_);
      const bool stays = !is_lower || (!upstream() && filter_.leaves_room_for(each, node, there));
      if (stays) {
        filter_.add(there, node, each);
      } else {
        decision_.outranked.push_back(each.key);
      }
    }
    std::ranges::sort(decision_.outranked);
  }

  // The pod itself and the pods that stay on the node.
  Occupancy beside(const NodePreemption& chosen) {
    Occupancy there = staying_beside(filter_, preemption(), chosen);
    filter_.add_itself(there);
    return there;
  }

  Occupancy staying_beside(const NodeFilter& filter, const PodPreemption& preemption,
                           const NodePreemption& chosen) {
    Occupancy there = filter.empty(chosen.node);
    for_each_holding(room_, chosen, [&](const RoomHolding& each, const RatedUnit* rated) {
      const bool goes = rated != nullptr && rated->goes;
      if (!goes && !preemption.is_leaving(each)) filter.add(there, chosen.node, each);
    });
    return there;
  }

  NodePreemption tried_on(const PodPreemption& preemption, std::uint32_t node) {
    if (!room_.figures()[node].has_whole_groups) return preemption.on(node);
    NodePreemption made = preemption.on(node, units_.on(node));
    if (made.victims > 0 && filter_.looks_around() && !upstream()) look_elsewhere(preemption, made);
    return made;
  }

  // The pods of its groups that go on other nodes free no room here, but the pod's spread or
  // affinity may count on them: then no pod is removed for it on this node.
  void look_elsewhere(const PodPreemption& preemption, NodePreemption& made) {
    NodeFilter after = filter_;
    for (const RatedUnit& each : made.rated) {
      if (!each.goes || each.unit.group == nullptr) continue;
      const RoomUnits::Whole whole = units_.whole(room_.find_group(each.unit.group->key));
      for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
        if (whole.nodes[i] == made.node) continue;
        after.count_also(*whole.unit.here[i], whole.nodes[i], -1);
      }
    }
    const Occupancy staying = staying_beside(after, preemption, made);
    const Refusal still = after.refusal_beside(made.node, staying);
    if (still.code == NodeCode::Success) return;
    made.still = still;
    made.still_used = after.used_beside(made.node, staying);
    made.victims = 0;
  }

  // What any of the nodes lacks, with its pods or without those that may be victims.
  Want want() const {
    Want made = want_of(pod_);
    made.admitted.assign(room_.nodes().size(), false);
    std::uint32_t reasons = 0;
    for (const RefusedNode& each : refused_) {
      reasons |= each.refusal.reasons;
      made.admitted[each.node] = !is_against_node(each.refusal);
    }
    // What is against a node may be found only behind what it lacks.
    for (const NodePreemption& each : tried_) {
      reasons |= each.still.reasons;
      if (is_against_node(each.still)) made.admitted[each.node] = false;
    }
    made.cures |= cures_of_all(reasons);
    // A node that lacks room says nothing of the pods beside it, nor of volumes.
    if (filter_.looks_around() || !pod_.placement.claims.empty()) {
      made.cures |= cures_of(Reason::Spread);
    }
    if (made.may_preempt) made.cures |= Relief::Budget;
    return made;
  }

  // Evaluates every node where preemption may help.
  void try_preemption(Late late = Late::Leaves) {
    tried_.clear();
    harms_.clear();
    if (preemption_policy_of(pod_) == PreemptionPolicy::Never) return;
    const PodPreemption preemption = this->preemption(late);
    const auto only = room_.find_node(terms_.removes_only_on);
    if (!only) tried_.reserve(refused_.size());
    for (const RefusedNode& each : refused_) {
      if (only && each.node != *only) continue;
      if (each.refusal.code != NodeCode::Unschedulable) continue;
      NodePreemption& tried = tried_.emplace_back(tried_on(preemption, each.node));
      harms_.push_back(harm_of(room_, tried));
      // The victims of the one that is chosen are found again.
      if (tried.victims > 0 && !terms_.all_nodes) tried.rated = {};
    }
  }

  std::string preempt() {
    try_preemption();
    auto best = least_harm();
    if (!best) return in_vain(filter_, refused_, tried_);
    if (waits_for_late(tried_[*best])) {
      const auto other = least_harm([this](const NodePreemption& each) { return !has_late(each); });
      best = other ? other : best;
    }
    choose(tried_on(preemption(), tried_[*best].node));
    return "";
  }

  // False: no other node is possible, so the pod waits for `late`.
  bool preempt_instead_of(std::uint32_t late) {
    const bool is_only = !node_that_empties(Late::Leaves, late);
    try_preemption(Late::Stays);
    const auto best =
        least_harm([&](const NodePreemption& each) { return !is_only || each.node != late; });
    if (best) choose(tried_on(preemption(Late::Stays), tried_[*best].node));
    return best.has_value();
  }

  bool has_late(const NodePreemption& tried) {
    const PodPreemption preemption = this->preemption();
    return std::ranges::any_of(room_.nodes()[tried.node].holders, [&](const RoomHolding& each) {
      return !upstream() && preemption.is_late(each);
    });
  }

  // The node needs further victims if the pods that leave late stayed.
  bool waits_for_late(const NodePreemption& tried) {
    return has_late(tried) &&
           tried_on(preemption(Late::Stays), tried.node).victims != tried.victims;
  }

  template <class May>
  std::optional<std::size_t> least_harm(May may) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < tried_.size(); ++i) {
      if (tried_[i].victims == 0 || !may(tried_[i])) continue;
      if (best && harms_[*best] <= harms_[i]) continue;
      best = i;
    }
    return best;
  }
  std::optional<std::size_t> least_harm() const {
    return least_harm([](const NodePreemption& /*any*/) { return true; });
  }

  void choose(const NodePreemption& chosen) {
    decision_.result = SchedulingResult::Preempt;
    decision_.node = name_of(chosen.node);
    decision_.budget_violations = chosen.violations.any;
    decision_.victims = described_victims(filter_, chosen);
    outrank(chosen);
  }

  void describe_nodes() {
    // The candidates are reported even where no pod has to be removed.
    if (decision_.result != SchedulingResult::Preempt) try_preemption();
    for (std::size_t i = 0; i < fitting_.size(); ++i) {
      decision_.nodes.push_back({.node = name_of(fitting_[i]), .score = scores_[i]});
    }
    for (const RefusedNode& each : refused_) {
      decision_.nodes.push_back(
          {.node = name_of(each.node),
           .code = each.refusal.code,
           .reasons = filter_.reasons(each.node, each.refusal, filter_.used_now(each.node)),
           .candidate = candidate_on(each.node)});
    }
    std::ranges::sort(decision_.nodes, {}, &NodeAnswer::node);
  }

  std::optional<PlacementCandidate> candidate_on(std::uint32_t node) const {
    const auto tried = std::ranges::find(tried_, node, &NodePreemption::node);
    if (tried == tried_.end() || tried->victims == 0) return std::nullopt;
    PlacementCandidate made{.budget_violations = tried->violations.any};
    for (const RatedUnit& each : tried->rated) {
      if (!each.goes) continue;
      for_each_pod(each.unit, [&](const RoomHolding& pod) { made.victims.push_back(pod.key); });
    }
    return made;
  }

  ClusterRoom& room_;
  const Pod& pod_;
  const ScheduleTerms& terms_;
  NodeFilter filter_;
  RoomUnits units_{room_, terms_};
  std::optional<NodeFilter> later_{};
  ScheduleTerms soon_terms_{};
  std::optional<NodeFilter> soon_{};
  std::vector<std::uint32_t> fitting_{};
  std::vector<std::int64_t> scores_{};
  std::vector<RefusedNode> refused_{};
  std::vector<NodePreemption> tried_{};
  std::vector<Harm> harms_{};  // of these
  SchedulingDecision decision_{};
};

}  // namespace

SchedulingDecision schedule(ClusterRoom& room, const Pod& pod, const ScheduleTerms& terms) {
  room.forget_columns(kKeptColumns);
  return Decider(room, pod, terms).decide();
}

ClusterRoom room_of(const ClusterMoment& moment) {
  ClusterRoom room(moment.rules);
  for (const auto& [name, labels] : moment.namespaces) room.put_namespace(name, labels);
  for (const Selecting& each : moment.selecting) room.selecting().put(each);
  for (const PodDisruptionBudget& each : moment.budgets.upstream) room.put(each);
  for (const DisruptionBudget& each : moment.budgets.ours) {
    room.put(each, strength_of(each, moment.pods), moment.now);
  }
  for (const Node& each : moment.nodes) room.put(each);
  if (moment.volumes != nullptr) room.volumes().put_all(*moment.volumes);
  for (const Pod& each : moment.pods) room.add(each);
  return room;
}

SchedulingDecision schedule(const ClusterMoment& moment, const Pod& pod) {
  ClusterRoom room = room_of(moment);
  return schedule(room, pod,
                  {.now = moment.now,
                   .lapsed = overdue_pods_at(moment.pods, moment.now),
                   .waits_until = moment.now + kLongestAwaited,
                   .all_nodes = true});
}

const AvoidedByName* avoided_besides(const ScheduleTerms& terms, const Pod& pod) {
  const auto at = terms.avoided_by_pod.find(pod.uid);
  return at == terms.avoided_by_pod.end() ? nullptr : &at->second;
}

std::string_view to_string(SchedulingResult result) {
  switch (result) {
    case SchedulingResult::Bind:
      return "Bind";
    case SchedulingResult::Preempt:
      return "Preempt";
    case SchedulingResult::AwaitingVictims:
      return "AwaitingVictims";
    case SchedulingResult::Unschedulable:
      return "Unschedulable";
  }
  return "Unschedulable";
}

std::string_view to_string(NodeCode code) {
  switch (code) {
    case NodeCode::Success:
      return "Success";
    case NodeCode::Unschedulable:
      return "Unschedulable";
    case NodeCode::UnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable";
  }
  return "Unschedulable";
}

}  // namespace elbowroom::policy
