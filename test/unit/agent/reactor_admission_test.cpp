// Pods that are bound to the node and have not begun: which of them the agent acknowledges, makes
// room for, or rejects, and which it leaves to the pod runner.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using namespace std::chrono_literals;
using test::running_pod;

constexpr std::int32_t kCritical = 2'000'000'000;

policy::Pod bound(const std::string& name, std::int64_t cpu_m, std::int32_t priority = 0) {
  policy::Pod pod = running_pod(name, cpu_m, 0, priority);
  pod.phase = policy::Phase::Pending;
  pod.resource_version = "7";
  policy::Container& app = pod.containers[0];
  app.allocated_requests.reset();
  app.actual_requests.reset();
  app.actual_limits.reset();
  app.state = policy::RunState::None;
  return pod;
}

class Admission : public testing::Test {
 protected:
  void start(std::optional<bool> critical_preemption = std::nullopt) {
    reactor_.emplace(ReactorOptions{.node_name = "node-1",
                                    .authority = true,
                                    .critical_preemption = critical_preemption,
                                    .manage_pod_cgroups = false},
                     Checkpoint{}, false);
    const policy::Pod large = running_pod("large", 3000);
    RuntimeSeen runtime;
    runtime.pods[large.uid].containers["app"] = {
        .id = "c",
        .state = policy::RunState::Running,
        .size = cri::resources_for({.requests = test::amounts(3000)})};
    see(NodeSeen{test::node(4000)});
    see(PodsListed{.pods = {large}});
    see(std::move(runtime));
  }
  void see(decltype(Observation::what) what) {
    now_ += 1ms;
    for (const Effect& effect : reactor_->handle({{now_, {}}, std::move(what)})) {
      if (const auto* write = std::get_if<WriteStatus>(&effect.what)) writes_.push_back(*write);
      if (const auto* event = std::get_if<EmitEvent>(&effect.what)) events_ += event->reason + " ";
      if (std::holds_alternative<SaveCheckpoint>(effect.what)) see(Done{.effect = effect.id});
      if (std::holds_alternative<ReadBudgets>(effect.what)) see(BudgetsRead{.effect = effect.id});
    }
  }
  [[nodiscard]] bool has_promised(const policy::Pod& pod) const {
    return reactor_->durable().pods.contains(pod.uid);
  }

  std::optional<Reactor> reactor_{};
  std::chrono::milliseconds now_{0};
  std::vector<WriteStatus> writes_{};
  std::string events_{};
};

TEST_F(Admission, WhatFitsBesideAllRequestsIsLeftToThePodRunner) {
  start();
  see(PodSeen{bound("new", 1000)});
  EXPECT_TRUE(writes_.empty());
  EXPECT_EQ(events_, "");
}

TEST_F(Admission, WhatDoesNotFitIsRejectedInTheVersionThatWasSeen) {
  start();
  see(PodSeen{bound("new", 1001)});
  ASSERT_EQ(writes_.size(), 1U);
  ASSERT_TRUE(writes_[0].rejected);
  EXPECT_EQ(writes_[0].rejected->reason, "OutOfcpu");
  EXPECT_EQ(writes_[0].rejected->message,
            "Node didn't have enough resource: cpu, requested: 1001, used: 3000, capacity: 4000");
  EXPECT_EQ(writes_[0].read_at, "7");
  EXPECT_EQ(events_, "PodRejected ");
  see(TimePassed{});
  EXPECT_EQ(writes_.size(), 1U);
}

TEST_F(Admission, WhatFitsBesideWhatOthersHoldIsAcknowledgedOnceItsAllocationIsDurable) {
  start();
  see(PodSeen{test::resized(running_pod("large", 3000), 5000)});  // it cannot get that
  writes_.clear();
  events_.clear();
  const policy::Pod fits = bound("new", 1000);
  see(PodSeen{fits});
  ASSERT_EQ(writes_.size(), 1U);
  EXPECT_TRUE(writes_[0].started && !writes_[0].rejected);
  EXPECT_TRUE(has_promised(fits));
  EXPECT_EQ(events_, "") << "it is no resize";
}

