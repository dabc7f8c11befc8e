// elbowroomd as a process: the errors that keep it from starting, what it serves, and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "agent/recording/recording.h"
#include "base/durable_file.h"
#include "base/fd.h"
#include "daemon/http/listener.h"
#include "daemon/program/crash_record.h"
#include "lab/daemon_process.h"
#include "test/checkout.h"
#include "test/simulation/faulty_node.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

using lab::comes_true;
using lab::DaemonProcess;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

const char* const kProgram = test::kAgent;
constexpr const char* kToken = "s3cr3t-t0ken-of-the-test";

struct Ended {
  int status = -1;
  std::string output{};
};

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

Ended run(const std::string& folder, const std::vector<std::string>& arguments) {
  const std::string log = folder + "/out.log";
  std::filesystem::remove(log);
  auto process = DaemonProcess::start(kProgram, arguments, log);
  EXPECT_TRUE(process) << process.error().message;
  Ended ended;
  int status = 0;
  siginfo_t about{};
  // Left for stop() to reap; a process that has ended can wait.
  const bool over = comes_true(
      [&] {
        return ::waitid(P_PID, static_cast<id_t>(process->pid()), &about,
                        WEXITED | WNOHANG | WNOWAIT) == 0 &&
               about.si_pid == process->pid();
      },
      kPatience);
  EXPECT_TRUE(over) << "it did not end";
  if (const auto got = process->stop(kPatience)) status = *got;
  ended.status = status;
  ended.output = read_file(log, 1 << 20).value_or("");
  return ended;
}

class AgentProgram : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string folder() const { return folder_.path().string(); }
  Ended run_with(const std::vector<std::string>& arguments) { return run(folder(), arguments); }

  test::TemporaryFolder folder_;
};

TEST_F(AgentProgram, ABadConfigurationIsNamedWithFileLineKeyAndRemedy) {
  const std::string file = path("agent.yaml");
  put(file, "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\nnodeNam: node-1\n");
  const Ended ended = run_with({"--config=" + file});
  EXPECT_EQ(ended.status, 78);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("agent.yaml: line 3"), HasSubstr("nodeNam"),
                                  HasSubstr("did you mean nodeName")));
  const Ended checked = run_with({"--config=" + file, "--check-config"});
  EXPECT_EQ(checked.status, 78);
  EXPECT_EQ(run_with({"--config=" + path("absent.yaml")}).status, 78);
}

// For a server that does not answer.
const std::string kKubeconfig =
    "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
    "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: u, user: "
    "{}}]\n";

TEST_F(AgentProgram, AGoodConfigurationIsPrintedByCheckConfig) {
  put(path("kubeconfig"), kKubeconfig);
  put(path("agent.yaml"),
      "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\nnodeName: node-7\n");
  // Neither the server, the socket nor the state directory exists, and none is needed.
  for (const std::string mode : {"companion", "authority"}) {
    const Ended ended = run_with({"--config=" + path("agent.yaml"), "--mode=" + mode,
                                  "--kubeconfig=" + path("kubeconfig"),
                                  "--runtime-endpoint=unix:" + path("absent.sock"),
                                  "--state-dir=/proc/nowhere", "--check-config"});
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_THAT(ended.output, HasSubstr("node-7"));
  }
}

