#include "policy/resize_preemption.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "policy/charge.h"
#include "policy/critical.h"
#include "policy/importance.h"
#include "policy/order.h"
#include "policy/removal_mark.h"
#include "policy/resize.h"

namespace elbowroom::policy {
namespace {

constexpr std::chrono::seconds kLeavesAfterDeadline{30};
constexpr std::chrono::seconds kShrinkMayTake{60};

std::string in_words(std::string_view resource, std::int64_t amount) {
  return resource == kCpu ? std::to_string(amount) + "m cpu"
                          : std::to_string(amount) + " " + std::string(resource);
}

std::string in_words(const Resources& of) {
  std::string words;
  for_each_amount(of, [&](std::string_view name, std::int64_t amount) {
    words += (words.empty() ? "" : " and ") + in_words(name, amount);
  });
  return words.empty() ? "nothing" : words;
}

// A pod of the node while the plan is made: `charge` falls to zero when it is taken to be gone.
struct Occupant {
  const Pod* pod = nullptr;
  Totals totals{};
  Resources charge{};
  bool leaving = false;  // on its way out in time
  bool removed = false;  // chosen for an earlier Deferred pod
};

// What a shrink on its way leaves: the allocated amounts where the runtime still has more, and the
// desired ones of a pure shrink that nobody has judged yet.
Resources after_shrinks(const Pod& pod, const Totals& totals) {
  const Condition* progress = find_condition(pod.conditions, kPodResizeInProgress);
  if (progress != nullptr && progress->reason == kReasonError) return held_charge(totals);
  const bool judged = find_condition(pod.conditions, kPodResizePending) != nullptr;
  const bool pure_shrink = !exceeds_anywhere(totals.desired, totals.allocated) &&
                           exceeds_anywhere(totals.allocated, totals.desired);
  return pure_shrink && !judged ? totals.desired : totals.allocated;
}

class Plan {
 public:
  explicit Plan(const NodeMoment& moment) : moment_(moment) {
    for (const Pod& pod : moment.pods) {
      if (is_finished(pod)) continue;
      if (!upstream() && !holds_room(pod)) continue;
      occupants_.push_back(occupant(pod));
    }
    std::ranges::sort(occupants_, {}, [&](const Occupant& each) {
      return importance_of(*each.pod, moment_.rules);
    });
  }

  // Plans in retry order up to the pod asked for.
  ResizePreemption run(std::string_view uid) {
    for (Occupant* deferred : retry_order(uid)) {
      ResizePreemption planned = plan_for(*deferred);
      if (deferred->pod->uid == uid) return planned;
      claim(*deferred, planned);
    }
    return {};
  }

 private:
  bool upstream() const { return moment_.rules == RuleSet::Upstream; }

  Occupant occupant(const Pod& pod) const {
    Occupant made{.pod = &pod, .totals = totals_of(pod)};
    if (upstream()) {
      made.charge = cluster_charge(made.totals, is_infeasible(pod));
      return made;
    }
    made.leaving = is_terminating(pod) && !moment_.lapsed.overdue.contains(pod.uid);
    made.charge = made.leaving ? Resources{}
                  : moment_.lapsed.stuck_shrinks.contains(pod.uid)
                      ? held_charge(made.totals)
                      : after_shrinks(pod, made.totals);
    return made;
  }

  std::vector<Occupant*> retry_order(std::string_view uid) {
    std::vector<std::pair<RetryKey, Occupant*>> keyed;
    for (Occupant& each : occupants_) {
      const bool counts = each.pod->uid == uid ||
                          (!upstream() && is_deferred(*each.pod) && !is_terminating(*each.pod));
      if (counts) keyed.emplace_back(retry_key(*each.pod, 0), &each);
    }
    std::ranges::sort(keyed, {}, [](const auto& entry) { return entry.first; });
    std::vector<Occupant*> order;
    for (const auto& [key, occupant] : keyed) order.push_back(occupant);
    return order;
  }

  // An earlier Deferred pod takes its room, if it will get it.
  void claim(Occupant& deferred, const ResizePreemption& planned) {
    switch (planned.outcome) {
      case PreemptionOutcome::NotNeeded:
      case PreemptionOutcome::AwaitingVictims:
        break;
      case PreemptionOutcome::Preempt:
        for (const ChosenVictim& victim : planned.victims) {
          Occupant& gone = *std::ranges::find(occupants_, victim.pod, &Occupant::pod);
          gone.removed = true;
          gone.charge = {};
        }
        break;
      case PreemptionOutcome::Disabled:
      case PreemptionOutcome::PolicyNever:
      case PreemptionOutcome::NoVictims:
        return;
    }
    deferred.charge = resizing_charge(deferred.totals);
  }

