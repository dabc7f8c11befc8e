// elbowroom-scheduler as a process: the errors that keep it from starting, and which of two leads
// when one ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "api/codec/timestamp.h"
#include "base/durable_file.h"
#include "lab/apiserver/api_server.h"
#include "lab/daemon_process.h"
#include "scheduler/recording/recording.h"
#include "test/checkout.h"
#include "test/temporary_folder.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

using lab::comes_true;
using lab::DaemonProcess;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const char* const kProgram = test::kScheduler;
constexpr std::chrono::milliseconds kPatience{20'000};
constexpr std::chrono::seconds kUnlikeRunningOut{12};  // a Lease runs out after 15 s

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

class SchedulerProgram : public ::testing::Test {
 protected:
  struct Ended {
    int status = -1;
    std::string output{};
  };

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Runs until it ends by itself.
  Ended run(const std::vector<std::string>& arguments) {
    std::filesystem::remove(path("out.log"));
    auto process = DaemonProcess::start(kProgram, arguments, path("out.log"));
    EXPECT_TRUE(process) << process.error().message;
    siginfo_t about{};
    EXPECT_TRUE(comes_true(
        [&] {
          return ::waitid(P_PID, static_cast<id_t>(process->pid()), &about,
                          WEXITED | WNOHANG | WNOWAIT) == 0 &&
                 about.si_pid == process->pid();
        },
        kPatience))
        << "it did not end";
    return {.status = process->stop(kPatience).value_or(-1),
            .output = read_file(path("out.log"), 1 << 20).value_or("")};
  }

  test::TemporaryFolder folder_;
};

// For a server that does not answer.
const std::string kKubeconfig =
    "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
    "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: u, user: "
    "{}}]\n";

TEST_F(SchedulerProgram, AGoodConfigurationIsPrintedByCheckConfig) {
  put(path("kubeconfig"), kKubeconfig);
  put(path("scheduler.yaml"),
      "apiVersion: elbowroom.dev/v1alpha1\nkind: SchedulerConfiguration\nyieldTo: other\n");
  const Ended ended =
      run({"--config=" + path("scheduler.yaml"), "--kubeconfig=" + path("kubeconfig"),
           "--rules=upstream", "--check-config"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("yieldTo: other"), HasSubstr("rules: upstream"),
                                  HasSubstr("leaseNamespace: kube-system")));
}

TEST_F(SchedulerProgram, ABadFileIsNamedWithLineKeyAndRemedy) {
  put(path("scheduler.yaml"),
      "apiVersion: elbowroom.dev/v1alpha1\nkind: SchedulerConfiguration\nyeildTo: other\n");
  for (const bool only_check : {true, false}) {
    std::vector<std::string> arguments = {"--config=" + path("scheduler.yaml")};
    if (only_check) arguments.emplace_back("--check-config");
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 78);
    EXPECT_THAT(ended.output, AllOf(HasSubstr("scheduler.yaml: line 3"), HasSubstr("yeildTo"),
                                    HasSubstr("did you mean yieldTo")));
  }
  EXPECT_EQ(run({"--config=" + path("absent.yaml")}).status, 78);
  put(path("agent.yaml"), "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\n");
  EXPECT_EQ(run({"--config=" + path("agent.yaml"), "--check-config"}).status, 78);
}

TEST_F(SchedulerProgram, WhatCannotWorkIsRefusedByCheckConfigAndAtTheStart) {
  put(path("kubeconfig"), kKubeconfig);
  struct Row {
    std::string flag;
    std::string says;
  };
  const std::vector<Row> rows = {{"--scheduler-name=not/one", "schedulerName"},
                                 {"--lease-namespace=../x", "leaseNamespace"},
                                 {"--sets-per-pod=0", "setsPerPod"},
                                 {"--pods-per-node=many", "podsPerNode"},
                                 {"--kubeconfig=" + path("absent"), "absent"}};
  for (const Row& row : rows) {
    for (const bool only_check : {true, false}) {
      std::vector<std::string> arguments = {row.flag};
      if (row.flag.find("kubeconfig") == std::string::npos) {
        arguments.push_back("--kubeconfig=" + path("kubeconfig"));
      }
      if (only_check) arguments.emplace_back("--check-config");
      const Ended ended = run(arguments);
      EXPECT_EQ(ended.status, 78) << row.flag << ended.output;
      EXPECT_THAT(ended.output, HasSubstr(row.says));
    }
  }
}

