#include "policy/resize/resize_report.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "policy/resize/resize_conditions.h"

namespace elbowroom::policy {
namespace {

std::vector<RoomHolder> holders_of(const ResizeQuestion& question, std::string_view resource) {
  std::vector<RoomHolder> holders;
  for (const Pod& pod : question.pods) {
    if (pod.uid == question.pod.uid || !holds_room(pod)) continue;
    holders.push_back({.pod = key_of(pod),
                       .uid = pod.uid,
                       .priority = priority_of(pod),
                       .qos = qos_of(pod),
                       .terminating = is_terminating(pod),
                       .held = held_charge(pod)});
  }
  std::ranges::sort(holders, {}, [&](const RoomHolder& holder) {
    return std::tuple(-amount_of(holder.held, resource), std::string_view(holder.pod),
                      std::string_view(holder.uid));
  });
  return holders;
}

// The pod as the scheduler will see it after the verdict. An existing PodResizePreemptionDisabled
// stays, because the scheduler honors it until it is removed.
Pod pod_after_verdict(const Pod& pod, const ResizeConditions& after) {
  Pod judged = pod;
  std::erase_if(judged.conditions, [&](const Condition& each) {
    return each.type == kPodResizePending ||
           (after.preemption_disabled && each.type == kPodResizePreemptionDisabled);
  });
  if (after.pending) judged.conditions.push_back(*after.pending);
  if (after.preemption_disabled) judged.conditions.push_back(*after.preemption_disabled);
  return judged;
}

PreemptionReport told(const ResizePreemption& plan, const NodeMoment& moment) {
  PreemptionReport report{.by = plan.by,
                          .outcome = plan.outcome,
                          .message = plan.message.full(),
                          .budget_violations = plan.budget_violations};
  for (const ChosenVictim& each : plan.victims) {
    report.victims.push_back({.pod = key_of(*each.pod),
                              .uid = each.pod->uid,
                              .priority = each.priority,
                              .violates_budget = each.violates_budget,
                              .why = each.why,
                              .unit = each.unit});
  }
  for (const SparedPod& each : plan.considered) {
    report.considered.push_back(
        {.pod = key_of(*each.pod),
         .uid = each.pod->uid,
         .eligible = each.eligible,
         .why = each.why.empty() ? "could go, but nobody is removed now" : each.why});
  }
  RunningMembers running;
  count_running(moment.pods, running);
  count_running(moment.elsewhere, running);
  report.whole_groups = whole_groups(plan.victims);
  report.below_min_count = depleted_gangs(plan.victims, running);
  return report;
}

// The pods that the plans for all Deferred pods of the node remove, by uid.
std::set<std::string_view> all_victims(const std::vector<PlannedResize>& plans) {
  std::set<std::string_view> uids;
  for (const PlannedResize& each : plans) {
    for (const ChosenVictim& victim : each.plan.victims) uids.insert(victim.pod->uid);
  }
  return uids;
}

// Pods would be removed, for this resize or for one before it, and what is lacking here may spare
// any of them.
void withhold_victims(const std::set<std::string_view>& planned, PreemptionReport& report) {
  const std::string why = "may be spared by what is not known here";
  spare_victims(report, why);
  for (SparedReport& each : report.considered) {
    each.eligible = each.eligible || planned.contains(each.uid);
    if (each.eligible) each.why = why;
  }
  report.outcome = PreemptionOutcome::Preempt;
  report.message = "which pods of lower priority go, if any, depends on what is not known here";
}

PreemptionReport report_preemption(const ResizeQuestion& question, const ResizeConditions& after) {
  std::vector<Pod> pods = question.pods;
  for (Pod& each : pods) {
    if (each.uid == question.pod.uid) each = pod_after_verdict(question.pod, after);
  }
  const NodeMoment moment{.node = question.node,
                          .pods = pods,
                          .nominated = question.nominated,
                          .budgets = question.budgets,
                          .lapsed = question.lapsed,
                          .rules = question.rules,
                          .critical_by_node = question.node.critical_preemption_by_node,
                          .now = question.now,
                          .unremovable = question.unremovable,
                          .elsewhere = question.elsewhere};
  PreemptionReport report = told(plan_resize_preemption(moment, question.pod.uid), moment);
  report.lacks.assign(question.lacks.begin(), question.lacks.end());
  if (report.lacks.empty()) return report;
  const std::vector<PlannedResize> plans = plan_resize_preemptions(moment);
  std::set<std::string_view> planned = all_victims(plans);
  for (const VictimReport& each : report.victims) planned.insert(each.uid);
  const bool is_refused = report.outcome == PreemptionOutcome::Disabled ||
                          report.outcome == PreemptionOutcome::PolicyNever ||
                          report.outcome == PreemptionOutcome::NotNeeded;
  if (!planned.empty() && !is_refused) withhold_victims(planned, report);
  return report;
}

}  // namespace

void spare_victims(PreemptionReport& report, const std::string& why) {
  for (const VictimReport& each : report.victims) {
    report.considered.push_back({.pod = each.pod, .uid = each.uid, .eligible = true, .why = why});
  }
  report.victims.clear();
  report.whole_groups.clear();
  report.below_min_count.clear();
  report.budget_violations = 0;
}

std::string_view outcome_name(const PreemptionReport& preemption) {
  const bool is_withheld = preemption.outcome == PreemptionOutcome::Preempt &&
                           preemption.victims.empty() && !preemption.lacks.empty();
  return is_withheld ? "NotKnown" : to_string(preemption.outcome);
}

std::string room_sentence(std::string_view by, std::string_view outcome, std::string_view message,
                          std::string_view violations) {
  const bool has_room = outcome == "AwaitingVictims" || outcome == "NotNeeded";
  if (message.starts_with("nobody") || has_room) return std::string(message);
  std::string words = "nobody";
  if (outcome == "Preempt") words = "the " + std::string(by);
  if (outcome == "NotKnown") words = "perhaps the " + std::string(by);
  if (!message.empty()) words += ": " + std::string(message);
  if (!violations.empty() && violations != "0") {
    words += " (" + std::string(violations) + " against a budget)";
  }
  return words;
}

ResizeReport report_resize(const ResizeQuestion& question) {
  const Pod& pod = question.pod;
  ResizeReport report;
  report.pod = key_of(pod);
  report.uid = pod.uid;
  report.node = question.node.name;
  report.totals = totals_of(pod);
  report.allocatable = question.node.allocatable;
  report.others = held_by_others(question.pods, pod.uid);
  report.decision = decide_resize(question.node, pod, report.others, question.managers);
  const ResizeConditions after =
      conditions_after_verdict(pod, question.node, report.decision, question.now);
  report.conditions = in_order(after);
  if (report.decision.verdict == Verdict::Deferred) {
    report.preemption = report_preemption(question, after);
  }
  report.policy_owners = question.node.resize_preemption_owners;
  report.malformed_owners = question.node.malformed_owners;
  const std::vector<Shortage>& shortages = report.decision.shortages;
  report.holders =
      holders_of(question, shortages.empty() ? kCpu : std::string_view(shortages[0].resource));
  return report;
}

}  // namespace elbowroom::policy
