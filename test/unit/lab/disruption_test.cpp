#include "lab/controllers/disruption.h"

#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

const Kind& budgets() { return *find_kind("policy", "v1", "poddisruptionbudgets"); }

class DisruptionTest : public testing::ControllersTest {
 protected:
  void make_budget(const Json& spec, const std::string& name = "pdb") {
    Json budget = {{"metadata", {{"name", name}}}, {"spec", spec}};
    budget["spec"]["selector"]["matchLabels"]["app"] = "web";
    ASSERT_EQ(testing::outcome(world_.create(budgets(), "default", budget)), "ok");
  }
  [[nodiscard]] Json status() const {
    return map_at(*world_.peek(budgets(), "default", "pdb"), {"status"});
  }
  // Healthy, desired, expected, allowed.
  [[nodiscard]] std::string counts() const {
    std::string all;
    for (const char* name :
         {"currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed"}) {
      all += (all.empty() ? "" : " ") + std::to_string(integer_at(status(), {name}).value_or(-1));
    }
    return all;
  }
  [[nodiscard]] std::string condition() const {
    const Json all = list_at(status(), {"conditions"});
    return all.empty() ? "" : text_at(all[0], {"status"}) + " " + text_at(all[0], {"reason"});
  }
  Answer<Object> evict(const std::string& name) {
    return world_.evict("default", name, {{"metadata", {{"name", name}}}});
  }
};

TEST_F(DisruptionTest, CountsFromTheScaleOfTheDeployment) {
  make("deployments", "web", 4);
  make_budget({{"maxUnavailable", 1}});
  rest();
  EXPECT_EQ(counts(), "0 3 4 0");
  EXPECT_EQ(condition(), "False InsufficientPods");
  settle();
  EXPECT_EQ(counts(), "4 3 4 1");
  EXPECT_EQ(condition(), "True SufficientPods");
  EXPECT_EQ(status()["observedGeneration"], 1);
}

TEST_F(DisruptionTest, PercentagesAreRoundedUp) {
  struct Case {
    Json spec;
    const char* counts;
  };
  for (const Case& each :
       {Case{{{"maxUnavailable", "30%"}}, "5 3 5 2"}, Case{{{"minAvailable", "50%"}}, "5 3 5 2"},
        Case{{{"minAvailable", 4}}, "5 4 5 1"}, Case{{{"minAvailable", 9}}, "5 9 5 0"},
        Case{{{"maxUnavailable", "100%"}}, "5 0 5 5"}}) {
    make("deployments", "web", 5);
    make_budget(each.spec);
    settle();
    EXPECT_EQ(counts(), each.counts) << each.spec;
    ASSERT_TRUE(world_.remove({&budgets(), "default", "pdb"}, {}));
    ASSERT_TRUE(world_.remove({&testing::app_kind("deployments"), "default", "web"}, {}));
    settle();
  }
}

TEST_F(DisruptionTest, AnEvictionCountsUntilItsPodTerminatesAndTheNextIsReady) {
  make("deployments", "web", 3);
  make_budget({{"maxUnavailable", 1}});
  settle();
  const auto names = active();
  ASSERT_EQ(testing::outcome(evict(names[0])), "ok");
  EXPECT_TRUE(status()["disruptedPods"].contains(names[0]));
  rest();
  EXPECT_FALSE(status().contains("disruptedPods"));
  EXPECT_EQ(counts(), "2 2 3 0");
  EXPECT_EQ(testing::outcome(evict(names[1])), "429 TooManyRequests");
  settle();
  EXPECT_EQ(counts(), "3 2 3 1");
  EXPECT_EQ(testing::outcome(evict(names[1])), "ok");
}

TEST_F(DisruptionTest, AnEvictionThatDoesNotComeIsForgottenAfterTwoMinutes) {
  make("deployments", "web", 2);
  make_budget({{"maxUnavailable", 1}});
  settle();
  const std::string name = active()[0];
  // A wrong uid uses the allowance up and removes nothing.
  EXPECT_FALSE(world_.evict("default", name,
                            {{"metadata", {{"name", name}}},
                             {"deleteOptions", {{"preconditions", {{"uid", "other"}}}}}}));
  rest();
  EXPECT_TRUE(status()["disruptedPods"].contains(name));
  EXPECT_EQ(counts(), "1 1 2 0");
  EXPECT_EQ(controllers_.next_due(), now_ + std::chrono::minutes(2));
  wait(std::chrono::seconds(119));
  rest();
  EXPECT_EQ(counts(), "1 1 2 0");
  wait(std::chrono::seconds(1));
  rest();
  EXPECT_EQ(counts(), "2 1 2 1");
  EXPECT_FALSE(status().contains("disruptedPods"));
}

TEST_F(DisruptionTest, WhatHasNoScaleAllowsNothing) {
  Json pod = testing::pod_object("of-job");
  pod["metadata"]["labels"]["app"] = "web";
  pod["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "batch/v1"},
                                                     {"kind", "Job"},
                                                     {"name", "job"},
                                                     {"uid", "u"},
                                                     {"controller", true}}});
  ASSERT_TRUE(world_.create(testing::pods(), "default", pod));
  make_budget({{"maxUnavailable", 1}});
  settle();
  EXPECT_EQ(status()["disruptionsAllowed"], 0);
  EXPECT_EQ(condition(), "False SyncFailed");
  EXPECT_FALSE(status().contains("observedGeneration"));
}

TEST_F(DisruptionTest, PodsWithoutAControllerCountOnlyForANumber) {
  Json pod = testing::pod_object("alone");
  pod["metadata"]["labels"]["app"] = "web";
  ASSERT_TRUE(world_.create(testing::pods(), "default", pod));
  make_budget({{"minAvailable", 1}});
  settle();
  EXPECT_EQ(counts(), "1 1 1 0");
  ASSERT_TRUE(world_.remove({&budgets(), "default", "pdb"}, {}));
  make_budget({{"maxUnavailable", 1}});
  settle();
  EXPECT_EQ(counts(), "1 0 0 0");
}

}  // namespace
}  // namespace elbowroom::lab
