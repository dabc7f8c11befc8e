// The published cases about pending pods that take time (scheduler_cases.json: failure.bound and
// it.126700), on the reactor with both rule sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "test/checkout.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using Json = nlohmann::json;
using policy::Pod;
using policy::RuleSet;
using test::kGi;
using test::SchedulerWorld;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Json case_of(const std::string& id) {
  std::ifstream in(std::string(test::kData) + "/tables/scheduler_cases.json");
  const Json file = Json::parse(in);
  for (const Json& row : file.at("cases")) {
    if (row.at("id") == id) return row;
  }
  return {};
}

ReactorOptions options(RuleSet rules) {
  ReactorOptions options = SchedulerWorld::usual();
  options.rules = rules;
  options.places_for = {"elbowroom"};
  return options;
}

Pod pending(const std::string& name, std::int64_t memory, std::int32_t priority) {
  Pod pod = test::running_pod(name, 10, memory, priority);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.scheduler_name = "elbowroom";
  for (policy::Container& each : pod.containers) {
    each.allocated_requests.reset();
    each.actual_requests.reset();
    each.actual_limits.reset();
    each.state = policy::RunState::None;
  }
  return pod;
}

class PendingCases : public ::testing::TestWithParam<RuleSet> {};

// Another scheduler binds the pod while the deletes of its victims are sent and fail.
TEST_P(PendingCases, APodThatIsBoundDuringItsTurnIsDropped) {
  const Json row = case_of("failure.bound");
  ASSERT_EQ(row.at("expect").at("result"), "dropped");
  SchedulerWorld world(options(GetParam()));
  world.put(test::node(4000, 32 * kGi));
  world.put(test::node(4000, 32 * kGi, "node-2"));
  world.put(test::running_pod("low", 10, 20 * kGi));
  Pod high = test::running_pod("high", 10, 20 * kGi, 5000);
  high.node = "node-2";
  world.put(high);
  world.put(pending("p", 25 * kGi, 1000));
  world.holds_back = true;
  world.start();
  Pod bound = world.pod("default/p");
  bound.node = "node-2";
  world.put(bound);
  world.refuse = [](const std::string&) { return Error{Code::Unavailable, "the server is away"}; };
  world.answer();
  EXPECT_FALSE(world.reactor().waiting().contains("default/p"));
  EXPECT_EQ(world.reactor().queue().where("default/p"), std::nullopt);
  world.refuse = nullptr;
  world.holds_back = false;
  world.pass(std::chrono::minutes(2));
  EXPECT_THAT(world.done(), Not(Contains(StartsWith("delete "))));
}

// kubernetes#126700, on one node of 32Gi.
TEST_P(PendingCases, AStaleNominationStopsNobody) {
  const Json row = case_of("it.126700");
  ASSERT_EQ(row.at("sequence").size(), 4U);
  SchedulerWorld world(options(GetParam()));
  world.put(test::node(4000, 32 * kGi));
  world.put(test::running_pod("p1", 10, 10 * kGi, 0));
  world.start();
  world.put(pending("p2", 25 * kGi, 10));
  EXPECT_THAT(world.done(), Contains("delete default/p1"));
  EXPECT_EQ(world.pod("default/p2").nominated_node, "node-1");
  world.put(pending("p3", 20 * kGi, 100));
  world.pass(std::chrono::seconds(1));
  world.remove("default/p1");
  world.pass(std::chrono::seconds(1));
  EXPECT_EQ(world.pod("default/p3").node, "node-1");
  world.put(pending("p1", 10 * kGi, 0));
  world.pass(std::chrono::seconds(12));
  EXPECT_EQ(world.pod("default/p1").node, "node-1");
  EXPECT_THAT(world.pod("default/p2").nominated_node, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Rules, PendingCases,
                         ::testing::Values(RuleSet::Elbowroom, RuleSet::Upstream),
                         [](const auto& each) {
                           return each.param == RuleSet::Elbowroom ? "elbowroom" : "upstream";
                         });

}  // namespace
}  // namespace elbowroom::scheduler
