// A third daemon is its reactor, its collections and its configuration. This one runs as a process
// beside the lab's API server; what it shares with the others is all of control/.
#include "test/unit/control/toy_daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/durable_file.h"
#include "lab/apiserver/api_server.h"
#include "lab/daemon_process.h"
#include "recording/recording_file.h"
#include "recording/replay_pass.h"
#include "test/checkout.h"
#include "test/temporary_folder.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::toy {
namespace {

using lab::comes_true;
using lab::DaemonProcess;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kPatience{20'000};
const char* const kHeader = "apiVersion: elbowroom.dev/v1alpha1\nkind: ToyConfiguration\n";

std::string program() {
  return (std::filesystem::path(test::kScheduler).parent_path() / "elbowroom-toy").string();
}

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

class ToyDaemon : public ::testing::Test {
 protected:
  ToyDaemon() {
    EXPECT_TRUE(api_.start());
    put(path("kubeconfig"), api_.kubeconfig());
    api_.with_world([](lab::World& world) {
      EXPECT_TRUE(world.load(lab::testing::node_object("node-1")));
      for (const char* phase : {"Failed", "Running"}) {
        lab::Json pod = lab::testing::pod_object(phase == std::string("Failed") ? "old" : "web");
        pod["status"] = {{"phase", phase}};
        EXPECT_TRUE(world.load(pod));
      }
    });
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  [[nodiscard]] std::string log() const { return read_file(path("out.log"), 1 << 20).value_or(""); }
  [[nodiscard]] bool says(const std::string& what) const {
    return comes_true([&] { return log().find(what) != std::string::npos; }, kPatience);
  }
  [[nodiscard]] bool exists(const std::string& pod) {
    return api_.with_world([&](lab::World& world) {
      return world.get({.kind = lab::find_kind("", "v1", "pods"), .ns = "default", .name = pod})
          .has_value();
    });
  }
  // The body of an endpoint, whatever its status.
  [[nodiscard]] std::string get(const std::string& target) const {
    constexpr std::string_view kBefore = "listening on 127.0.0.1:";
    const std::string text = log();
    const std::size_t at = text.find(kBefore);
    if (at == std::string::npos) return "";
    int port = 0;
    const char* from = text.data() + at + kBefore.size();
    std::from_chars(from, text.data() + text.size(), port);
    httplib::Client client("127.0.0.1", port);
    const auto answer = client.Get(target);
    return answer ? answer->body : "";
  }

  test::TemporaryFolder folder_;
  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
};

TEST_F(ToyDaemon, LeadsActsAnswersReloadsRecordsAndHandsOver) {
  put(path("toy.yaml"), std::string(kHeader) + "logLevel: info\n");
  auto process =
      DaemonProcess::start(program(),
                           {"--config=" + path("toy.yaml"), "--kubeconfig=" + path("kubeconfig"),
                            "--listen=127.0.0.1:0", "--record=" + path("rec")},
                           path("out.log"));
  ASSERT_TRUE(process) << process.error().message;
  ASSERT_TRUE(says("started in mode sweep"));
  EXPECT_TRUE(comes_true([&] { return !exists("old"); }, kPatience)) << log();
  EXPECT_TRUE(exists("web"));
  EXPECT_TRUE(says("deleting a pod to make room"));
  EXPECT_TRUE(says("leading"));

  EXPECT_THAT(get("/readyz?verbose"), AllOf(HasSubstr("synced"), HasSubstr("leads")));
  EXPECT_THAT(get("/configz"), HasSubstr("kind: ToyConfiguration"));
  EXPECT_THAT(get("/explain?pod=default/web"), HasSubstr("no pod default/web has failed"));
  const std::string staleness = "elbowroom_cache_staleness_seconds{resource=\"pods\"}";
  EXPECT_TRUE(
      comes_true([&] { return get("/metrics").find(staleness) != std::string::npos; }, kPatience))
      << "the API's thread looks around four times a second";
  EXPECT_THAT(get("/metrics"),
              AllOf(HasSubstr("elbowroom_recording 1"),
                    HasSubstr("elbowroom_loop_duration_seconds_count{loop=\"reactor\"}")));

  put(path("toy.yaml"), std::string(kHeader) + "logLevel: debug\n");
  ASSERT_EQ(::kill(process->pid(), SIGHUP), 0);
  EXPECT_TRUE(says("configuration reloaded: logLevel"));

  EXPECT_EQ(process->stop(kPatience).value_or(-1), 0);
  const std::string holder = api_.with_world([](lab::World& world) {
    const auto lease = world.get({.kind = lab::find_kind("coordination.k8s.io", "v1", "leases"),
                                  .ns = "kube-system",
                                  .name = "elbowroom-toy"});
    return lease ? lab::text_at(*lease, {"spec", "holderIdentity"}) : "there is none";
  });
  EXPECT_EQ(holder, "") << "the Lease is given back";

  auto reader = recording::RecordingReader::open(path("rec"));
  ASSERT_TRUE(reader);
  const auto report = recording::replay<Parts::Recording>(*reader, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->first) << report->first->line << ": " << report->first->seen;
  EXPECT_GE(report->effects, 2U);
  EXPECT_EQ(report->program, "elbowroom-toy");
}

TEST_F(ToyDaemon, RefusesWhatOtherDaemonsRefuse) {
  struct Row {
    std::vector<std::string> arguments;
    int status;
    std::string says;
  };
  const std::string kubeconfig = "--kubeconfig=" + path("kubeconfig");
  const std::vector<Row> rows = {
      {{kubeconfig, "--check-config"}, 0, "kind: ToyConfiguration"},
      {{"--no-such-flag"}, 2, "no-such-flag"},
      {{kubeconfig, "--lease-namespace=../x"}, 78, "leaseNamespace: ../x is no name"},
      {{kubeconfig, "--record=" + path("no/rec")}, 78, "record: "},
      {{"--kubeconfig=" + path("absent")}, 78, "kubeconfig: "},
  };
  for (const Row& row : rows) {
    std::filesystem::remove(path("out.log"));
    auto process = DaemonProcess::start(program(), row.arguments, path("out.log"));
    ASSERT_TRUE(process) << process.error().message;
    EXPECT_TRUE(says(row.says)) << log();
    EXPECT_EQ(process->stop(kPatience).value_or(-1), row.status) << log();
  }
}

TEST(ToyDaemonTable, ItsRightsComeFromItsCollections) {
  EXPECT_EQ(control::path_of(kCollectionTable[0]), "/api/v1/pods");
  EXPECT_EQ(control::right_to_list(kCollectionTable[0]).resource, "pods");
  EXPECT_EQ(control::right_to_watch(kCollectionTable[0]).verb, "watch");
}

}  // namespace
}  // namespace elbowroom::toy
