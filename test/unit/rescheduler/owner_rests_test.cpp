#include "rescheduler/moving/owner_rests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace elbowroom::rescheduler {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

constexpr policy::Time kNoon{std::chrono::seconds(1'780'000'000)};

TEST(OwnerRests, AnOwnerRestsFromTheBeginningAndAfterwards) {
  OwnerRests rests;
  rests.begin("u-1", "Deployment default/web", 10min, kNoon);
  EXPECT_EQ(rests.rests_until("u-1", kNoon), kNoon + 25min) << "as if the move took longest";
  rests.end("u-1", false, 10min, kNoon + 1min);
  EXPECT_EQ(rests.rests_until("u-1", kNoon + 1min), kNoon + 11min);
  EXPECT_EQ(rests.rests_until("u-1", kNoon + 11min), std::nullopt);
  EXPECT_EQ(rests.resting(kNoon + 11min - 1ms).size(), 1U);
  EXPECT_THAT(rests.resting(kNoon + 11min), IsEmpty());
  rests.advance(kNoon + 11min);
  EXPECT_EQ(rests, OwnerRests());
}

TEST(OwnerRests, ARestDoublesWithEachVainMoveInARowUpToADay) {
  OwnerRests rests;
  policy::Time now = kNoon;
  for (const auto wanted : {20min, 40min, 80min}) {
    rests.begin("u-1", "x", 10min, now);
    rests.end("u-1", true, 10min, now);
    EXPECT_EQ(rests.rests_until("u-1", now), now + wanted);
    now += wanted;
    rests.advance(now);
  }
  for (int i = 0; i < 100; ++i) rests.end("u-1", true, 10min, now);
  EXPECT_EQ(rests.rests_until("u-1", now), now + 24h);
  rests.end("u-1", false, 10min, now);
  EXPECT_EQ(rests.rests_until("u-1", now), now + 10min) << "one that gained makes it short again";
}

TEST(OwnerRests, WhatWasNotMovedDoesNotRest) {
  OwnerRests rests;
  rests.begin("u-1", "x", 10min, kNoon);
  rests.drop("u-1", kNoon);
  EXPECT_EQ(rests, OwnerRests());
  rests.end("u-1", true, 10min, kNoon);
  rests.begin("u-1", "x", 10min, kNoon + 1h);
  rests.drop("u-1", kNoon + 1h);
  EXPECT_EQ(rests.rests_until("u-1", kNoon + 1h), std::nullopt);
  rests.end("u-1", true, 10min, kNoon + 2h);
  EXPECT_EQ(rests.rests_until("u-1", kNoon + 2h), kNoon + 2h + 40min)
      << "what was in vain before is remembered";
}

TEST(OwnerRests, MovesCountForAnHour) {
  OwnerRests rests;
  rests.moved("node-1", kNoon);
  rests.moved("node-1", kNoon + 30min);
  rests.moved("node-2", kNoon + 30min);
  EXPECT_EQ(rests.moves_in_hour(kNoon + 59min), 3);
  EXPECT_THAT(rests.moves_off(kNoon + 59min),
              UnorderedElementsAre(Pair("node-1", 2), Pair("node-2", 1)));
  EXPECT_EQ(rests.moves_in_hour(kNoon + 60min), 2);
  rests.advance(kNoon + 2h);
  EXPECT_EQ(rests, OwnerRests());
}

TEST(OwnerRests, WhatIsStoredIsRestored) {
  OwnerRests rests;
  rests.forget(kNoon + 10min);
  rests.begin("u-1", "StatefulSet a/b", 10min, kNoon);
  rests.end("u-2", true, 10min, kNoon);
  rests.moved("node-1", kNoon);
  OwnerRests other;
  ASSERT_TRUE(other.restore(rests.text()));
  EXPECT_EQ(other, rests);
  EXPECT_EQ(other.all_rest_until(kNoon), kNoon + 10min);
  EXPECT_THAT(other.resting(kNoon).at("u-1"), HasSubstr("StatefulSet a/b rests until"));
}

TEST(OwnerRests, ASpoiledRecordIsRefusedAndLeavesNothing) {
  for (const char* text :
       {"", "[]", "no", R"({"owners":[{"name":"x"}]})", R"({"owners":[{"uid":"u"}]})",
        R"({"owners":[{"uid":"u","until":"soon"}]})", R"({"owners":{}})",
        R"({"owners":[{"uid":"u","until":"2026-01-01T00:00:00Z","vain":-1}]})",
        R"({"moves":[{"node":"n"}]})", R"({"allUntil":7})"}) {
    OwnerRests rests;
    rests.begin("u-1", "x", 10min, kNoon);
    EXPECT_FALSE(rests.restore(text)) << text;
    EXPECT_THAT(rests.resting(kNoon), IsEmpty()) << text;
  }
  OwnerRests rests;
  EXPECT_FALSE(rests.restore(std::string(2U << 20U, '1')));
}

}  // namespace
}  // namespace elbowroom::rescheduler
