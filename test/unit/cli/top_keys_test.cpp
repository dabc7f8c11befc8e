#include <gmock/gmock.h>

#include <algorithm>

#include "cli/top/keys.h"
#include "top_world.h"

namespace elbowroom::cli::top {
namespace {

using testing::ElementsAre;

class TopKeys : public testing::Test {
 protected:
  bool hit(Special key) { return press({.special = key}, world.scene(), view); }
  bool hit(std::string_view typed) {
    bool ends = false;
    for (const char each : typed) ends = press({.character = each}, world.scene(), view);
    return ends;
  }
  // The first words of the rows.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const std::size_t at : rows_of(world.overview, view)) {
      all.push_back(cells_of(world.overview, view.tab, at)[0].text);
    }
    return all;
  }
  [[nodiscard]] std::string selected() const {
    for (const StyledLine& line : screen(world.scene(), view)) {
      if (line.size() != 1 || line[0].style != Style::Chosen) continue;
      return line[0].text.substr(0, line[0].text.find(' '));
    }
    return "";
  }

  TestScene world{};
  View view{};
};

TEST_F(TopKeys, QAndCtrlCEnd) {
  EXPECT_TRUE(hit("q"));
  EXPECT_TRUE(hit(Special::Interrupt));
  EXPECT_FALSE(hit("x"));
}

TEST_F(TopKeys, TabsTurnBothWays) {
  EXPECT_FALSE(hit(Special::Tab));
  EXPECT_EQ(view.tab, Tab::Resizes);
  EXPECT_FALSE(hit(Special::Left));
  EXPECT_FALSE(hit(Special::Left));
  EXPECT_EQ(view.tab, Tab::Removals);
  EXPECT_FALSE(hit("4"));
  EXPECT_EQ(view.tab, Tab::Budgets);
  EXPECT_FALSE(hit("6"));
  EXPECT_EQ(view.tab, Tab::Budgets);
}

TEST_F(TopKeys, SortingGoesThroughTheColumns) {
  EXPECT_THAT(names(), ElementsAre("node1", "node2", "node10"));
  EXPECT_FALSE(hit("s"));  // the least free cpu
  EXPECT_THAT(names(), ElementsAre("node2", "node1", "node10"));
  EXPECT_FALSE(hit("r"));
  EXPECT_THAT(names(), ElementsAre("node10", "node1", "node2"));
  EXPECT_FALSE(hit("s"));  // the least free memory
  EXPECT_THAT(names(), ElementsAre("node1", "node2", "node10"));
  EXPECT_FALSE(hit("SSS"));  // the most pods
  EXPECT_THAT(names(), ElementsAre("node1", "node10", "node2"));
}

TEST_F(TopKeys, ResizesThatWaitLongestAreFirst) {
  EXPECT_FALSE(hit("2"));
  EXPECT_THAT(names(), ElementsAre("default/web-2", "default/web-1"));
  EXPECT_TRUE(sort_by("expected", view));
  EXPECT_THAT(names(), ElementsAre("default/web-1", "default/web-2"));
  EXPECT_FALSE(sort_by("colour", view));
}

TEST_F(TopKeys, AFilterIsTypedKeptAndEnded) {
  EXPECT_FALSE(hit("/NODE1q"));
  EXPECT_THAT(names(), ElementsAre());
  EXPECT_FALSE(hit(Special::Backspace));
  EXPECT_THAT(names(), ElementsAre("node1", "node10"));
  EXPECT_FALSE(hit(Special::Enter));
  EXPECT_FALSE(view.is_typing);
  EXPECT_FALSE(hit(Special::Escape));
  EXPECT_THAT(names(), ElementsAre("node1", "node2", "node10"));
  EXPECT_FALSE(hit("/" + std::string(1000, 'x')));
  EXPECT_LE(view.filter.size(), kMostFilter);
}

TEST_F(TopKeys, AFilterFindsVictimsToo) {
  EXPECT_FALSE(hit("2/job-7"));
  EXPECT_THAT(names(), ElementsAre("default/web-1"));
}

TEST_F(TopKeys, TheSelectionStaysWithItsRow) {
  EXPECT_EQ(selected(), "node1");
  EXPECT_FALSE(hit(Special::Down));
  EXPECT_EQ(selected(), "node2");
  EXPECT_FALSE(hit("s"));
  EXPECT_EQ(selected(), "node2");
  std::erase_if(world.overview.nodes, [](const auto& each) { return each.node == "node2"; });
  settle(world.scene(), view);
  EXPECT_EQ(selected(), "node1");  // the row in its place
  EXPECT_FALSE(hit(Special::End));
  EXPECT_FALSE(hit(Special::Down));
  EXPECT_EQ(selected(), "node10");
  world.overview.nodes.clear();
  EXPECT_FALSE(hit(Special::Down));
  EXPECT_EQ(selected(), "");
}

TEST_F(TopKeys, TheSelectedRowIsSeen) {
  for (int i = 11; i < 200; ++i) {
    world.overview.nodes.push_back(node_of("node" + std::to_string(i), 1, {}, {}, {}));
  }
  view.height = 12;  // six rows
  EXPECT_FALSE(hit(Special::PageDown));
  EXPECT_EQ(selected(), "node14");
  EXPECT_FALSE(hit(Special::End));
  EXPECT_EQ(selected(), "node199");
  EXPECT_FALSE(hit(Special::Up));
  EXPECT_EQ(selected(), "node198");
  EXPECT_FALSE(hit(Special::Home));
  EXPECT_EQ(selected(), "node1");
}

TEST_F(TopKeys, EnterOpensTheDetailAndEscapeEndsIt) {
  EXPECT_FALSE(hit("2"));
  EXPECT_EQ(wanted_pod(world.overview, view), "");
  EXPECT_FALSE(hit(Special::Enter));
  EXPECT_EQ(wanted_pod(world.overview, view), "default/web-2");
  EXPECT_FALSE(hit(Special::Down));
  EXPECT_EQ(wanted_pod(world.overview, view), "default/web-1");
  EXPECT_FALSE(hit(Special::Escape));
  EXPECT_EQ(wanted_pod(world.overview, view), "");
}

TEST_F(TopKeys, TheDetailScrollsNoFurtherThanItsEnd) {
  for (int i = 0; i < 40; ++i) world.explained.text += "line " + std::to_string(i) + "\n";
  world.explained.pod = "default/web-2";
  EXPECT_FALSE(hit("2"));
  EXPECT_FALSE(hit(Special::Enter));
  EXPECT_FALSE(hit("                    "));
  EXPECT_THAT(texts(screen(world.scene(), view)), testing::Contains("line 39"));
  EXPECT_FALSE(hit("-"));
  EXPECT_THAT(texts(screen(world.scene(), view)), testing::Not(testing::Contains("line 39")));
  EXPECT_THAT(texts(screen(world.scene(), view)), testing::Contains("line 34"));
}

TEST_F(TopKeys, QuestionMarkShowsTheKeys) {
  EXPECT_FALSE(hit("?"));
  EXPECT_THAT(texts(screen(world.scene(), view)),
              testing::Contains("r                       reverses the order"));
  EXPECT_FALSE(hit(Special::Escape));
  EXPECT_FALSE(view.shows_keys);
}

}  // namespace
}  // namespace elbowroom::cli::top
