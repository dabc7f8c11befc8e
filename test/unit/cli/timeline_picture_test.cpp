#include "cli/scenario/timeline_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/scenario/pod_lives.h"
#include "cli/scenario/time_axis.h"
#include "command_line.h"
#include "test/checkout.h"

namespace elbowroom::cli {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

policy::Pod pod(const std::string& name, const std::string& node) {
  return {.ns = "default",
          .name = name,
          .uid = name,
          .node = node,
          .phase = policy::Phase::Running,
          .containers = {}};
}

// web's resize is Deferred at 10 s, batch goes for it, and is gone at 20 s.
Timeline room_is_made() {
  return {
      .scenario = "room",
      .events =
          {{seconds(10), "world", "Resized", "default/web", "node1", {}, "cpu 2 -> 3"},
           {seconds(10), "agent", "Defer", "default/web", "node1", {}, "no room"},
           {seconds(10), "scheduler", "Preempt", "default/web", "node1", {"default/batch"}, "room"},
           {seconds(10), "world", "Terminating", "default/batch", "node1", {}, ""},
           {seconds(20), "world", "Deleted", "default/batch", "node1", {}, ""},
           {seconds(20), "agent", "Allocate", "default/web", "node1", {}, "cpu 2 -> 3"}},
      .ended = seconds(30),
      .pods = {pod("still", "node2"), pod("web", "node1")}};
}

TEST(PodLives, AreReadFromTheEventsAndFromWhatIsThereAtTheEnd) {
  const PodLives made = lives_of(room_is_made());
  ASSERT_EQ(made.lives.size(), 3U);
  const PodLife& web = made.lives[0];
  EXPECT_EQ(web.pod, "default/web");
  EXPECT_EQ(web.from, seconds(0));
  EXPECT_EQ(web.bound, seconds(0));
  EXPECT_EQ(web.to, seconds(30));
  EXPECT_FALSE(web.ended);
  ASSERT_EQ(web.waits.size(), 1U);
  EXPECT_EQ(web.waits[0].from, seconds(10));
  EXPECT_EQ(web.waits[0].to, seconds(20));
  EXPECT_EQ(web.waits[0].words, "cpu 2 -> 3");
  ASSERT_EQ(web.sizes.size(), 1U);
  EXPECT_EQ(web.sizes[0].at, seconds(20));
  const PodLife& batch = made.lives[1];
  EXPECT_EQ(batch.leaves, seconds(10));
  EXPECT_EQ(batch.to, seconds(20));
  EXPECT_TRUE(batch.ended);
  EXPECT_EQ(made.lives[2].node, "node2");
  EXPECT_FALSE(made.lives[2].has_story());
  ASSERT_EQ(made.room.size(), 1U);
  EXPECT_EQ(made.room[0].victim, 1U);
  EXPECT_EQ(made.room[0].preemptor, 0U);
}

TEST(PodLives, APodThatIsCreatedAgainHasTwo) {
  const PodLives made =
      lives_of({.events = {{seconds(5), "world", "Deleted", "default/db-0", "node1", {}, ""},
                           {seconds(5), "world", "Created", "default/db-0", "", {}, ""},
                           {seconds(8), "scheduler", "Bind", "default/db-0", "node2", {}, ""}},
                .ended = seconds(9),
                .pods = {pod("db-0", "node2")}});
  ASSERT_EQ(made.lives.size(), 2U);
  EXPECT_EQ(made.lives[0].node, "node1");
  EXPECT_EQ(made.lives[0].to, seconds(5));
  EXPECT_EQ(made.lives[1].from, seconds(5));
  EXPECT_EQ(made.lives[1].bound, seconds(8));
  EXPECT_EQ(made.lives[1].node, "node2");
}

TEST(PodLives, AFinishedPodThatIsDeletedLaterHasOne) {
  const PodLives made =
      lives_of({.events = {{seconds(5), "world", "Exited", "default/a", "node1", {}, "Succeeded"},
                           {seconds(8), "world", "Deleted", "default/a", "node1", {}, ""}},
                .ended = seconds(9)});
  ASSERT_EQ(made.lives.size(), 1U);
  EXPECT_EQ(made.lives[0].to, seconds(5));
}

TEST(PodLives, VictimsOfAGangMakeRoomForItsMemberOnTheirNode) {
  const PodLives made =
      lives_of({.events = {{seconds(1),
                            "scheduler",
                            "Preempt",
                            "default/train",
                            "",
                            {"default/b-0", "default/b-1"},
                            ""},
                           {seconds(1), "scheduler", "Nominate", "default/t-0", "node1", {}, ""},
                           {seconds(1), "scheduler", "Nominate", "default/t-1", "node2", {}, ""},
                           {seconds(1), "world", "Terminating", "default/b-0", "node1", {}, ""},
                           {seconds(1), "world", "Terminating", "default/b-1", "node2", {}, ""}},
                .ended = seconds(9)});
  ASSERT_EQ(made.room.size(), 2U);
  EXPECT_EQ(made.lives[made.room[0].preemptor].pod, "default/t-0");
  EXPECT_EQ(made.lives[made.room[1].preemptor].pod, "default/t-1");
}

// log2(2 + 2) = 2 and log2(2 + 14) = 4, so the first gap has a third of the width.
TEST(TimeAxis, LongTimesAreShortenedAndShortOnesStayApart) {
  const TimeAxis axis({seconds(16), seconds(2), seconds(0)}, 100, 600);
  EXPECT_DOUBLE_EQ(axis.at(seconds(0)), 100);
  EXPECT_DOUBLE_EQ(axis.at(seconds(2)), 300);
  EXPECT_DOUBLE_EQ(axis.at(seconds(9)), 500);
  EXPECT_DOUBLE_EQ(axis.at(seconds(16)), 700);
  EXPECT_DOUBLE_EQ(axis.at(seconds(99)), 700);
  EXPECT_THAT(axis.ticks(250), ElementsAre(seconds(0), seconds(16)));
  EXPECT_THAT(axis.ticks(150), ElementsAre(seconds(0), seconds(2), seconds(16)));
}

TEST(TimeAxis, ATimelineOfOneMomentHasAPlace) {
  const TimeAxis axis({}, 100, 600);
  EXPECT_DOUBLE_EQ(axis.at(seconds(0)), 100);
  EXPECT_THAT(axis.ticks(40), ElementsAre(seconds(0)));
}

TEST(TimelinePicture, ShowsWhoWaitedWhoLeftAndForWhom) {
  const std::string picture = timeline_picture(room_is_made());
  EXPECT_THAT(picture, HasSubstr("its resize is Deferred: cpu 2 → 3, 10s to 20s</title>"));
  EXPECT_THAT(picture, HasSubstr("leaves: for web, 10s to 20s</title>"));
  EXPECT_THAT(picture, HasSubstr("has its new size: cpu 2 → 3, from 20s on</title>"));
  EXPECT_EQ(times(picture, "default/batch makes room for default/web</title><path class=\"room\""),
            1U);
  EXPECT_EQ(times(picture, "<rect class=\"band\""), 2U) << "one for each node";
  EXPECT_THAT(picture, Not(HasSubstr("budgets")));
}

TEST(TimelinePicture, BudgetsSayWhatTheyAllowed) {
  Timeline timeline = room_is_made();
  timeline.budgets = {{.budget = "DisruptionBudget default/low",
                       .hard = true,
                       .allowed = {{seconds(0), 1}, {seconds(10), 0}}}};
  const std::string picture = timeline_picture(timeline);
  EXPECT_THAT(picture, HasSubstr("low (hard)</text>"));
  EXPECT_THAT(picture, HasSubstr("allows 1, 0s to 10s</title><rect class=\"some\""));
  EXPECT_THAT(picture, HasSubstr("allows 0, from 10s on</title><rect class=\"none\""));
  EXPECT_THAT(picture, Not(HasSubstr("more budgets")));
  timeline.budgets.resize(20, timeline.budgets[0]);
  EXPECT_THAT(timeline_picture(timeline), HasSubstr(">and 12 more budgets</text>"));
}

TEST(TimelinePicture, NamesOfOthersAreTextAlone) {
  Timeline timeline = room_is_made();
  timeline.scenario = "</title><script>alert(1)</script>";
  timeline.pods[0].name = "\x1b[31m<b onload=\"x\">&";
  timeline.pods[0].node = "node<i>";
  const std::string picture = timeline_picture(timeline);
  for (const char* hostile : {"<script", "<b ", "<i>", "\x1b", "onload=\""}) {
    EXPECT_THAT(picture, Not(HasSubstr(hostile)));
  }
}

TEST(TimelinePicture, OfManyPodsThoseWithAStoryAreDrawn) {
  Timeline timeline = room_is_made();
  for (int i = 0; i < 5'000; ++i) {
    timeline.pods.push_back(pod("a" + std::to_string(i), "node" + std::to_string(i % 700)));
    timeline.events.push_back(
        {seconds(i), "world", "Changed", "default/a" + std::to_string(i), "", {}, "relabelled"});
  }
  timeline.ended = seconds(6'000);
  const std::string picture = timeline_picture(timeline);
  EXPECT_THAT(picture, HasSubstr("default/batch makes room for default/web"));
  EXPECT_THAT(picture, HasSubstr("and 4943 more pods"));
  EXPECT_LT(picture.size(), 100'000U);
}

TEST(TimelinePicture, IsWrittenBesideTheTimeline) {
  const Folder folder;
  const std::string scenario =
      (std::filesystem::path(test::kData) / "scenarios/budget-rate-outlives-the-scheduler.yaml")
          .string();
  const Outcome plain = run({"simulate", "run", scenario, "-o", "json"});
  const Outcome drawn =
      run({"simulate", "run", scenario, "-o", "json", "--svg", folder.path() + "/one.svg"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(drawn.out, plain.out);
  const std::string picture = folder.text("one.svg");
  EXPECT_THAT(picture, HasSubstr("default/low-2 makes room for default/big-1"));
  EXPECT_THAT(picture, HasSubstr("allows 0, from 10s on</title>"));
  run({"simulate", "run", scenario, "--svg", folder.path() + "/two.svg"});
  EXPECT_EQ(folder.text("two.svg"), picture);
  EXPECT_EQ(run({"simulate", "run", scenario, "--svg", folder.path() + "/none/x.svg"}).status, 1);
}

}  // namespace
}  // namespace elbowroom::cli
