#include "agent/program/config.h"

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

Result<control::CheckedConfig> checked(const Flags& flags,
                                       const api::ApiEnvironment& environment = {}) {
  return control::check_config<Config>(settings(flags), "host", environment);
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

TEST(AgentConfig, ARecordingNeedsSomeRoom) {
  const auto refusal = [](const std::string& limit) {
    const auto found = checked({{"record-limit", limit}});
    return found ? "" : found.error().message;
  };
  EXPECT_EQ(refusal("1Mi"), "");
  EXPECT_EQ(refusal("1048575"), "recordLimit: less than 1Mi holds no recording: raise it");
  EXPECT_THAT(refusal("-1"), HasSubstr("recordLimit: "));
  EXPECT_THAT(refusal("much"), HasSubstr("recordLimit: "));
}

TEST(AgentConfig, WhatIsNotSetIsShownAsItCounts) {
  const std::string companion = checked({})->yaml;
  EXPECT_THAT(companion, HasSubstr("nodeName: host  # the host name\n"));
  EXPECT_THAT(companion, HasSubstr("# runtimeEndpoint: not used in mode companion\n"));
  EXPECT_THAT(companion, HasSubstr("podCgroups: leave  # by mode\n"));
  EXPECT_THAT(companion, HasSubstr("criticalPreemption: false  # by mode\n"));
  const std::string authority = checked({{"mode", "authority"}})->yaml;
  EXPECT_THAT(authority, HasSubstr("runtimeEndpoint: \"unix:"));
  EXPECT_THAT(authority, HasSubstr("podCgroups: manage  # by mode\n"));
  EXPECT_THAT(authority, HasSubstr("# criticalPreemption: by a probe of the API server, when"));
}

TEST(AgentConfig, TheProbesOutcomeIsShown) {
  AgentOptions options;
  options.reactor.authority = true;
  options.reactor.critical_preemption = std::nullopt;
  const auto last = resolved(options, false).back();
  EXPECT_EQ(last.key, "criticalPreemption");
  EXPECT_EQ(last.value, "false");
  EXPECT_EQ(last.why, "by a probe of the API server");
}

// A kubelet registers Node-7.Example as node-7.example, and the agent found no such Node.
TEST(AgentConfig, TheNodesNameIsMadeOfTheHostNameAsAKubeletDoes) {
  const auto name = [](const std::string& host_name, const Flags& flags) {
    const api::ApiEnvironment in_cluster{.service_host = "10.0.0.1", .service_port = "443"};
    const auto checked = control::check_config<Config>(settings(flags), host_name, in_cluster);
    return checked ? checked->yaml : checked.error().message;
  };
  EXPECT_THAT(name(" Node-7.Example\n", {}), HasSubstr("nodeName: node-7.example  # "));
  EXPECT_THAT(name("Other", {{"node-name", "node-8"}}), HasSubstr("nodeName: node-8\n"));
  EXPECT_THAT(name("Other", {{"node-name", "Node-8"}}), HasSubstr("can be no Node's name"));
}

}  // namespace
}  // namespace elbowroom::agent
