// The eviction subresource, compared with the measured answers of a real 1.37 cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/timestamp.h"
#include "lab/world/world.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::HasSubstr;
using testing::node_object;
using testing::nodes;
using testing::outcome;
using testing::pod_object;
using testing::pod_target;
using testing::pods;

const Kind& budgets() { return *find_kind("policy", "v1", "poddisruptionbudgets"); }

class EvictionTest : public ::testing::Test {
 protected:
  EvictionTest() {
    world_.set_time(*api::parse_timestamp("2026-01-01T00:00:00Z"));
    EXPECT_TRUE(world_.create(nodes(), "", node_object("n")));
    Json pod = pod_object("web", "n");
    pod["metadata"]["labels"] = {{"app", "web"}};
    pod["status"] = {{"phase", "Running"},
                     {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}};
    EXPECT_TRUE(world_.load(std::move(pod)));
  }

  void budget(const std::string& name, const char* status, const char* policy = "") {
    Json object = {{"apiVersion", "policy/v1"},
                   {"kind", "PodDisruptionBudget"},
                   {"metadata", {{"name", name}}},
                   {"spec", {{"selector", {{"matchLabels", {{"app", "web"}}}}}}},
                   {"status", Json::parse(status)}};
    if (*policy != '\0') object["spec"]["unhealthyPodEvictionPolicy"] = policy;
    EXPECT_EQ(outcome(world_.load(std::move(object))), "ok");
  }

  Json budget_status(const std::string& name) {
    return (*world_.get({.kind = &budgets(), .ns = "default", .name = name}))["status"];
  }

  Answer<Json> evict(const Json& options = Json::object(), const std::string& name = "web") {
    return world_.evict("default", name,
                        {{"metadata", {{"name", name}}}, {"deleteOptions", options}});
  }

  Json pod() { return *world_.get(pod_target("web")); }

  World world_{{}};
};

TEST_F(EvictionTest, AllowedChargesTheBudgetMarksThePodAndDeletesIt) {
  budget("pdb", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,
                    "desiredHealthy":1})");
  const auto evicted = evict();
  ASSERT_TRUE(evicted) << testing::message_of(evicted);
  EXPECT_EQ((*evicted)["status"], "Success");
  EXPECT_EQ((*evicted)["code"], 201);
  const Json status = budget_status("pdb");
  EXPECT_EQ(status["disruptionsAllowed"], 0);
  EXPECT_EQ(status["disruptedPods"]["web"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(status["conditions"][0]["reason"], "InsufficientPods");
  EXPECT_EQ(text_at(pod(), {"metadata", "deletionTimestamp"}), "2026-01-01T00:00:30Z");
  const Json condition = pod()["status"]["conditions"].back();
  EXPECT_EQ(condition["type"], "DisruptionTarget");
  EXPECT_EQ(condition["reason"], "EvictionByEvictionAPI");
  EXPECT_EQ(condition["message"], "Eviction API: evicting");
  // Again while it is terminating: the budget plays no part any more.
  EXPECT_EQ(outcome(evict()), "ok");
}

TEST_F(EvictionTest, RefusedRemovals) {
  struct Row {
    const char* what;
    const char* status;
    const char* outcome;
    int retry_after;
    const char* cause;
  };
  const Row rows[] = {
      {"never looked at", "{}", "429 TooManyRequests", 10,
       "The disruption budget pdb is still being processed by the server."},
      {"nothing left",
       R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":2})",
       "429 TooManyRequests", 0,
       "The disruption budget pdb needs 2 healthy pods and has 2 "
       "currently"},
      {"nothing left, enough healthy",
       R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":3,"desiredHealthy":2})",
       "429 TooManyRequests", 0,
       "The disruption budget pdb does not allow evicting pods currently"},
  };
  for (const Row& row : rows) {
    budget("pdb", row.status);
    const auto evicted = evict();
    EXPECT_EQ(outcome(evicted), row.outcome) << row.what;
    if (evicted) continue;
    EXPECT_EQ(evicted.error().message,
              "Cannot evict pod as it would violate the pod's disruption budget.");
    EXPECT_EQ(evicted.error().retry_after_seconds, row.retry_after) << row.what;
    EXPECT_EQ(evicted.error().details["causes"][0]["message"], row.cause) << row.what;
    EXPECT_EQ(evicted.error().details["causes"][0]["reason"], "DisruptionBudget");
  }
}

TEST_F(EvictionTest, ADryRunIsAProbe) {
  budget("pdb", R"({"observedGeneration":1,"disruptionsAllowed":1})");
  EXPECT_EQ(outcome(evict({{"dryRun", Json::array({"All"})}})), "ok");
  EXPECT_EQ(budget_status("pdb")["disruptionsAllowed"], 1);
  EXPECT_FALSE(present_at(pod(), {"metadata", "deletionTimestamp"}));
  budget("pdb", R"({"observedGeneration":1,"disruptionsAllowed":0})");
  EXPECT_EQ(outcome(evict({{"dryRun", Json::array({"All"})}})), "429 TooManyRequests");
}

TEST_F(EvictionTest, AWrongUidConsumesTheAllowanceAllTheSame) {
  budget("pdb", R"({"observedGeneration":1,"disruptionsAllowed":1})");
  const auto evicted = evict({{"preconditions", {{"uid", "other"}}}});
  EXPECT_EQ(outcome(evicted), "409 Conflict");
  EXPECT_THAT(testing::message_of(evicted),
              HasSubstr("the UID in the precondition (other) does not match the UID in record ("));
  EXPECT_EQ(budget_status("pdb")["disruptionsAllowed"], 0);
  EXPECT_TRUE(budget_status("pdb")["disruptedPods"].contains("web"));
  EXPECT_FALSE(present_at(pod(), {"metadata", "deletionTimestamp"}));
}

TEST_F(EvictionTest, TwoBudgetsAreOneTooMany) {
  budget("one", R"({"observedGeneration":1,"disruptionsAllowed":1})");
  budget("two", R"({"observedGeneration":1,"disruptionsAllowed":1})");
  const auto evicted = evict();
  EXPECT_EQ(outcome(evicted), "500 ");
  EXPECT_EQ(testing::message_of(evicted),
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does "
            "not support.");
}

TEST_F(EvictionTest, AnUnhealthyPodGoesUncountedWhereTheBudgetSaysSo) {
  Json sick = pod_object("sick", "n");
  sick["metadata"]["labels"] = {{"app", "web"}};
  sick["status"] = {{"phase", "Running"}};
  ASSERT_TRUE(world_.load(sick));
  budget("pdb", R"({"observedGeneration":1,"disruptionsAllowed":0})");
  EXPECT_EQ(outcome(evict(Json::object(), "sick")), "429 TooManyRequests");
  budget("pdb", R"({"observedGeneration":1,"disruptionsAllowed":0})", "AlwaysAllow");
  EXPECT_EQ(outcome(evict(Json::object(), "sick")), "ok");
}

TEST_F(EvictionTest, MissingPodsAndOtherNames) {
  EXPECT_EQ(outcome(evict(Json::object(), "none")), "404 NotFound");
  EXPECT_EQ(outcome(world_.evict("default", "web", {{"metadata", {{"name", "db"}}}})),
            "400 BadRequest");
  EXPECT_EQ(outcome(evict()), "ok");  // nothing covers it
}

}  // namespace
}  // namespace elbowroom::lab
