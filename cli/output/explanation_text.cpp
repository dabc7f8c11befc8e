#include "cli/output/explanation_text.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "cli/output/covering_budgets.h"
#include "cli/output/document_parts.h"
#include "cli/output/one_unit.h"
#include "cli/output/table.h"
#include "cli/output/wrapped_text.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::cli {
namespace {

using document_parts::at;
using document_parts::events;
using document_parts::first;
using document_parts::indented_table;
using document_parts::is_true;
using document_parts::item;
using document_parts::kShownPods;
using document_parts::line;
using document_parts::membership;
using document_parts::names_in;
using document_parts::notes;
using document_parts::section;
using document_parts::since_text;
using document_parts::span_of;
using document_parts::text;
using document_parts::time_in;
using document_parts::whole_seconds;

// " by TIME (in 20s)"; "" if not known.
std::string deadline_text(const Value& document, const Value& holder, std::string_view key) {
  const auto when = time_in(holder, key);
  const auto now = time_in(document, "time");
  if (!when) return "";
  std::string words = " by " + whole_seconds(text(holder, key));
  if (now) words += *when >= *now ? " (in " + span_of(*when - *now) + ")" : " (it is past)";
  return words;
}

// "cpu 2, memory 1Gi"; "nothing" for an empty list.
std::string amounts(const Value& of) {
  std::string words;
  for (const Member& each : of.members) {
    words += (words.empty() ? "" : ", ") + each.key + " " + each.value.text;
  }
  return words.empty() ? "nothing" : words;
}

std::string amount(const Value& of, std::string_view resource) {
  const std::string found = text(of, resource);
  return found.empty() ? "0" : found;
}

void add_keys(const Value& of, std::vector<std::string>& names) {
  for (const Member& each : of.members) {
    if (std::ranges::find(names, each.key) == names.end()) names.push_back(each.key);
  }
}

// ---- sections ----

std::string limit_of(const Value& limits, const std::string& resource) {
  const std::string desired = text(at(limits, "desired"), resource);
  const std::string actual = text(at(limits, "actual"), resource);
  if (at(limits, "actual").kind != Value::Kind::Map || desired == actual) {
    return desired.empty() ? "-" : desired;
  }
  return (desired.empty() ? "-" : desired) + " (actual " + (actual.empty() ? "none" : actual) + ")";
}

// One unit for what the containers have of a resource.
void size_units(std::vector<std::vector<std::string>>& rows) {
  std::map<std::string, std::vector<std::string*>> cells;
  for (std::vector<std::string>& row : rows) {
    for (std::size_t i = 2; i < 5; ++i) cells[row[1]].push_back(&row[i]);
  }
  for (auto& [resource, of_it] : cells) in_one_unit(of_it);
}

std::string sizes(const Value& document) {
  std::vector<std::vector<std::string>> rows = {
      {"CONTAINER", "RESOURCE", "DESIRED", "ALLOCATED", "ACTUAL", "LIMIT"}};
  for (const Value* each : first(at(document, "containers"), kShownPods)) {
    const Value& requests = at(*each, "requests");
    std::vector<std::string> names;
    for (const char* key : {"desired", "allocated", "actual"}) add_keys(at(requests, key), names);
    add_keys(at(at(*each, "limits"), "desired"), names);
    for (const std::string& name : names) {
      rows.push_back({text(*each, "container"), name, amount(at(requests, "desired"), name),
                      amount(at(requests, "allocated"), name), amount(at(requests, "actual"), name),
                      limit_of(at(*each, "limits"), name)});
    }
  }
  size_units(rows);
  return rows.size() == 1 ? "" : section("SIZE") + indented_table(rows);
}

std::string sums_words(const Value& sums) {
  return text(sums, "resource") + ": requested " + text(sums, "requested") + ", others " +
         text(sums, "used") + ", allocatable " + text(sums, "allocatable");
}

std::string node_says(const Value& document) {
  const Value& word = at(document, "nodeSays");
  const std::string agreement = text(word, "agreement");
  std::string out;
  if (is_true(word, "inProgress")) {
    const std::string error = text(word, "error");
    out += line("The node carries out a size that it allocated" +
                (error.empty() ? "." : ", with an error: " + error));
  }
  if (agreement.empty() || agreement == "Silent") return out;
  if (agreement == "Unsaid") return out + line("The node has not said anything about it yet.");
  const std::string said = text(word, "reason") + since_text(document, word);
  if (agreement == "Earlier") {
    return out + line("The node spoke of an earlier version of the pod (generation " +
                      at(word, "generation").text + "): " + said + ".");
  }
  if (agreement == "Agrees") return out + line("The node says the same: " + said + ".");
  out += line("THE NODE DIFFERS: " + text(word, "why") + ".");
  out += line("its word: " + said + ": " + text(word, "message"));
  if (at(word, "sums").kind == Value::Kind::Map) {
    out += line("its sum:  " + sums_words(at(word, "sums")));
    out += line("our sum:  " + sums_words(at(word, "ourSums")));
  }
  return out;
}

// "1500m cpu is lacking: ...", all amounts in one unit.
std::string shortage(const Value& of) {
  std::vector<std::string> sums = {text(of, "lacking"), text(of, "requested"), text(of, "used"),
                                   text(of, "allocatable")};
  in_one_unit({&sums[0], &sums[1], &sums[2], &sums[3]});
  return sums[0] + " " + text(of, "resource") + " is lacking: the pod requests " + sums[1] +
         ", others hold " + sums[2] + " of " + sums[3];
}

std::string why(const Value& document) {
  const Value& decision = at(document, "decision");
  const std::string verdict = text(decision, "verdict");
  std::string out = section("WHY");
  if (verdict == "Allocated") {
    out += line("It fits: the other pods hold " + amounts(at(at(decision, "room"), "others")) +
                " of " + amounts(at(at(decision, "room"), "allocatable")) + ".");
  }
  const Value& shortages = at(document, "shortages");
  for (const Value& each : shortages.items) out += item(shortage(each));
  if (shortages.items.empty() && !text(decision, "message").empty()) {
    out += line(text(decision, "message"));
  }
  return out + node_says(document);
}

// "goes: ...", "stays: ...", "cannot go: ..." for the pod of that uid.
std::string preemption_outcome_of(const Value& preemption, const std::string& uid) {
  for (const Value& each : at(preemption, "victims").items) {
    if (text(each, "uid") != uid) continue;
    return (is_true(each, "violatesBudget") ? "goes, against its budget: " : "goes: ") +
           text(each, "why");
  }
  for (const Value& each : at(preemption, "considered").items) {
    if (text(each, "uid") != uid) continue;
    if (text(each, "why").starts_with("makes room for ")) return text(each, "why");
    if (!is_true(each, "eligible")) return "cannot go: " + text(each, "why");
    return (text(each, "why").starts_with("stays") ? "could go but " : "could go: ") +
           text(each, "why");
  }
  return "";
}

std::string holders(const Value& document) {
  const Value& all = at(document, "holders");
  if (all.items.empty()) return section("WHO HOLDS THE ROOM") + line("Nobody else.");
  std::vector<std::string> names;
  for (const Value& each : at(document, "shortages").items) names.push_back(text(each, "resource"));
  std::vector<std::vector<std::string>> rows = {{"POD", "PRIORITY", "QOS"}};
  for (const std::string& name : names) rows[0].push_back(name);
  const std::vector<const Value*> shown = first(all, kShownPods);
  for (const Value* each : shown) {
    std::vector<std::string> row = {text(*each, "pod"), at(*each, "priority").text,
                                    text(*each, "qos")};
    for (const std::string& name : names) row.push_back(amount(at(*each, "held"), name));
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 3; i < rows[0].size(); ++i) in_one_unit(column_of(rows, i));
  std::vector<std::string> reasons = {""};
  for (const Value* each : shown) {
    const std::string fate =
        preemption_outcome_of(at(at(document, "decision"), "preemption"), text(*each, "uid"));
    reasons.push_back(wrapped(text(*each, "why") + deadline_text(document, *each, "until") +
                                  (fate.empty() ? "" : "; " + fate),
                              6, 6));
  }
  std::string out = section("WHO HOLDS THE ROOM") + indented_table(rows, reasons);
  if (shown.size() < all.items.size()) {
    out += line("and " + std::to_string(all.items.size() - shown.size()) +
                " more, which hold no more (-o json has all)");
  }
  return out;
}

std::string coming(const Value& document) {
  const Value& all = at(document, "coming");
  if (all.items.empty()) return "";
  std::string out = section("ROOM ON ITS WAY");
  for (const Value* each : first(all, kShownPods)) {
    out += item(text(*each, "pod") + " " + text(*each, "how") +
                deadline_text(document, *each, "expected") + ", which frees " +
                amounts(at(*each, "frees")) +
                (is_true(*each, "counts") ? "" : ": " + text(*each, "why")));
  }
  return out;
}

std::string budgets(const Value& document) {
  const Value& all = at(document, "budgets");
  if (all.items.empty()) return "";
  std::string out = section("BUDGETS OF PODS THAT MATTER LESS");
  for (const Value* each : first(all, kShownPods)) {
    const Value& allowed = at(*each, "allowed");
    out += item(text(*each, "budget") + " allows " +
                (allowed.kind == Value::Kind::Number ? allowed.text : "any number of") +
                (allowed.text == "1" ? " disruption now" : " disruptions now") +
                (is_true(*each, "hard") ? ", and is hard" : ", a preference and no guarantee") +
                ": " + names_in(at(*each, "pods")));
  }
  return out;
}

std::string covering(const Value& document) { return covering_text(at(document, kCoveredBy)); }

// Which pod group goes whole with the victims, and which gang keeps too few pods.
std::string groups_that_go(const Value& preemption) {
  std::string out;
  for (const Value* each : first(at(preemption, "wholeGroups"), kShownPods)) {
    const Value& nodes = at(*each, "nodes");
    out += line("pod group " + text(*each, "group") + " goes whole: " + at(*each, "pods").text +
                (at(*each, "pods").text == "1" ? " pod on node" : " pods on node") +
                (nodes.items.size() == 1 ? " " : "s ") + names_in(nodes));
  }
  for (const Value* each : first(at(preemption, "belowMinCount"), kShownPods)) {
    out += line("pod group " + each->text +
                " falls below its minCount; this is told and does not change who goes");
  }
  return out;
}

std::string who_makes_room(const Value& document) {
  const Value& preemption = at(at(document, "decision"), "preemption");
  std::string out = section("WHO MAKES ROOM");
  return out +
         line(policy::room_sentence(text(preemption, "by"), text(preemption, "outcome"),
                                    text(preemption, "message"),
                                    at(preemption, "budgetViolations").text)) +
         groups_that_go(preemption);
}

// "default/a was asked to go ...": the removal that has begun, and its outcome.
std::string mark_text(const Value& mark) {
  const std::string pod = text(mark, "pod");
  const std::string preemptor = text(mark, "for");
  const std::string asked = is_true(mark, "leaves") ? " was asked to go" : " is marked to go";
  // It may be to be placed, or be a gang: only resizes wait on a node.
  if (preemptor.empty()) {
    return pod + asked + " for the pod or pod group of uid " + text(mark, "forUid") +
           ", which is not on this node";
  }
  if (is_true(mark, "stands")) {
    return pod + asked + " for the resize of " + preemptor +
           (is_true(mark, "leaves") ? "" : ", and was not asked yet");
  }
  const bool is_taken_back = !is_true(mark, "leaves") && text(mark, "by") == "scheduler";
  return pod + asked + " for a resize of " + preemptor + " that waits no more" +
         (is_taken_back ? ": the scheduler that leads takes the mark back" : "");
}

// All marks of the node if they matter to the resize, else the pod's own.
std::string marks(const Value& document) {
  const bool waits = text(at(document, "decision"), "verdict") == "Deferred";
  std::string out;
  for (const Value* each : first(at(document, "marks"), kShownPods)) {
    if (waits || text(*each, "uid") == text(document, "uid")) out += item(mark_text(*each));
  }
  return out.empty() ? out : section("WHO IS MARKED TO GO") + out;
}

std::string helps(const Value& document) {
  const Value& all = at(document, "helps");
  const bool waits = text(at(document, "decision"), "verdict") == "Deferred";
  if (all.items.empty() && !waits) return "";
  std::string out = section("WHAT WOULD HELP");
  for (const Value& each : all.items) out += item(text(each, "text"));
  if (waits) out += item("no other node matters: a resize stays on its node");
  return out;
}

std::string next(const Value& document) {
  const Value& step = at(document, "next");
  std::string out = section("WHAT HAPPENS NEXT");
  out += line(text(step, "text") + deadline_text(document, step, "expected"));
  const Value& again = at(step, "againWhen");
  if (again.items.empty()) return out;
  std::string words = "looked at again when ";
  for (std::size_t i = 0; i < again.items.size(); ++i) {
    words += (i == 0                        ? ""
              : i + 1 == again.items.size() ? ", or when "
                                            : ", when ") +
             again.items[i].text;
  }
  return out + line(words);
}

// A pod that has its desired size.
std::string in_short(const Value& document) {
  const Value& decision = at(document, "decision");
  return wrapped("size: " + amounts(at(at(decision, "requests"), "desired")) +
                     "; allocated and actual are the same",
                 0, 2) +
         wrapped("node: the other pods hold " + amounts(at(at(decision, "room"), "others")) +
                     " of " + amounts(at(at(decision, "room"), "allocatable")),
                 0, 2);
}

// What the answer lacks.
std::string not_known(const Value& decision) {
  std::string out;
  for (const Value* each : first(at(at(decision, "preemption"), "lacks"), kShownPods)) {
    out += wrapped("not known here: " + each->text, 0, 2);
  }
  return out;
}

// Of a pod about which nothing is decided here: what its conditions say.
std::string said(const Value& document) {
  const Value& word = at(document, "nodeSays");
  std::string words = text(word, "reason");
  if (!text(word, "message").empty()) {
    words += (words.empty() ? "" : since_text(document, word) + ": ") + text(word, "message");
  }
  if (words.empty()) words = "nothing";
  const bool is_placed = !text(document, "node").empty();
  return section(is_placed ? "WHAT THE NODE SAYS" : "WHAT THE SCHEDULER SAYS") + line(words) +
         node_says(document);
}

// Of a pod that has no node yet.
std::string placement(const Value& decision) {
  std::string out = section("WHAT WOULD HAPPEN");
  const std::string node = text(decision, "node");
  std::string words = text(decision, "result") + (node.empty() ? "" : " on node " + node);
  if (!text(decision, "message").empty()) words += ": " + text(decision, "message");
  out += line(words);
  for (const Value* each : first(at(decision, "victims"), kShownPods)) {
    const std::string unit = text(*each, "unit");
    out += item(text(*each, "pod") + " goes" +
                (unit == text(*each, "pod") ? "" : " with pod group " + unit) + ": " +
                text(*each, "why"));
  }
  return out;
}

}  // namespace

