#include "rescheduler/webhook/review_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rescheduler/program.h"

namespace elbowroom::rescheduler {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string review(const std::string& resource, const std::string& rest) {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"r-1",)"
         R"("resource":{"group":"","version":"v1","resource":"pods"},)" +
         resource + R"("name":"web","namespace":"default","userInfo":{"username":"jane"},)" + rest;
}
const std::string kEviction = R"("subResource":"eviction","operation":"CREATE",)";
const std::string kDelete = R"("operation":"DELETE",)";

struct ReviewReaderTest : testing::Test {
  ReviewReader reader{{.path = "/review/x"},
                      {.tell =
                           [this](std::uint64_t /*number*/, api::AdmissionReview asked) {
                             if (is_full) return false;
                             told.push_back(std::move(asked));
                             has_told.set_value();
                             return true;
                           },
                       .respond = [](std::uint64_t /*number*/, daemon::Reply /*reply*/) {}}};
  std::vector<api::AdmissionReview> told;
  std::promise<void> has_told;
  bool is_full = false;

  std::string answer(const std::string& body, const std::string& cut = "") {
    const auto reply =
        reader.take({.number = 1, .method = "POST", .path = "/review/x", .body = body, .cut = cut});
    return reply ? std::to_string(reply->status) + " " + reply->body : "later";
  }
};

TEST_F(ReviewReaderTest, AReviewIsHandedOn) {
  EXPECT_EQ(answer(review(kEviction, R"("object":{}}})")), "later");
  EXPECT_THAT(told, SizeIs(1));
  EXPECT_EQ(reader.unread(), 0U);
}

TEST_F(ReviewReaderTest, AnEvictionThatEndsTooEarlyIsRefusedInAReview) {
  const std::string said = answer(review(kEviction, R"("object":{"metadata":{"a)"), "it is late");
  EXPECT_THAT(said, HasSubstr(R"(200 {)"));
  EXPECT_THAT(said, HasSubstr(R"("uid":"r-1","allowed":false)"));
  EXPECT_THAT(said, HasSubstr("it is late"));
  EXPECT_THAT(told, IsEmpty());
  EXPECT_EQ(reader.unread(), 1U);
  EXPECT_THAT(reader.take_note().value_or(""), HasSubstr("default/web"));
}

TEST_F(ReviewReaderTest, AnEvictionThatIsNotJsonIsRefusedInAReview) {
  EXPECT_THAT(answer(review(kEviction, R"("object":{a}}})")), HasSubstr(R"("allowed":false)"));
  EXPECT_EQ(reader.unread(), 1U);
}

TEST_F(ReviewReaderTest, WhatNamesNoReviewIsRefusedAsARequest) {
  EXPECT_THAT(answer("{}"), HasSubstr("400 "));
  EXPECT_THAT(answer("{}", "its body is too large"), HasSubstr("413 "));
  EXPECT_THAT(reader.take_note().value_or(""), HasSubstr("400"));
}

// A Pod's own size must not keep it from being deleted.
TEST_F(ReviewReaderTest, ADeleteIsHandedOnAsFarAsItIsRead) {
  EXPECT_EQ(answer(review(kDelete, R"("object":null,"oldObject":{"metadata":{)"), "cut"), "later");
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told.front().user, "jane");
}

TEST_F(ReviewReaderTest, WhereTooManyWaitAnEvictionIsToAskAgain) {
  is_full = true;
  const std::string said = answer(review(kEviction, R"("object":{}}})"));
  EXPECT_THAT(said, HasSubstr(R"("allowed":false)"));
  EXPECT_THAT(said, HasSubstr(R"("code":429)"));
  EXPECT_THAT(said, HasSubstr(R"("retryAfterSeconds":1)"));
}

TEST_F(ReviewReaderTest, ALargeOneIsReadBesideTheServer) {
  const std::string large =
      review(kEviction, R"("object":{"metadata":{"a":")" + std::string(200'000, 'x') + R"("}}}})");
  EXPECT_EQ(answer(large), "later");
  EXPECT_THAT(told, IsEmpty());
  reader.start();
  has_told.get_future().wait();
  reader.stop();
  EXPECT_THAT(told, SizeIs(1));
}

TEST_F(ReviewReaderTest, OtherPathsAndMethodsSayNothing) {
  EXPECT_EQ(reader.take({.method = "POST", .path = "/review"})->status, 404);
  EXPECT_THAT(reader.take({.method = "POST", .path = "/review"})->body,
              testing::Not(HasSubstr("/x")));
  EXPECT_EQ(reader.take({.method = "GET", .path = "/review/x"})->status, 405);
}

TEST(WebhookCheck, SaysHowLongTheThreadHasNotTurned) {
  ReschedulerStatus now{.has_webhook = true};
  now.webhook.is_serving = true;
  const auto check = [&] {
    const auto all = Program::checks_of(now);
    return *std::ranges::find(all, "webhook", &daemon::Check::name);
  };
  EXPECT_TRUE(check().passed);
  now.webhook.silent_for = std::chrono::milliseconds(4321);
  EXPECT_FALSE(check().passed);
  EXPECT_THAT(check().detail, HasSubstr("last turned 4321 ms ago"));
}

}  // namespace
}  // namespace elbowroom::rescheduler
