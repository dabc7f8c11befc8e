#include <gmock/gmock.h>

#include <algorithm>

#include "cli/top/cells.h"
#include "cli/top/detail.h"
#include "cli/top/screen.h"
#include "top_world.h"

namespace elbowroom::cli::top {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

View sized(std::size_t width, std::size_t height, Tab tab = Tab::Nodes) {
  return {.tab = tab, .width = width, .height = height};
}

TEST(TopScreen, NodesInEightyColumns) {
  const TestScene world;
  EXPECT_THAT(
      texts(screen(world.scene(), sized(80, 10))),
      ElementsAre(
          "elbowroom top  https://host:6443                            2026-11-28T12:00:00Z",
          "1 Nodes 3  2 Resizes 2  3 Leaving 2  4 Budgets 2  5 Removals 1",
          "                            CPU, MILLICORES            MEMORY, MIB",
          "NODE   STATE    PODS   HELD PROMISED   FREE   HELD PROMISED   FREE POLICY",
          "node1  Ready      12   3500      500    500   7000     1024   1192",
          "node2  cordoned    3   4000        0      0   1000        0   7192",
          "node10 Ready       7    100        0   3900    100        0   8092 example.com/~", "",
          "3 of 3, by name",
          "q quit  Tab next  Enter explain  s sort  r reverse  / filter  ? keys"));
}

TEST(TopScreen, ResizesSayWhatLacksAndWhatComesNext) {
  const TestScene world;
  const auto lines = texts(screen(world.scene(), sized(120, 10, Tab::Resizes)));
  EXPECT_EQ(lines[2], "POD           NODE   STATE          AGE LACKS    EXPECTED NEXT");
  EXPECT_EQ(lines[3], "default/web-2 node10 Infeasible 1:06:40");
  EXPECT_EQ(lines[4],
            "default/web-1 node1  Deferred   0:03:20 cpu 500m  0:00:32 the scheduler removes "
            "batch/job-7");
}

TEST(TopScreen, LeavingPodsNameThePodThatTheyMakeRoomFor) {
  const TestScene world;
  const auto lines = texts(screen(world.scene(), sized(80, 9, Tab::Leaving)));
  EXPECT_EQ(lines[3], "batch/stuck node2 overdue");
  EXPECT_EQ(lines[4], "batch/job-6 node1 0:00:25 default/web-1  cpu 1, memory 512Mi");
}

TEST(TopScreen, BudgetsAndRemovals) {
  const TestScene world;
  const auto budgets = texts(screen(world.scene(), sized(80, 9, Tab::Budgets)));
  EXPECT_EQ(budgets[2], "BUDGET                          KIND PODS ALLOWS MORE IN");
  EXPECT_EQ(budgets[3], "DisruptionBudget batch/jobs     hard    8      0 0:10:00");
  EXPECT_EQ(budgets[4], "PodDisruptionBudget default/web soft    2    any");
  const auto removals = texts(screen(world.scene(), sized(80, 9, Tab::Removals)));
  EXPECT_EQ(removals[3], "batch/job-5 0:01:01 elbowroom-scheduler batch/jobs");
}

TEST(TopScreen, TwentyColumnsShowNamesAndWhatMattersMost) {
  const TestScene world;
  const auto lines = texts(screen(world.scene(), sized(20, 9)));
  EXPECT_EQ(lines[3], "NODE     FREE   FREE");
  EXPECT_EQ(lines[4], "node1     500   1192");
  const auto resizes = texts(screen(world.scene(), sized(20, 9, Tab::Resizes)));
  EXPECT_EQ(resizes[2], "POD              AGE");
}

TEST(TopScreen, EverySizeIsFilledAndNeverExceeded) {
  TestScene world;
  world.notes = {"not permitted: list pods in all namespaces", "two", "three"};
  world.explained = {"default/web-1", std::string(300, 'x') + "\n  two words\n"};
  for (std::size_t tab = 0; tab < kTabs; ++tab) {
    for (const bool has_detail : {false, true}) {
      for (const std::size_t width : {1U, 2U, 7U, 20U, 79U, 80U, 300U}) {
        for (const std::size_t height : {1U, 2U, 3U, 5U, 7U, 24U, 60U}) {
          View view = sized(width, height, Tab{static_cast<std::uint8_t>(tab)});
          view.has_detail = has_detail;
          const auto lines = screen(world.scene(), view);
          ASSERT_EQ(lines.size(), height);
          for (const StyledLine& line : lines) ASSERT_LE(plain(line).size(), width);
        }
      }
    }
  }
}

TEST(TopScreen, HostileNamesAreSanitizedAndBounded) {
  TestScene world;
  const std::string hostile =
      "\x1b[2Jred\n\xe2\x80\xae\xc3\xa9\xe4\xb8\xad\xff" + std::string(5000, 'w');
  world.overview.nodes[0].node = hostile;
  world.overview.waiting[0].pod = hostile;
  world.overview.waiting[0].next = hostile;
  world.notes = {hostile};
  for (const Tab tab : {Tab::Nodes, Tab::Resizes}) {
    View view = sized(80, 24, tab);
    view.has_detail = true;
    for (const StyledLine& line : screen(world.scene(), view)) {
      const std::string text = plain(line);
      EXPECT_LE(text.size(), 80U);
      EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) << text;
    }
  }
  EXPECT_EQ(cell_text("\x1b[2Jr\n\xe4\xb8\xad"), "\\x1b[2Jr\\x0a?");
}

