// The document of an overview, as `status -o json` and /overview print it.
#include "api/codec/encode_overview.h"

#include <gtest/gtest.h>

#include "base/document_text.h"
#include "test/node_world.h"

namespace elbowroom::api {
namespace {

using policy::Overview;
using test::figures;
using test::kNoon;

TEST(EncodeOverview, EveryKeyIsPresent) {
  Overview all{.now = kNoon};
  all.nodes = {{.node = "node1",
                .ready = policy::NodeReady::True,
                .policy_owners = {"a/b"},
                .pods = 2,
                .allocatable = figures(4000),
                .held = figures(2500),
                .promised = figures(500),
                .free = figures(1500)}};
  all.waiting = {{.pod = "default/web",
                  .uid = "u",
                  .node = "node1",
                  .wait = policy::ResizeWait::Deferred,
                  .since = kNoon,
                  .lacking = figures(500),
                  .by = policy::RoomMaker::Scheduler,
                  .outcome = "Preempt",
                  .victims = {"default/low"},
                  .why = "w",
                  .next = "n"}};
  all.leaving = {{.pod = "default/low",
                  .uid = "l",
                  .node = "node1",
                  .deadline = kNoon,
                  .for_pod = "default/web",
                  .frees = figures(1000)}};
  all.budgets = {{.budget = "DisruptionBudget default/x",
                  .hard = true,
                  .pods = 3,
                  .allowed = 0,
                  .next = kNoon}};
  all.removals = {{.pod = "default/old", .uid = "o", .time = kNoon, .by = "b", .budget = "x"}};
  EXPECT_EQ(
      to_json_line(encode_overview(all)),
      R"({"apiVersion":"elbowroom.dev/v1alpha1","kind":"Overview","now":"2025-11-24T16:00:00Z",)"
      R"("nodes":[{"node":"node1","ready":"True","unschedulable":false,"policyOwners":["a/b"],)"
      R"("pods":2,"allocatable":{"cpu":"4"},"held":{"cpu":"2500m"},"promised":{"cpu":"500m"},)"
      R"("free":{"cpu":"1500m"}}],"waiting":[{"pod":"default/web","uid":"u","node":"node1",)"
      R"("wait":"Deferred","since":"2025-11-24T16:00:00Z","lacking":{"cpu":"500m"},)"
      R"("by":"scheduler","outcome":"Preempt","victims":["default/low"],"why":"w","next":"n",)"
      R"("expected":null}],"leaving":[{"pod":"default/low","uid":"l","node":"node1",)"
      R"("deadline":"2025-11-24T16:00:00Z","overdue":false,"for":"default/web",)"
      R"("frees":{"cpu":"1"}}],"budgets":[{"budget":"DisruptionBudget default/x","hard":true,)"
      R"("pods":3,"allowed":0,"next":"2025-11-24T16:00:00Z"}],"removals":[{"pod":"default/old",)"
      R"("uid":"o","time":"2025-11-24T16:00:00Z","by":"b","budget":"x"}]})");
}

TEST(EncodeOverview, AnEmptyOneHasEmptyLists) {
  EXPECT_EQ(to_json_line(encode_overview({.now = kNoon})),
            R"({"apiVersion":"elbowroom.dev/v1alpha1","kind":"Overview",)"
            R"("now":"2025-11-24T16:00:00Z","nodes":[],"waiting":[],"leaving":[],"budgets":[],)"
            R"("removals":[]})");
}

}  // namespace
}  // namespace elbowroom::api
