#include "cli/output/schedule_table.h"

#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/output/joined.h"
#include "cli/output/table.h"

namespace elbowroom::cli {
namespace {

using policy::SchedulingDecision;
using policy::SchedulingResult;

std::string heading(const SchedulingDecision& decision) {
  std::string out = "pod " + decision.pod + ": ";
  out += to_string(decision.result);
  switch (decision.result) {
    case SchedulingResult::Bind:
      out += " to node " + decision.node;
      break;
    case SchedulingResult::Preempt:
      out += " on node " + decision.node;
      if (decision.budget_violations > 0) {
        out += " (" + std::to_string(decision.budget_violations) + " against their budget)";
      }
      break;
    case SchedulingResult::AwaitingVictims:
      out += " on node " + decision.node + ": it fits when those who are leaving are gone";
      break;
    case SchedulingResult::Unschedulable:
      break;
  }
  if (!decision.message.empty()) out += "\n" + decision.message;
  for (const std::string& each : decision.outranked) {
    out += "\nthe nomination of the less important " + each + " to that node ends";
  }
  return sanitize(out) + "\n";
}

std::string victims(const SchedulingDecision& decision) {
  if (decision.victims.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"GOES", "PRIORITY", "BUDGET", "WHY"}};
  for (const policy::VictimReport& each : decision.victims) {
    rows.push_back({each.pod, std::to_string(each.priority),
                    each.violates_budget ? "violated" : "kept", each.why});
  }
  return "\n" + to_table(rows);
}

std::string nodes(const SchedulingDecision& decision) {
  if (decision.nodes.empty()) return "\nthere are no nodes\n";
  std::vector<std::vector<std::string>> rows = {{"NODE", "CODE", "SCORE", "WOULD GO", "WHY"}};
  for (const policy::NodeAnswer& each : decision.nodes) {
    rows.push_back({each.node, std::string(to_string(each.code)),
                    each.score ? std::to_string(*each.score) : "-",
                    each.candidate ? joined(each.candidate->victims) : "-", joined(each.reasons)});
  }
  return "\n" + to_table(rows);
}

}  // namespace

std::string group_schedule_table(const policy::GroupSchedulingDecision& decision) {
  std::string out = "pod group " + decision.group + ": ";
  out += to_string(decision.result);
  if (decision.result == SchedulingResult::AwaitingVictims) {
    out += ": it fits when those who are leaving are gone";
  }
  if (decision.budget_violations > 0) {
    out += " (" + std::to_string(decision.budget_violations) + " against their budget)";
  }
  if (!decision.message.empty()) out += "\n" + decision.message;
  for (const std::string& each : decision.outranked) {
    out += "\nthe nomination of the less important " + each + " ends";
  }
  out = sanitize(out) + "\n";
  if (!decision.placements.empty()) {
    std::vector<std::vector<std::string>> rows = {{"POD", "NODE"}};
    for (const policy::MemberPlacement& each : decision.placements) {
      rows.push_back({each.pod, each.node});
    }
    out += "\n" + to_table(rows);
  }
  if (decision.victims.empty()) return out;
  std::vector<std::vector<std::string>> rows = {{"GOES", "WITH", "PRIORITY", "BUDGET", "WHY"}};
  for (const policy::VictimReport& each : decision.victims) {
    rows.push_back({each.pod, each.unit == each.pod ? "-" : each.unit,
                    std::to_string(each.priority), each.violates_budget ? "violated" : "kept",
                    each.why});
  }
  return out + "\n" + to_table(rows);
}

std::string schedule_table(const SchedulingDecision& decision) {
  return heading(decision) + victims(decision) + nodes(decision);
}

}  // namespace elbowroom::cli
