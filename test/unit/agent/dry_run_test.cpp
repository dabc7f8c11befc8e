// What a dry run decides and reports, without any effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "agent/reactor.h"
#include "policy/model/capped_pod.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using test::node;
using test::resized;
using test::running_pod;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class DryRun : public ::testing::Test {
 protected:
  // The notes that follow; any other effect is a failure.
  std::vector<std::string> see(Reactor& reactor, auto what) {
    std::vector<std::string> notes;
    for (const Effect& effect : reactor.handle({{}, std::move(what)})) {
      const auto* event = std::get_if<EmitEvent>(&effect.what);
      EXPECT_NE(event, nullptr) << effect.what.index();
      if (event != nullptr) notes.push_back(event->note);
    }
    return notes;
  }
  Reactor authority_{{.node_name = "node-1", .authority = true, .dry_run = true}, {}, false};
  Reactor companion_{{.node_name = "node-1", .dry_run = true}, {}, false};
};

TEST_F(DryRun, JudgesPodsOfWhichNothingIsOnDisk) {
  see(authority_, NodeSeen{node(3000)});
  see(authority_, RuntimeSeen{});
  const policy::Pod deferred = resized(running_pod("web", 1000), 2500);
  const policy::Pod fits = resized(running_pod("db", 1000), 1500);
  EXPECT_THAT(see(authority_, PodsListed{.pods = {deferred, fits}}),
              ElementsAre(StartsWith("would allocate: {"), StartsWith("would defer: {")));
  Snapshot now = authority_.snapshot();
  EXPECT_GE(now.counts.judged, 2U);
  EXPECT_EQ(now.counts.pending["Deferred"], 1U);
  EXPECT_TRUE(authority_.durable().pods.empty());
  // Once for each decision.
  EXPECT_THAT(see(authority_, TimePassed{}), IsEmpty());
  EXPECT_THAT(see(authority_, PodSeen{resized(deferred, 9000)}),
              ElementsAre(StartsWith("would call infeasible: {")));
  EXPECT_THAT(see(authority_, NodeSeen{node(30000)}), ElementsAre(StartsWith("would allocate: {")));
  now = authority_.snapshot();
  EXPECT_EQ(now.counts.pending["Deferred"], 0U);
  EXPECT_EQ(now.counts.pending["Infeasible"], 0U);
}

// A pod with more containers than are kept one by one: it counts with what it holds, and its
// neighbours are judged beside it.
TEST_F(DryRun, OfAPodWithVeryManyContainersOnlyTheResizeOfItsOwnIsRefused) {
  see(authority_, NodeSeen{node(3000)});
  see(authority_, RuntimeSeen{});
  policy::Pod large = resized(running_pod("large", 1000), 1200);
  large.containers.push_back(running_pod("x", 500).containers[0]);
  policy::cap_containers(large);
  const policy::Pod fits = resized(running_pod("db", 1000), 1500);
  const policy::Pod waits = resized(running_pod("web", 0), 10);
  EXPECT_THAT(see(authority_, PodsListed{.pods = {large, fits, waits}}),
              UnorderedElementsAre(StartsWith("would allocate: {"), StartsWith("would defer: {"),
                                   AllOf(StartsWith("would call infeasible: {"),
                                         HasSubstr("of at most 100 containers"))));
}

TEST_F(DryRun, BesideAKubeletItSaysWhichConditionItWouldWrite) {
  policy::Node with_policy = node(4000);
  with_policy.resize_preemption_owners = {"a.dev/x"};
  policy::Pod waits = resized(running_pod("web", 1000), 4000);
  waits.conditions = {{.type = "PodResizePending",
                       .status = "True",
                       .reason = "Deferred",
                       .observed_generation = waits.generation}};
  see(companion_, NodeSeen{with_policy});
  EXPECT_THAT(see(companion_, PodSeen{waits}), IsEmpty()) << "not all pods are known";
  EXPECT_THAT(see(companion_, PodsListed{.pods = {waits}}),
              ElementsAre("would set PodResizePreemptionDisabled"));
  EXPECT_THAT(see(companion_, PodSeen{waits}), IsEmpty());
  EXPECT_THAT(see(companion_, NodeSeen{node(4000)}), IsEmpty());
  EXPECT_THAT(see(companion_, NodeSeen{with_policy}), ElementsAre(HasSubstr("would set ")));
}

}  // namespace
}  // namespace elbowroom::agent