TEST_F(SchedulerProgram, ABadCommandLineIsUsage) {
  EXPECT_EQ(run({"--no-such-flag"}).status, 2);
  EXPECT_EQ(run({"--mode=emperor"}).status, 2);
  EXPECT_EQ(run({"--listen=nowhere"}).status, 2);
  EXPECT_EQ(run({"--help"}).status, 0);
  EXPECT_EQ(run({"--version"}).status, 0);
}

TEST_F(SchedulerProgram, ReadsItsConfigurationAgainOnSighup) {
  const std::string header =
      "apiVersion: elbowroom.dev/v1alpha1\nkind: SchedulerConfiguration\nlogLevel: ";
  put(path("kubeconfig"), kKubeconfig);
  put(path("scheduler.yaml"), header + "info\n");
  auto process = DaemonProcess::start(
      kProgram,
      {"--config=" + path("scheduler.yaml"), "--kubeconfig=" + path("kubeconfig"),
       "--leader-elect=false", "--listen=127.0.0.1:0"},
      path("out.log"));
  ASSERT_TRUE(process) << process.error().message;
  const auto says = [&](const std::string& what) {
    return comes_true(
        [&] {
          return read_file(path("out.log"), 1 << 20).value_or("").find(what) != std::string::npos;
        },
        kPatience);
  };
  ASSERT_TRUE(says("started in mode resize"));
  put(path("scheduler.yaml"), header + "loud\n");
  ASSERT_EQ(::kill(process->pid(), SIGHUP), 0);
  EXPECT_TRUE(says("configuration not reloaded: the old one stays"));
  EXPECT_TRUE(says("line 3: logLevel"));
  put(path("scheduler.yaml"), header + "debug\n");
  ASSERT_EQ(::kill(process->pid(), SIGHUP), 0);
  EXPECT_TRUE(says("configuration reloaded: logLevel"));
  EXPECT_EQ(process->stop(kPatience).value_or(-1), 0);
}

// Two schedulers, and a cluster of values behind a real API server.
class TwoSchedulers : public SchedulerProgram {
 protected:
  TwoSchedulers() {
    EXPECT_TRUE(api_.start());
    put(path("kubeconfig"), api_.kubeconfig());
    api_.with_world(
        [](lab::World& world) { EXPECT_TRUE(world.load(lab::testing::node_object("node-1"))); });
  }

  [[nodiscard]] DaemonProcess start(const std::string& name) {
    auto started = DaemonProcess::start(
        kProgram, {"--kubeconfig=" + path("kubeconfig"), "--listen=127.0.0.1:0"},
        path(name + ".log"));
    EXPECT_TRUE(started) << started.error().message;
    return *std::move(started);
  }

  // The holder of the Lease; "" if none.
  std::string holder() {
    return api_.with_world([](lab::World& world) -> std::string {
      const auto lease = world.get({.kind = lab::find_kind("coordination.k8s.io", "v1", "leases"),
                                    .ns = "kube-system",
                                    .name = "elbowroom-scheduler"});
      return lease ? lab::text_at(*lease, {"spec", "holderIdentity"}) : "";
    });
  }
  // As the holder wrote it.
  policy::Time lease_time(const std::string& field) {
    const std::string text = api_.with_world([&](lab::World& world) -> std::string {
      const auto lease = world.get({.kind = lab::find_kind("coordination.k8s.io", "v1", "leases"),
                                    .ns = "kube-system",
                                    .name = "elbowroom-scheduler"});
      return lease ? lab::text_at(*lease, {"spec", field}) : "";
    });
    const auto time = api::parse_timestamp(text);
    EXPECT_TRUE(time) << field << ": " << text;
    return time.value_or(policy::Time{});
  }
  [[nodiscard]] bool has_listed(std::size_t schedulers) const {
    std::size_t lists = 0;
    for (const lab::RequestRecord& each : api_.requests()) {
      const bool is_watch = each.target.find("watch=") != std::string::npos;
      if (is_watch && each.target.find("/leases") != std::string::npos) ++lists;
    }
    return lists >= schedulers;
  }

  // How long until a holder other than `before` has the Lease.
  std::chrono::milliseconds until_another_leads(const std::string& before,
                                                Clock::time_point since) {
    EXPECT_TRUE(comes_true([&] { return !holder().empty() && holder() != before; }, kPatience));
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since);
  }

  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
};

