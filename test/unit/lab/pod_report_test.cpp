// What the pod runner writes of a pod, beside what its status says already.
#include "lab/node/pod_report.h"

#include <gtest/gtest.h>

#include "lab/world/pod_rules.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

Json ready(std::int64_t generation) {
  Json status;
  set_pod_condition(status, "Ready", true, "", generation, 0);
  return status;
}

Json pod_with(Json status) {
  return {{"metadata", {{"uid", "u-1"}, {"resourceVersion", "7"}, {"generation", 2}}},
          {"status", std::move(status)}};
}

TEST(PodReport, OnlyWhatDiffersIsWritten) {
  EXPECT_FALSE(status_patch(pod_with(ready(2)), ready(2)));
  const auto patch = status_patch(pod_with(ready(1)), ready(2));
  ASSERT_TRUE(patch);
  EXPECT_EQ((*patch)["status"]["conditions"][0]["observedGeneration"], 2);
}

// An API server before 1.34 keeps no observedGeneration: what it shows is what was written.
TEST(PodReport, AServerThatKeepsNoGenerationIsNotWrittenToAgain) {
  Json kept = ready(2);
  kept["conditions"][0].erase("observedGeneration");
  EXPECT_FALSE(status_patch(pod_with(kept), ready(2)));
}

// As a kubelet says it; a pod that is Pending would be in no budget.
TEST(PodReport, APodWhoseContainerCrashesFromItsFirstStartIsRunning) {
  Json object = testing::pod_object("web", "n");
  object["metadata"]["uid"] = "u-1";
  const auto value = decode(object);
  ASSERT_TRUE(value);
  cri::RuntimePod runtime{
      .uid = "u-1", .sandbox_id = "s", .sandbox_state = cri::SandboxState::Ready};
  runtime.containers["app"] = {.id = "a",
                               .sandbox_id = "s",
                               .name = "app",
                               .attempt = 1,
                               .state = cri::ContainerState::Exited,
                               .exit_code = 1};
  const NodePod pod{.object = Object(object), .value = *value};
  const auto phase = [&] { return text_at(reported_status(pod, &runtime, 0), {"phase"}); };
  EXPECT_EQ(phase(), "Running");
  runtime.containers["app"].state = cri::ContainerState::Created;
  EXPECT_EQ(phase(), "Pending");
}

}  // namespace
}  // namespace elbowroom::lab
