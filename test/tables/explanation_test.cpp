// The text of a pod's explanation: each explain/NAME.yaml is a situation, with the pod default/web
// and the time ten past midnight; NAME.txt is the text. With UPDATE_GOLDEN=1 in the environment the
// test rewrites the texts, for a person to review.
#include "policy/resize/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"
#include "cli/input/manifests.h"
#include "cli/input/resize_subject.h"
#include "cli/output/explanation_text.h"
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

Value document(const std::string& name) {
  const auto manifests = load_manifests({kFolder + name + ".yaml"});
  EXPECT_TRUE(manifests) << (manifests ? "" : manifests.error().message);
  const auto subject = ResizeSubject::of(
      *manifests, {.pod = "default/web", .now = *api::parse_timestamp("2026-01-01T00:10:00Z")});
  EXPECT_TRUE(subject) << (subject ? "" : subject.error().message);
  const policy::ResizeQuestion question = subject->question();
  return api::encode_explanation(policy::explain(question, policy::report_resize(question)));
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Explanation, ReadsAsWritten) {
  for (const std::string& name : situations()) {
    const std::string text = explanation_text(document(name));
    const std::string golden = kFolder + name + ".txt";
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(golden, std::ios::binary) << text;
    }
    EXPECT_EQ(text, content(golden)) << name;
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
    const auto manifests = load_manifests({kFolder + name + ".yaml"});
    const auto subject = ResizeSubject::of(
        *manifests, {.pod = "default/web", .now = *api::parse_timestamp("2026-01-01T00:10:00Z")});
    const policy::ResizeQuestion question = subject->question();
    const policy::Explanation about = policy::explain(question, policy::report_resize(question));
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