TEST_F(AgentProgram, WhatCannotWorkIsRefusedByCheckConfigAndAtTheStart) {
  put(path("kubeconfig"), kKubeconfig);
  struct Row {
    std::vector<std::string> flags;
    std::string key;
    std::string remedy;
  };
  const std::vector<Row> rows = {
      {{"--kubeconfig=" + path("absent"), "--node-name=n"}, "kubeconfig", "absent"},
      {{"--node-name=Not_A_Name"}, "nodeName", "kubectl get nodes"},
      {{"--node-name=n", "--mode=authority", "--runtime-endpoint=tcp://127.0.0.1:1"},
       "runtimeEndpoint",
       "write unix:///run/NAME.sock"},
  };
  for (const Row& row : rows) {
    for (const bool only_check : {true, false}) {
      std::vector<std::string> arguments = {"--kubelet-healthz=", "--listen=127.0.0.1:0",
                                            "--state-dir=" + path("state")};
      if (row.key != "kubeconfig") arguments.push_back("--kubeconfig=" + path("kubeconfig"));
      for (const std::string& flag : row.flags) arguments.push_back(flag);
      if (only_check) arguments.emplace_back("--check-config");
      const Ended ended = run_with(arguments);
      EXPECT_EQ(ended.status, 78) << row.key << only_check;
      EXPECT_THAT(ended.output, AllOf(HasSubstr(row.key + ": "), HasSubstr(row.remedy)));
    }
  }
}

TEST_F(AgentProgram, ABadCommandLineIsUsage) {
  EXPECT_EQ(run_with({"--no-such-flag"}).status, 2);
  EXPECT_EQ(run_with({"--mode=emperor"}).status, 2);
  EXPECT_EQ(run_with({"--listen=nowhere"}).status, 2);
  EXPECT_EQ(run_with({"--help"}).status, 0);
  EXPECT_EQ(run_with({"--version"}).status, 0);
}

TEST_F(AgentProgram, AKubeconfigThatCannotBeUsedIsBadConfiguration) {
  const Ended absent = run_with({"--kubeconfig=" + path("absent")});
  EXPECT_EQ(absent.status, 78);
  EXPECT_THAT(absent.output, HasSubstr("absent"));
  put(path("garbage"), "\x01\x02{{{\n: - ]");
  EXPECT_EQ(run_with({"--kubeconfig=" + path("garbage")}).status, 78);
  // Wrong further down, and with a secret in it.
  put(path("half"),
      "apiVersion: v1\nkind: Config\ncurrent-context: lab\nusers:\n- name: lab\n"
      "  user: {token: " +
          std::string(kToken) + "}\n");
  const Ended half = run_with({"--kubeconfig=" + path("half")});
  EXPECT_EQ(half.status, 78);
  EXPECT_THAT(half.output, Not(HasSubstr(kToken)));
}

// A running one, on a node of the lab.
class AgentDaemon : public ::testing::Test {
 protected:
  AgentDaemon() {
    std::string config = node_.kubeconfig();
    const std::string nobody = "user: {}";
    config.replace(config.find(nobody), nobody.size(),
                   "user: {token: " + std::string(kToken) + "}");
    put(path("kubeconfig"), config);
  }

  std::string path(const std::string& name) const { return (node_.folder() / name).string(); }
  std::string log() const { return read_file(path("agent.log"), 1 << 22).value_or(""); }

  std::vector<std::string> arguments(const std::string& listen) const {
    return {"--mode=authority",
            "--kubelet-healthz=",  // whatever runs on the machine of the test
            "--node-name=node-1",
            "--kubeconfig=" + path("kubeconfig"),
            "--runtime-endpoint=" + node_.endpoint(),
            "--cgroup-root=" + (node_.folder() / "node-1.cgroup").string(),
            "--cgroup-driver=cgroupfs",
            "--state-dir=" + state_dir_,
            "--listen=" + listen};
  }
  // On a port that the system chooses; the log names it.
  void start(const std::vector<std::string>& more = {}) {
    std::filesystem::remove(path("agent.log"));
    std::vector<std::string> all = arguments("127.0.0.1:0");
    all.insert(all.end(), more.begin(), more.end());
    auto started = DaemonProcess::start(kProgram, all, path("agent.log"));
    ASSERT_TRUE(started) << started.error().message;
    process_.emplace(*std::move(started));
    const std::string mark = "127.0.0.1:";
    ASSERT_TRUE(comes_true([&] { return log().find(mark) != std::string::npos; }, kPatience));
    const std::string text = log();
    port_ = std::atoi(text.c_str() + text.find(mark) + mark.size());
    ASSERT_GT(port_, 0) << text;
  }

