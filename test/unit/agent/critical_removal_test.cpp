#include "agent/critical_removal.h"

#include <gtest/gtest.h>

namespace elbowroom::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

RemovalIntent intent(int victims, const std::string& preemptor = "p") {
  RemovalIntent made{.preemptor_uid = preemptor, .generation = 2};
  for (int i = 0; i < victims; ++i) made.victims.push_back({"v" + std::to_string(i), "ns", "n"});
  return made;
}

std::vector<MarkVictim> marks(const RemovalIntent& of) {
  std::vector<MarkVictim> made;
  for (const Victim& victim : of.victims) made.push_back({.victim = victim});
  return made;
}

// What a removal does, as words, each step answered by `ok`.
std::vector<std::string> run(CriticalRemoval& removal, const auto& ok) {
  std::vector<std::string> steps;
  for (int round = 0; round < 10 && removal.busy(); ++round) {
    for (const CriticalRemoval::Step& step : removal.take_steps()) {
      std::string word;
      if (const auto* mark = std::get_if<MarkVictim>(&step)) {
        word = (mark->clear ? "clear " : "mark ") + mark->victim.uid;
      } else {
        const auto& drop = std::get<DeleteVictim>(step);
        word = (drop.dry_run ? "check " : "delete ") + drop.victim.uid;
      }
      steps.push_back(word);
      removal.finished(ok(word));
    }
  }
  return steps;
}

void begin(CriticalRemoval& removal, const RemovalIntent& with) {
  removal.begin(with, marks(with), false, milliseconds(0));
  removal.intent_saved(true, milliseconds(0));
}

TEST(CriticalRemoval, ASetGoesStageByStage) {
  CriticalRemoval removal;
  begin(removal, intent(2));
  EXPECT_EQ(run(removal, [](const std::string&) { return true; }),
            (std::vector<std::string>{"mark v0", "mark v1", "check v0", "check v1", "delete v0",
                                      "delete v1"}));
  EXPECT_FALSE(removal.busy());
}

TEST(CriticalRemoval, ASingleVictimNeedsNoDryRun) {
  CriticalRemoval removal;
  begin(removal, intent(1));
  EXPECT_EQ(run(removal, [](const std::string&) { return true; }),
            (std::vector<std::string>{"mark v0", "delete v0"}));
}

TEST(CriticalRemoval, OneRefusalAndNobodyIsRemoved) {
  for (const std::string refused : {"mark v1", "check v0"}) {
    CriticalRemoval removal;
    begin(removal, intent(2));
    const auto steps = run(removal, [&](const std::string& step) { return step != refused; });
    for (const std::string& step : steps) EXPECT_FALSE(step.starts_with("delete")) << step;
    EXPECT_EQ(steps.back(), "clear v1");
    EXPECT_FALSE(removal.busy());
  }
}

TEST(CriticalRemoval, WithoutADurableIntentNothingHappens) {
  CriticalRemoval removal;
  removal.begin(intent(1), marks(intent(1)), false, milliseconds(0));
  EXPECT_TRUE(removal.take_steps().empty());
  removal.intent_saved(false, milliseconds(0));
  EXPECT_FALSE(removal.busy());
  EXPECT_TRUE(removal.take_steps().empty());
}

TEST(CriticalRemoval, TheBreakerStopsAFourthSetAndAnEleventhPod) {
  CriticalRemoval removal;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(removal.allowed("p", 1, milliseconds(0)));
    begin(removal, intent(1));
    run(removal, [](const std::string&) { return true; });
  }
  EXPECT_FALSE(removal.allowed("p", 1, milliseconds(0)));
  EXPECT_TRUE(removal.allowed("q", 7, milliseconds(0)));
  EXPECT_FALSE(removal.allowed("q", 8, milliseconds(0)));
  EXPECT_TRUE(removal.allowed("p", 1, minutes(10)));
}

TEST(CriticalRemoval, ASetIsCountedFromWhenItsIntentIsDurable) {
  CriticalRemoval removal;
  removal.begin(intent(2), marks(intent(2)), false, milliseconds(0));
  removal.intent_saved(true, minutes(4));
  run(removal, [](const std::string&) { return true; });
  EXPECT_EQ(removal.remaining(minutes(13)), 8U);
  EXPECT_EQ(removal.remaining(minutes(14)), 10U);
}

