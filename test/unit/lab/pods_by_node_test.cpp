#include "lab/world/pods_by_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;
using testing::pod_object;
using testing::pod_target;

class PodsByNodeTest : public ::testing::Test {
 protected:
  void load(const std::string& name, const std::string& node) {
    const auto loaded = world_.load(pod_object(name, node));
    EXPECT_EQ(testing::outcome(loaded), "ok") << testing::message_of(loaded);
  }
  void remove(const std::string& name) {
    EXPECT_TRUE(world_.remove(pod_target(name), {.grace_seconds = 0}));
  }
  std::vector<std::string> on(const std::string& node) {
    std::vector<std::string> names;
    for (const Json* pod : placed_.pods_of(node))
      names.push_back(text_at(*pod, {"metadata", "name"}));
    return names;
  }
  // {"?"} where they have to be listed.
  std::vector<std::string> changed(const std::string& node, std::uint64_t version) {
    const auto changes = placed_.changed_after(node, version);
    if (!changes) return {"?"};
    std::vector<std::string> names;
    for (const ChangedObject& each : *changes) names.push_back(each.name);
    return names;
  }

  World world_{{.history = 16}};
  PodsByNode placed_{world_};
};

TEST_F(PodsByNodeTest, ANodeHearsOfItsOwnPodsAlone) {
  load("a1", "a");
  load("b1", "b");
  EXPECT_THAT(on("a"), ElementsAre("a1"));
  EXPECT_THAT(changed("a", 0), ElementsAre("?"));
  const std::uint64_t then = world_.version();
  load("b2", "b");
  load("a2", "a");
  load("a0", "a");
  EXPECT_THAT(changed("a", then), ElementsAre("a2", "a0"));
  EXPECT_THAT(changed("b", then), ElementsAre("b2"));
  EXPECT_THAT(changed("c", then), ElementsAre());
  EXPECT_THAT(changed("a", world_.version()), ElementsAre());
  EXPECT_THAT(on("a"), ElementsAre("a0", "a1", "a2"));
}

TEST_F(PodsByNodeTest, AlsoOfThoseThatGoAndThoseThatComeBackElsewhere) {
  load("goes", "a");
  load("moves", "a");
  EXPECT_THAT(on("a"), ElementsAre("goes", "moves"));
  const std::uint64_t then = world_.version();
  remove("goes");
  remove("moves");
  load("moves", "b");
  load("short", "a");
  remove("short");
  EXPECT_THAT(changed("a", then), ElementsAre("goes", "moves"));
  EXPECT_THAT(changed("b", then), ::testing::Contains("moves"));
  EXPECT_THAT(on("a"), ElementsAre());
  EXPECT_THAT(on("b"), ElementsAre("moves"));
}

TEST_F(PodsByNodeTest, APodIsHeardOfWhenItIsBound) {
  load("late", "");
  EXPECT_THAT(on("a"), ElementsAre());
  const std::uint64_t then = world_.version();
  (void)world_.create(testing::nodes(), "", testing::node_object("a"));
  const auto bound = world_.bind("default", "late", {{"target", {{"name", "a"}}}});
  ASSERT_EQ(testing::outcome(bound), "ok") << testing::message_of(bound);
  EXPECT_THAT(changed("a", then), ElementsAre("late"));
  EXPECT_THAT(on("a"), ElementsAre("late"));
}

TEST_F(PodsByNodeTest, AHistoryThatIsTooShortIsListed) {
  load("a1", "a");
  EXPECT_THAT(on("a"), ElementsAre("a1"));
  const std::uint64_t then = world_.version();
  remove("a1");
  for (int i = 0; i < 20; ++i) load("b1", "b");
  EXPECT_THAT(changed("a", then), ElementsAre("?"));
  EXPECT_THAT(on("a"), ElementsAre());
  const std::uint64_t now = world_.version();
  load("a2", "a");
  EXPECT_THAT(changed("a", now), ElementsAre("a2"));
}

}  // namespace
}  // namespace elbowroom::lab
