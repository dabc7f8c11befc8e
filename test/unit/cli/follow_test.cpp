// `explain -w`: what is told again, and what ends it.
#include "cli/follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "base/document_text.h"

namespace elbowroom::cli {
namespace {

using ::testing::ElementsAre;

Value seen_at(const std::string& time, const std::string& what) {
  return map_value({member("time", text_value(time)), member("summary", text_value(what))});
}

TEST(Follow, TellsWhatDiffersAndEndsWithTheFirstErrorButAnAbsentServer) {
  const auto away = [] { return std::unexpected(Error{Code::Unavailable, "away"}); };
  std::deque<Result<Value>> looks = {seen_at("1", "waits"),
                                     seen_at("2", "waits"),
                                     away(),
                                     away(),
                                     seen_at("5", "waits"),
                                     seen_at("6", "fits"),
                                     std::unexpected(Error{Code::NotFound, "gone"})};
  std::vector<std::string> told;
  std::vector<std::string> troubles;
  int pauses = 0;
  const Error end = follow(
      {.look =
           [&] {
             Result<Value> next = looks.front();
             looks.pop_front();
             return next;
           },
       .tell =
           [&](const Value& document) {
             told.push_back(document.find("summary")->text + " at " + document.find("time")->text);
           },
       .trouble = [&](const Error& error) { troubles.push_back(error.message); },
       .pause = [&] { ++pauses; }});
  EXPECT_EQ(end.message, "gone");
  EXPECT_THAT(told, ElementsAre("waits at 1", "fits at 6"));
  EXPECT_THAT(troubles, ElementsAre("away"));
  EXPECT_EQ(pauses, 6);
}

TEST(Follow, LooksTakeATenthOfTheTimeAtMost) {
  EXPECT_EQ(pause_after(std::chrono::milliseconds(5)), std::chrono::seconds(2));
  EXPECT_EQ(pause_after(std::chrono::seconds(1)), std::chrono::seconds(9));
}

}  // namespace
}  // namespace elbowroom::cli
