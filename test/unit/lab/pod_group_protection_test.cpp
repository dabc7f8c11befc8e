#include "lab/world/pod_group_protection.h"

#include <gtest/gtest.h>

#include "api/codec/timestamp.h"
#include "lab/virtual/simulation.h"
#include "lab/world/pod_group_rules.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using testing::outcome;

const Kind& groups() { return *find_kind("scheduling.k8s.io", "v1beta1", "podgroups"); }

void make_group(World& world, const std::string& name) {
  Json group = Json::parse(R"({"spec":{"schedulingPolicy":{"basic":{}}}})");
  group["metadata"]["name"] = name;
  EXPECT_EQ(outcome(world.create(groups(), "default", group)), "ok");
}

void make_member(World& world, const std::string& name, const std::string& group) {
  Json pod = testing::pod_object(name, "n");
  pod["spec"]["schedulingGroup"] = {{"podGroupName", group}};
  EXPECT_EQ(outcome(world.create(testing::pods(), "default", pod)), "ok");
}

class PodGroupProtectionTest : public ::testing::Test {
 protected:
  bool has(const std::string& name) { return world_.peek(groups(), "default", name) != nullptr; }
  void remove(const std::string& name) {
    EXPECT_EQ(outcome(world_.remove({&groups(), "default", name}, {})), "ok");
  }
  void set_phase(const std::string& pod, const char* phase) {
    EXPECT_EQ(outcome(world_.patch(testing::pod_target(pod, Subresource::Status), PatchType::Merge,
                                   {{"status", {{"phase", phase}}}})),
              "ok");
  }

  World world_{{}};
  PodGroupProtection protection_{world_};
};

TEST_F(PodGroupProtectionTest, AGroupWithoutMembersGoesAtOnce) {
  make_group(world_, "a");
  make_group(world_, "b");
  EXPECT_TRUE(protection_.is_due());
  EXPECT_FALSE(protection_.step());
  EXPECT_FALSE(protection_.is_due());
  remove("a");
  EXPECT_TRUE(has("a"));
  EXPECT_TRUE(protection_.step());
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b"));
  EXPECT_FALSE(protection_.step());
}

TEST_F(PodGroupProtectionTest, ItStaysUntilItsLastMemberFinishedOrIsGone) {
  make_group(world_, "a");
  make_member(world_, "one", "a");
  make_member(world_, "two", "a");
  make_member(world_, "stranger", "other");
  remove("a");
  EXPECT_FALSE(protection_.step());
  set_phase("one", "Succeeded");
  EXPECT_TRUE(protection_.is_due());
  EXPECT_FALSE(protection_.step());
  EXPECT_FALSE(protection_.is_due());
  ASSERT_TRUE(world_.remove(testing::pod_target("two"), {.grace_seconds = 0}));
  EXPECT_TRUE(protection_.step());
  EXPECT_FALSE(has("a"));
}

TEST_F(PodGroupProtectionTest, TheFinalizersOfOthersStay) {
  make_group(world_, "a");
  ASSERT_TRUE(world_.patch({&groups(), "default", "a"}, PatchType::Merge,
                           {{"metadata", {{"finalizers", {kPodGroupFinalizer, "x.io/y"}}}}}));
  remove("a");
  EXPECT_TRUE(protection_.step());
  ASSERT_TRUE(has("a"));
  EXPECT_EQ((*world_.peek(groups(), "default", "a"))["metadata"]["finalizers"],
            Json::array({"x.io/y"}));
  EXPECT_FALSE(protection_.step());
}

// What no server would have let in must not keep the group for ever.
TEST_F(PodGroupProtectionTest, AGroupFromAFileGoesWhateverItSays) {
  for (const char* spec : {R"({"schedulingConstraints":{"topology":[{"key":"rack"}]}})",
                           R"({"disruptionMode":{"odd":{}},"schedulingPolicy":5})", "{}"}) {
    ASSERT_TRUE(world_.load({{"apiVersion", "scheduling.k8s.io/v1beta1"},
                             {"kind", "PodGroup"},
                             {"metadata", {{"name", "a"}}},
                             {"spec", Json::parse(spec)}}));
    remove("a");
    EXPECT_TRUE(protection_.step()) << spec;
    EXPECT_FALSE(has("a")) << spec;
  }
}

TEST_F(PodGroupProtectionTest, AGroupThatIsLoadedWhileItLeavesGoesToo) {
  ASSERT_TRUE(
      world_.load({{"apiVersion", "scheduling.k8s.io/v1beta1"},
                   {"kind", "PodGroup"},
                   {"metadata", {{"name", "a"}, {"deletionTimestamp", "2026-01-01T00:00:00Z"}}}}));
  EXPECT_TRUE(protection_.step());
  EXPECT_FALSE(has("a"));
}

TEST_F(PodGroupProtectionTest, AGroupThatStaysIsNotTouched) {
  make_group(world_, "a");
  const std::uint64_t before = world_.version();
  EXPECT_FALSE(protection_.step());
  EXPECT_EQ(world_.version(), before);
}

TEST(SimulatedPodGroup, EndsWithItsLastMember) {
  for (const Latency latency : {Latency::Network, Latency::None}) {
    Simulation simulation({.latency = latency});
    ASSERT_TRUE(simulation.world().create(testing::nodes(), "", testing::node_object("n")));
    simulation.add_node("n");
    make_group(simulation.world(), "a");
    make_member(simulation.world(), "one", "a");
    simulation.at(std::chrono::seconds(10),
                  [&] { (void)simulation.world().remove({&groups(), "default", "a"}, {}); });
    simulation.at(std::chrono::seconds(20), [&] {
      EXPECT_NE(simulation.world().peek(groups(), "default", "a"), nullptr);
      (void)simulation.world().remove(testing::pod_target("one"), {.grace_seconds = 0});
    });
    simulation.run_until(std::chrono::seconds(30));
    EXPECT_EQ(simulation.world().peek(groups(), "default", "a"), nullptr);
    EXPECT_TRUE(simulation.is_quiescent());
  }
}

}  // namespace
}  // namespace elbowroom::lab
