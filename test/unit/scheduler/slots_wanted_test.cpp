#include "scheduler/slots_wanted.h"

#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

using Time = SlotsWanted::Time;

TEST(SlotsWanted, TheMostImportantOneIsNextThenTheOneThatWaitsLongest) {
  SlotsWanted slots;
  slots.add("young", 5, Time{20});
  slots.add("old", 5, Time{10});
  slots.add("low", 1, Time{0});
  slots.add("high", 9, Time{30});
  EXPECT_EQ(slots.take(), "high");
  EXPECT_EQ(slots.take(), "old");
  EXPECT_EQ(slots.take(), "young");
  EXPECT_EQ(slots.take(), "low");
  EXPECT_EQ(slots.take(), std::nullopt);
}

TEST(SlotsWanted, EachStandsThereOnceAtItsLatestPriority) {
  SlotsWanted slots;
  slots.add("web", 1, Time{10});
  slots.add("db", 2, Time{10});
  slots.add("web", 3, Time{10});
  EXPECT_EQ(slots.take(), "web");
  EXPECT_EQ(slots.take(), "db");
  EXPECT_EQ(slots.take(), std::nullopt);
}

TEST(SlotsWanted, WhoeverIsGoneIsNotNext) {
  SlotsWanted slots;
  slots.add("web", 1, Time{10});
  slots.remove("web");
  slots.remove("web");
  EXPECT_EQ(slots.take(), std::nullopt);
}

}  // namespace
}  // namespace elbowroom::scheduler
