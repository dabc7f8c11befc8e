#include "policy/resize_report.h"

#include <algorithm>
#include <tuple>

#include "policy/resize_conditions.h"

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

}  // namespace

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
  report.conditions = in_order(judge_conditions(pod, question.node, report.decision, question.now));
  const std::vector<Shortage>& shortages = report.decision.shortages;
  report.holders =
      holders_of(question, shortages.empty() ? kCpu : std::string_view(shortages[0].resource));
  return report;
}

}  // namespace elbowroom::policy
