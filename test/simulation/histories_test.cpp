// Histories with faults, in virtual time: the invariants always hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "test/simulation/history.h"
#include "test/simulation/shortest_history.h"
#include "test/simulation/shrink.h"

namespace elbowroom::test {
namespace {

constexpr std::uint64_t kParts = 16;  // so that several cores have something to do
#ifdef ELBOWROOM_SANITIZED
constexpr std::uint64_t kEach = 3;  // a sanitizer's run costs twenty times as much
#else
constexpr std::uint64_t kEach = 125;  // histories that count: 2,000 in all
#endif
constexpr std::uint64_t kMostEach = 140;  // with those too short to count, played for nothing

// Each part must meet each kind often enough for 50 times in all.
constexpr const char* kFaults[] = {"Refused",
                                   "Hang",
                                   "Slow",
                                   "HalfReply",
                                   "LostReply",
                                   "Status/401",
                                   "Status/403",
                                   "Status/404",
                                   "Status/409",
                                   "Status/422",
                                   "Status/429",
                                   "Status/429/Retry-After",
                                   "Status/500",
                                   "Status/503",
                                   "Status/504",
                                   "WatchSilent",
                                   "WatchClosed",
                                   "WatchBroken",
                                   "WatchStale",
                                   "WatchGone",
                                   "WatchGoneEvent",
                                   "Duplicate",
                                   "Reordered",
                                   "RuntimeHang",
                                   "RuntimeLate",
                                   "RuntimeAppliedButError",
                                   "RuntimeNotApplied",
                                   "RuntimeRestart",
                                   "ENOSPC/write",
                                   "EIO/write",
                                   "EIO/fsync",
                                   "EIO/rename",
                                   "ENOSPC/open",
                                   "TornCheckpoint",
                                   "OlderCheckpoint",
                                   "Crash",
                                   "ClockJump",
                                   "AllocatableShrinks",
                                   "BoundBehindOurBack",
                                   "OddPod",
                                   "BigPod",
                                   "ForeignCondition",
                                   "ConditionsTaken",
                                   "OurConditionTaken"};

class Histories : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Histories, KeepTheInvariants) {
  std::map<std::string, std::size_t> faults;
  std::uint64_t counted = 0;
  std::uint64_t yielded = 0;
  const std::uint64_t first = GetParam() * 1000 + 1;
  for (std::uint64_t seed = first; counted < kEach && seed < first + kMostEach; ++seed) {
    const History history = history_of(seed);
    const Outcome outcome = play(history);
    if (!outcome.broken.empty()) {
      FAIL() << "seed " << seed << ": " << outcome.broken.front()
             << "\nthe same again, with all that happens: build/bin/fault_histories " << seed
             << "\nthe shortest history that breaks it:\n"
             << to_text(shortest(history, outcome.broken.front()));
    }
    if (outcome.yielded && !outcome.faults.contains("ConditionsTaken")) ++yielded;
    for (const auto& [name, times] : outcome.faults) faults[name] += times;
    if (outcome.counts()) ++counted;
  }
  EXPECT_EQ(counted, kEach) << "histories with enough observations and faults";
  // Some faults look like another writer, to which an agent yields; they must stay few.
  if (kEach >= 20) {
    EXPECT_LE(yielded, kEach / 20);
  }
  const bool is_verbose = std::getenv("ELBOWROOM_VERBOSE") != nullptr;
  if (is_verbose) std::printf("%8zu agents yielded\n", static_cast<std::size_t>(yielded));
  for (const char* name : kFaults) {
    if (kEach >= 100) {
      EXPECT_GE(faults[name], (50 + kParts - 1) / kParts) << name;
    }
    if (is_verbose) std::printf("%8zu %s\n", faults[name], name);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Histories, ::testing::Range<std::uint64_t>(0, kParts));

TEST(History, TheSameSeedIsTheSameHistoryAndPlaysTheSame) {
  EXPECT_EQ(history_of(11), history_of(11));
  EXPECT_NE(history_of(11), history_of(12));
  EXPECT_EQ(play(history_of(11), true).log, play(history_of(11), true).log);
}

// Seeds beyond those of the parts that broke an invariant once.
TEST(History, WhatOnceBrokeKeepsTheInvariants) {
  constexpr std::array<std::uint64_t, 2> kSeeds = {
      13168,  // a container that was restarted came back with the size of before
      20371,  // a shrink was taken back by its user before it was carried out
  };
  for (const std::uint64_t seed : kSeeds) {
    const Outcome outcome = play(history_of(seed));
    EXPECT_TRUE(outcome.broken.empty()) << seed << ": " << outcome.broken.front();
  }
}

TEST(Shrink, LeavesWhatIsNeededAndNothingElse) {
  std::vector<int> list;
  for (int i = 0; i < 100; ++i) list.push_back(i);
  const auto needs_three = [](const std::vector<int>& part) {
    return std::ranges::count(part, 7) == 1 && std::ranges::count(part, 42) == 1 &&
           std::ranges::count(part, 99) == 1;
  };
  EXPECT_EQ(shrink<int>(list, needs_three), (std::vector<int>{7, 42, 99}));
  EXPECT_TRUE(shrink<int>(list, [](const auto&) { return true; }).empty());
  EXPECT_EQ(shrink<int>(list, [&](const auto& part) { return part == list; }), list);
}

TEST(Shrink, AsksNoMoreThanItMay) {
  std::size_t asked = 0;
  const std::vector<int> list(1000, 1);
  (void)shrink<int>(
      list,
      [&](const std::vector<int>& part) {
        ++asked;
        return part.size() > 500;
      },
      20);
  EXPECT_LE(asked, 20U);
}

}  // namespace
}  // namespace elbowroom::test
