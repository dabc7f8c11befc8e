#include "policy/preemption/resize_preemption.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/critical.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/node_groups.h"
#include "policy/preemption/node_pods.h"
#include "policy/preemption/preemption_messages.h"
#include "policy/preemption/resize_choice.h"
#include "policy/preemption/room_claims.h"
#include "policy/resize/resize.h"
#include "policy/resize/resize_conditions.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::policy {
namespace {

// What has to fit, and what takes precedence over it.
struct Demand {
  const PodOnNode& deferred;
  const Fit& fit;
  const std::vector<RoomClaim>& room_claims;
  Selection take{};          // the claims that take free or freed room before this resize
  Resources nominated = {};  // upstream's rules: their charges, used instead of `take`
};

class Plan {
 public:
  explicit Plan(const NodeMoment& moment)
      : moment_(moment),
        node_pods_(node_pods_of(moment)),
        groups_(moment),
        node_units_(units_of(moment, groups_, node_pods_)) {}

  // Plans up to the pod with that uid.
  ResizePreemption plan_one(std::string_view uid) {
    for (PodOnNode* deferred : retry_order(uid)) {
      const ResizeChoice choice = choose(*deferred);
      if (deferred->pod->uid == uid)
        return described(moment_, node_pods_, node_units_, *deferred, choice);
      take(*deferred, choice);
    }
    return {};
  }

  std::vector<PlannedResize> plan_all() {
    std::vector<PlannedResize> plans;
    for (PodOnNode* deferred : retry_order("")) {
      const ResizeChoice choice = choose(*deferred);
      plans.push_back(
          {deferred->pod, described(moment_, node_pods_, node_units_, *deferred, choice)});
      take(*deferred, choice);
    }
    return plans;
  }

 private:
  bool upstream() const { return moment_.rules == RuleSet::Upstream; }

  // The Deferred pods, and the pod with uid `asked` whatever its conditions say.
  std::vector<PodOnNode*> retry_order(std::string_view asked) {
    std::vector<std::pair<RetryKey, PodOnNode*>> keyed;
    for (PodOnNode& each : node_pods_) {
      const bool waits = is_deferred(*each.pod) && !is_terminating(*each.pod);
      if (waits || each.pod->uid == asked) keyed.emplace_back(retry_key(*each.pod, 0), &each);
    }
    std::ranges::sort(keyed, {}, [](const auto& entry) { return entry.first; });
    std::vector<PodOnNode*> order;
    for (const auto& [key, each] : keyed) order.push_back(each);
    return order;
  }

  // A Deferred pod that gets its room holds it against later pods. One that does not may take room
  // that is freed for them. Upstream charges every pod at its desired size anyway, and plans each
  // pod independently.
  void take(PodOnNode& deferred, const ResizeChoice& choice) {
    if (upstream() || deferred.makes_room) return;
    if (!choice.gets_room) {
      unserved_.push_back(&deferred);
      return;
    }
    const bool removes = choice.outcome == PreemptionOutcome::Preempt;
    for (std::size_t i = 0; removes && i < choice.rated.size(); ++i) {
      if (!choice.rated[i].goes) continue;
      for (const std::uint32_t at : node_units_.places_of(choice.rated_units[i])) {
        node_pods_[at].makes_room = true;
        node_pods_[at].makes_room_for_pod = deferred.pod;
        node_pods_[at].charge = {};
      }
    }
    if (raises_any(deferred.totals)) {
      deferred.charge = without(resizing_charge(deferred.totals), deferred.claims);
    }
    if (moment_.critical_by_node) set_amount(deferred.charge, kPodCount, 1);
  }

  // ---- the choice for one Deferred pod ----

