#include "policy/resize/explanation.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "policy/preemption/preemption_messages.h"

namespace elbowroom::policy {
namespace {

constexpr std::chrono::seconds kShrinkMayTake{60};

std::vector<ContainerSize> sizes_of(const Pod& pod) {
  std::vector<ContainerSize> all;
  for (const Container& each : pod.containers) {
    const Resources& allocated = allocated_or_fallback(pod, each);
    all.push_back({.container = each.name,
                   .kind = each.kind,
                   .desired = each.desired,
                   .allocated = allocated,
                   .actual = each.actual_requests.value_or(allocated),
                   .actual_limits = each.actual_limits});
  }
  return all;
}

const Pod* pod_of(const ResizeQuestion& question, std::string_view uid) {
  const auto at = std::ranges::find(question.pods, uid, &Pod::uid);
  return at == question.pods.end() ? nullptr : &*at;
}

bool waits_to_run(const Pod& pod) {
  const auto is = [](RunState state) {
    return [state](const Container& each) { return each.state == state; };
  };
  return std::ranges::any_of(pod.containers, is(RunState::Waiting)) &&
         std::ranges::none_of(pod.containers, is(RunState::Running));
}

HoldingReason why_it_holds(const Pod& pod, const OverduePods& lapsed) {
  if (is_terminating(pod)) {
    return {is_leaving(pod, lapsed) ? "is terminating: holds its room until its containers end"
                                    : "is terminating, overdue, and still runs",
            pod.deletion};
  }
  const Totals totals = totals_of(pod);
  if (exceeds_anywhere(totals.actual, totals.allocated)) {
    return {"was allocated less (" + in_words(totals.allocated) + "), which is not actual yet", {}};
  }
  const Resources held = held_charge(totals);
  if (exceeds_anywhere(totals.desired, held)) {
    return {"asks for more (" + in_words(totals.desired) + "), which does not count yet", {}};
  }
  if (exceeds_anywhere(held, totals.desired)) {
    return {"asks for less (" + in_words(totals.desired) + "), which is not allocated yet", {}};
  }
  if (waits_to_run(pod)) return {"waits to run, and holds its room meanwhile", {}};
  return {"runs as it was allocated", {}};
}

std::optional<PendingRoom> room_from(const Pod& pod, const OverduePods& lapsed) {
  const Totals totals = totals_of(pod);
  const Resources held = held_charge(totals);
  PendingRoom room{.pod = key_of(pod), .uid = pod.uid};
  if (is_terminating(pod)) {
    room.leaves = true;
    room.frees = held;
    room.expected = pod.deletion;
    room.counts = is_leaving(pod, lapsed);
    room.why =
        room.counts ? "is terminating" : "is terminating, 30 s past its deadline: not relied upon";
    return room;
  }
  const Condition* progress = find_condition(pod.conditions, kPodResizeInProgress);
  const bool in_runtime = exceeds_anywhere(totals.actual, totals.allocated);
  const Resources later = in_runtime ? totals.allocated : totals.desired;
  for_each_amount(held, [&](std::string_view name, std::int64_t amount) {
    set_amount(room.frees, name, std::max<std::int64_t>(amount - amount_of(later, name), 0));
  });
  const bool pure = !is_infeasible(pod) && !exceeds_anywhere(totals.desired, held);
  if (is_zero(room.frees) || (!in_runtime && !pure)) return std::nullopt;
  room.counts = exceeds_anywhere(held, charge_after_shrinks(pod, totals, lapsed));
  room.why = in_runtime ? "shrinks: allocated, not actual yet" : "shrinks: not allocated yet";
  if (!room.counts) room.why += ", stuck or failed: not relied upon";
  if (in_runtime && progress != nullptr && progress->last_transition) {
    room.expected = *progress->last_transition + kShrinkMayTake;
  }
  return room;
}

std::vector<PendingRoom> coming_room(const ResizeQuestion& question) {
  std::vector<PendingRoom> all;
  for (const Pod& each : question.pods) {
    if (each.uid == question.pod.uid || !holds_room(each)) continue;
    if (auto room = room_from(each, question.lapsed)) all.push_back(*std::move(room));
  }
  std::ranges::sort(all, {}, [](const PendingRoom& each) {
    return std::tuple(!each.counts, !each.expected, each.expected, std::string_view(each.pod),
                      std::string_view(each.uid));
  });
  return all;
}

// ---- budgets ----

bool covers(const std::string& ns, const std::optional<LabelSelector>& selector, const Pod& pod) {
  return pod.ns == ns && selector && matches(*selector, pod.labels);
}

template <class Budget>
std::vector<std::string> covered(const Budget& budget, const std::vector<const Pod*>& pods) {
  std::vector<std::string> names;
  for (const Pod* each : pods) {
    if (covers(budget.ns, budget.selector, *each)) names.push_back(key_of(*each));
  }
  std::ranges::sort(names);
  return names;
}

std::vector<BudgetSummary> budgets_of(const ResizeQuestion& question) {
  std::vector<const Pod*> lower;
  for (const Pod& each : question.pods) {
    if (holds_room(each) && priority_of(each) < priority_of(question.pod)) lower.push_back(&each);
  }
  std::vector<BudgetSummary> all;
  for (const PodDisruptionBudget& each : question.budgets.upstream) {
    all.push_back({.budget = "PodDisruptionBudget " + each.ns + "/" + each.name,
                   .allowed = each.disruptions_allowed,
                   .pods = covered(each, lower)});
  }
  for (const DisruptionBudget& each : question.budgets.ours) {
    const std::int64_t allowed = allowed_now(each, question.budgets.cluster_pods, question.now);
    BudgetSummary word{.budget = "DisruptionBudget " + each.ns + "/" + each.name,
                       .hard = each.hard,
                       .pods = covered(each, lower)};
    if (allowed != std::numeric_limits<std::int64_t>::max()) word.allowed = allowed;
    all.push_back(std::move(word));
  }
  std::erase_if(all, [](const BudgetSummary& each) { return each.pods.empty(); });
  std::ranges::sort(all, {}, &BudgetSummary::budget);
  return all;
}

// ---- next steps ----

std::vector<std::string> node_looks_again(const std::string& node) {
  return {"a pod of node " + node + " leaves, shrinks or changes", "the pod's own spec changes",
          "3 minutes have passed (kubelet)"};
}

std::vector<std::string> room_may_come(const std::string& node) {
  return {"a pod of node " + node + " leaves or shrinks",
          "the allocatable, readiness or preemption policy of the node changes",
          "the pod's own spec changes"};
}

// The pods that a scheduler has marked for this resize but has not deleted yet.
std::vector<std::string> marked_victims_for(const Explanation& about) {
  std::vector<std::string> names;
  for (const MarkedPod& each : about.marks) {
    const bool begun = each.for_uid == about.report.uid && each.stands && !each.leaves &&
                       each.by == RoomMaker::Scheduler;
    if (begun) names.push_back(each.pod);
  }
  return names;
}

std::string scheduler_next(const Explanation& about, const std::vector<std::string>& victims) {
  const std::vector<std::string> begun = marked_victims_for(about);
  const std::string admits = "; the node admits the resize when the room is there";
  if (begun.empty()) {
    return "a scheduler that makes room for resizes, if one runs, removes " + listed(victims) +
           admits;
  }
  return "a scheduler has marked " + listed(begun) + ", and the one that leads removes " +
         listed(victims) + admits;
}

NextStep next_of_deferred(const Explanation& about) {
  const PreemptionReport& preemption = about.report.preemption;
  NextStep next{.by = RoomMaker::Nobody, .again_when = room_may_come(about.report.node)};
  switch (preemption.outcome) {
    case PreemptionOutcome::Preempt: {
      std::vector<std::string> names;
      for (const VictimReport& each : preemption.victims) names.push_back(each.pod);
      next.by = preemption.by;
      if (names.empty()) {
        next.text = std::string(preemption.by == RoomMaker::Node
                                    ? "the node's agent"
                                    : "a scheduler that makes room for resizes, if one runs,") +
                    " chooses which pods go, if any; the node admits the resize when the room is "
                    "there";
        return next;
      }
      next.text = preemption.by == RoomMaker::Node
                      ? "the node's agent removes " + listed(names) + " for this critical pod"
                      : scheduler_next(about, names);
      return next;
    }
    case PreemptionOutcome::AwaitingVictims: {
      next.by = RoomMaker::Node;
      next.text =
          "no further pod has to go for it; the node admits the resize when the room is there";
      for (const PendingRoom& each : about.coming) {
        if (each.counts && each.expected) next.expected = std::max(next.expected, each.expected);
      }
      return next;
    }
    case PreemptionOutcome::NotNeeded:
      next.by = RoomMaker::Node;
      next.text = preemption.message.empty() ? "the node looks at it again" : preemption.message;
      return next;
    case PreemptionOutcome::Disabled:
    case PreemptionOutcome::PolicyNever:
    case PreemptionOutcome::NoVictims:
      next.text = "nobody makes room as things are";
      return next;
  }
  return next;
}

NextStep next_of(const Explanation& about, const Pod& pod) {
  const ResizeReport& report = about.report;
  const bool to_do = about.node.in_progress ||
                     exceeds_anywhere(report.totals.actual, report.totals.allocated) ||
                     exceeds_anywhere(report.totals.allocated, report.totals.actual);
  switch (report.decision.verdict) {
    case Verdict::Deferred:
      return next_of_deferred(about);
    case Verdict::Infeasible:
      return {
          RoomMaker::Nobody,
          "nobody: this node cannot do it",
          {"the pod's spec changes", "the node's allocatable grows (elbowroomd; not a kubelet)"},
          {}};
    case Verdict::Allocated:
      return {RoomMaker::Node,
              "the node allocates it when it looks again: nobody needs to go",
              node_looks_again(report.node),
              {}};
    case Verdict::Unchanged:
      break;
  }
  if (!to_do && is_deferred(pod)) {
    return {RoomMaker::Node, std::string(kRaisesNeither), node_looks_again(report.node), {}};
  }
  if (!to_do) return {RoomMaker::Nobody, "nothing is pending", {}, {}};
  if (!about.node.error.empty()) {
    return {RoomMaker::Node, "the node tries again to carry it out: " + about.node.error, {}, {}};
  }
  return {RoomMaker::Node,
          "the node makes the containers of pod " + key_of(pod) + " the size that is allocated",
          {},
          {}};
}

std::string summary_of(const Explanation& about) {
  const ResizeReport& report = about.report;
  const std::string subject = "pod " + report.pod + " on node " + report.node + ": ";
  switch (report.decision.verdict) {
    case Verdict::Deferred:
      return subject + "its resize is Deferred (" + report.decision.reason + ")";
    case Verdict::Infeasible:
      return subject + "its resize is Infeasible";
    case Verdict::Allocated:
      return subject + (about.node.agreement == Agreement::Differs
                            ? "its resize fits by our sums, and the node says it does not"
                            : "its resize fits and waits for the node");
    case Verdict::Unchanged:
      break;
  }
  if (about.node.in_progress) {
    return subject + (about.node.error.empty() ? "its resize is being carried out"
                                               : "its resize cannot be carried out");
  }
  return subject + (about.node.agreement == Agreement::Differs
                        ? "nothing is pending, and the node says something is"
                        : "nothing is pending");
}

}  // namespace

Explanation explain_without_remedies(const ResizeQuestion& question, ResizeReport report) {
  Explanation about{.report = std::move(report), .now = question.now};
  about.containers = sizes_of(question.pod);
  about.priority = priority_of(question.pod);
  about.own_priority = own_priority_of(question.pod);
  if (is_grouped(question.pod)) {
    about.group =
        GroupMembership{.group = group_key_of(question.pod), .standing = question.pod.group};
  }
  about.node = node_verdict(question.pod, about.report.decision, about.report.others);
  const bool current = about.node.since && about.node.agreement != Agreement::Earlier;
  about.since = current ? about.node.since : about.node.in_progress_since;
  for (const RoomHolder& each : about.report.holders) {
    const Pod* pod = pod_of(question, each.uid);
    about.holding.push_back(pod == nullptr ? HoldingReason{} : why_it_holds(*pod, question.lapsed));
  }
  if (about.report.decision.verdict == Verdict::Deferred) {
    about.coming = coming_room(question);
    about.budgets = budgets_of(question);
  }
  about.marks = marked_pods(question.pods);
  about.next = next_of(about, question.pod);
  about.summary = summary_of(about);
  return about;
}

Explanation explain(const ResizeQuestion& question, ResizeReport report) {
  Explanation about = explain_without_remedies(question, std::move(report));
  about.remedies = remedies(question, about.report);
  return about;
}

std::string_view to_string(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::Regular:
      return "Regular";
    case ContainerKind::Sidecar:
      return "Sidecar";
    case ContainerKind::Init:
      return "Init";
  }
  return "Regular";
}

}  // namespace elbowroom::policy