  // ---- the fit ----

  // What the others use when none of `gone` is there.
  Resources charged_beside(const Occupant& deferred,
                           const std::vector<const Occupant*>& gone = {}) const {
    Resources used;
    for (const Occupant& each : occupants_) {
      if (&each == &deferred || std::ranges::find(gone, &each) != gone.end()) continue;
      add_to(used, each.charge);
    }
    for (const Pod& pod : moment_.nominated) {
      if (priority_of(pod) >= priority_of(*deferred.pod)) add_to(used, cluster_charge(pod));
    }
    return used;
  }

  // The amounts that are lacking for the pod when the others use `used`; only of what the resize
  // raises (default), or of everything the pod requests (upstream).
  Resources lacking(const Occupant& deferred, const Resources& used) const {
    Resources missing;
    const Resources charge = resizing_charge(deferred.totals);
    for_each_amount(deferred.totals.desired, [&](std::string_view name, std::int64_t) {
      if (!upstream() && !raises(deferred.totals, name)) return;
      const std::int64_t capacity = amount_of(moment_.node.allocatable, name);
      const std::int64_t wanted = saturating_add(amount_of(charge, name), amount_of(used, name));
      if (wanted > capacity) set_amount(missing, name, wanted - capacity);
    });
    return missing;
  }

  // Upstream counts the pod's own slot twice: it is on the node, and is counted as arriving.
  bool too_many_pods(const Occupant& deferred, std::size_t others) const {
    if (!upstream() || moment_.node.allowed_pods <= 0) return false;
    const auto nominated = std::ranges::count_if(moment_.nominated, [&](const Pod& pod) {
      return priority_of(pod) >= priority_of(*deferred.pod);
    });
    return static_cast<std::int64_t>(others) + nominated + 2 > moment_.node.allowed_pods;
  }

  // ---- one Deferred pod ----

  ResizePreemption plan_for(const Occupant& deferred) const {
    const Pod& pod = *deferred.pod;
    ResizePreemption plan;
    plan.by = moment_.critical_by_node && is_critical(pod) ? RoomMaker::Node : RoomMaker::Scheduler;
    plan.considered = considered(deferred, plan.by);

    const Resources needs = lacking(deferred, charged_beside(deferred));
    if (!upstream() && is_zero(needs)) return awaiting(std::move(plan));
    if (auto refused = refusal(pod)) {
      plan.outcome = refused->first;
      plan.message = std::move(refused->second);
      return plan;
    }
    if (plan.by == RoomMaker::Node) return by_node(deferred, needs, std::move(plan));
    return by_scheduler(deferred, std::move(plan));
  }

  std::optional<std::pair<PreemptionOutcome, std::string>> refusal(const Pod& pod) const {
    if (disables_resize_preemption(moment_.node)) {
      return std::pair(PreemptionOutcome::Disabled,
                       "node " + moment_.node.name + " has resize preemption disabled by " +
                           moment_.node.resize_preemption_owners.front());
    }
    if (has_true(pod.conditions, kPodResizePreemptionDisabled)) {
      return std::pair(PreemptionOutcome::Disabled,
                       "condition PodResizePreemptionDisabled of pod " + key_of(pod) + " is True");
    }
    if (pod.preemption_policy == PreemptionPolicy::Never) {
      return std::pair(PreemptionOutcome::PolicyNever,
                       "preemptionPolicy of pod " + key_of(pod) + " is Never");
    }
    if (upstream()) return std::nullopt;
    return stuck_node();
  }

  // A stuck node never eats its pods one set after the other.
  std::optional<std::pair<PreemptionOutcome, std::string>> stuck_node() const {
    const Node& node = moment_.node;
    if (node.ready == NodeReady::False || node.ready == NodeReady::Unknown) {
      return std::pair(PreemptionOutcome::NoVictims,
                       "nobody is removed: node " + node.name + " is not Ready");
    }
    for (const Occupant& each : occupants_) {
      if (!is_terminating(*each.pod) || each.leaving || !removal_mark(*each.pod)) continue;
      return std::pair(PreemptionOutcome::NoVictims,
                       "nobody more is removed: pod " + key_of(*each.pod) +
                           ", which was asked to go, is overdue on node " + node.name);
    }
    return std::nullopt;
  }

