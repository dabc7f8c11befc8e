#include "scheduler/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace elbowroom::scheduler {
namespace {

using ::testing::HasSubstr;
using Flags = std::map<std::string, std::string>;

daemon::Settings settings(const Flags& flags) {
  const auto with = daemon::with_flags(daemon::defaults(scheduler_schema()), flags);
  EXPECT_TRUE(with) << with.error().message;
  return *with;
}

Result<control::CheckedConfig> checked(const Flags& flags,
                                       const api::ApiEnvironment& environment = {}) {
  return control::check_config<Config>(settings(flags), "", environment);
}

// It ended with 78 and printed nothing where there was no cluster around it.
TEST(SchedulerConfig, IsCheckedWithoutACluster) {
  const auto good = checked({});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_THAT(good->yaml, HasSubstr("kind: SchedulerConfiguration\n"));
  EXPECT_THAT(good->note, HasSubstr("not checked: kubeconfig: not in a cluster"));
}

TEST(SchedulerConfig, AKubeconfigThatIsNamedIsCheckedToo) {
  const auto bad = checked({{"kubeconfig", "/nonexistent/config"}});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("kubeconfig: "));
  EXPECT_THAT(bad.error().message, HasSubstr("/nonexistent/config"));
}

TEST(SchedulerConfig, WhatIsWrongIsToldWithoutAClusterToo) {
  const auto bad = checked({{"lease-namespace", "../x"}});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("leaseNamespace: ../x is no name of a namespace"));
}

TEST(SchedulerConfig, ARecordingNeedsSomeRoom) {
  const auto refusal = [](const std::string& limit) {
    const auto found = checked({{"record-limit", limit}});
    return found ? "" : found.error().message;
  };
  EXPECT_EQ(refusal("1Mi"), "");
  EXPECT_EQ(refusal("1048575"), "recordLimit: less than 1Mi holds no recording: raise it");
  EXPECT_THAT(refusal("-1"), HasSubstr("recordLimit: "));
  EXPECT_THAT(refusal("much"), HasSubstr("recordLimit: "));
}

TEST(SchedulerConfig, NumbersNeedNoQuotes) {
  const auto read = daemon::settings_from(scheduler_schema(), "c.yaml",
                                          "apiVersion: elbowroom.dev/v1alpha1\n"
                                          "kind: SchedulerConfiguration\nsetsPerPod: 3\n");
  ASSERT_TRUE(read) << read.error().message;
  const auto checked = control::check_config<Config>(*read, "", {});
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_THAT(checked->yaml, HasSubstr("\nsetsPerPod: 3\n"));
  EXPECT_THAT(checked->yaml, HasSubstr("\n# yieldTo: default-scheduler where the API server"));
}

}  // namespace
}  // namespace elbowroom::scheduler
