#include "cli/output/schedule_table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/output/joined.h"
#include "cli/output/table.h"
#include "policy/model/natural_order.h"

namespace elbowroom::cli {
namespace {

using policy::SchedulingDecision;
using policy::SchedulingResult;

constexpr std::size_t kBestNodes = 30;

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

// The chosen node first, then those that take the pod, by score, then those where others would go.
std::vector<policy::NodeAnswer> best_first(const SchedulingDecision& decision) {
  std::vector<policy::NodeAnswer> all = decision.nodes;
  const auto rank = [&](const policy::NodeAnswer& each) {
    const int kind = each.node == decision.node ? 0 : each.score ? 1 : each.candidate ? 2 : 3;
    return std::pair(kind, -each.score.value_or(0));
  };
  std::ranges::stable_sort(all, [&](const policy::NodeAnswer& a, const policy::NodeAnswer& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return policy::natural_less(a.node, b.node);
  });
  return all;
}

std::string nodes(const SchedulingDecision& decision, ShownNodes shown) {
  if (decision.nodes.empty()) return "\nthere are no nodes\n";
  std::vector<policy::NodeAnswer> best = best_first(decision);
  const std::size_t all = best.size();
  if (shown == ShownNodes::Best && all > kBestNodes) best.resize(kBestNodes);
  std::vector<std::vector<std::string>> rows = {{"NODE", "CODE", "SCORE", "WOULD GO", "WHY"}};
  for (const policy::NodeAnswer& each : best) {
    rows.push_back({each.node, std::string(to_string(each.code)),
                    each.score ? std::to_string(*each.score) : "-",
                    each.candidate ? joined(each.candidate->victims) : "-", joined(each.reasons)});
  }
  std::string out = "\n" + to_table(rows);
  if (all > best.size()) {
    out += "and " + std::to_string(all - best.size()) + " more nodes, which are no better: --all\n";
  }
  return out;
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
    std::vector<policy::MemberPlacement> placements = decision.placements;
    std::ranges::stable_sort(placements, policy::natural_less, &policy::MemberPlacement::pod);
    for (const policy::MemberPlacement& each : placements) {
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

std::string schedule_table(const SchedulingDecision& decision, ShownNodes shown) {
  return heading(decision) + victims(decision) + nodes(decision, shown);
}

}  // namespace elbowroom::cli