  ResizeChoice choose(const PodOnNode& deferred) const {
    const Fit fit = fit_of(moment_, deferred);
    const bool by_node = moment_.critical_by_node && is_critical(*deferred.pod);
    // A node knows no nominations. Upstream's rules consider only what upstream considers.
    std::vector<RoomClaim> room_claims;
    if (!upstream() && !by_node) room_claims = claims_before(moment_, deferred, unserved_);
    Demand demand{.deferred = deferred, .fit = fit, .room_claims = room_claims};
    const Selection nobody(node_pods_.size(), false);
    demand.take = later(demand).taken_in_order(nobody);
    if (upstream()) demand.nominated = nominated_before(moment_, deferred);
    ResizeChoice choice{.needs = lacking(fit, used_beside(demand, nobody, demand.take))};
    choice.gets_room = is_zero(choice.needs);
    // The condition is also that of a volume's size, which no pod that leaves makes room for.
    const Totals& totals = deferred.totals;
    const bool takes_slot = moment_.critical_by_node && arrives(*deferred.pod);
    if (!raises(totals, kCpu) && !raises(totals, kMemory) && !takes_slot) {
      return refused(std::move(choice), PreemptionOutcome::NoVictims,
                     PodText(std::string(kRaisesNeither)));
    }
    if (upstream() ? choice.gets_room : is_zero(lacking(fit, held_beside(node_pods_, deferred)))) {
      choice.message = "it fits by now and waits for the node";
      return choice;
    }

    const Pod& pod = *deferred.pod;
    choice.by = by_node ? RoomMaker::Node : RoomMaker::Scheduler;
    if (is_terminating(pod)) {
      choice.gets_room = false;
      return refused(std::move(choice), PreemptionOutcome::NoVictims,
                     "nobody is removed for pod " + key_of(pod) + ", which is terminating itself");
    }
    if (deferred.makes_room) {
      choice.by = RoomMaker::Nobody;
      choice.gets_room = false;
      return refused(std::move(choice), PreemptionOutcome::NoVictims,
                     PodText("nobody is removed for pod " + key_of(pod) +
                             ", which is itself to go for the resize of ") +
                         name_for_reader(pod.ns, *deferred.makes_room_for_pod));
    }
    if (auto why = disabled(pod)) {
      return refused(std::move(choice), PreemptionOutcome::Disabled, *std::move(why));
    }
    if (preemption_policy_of(pod) == PreemptionPolicy::Never) {
      return refused(std::move(choice), PreemptionOutcome::PolicyNever,
                     "preemptionPolicy of pod " + key_of(pod) + " is Never");
    }
    // Both rule sets forbid it: they differ in the choice of victims, not in what is safe.
    if (pod.has_resource_claims && pod.claimed.empty()) {
      return refused(std::move(choice), PreemptionOutcome::NoVictims,
                     "nobody is removed for pod " + key_of(pod) +
                         ", which has resource claims: their devices are not counted");
    }
    if (!upstream()) {
      // On a node that is not Ready, no room on its way is reliable.
      const NodeReady ready = moment_.node.ready;
      const bool is_ready = ready != NodeReady::False && ready != NodeReady::Unknown;
      if (choice.gets_room && is_ready) {
        return refused(std::move(choice), PreemptionOutcome::AwaitingVictims, expected(pod));
      }
    }
    // By upstream's rules, too, a stuck node loses no pods.
    if (auto stuck = stuck_node(moment_.node, moment_.pods, moment_.lapsed, pod.ns)) {
      return refused(std::move(choice), PreemptionOutcome::NoVictims, *std::move(stuck));
    }
    rate(choice, deferred);
    return by_node ? chosen_by_node(std::move(choice), pod)
                   : chosen_by_scheduler(std::move(choice), std::move(demand));
  }

  FutureRoom later(const Demand& demand) const {
    return {
        .node_pods = node_pods_, .deferred = demand.deferred, .room_claims = demand.room_claims};
  }

  Resources used_beside(const Demand& demand, const Selection& gone, const Selection& took) const {
    return charged_beside(demand, gone, took).total();
  }

  ChargeSum charged_beside(const Demand& demand, const Selection& gone,
                           const Selection& took) const {
    ChargeSum charged = later(demand).used(gone, took, &demand.deferred);
    charged.add(demand.nominated, {});
    return charged;
  }