  struct Answer {
    int status = 0;
    std::string body{};
  };
  Answer get(const std::string& what) const {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(5);
    const auto answer = client.Get(what);
    return answer ? Answer{answer->status, answer->body} : Answer{};
  }

  FaultyNode node_;
  std::string state_dir_ = node_.state_dir();
  std::optional<DaemonProcess> process_;
  int port_ = 0;
};

TEST_F(AgentDaemon, AnswersAndKeepsItsSecret) {
  node_.create("web", "1");
  start();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 200; }, kPatience))
      << get("/readyz?verbose").body;
  EXPECT_EQ(get("/livez").status, 200);
  const Answer metrics = get("/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("elbowroom_"));
  const Answer settings = get("/configz");
  EXPECT_EQ(settings.status, 200);
  EXPECT_THAT(settings.body, AllOf(HasSubstr("node-1"), Not(HasSubstr(kToken))));
  EXPECT_THAT(get("/explain?pod=default/web").body, HasSubstr("default/web"));
  EXPECT_EQ(get("/explain?pod=default/nobody").status, 404);
  EXPECT_EQ(get("/explain").status, 400);
  EXPECT_EQ(get("/nowhere").status, 404);
  node_.api().refuse();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 503; }, kPatience));
  EXPECT_THAT(get("/readyz").body, HasSubstr("[-]api failed"));
  EXPECT_EQ(get("/livez").status, 200);
  const auto status = process_->stop(kPatience);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(*status, 0);
  EXPECT_THAT(log(), Not(HasSubstr(kToken)));
}

// The same effects come out of that file, with at least one resize among them.
void expect_same(const std::string& file) {
  auto reader = recording::RecordingReader::open(file);
  ASSERT_TRUE(reader) << reader.error().message;
  std::size_t saves = 0;
  agent::ReplayOptions options;
  options.did = [&](const agent::Effects& effects) {
    for (const agent::Effect& each : effects) {
      saves += std::holds_alternative<agent::SaveCheckpoint>(each.what) ? 1 : 0;
    }
  };
  const auto report = agent::replay(*reader, options);
  ASSERT_TRUE(report) << file << ": " << report.error().message;
  EXPECT_FALSE(report->first) << file << ": line " << report->first->line;
  EXPECT_GT(saves, 0U) << file;
}

