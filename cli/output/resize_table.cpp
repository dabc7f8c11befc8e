#include "cli/output/resize_table.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/codec/quantity.h"
#include "base/text.h"
#include "cli/output/one_unit.h"
#include "cli/output/table.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

using policy::Resources;

std::string quantity(const Resources& of, std::string_view resource) {
  return api::format_quantity(resource, policy::amount_of(of, resource));
}

std::string lacking(const policy::ResizeDecision& decision, std::string_view resource) {
  for (const policy::Shortage& each : decision.shortages) {
    if (each.resource == resource) return api::format_quantity(resource, each.lacking);
  }
  return "-";
}

std::string heading(const policy::ResizeReport& report) {
  const policy::ResizeDecision& decision = report.decision;
  std::string out;
  for (const std::string& each : report.preemption.lacks) out += "not known here: " + each + "\n";
  out += "pod " + report.pod + " on node " + report.node + ": ";
  out += to_string(decision.verdict);
  if (!decision.reason.empty() && decision.reason != to_string(decision.verdict)) {
    out += " (" + decision.reason + ")";
  }
  if (!decision.message.empty()) out += "\n" + decision.message;
  return sanitize(out) + "\n";
}

// Always cpu and memory, others if the pod names them.
std::vector<std::string> shown_resources(const policy::ResizeReport& report) {
  std::vector<std::string> names = {std::string(policy::kCpu), std::string(policy::kMemory)};
  policy::for_each_amount(policy::resizing_charge(report.totals),
                          [&](std::string_view name, std::int64_t) {
                            if (name != policy::kCpu && name != policy::kMemory) {
                              names.emplace_back(name);
                            }
                          });
  return names;
}

std::string sums(const policy::ResizeReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"RESOURCE", "DESIRED", "ALLOCATED", "ACTUAL", "OTHERS HOLD", "ALLOCATABLE", "LACKING"}};
  for (const std::string& name : shown_resources(report)) {
    rows.push_back({name, quantity(report.totals.desired, name),
                    quantity(report.totals.allocated, name), quantity(report.totals.actual, name),
                    quantity(report.others, name), quantity(report.allocatable, name),
                    lacking(report.decision, name)});
    std::vector<std::string>& row = rows.back();
    in_one_unit({&row[1], &row[2], &row[3], &row[4], &row[5], &row[6]});
  }
  return to_table(rows);
}

std::string preemption(const policy::ResizeReport& report) {
  const policy::PreemptionReport& preemption = report.preemption;
  if (report.decision.verdict != policy::Verdict::Deferred) return "";
  const std::string_view outcome = policy::outcome_name(preemption);
  std::string out = "who makes room: ";
  out += policy::room_sentence(to_string(preemption.by), outcome, preemption.message,
                               std::to_string(preemption.budget_violations));
  out += " [" + std::string(outcome) + "]\n";
  for (const policy::RemovedGroup& each : preemption.whole_groups) {
    out += "pod group " + each.group + " goes whole: " + std::to_string(each.pods) +
           (each.pods == 1 ? " pod on node" : " pods on node") +
           (each.nodes.size() == 1 ? " " : "s ") + policy::listed(each.nodes) + "\n";
  }
  for (const policy::DepletedGang& each : preemption.below_min_count) {
    out += "pod group " + each.group + " falls below its minCount (" +
           std::to_string(each.min_count) + "): " + std::to_string(each.left) +
           (each.left == 1 ? " pod stays" : " pods stay") +
           "; this is told and does not change who goes\n";
  }
  for (const std::string& owner : report.malformed_owners) {
    out += "malformed owner in the node's policy, counted all the same: \"" + owner +
           "\"; write owners as example.com/team\n";
  }
  return sanitize(out);
}

// "yes: ..." for victims, "no: ..." for the other pods.
std::string may_be_victim(const policy::PreemptionReport& preemption, const std::string& uid) {
  for (const policy::VictimReport& each : preemption.victims) {
    if (each.uid == uid) {
      return std::string(each.violates_budget ? "goes, against its budget: " : "goes: ") + each.why;
    }
  }
  for (const policy::SparedReport& each : preemption.considered) {
    if (each.uid == uid) return each.eligible ? each.why : "no: " + each.why;
  }
  return "";
}

std::string holders(const policy::ResizeReport& report) {
  if (report.holders.empty()) return "nobody else holds room on this node\n";
  const std::vector<std::string> names = shown_resources(report);
  std::vector<std::vector<std::string>> rows = {{"HOLDS ROOM", "PRIORITY", "QOS"}};
  for (const std::string& name : names) rows[0].push_back(name);
  rows[0].push_back("COULD GO");
  for (const policy::RoomHolder& each : report.holders) {
    std::vector<std::string> row = {each.pod, std::to_string(each.priority),
                                    std::string(to_string(each.qos))};
    for (const std::string& name : names) row.push_back(quantity(each.held, name));
    row.push_back(may_be_victim(report.preemption, each.uid));
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < names.size(); ++i) in_one_unit(column_of(rows, 3 + i));
  return to_table(rows);
}

}  // namespace

std::string resize_table(const policy::ResizeReport& report) {
  return heading(report) + preemption(report) + "\n" + sums(report) + "\n" + holders(report);
}

}  // namespace elbowroom::cli
