#include "cli/doctor/doctor_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/document_text.h"
#include "base/text.h"
#include "cli/output/joined.h"
#include "cli/output/table.h"
#include "cli/output/wrapped_text.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kNamedChecks = 3;  // of one cause; of more only their number

constexpr std::array kOutcomes = {CheckOutcome::Pass, CheckOutcome::Warn, CheckOutcome::Fail,
                                  CheckOutcome::Skip};

std::int64_t count(const std::vector<Finding>& findings, CheckOutcome outcome) {
  return std::ranges::count_if(
      findings, [&](const Finding& each) { return each.verdict.outcome == outcome; });
}

std::string mode_of(const DoctorFacts& facts) {
  if (facts.program != Program::Agent) return {};
  return facts.authority ? "authority" : "companion";
}

std::string node_of(const DoctorFacts& facts) { return facts.node ? facts.node->name : ""; }
std::string server_of(const DoctorFacts& facts) { return facts.server ? facts.server->url : ""; }
std::string user_of(const DoctorFacts& facts) { return facts.server ? facts.server->user : ""; }

std::string headline(const DoctorFacts& facts) {
  std::string line = (facts.away ? "the cluster, as seen for " : "") + name_of(facts.program);
  if (const std::string mode = mode_of(facts); !mode.empty()) line += " in mode " + mode;
  if (const std::string node = node_of(facts); !node.empty()) line += ", node " + node;
  if (const std::string server = server_of(facts); !server.empty()) {
    line += ", API server " + server;
    if (const std::string user = user_of(facts); !user.empty()) line += " as " + user;
  }
  return line;
}

// The remedies, for the worst findings first.
std::string remedies_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const CheckOutcome outcome : {CheckOutcome::Fail, CheckOutcome::Warn}) {
    for (const Finding& each : findings) {
      if (each.verdict.outcome != outcome) continue;
      text += "\n" + wrapped(std::string(to_string(outcome)) + " " + each.check + ": " +
                                 each.verdict.cause,
                             0, 5);
      text += wrapped("-> " + each.verdict.remedy, 5, 8);
      for (const std::string& command : each.verdict.commands) {
        text += std::string(10, ' ') + sanitize_line(command) + "\n";
      }
    }
  }
  return text;
}

std::string verdict_of(const std::vector<Finding>& findings) {
  const std::int64_t fails = count(findings, CheckOutcome::Fail);
  const std::int64_t warns = count(findings, CheckOutcome::Warn);
  if (fails + warns == 0) return "nothing is wrong";
  const std::string warned = std::to_string(warns) + (warns == 1 ? " check warns" : " checks warn");
  if (fails == 0) return warned;
  return std::to_string(fails) + (fails == 1 ? " check fails" : " checks fail") +
         (warns == 0 ? "" : ", " + warned);
}

// "node" of "node.there".
std::string area_of(const std::string& check) { return check.substr(0, check.find('.')); }

std::string passed_text(const std::vector<Finding>& findings) {
  std::vector<std::string> areas;
  for (const Finding& each : findings) {
    if (each.verdict.outcome != CheckOutcome::Pass) continue;
    if (std::ranges::find(areas, area_of(each.check)) == areas.end()) {
      areas.push_back(area_of(each.check));
    }
  }
  const std::int64_t passed = count(findings, CheckOutcome::Pass);
  if (passed == 0) return "PASS 0 checks\n";
  return wrapped("PASS " + std::to_string(passed) + (passed == 1 ? " check of " : " checks of ") +
                     joined(areas),
                 0, 5);
}

// Of a check whose input another one found broken.
bool waits(const Finding& each) { return !each.waits_for.empty(); }

// From elsewhere most checks of the machine and of the program's account cannot be made, and none
// of them is a fault.
std::string skipped_elsewhere(const std::vector<Finding>& findings) {
  const auto skipped = std::ranges::count_if(findings, [](const Finding& each) {
    return each.verdict.outcome == CheckOutcome::Skip && !waits(each);
  });
  if (skipped == 0) return "";
  return wrapped("SKIP " + std::to_string(skipped) +
                     " checks of the program's machine, Node and account, which are not here; -v "
                     "lists them",
                 0, 5);
}

