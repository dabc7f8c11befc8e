#include "policy/overview/overview.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "policy/model/charge.h"
#include "policy/preemption/marked_pod.h"
#include "policy/resize/explanation.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::policy {
namespace {

// What `a` has more than `b`, per resource.
Resources beyond(const Resources& a, const Resources& b) {
  Resources rest;
  for_each_amount(a, [&](std::string_view name, std::int64_t amount) {
    set_amount(rest, name, std::max<std::int64_t>(amount - amount_of(b, name), 0));
  });
  return rest;
}

bool is_carried_out(const Pod& pod) {
  const Totals totals = totals_of(pod);
  return !exceeds_anywhere(totals.actual, totals.allocated) &&
         !exceeds_anywhere(totals.allocated, totals.actual);
}

std::vector<const Pod*> waiting_pods(const NodeScene& scene) {
  std::vector<std::pair<RetryKey, const Pod*>> keyed;
  for (const Pod& each : scene.pods) {
    if (wait_of(each)) keyed.emplace_back(retry_key(each, 0), &each);
  }
  std::ranges::sort(keyed, {}, [](const auto& each) { return each.first; });
  std::vector<const Pod*> pods;
  for (const auto& [key, pod] : keyed) pods.push_back(pod);
  return pods;
}

// Who makes room and how, or why nobody does; why it is Infeasible; else what is said of it anyway.
std::string why_of(const Explanation& about) {
  const PreemptionReport& preemption = about.report.preemption;
  switch (about.report.decision.verdict) {
    case Verdict::Deferred:
      return room_sentence(to_string(preemption.by), outcome_name(preemption), preemption.message,
                           std::to_string(preemption.budget_violations));
    case Verdict::Infeasible:
      return about.report.decision.message;
    case Verdict::Allocated:
    case Verdict::Unchanged:
      break;
  }
  return about.summary;
}

WaitingResize waiting_of(const Pod& pod, ResizeWait wait, const NodeScene& scene) {
  const ResizeQuestion question{.node = scene.node,
                                .pods = scene.pods,
                                .pod = pod,
                                .nominated = scene.nominated,
                                .budgets = scene.budgets,
                                .lapsed = scene.lapsed,
                                .rules = scene.rules,
                                .now = scene.now,
                                .elsewhere = scene.elsewhere,
                                .unremovable = scene.unremovable,
                                .lacks = scene.lacks};
  const Explanation about = explain_without_remedies(question, report_resize(question));
  const PreemptionReport& preemption = about.report.preemption;
  WaitingResize waiting{.pod = about.report.pod,
                        .uid = pod.uid,
                        .node = scene.node.name,
                        .wait = wait,
                        .since = about.since,
                        .by = preemption.by,
                        .outcome = std::string(outcome_name(preemption)),
                        .why = why_of(about),
                        .next = about.next.text,
                        .expected = about.next.expected};
  for (const Shortage& each : about.report.decision.shortages) {
    set_amount(waiting.lacking, each.resource, each.lacking);
  }
  for (const VictimReport& each : preemption.victims) waiting.victims.push_back(each.pod);
  return waiting;
}

// By uid: the pod that a marked pod of the node goes for.
std::map<std::string_view, std::string> preemptors(const NodeScene& scene) {
  std::map<std::string_view, std::string> names;
  for (const MarkedPod& each : marked_pods(scene.pods)) {
    std::string name = each.for_pod;
    const auto pending = std::ranges::find(scene.nominated, each.for_uid, &Pod::uid);
    if (name.empty() && pending != scene.nominated.end()) name = key_of(*pending);
    const auto pod = std::ranges::find(scene.pods, each.uid, &Pod::uid);
    names.emplace(pod->uid, std::move(name));
  }
  return names;
}

std::vector<LeavingPod> leaving_pods(const NodeScene& scene) {
  const auto preemptor = preemptors(scene);
  std::vector<LeavingPod> leaving;
  for (const Pod& each : scene.pods) {
    if (!is_terminating(each) || !holds_room(each)) continue;
    const auto found = preemptor.find(each.uid);
    leaving.push_back({.pod = key_of(each),
                       .uid = each.uid,
                       .node = scene.node.name,
                       .deadline = each.deletion,
                       .overdue = !is_leaving(each, scene.lapsed),
                       .for_pod = found == preemptor.end() ? "" : found->second,
                       .frees = held_charge(each)});
  }
  std::ranges::sort(leaving, {}, [](const LeavingPod& each) {
    return std::tuple(std::string_view(each.pod), std::string_view(each.uid));
  });
  return leaving;
}

NodeOverview node_of(const NodeScene& scene) {
  NodeOverview about{.node = scene.node.name,
                     .ready = scene.node.ready,
                     .unschedulable = scene.node.unschedulable,
                     .policy_owners = scene.node.resize_preemption_owners,
                     .allocatable = scene.node.allocatable};
  ChargeSum all;
  for (const Pod& each : scene.pods) {
    if (!holds_room(each)) continue;
    ++about.pods;
    const Resources held = held_charge(each);
    all.add(each, held);
    if (is_terminating(each) || is_infeasible(each) || !resize_is_pending(each)) continue;
    add_to(about.promised, beyond(totals_of(each).desired, held));
  }
  about.held = all.total();
  about.free = beyond(about.allocatable, about.held);
  return about;
}

}  // namespace

std::optional<ResizeWait> wait_of(const Pod& pod) {
  if (!holds_room(pod) || is_terminating(pod)) return std::nullopt;
  if (is_deferred(pod)) return ResizeWait::Deferred;
  if (is_infeasible(pod)) return ResizeWait::Infeasible;
  if (resize_is_pending(pod)) return ResizeWait::Unjudged;
  if (find_condition(pod.conditions, kPodResizeInProgress) != nullptr || !is_carried_out(pod)) {
    return ResizeWait::InProgress;
  }
  return std::nullopt;
}

NodePart overview_of_node(const NodeScene& scene) {
  NodePart part{.node = node_of(scene), .leaving = leaving_pods(scene)};
  for (const Pod* each : waiting_pods(scene)) {
    part.waiting.push_back(waiting_of(*each, *wait_of(*each), scene));
  }
  return part;
}

std::string_view to_string(ResizeWait wait) {
  switch (wait) {
    case ResizeWait::Unjudged:
      return "Unjudged";
    case ResizeWait::Deferred:
      return "Deferred";
    case ResizeWait::Infeasible:
      return "Infeasible";
    case ResizeWait::InProgress:
      return "InProgress";
  }
  return "Unjudged";
}

}  // namespace elbowroom::policy
