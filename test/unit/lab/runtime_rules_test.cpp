#include "lab/node/runtime_rules.h"

#include <gtest/gtest.h>

namespace elbowroom::lab {
namespace {

std::string refusal(const cri::RuntimeResources& asked, const ContainerPlace& place) {
  const cri::RuntimeResources stored{.cpu_quota_us = 100'000, .cpu_period_us = 100'000};
  const auto checked = check_container_size(asked, merged_size(stored, asked), place);
  return checked ? "" : checked.error().message;
}

TEST(RuntimeRules, OmittedFiguresStay) {
  const cri::RuntimeResources stored{.cpu_shares = 512, .cpu_quota_us = 5, .cpu_period_us = 10};
  EXPECT_EQ(
      merged_size(stored, {.cpu_quota_us = -1, .memory_limit_bytes = 7}),
      (cri::RuntimeResources{
          .cpu_shares = 512, .cpu_quota_us = -1, .cpu_period_us = 10, .memory_limit_bytes = 7}));
}

TEST(RuntimeRules, RefuseMemoryBelowUsageWhereItIsAskedFor) {
  EXPECT_EQ(refusal({.memory_limit_bytes = 5}, {.memory_use_bytes = 6}),
            "unable to set memory limit to 5 (current usage: 6, peak usage: 6)");
  EXPECT_EQ(refusal({.memory_limit_bytes = 6}, {.memory_use_bytes = 6}), "");
  EXPECT_EQ(refusal({.cpu_shares = 2}, {.memory_use_bytes = 6}), "");
}

TEST(RuntimeRules, RefuseAQuotaAboveThePods) {
  const cri::RuntimeResources pod{.cpu_quota_us = 300'000, .cpu_period_us = 100'000};
  EXPECT_EQ(refusal({.cpu_quota_us = 300'000}, {.group = pod}), "");
  EXPECT_EQ(refusal({.cpu_quota_us = 300'001}, {.group = pod, .cgroup = "/pod/c/"}),
            "write /pod/c/cpu.cfs_quota_us: invalid argument");
  EXPECT_EQ(refusal({.cpu_quota_us = -1}, {.group = pod}), "");  // the pod's quota bounds it
  EXPECT_EQ(refusal({.cpu_quota_us = 1'000'000'000'000'000'000}, {}), "");
  EXPECT_EQ(refusal({.cpu_quota_us = 1'000'000'000'000'000'000}, {.group = pod}),
            "write cpu.cfs_quota_us: invalid argument");
}

TEST(RuntimeRules, ReadHowLongAPodTakesToTerminate) {
  EXPECT_EQ(termination_time("1m30s"), std::chrono::seconds(90));
  EXPECT_EQ(termination_time("soon"), std::nullopt);
  EXPECT_EQ(termination_time(""), std::nullopt);
}

}  // namespace
}  // namespace elbowroom::lab
