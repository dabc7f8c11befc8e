#include "scheduler/removal/removal_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

using Time = RemovalSlots::Time;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> in_turn(RemovalSlots slots) {
  std::vector<std::string> keys;
  while (auto next = slots.take()) keys.push_back(*std::move(next));
  return keys;
}

TEST(RemovalSlots, TheMostImportantOneIsNextThenTheOneThatWaitsLongest) {
  RemovalSlots slots;
  slots.add("young", 5, Time{20});
  slots.add("old", 5, Time{10});
  slots.add("low", 1, Time{0});
  slots.add("high", 9, Time{30});
  EXPECT_THAT(in_turn(slots), ElementsAre("high", "old", "young", "low"));
}

TEST(RemovalSlots, EachStandsThereOnceAtItsLatestPriority) {
  RemovalSlots slots;
  slots.add("web", 1, Time{10});
  slots.add("db", 2, Time{10});
  slots.add("web", 3, Time{10});
  EXPECT_THAT(in_turn(slots), ElementsAre("web", "db"));
}

TEST(RemovalSlots, WhoeverIsGoneIsNotNext) {
  RemovalSlots slots;
  slots.add("web", 1, Time{10});
  slots.remove("web");
  slots.remove("web");
  EXPECT_THAT(in_turn(slots), IsEmpty());
}

}  // namespace
}  // namespace elbowroom::scheduler