  static ResizeChoice refused(ResizeChoice choice, PreemptionOutcome outcome, PodText message) {
    choice.outcome = outcome;
    choice.message = std::move(message);
    return choice;
  }

  std::optional<std::string> disabled(const Pod& pod) const {
    if (moment_.critical_by_node && arrives(pod)) return std::nullopt;  // it is no resize
    if (disables_resize_preemption(moment_.node)) {
      return "resize preemption is disabled on node " + moment_.node.name + " by " +
             owners_in_words(moment_.node);
    }
    // One with the policy's reason has outlived the policy.
    if (!preemption_disabled_by_others(pod)) return std::nullopt;
    return "condition PodResizePreemptionDisabled of pod " + key_of(pod) + " is True";
  }

  // Names the room on its way.
  PodText expected(const Pod& reader) const {
    std::vector<PodText> names;
    for (const PodOnNode& each : node_pods_) {
      if (each.makes_room) {
        names.push_back(name_for_reader(reader.ns, *each.pod) + " is to go for " +
                        name_for_reader(reader.ns, *each.makes_room_for_pod));
      } else if (each.leaving) {
        names.push_back(name_for_reader(reader.ns, *each.pod) + " leaves");
      } else if (exceeds_anywhere(each.held, each.charge)) {
        names.push_back(name_for_reader(reader.ns, *each.pod) + " shrinks");
      }
    }
    return PodText("enough room is on its way: ") + listed_pods(names);
  }

  // ---- potential victims ----

  void rate(ResizeChoice& choice, const PodOnNode& deferred) const {
    choice.why_not = obstacles(moment_, node_pods_, node_units_, deferred);
    const auto is_marked = [&](const Pod& pod) { return is_marked_for(pod, *deferred.pod); };
    std::vector<Unit<Pod>> units;
    for (std::size_t i = 0; i < node_units_.units.size(); ++i) {
      const Unit<Pod>& unit = node_units_.units[i];
      if (unit.pod == deferred.pod || !choice.why_not[i].empty()) continue;
      Rated& rated = choice.rated.emplace_back();
      rated.unit = unit;
      rated.is_marked = !upstream() && any_pod(unit, is_marked);
      rated.charge = freed_by(i);
      choice.rated_units.push_back(i);
      units.push_back(unit);
    }
    const auto breaks = violating(units, moment_.budgets, moment_.rules, moment_.now);
    for (std::size_t i = 0; i < breaks.size(); ++i) choice.rated[i].violating = breaks[i];
  }

  // What the removal of that unit alone frees: nothing of a claim that pods of others share.
  Resources freed_by(std::size_t unit) const {
    const std::span<const std::uint32_t> places = node_units_.places_of(unit);
    ChargeSum freed;
    const bool has_claims = std::ranges::any_of(
        places, [this](std::uint32_t at) { return !node_pods_[at].planned_claims().empty(); });
    for (std::uint32_t at = 0; has_claims && at < node_pods_.size(); ++at) {
      const bool is_of_unit = std::ranges::find(places, at) != places.end();
      if (!is_of_unit) freed.leave_out(node_pods_[at].planned_claims());
    }
    for (const std::uint32_t at : places) {
      freed.add(node_pods_[at].charge, node_pods_[at].planned_claims());
    }
    return freed.total();
  }

  // ---- victims ----

  ResizeChoice chosen_by_node(ResizeChoice choice, const Pod& preemptor) const {
    // A node knows no groups. It cannot tell which pods go together, so it removes pods of groups
    // only where the others are not enough.
    std::vector<Removable> removable;
    std::vector<Removable> grouped;
    const auto is_member = [](const Pod& pod) { return is_grouped(pod); };
    for (const Rated& each : choice.rated) {
      if (!preemptable(preemptor, each.unit)) continue;
      (any_pod(each.unit, is_member) ? grouped : removable).push_back({each.unit, each.charge});
    }
    auto victims = critical_victims(removable, choice.needs);
    if (!victims && !grouped.empty()) {
      removable.insert(removable.end(), grouped.begin(), grouped.end());
      victims = critical_victims(removable, choice.needs);
    }
    if (!victims) {
      const Resources needs = choice.needs;
      return not_enough(std::move(choice), needs);
    }
    choice.kill_order = *victims;
    return finished(std::move(choice));
  }

