// The text of a pod's explanation: each explain/NAME.yaml is a situation, with the pod default/web
// and the time ten past midnight; NAME.txt is the text by our rules, NAME.upstream.txt by
// upstream's where it is another. In a situation not-known-NAME, the budgets may not be read. With
// UPDATE_GOLDEN=1 in the environment the test rewrites the texts, for a person to review.
#include "policy/resize/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"
#include "cli/input/manifests.h"
#include "cli/input/resize_subject.h"
#include "cli/output/explanation_text.h"
#include "cli/output/resize_table.h"
#include "test/checkout.h"

namespace elbowroom::cli {
namespace {

const std::string kFolder = std::string(test::kData) + "/tables/explain/";

std::vector<std::string> situations() {
  std::vector<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(kFolder)) {
    if (each.path().extension() == ".yaml") names.push_back(each.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

policy::Explanation explanation(const std::string& name,
                                policy::RuleSet rules = policy::RuleSet::Elbowroom) {
  const auto manifests = load_manifests({kFolder + name + ".yaml"});
  EXPECT_TRUE(manifests) << (manifests ? "" : manifests.error().message);
  ResizeQuery query{
      .pod = "default/web", .rules = rules, .now = *api::parse_timestamp("2026-01-01T00:10:00Z")};
  if (name.starts_with("not-known-")) query.lacks = {"disruption budgets"};
  const auto subject = ResizeSubject::of(*manifests, query);
  EXPECT_TRUE(subject) << (subject ? "" : subject.error().message);
  const policy::ResizeQuestion question = subject->question();
  return policy::explain(question, policy::report_resize(question));
}

std::string text(const std::string& name, policy::RuleSet rules = policy::RuleSet::Elbowroom) {
  return explanation_text(api::encode_explanation(explanation(name, rules)));
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_golden(const std::string& text, const std::string& golden) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden, std::ios::binary) << text;
  }
  EXPECT_EQ(text, content(golden)) << golden;
}

TEST(Explanation, ReadsAsWritten) {
  for (const std::string& name : situations()) expect_golden(text(name), kFolder + name + ".txt");
}

TEST(Explanation, ReadsAsWrittenByUpstreamsRules) {
  for (const std::string& name : situations()) {
    const std::string by_upstream = text(name, policy::RuleSet::Upstream);
    const std::string golden = kFolder + name + ".upstream.txt";
    if (by_upstream != text(name)) {
      expect_golden(by_upstream, golden);
    } else {
      EXPECT_FALSE(std::filesystem::exists(golden)) << golden << " is the same by both rule sets";
    }
  }
}

TEST(Explanation, TheSituationsShowEveryOutcomeInBothRuleSets) {
  using policy::RuleSet;
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    std::set<std::string> outcomes;
    for (const std::string& name : situations()) {
      outcomes.insert(std::string(outcome_name(explanation(name, rules).report.preemption)));
    }
    std::set<std::string> all = {"NotNeeded",   "Preempt",   "AwaitingVictims", "Disabled",
                                 "PolicyNever", "NoVictims", "NotKnown"};
    // By upstream's rules a resize waits for no room on its way.
    if (rules == RuleSet::Upstream) all.erase("AwaitingVictims");
    EXPECT_EQ(outcomes, all);
  }
}

TEST(Explanation, SimulatesTableSaysTheSameOfTheRoom) {
  using policy::RuleSet;
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    for (const std::string& name : situations()) {
      const policy::ResizeReport report = explanation(name, rules).report;
      if (report.decision.verdict != policy::Verdict::Deferred) continue;
      const std::string outcome(outcome_name(report.preemption));
      const std::string sentence =
          policy::room_sentence(to_string(report.preemption.by), outcome, report.preemption.message,
                                std::to_string(report.preemption.budget_violations));
      EXPECT_THAT(resize_table(report),
                  testing::HasSubstr("who makes room: " + sentence + " [" + outcome + "]\n"))
          << name;
      if (outcome != "Preempt") {
        EXPECT_THAT(sentence, testing::Not(testing::StartsWith("the "))) << name;
        EXPECT_TRUE(report.preemption.victims.empty()) << name;
      }
    }
  }
}

// What is not known could spare any of them.
TEST(Explanation, WhatIsNotKnownIsSaidFirstAndNoVictimIsNamed) {
  const policy::Explanation about = explanation("not-known-budgets");
  EXPECT_TRUE(text("not-known-budgets").starts_with("not known here: disruption budgets\n"));
  EXPECT_TRUE(resize_table(about.report).starts_with("not known here: disruption budgets\n"));
  EXPECT_TRUE(about.report.preemption.victims.empty());
  for (const policy::Remedy& each : about.remedies) {
    if (each.kind == policy::RemedyKind::Removal) continue;  // of what holds the room
    EXPECT_TRUE(each.pods.empty()) << each.text;
  }
}

TEST(Explanation, LinesArePrintableAndNotTooLong) {
  for (const std::string& name : situations()) {
    const std::string text = content(kFolder + name + ".txt");
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      ASSERT_NE(end, std::string_view::npos) << name;
      EXPECT_LE(end, 100U) << name << ": " << rest.substr(0, end);
      EXPECT_TRUE(end == 0 || rest[end - 1] != ' ') << name << ": a space at the end of a line";
      rest.remove_prefix(end + 1);
    }
  }
  EXPECT_EQ(std::ranges::count(content(kFolder + "unchanged.txt"), '\n'), 3);
}

// A daemon's answer is input from outside like any other.
TEST(Explanation, AnAnswerOfAnotherShapeDoesNoHarm) {
  for (const char* parts :
       {"{}",
        "{\"holders\": [1, null, {}], \"shortages\": [[]], \"containers\": [{\"limits\": 5}]}",
        "{\"summary\": 5, \"since\": \"never\", \"time\": [], \"coming\": {\"a\": 1}, "
        "\"next\": {\"againWhen\": [{}, 1]}}",
        "{\"summary\": \"\\u001b[2J\\u202e\", \"helps\": [{\"text\": \"a\\nb\\u0000\"}]}"}) {
    for (const char* verdict : {"Deferred", "Allocated", "Infeasible", "Unchanged", "x"}) {
      const std::string answer = std::string("{\"kind\": \"ResizeDecision\", \"verdict\": \"") +
                                 verdict + "\", \"preemption\": {\"victims\": [7]}, " +
                                 "\"explanation\": " + parts + "}";
      const auto document = api::as_explanation(*parse_json(answer));
      ASSERT_TRUE(document);
      for (const char c : explanation_text(*document)) {
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << parts;
      }
    }
  }
  for (const char* answer : {"{}", "[]", "5", "{\"kind\": \"ResizeDecision\"}",
                             "{\"kind\": \"ResizeDecision\", \"explanation\": 5}"}) {
    EXPECT_FALSE(api::as_explanation(*parse_json(answer))) << answer;
  }
}

TEST(Explanation, ADaemonsAnswerReadsTheSame) {
  for (const std::string& name : situations()) {
    const policy::Explanation about = explanation(name);
    const auto answer = parse_json(to_json(api::encode_decision_with_explanation(about)));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->find("kind")->text, "ResizeDecision");
    const auto same = api::as_explanation(*answer);
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(to_json(*same), to_json(api::encode_explanation(about)));
  }
}

}  // namespace
}  // namespace elbowroom::cli
