#include "agent/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace elbowroom::agent {
namespace {

using ::testing::HasSubstr;
using Flags = std::map<std::string, std::string>;

daemon::Settings settings(const Flags& flags) {
  const auto with = daemon::with_flags(daemon::defaults(agent_schema()), flags);
  EXPECT_TRUE(with) << with.error().message;
  return *with;
}

Result<CheckedConfig> checked(const Flags& flags, const api::ApiEnvironment& environment = {}) {
  return check_config(settings(flags), "host", environment);
}

// It ended with 78 and printed nothing where there was no cluster around it.
TEST(AgentConfig, IsCheckedWithoutACluster) {
  const auto good = checked({});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_THAT(good->yaml, HasSubstr("kind: AgentConfiguration\n"));
  EXPECT_THAT(good->note, HasSubstr("not checked: kubeconfig: not in a cluster"));
}

TEST(AgentConfig, AKubeconfigThatIsNamedIsCheckedToo) {
  const auto bad = checked({{"kubeconfig", "/nonexistent/config"}});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("kubeconfig: "));
  EXPECT_THAT(bad.error().message, HasSubstr("/nonexistent/config"));
}

TEST(AgentConfig, WhatIsWrongIsToldWithoutAClusterToo) {
  const auto bad = checked({{"node-name", "No_Node"}});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("nodeName: \"No_Node\" can be no Node's name"));
}

}  // namespace
}  // namespace elbowroom::agent