TEST_F(Admission, OfTwoTheOlderComesFirst) {
  start();
  policy::Pod older = bound("older", 1000);
  policy::Pod newer = bound("newer", 1000);
  older.created = policy::Time{1s};
  newer.created = policy::Time{2s};
  see(PodsListed{.pods = {running_pod("large", 3000), newer, older}});
  ASSERT_EQ(writes_.size(), 1U);
  EXPECT_EQ(writes_[0].name, "newer");
  EXPECT_TRUE(writes_[0].rejected);
}

TEST_F(Admission, ACriticalPodGetsRoomAndIsNotRejectedMeanwhile) {
  start();
  const policy::Pod dns = bound("dns", 2000, kCritical);
  see(PodSeen{dns});
  EXPECT_TRUE(reactor_->state().removal.busy());
  EXPECT_TRUE(writes_.empty());
  see(PodGone{"uid-large"});
  ASSERT_EQ(writes_.size(), 0U) << "it fits beside all requests now, and the runner starts it";
}

TEST_F(Admission, ACriticalPodThatNoRemovalHelpsIsRejected) {
  start();
  see(PodsListed{.pods = {running_pod("large", 3000, 0, kCritical + 1000)}});
  see(PodSeen{bound("dns", 2000, kCritical)});
  ASSERT_EQ(writes_.size(), 1U);
  EXPECT_TRUE(writes_[0].rejected);
}

TEST_F(Admission, WithoutCriticalPreemptionACriticalPodIsRejected) {
  start(false);
  see(PodSeen{bound("dns", 2000, kCritical)});
  ASSERT_EQ(writes_.size(), 1U);
  EXPECT_TRUE(writes_[0].rejected);
}

TEST_F(Admission, NoMorePodsThanTheNodeMayRun) {
  start();
  policy::Node node = test::node(4000);
  node.allowed_pods = 1;
  see(NodeSeen{node});
  see(PodSeen{bound("new", 0)});
  ASSERT_EQ(writes_.size(), 1U);
  EXPECT_EQ(writes_[0].rejected->reason, "OutOfpods");
}

// A kubelet preempts for a pod slot as for any other resource.
TEST_F(Admission, ACriticalPodGetsThePlaceOfOneOtherPodWhereTheNodeMayRunNoMore) {
  for (const std::int64_t cpu_m : {0, 100}) {
    writes_.clear();
    start();
    policy::Node node = test::node(4000);
    node.allowed_pods = 2;
    see(NodeSeen{node});
    see(PodSeen{running_pod("small", 100)});
    see(PodSeen{bound("dns", cpu_m, kCritical)});
    ASSERT_TRUE(reactor_->state().removal.intent()) << cpu_m;
    const auto victims = reactor_->state().removal.intent()->victims;
    ASSERT_EQ(victims.size(), 1U);
    EXPECT_EQ(victims[0].uid, "uid-small") << "the smallest that is enough";
    EXPECT_TRUE(writes_.empty()) << "it is not rejected";
    see(PodGone{"uid-small"});
    EXPECT_TRUE(writes_.empty()) << "it fits now, and the runner starts it";
  }
}

TEST_F(Admission, ACriticalPodIsRejectedWhereEveryPlaceIsThatOfAMoreImportantPod) {
  start();
  policy::Node node = test::node(4000);
  node.allowed_pods = 1;
  see(NodeSeen{node});
  see(PodsListed{.pods = {running_pod("large", 3000, 0, kCritical + 1000)}});
  see(PodSeen{bound("dns", 0, kCritical)});
  ASSERT_EQ(writes_.size(), 1U);
  ASSERT_TRUE(writes_[0].rejected);
  EXPECT_EQ(writes_[0].rejected->reason, "OutOfpods");
}

TEST_F(Admission, AClaimThatPodsShareCountsOnce) {
  start();
  see(NodeSeen{test::node(6000)});
  policy::Pod large = running_pod("large", 3000);
  large.claimed = {{"c", test::amounts(2000)}};
  see(PodSeen{large});
  policy::Pod fits = bound("fits", 1000);
  fits.claimed = large.claimed;
  see(PodSeen{fits});
  EXPECT_TRUE(writes_.empty());
  see(PodGone{"uid-fits"});
  policy::Pod other = bound("other", 1000);
  other.claimed = {{"d", test::amounts(2000)}};
  see(PodSeen{other});
  ASSERT_EQ(writes_.size(), 1U);
  EXPECT_TRUE(writes_[0].rejected) << "its claim is another one";
}

}  // namespace
}  // namespace elbowroom::agent
