#include "scheduler/unreadable_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

constexpr UnreadableNews::Clock::time_point kStart{std::chrono::hours(100)};

Unreadable odd(int number, const std::string& why = "cpu: not a quantity") {
  return {.kind = "Pod", .key = "default/p" + std::to_string(number), .why = why, .node = "node-1"};
}

TEST(UnreadableNews, EachIsToldOnceForWhatIsWrongWithIt) {
  UnreadableNews news;
  EXPECT_THAT(news.take(odd(1), kStart), SizeIs(1));
  EXPECT_THAT(news.take(odd(1), kStart), IsEmpty());
  EXPECT_THAT(news.take(odd(1), kStart + minutes(59)), IsEmpty());
  EXPECT_THAT(news.take(odd(1, "memory: negative"), kStart + minutes(59)), SizeIs(1));
  EXPECT_THAT(news.take(odd(1, "memory: negative"), kStart + minutes(120)), SizeIs(1));
}

TEST(UnreadableNews, OfHundredsAtOnceTheFirstOnesAreNamed) {
  UnreadableNews news;
  std::vector<daemon::Line> lines;
  for (int list = 0; list < 3; ++list) {
    for (int number = 0; number < 300; ++number) {
      for (daemon::Line& line : news.take(odd(number), kStart)) lines.push_back(std::move(line));
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
}  // namespace elbowroom::scheduler