// The checks that could not be made, folded under their cause, in the order of the first of each.
std::string skipped_text(const DoctorFacts& facts, const std::vector<Finding>& findings) {
  std::vector<std::pair<std::string, std::vector<std::string>>> causes;
  for (const Finding& each : findings) {
    if (each.verdict.outcome != CheckOutcome::Skip || (facts.away && !waits(each))) continue;
    const auto known =
        std::ranges::find(causes, each.verdict.cause, [](const auto& one) { return one.first; });
    if (known != causes.end()) {
      known->second.push_back(each.check);
    } else {
      causes.emplace_back(each.verdict.cause, std::vector<std::string>{each.check});
    }
  }
  std::string text = facts.away ? skipped_elsewhere(findings) : "";
  for (const auto& [cause, checks] : causes) {
    const std::string which =
        checks.size() <= kNamedChecks ? joined(checks) : std::to_string(checks.size()) + " checks";
    text += wrapped("SKIP " + cause + ": " + which, 0, 5);
  }
  return text;
}

std::string every_check(const std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> rows = {{"CHECK", "RESULT", "FINDING"}};
  for (const Finding& each : findings) {
    rows.push_back({each.check, std::string(to_string(each.verdict.outcome)), each.verdict.cause});
  }
  return to_table(rows);
}

Value commands_value(const Commands& commands) {
  std::vector<Value> all;
  for (const std::string& command : commands) all.push_back(text_value(command));
  return list_value(std::move(all));
}

std::string summary(const std::vector<Finding>& findings) {
  return std::to_string(findings.size()) +
         " checks: " + std::to_string(count(findings, CheckOutcome::Pass)) + " pass, " +
         std::to_string(count(findings, CheckOutcome::Warn)) + " warn, " +
         std::to_string(count(findings, CheckOutcome::Fail)) + " fail, " +
         std::to_string(count(findings, CheckOutcome::Skip)) + " could not be looked at\n";
}

}  // namespace

Value diagnosis(const DoctorFacts& facts, const std::vector<Finding>& findings) {
  std::vector<Value> checks;
  for (const Finding& each : findings) {
    checks.push_back(
        map_value({member("check", text_value(each.check)),
                   member("result", text_value(std::string(to_string(each.verdict.outcome)))),
                   member("cause", text_value(each.verdict.cause)),
                   member("remedy", text_value(each.verdict.remedy)),
                   member("commands", commands_value(each.verdict.commands)),
                   member("waitsFor", text_value(each.waits_for))}));
  }
  std::vector<Member> sums;
  constexpr std::array kNames = {"pass", "warn", "fail", "skip"};
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
    sums.push_back(member(kNames[i], number_value(count(findings, kOutcomes[i]))));
  }
  return map_value(
      {member("apiVersion", text_value("elbowroom.dev/v1alpha1")),
       member("kind", text_value("Diagnosis")),
       member("program", text_value(name_of(facts.program))),
       member("mode", text_value(mode_of(facts))), member("node", text_value(node_of(facts))),
       member("server", text_value(server_of(facts))), member("user", text_value(user_of(facts))),
       member("checks", list_value(std::move(checks))),
       member("summary", map_value(std::move(sums)))});
}

std::string diagnosis_text(const DoctorFacts& facts, const std::vector<Finding>& findings,
                           ShownChecks shown) {
  std::string text = wrapped(verdict_of(findings) + ": " + headline(facts), 0, 2) +
                     remedies_text(findings) + "\n" + passed_text(findings) +
                     skipped_text(facts, findings);
  if (facts.away) {
    text += "\n" + wrapped("leaders, agents and the resizes that wait: elbowroom status", 0, 2);
  }
  if (shown == ShownChecks::Every) text += "\n" + every_check(findings);
  return text + "\n" + summary(findings);
}

}  // namespace elbowroom::cli