TEST_F(AgentDaemon, WhatItRecordedBeforeItWasKilledReplaysToTheSameAndHoldsNoSecret) {
  constexpr const char* kPlanted = "pl4nted-c4nary";
  lab::Json pod = lab::testing::pod_object("web", "node-1");
  pod["metadata"]["namespace"] = "default";
  pod["metadata"]["annotations"] = {{"example.com/secret", kPlanted}};
  lab::Json& app = pod["spec"]["containers"][0];
  app["env"] = lab::Json::array({{{"name", "PASSWORD"}, {"value", kPlanted}}});
  app["args"] = lab::Json::array({std::string("--token=") + kPlanted});
  node_.load(pod);
  const std::string recording = path("recording");

  start({"--record=" + recording});
  node_.resize("web", "2");
  EXPECT_TRUE(node_.gets("web", "2"));
  EXPECT_THAT(get("/metrics").body, HasSubstr("elbowroom_recording 1"));
  process_->kill();
  start({"--record=" + recording});
  node_.resize("web", "3");
  EXPECT_TRUE(node_.gets("web", "3"));
  process_->kill();

  for (const std::string& file : {recording, recording + ".1"}) {
    expect_same(file);
    const std::string text = read_file(file, 1 << 24).value_or("");
    EXPECT_THAT(text,
                AllOf(HasSubstr("\"web\""), Not(HasSubstr(kPlanted)), Not(HasSubstr(kToken))));
    EXPECT_EQ(std::filesystem::status(file).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
}

// It started, and the requested recording could not be written.
TEST_F(AgentDaemon, ARecordingThatCannotBeginIsRefusedAtTheStart) {
  put(path("precious"), "somebody's text\n");
  for (const std::string place : {"precious", "absent/recording"}) {
    auto all = arguments("127.0.0.1:0");
    all.push_back("--record=" + path(place));
    const Ended ended = run(node_.folder().string(), all);
    EXPECT_EQ(ended.status, 78) << ended.output;
    EXPECT_THAT(ended.output, HasSubstr("record: "));
    EXPECT_THAT(ended.output, HasSubstr("name another file"));
  }
  EXPECT_EQ(read_file(path("precious"), 100).value_or(""), "somebody's text\n");
}

// What a service manager receives, on a socket of the test.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~NotifySocket() { ::unsetenv("NOTIFY_SOCKET"); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  // All that came so far, one message after the other.
  const std::string& heard() {
    std::array<char, 4096> piece{};
    for (ssize_t got = 0;
         (got = ::recv(fd_.get(), piece.data(), piece.size(), MSG_DONTWAIT)) > 0;) {
      heard_ += std::string(piece.data(), static_cast<std::size_t>(got)) + ";";
    }
    return heard_;
  }

 private:
  Fd fd_;
  std::string heard_{};
};

TEST_F(AgentDaemon, AReloadIsTakenWholeOrNotAtAll) {
  NotifySocket manager(path("notify"));
  const std::string header = "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\n";
  const std::string successful = "elbowroom_config_last_reload_successful ";
  put(path("agent.yaml"), header);
  node_.create("web", "1");
  start({"--config=" + path("agent.yaml")});
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 200; }, kPatience));
  EXPECT_THAT(get("/metrics").body, HasSubstr(successful + "1"));
  EXPECT_TRUE(
      comes_true([&] { return manager.heard().find("READY=1;") != std::string::npos; }, kPatience));

  put(path("agent.yaml"), header + "logLevel: debug\ndryRun: true\n");
  ::kill(process_->pid(), SIGHUP);
  EXPECT_TRUE(comes_true(
      [&] { return get("/metrics").body.find(successful + "0") != std::string::npos; }, kPatience));
  EXPECT_TRUE(comes_true(
      [&] { return log().find("configuration not reloaded") != std::string::npos; }, kPatience));
  EXPECT_THAT(log(), HasSubstr("line 4: dryRun"));
  EXPECT_THAT(get("/configz").body, AllOf(HasSubstr("logLevel: info"), HasSubstr("dryRun: false")));

  put(path("agent.yaml"), header + "logLevel: debug\n");
  std::string config = read_file(path("kubeconfig"), 1 << 20).value_or("");
  config.replace(config.find(kToken), std::string(kToken).size(), "another-" + std::string(kToken));
  put(path("kubeconfig"), config);
  ::kill(process_->pid(), SIGHUP);
  EXPECT_TRUE(comes_true(
      [&] { return get("/metrics").body.find(successful + "1") != std::string::npos; }, kPatience));
  EXPECT_TRUE(comes_true([&] { return log().find("logLevel, kubeconfig") != std::string::npos; },
                         kPatience));
  EXPECT_THAT(get("/configz").body, HasSubstr("logLevel: debug"));
  EXPECT_THAT(manager.heard(), HasSubstr("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_TRUE(manager.heard().ends_with("READY=1;") ||
              manager.heard().find("READY=1;", manager.heard().rfind("RELOADING=1")) !=
                  std::string::npos);

  // No state is lost: the watch continues, and so do the resizes.
  node_.create("late", "1");
  EXPECT_TRUE(
      comes_true([&] { return get("/explain?pod=default/late").status == 200; }, kPatience));
  EXPECT_THAT(log(), Not(HasSubstr(kToken)));
}

