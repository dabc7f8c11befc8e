// What judges an agent finds what it looks for, and nothing else.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "test/pods.h"
#include "test/simulation/cgroup_writes.h"
#include "test/simulation/kept_checkpoint.h"
#include "test/simulation/plain_pods.h"
#include "test/simulation/removal_rate.h"

namespace elbowroom::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// ---- what is written into cgroups ----

class CgroupWrites : public ::testing::Test {
 protected:
  CgroupWrites() {
    pod_.view.name = "web";
    pod_.group = cri::RuntimeResources{
        .cpu_quota_us = 100'000, .cpu_period_us = 100'000, .memory_limit_bytes = 1000};
    cri::RuntimeContainer app{.id = "c1", .name = "app", .state = cri::ContainerState::Running};
    app.resources = pod_.group;
    pod_.view.containers["app"] = app;
    step_.container_ids["app"] = "c1";
  }
  // The container was written.
  std::string wrong(cri::RuntimeResources before, cri::RuntimeResources asked,
                    std::int64_t use = 0) {
    pod_.view.containers["app"].resources = asked;
    return wrong_with({.container = "app",
                       .before = before,
                       .asked = asked,
                       .after = asked,
                       .memory_use = use,
                       .pod = &pod_,
                       .step = &step_});
  }

  lab::VirtualPod pod_{};
  agent::Actuate step_{};
};

TEST_F(CgroupWrites, AMemoryLimitStaysAboveWhatIsInUse) {
  EXPECT_EQ(wrong({.memory_limit_bytes = 800}, {.memory_limit_bytes = 500}, 500), "");
  EXPECT_NE(wrong({.memory_limit_bytes = 800}, {.memory_limit_bytes = 500}, 501), "");
  EXPECT_EQ(wrong({.memory_limit_bytes = 800}, {.memory_limit_bytes = -1}, 501), "");
}

