// Which changes follow from two states of a pod or of a node.
#include "cluster/change.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "test/node_world.h"
#include "test/pods.h"

namespace elbowroom::cluster {
namespace {

using policy::Node;
using policy::Pod;

// A pod with a resize that its node has judged.
Pod web() {
  Pod pod =
      test::deferred_to(test::pod_of_size("web", 10, test::figures(1000)), test::figures(2000));
  pod.labels["app"] = "web";
  return pod;
}

TEST(ChangesOfAPod, AreNoneWhereNothingChanges) {
  const Pod pod = web();
  EXPECT_TRUE(changes_of(&pod, &pod).empty());
  EXPECT_TRUE(changes_of(nullptr, static_cast<const Pod*>(nullptr)).empty());
}

TEST(ChangesOfAPod, ItArrivesAndLeaves) {
  const Pod pod = web();
  Pod over = pod;
  over.phase = policy::Phase::Succeeded;
  EXPECT_EQ(changes_of(nullptr, &pod), Change::PodArrived);
  EXPECT_EQ(changes_of(&pod, nullptr), Change::PodLeft);
  EXPECT_EQ(changes_of(&pod, &over), Change::PodLeft);
  EXPECT_EQ(changes_of(&over, &pod), Change::PodArrived);
  EXPECT_TRUE(changes_of(&over, nullptr).empty());
}

TEST(ChangesOfAPod, EachFieldIsAChangeOfItsOwn) {
  struct Row {
    const char* name;
    std::function<void(Pod&)> change;
    Changes expected;
  };
  const auto size = [](Pod& pod) -> policy::Container& { return pod.containers[0]; };
  const Row rows[] = {
      {"desired more", [&](Pod& pod) { size(pod).desired.requests.cpu.value += 1; },
       Change::PodGrew},
      {"desired less", [&](Pod& pod) { size(pod).desired.requests.cpu.value -= 1; },
       Change::PodShrank},
      {"allocated more", [&](Pod& pod) { size(pod).allocated_requests->cpu.value += 1; },
       Change::PodGrew},
      {"actual less", [&](Pod& pod) { size(pod).actual_requests->cpu.value -= 1; },
       Change::PodShrank},
      {"leaves", [](Pod& pod) { pod.deletion = test::kNoon; }, Change::PodLeaving},
      {"priority", [](Pod& pod) { pod.priority = 11; }, Change::PodChanged},
      {"label", [](Pod& pod) { pod.labels["app"] = "db"; }, Change::PodChanged},
      {"start", [](Pod& pod) { pod.started = test::kNoon; }, Change::PodChanged},
      {"class", [](Pod& pod) { pod.qos_in_status = policy::Qos::Guaranteed; }, Change::PodChanged},
      {"group", [](Pod& pod) { pod.scheduling_group = "g"; }, Change::PodChanged},
      {"generation", [](Pod& pod) { ++pod.generation; }, Change::PodChanged},
      {"condition's words", [](Pod& pod) { pod.conditions[0].message = "x"; }, Change::PodChanged},
      {"forbidden",
       [](Pod& pod) {
         pod.conditions.push_back(test::condition(policy::kPodResizePreemptionDisabled, "x"));
       },
       Change::PodChanged},
      {"another condition",
       [](Pod& pod) { pod.conditions.push_back(test::condition("Ready", "x")); }, Changes()},
  };
  for (const Row& row : rows) {
    const Pod before = web();
    Pod after = before;
    row.change(after);
    EXPECT_EQ(changes_of(&before, &after), row.expected) << row.name;
  }
}

TEST(ChangesOfAPod, ADeferredOneThatBecomesInfeasibleIsChargedLess) {
  const Pod before = web();
  Pod after = before;
  after.conditions[0].reason = policy::kReasonInfeasible;
  EXPECT_EQ(changes_of(&before, &after), Change::PodShrank | Change::PodChanged);
}

TEST(ChangesOfANode, EachFieldIsAChangeOfItsOwn) {
  struct Row {
    const char* name;
    std::function<void(Node&)> change;
    Changes expected;
  };
  const Row rows[] = {
      {"nothing", [](Node&) {}, Changes()},
      {"allocatable", [](Node& node) { ++node.allocatable.cpu.value; }, Change::Allocatable},
      {"pods", [](Node& node) { ++node.allowed_pods; }, Change::Allocatable},
      {"ready", [](Node& node) { node.ready = policy::NodeReady::Unknown; }, Change::Ready},
      {"owners", [](Node& node) { node.resize_preemption_owners = {"x"}; }, Change::NodePolicy},
      {"critical", [](Node& node) { node.critical_preemption_by_node = true; }, Change::CriticalBy},
      {"label", [](Node& node) { node.labels["zone"] = "b"; }, Change::Placing},
      {"cordon", [](Node& node) { node.unschedulable = true; }, Change::Placing},
      {"taint", [](Node& node) { node.taints.emplace_back(); }, Change::Placing},
  };
  for (const Row& row : rows) {
    const Node before = test::node(4000);
    Node after = before;
    row.change(after);
    EXPECT_EQ(changes_of(&before, &after), row.expected) << row.name;
  }
  const Node node = test::node(4000);
  const Changes whole =
      Change::Allocatable | Change::Ready | Change::NodePolicy | Change::CriticalBy;
  EXPECT_EQ(changes_of(nullptr, &node), whole);
  EXPECT_EQ(changes_of(&node, nullptr), whole);
}

}  // namespace
}  // namespace elbowroom::cluster