// Killed five times: the sixth start does no harm and reports why.
TEST_F(AgentDaemon, ThatKeepsCrashingOnlyObserves) {
  ::setenv("RUNTIME_DIRECTORY", node_.folder().string().c_str(), 1);
  node_.create("web", "1");
  const auto shows = [&](const std::string& part) {
    return comes_true([&] { return get("/metrics").body.find(part) != std::string::npos; },
                      kPatience);
  };
  for (int crash = 0; crash < 5; ++crash) {
    start();
    EXPECT_TRUE(shows("elbowroom_safe_mode 0\n"));
    process_->kill();
  }
  start();
  EXPECT_TRUE(shows("elbowroom_safe_mode 1\n"));
  EXPECT_TRUE(comes_true([&] { return node_.has_event("SafeModeEntered"); }, kPatience));
  const std::size_t updates = node_.updates();
  EXPECT_THAT(get("/readyz").body, HasSubstr("[-]crashes failed: elbowroomd ended abnormally"));
  node_.resize("web", "2");
  EXPECT_TRUE(
      comes_true([&] { return log().find("would allocate") != std::string::npos; }, kPatience));
  EXPECT_EQ(node_.updates(), updates);
  EXPECT_NE(node_.allocated_cpu("web"), "2");

  EXPECT_TRUE(process_->stop(kPatience));
  start();
  EXPECT_TRUE(shows("elbowroom_safe_mode 0\n"));
  EXPECT_TRUE(node_.gets("web", "2"));
  ::unsetenv("RUNTIME_DIRECTORY");
}

// If it crashes in safe mode too, it is started less and less often; a stop does not wait.
TEST_F(AgentDaemon, ThatCrashesOnInSafeModeWaitsBeforeItStarts) {
  ::setenv("RUNTIME_DIRECTORY", node_.folder().string().c_str(), 1);
  put(path("crashes"), "");
  for (int crash = 0; crash < 7; ++crash) {
    const long long now = daemon::since_boot().count();
    std::ofstream(path("crashes"), std::ios::app) << "crash " << now << "\n";
  }
  std::ofstream(path("crashes"), std::ios::app) << "loop\n";
  NotifySocket manager(path("notify"));
  start();  // 4 s after the last one
  EXPECT_THAT(log(), ContainsRegex("starts only in [1-4] s"));
  EXPECT_THAT(manager.heard(),
              ContainsRegex("EXTEND_TIMEOUT_USEC=6[1-4]000000;STATUS=starts only"));
  EXPECT_LT(manager.heard().find("EXTEND_TIMEOUT_USEC"), manager.heard().find("READY=1"));
  EXPECT_TRUE(comes_true(
      [&] { return get("/metrics").body.find("elbowroom_safe_mode 1\n") != std::string::npos; },
      kPatience));
  for (int crash = 0; crash < 8; ++crash) {
    const long long now = daemon::since_boot().count();
    std::ofstream(path("crashes"), std::ios::app) << "crash " << now << "\n";
  }
  process_->kill();
  std::filesystem::remove(path("agent.log"));
  auto waits = DaemonProcess::start(kProgram, arguments("127.0.0.1:0"), path("agent.log"));
  ASSERT_TRUE(waits) << waits.error().message;
  EXPECT_TRUE(comes_true([&] { return log().find("starts only in 64 s") != std::string::npos; },
                         kPatience));
  const auto status = waits->stop(kPatience);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(*status, 0);
  EXPECT_FALSE(std::filesystem::exists(path("crashes")));
  ::unsetenv("RUNTIME_DIRECTORY");
}

