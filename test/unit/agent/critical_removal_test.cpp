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
  removal.begin(with, marks(with));
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
  removal.begin(intent(1), marks(intent(1)));
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

}  // namespace
}  // namespace elbowroom::agent
