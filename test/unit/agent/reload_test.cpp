#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "agent/program/config.h"

namespace elbowroom::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kHeader = "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\n";

class ReloadTest : public ::testing::Test {
 protected:
  ReloadTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "elbowroom-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    put("kubeconfig", kubeconfig("https://api:6443", "token: one"));
    put("config.yaml", kHeader + std::string("nodeName: node-1\n"));
    source_.from.file = path("config.yaml");
    source_.from.flags["kubeconfig"] = path("kubeconfig");
    source_.from.flags["kubelet-healthz"] = "";
    source_.self = "host";
    const daemon::Schema schema = agent_schema();
    settings_ = *daemon::with_flags(*daemon::settings_from_file(schema, source_.from.file),
                                    source_.from.flags);
    access_ = options_from(settings_, source_.self, source_.environment)->access;
  }
  ~ReloadTest() override { std::filesystem::remove_all(folder_); }

  static std::string kubeconfig(const std::string& server, const std::string& user) {
    return "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: '" +
           server + "'}}]\nusers: [{name: u, user: {" + user + "}}]\n";
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  Result<control::Reload> plan() const {
    return control::plan_reload<Config>(source_, settings_, access_);
  }
  std::string error() const {
    const auto planned = plan();
    return planned ? "no error" : planned.error().message;
  }

  std::string folder_;
  control::ConfigSource source_;
  daemon::Settings settings_;
  api::Access access_;
};

TEST_F(ReloadTest, WithoutAChangeNothingChanges) {
  const auto planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_THAT(planned->taken.changed, IsEmpty());
  EXPECT_EQ(planned->access, access_);
}

TEST_F(ReloadTest, WhatIsLiveIsTaken) {
  put("config.yaml", kHeader + std::string("nodeName: node-1\nlogLevel: debug\n"));
  put("kubeconfig", kubeconfig("https://api:6443", "token: two"));
  const auto planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_THAT(planned->taken.changed, ElementsAre("logLevel", "kubeconfig"));
  EXPECT_EQ(planned->taken.settings.text("logLevel"), "debug");
  EXPECT_EQ(planned->access.token, "two");
}

TEST_F(ReloadTest, AFlagStillWinsOverTheFile) {
  source_.from.flags["log-level"] = "warn";
  put("config.yaml", kHeader + std::string("nodeName: node-1\nlogLevel: debug\n"));
  EXPECT_EQ(plan()->taken.settings.text("logLevel"), "warn");
}

TEST_F(ReloadTest, AnotherServerNeedsARestart) {
  put("kubeconfig", kubeconfig("https://other:6443", "token: two"));
  EXPECT_EQ(error(),
            "kubeconfig: the server is now https://other:6443, and was https://api:6443: that "
            "needs a restart");
}