// From the wire to the page; figures_test.cpp tests the meaning of each figure.
TEST_F(AgentDaemon, MetricsMoveWhenThingsHappen) {
  node_.create("web", "1");
  start();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 200; }, kPatience));
  node_.resize("web", "2");
  const auto shows = [&](const std::string& part) {
    return comes_true([&] { return get("/metrics").body.find(part) != std::string::npos; },
                      kPatience);
  };
  EXPECT_TRUE(shows("elbowroom_resize_outcomes_total{outcome=\"completed\"} 1\n"));
  EXPECT_TRUE(shows("elbowroom_node_resource_cpu_cores{state=\"actual\"} 2\n"));
  EXPECT_TRUE(shows("elbowroom_mode_info{mode=\"authority\"} 1\n"));
  const std::string body = get("/metrics").body;
  EXPECT_THAT(
      body, AllOf(ContainsRegex("resize_duration_seconds_count\\{phase=\"verify\"} 1"),
                  ContainsRegex("_requests_total\\{code=\"200\",resource=\"pods\",verb=\"LIST"),
                  ContainsRegex("verb=\"PATCH\"} [1-9]"),
                  ContainsRegex("watch_events_total\\{resource=\"pods\",type=\"MODIFIED\"} [1-9]"),
                  ContainsRegex("cache_staleness_seconds\\{resource=\"pods\"}"),
                  ContainsRegex("code=\"OK\",method=\"UpdateContainerResources\"} [1-9]"),
                  ContainsRegex("code=\"OK\",method=\"ListContainers\"} [1-9]"),
                  ContainsRegex("state_bytes [1-9]"),
                  ContainsRegex("loop_duration_seconds_count\\{loop=\"runtime\"} [1-9]"),
                  ContainsRegex("loop_duration_seconds_count\\{loop=\"api\"} [1-9]")));
  // No label depends on the pods, so this is as many as there are with 110 of them; answers of many
  // kinds may still add some.
  std::istringstream lines(body);
  int series = 0;
  for (std::string line; std::getline(lines, line);) series += line.starts_with('#') ? 0 : 1;
  EXPECT_LE(series, 400);
  node_.api().refuse();
  EXPECT_TRUE(shows("elbowroom_ready{check=\"api\"} 0\n"));
  EXPECT_TRUE(comes_true(
      [&] {
        const std::string now = get("/metrics").body;
        return now.find("{code=\"none\",resource=\"pods\"") != std::string::npos &&
               now.find("watch_restarts_total{cause=\"eof\",resource=\"pods\"} 1") !=
                   std::string::npos;
      },
      kPatience))
      << get("/metrics").body;
}

TEST_F(AgentDaemon, EndsInTimeWhileApiAndRuntimeHang) {
  node_.create("web", "1");
  start();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 200; }, kPatience));
  node_.api().silence();
  node_.runtime().silence();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 503; }, kPatience));
  EXPECT_EQ(get("/livez").status, 200);
  const auto status = process_->stop(kPatience);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(*status, 0);
}

TEST_F(AgentDaemon, APortThatIsTakenIsSaid) {
  const auto taken = daemon::listen_on({.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(taken) << taken.error().message;
  const std::string address = daemon::to_string(taken->address);
  const Ended ended = run(node_.folder().string(), arguments(address));
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.output, HasSubstr(address));
}

TEST_F(AgentDaemon, TwoDoNotUseOneStateDirectory) {
  start();
  const Ended second = run(node_.folder().string(), arguments("127.0.0.1:0"));
  EXPECT_EQ(second.status, 75) << "the other one may end";
  EXPECT_THAT(second.output,
              AllOf(HasSubstr("state directory " + node_.state_dir() + ": another agent uses it"),
                    HasSubstr("stop that one, or set stateDir")));
  process_->kill();
  start();
  EXPECT_TRUE(comes_true([&] { return get("/readyz").status == 200; }, kPatience));
}

TEST_F(AgentDaemon, ADryRunMayReadTheStateOfAnAgentThatRuns) {
  start();
  auto beside = arguments("127.0.0.1:0");
  beside.emplace_back("--dry-run");
  auto second = DaemonProcess::start(kProgram, beside, path("second.log"));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(comes_true(
      [&] {
        return read_file(path("second.log"), 1 << 20).value_or("").find("started in mode") !=
               std::string::npos;
      },
      kPatience));
}

TEST_F(AgentDaemon, AStateDirectoryIsMadeWhereItIsMissing) {
  state_dir_ = path("not/yet/there");
  start();
  EXPECT_EQ(std::filesystem::status(state_dir_).permissions(), std::filesystem::perms::owner_all);
  state_dir_ = path("file");
  put(state_dir_, "somebody's");
  const Ended ended = run(node_.folder().string(), arguments("127.0.0.1:0"));
  EXPECT_EQ(ended.status, 78);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("state directory " + state_dir_),
                                  HasSubstr("make it a directory"), HasSubstr("set stateDir")));
}

