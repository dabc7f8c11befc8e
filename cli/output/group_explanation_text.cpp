#include "cli/output/group_explanation_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/output/document_parts.h"
#include "cli/output/wrapped_text.h"
#include "policy/model/natural_order.h"

namespace elbowroom::cli {
namespace {

namespace part = document_parts;

std::string dash_for_none(const std::string& words) { return words.empty() ? "-" : words; }

// What the group says in the place of its pods.
std::string standing(const Value& document) {
  std::string words = "priority " + part::at(document, "priority").text + ", disruption mode " +
                      part::text(document, "disruptionMode");
  if (part::text(document, "preemptionPolicy") == "Never") words += ", preemptionPolicy Never";
  if (!part::text(document, "workload").empty()) {
    words += ", of workload " + part::text(document, "workload");
  }
  return wrapped(words, 0, 2);
}

std::string waits(const Value& document) {
  const std::string words = part::text(document, "waitsFor");
  return wrapped(words.empty() ? "it waits for nothing" : "it waits for " + words, 0, 2);
}

std::string priorities(const Value& document) {
  const Value& others = part::at(document, "otherPriorities");
  if (others.items.empty()) return "";
  return part::section("PRIORITY") +
         part::line("the group's, " + part::at(document, "priority").text +
                    ", counts for its pods; another one is said by " + part::names_in(others));
}

std::string node_of(const Value& pod) {
  const std::string nominated = part::text(pod, "nominatedNode");
  if (!part::text(pod, "node").empty()) return part::text(pod, "node");
  return nominated.empty() ? "-" : "(nominated: " + nominated + ")";
}

// web-2 before web-10.
std::vector<const Value*> by_name(const Value& pods) {
  std::vector<const Value*> all = part::first(pods, pods.items.size());
  std::ranges::stable_sort(all, policy::natural_less,
                           [](const Value* pod) { return part::text(*pod, "pod"); });
  if (all.size() > part::kShownPods) all.resize(part::kShownPods);
  return all;
}

std::string pods(const Value& document) {
  const Value& all = part::at(document, "members");
  if (all.items.empty()) return part::section("PODS") + part::line("no pod names it");
  std::vector<std::vector<std::string>> rows = {{"POD", "PHASE", "NODE", "PRIORITY", "SCHEDULER"}};
  std::string reasons;
  for (const Value* each : by_name(all)) {
    rows.push_back(
        {part::text(*each, "pod"),
         part::is_true(*each, "terminating") ? "Terminating" : part::text(*each, "phase"),
         node_of(*each), part::at(*each, "priority").text,
         dash_for_none(part::text(*each, "schedulerName"))});
    const Value& gates = part::at(*each, "schedulingGates");
    if (!gates.items.empty()) {
      reasons += part::item(part::text(*each, "pod") + " has the scheduling gates " +
                            part::names_in(gates));
    } else if (!part::text(*each, "message").empty()) {
      reasons += part::item(part::text(*each, "pod") + ": " + part::text(*each, "message"));
    }
  }
  std::string out = part::section("PODS") + part::indented_table(rows);
  if (all.items.size() > part::kShownPods) {
    out += part::line("and " + std::to_string(all.items.size() - part::kShownPods) +
                      " more (-o json has all)");
  }
  return reasons.empty() ? out : out + part::section("WHAT THE PODS' STATUS SAYS") + reasons;
}

std::string victims(const Value& decision) {
  const Value& all = part::at(decision, "victims");
  if (all.items.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"GOES", "WITH", "PRIORITY", "BUDGET", "WHY"}};
  for (const Value* each : part::first(all, part::kShownPods)) {
    const std::string unit = part::text(*each, "unit");
    rows.push_back({part::text(*each, "pod"), unit == part::text(*each, "pod") ? "-" : unit,
                    part::at(*each, "priority").text,
                    part::is_true(*each, "violatesBudget") ? "violated" : "kept",
                    part::text(*each, "why")});
  }
  std::string out = part::indented_table(rows);
  if (all.items.size() > part::kShownPods) {
    out += part::line("and " + std::to_string(all.items.size() - part::kShownPods) +
                      " more (-o json has all)");
  }
  return out;
}

std::string decision(const Value& document) {
  const Value& made = part::at(document, "decision");
  if (made.kind != Value::Kind::Map) return "";
  std::string words = part::text(made, "result");
  if (!part::text(made, "message").empty()) words += ": " + part::text(made, "message");
  std::string out = part::section("WHAT WOULD HAPPEN NOW") + part::line(words);
  const Value& placements = part::at(made, "placements");
  if (!placements.items.empty()) {
    std::vector<std::vector<std::string>> rows = {{"POD", "NODE"}};
    for (const Value* each : part::first(placements, part::kShownPods)) {
      rows.push_back({part::text(*each, "pod"), part::text(*each, "node")});
    }
    out += part::indented_table(rows);
  }
  return out + victims(made);
}

std::string conditions(const Value& document) {
  const Value& all = part::at(document, "conditions");
  if (all.items.empty()) return "";
  std::string out = part::section("CONDITIONS");
  for (const Value* each : part::first(all, part::kShownPods)) {
    const std::string when = part::whole_seconds(part::text(*each, "lastTransitionTime"));
    out += part::item(part::text(*each, "type") + " " + part::text(*each, "status") + " (" +
                      part::text(*each, "reason") + ")" + (when.empty() ? "" : ", since " + when) +
                      ": " + part::text(*each, "message"));
  }
  return out;
}

}  // namespace

bool is_group_explanation(const Value& document) {
  return part::text(document, "kind") == "GroupExplanation";
}

std::string group_explanation_text(const Value& document) {
  return wrapped(part::text(document, "summary"), 0, 2) + waits(document) + standing(document) +
         decision(document) + priorities(document) + pods(document) + conditions(document) +
         part::events(document) + part::notes(document);
}

}  // namespace elbowroom::cli
