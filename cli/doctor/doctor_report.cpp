#include "cli/doctor/doctor_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/document_text.h"
#include "base/text.h"
#include "cli/output/table.h"
#include "cli/output/wrapped_text.h"

namespace elbowroom::cli {
namespace {

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
  std::string line = name_of(facts.program);
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

std::string diagnosis_text(const DoctorFacts& facts, const std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> rows = {{"CHECK", "RESULT", "WHAT IS SO"}};
  for (const Finding& each : findings) {
    rows.push_back({each.check, std::string(to_string(each.verdict.outcome)), each.verdict.cause});
  }
  return wrapped(headline(facts), 0, 0) + "\n" + to_table(rows) + remedies_text(findings) + "\n" +
         summary(findings);
}

}  // namespace elbowroom::cli