  ResizePreemption awaiting(ResizePreemption plan) const {
    std::string whom;
    for (const Occupant& each : occupants_) {
      const bool shrinks = !each.leaving && exceeds_anywhere(held_charge(each.totals), each.charge);
      if (!each.leaving && !each.removed && !shrinks) continue;
      whom += (whom.empty() ? "" : ", ") + key_of(*each.pod) +
              (shrinks && !each.removed ? " to shrink" : " to go");
    }
    if (whom.empty()) {
      plan.outcome = PreemptionOutcome::NotNeeded;
      plan.message = "it fits by now and waits for the node";
    } else {
      plan.outcome = PreemptionOutcome::AwaitingVictims;
      plan.message = "room is on its way: waiting for " + whom;
    }
    return plan;
  }

  // ---- candidates ----

  // Why a pod of the node can be no victim; "" when it can.
  std::string ineligible(const Occupant& deferred, const Occupant& each, RoomMaker by) const {
    const Pod& pod = *each.pod;
    if (pod.is_static || pod.is_mirror) return "static pods are never removed";
    if (each.removed) return "is removed already for a resize before this one";
    if (by == RoomMaker::Node && !preemptable(*deferred.pod, pod)) return "is critical itself";
    if (priority_of(pod) >= priority_of(*deferred.pod)) {
      return "priority " + std::to_string(priority_of(pod)) + " is not below " +
             std::to_string(priority_of(*deferred.pod));
    }
    if (!upstream() && is_terminating(pod)) {
      return each.leaving ? "is on its way out" : "is on its way out, overdue";
    }
    if (!pod.scheduling_group.empty()) {
      return "belongs to pod group " + pod.scheduling_group + ": groups are not supported yet";
    }
    return "";
  }

  // Potential victims, most important first.
  std::vector<const Occupant*> candidates(const Occupant& deferred, RoomMaker by) const {
    std::vector<const Occupant*> found;
    for (const Occupant& each : occupants_) {
      if (&each != &deferred && ineligible(deferred, each, by).empty()) found.push_back(&each);
    }
    if (upstream()) return found;
    const std::vector<bool> forbidden =
        forbidden_by_hard_budgets(pods_of(found), moment_.budgets, moment_.now);
    std::vector<const Occupant*> allowed;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!forbidden[i]) allowed.push_back(found[i]);
    }
    return allowed;
  }

  static std::vector<const Pod*> pods_of(const std::vector<const Occupant*>& occupants) {
    std::vector<const Pod*> pods;
    for (const Occupant* each : occupants) pods.push_back(each->pod);
    return pods;
  }

  // Every other pod, as it stands before the choice.
  std::vector<SparedPod> considered(const Occupant& deferred, RoomMaker by) const {
    const std::vector<const Occupant*> eligible = candidates(deferred, by);
    std::vector<SparedPod> all;
    for (const Occupant& each : occupants_) {
      if (&each == &deferred) continue;
      std::string why = ineligible(deferred, each, by);
      const bool could = why.empty() && std::ranges::find(eligible, &each) != eligible.end();
      if (why.empty() && !could) why = "a hard disruption budget allows no more disruptions";
      all.push_back({each.pod, could, std::move(why)});
    }
    return all;
  }

  // ---- the choice ----

  ResizePreemption by_node(const Occupant& deferred, const Resources& needs,
                           ResizePreemption plan) const {
    const std::vector<const Occupant*> eligible = candidates(deferred, RoomMaker::Node);
    std::vector<Removable> removable;
    for (const Occupant* each : eligible) removable.push_back({each->pod, each->charge});
    const auto victims = critical_victims(removable, needs);
    if (!victims) return not_enough(deferred, needs, std::move(plan));

    const std::vector<bool> breaks =
        violating(pods_of(eligible), moment_.budgets, moment_.rules, moment_.now);
    for (const Pod* victim : *victims) {
      const auto at = std::ranges::find(eligible, victim, &Occupant::pod);
      const bool violates = breaks[static_cast<std::size_t>(at - eligible.begin())];
      plan.victims.push_back({victim, violates,
                              std::string(to_string(qos_of(*victim))) + ", holds " +
                                  in_words((*at)->charge) +
                                  ": the closest fit to what is lacking, " + in_words(needs)});
    }
    return finish(std::move(plan));
  }

