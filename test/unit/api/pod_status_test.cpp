#include "api/write/pod_status.h"

#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

using policy::Resources;

const ObjectRef kWeb{"default", "web", "u-1"};

// A pod as a server spells it; `status` without its braces.
Value pod(const std::string& status) {
  return *parse_json(R"({"kind":"Pod","metadata":{"name":"web","namespace":"default","uid":"u-1",)"
                     R"("resourceVersion":"42"},"status":{)" +
                     status + "}}");
}

std::string patch(const PodStatusChange& change, const Value& of) {
  const auto body = status_patch(kWeb, change, of);
  if (!body) return "error: " + body.error().message;
  return *body ? **body : "nothing";
}

constexpr std::string_view kGuard = R"({"metadata":{"uid":"u-1","resourceVersion":"42"},"status":)";

TEST(PodStatus, ConditionsAloneAreGuardedByTheUid) {
  policy::Condition deferred{
      "PodResizePending", "True", "Deferred",
      "no \"room\"\n",    7,      policy::Time(std::chrono::seconds(1'785'000'000))};
  EXPECT_EQ(conditions_patch("u-1", {.set = {deferred}, .clear = {"PodResizeInProgress"}}),
            R"({"metadata":{"uid":"u-1"},"status":{"conditions":[)"
            R"({"type":"PodResizePending","status":"True","reason":"Deferred",)"
            R"("message":"no \"room\"\u000a","lastTransitionTime":"2026-07-25T17:20:00Z",)"
            R"("observedGeneration":7},{"$patch":"delete","type":"PodResizeInProgress"}]}})");
}

TEST(PodStatus, WhatWasDecidedByOneVersionIsWrittenToNoOther) {
  const PodStatusChange change{.clear = {"X"}, .read_at = "42"};
  EXPECT_EQ(conditions_patch("u-1", change),
            R"({"metadata":{"uid":"u-1","resourceVersion":"42"},"status":{"conditions":[)"
            R"({"$patch":"delete","type":"X"}]}})");
  EXPECT_EQ(patch(change, pod("")),
            std::string(kGuard) + R"({"conditions":[{"$patch":"delete","type":"X"}]}})");
  const auto late = status_patch(kWeb, {.clear = {"X"}, .read_at = "41"}, pod(""));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::Conflict);
}

TEST(PodStatus, ANominationIsSetAndTakenAway) {
  EXPECT_EQ(conditions_patch("u-1", {.nominated_node = "node-1"}),
            R"({"metadata":{"uid":"u-1"},"status":{"nominatedNodeName":"node-1"}})");
  policy::Condition unschedulable{.type = "PodScheduled",
                                  .status = "False",
                                  .reason = "Unschedulable",
                                  .message = "0/1 nodes are available: 1 Insufficient cpu."};
  EXPECT_EQ(conditions_patch("u-1", {.set = {unschedulable}, .nominated_node = ""}),
            R"({"metadata":{"uid":"u-1"},"status":{"conditions":[)"
            R"({"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
            R"("message":"0/1 nodes are available: 1 Insufficient cpu."}],)"
            R"("nominatedNodeName":null}})");
}

TEST(PodStatus, ListsAreWrittenBackWholeButForOurFields) {
  const Value read =
      pod(R"("containerStatuses":[{"name":"a","ready":true,"restartCount":18446744073709551616,)"
          R"("allocatedResources":{"cpu":"1"},"resources":{"claims":[{"name":"x"}],)"
          R"("limits":{"cpu":"2"},"requests":{"cpu":"1"}}},{"name":"b","x":null}])");
  const PodStatusChange change{.containers = {{"a", Resources{.cpu = {1500}, .memory = {1 << 30}},
                                               policy::Requirements{{.cpu = {1500}}, {}}}}};
  EXPECT_EQ(patch(change, read),
            std::string(kGuard) +
                R"({"containerStatuses":[{"name":"a","ready":true,)"
                R"("restartCount":18446744073709551616,"allocatedResources":{"cpu":"1500m",)"
                R"("memory":"1Gi"},"resources":{"claims":[{"name":"x"}],)"
                R"("requests":{"cpu":"1500m"}}},{"name":"b","x":null}]}})");
}

TEST(PodStatus, SidecarsStandInTheirOwnList) {
  const Value read =
      pod(R"("containerStatuses":[{"name":"a"}],"initContainerStatuses":[{"name":"s"}])");
  EXPECT_EQ(patch({.containers = {{"s", Resources{.cpu = {1000}}, std::nullopt}}}, read),
            std::string(kGuard) +
                R"({"initContainerStatuses":[{"name":"s","allocatedResources":{"cpu":"1"}}]}})");
}

TEST(PodStatus, PodLevelMapsAreMergedSoWhatGoesIsNulled) {
  const Value read = pod(R"("allocatedResources":{"cpu":"1","memory":"1Gi"},)"
                         R"("resources":{"limits":{"cpu":"4"},"requests":{"cpu":"1"}})");
  const PodStatusChange change{.pod_allocated = Resources{.cpu = {2000}},
                               .pod_actual = policy::Requirements{{.cpu = {2000}}, {}}};
  EXPECT_EQ(patch(change, read),
            std::string(kGuard) +
                R"({"allocatedResources":{"cpu":"2","memory":null},)"
                R"("resources":{"limits":{"cpu":null},"requests":{"cpu":"2"}}}})");
}

TEST(PodStatus, WhatIsSoAlreadyIsNotWritten) {
  const Value read =
      pod(R"("allocatedResources":{"cpu":"1","ephemeral-storage":"1Gi","memory":"1Gi"},)"
          R"("resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1"}},)"
          R"("containerStatuses":[{"name":"a","allocatedResources":{"cpu":"1","memory":"1Gi"},)"
          R"("resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}}])");
  const policy::Requirements one{{.cpu = {1000}}, {.cpu = {1000}}};
  const PodStatusChange change{
      .containers = {{"a", Resources{.cpu = {1000}, .memory = {1 << 30}}, one}},
      .pod_allocated =
          Resources{.cpu = {1000}, .memory = {1 << 30}, .ephemeral_storage = {1 << 30}},
      .pod_actual = one};
  EXPECT_EQ(patch(change, read), "nothing");
}

TEST(PodStatus, AnotherPodOrAContainerWithoutStatusIsAConflict) {
  const PodStatusChange change{.containers = {{"a", Resources{}, std::nullopt}}};
  EXPECT_EQ(patch(change, pod("")), "error: container a has no status yet");
  const auto other = status_patch({"default", "web", "u-2"}, change, pod(""));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::Conflict);
  EXPECT_FALSE(status_patch(kWeb, change, Value{}));
}

}  // namespace
}  // namespace elbowroom::api
