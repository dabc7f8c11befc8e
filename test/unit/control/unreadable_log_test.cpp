#include "control/unreadable_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::control {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr UnreadableLog::Clock::time_point kStart{std::chrono::hours(100)};

Unreadable odd(int number, const std::string& why = "cpu: not a quantity") {
  return {.kind = "Pod", .key = "default/p" + std::to_string(number), .why = why, .node = "node-1"};
}

TEST(UnreadableLog, EachIsToldOnceForWhatIsWrongWithIt) {
  UnreadableLog news;
  EXPECT_THAT(news.take(odd(1), kStart), SizeIs(1));
  EXPECT_THAT(news.take(odd(1), kStart), IsEmpty());
  EXPECT_THAT(news.take(odd(1), kStart + minutes(59)), IsEmpty());
  EXPECT_THAT(news.take(odd(1, "memory: negative"), kStart + minutes(59)), SizeIs(1));
  EXPECT_THAT(news.take(odd(1, "memory: negative"), kStart + minutes(120)), SizeIs(1));
}

std::string told(const std::string& kind, const std::string& node = "") {
  UnreadableLog news;
  const auto lines = news.take({.kind = kind, .key = "x", .why = "odd", .node = node}, kStart);
  return lines.size() == 1 ? lines[0].message : "";
}

// A Node is dropped at once (api_worker.cpp); of others the reactor keeps what it has.
TEST(UnreadableLog, WhatFollowsDependsOnTheKind) {
  EXPECT_THAT(told("Node"), AllOf(HasSubstr("counts as gone"), Not(HasSubstr("stands"))));
  EXPECT_THAT(told("Pod", "node-1"), AllOf(HasSubstr("stands"), HasSubstr("nobody is removed")));
  EXPECT_THAT(told("Pod"), AllOf(HasSubstr("stands"), Not(HasSubstr("removed"))));
  EXPECT_THAT(told("PodDisruptionBudget"), HasSubstr("put right or deleted it counts"));
  EXPECT_THAT(told("DisruptionBudget"), HasSubstr("put right or deleted nobody of its"));
  EXPECT_THAT(told("Namespace"), HasSubstr("or as none"));
  EXPECT_THAT(told("Lease"), HasSubstr("whoever holds it"));
}

TEST(UnreadableLog, OfHundredsAtOnceTheFirstOnesAreNamed) {
  UnreadableLog news;
  std::vector<daemon::LogEntry> lines;
  for (int list = 0; list < 3; ++list) {
    for (int number = 0; number < 300; ++number) {
      for (daemon::LogEntry& line : news.take(odd(number), kStart))
        lines.push_back(std::move(line));
    }
  }
  EXPECT_THAT(lines, SizeIs(20));
  EXPECT_THAT(news.advance(kStart + seconds(59)), IsEmpty());
  lines = news.advance(kStart + seconds(60));
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].message, "more objects cannot be understood");
  EXPECT_EQ(lines[0].err, "840 times within a minute");
  EXPECT_THAT(news.advance(kStart + minutes(3)), IsEmpty());
}

}  // namespace
}  // namespace elbowroom::control