  // Which claims take part of the freed room may depend on the victims. So claims are added until
  // the resize fits beside them.
  ResizeChoice chosen_by_scheduler(ResizeChoice choice, Demand demand) const {
    const FutureRoom room = later(demand);
    const Selection candidates = selected(choice, [](const Rated&) { return true; });
    bool all_tried = demand.room_claims.empty();
    while (true) {
      const Resources still = lacking(demand.fit, used_beside(demand, candidates, demand.take));
      if (choice.rated.empty() || !is_zero(still)) {
        if (all_tried) {
          ResizeChoice none = not_enough(std::move(choice), still);
          none.message += counted_besides(demand, none.needs);
          return none;
        }
        // The claims that fit when all candidates are removed may be fewer than those found one by
        // one.
        all_tried = true;
        demand.take = room.taken_in_order(candidates);
        continue;
      }
      const std::vector<bool> goes = must_be_removed(choice, demand);
      for (std::size_t i = 0; i < goes.size(); ++i) choice.rated[i].goes = goes[i];
      const Selection gone = selected(choice, [](const Rated& each) { return each.goes; });
      const Selection blocking_claims = room.blocking_claims(gone, demand.fit);
      if (std::ranges::find(blocking_claims, true) == blocking_claims.end()) break;
      for (std::size_t i = 0; i < blocking_claims.size(); ++i) {
        if (blocking_claims[i]) demand.take[i] = true;
      }
    }
    for (const Rated& each : choice.rated) {
      if (each.goes) choice.kill_order.push_back(each.unit);
    }
    choice.needs =
        lacking(demand.fit, used_beside(demand, Selection(node_pods_.size(), false), demand.take));
    ResizeChoice made = finished(std::move(choice));
    made.message += first_claims(demand);
    made.message += counted_besides(demand, made.needs);
    return made;
  }

  std::vector<bool> must_be_removed(const ResizeChoice& choice, const Demand& demand) const {
    const Selection candidates = selected(choice, [](const Rated&) { return true; });
    std::vector<PotentialVictim> potential;
    for (std::size_t i = 0; i < choice.rated.size(); ++i) {
      const Rated& each = choice.rated[i];
      PotentialVictim& made = potential.emplace_back();
      made.charge = charge_with_claims(choice.rated_units[i], demand);
      for (const std::uint32_t at : node_units_.places_of(choice.rated_units[i])) {
        const auto& claims = node_pods_[at].planned_claims();
        made.claims.insert(made.claims.end(), claims.begin(), claims.end());
      }
      made.standing = {.priority = priority_of(each.unit),
                       .breaks_budget = each.violating.firm > 0,
                       .breaks_soft_budget = each.violating.soft > 0,
                       .is_marked = each.is_marked};
    }
    return policy::must_be_removed(demand.fit, charged_beside(demand, candidates, demand.take),
                                   potential);
  }

  // The unit's charge on the node, where its pods that have a served claim count at what they
  // claim.
  Resources charge_with_claims(std::size_t unit, const Demand& demand) const {
    const auto claim_of = [&](const Pod* pod) {
      const Resources* claimed = nullptr;
      for (std::size_t i = 0; i < demand.room_claims.size(); ++i) {
        const RoomClaim& claim = demand.room_claims[i];
        if (demand.take[i] && claim.pod == pod) claimed = &claim.own;
      }
      return claimed;
    };
    Resources total;
    for (const std::uint32_t at : node_units_.places_of(unit)) {
      const Resources* claimed = claim_of(node_pods_[at].pod);
      add_to(total, claimed != nullptr ? *claimed : node_pods_[at].charge);
    }
    return total;
  }