TEST(CriticalRemoval, WhatCountsNoMoreIsForgotten) {
  CriticalRemoval removal;
  for (const minutes at : {minutes(0), minutes(4), minutes(10)}) {
    removal.begin(intent(1), marks(intent(1)), false, at);
    removal.intent_saved(true, at);
    run(removal, [](const std::string&) { return true; });
  }
  ASSERT_EQ(removal.progress().removed.size(), 2U);
  EXPECT_EQ(removal.progress().removed.front().at, minutes(4));
}

TEST(CriticalRemoval, ASetThatDoesNotGoIsNotCounted) {
  CriticalRemoval removal;
  for (int i = 0; i < 5; ++i) {
    begin(removal, intent(2));
    run(removal, [](const std::string& step) { return step != "check v0"; });
    removal.begin(intent(1), marks(intent(1)), false, milliseconds(0));
    removal.intent_saved(false, milliseconds(0));
  }
  EXPECT_TRUE(removal.allowed("p", 10, milliseconds(0)));
}

TEST(CriticalRemoval, WhatAnEarlierLifeCountedCounts) {
  CriticalRemoval removal;
  removal.remember({{-minutes(9), "p", 3}, {-minutes(1), "p", 3}, {milliseconds(0), "p", 2}});
  EXPECT_FALSE(removal.allowed("p", 1, milliseconds(0)));
  EXPECT_TRUE(removal.allowed("q", 2, milliseconds(0)));
  EXPECT_FALSE(removal.allowed("q", 3, milliseconds(0)));
  EXPECT_EQ(removal.remaining(milliseconds(0)), 2U);
  EXPECT_TRUE(removal.allowed("p", 5, minutes(1)));
}

// The intent is on the disk, and the victims that it counts too.
TEST(CriticalRemoval, ASetThatIsGoneOnWithAfterARestartCountsOnce) {
  CriticalRemoval removal;
  removal.remember({{-minutes(1), "p", 1}, {milliseconds(-5), "p", 2}});
  removal.begin(intent(2), marks(intent(2)), true, milliseconds(7));
  removal.intent_saved(true, milliseconds(7));
  run(removal, [](const std::string&) { return true; });
  EXPECT_TRUE(removal.allowed("p", 7, milliseconds(7)));
  EXPECT_FALSE(removal.allowed("p", 8, milliseconds(7)));
}

// Two sets of one size for one pod: the first was removed, the second was refused and its count
// taken back before a restart.
TEST(CriticalRemoval, ASetThatIsBegunAgainAndWasNotCountedTakesNoOthersCount) {
  CriticalRemoval removal;
  removal.remember({{-minutes(1), "p", 1, "another"}});
  removal.begin(intent(1), marks(intent(1)), true, milliseconds(7));
  ASSERT_EQ(removal.progress().removed.size(), 2U);
  EXPECT_EQ(removal.progress().removed.front().victim, "another");
  EXPECT_EQ(removal.progress().removed.back().victim, "v0");
}

TEST(CriticalRemoval, WhereWhatWentIsNotKnownOneSetMayGo) {
  CriticalRemoval removal;
  removal.count_as_used(milliseconds(0));
  EXPECT_TRUE(removal.allowed("p", 10, milliseconds(0)));
  begin(removal, intent(2));
  run(removal, [](const std::string& step) { return step != "check v0"; });
  EXPECT_TRUE(removal.allowed("p", 1, milliseconds(0))) << "it did not go";
  begin(removal, intent(1));
  run(removal, [](const std::string&) { return true; });
  for (const char* preemptor : {"p", "q"}) {
    EXPECT_FALSE(removal.allowed(preemptor, 1, minutes(9)));
    EXPECT_TRUE(removal.allowed(preemptor, 1, minutes(10)));
  }
  EXPECT_EQ(removal.remaining(minutes(9)), 0U);
}

TEST(CriticalRemoval, WhatIsAbandonedLeavesNoMark) {
  for (const std::size_t taken : {0U, 1U}) {
    CriticalRemoval removal;
    begin(removal, intent(2));
    if (taken == 0) {
      removal.abandon();
      EXPECT_FALSE(removal.busy());
      continue;
    }
    EXPECT_EQ(removal.take_steps().size(), 2U);  // marks, in flight
    removal.abandon();
    removal.finished(true);
    removal.finished(true);
    EXPECT_EQ(run(removal, [](const std::string&) { return true; }),
              (std::vector<std::string>{"clear v0", "clear v1"}));
  }
}

}  // namespace
}  // namespace elbowroom::agent
