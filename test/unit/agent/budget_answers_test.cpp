// What an agent takes from the API server's answers about DisruptionBudgets.
#include "agent/worker/budget_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/transport/http_date.h"

namespace elbowroom::agent {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const std::string kDate = "Thu, 26 Nov 2026 12:00:00 GMT";

api::Response answer(std::string body) {
  return {.status = 200, .date = kDate, .body = std::move(body)};
}

std::string budget_json(const std::string& name, const std::string& spec) {
  return R"({"metadata":{"namespace":"default","name":")" + name + R"(","uid":"uid-)" + name +
         R"(","resourceVersion":"7"},"spec":)" + spec +
         R"(,"status":{"recentDisruptions":[{"pod":"old","uid":"uid-old","time":"2026-11-26T11:59:00Z"}]}})";
}

TEST(BudgetAnswers, AListIsReadWithTheServersTime) {
  const auto read = budgets_of(
      answer(R"({"items":[)" + budget_json("a", R"({"selector":{},"maxUnavailable":1})") + "]}"),
      "default");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->server, api::parse_http_date(kDate));
  ASSERT_THAT(read->budgets, SizeIs(1));
  EXPECT_EQ(read->budgets[0].name, "a");
}

// It may be a promise that nobody here understands.
TEST(BudgetAnswers, WhatCannotBeUnderstoodAllowsNothing) {
  const auto read = budgets_of(
      answer(R"({"items":[)" + budget_json("odd", R"({"selector":7})") + "]}"), "default");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_THAT(read->budgets, SizeIs(1));
  EXPECT_EQ(read->budgets[0].name, "odd");
  EXPECT_TRUE(read->budgets[0].hard);
  EXPECT_EQ(read->budgets[0].selector, policy::LabelSelector{});
  EXPECT_FALSE(read->budgets[0].status.observed_time);
}

TEST(BudgetAnswers, AnAnswerThatIsNoWholeListIsRefused) {
  for (const char* body :
       {"", "[]", "{}", R"({"items":7})", R"({"metadata":{"continue":"more"},"items":[]})"}) {
    EXPECT_FALSE(budgets_of(answer(body), "default")) << body;
  }
  EXPECT_FALSE(budgets_of(api::Response{.status = 200, .body = R"({"items":[]})"}, "default"));
}

TEST(BudgetAnswers, AVictimIsEnteredUnderTheVersionThatWasRead) {
  const EnterVictim what{.budget = {"default", "a", "uid-a"},
                         .victim = {"uid-web", "default", "web"}};
  const std::string read = budget_json("a", R"({"selector":{}})");
  const auto request = debit_of(answer(read), what);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->path,
            "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets/a/status");
  EXPECT_THAT(request->body, HasSubstr(R"("resourceVersion":"7")"));
  EXPECT_THAT(request->body, HasSubstr("uid-old"));
  EXPECT_THAT(request->body, HasSubstr(R"("time":"2026-11-26T12:00:00Z","by":"elbowroomd")"));
  EnterVictim other = what;
  other.budget.uid = "uid-other";
  EXPECT_EQ(debit_of(answer(read), other).error().code, Code::NotFound);
}

}  // namespace
}  // namespace elbowroom::agent
