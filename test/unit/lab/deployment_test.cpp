#include "lab/controllers/deployment.h"

#include <algorithm>

#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::SizeIs;

class DeploymentTest : public testing::ControllersTest {
 protected:
  [[nodiscard]] std::vector<Object> sets() const {
    return stored_objects(world_, testing::app_kind("replicasets"));
  }
  void new_image(const std::string& image) {
    Json container = testing::container("app", "100m", "64Mi");
    container["image"] = image;
    change("deployments", "web",
           {{"spec", {{"template", {{"spec", {{"containers", Json::array({container})}}}}}}}});
  }
  [[nodiscard]] std::int64_t ready() const {
    return std::ranges::count_if(stored_objects(world_, testing::pods()), [](const Object& pod) {
      return is_active_pod(pod) && is_ready_pod(pod);
    });
  }
  [[nodiscard]] std::string reason_of(const char* type) const {
    const Json conditions = list_at(app("deployments", "web"), {"status", "conditions"});
    for (const Json& each : conditions) {
      if (each["type"] == type) return text_at(each, {"status"}) + " " + text_at(each, {"reason"});
    }
    return "";
  }
};

TEST_F(DeploymentTest, MakesOneReplicaSetForItsTemplate) {
  make("deployments", "web", 3);
  rest();
  ASSERT_THAT(sets(), SizeIs(1));
  const Json set = sets()[0];
  const std::string hash = text_at(set, {"metadata", "labels", "pod-template-hash"});
  EXPECT_EQ(set["metadata"]["name"], "web-" + hash);
  EXPECT_EQ(set["spec"]["selector"]["matchLabels"]["pod-template-hash"], hash);
  EXPECT_EQ(set["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");
  EXPECT_THAT(active(), SizeIs(3));
  EXPECT_EQ(reason_of("Available"), "False MinimumReplicasUnavailable");
  EXPECT_EQ(reason_of("Progressing"), "True ReplicaSetUpdated");
  settle();
  const Json status = status_of("deployments", "web");
  for (const char* count : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
    EXPECT_EQ(status[count], 3) << count;
  }
  EXPECT_FALSE(status.contains("unavailableReplicas"));
  EXPECT_EQ(reason_of("Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(reason_of("Progressing"), "True NewReplicaSetAvailable");
}

TEST_F(DeploymentTest, APodThatIsDeletedComesBack) {
  make("deployments", "web", 2);
  settle();
  remove(active()[0]);
  settle();
  EXPECT_EQ(ready(), 2);
  EXPECT_THAT(sets(), SizeIs(1));
}

TEST_F(DeploymentTest, IsScaled) {
  make("deployments", "web", 2);
  settle();
  change("deployments", "web", {{"spec", {{"replicas", 5}}}});
  settle();
  EXPECT_EQ(ready(), 5);
  change("deployments", "web", {{"spec", {{"replicas", 0}}}});
  settle();
  EXPECT_THAT(active(), SizeIs(0));
  EXPECT_EQ(status_of("deployments", "web")["observedGeneration"], 3);
}

struct Bounds {
  Json surge;
  Json unavailable;
  int most = 0;
  int least = 0;
};

class RollingUpdateTest : public DeploymentTest, public ::testing::WithParamInterface<Bounds> {};

// At no moment are there more pods than maxSurge allows, or fewer than maxUnavailable.
TEST_P(RollingUpdateTest, KeepsItsBounds) {
  const Bounds& bounds = GetParam();
  make("deployments", "web", 8,
       {{"spec",
         {{"strategy",
           {{"rollingUpdate",
             {{"maxSurge", bounds.surge}, {"maxUnavailable", bounds.unavailable}}}}}}}});
  settle();
  new_image("second");
  for (int i = 0; i < 100; ++i) {
    rest();
    EXPECT_LE(std::ssize(active()), bounds.most);
    EXPECT_GE(ready(), bounds.least);
    // The nodes are slow: one pod after the other becomes ready.
    const auto names = active();
    const auto waits = std::ranges::find_if(
        names, [&](const std::string& name) { return !is_ready_pod(pod(name)); });
    if (waits == names.end()) break;
    set_ready(*waits, true);
  }
  EXPECT_EQ(status_of("deployments", "web")["updatedReplicas"], 8);
  EXPECT_EQ(status_of("deployments", "web")["availableReplicas"], 8);
  EXPECT_EQ(status_of("deployments", "web")["replicas"], 8);
}

INSTANTIATE_TEST_SUITE_P(Bounds, RollingUpdateTest,
                         ::testing::Values(Bounds{"25%", "25%", 10, 6}, Bounds{1, 0, 9, 8},
                                           Bounds{0, 1, 8, 7}, Bounds{"0%", "5%", 8, 7},
                                           Bounds{3, 8, 11, 0}));

TEST_F(DeploymentTest, RecreateWaitsUntilTheOldPodsAreGone) {
  make("deployments", "web", 3, Json::parse(R"({"spec":{"strategy":{"type":"Recreate"}}})"));
  settle();
  const auto old = active();
  new_image("second");
  rest();
  EXPECT_THAT(active(), SizeIs(0));
  EXPECT_THAT(sets(), SizeIs(1));
  for (const std::string& name : old) {
    ASSERT_TRUE(world_.remove(testing::pod_target(name), {.grace_seconds = 0}));
  }
  rest();
  EXPECT_THAT(active(), SizeIs(3));
}

TEST_F(DeploymentTest, ARollbackUsesTheOldSetAgain) {
  make("deployments", "web", 1);
  settle();
  const std::string first = text_at(sets()[0], {"metadata", "name"});
  new_image("second");
  settle();
  new_image("pause");
  settle();
  ASSERT_THAT(sets(), SizeIs(2));
  EXPECT_EQ(app("replicasets", first)["spec"]["replicas"], 1);
  EXPECT_EQ(
      app("deployments", "web")["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
      "3");
}

TEST_F(DeploymentTest, KeepsAsManyOldSetsAsItsLimitSays) {
  make("deployments", "web", 1, {{"spec", {{"revisionHistoryLimit", 1}}}});
  settle();
  for (const char* image : {"b", "c", "d"}) {
    wait(std::chrono::seconds(1));
    new_image(image);
    settle();
  }
  EXPECT_THAT(sets(), SizeIs(2));
}

TEST_F(DeploymentTest, APausedOneRollsNothingOutButScales) {
  make("deployments", "web", 2);
  settle();
  change("deployments", "web", {{"spec", {{"paused", true}, {"replicas", 3}}}});
  new_image("second");
  settle();
  EXPECT_THAT(sets(), SizeIs(1));
  EXPECT_EQ(ready(), 3);
}

TEST_F(DeploymentTest, WhatItOwnsGoesWithIt) {
  make("deployments", "web", 2);
  settle();
  ASSERT_THAT(sets(), SizeIs(1));
  ASSERT_TRUE(world_.remove({&testing::app_kind("deployments"), "default", "web"}, {}));
  settle();
  EXPECT_THAT(sets(), SizeIs(0));
  EXPECT_THAT(active(), SizeIs(0));
}

}  // namespace
}  // namespace elbowroom::lab