TEST_F(TwoSchedulers, HandOverOnACleanStopBeforeTheLeaseRunsOut) {
  std::optional<DaemonProcess> leads = start("one");
  ASSERT_TRUE(comes_true([&] { return !holder().empty(); }, kPatience));
  // Host name and UUID: the form of other schedulers' identities.
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  EXPECT_THAT(holder(), ::testing::StartsWith(std::string(host.data()) + "_"));
  EXPECT_THAT(holder(),
              ::testing::ContainsRegex(
                  "_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"));
  for (int round = 0; round < 5; ++round) {
    const std::string before = holder();
    DaemonProcess follows = start("round" + std::to_string(round));
    ASSERT_TRUE(
        comes_true([&] { return has_listed(static_cast<std::size_t>(round) + 2); }, kPatience));
    const Clock::time_point asked = Clock::now();
    ASSERT_EQ(::kill(leads->pid(), SIGTERM), 0);
    const std::chrono::milliseconds took = until_another_leads(before, asked);
    std::cout << "handed over in " << took.count() << " ms\n";
    EXPECT_LT(took, kUnlikeRunningOut);
    EXPECT_EQ(leads->stop(kPatience).value_or(-1), 0);
    leads.emplace(std::move(follows));
  }
}

// A delete that a webhook delays for longer than any client waits.
TEST_F(TwoSchedulers, HandOverAlsoWhereADeleteIsNotAnswered) {
  const DaemonProcess one = start("one");
  ASSERT_TRUE(comes_true([&] { return !holder().empty(); }, kPatience));
  const std::string before = holder();
  const DaemonProcess two = start("two");
  ASSERT_TRUE(comes_true([&] { return has_listed(2); }, kPatience));
  api_.inject({.kind = lab::Fault::Kind::Hang, .method = "DELETE", .times = 1000});
  api_.with_world([](lab::World& world) {
    lab::Json node = lab::testing::node_object("node-2");
    node["status"]["allocatable"] = node["status"]["capacity"];
    EXPECT_TRUE(world.load(node));
    for (const auto& [name, priority, cpu, deferred] :
         {std::tuple{"web", 100, "2", true}, std::tuple{"batch", 1, "3", false}}) {
      lab::Json pod = lab::testing::pod_object(name, "node-2");
      pod["spec"]["priority"] = priority;
      pod["spec"]["schedulerName"] = "somebody";
      pod["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", cpu}};
      pod["status"] = {{"phase", "Running"}};
      if (deferred) {
        pod["status"]["conditions"] = lab::Json::array(
            {{{"type", "PodResizePending"}, {"status", "True"}, {"reason", "Deferred"}}});
        pod["status"]["containerStatuses"] =
            lab::Json::array({{{"name", pod["spec"]["containers"][0]["name"]},
                               {"allocatedResources", {{"cpu", "1"}}},
                               {"resources", {{"requests", {{"cpu", "1"}}}}}}});
      }
      EXPECT_TRUE(world.load(pod));
    }
  });
  ASSERT_TRUE(comes_true(
      [&] {
        return std::ranges::any_of(api_.requests(), [](const lab::RequestRecord& each) {
          return each.method == "DELETE";
        });
      },
      kPatience));
  const Clock::time_point asked = Clock::now();
  ASSERT_EQ(::kill(one.pid(), SIGTERM), 0);
  const std::chrono::milliseconds took = until_another_leads(before, asked);
  std::cout << "handed over in " << took.count() << " ms\n";
  EXPECT_LT(took, kUnlikeRunningOut);
  api_.clear_faults();
}