  ResizePreemption by_scheduler(const Occupant& deferred, ResizePreemption plan) const {
    const std::vector<const Occupant*> eligible = candidates(deferred, RoomMaker::Scheduler);
    Resources used = charged_beside(deferred, eligible);
    std::size_t others = occupants_.size() - 1 - eligible.size();
    const Resources still = lacking(deferred, used);
    if (eligible.empty() || !is_zero(still) || too_many_pods(deferred, others)) {
      return not_enough(deferred, still, std::move(plan));
    }

    const std::vector<bool> breaks =
        violating(pods_of(eligible), moment_.budgets, moment_.rules, moment_.now);
    std::vector<bool> goes(eligible.size(), false);
    // Those whose budget would break are spared first, then the rest, each most important first.
    for (const bool turn_of_violating : {true, false}) {
      for (std::size_t i = 0; i < eligible.size(); ++i) {
        if (breaks[i] != turn_of_violating) continue;
        const Resources with = sum(used, eligible[i]->charge);
        const bool fits = is_zero(lacking(deferred, with)) && !too_many_pods(deferred, others + 1);
        goes[i] = !fits;
        if (!fits) continue;
        used = with;
        ++others;
      }
    }
    for (std::size_t i = 0; i < eligible.size(); ++i) {
      if (!goes[i]) continue;
      plan.victims.push_back({eligible[i]->pod, breaks[i], why(deferred, *eligible[i])});
    }
    return finish(std::move(plan));
  }

  std::string why(const Occupant& deferred, const Occupant& victim) const {
    Resources frees;
    for_each_amount(victim.charge, [&](std::string_view name, std::int64_t amount) {
      if (raises(deferred.totals, name)) set_amount(frees, name, amount);
    });
    return "priority " + std::to_string(priority_of(*victim.pod)) + " is below " +
           std::to_string(priority_of(*deferred.pod)) + ", and without its " + in_words(frees) +
           " the resize does not fit";
  }

  ResizePreemption not_enough(const Occupant& deferred, const Resources& still,
                              ResizePreemption plan) const {
    plan.outcome = PreemptionOutcome::NoVictims;
    plan.message = "removing every pod that may be removed for " + key_of(*deferred.pod) +
                   " would still leave it short of " + in_words(still);
    const bool anybody = std::ranges::any_of(plan.considered, &SparedPod::eligible);
    if (!anybody) {
      plan.message =
          "no pod on node " + moment_.node.name + " may be removed for " + key_of(*deferred.pod);
    }
    return plan;
  }

  ResizePreemption finish(ResizePreemption plan) const {
    if (plan.victims.empty()) {
      plan.message = "it fits by these rules and waits for the node";
      return plan;
    }
    plan.outcome = PreemptionOutcome::Preempt;
    for (const ChosenVictim& victim : plan.victims) {
      plan.budget_violations += victim.violates_budget ? 1 : 0;
      std::erase_if(plan.considered, [&](const SparedPod& each) { return each.pod == victim.pod; });
    }
    for (SparedPod& each : plan.considered) {
      if (each.eligible) each.why = "is spared: the resize fits beside it";
    }
    plan.message = "removing " + std::to_string(plan.victims.size()) +
                   (plan.victims.size() == 1 ? " pod" : " pods") + " makes the room";
    return plan;
  }

  const NodeMoment& moment_;
  std::vector<Occupant> occupants_;  // most important first
};

}  // namespace

Lapsed lapsed_at(std::span<const Pod> pods, Time now) {
  Lapsed lapsed;
  for (const Pod& pod : pods) {
    if (pod.deletion && now > *pod.deletion + kLeavesAfterDeadline) lapsed.overdue.insert(pod.uid);
    const Condition* progress = find_condition(pod.conditions, kPodResizeInProgress);
    if (progress == nullptr || !progress->last_transition) continue;
    if (now > *progress->last_transition + kShrinkMayTake) lapsed.stuck_shrinks.insert(pod.uid);
  }
  return lapsed;
}

ResizePreemption plan_resize_preemption(const NodeMoment& moment, std::string_view uid) {
  return Plan(moment).run(uid);
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
