#include "policy/preemption/resize_preemption.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/critical.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/node_pods.h"
#include "policy/preemption/preemption_messages.h"
#include "policy/preemption/room_claims.h"
#include "policy/resize/resize.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::policy {
namespace {

// The decision about one Deferred pod, before its message is written.
struct Choice {
  RoomMaker by = RoomMaker::Nobody;
  PreemptionOutcome outcome = PreemptionOutcome::NotNeeded;
  Words message{};
  Resources needs{};           // what was lacking
  std::vector<Rated> rated{};  // potential victims, most important first
  std::vector<const Pod*> kill_order{};
  std::vector<std::string> why_not{};  // by pod: why it cannot be a victim; empty: not evaluated
  bool gets_room = false;              // sooner or later, so later pods cannot take it
};

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
  explicit Plan(const NodeMoment& moment) : moment_(moment), node_pods_(node_pods_of(moment)) {}

  // Plans up to the pod with that uid.
  ResizePreemption plan_one(std::string_view uid) {
    for (PodOnNode* deferred : retry_order(uid)) {
      const Choice choice = choose(*deferred);
      if (deferred->pod->uid == uid) return described(*deferred, choice);
      take(*deferred, choice);
    }
    return {};
  }

  std::vector<PlannedResize> plan_all() {
    std::vector<PlannedResize> plans;
    for (PodOnNode* deferred : retry_order("")) {
      const Choice choice = choose(*deferred);
      plans.push_back({deferred->pod, described(*deferred, choice)});
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
  void take(PodOnNode& deferred, const Choice& choice) {
    if (upstream()) return;
    if (!choice.gets_room) {
      unserved_.push_back(&deferred);
      return;
    }
    for (PodOnNode& each : node_pods_) {
      if (std::ranges::find(choice.kill_order, each.pod) == choice.kill_order.end()) continue;
      each.makes_room = true;
      each.for_whom = deferred.pod;
      each.charge = {};
    }
    if (raises_any(deferred.totals)) deferred.charge = resizing_charge(deferred.totals);
  }

  // ---- the choice for one Deferred pod ----

  Choice choose(const PodOnNode& deferred) const {
    const Fit fit = fit_of(moment_, deferred);
    const bool by_node = moment_.critical_by_node && is_critical(*deferred.pod);
    // A node knows no nominations. Upstream's rules consider only what upstream considers.
    std::vector<RoomClaim> room_claims;
    if (!upstream() && !by_node) room_claims = claims_before(moment_, deferred, unserved_);
    Demand demand{.deferred = deferred, .fit = fit, .room_claims = room_claims};
    const Selection nobody(node_pods_.size(), false);
    demand.take = later(demand).taken_in_order(nobody);
    if (upstream()) demand.nominated = nominated_before(moment_, deferred);
    Choice choice{.needs = lacking(fit, used_beside(demand, nobody, demand.take))};
    choice.gets_room = is_zero(choice.needs);
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
    if (auto why = disabled(pod)) {
      return refused(std::move(choice), PreemptionOutcome::Disabled, *std::move(why));
    }
    if (pod.preemption_policy == PreemptionPolicy::Never) {
      return refused(std::move(choice), PreemptionOutcome::PolicyNever,
                     "preemptionPolicy of pod " + key_of(pod) + " is Never");
    }
    // Both rule sets forbid it: they differ in the choice of victims, not in what is safe.
    if (pod.has_resource_claims) {
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

  RoomLater later(const Demand& demand) const {
    return {
        .node_pods = node_pods_, .deferred = demand.deferred, .room_claims = demand.room_claims};
  }

  Resources used_beside(const Demand& demand, const Selection& gone, const Selection& took) const {
    return sum(later(demand).used(gone, took, &demand.deferred), demand.nominated);
  }

  static Choice refused(Choice choice, PreemptionOutcome outcome, Words message) {
    choice.outcome = outcome;
    choice.message = std::move(message);
    return choice;
  }

  std::optional<std::string> disabled(const Pod& pod) const {
    if (disables_resize_preemption(moment_.node)) {
      return "resize preemption is disabled on node " + moment_.node.name + " by " +
             listed(moment_.node.resize_preemption_owners);
    }
    if (!has_true(pod.conditions, kPodResizePreemptionDisabled)) return std::nullopt;
    return "condition PodResizePreemptionDisabled of pod " + key_of(pod) + " is True";
  }

  // Names the room on its way.
  Words expected(const Pod& reader) const {
    std::vector<Words> names;
    for (const PodOnNode& each : node_pods_) {
      if (each.leaving || each.makes_room) {
        names.push_back(named_to(reader.ns, *each.pod) + " leaves");
      } else if (exceeds_anywhere(each.held, each.charge)) {
        names.push_back(named_to(reader.ns, *each.pod) + " shrinks");
      }
    }
    return Words("enough room is on its way: ") + listed_pods(names);
  }

  // ---- potential victims ----

  void rate(Choice& choice, const PodOnNode& deferred) const {
    choice.why_not = obstacles(moment_, node_pods_, deferred);
    std::vector<const Pod*> pods;
    for (std::size_t i = 0; i < node_pods_.size(); ++i) {
      if (&node_pods_[i] == &deferred || !choice.why_not[i].empty()) continue;
      choice.rated.push_back(
          {.pod = node_pods_[i].pod,
           .charge = node_pods_[i].charge,
           .is_marked = !upstream() && is_marked_for(*node_pods_[i].pod, *deferred.pod)});
      pods.push_back(node_pods_[i].pod);
    }
    const std::vector<bool> breaks = violating(pods, moment_.budgets, moment_.rules, moment_.now);
    for (std::size_t i = 0; i < breaks.size(); ++i) choice.rated[i].breaks_budget = breaks[i];
  }

  // ---- victims ----

  Choice chosen_by_node(Choice choice, const Pod& preemptor) const {
    std::vector<Removable> removable;
    for (const Rated& each : choice.rated) {
      if (preemptable(preemptor, *each.pod)) removable.push_back({each.pod, each.charge});
    }
    const auto victims = critical_victims(removable, choice.needs);
    if (!victims) {
      const Resources needs = choice.needs;
      return not_enough(std::move(choice), needs);
    }
    choice.kill_order = *victims;
    return finished(std::move(choice));
  }

  // Which claims take part of the freed room may depend on the victims. So claims are added until
  // the resize fits beside them.
  Choice chosen_by_scheduler(Choice choice, Demand demand) const {
    const RoomLater room = later(demand);
    const Selection candidates = selected(choice.rated, [](const Rated&) { return true; });
    bool all_tried = demand.room_claims.empty();
    while (true) {
      const Resources still = lacking(demand.fit, used_beside(demand, candidates, demand.take));
      if (choice.rated.empty() || !is_zero(still)) {
        if (all_tried) return not_enough(std::move(choice), still);
        // The claims that fit when all candidates are removed may be fewer than those found one by
        // one.
        all_tried = true;
        demand.take = room.taken_in_order(candidates);
        continue;
      }
      const std::vector<bool> goes = who_goes(choice, demand);
      for (std::size_t i = 0; i < goes.size(); ++i) choice.rated[i].goes = goes[i];
      const Selection gone = selected(choice.rated, [](const Rated& each) { return each.goes; });
      const Selection spoilers = room.spoilers(gone, demand.fit);
      if (std::ranges::find(spoilers, true) == spoilers.end()) break;
      for (std::size_t i = 0; i < spoilers.size(); ++i) {
        if (spoilers[i]) demand.take[i] = true;
      }
    }
    for (const Rated& each : choice.rated) {
      if (each.goes) choice.kill_order.push_back(each.pod);
    }
    choice.needs =
        lacking(demand.fit, used_beside(demand, Selection(node_pods_.size(), false), demand.take));
    Choice made = finished(std::move(choice));
    made.message += first_claims(demand);
    return made;
  }

  std::vector<bool> who_goes(const Choice& choice, const Demand& demand) const {
    const Selection candidates = selected(choice.rated, [](const Rated&) { return true; });
    std::vector<PotentialVictim> potential;
    for (const Rated& each : choice.rated) {
      PotentialVictim one{each.charge, {each.breaks_budget, each.is_marked}};
      for (std::size_t i = 0; i < demand.room_claims.size(); ++i) {
        if (demand.take[i] && demand.room_claims[i].pod == each.pod) {
          one.charge = demand.room_claims[i].fit.charge;
        }
      }
      potential.push_back(std::move(one));
    }
    return policy::who_goes(demand.fit, used_beside(demand, candidates, demand.take), potential);
  }

  // The pods of the node whose rating satisfies `which`.
  template <class Which>
  Selection selected(const std::vector<Rated>& rated, Which which) const {
    Selection of(node_pods_.size(), false);
    for (const Rated& each : rated) {
      if (!which(each)) continue;
      const auto at = std::ranges::find(node_pods_, each.pod, &PodOnNode::pod);
      of[static_cast<std::size_t>(at - node_pods_.begin())] = true;
    }
    return of;
  }

  static Words first_claims(const Demand& demand) {
    std::vector<Words> names;
    for (std::size_t i = 0; i < demand.room_claims.size(); ++i) {
      const bool takes = demand.take[i] && !demand.room_claims[i].fit.checked.empty();
      if (!takes) continue;
      names.push_back(named_to(demand.deferred.pod->ns, *demand.room_claims[i].pod));
    }
    if (names.empty()) return {};
    return Words(", what ") + listed_pods(names) + (names.size() == 1 ? " takes" : " take") +
           " first included";
  }

  Choice not_enough(Choice choice, const Resources& still) const {
    std::string message = choice.rated.empty()
                              ? "no pod on node " + moment_.node.name + " may be removed"
                              : "removing all pods that may be removed (" +
                                    std::to_string(choice.rated.size()) + ") would not be enough";
    message += ": " + in_words(still) + " would be lacking still";
    return refused(std::move(choice), PreemptionOutcome::NoVictims, message);
  }

  static Choice finished(Choice choice) {
    choice.outcome = PreemptionOutcome::Preempt;
    choice.gets_room = true;
    for (Rated& each : choice.rated) {
      each.goes = std::ranges::find(choice.kill_order, each.pod) != choice.kill_order.end();
    }
    const std::size_t count = choice.kill_order.size();
    choice.message = "removing " + std::to_string(count) + (count == 1 ? " pod" : " pods") +
                     " of lower priority makes up for the lacking " + in_words(choice.needs);
    return choice;
  }

  // ---- messages ----

  ResizePreemption described(const PodOnNode& deferred, const Choice& choice) const {
    ResizePreemption plan{.by = choice.by, .outcome = choice.outcome, .message = choice.message};
    if (choice.outcome == PreemptionOutcome::NotNeeded) return plan;

    for (const Pod* pod : choice.kill_order) {
      const auto at = std::ranges::find(choice.rated, pod, &Rated::pod);
      const auto index = static_cast<std::size_t>(at - choice.rated.begin());
      plan.victims.push_back({pod, at->breaks_budget,
                              choice.by == RoomMaker::Node
                                  ? why_the_node_takes(*at, choice.needs)
                                  : why_it_goes(choice.rated, index, choice.needs, moment_.rules)});
      plan.budget_violations += at->breaks_budget ? 1 : 0;
    }
    const std::vector<std::string> why_not =
        choice.why_not.empty() ? obstacles(moment_, node_pods_, deferred) : choice.why_not;
    for (std::size_t i = 0; i < node_pods_.size(); ++i) {
      const Pod* pod = node_pods_[i].pod;
      if (pod == deferred.pod ||
          std::ranges::find(choice.kill_order, pod) != choice.kill_order.end()) {
        continue;
      }
      const bool eligible = why_not[i].empty();
      plan.considered.push_back({pod, eligible, eligible ? why_spared(*pod, choice) : why_not[i]});
    }
    return plan;
  }

  static std::string why_spared(const Pod& pod, const Choice& choice) {
    switch (choice.outcome) {
      case PreemptionOutcome::AwaitingVictims:
        return "stays: enough room is on its way";
      case PreemptionOutcome::Disabled:
      case PreemptionOutcome::PolicyNever:
        return "stays: nobody is removed for this resize";
      case PreemptionOutcome::NoVictims:
        return "stays: removing it would not help";
      case PreemptionOutcome::NotNeeded:
      case PreemptionOutcome::Preempt:
        break;
    }
    return why_it_stays(*std::ranges::find(choice.rated, &pod, &Rated::pod), choice.needs);
  }

  const NodeMoment& moment_;
  std::vector<PodOnNode> node_pods_;  // most important first
  std::vector<const PodOnNode*>
      unserved_{};  // earlier in retry order, and no room is made for them
};

}  // namespace

ResizePreemption plan_resize_preemption(const NodeMoment& moment, std::string_view uid) {
  // kube-scheduler's rules do not apply to the victims that a node chooses for its critical pods.
  const auto pod = std::ranges::find(moment.pods, uid, &Pod::uid);
  const bool node_makes_room =
      moment.critical_by_node && pod != moment.pods.end() && is_critical(*pod);
  if (node_makes_room && moment.rules == RuleSet::Upstream) {
    NodeMoment by_node = moment;
    by_node.rules = RuleSet::Elbowroom;
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