// An agent that looks for a kubelet has started and is not ready: a server that does not answer can
// hold it there.
class StartingAgent : public AgentDaemon {
 protected:
  StartingAgent() {
    std::vector<std::string> all = arguments("127.0.0.1:0");
    std::erase(all, "--kubelet-healthz=");
    all.push_back("--kubelet-healthz=" + daemon::to_string(listener_.address));
    auto started = DaemonProcess::start(kProgram, all, path("agent.log"));
    EXPECT_TRUE(started);
    if (started) process_.emplace(*std::move(started));
    Fd peer;
    EXPECT_TRUE(comes_true(
        [&] {
          peer = Fd(::accept(listener_.socket.get(), nullptr, nullptr));
          return peer.is_open();
        },
        kPatience));
    peer_ = std::move(peer);
  }
  // Answers with what no kubelet answers.
  void let_go() {
    constexpr std::string_view kOther = "SSH-2.0-OpenSSH_9.2\r\n";
    EXPECT_GT(::send(peer_.get(), kOther.data(), kOther.size(), MSG_NOSIGNAL), 0);
    peer_ = Fd();
  }
  bool says(const std::string& words) const {
    return comes_true([&] { return log().find(words) != std::string::npos; }, kPatience);
  }

  daemon::Listener listener_ = daemon::listen_on({.host = "127.0.0.1", .port = 0}).value();
  Fd peer_{};
};

TEST_F(StartingAgent, HeedsAReloadOnceItRuns) {
  ::kill(process_->pid(), SIGHUP);
  let_go();
  EXPECT_TRUE(says("configuration reloaded")) << log();
}

TEST_F(StartingAgent, HeedsAStopAsOneThatRuns) {
  ::kill(process_->pid(), SIGTERM);
  let_go();
  EXPECT_TRUE(says("stopping")) << log();
  const auto status = process_->stop(kPatience);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(*status, 0);
}

// Answers like a running kubelet, on a port that the system chooses.
class Healthz {
 public:
  Healthz() {
    server_.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("ok", "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Healthz() { server_.stop(); }
  Healthz(const Healthz&) = delete;
  Healthz& operator=(const Healthz&) = delete;

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::jthread thread_;
};

TEST_F(AgentDaemon, AuthorityDoesNotStartBesideAKubelet) {
  const Healthz kubelet;
  auto beside = arguments("127.0.0.1:0");
  beside.push_back("--kubelet-healthz=" + kubelet.address());
  std::erase(beside, "--kubelet-healthz=");
  const Ended ended = run(node_.folder().string(), beside);
  EXPECT_EQ(ended.status, 78);
  EXPECT_THAT(
      ended.output,
      AllOf(HasSubstr("a kubelet answers at http://" + kubelet.address() + "/healthz"),
            HasSubstr("set mode: companion, or stop the kubelet"), HasSubstr("kubeletHealthz")));
  // Its configuration is valid, only this machine is not suitable.
  beside.emplace_back("--check-config");
  EXPECT_EQ(run(node_.folder().string(), beside).status, 0);
}

}  // namespace
}  // namespace elbowroom::test