// A node of 4 cpus with a pod that wants 2 and has 1, and others that take its room repeatedly.
class RestartedBetweenSets : public TwoSchedulers, public ::testing::WithParamInterface<bool> {
 protected:
  RestartedBetweenSets() {
    api_.with_world([](lab::World& world) {
      lab::Json node = lab::testing::node_object("node-2");
      node["status"]["capacity"] = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}};
      node["status"]["allocatable"] = node["status"]["capacity"];
      EXPECT_TRUE(world.load(node));
      lab::Json web = pod("web", 100, "2");
      web["status"]["conditions"] = lab::Json::array(
          {{{"type", "PodResizePending"}, {"status", "True"}, {"reason", "Deferred"}}});
      web["status"]["containerStatuses"] =
          lab::Json::array({{{"name", web["spec"]["containers"][0]["name"]},
                             {"allocatedResources", {{"cpu", "1"}}},
                             {"resources", {{"requests", {{"cpu", "1"}}}}}}});
      EXPECT_TRUE(world.load(web));
    });
  }

  static lab::Json pod(const std::string& name, int priority, const std::string& cpu) {
    lab::Json made = lab::testing::pod_object(name, "node-2");
    made["spec"]["priority"] = priority;
    made["spec"]["schedulerName"] = "somebody";
    made["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", cpu}};
    made["status"] = {{"phase", "Running"}};
    return made;
  }

  void arrives(const std::string& name) {
    api_.with_world([&](lab::World& world) { EXPECT_TRUE(world.load(pod(name, 1, "3"))); });
  }
  bool is_leaving(const std::string& name) {
    return api_.with_world([&](lab::World& world) {
      const auto found = world.get(lab::testing::pod_target(name));
      return found && (*found)["metadata"].contains("deletionTimestamp");
    });
  }
  void has_left(const std::string& name) {
    api_.with_world([&](lab::World& world) {
      EXPECT_TRUE(world.remove(lab::testing::pod_target(name), {.grace_seconds = 0}));
    });
  }

  // What the scheduler of that name logged.
  std::string log_of(const std::string& name) const {
    return read_file(path(name + ".log"), 1 << 20).value_or("");
  }
  [[nodiscard]] DaemonProcess start_one(const std::string& name) {
    const std::string elects = GetParam() ? "true" : "false";
    auto started = DaemonProcess::start(
        kProgram,
        {"--kubeconfig=" + path("kubeconfig"), "--listen=127.0.0.1:0", "--leader-elect=" + elects},
        path(name + ".log"));
    EXPECT_TRUE(started) << started.error().message;
    return *std::move(started);
  }
};

TEST_P(RestartedBetweenSets, TheCircuitBreakerCountsThemAll) {
  for (int set = 1; set <= 3; ++set) {
    const std::string name = "batch-" + std::to_string(set);
    arrives(name);
    DaemonProcess one = start_one("one" + std::to_string(set));
    ASSERT_TRUE(comes_true([&] { return is_leaving(name); }, kPatience)) << name;
    has_left(name);
    // A killed leader's Lease must expire; without a Lease there is no wait.
    if (GetParam()) {
      EXPECT_EQ(one.stop(kPatience).value_or(-1), 0);
    } else {
      one.kill();
    }
  }
  arrives("batch-4");
  const DaemonProcess last = start_one("last");
  EXPECT_TRUE(comes_true(
      [&] { return log_of("last").find("more than 3 times in 10 minutes") != std::string::npos; },
      kPatience))
      << log_of("last");
  EXPECT_FALSE(is_leaving("batch-4"));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutALease, RestartedBetweenSets, ::testing::Bool());

TEST_F(TwoSchedulers, WhatOneRecordsGivesTheSameAgain) {
  auto one = DaemonProcess::start(kProgram,
                                  {"--kubeconfig=" + path("kubeconfig"), "--listen=127.0.0.1:0",
                                   "--record=" + path("recording")},
                                  path("one.log"));
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_TRUE(comes_true([&] { return !holder().empty(); }, kPatience));
  EXPECT_EQ(one->stop(kPatience).value_or(-1), 0);
  auto reader = recording::RecordingReader::open(path("recording"));
  ASSERT_TRUE(reader) << reader.error().message;
  const auto report = scheduler::replay(*reader, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->first) << report->first->line;
  EXPECT_GE(report->observations, 5U);
  EXPECT_GE(report->effects, 2U) << "it took the Lease and gave it back";
}

// Without a right to the Lease, or with an unreadable one, no scheduler leads; it logs that.
TEST_F(TwoSchedulers, WhatStandsBetweenThemAndTheLeaseIsLogged) {
  api_.inject({.path_contains = "/leases", .code = 403, .reason = "Forbidden", .times = 1000});
  const DaemonProcess one = start("one");
  EXPECT_TRUE(comes_true(
      [&] {
        return read_file(path("one.log"), 1 << 20).value_or("").find("the Lease is not followed") !=
               std::string::npos;
      },
      kPatience));
  EXPECT_EQ(holder(), "");
}

TEST_F(TwoSchedulers, AKilledLeaderIsFollowedWhenItsLeaseHasRunOut) {
  DaemonProcess one = start("one");
  ASSERT_TRUE(comes_true([&] { return !holder().empty(); }, kPatience));
  const std::string before = holder();
  const DaemonProcess two = start("two");
  ASSERT_TRUE(comes_true([&] { return has_listed(2); }, kPatience));
  const Clock::time_point asked = Clock::now();
  one.kill();
  const policy::Time renewed = lease_time("renewTime");
  const std::chrono::milliseconds took = until_another_leads(before, asked);
  std::cout << "took over after " << took.count() << " ms\n";
  EXPECT_GE(lease_time("acquireTime") - renewed, 15s);
}

}  // namespace
}  // namespace elbowroom::test
