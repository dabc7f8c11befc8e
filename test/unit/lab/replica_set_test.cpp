#include "lab/controllers/replica_set.h"

#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ReplicaSetTest : public testing::ControllersTest {};

TEST_F(ReplicaSetTest, CreatesItsPodsAndCountsThem) {
  make("replicasets", "web", 3);
  rest();
  const auto names = active();
  ASSERT_THAT(names, SizeIs(3));
  EXPECT_THAT(names[0], StartsWith("web-"));
  const Json owner = *controller_of(pod(names[0]));
  EXPECT_EQ(owner["kind"], "ReplicaSet");
  EXPECT_EQ(owner["uid"], app("replicasets", "web")["metadata"]["uid"]);
  EXPECT_EQ(pod(names[0])["metadata"]["labels"]["app"], "web");
  EXPECT_EQ(status_of("replicasets", "web"), Json::parse(R"({"replicas":3,"observedGeneration":1,
      "fullyLabeledReplicas":3})"));
  set_ready(names[0], true);
  rest();
  EXPECT_EQ(status_of("replicasets", "web")["readyReplicas"], 1);
  EXPECT_EQ(status_of("replicasets", "web")["availableReplicas"], 1);
}

TEST_F(ReplicaSetTest, EqualWorldsGetEqualNames) {
  World other{{}};
  other.set_time(now_);
  ASSERT_TRUE(other.create(testing::app_kind("replicasets"), "default",
                           testing::app_object("replicasets", "web", 3)));
  make("replicasets", "web", 3);
  rest();
  EXPECT_TRUE(Controllers(other).step(now_));
  for (const std::string& name : active()) {
    EXPECT_NE(other.peek(testing::pods(), "default", name), nullptr) << name;
  }
  EXPECT_THAT(active(), SizeIs(3));
}

TEST_F(ReplicaSetTest, APodThatTerminatesIsReplacedAtOnce) {
  make("replicasets", "web", 2);
  settle();
  const std::string gone = active()[0];
  remove(gone);
  rest();
  EXPECT_THAT(active(), SizeIs(2));
  EXPECT_THAT(active(), Not(::testing::Contains(gone)));
  EXPECT_TRUE(is_leaving(pod(gone)));
  EXPECT_EQ(status_of("replicasets", "web")["replicas"], 2);
}

TEST_F(ReplicaSetTest, AFinishedPodDoesNotCount) {
  make("replicasets", "web", 1);
  settle();
  set_status(active()[0], {{"phase", "Failed"}});
  rest();
  EXPECT_THAT(active(), SizeIs(1));
  EXPECT_THAT(stored_objects(world_, testing::pods()), SizeIs(2));
}

TEST_F(ReplicaSetTest, TheLeastWantedGoFirst) {
  make("replicasets", "web", 1);
  settle();
  const std::string oldest = active()[0];
  const auto grow = [&](int replicas) {
    const auto before = active();
    wait(std::chrono::seconds(10));
    change("replicasets", "web", {{"spec", {{"replicas", replicas}}}});
    rest();
    for (const std::string& name : active()) {
      if (std::ranges::find(before, name) == before.end()) return name;
    }
    return std::string();
  };
  const std::string young = grow(2);
  set_ready(young, true);
  const std::string sick = grow(3);
  set_ready(sick, false);
  const std::string unassigned = grow(4);
  const auto shrink = [&](int replicas) {
    change("replicasets", "web", {{"spec", {{"replicas", replicas}}}});
    rest();
    return active();
  };
  EXPECT_THAT(shrink(3), Not(::testing::Contains(unassigned)));
  EXPECT_THAT(shrink(2), Not(::testing::Contains(sick)));
  EXPECT_THAT(shrink(1), ElementsAre(oldest));
}

TEST_F(ReplicaSetTest, StrangersWithItsLabelsAreNotAdopted) {
  Json stranger = testing::pod_object("stranger");
  stranger["metadata"]["labels"]["app"] = "web";
  ASSERT_TRUE(world_.create(testing::pods(), "default", stranger));
  make("replicasets", "web", 1);
  rest();
  EXPECT_THAT(active(), SizeIs(2));
  EXPECT_EQ(controller_of(pod("stranger")), nullptr);
}

TEST_F(ReplicaSetTest, APodIsAvailableAfterMinReadySeconds) {
  make("replicasets", "web", 1, {{"spec", {{"minReadySeconds", 30}}}});
  settle();
  EXPECT_EQ(status_of("replicasets", "web")["readyReplicas"], 1);
  EXPECT_FALSE(status_of("replicasets", "web").contains("availableReplicas"));
  EXPECT_EQ(controllers_.next_due(), now_ + std::chrono::seconds(30));
  wait(std::chrono::seconds(30));
  EXPECT_TRUE(controllers_.is_due(now_));
  rest();
  EXPECT_EQ(status_of("replicasets", "web")["availableReplicas"], 1);
}

TEST_F(ReplicaSetTest, PodsThatTheServerRefusesEndTheStep) {
  make("replicasets", "web", 2,
       Json::parse(R"({"spec":{"template":{"spec":{"priorityClassName":"none-such"}}}})"));
  rest();
  EXPECT_THAT(active(), SizeIs(0));
  EXPECT_EQ(status_of("replicasets", "web")["observedGeneration"], 1);
}

TEST_F(ReplicaSetTest, ALargeSetComesUp) {
  make("replicasets", "web", 1201);
  rest();
  EXPECT_THAT(active(), SizeIs(1201));
  EXPECT_EQ(status_of("replicasets", "web")["replicas"], 1201);
}

}  // namespace
}  // namespace elbowroom::lab