  // The pods of the node of those units whose rating satisfies `which`.
  template <class Which>
  Selection selected(const ResizeChoice& choice, Which which) const {
    Selection of(node_pods_.size(), false);
    for (std::size_t i = 0; i < choice.rated.size(); ++i) {
      if (!which(choice.rated[i])) continue;
      for (const std::uint32_t at : node_units_.places_of(choice.rated_units[i])) of[at] = true;
    }
    return of;
  }

  static PodText first_claims(const Demand& demand) {
    std::vector<PodText> names;
    for (std::size_t i = 0; i < demand.room_claims.size(); ++i) {
      const bool takes = demand.take[i] && !demand.room_claims[i].fit.checked.empty();
      if (!takes) continue;
      names.push_back(name_for_reader(demand.deferred.pod->ns, *demand.room_claims[i].pod));
    }
    if (names.empty()) return {};
    return PodText(", what ") + listed_pods(names) + (names.size() == 1 ? " takes" : " take") +
           " first included";
  }

  // Upstream's sums are not those of the verdict, which counts what the pods hold.
  std::string counted_besides(const Demand& demand, const Resources& needs) const {
    if (!upstream() || needs == lacking(demand.fit, held_beside(node_pods_, demand.deferred))) {
      return "";
    }
    return " (by upstream's rules, which count what the other pods ask for, and pods nominated to "
           "the node)";
  }

  ResizeChoice not_enough(ResizeChoice choice, const Resources& still) const {
    std::size_t pods = 0;
    for (const Rated& each : choice.rated) pods += members_of(each.unit);
    std::string message = choice.rated.empty()
                              ? "no pod on node " + moment_.node.name + " may be removed"
                              : "removing all pods that may be removed (" + std::to_string(pods) +
                                    ") would not be enough";
    message += ": " + in_words(still) + " would be lacking still";
    return refused(std::move(choice), PreemptionOutcome::NoVictims, message);
  }

  const NodeMoment& moment_;
  std::vector<PodOnNode> node_pods_;  // most important first
  NodeGroups groups_;
  NodeUnits node_units_;  // of these pods
  std::vector<const PodOnNode*>
      unserved_{};  // earlier in retry order, and no room is made for them
};

}  // namespace

ResizePreemption plan_resize_preemption(const NodeMoment& moment, std::string_view uid) {
  // kube-scheduler's rules do not apply to the victims that a node chooses for its critical pods.
  const auto pod = std::ranges::find(moment.pods, uid, &Pod::uid);
  const bool node_makes_room =
      moment.critical_by_node && pod != moment.pods.end() && is_critical(*pod);
  if (node_makes_room) {
    NodeMoment by_node = moment;
    by_node.rules = RuleSet::Elbowroom;
    by_node.ignores_groups = true;
    return Plan(by_node).plan_one(uid);
  }
  return Plan(moment).plan_one(uid);
}

std::vector<PlannedResize> plan_resize_preemptions(const NodeMoment& moment) {
  return Plan(moment).plan_all();
}

std::string_view to_string(RoomMaker maker) {
  switch (maker) {
    case RoomMaker::Nobody:
      return "nobody";
    case RoomMaker::Scheduler:
      return "scheduler";
    case RoomMaker::Node:
      return "node";
  }
  return "nobody";
}

std::string_view to_string(PreemptionOutcome outcome) {
  switch (outcome) {
    case PreemptionOutcome::NotNeeded:
      return "NotNeeded";
    case PreemptionOutcome::Preempt:
      return "Preempt";
    case PreemptionOutcome::AwaitingVictims:
      return "AwaitingVictims";
    case PreemptionOutcome::Disabled:
      return "Disabled";
    case PreemptionOutcome::PolicyNever:
      return "PolicyNever";
    case PreemptionOutcome::NoVictims:
      return "NoVictims";
  }
  return "NotNeeded";
}

}  // namespace elbowroom::policy
