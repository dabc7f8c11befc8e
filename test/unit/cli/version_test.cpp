// `elbowroom version`: the client's own, a daemon's, the API server's, and what does not answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "daemon/http/http_server.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// Answers /metrics with that page.
class Daemon {
 public:
  explicit Daemon(const std::string& metrics) {
    daemon::Endpoints endpoints;
    endpoints.metrics = [metrics] { return daemon::Reply{.body = metrics}; };
    auto started = daemon::HttpServer::start({.host = "127.0.0.1", .port = 0}, endpoints);
    EXPECT_TRUE(started);
    if (started) server_ = *std::move(started);
  }
  [[nodiscard]] std::string url() const {
    return "http://" + daemon::to_string(server_->address());
  }
  void end() { server_.reset(); }

 private:
  std::unique_ptr<daemon::HttpServer> server_;
};

constexpr const char* kBuild =
    "# TYPE elbowroom_build_info gauge\n"
    "elbowroom_build_info{compiler=\"g\",program=\"elbowroom-scheduler\",revision=\"abc123\","
    "version=\"0.0.7\"} 1\n";

TEST(Version, ClientDaemonAndServerAreNamedWithTheirs) {
  LabApi lab;
  const Daemon scheduler(kBuild);
  const Outcome table =
      run({"version", "--server", scheduler.url(), "--kubeconfig", lab.kubeconfig()});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(ContainsRegex("elbowroom +" ELBOWROOM_VERSION " +[0-9a-z]+ +here"),
                               ContainsRegex("elbowroom-scheduler +0\\.0\\.7 +abc123 +http://127"),
                               ContainsRegex("API server +v1\\.37\\.0-elbowroom-lab +- +http://")));

  const Outcome json =
      run({"version", "-o", "json", "--server", scheduler.url(), "--kubeconfig", lab.kubeconfig()});
  const Json said = Json::parse(json.out);
  EXPECT_EQ(said["kind"], "Versions");
  EXPECT_EQ(said["client"]["version"], ELBOWROOM_VERSION);
  EXPECT_EQ(said["daemons"][0]["program"], "elbowroom-scheduler");
  EXPECT_EQ(said["daemons"][0]["revision"], "abc123");
  EXPECT_EQ(said["server"]["version"], "v1.37.0-elbowroom-lab");
  EXPECT_EQ(said["notes"], Json::array());
}

TEST(Version, WhatDoesNotAnswerIsSaidInALineAndFailsOnlyWhereItWasNamed) {
  const Folder folder;
  const Folder home;  // without a kubeconfig
  ::setenv("HOME", home.path().c_str(), 1);
  ::unsetenv("KUBECONFIG");
  const Outcome alone = run({"version"});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out, AllOf(HasSubstr("elbowroom "), HasSubstr("\nAPI server: ")));

  Daemon gone(kBuild);
  const std::string url = gone.url();
  gone.end();
  const Outcome named = run({"version", "--server", url});
  EXPECT_EQ(named.status, kExitUnreachable);
  EXPECT_THAT(named.out, AllOf(HasSubstr("\ndaemon at " + url), HasSubstr("elbowroom ")));

  const Outcome config = run({"version", "--kubeconfig", folder.path() + "/none"});
  EXPECT_EQ(config.status, kExitConfiguration);
  EXPECT_THAT(config.out, HasSubstr("elbowroom "));
}

TEST(Version, AnotherProgramAtThePortIsNoDaemon) {
  const Daemon other("# TYPE go_info gauge\ngo_info 1\n");
  const Outcome outcome = run({"version", "--server", other.url()});
  EXPECT_EQ(outcome.status, kExitFailure);
  EXPECT_THAT(outcome.out, HasSubstr("another program answers there"));
}

TEST(Version, ClientAsksNobody) {
  const Outcome outcome = run({"version", "--client", "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("elbowroom "), Not(HasSubstr("127.0.0.1"))));
}

}  // namespace
}  // namespace elbowroom::cli