TEST_F(ReloadTest, ABadFileIsToldWithFileLineAndKey) {
  const std::string file = source_.from.file + ": line ";
  const std::string restart = "this key needs a restart";
  struct Row {
    std::string text;  // after the header, and nodeName in line 3
    std::string message;
  };
  const std::vector<Row> rows = {
      {"logLevel: loud\n", file + "4: logLevel: \"loud\" is none of debug, info, warn, error"},
      {"logLevel: debugg\n", file + "4: logLevel: \"debugg\" is none of"},
      {"logLevel: [debug]\n", file + "4: logLevel: wants a string"},
      {"logLevel: {a: b}\n", file + "4: logLevel: wants a string"},
      {"logLevel:\n", "logLevel: is empty"},
      {"logLevel: 7\n", file + "4: logLevel: wants a string"},
      {"logLevel: true\n", file + "4: logLevel: wants a string"},
      {"loglevel: debug\n", file + "4: unknown key \"loglevel\": did you mean logLevel?"},
      {"frobnicate: 1\n", file + "4: unknown key \"frobnicate\""},
      {"logLevel: debug\nlogLevel: info\n", "logLevel"},
      {"dryRun: yes please\n", file + "4: dryRun: wants true or false"},
      {"dryRun: \"true\"\n", file + "4: dryRun: wants true or false"},
      {"listen: nowhere\n", file + "4: listen: \"nowhere\": "},
      {"listen: 127.0.0.1:99999\n", file + "4: listen: "},
      {"mode: emperor\n", file + "4: mode: \"emperor\" is none of companion, authority"},
      {"stateDir: ''\n", file + "4: stateDir: is empty"},
      {"stateDir: \"a\\u0001b\"\n", file + "4: stateDir: holds a control character"},
      {"stateDir: " + std::string(5000, 'x') + "\n", file + "4: stateDir: is longer than 4096"},
      {"nodeName: other\n", "nodeName"},
      {"\tlogLevel: debug\n", file},
      {"logLevel: debug\n---\nlogLevel: info\n", file},
      {"logLevel: \"\xff\"\n", file},
      {"logLevel: &a [*a]\n", file},
      // Valid by itself, but not for a running agent.
      {"dryRun: true\n", file + "4: dryRun: \"true\" instead of \"false\": " + restart},
      {"listen: 127.0.0.1:1\n",
       file + "4: listen: \"127.0.0.1:1\" instead of \"127.0.0.1:10361\": " + restart},
      {"mode: authority\n", file + "4: mode: \"authority\" instead of \"companion\": " + restart},
      {"logFormat: json\n", file + "4: logFormat: \"json\" instead of \"text\": " + restart},
      {"stateDir: /tmp\n", file + "4: stateDir: "},
      {"record: /tmp/r\n", file + "4: record: \"/tmp/r\" instead of unset: " + restart},
      {"cpuManagerPolicy: static\n", file + "4: cpuManagerPolicy: "},
      {"cgroupRoot: /x\n", file + "4: cgroupRoot: "},
      {"podCgroups: leave\n", file + "4: podCgroups: \"leave\" instead of unset: " + restart},
      {"runtimeEndpoint: unix:/x\n", file + "4: runtimeEndpoint: "},
      {"logLevel: debug\ndryRun: true\n", file + "5: dryRun: "},
      {"criticalPreemption: true\n", "criticalPreemption: only an agent in mode authority"},
  };
  EXPECT_GE(rows.size(), 30U);
  for (const Row& row : rows) {
    put("config.yaml", kHeader + std::string("nodeName: node-1\n") + row.text);
    EXPECT_THAT(error(), HasSubstr(row.message)) << row.text.substr(0, 60);
  }
  for (const auto& [text, message] : std::vector<Row>{
           {"", "not one mapping"},
           {"- a\n", "not one mapping"},
           {"kind: AgentConfiguration\n", "apiVersion is missing"},
           {"apiVersion: v2\nkind: AgentConfiguration\n", "line 1: apiVersion"},
           {"apiVersion: elbowroom.dev/v1alpha1\nkind: Pod\n", "line 2: kind"},
           {kHeader, "nodeName: unset instead of \"node-1\": this key needs a restart"},
       }) {
    put("config.yaml", text);
    EXPECT_THAT(error(), HasSubstr(message)) << text;
  }
  std::filesystem::remove(source_.from.file);
  EXPECT_THAT(error(), HasSubstr("config.yaml"));
}

TEST_F(ReloadTest, ABadKubeconfigIsToldWithoutItsSecret) {
  for (const std::string& text :
       {std::string("{"), std::string(""), kubeconfig("ftp://h", "token: hush"),
        kubeconfig("https://api:6443", "token: hush, auth-provider: {name: oidc}"),
        kubeconfig("https://api:6443", "token: hush, as: root")}) {
    put("kubeconfig", text);
    EXPECT_THAT(error(), HasSubstr("kubeconfig")) << text;
    EXPECT_THAT(error(), Not(HasSubstr("hush"))) << text;
  }
  std::filesystem::remove(path("kubeconfig"));
  EXPECT_THAT(error(), HasSubstr("no such file"));
}

}  // namespace
}  // namespace elbowroom::agent
