#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "scheduler/config.h"

namespace elbowroom::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kHeader =
    "apiVersion: elbowroom.dev/v1alpha1\nkind: SchedulerConfiguration\n";

class SchedulerReload : public ::testing::Test {
 protected:
  SchedulerReload() {
    std::string pattern = (std::filesystem::temp_directory_path() / "elbowroom-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    put("kubeconfig", kubeconfig("https://api:6443", "token: one"));
    put("config.yaml", kHeader + std::string("rules: upstream\n"));
    source_.from.file = path("config.yaml");
    source_.from.flags["kubeconfig"] = path("kubeconfig");
    source_.self = "one";
    settings_ = *daemon::read_again(scheduler_schema(), source_.from);
    access_ = options_from(settings_, source_.self, source_.environment)->access;
  }
  ~SchedulerReload() override { std::filesystem::remove_all(folder_); }

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

  std::string folder_;
  control::ConfigSource source_;
  daemon::Settings settings_;
  api::Access access_;
};

TEST_F(SchedulerReload, WithoutAChangeNothingChanges) {
  const auto planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_THAT(planned->taken.changed, IsEmpty());
  EXPECT_EQ(planned->access, access_);
}

TEST_F(SchedulerReload, WhatIsLiveIsTaken) {
  put("config.yaml", kHeader + std::string("rules: upstream\nlogLevel: debug\n"));
  put("kubeconfig", kubeconfig("https://api:6443", "token: two"));
  const auto planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_THAT(planned->taken.changed, ElementsAre("logLevel", "kubeconfig"));
  EXPECT_EQ(planned->taken.settings.text("logLevel"), "debug");
  EXPECT_EQ(planned->access.token, "two");
}

TEST_F(SchedulerReload, WhatIsNoneIsToldWithFileLineAndKey) {
  const std::string file = source_.from.file + ": line ";
  struct Row {
    std::string text;  // after the header
    std::string message;
  };
  const std::vector<Row> rows = {
      {"rules: upstream\nlogLevel: loud\n", file + "4: logLevel: \"loud\" is none of"},
      {"rules: upstream\nloglevel: debug\n", "did you mean logLevel?"},
      {"rules: elbowroom\n", file + "3: rules: \"elbowroom\" instead of \"upstream\""},
      {"rules: upstream\nsetsPerPod: \"4\"\n", file + "4: setsPerPod: \"4\" instead of \"3\""},
      {"rules: upstream\ndryRun: true\n", "this key needs a restart"},
      {"rules: upstream\nlogLevel: debug\nleaderElect: false\n", file + "5: leaderElect: "},
      {"rules: [\n", file},
  };
  for (const Row& row : rows) {
    put("config.yaml", kHeader + row.text);
    const auto planned = plan();
    ASSERT_FALSE(planned) << row.text;
    EXPECT_THAT(planned.error().message, HasSubstr(row.message)) << row.text;
  }
}

TEST_F(SchedulerReload, AnotherServerNeedsARestart) {
  put("kubeconfig", kubeconfig("https://other:6443", "token: two"));
  EXPECT_EQ(plan().error().message,
            "kubeconfig: the server is now https://other:6443, and was https://api:6443: that "
            "needs a restart");
}

}  // namespace
}  // namespace elbowroom::scheduler