std::string explanation_text(const Value& document) {
  const Value& decision = at(document, "decision");
  const Value& word = at(document, "nodeSays");
  const std::string verdict = text(decision, "verdict");
  std::string out = not_known(decision) +
                    wrapped(text(document, "summary") + since_text(document, document), 0, 2) +
                    membership(document);
  if (text(decision, "kind") == "SchedulingDecision") {
    return out + placement(decision) + events(document) + notes(document);
  }
  if (decision.kind != Value::Kind::Map) {
    return out + said(document) + next(document) + sizes(document) + marks(document) +
           events(document) + notes(document);
  }
  const Value& requests = at(decision, "requests");
  const bool settled = amounts(at(requests, "desired")) == amounts(at(requests, "actual"));
  const bool silent = text(word, "agreement") == "Silent" && !is_true(word, "inProgress");
  if (verdict == "Unchanged" && silent && settled)
    return out + in_short(document) + covering(document) + marks(document) + notes(document);

  if (verdict == "Unchanged") {
    const std::string said = node_says(document);
    if (!said.empty()) out += section("THE NODE") + said;
  } else {
    out += why(document);
  }
  const bool waits = verdict == "Deferred";
  if (waits) out += who_makes_room(document);
  out += helps(document) + next(document) + sizes(document);
  if (waits) out += holders(document) + coming(document) + budgets(document);
  return out + covering(document) + marks(document) + events(document) + notes(document);
}

}  // namespace elbowroom::cli