TEST(TopScreen, NotesSayWhatIsNotSeen) {
  TestScene world;
  world.notes = {"not permitted: list pods", "b", "c", "d"};
  const auto lines = texts(screen(world.scene(), sized(80, 14)));
  EXPECT_EQ(lines[2], "not permitted: list pods");
  EXPECT_EQ(lines[3], "b (and 2 more)");
}

TEST(TopScreen, AnEmptyClusterSaysSoAndAnUnreadOneReads) {
  TestScene world;
  world.overview = {.now = kNow};
  EXPECT_EQ(texts(screen(world.scene(), sized(80, 10)))[4], "none");
  world.is_complete = false;
  EXPECT_EQ(texts(screen(world.scene(), sized(80, 10)))[4], "reads ...");
}

TEST(TopScreen, TheDetailIsTheExplanationOfThePod) {
  TestScene world;
  world.explained = {"default/web-1", "pod default/web-1: Deferred\n    the node lacks cpu\n"};
  View view = sized(60, 24, Tab::Resizes);
  view.has_detail = true;
  view.of_tab().key = "u-web-1";
  const auto lines = texts(screen(world.scene(), view));
  const auto title = std::ranges::find_if(
      lines, [](const std::string& each) { return each.starts_with("explain pod default/web-1"); });
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(*(title + 1), "pod default/web-1: Deferred");
  EXPECT_EQ(*(title + 2), "    the node lacks cpu");
  EXPECT_EQ(wanted_pod(world.overview, view), "default/web-1");
  view.of_tab().key = "u-web-2";  // the answer is about another pod
  const auto other = texts(screen(world.scene(), view));
  EXPECT_THAT(other, testing::Contains("the pod asks for more than its node has"));
  EXPECT_THAT(other, Not(testing::Contains(HasSubstr("lacks cpu"))));
}

TEST(TopScreen, TheDetailOfANodeHasEachResource) {
  TestScene world;
  world.overview.nodes[0].allocatable.others["example.com/gpu"] = 4;
  world.overview.nodes[0].held.others["example.com/gpu"] = 3;
  View view = sized(80, 30);
  view.has_detail = true;
  EXPECT_THAT(texts(screen(world.scene(), view)),
              testing::Contains(
                  "example.com/gpu                     4            3            0            0"));
}

TEST(TopScreen, LongLinesBreakAtSpacesAndKeepTheirIndentation) {
  EXPECT_THAT(broken_lines("  one two three", 9), ElementsAre("  one two", "  three"));
  EXPECT_THAT(broken_lines("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(broken_lines("      a b", 4), ElementsAre("  a", "  b"));
  EXPECT_THAT(broken_lines("", 4), ElementsAre(""));
}

TEST(TopScreen, PlainTablesHaveUnitsAndNoEmptyCell) {
  const TestScene world;
  const std::string text = plain_tables(world.scene(), View{});
  EXPECT_THAT(text, HasSubstr("NODE    STATE     PODS  CPU-HELD(m)  CPU-PROMISED(m)  CPU-FREE(m)"));
  EXPECT_THAT(text, HasSubstr("node1   Ready     12    3500         500              500"));
  EXPECT_THAT(text,
              HasSubstr("\n\nPOD            NODE    STATE       AGE      LACKS     EXPECTED"));
  EXPECT_THAT(text, HasSubstr("default/web-2  node10  Infeasible  1:06:40  -         -"));
}

}  // namespace
}  // namespace elbowroom::cli::top