TEST_F(CgroupWrites, NoContainerExceedsItsPod) {
  EXPECT_EQ(wrong({.memory_limit_bytes = 800}, {.memory_limit_bytes = 1000}), "");
  EXPECT_NE(wrong({.memory_limit_bytes = 800}, {.memory_limit_bytes = 1001}), "");
  EXPECT_NE(wrong({}, {.cpu_quota_us = 101'000, .cpu_period_us = 100'000}), "");
  EXPECT_EQ(wrong({}, {.cpu_quota_us = -1, .cpu_period_us = 100'000}), "");
  step_.container_ids["app"] = "c0";  // started again, and the agent has not seen it
  EXPECT_EQ(wrong({.memory_limit_bytes = 800}, {.memory_limit_bytes = 1001}), "");
}

TEST_F(CgroupWrites, NoPodIsLoweredBelowItsContainers) {
  cri::RuntimeResources lowered{.memory_limit_bytes = 999};
  const cri::RuntimeResources before = *pod_.group;
  pod_.group = lowered;
  const lab::CgroupWrite write{
      .before = before, .asked = lowered, .after = lowered, .pod = &pod_, .step = &step_};
  EXPECT_NE(wrong_with(write), "");
}

// ---- what is durable ----

agent::Checkpoint checkpoint_of(std::int64_t generation) {
  agent::Checkpoint made;
  made.pods["uid-web"].generation = generation;
  return made;
}

class Kept : public ::testing::Test {
 protected:
  void save(agent::EffectId id, std::int64_t generation) {
    kept_.performing({id, agent::SaveCheckpoint{checkpoint_of(generation)}});
  }
  void done(agent::EffectId id) { kept_.observed({.what = agent::Done{.effect = id}}); }
  std::string start(std::int64_t generation, bool rebuilt = false) {
    return kept_.restored({.checkpoint = checkpoint_of(generation), .rebuilt = rebuilt});
  }

  KeptCheckpoint kept_{};
};

TEST_F(Kept, WhatWasAcknowledgedIsThere) {
  save(1, 1);
  done(1);
  EXPECT_EQ(start(1), "");
  save(1, 2);
  done(1);
  EXPECT_NE(start(1), "");
}

TEST_F(Kept, ASaveUnderWayIsThereOrNot) {
  for (const std::int64_t has : {1, 2, 3}) {
    KeptCheckpoint again;
    std::swap(kept_, again);
    save(1, 1);
    done(1);
    save(2, 2);
    EXPECT_EQ(start(has).empty(), has != 3) << has;
  }
}

TEST_F(Kept, ARebuiltCheckpointIsALossUnlessAnotherProgramChangedIt) {
  save(1, 1);
  done(1);
  EXPECT_NE(start(1, true), "");
  save(1, 2);
  done(1);
  kept_.rewritten();
  EXPECT_EQ(start(1, true), "");
}

// ---- how often pods go ----

api::Request removal_of(int pod, bool dry_run = false) {
  return {.method = api::Method::Delete,
          .path = "/api/v1/namespaces/default/pods/p",
          .body = R"({"preconditions":{"uid":"u)" + std::to_string(pod) + R"("})" +
                  (dry_run ? R"(,"dryRun":["All"]})" : "}")};
}

TEST(Removals, AreTenInTenMinutes) {
  RemovalRate rate;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(rate.asked(removal_of(i), seconds(i)), "");
  EXPECT_EQ(rate.asked(removal_of(3), seconds(11)), "") << "the same pod again";
  EXPECT_EQ(rate.asked(removal_of(10, true), seconds(11)), "") << "a dry run";
  EXPECT_NE(rate.asked(removal_of(10), seconds(11)), "");
  EXPECT_EQ(rate.asked(removal_of(11), minutes(20)), "") << "the first ones are long ago";
}

// ---- what a pod has ----

TEST(PlainPods, AStatusShowsWhatIsAllocatedAndNotWhatIsWanted) {
  policy::Pod pod = running_pod("web", 1000, kGi);
  pod.containers[0].desired.requests = amounts(3000, kGi);
  EXPECT_EQ(shown_allocation(pod)->containers["app"].requests, amounts(1000, kGi));
  EXPECT_EQ(wanted_allocation(pod).containers["app"].requests, amounts(3000, kGi));
  pod.containers[0].allocated_requests.reset();
  pod.containers[0].actual_requests = amounts(2000, kGi);
  EXPECT_EQ(shown_allocation(pod)->containers["app"].requests, amounts(2000, kGi));
  pod.containers[0].actual_requests.reset();
  EXPECT_FALSE(shown_allocation(pod));
}

TEST(PlainPods, AContainerHasWhatItsRuntimeReports) {
  const policy::Pod pod = running_pod("web", 1000, kGi);
  const agent::PodAllocation promised = wanted_allocation(pod);
  agent::PodReport report;
  report.containers["app"] = {.id = "c1",
                              .state = policy::RunState::Running,
                              .size = cri::RuntimeResources{.cpu_shares = 1024}};
  EXPECT_TRUE(has_promised(promised, report));
  EXPECT_EQ(pod_with(pod, &promised, &report).containers[0].actual_requests, amounts(1000, kGi));
  report.containers["app"].size->cpu_shares = 2048;
  EXPECT_FALSE(has_promised(promised, report));
  EXPECT_EQ(pod_with(pod, &promised, &report).containers[0].actual_requests, amounts(2000, kGi));
}

TEST(PlainPods, APodsCgroupHasTheSumOfItsContainers) {
  policy::Pod pod = running_pod("web", 1000, kGi);
  pod.containers[0].desired.limits = amounts(2000, 2 * kGi);
  policy::Container side = pod.containers[0];
  side.name = "side";
  pod.containers.push_back(side);
  cri::RuntimeResources group{.cpu_shares = 2048,
                              .cpu_quota_us = 400'000,
                              .cpu_period_us = 100'000,
                              .memory_limit_bytes = 4 * kGi};
  EXPECT_TRUE(group_has_promised(pod, wanted_allocation(pod), group));
  group.memory_limit_bytes = 3 * kGi;
  EXPECT_FALSE(group_has_promised(pod, wanted_allocation(pod), group));
  pod.pod_level.desired.limits.memory.value = 3 * kGi;
  EXPECT_TRUE(group_has_promised(pod, wanted_allocation(pod), group));
  pod.pod_level = {};
  pod.containers[1].desired.limits.memory = {};  // no limit for one: none for all
  group.memory_limit_bytes = 0;
  EXPECT_TRUE(group_has_promised(pod, wanted_allocation(pod), group));
}

}  // namespace
}  // namespace elbowroom::test
