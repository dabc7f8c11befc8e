// The acts of `selftest --sandbox`: how they are evaluated, that they leave nothing behind, that
// they detect a filter of system calls, and that nothing stops them without one.
#include "daemon/program/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/document_text.h"
#include "daemon/program/selftest.h"

namespace elbowroom::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto kAll = {SandboxOf::Companion, SandboxOf::Authority, SandboxOf::Scheduler};

// A folder with the files that a service has.
class Place {
 public:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "sandbox-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    for (const char* file : {"config.yaml", "kubeconfig"}) std::ofstream(path_ + "/" + file) << "x";
    std::filesystem::create_directory(path_ + "/state");
  }
  ~Place() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] Surroundings surroundings(SandboxOf of) const {
    return {.of = of,
            .config = path_ + "/config.yaml",
            .kubeconfig = path_ + "/kubeconfig",
            .server_host = "127.0.0.1",
            .server_port = 1,
            .state_folder = path_ + "/state",
            .runtime_socket = path_ + "/runtime.sock",
            .cgroup_root = path_};
  }
  [[nodiscard]] std::string state() const { return path_ + "/state"; }

 private:
  std::string path_;
};

TEST(Sandbox, EachOfTheThreeHasItsActsByName) {
  const Place place;
  for (const SandboxOf of : kAll) {
    std::set<std::string> names;
    const std::vector<SandboxAct> forbidden = forbidden_acts(of);
    const std::vector<SandboxAct> needed = needed_acts(place.surroundings(of));
    EXPECT_GE(forbidden.size(), 40U) << to_string(of);
    EXPECT_GE(needed.size(), 20U) << to_string(of);
    for (const SandboxAct& each : forbidden) {
      EXPECT_EQ(each.expected, Expected::Denied);
      EXPECT_TRUE(names.insert(each.name).second) << each.name;
    }
    for (const SandboxAct& each : needed) {
      EXPECT_EQ(each.expected, Expected::Works);
      // The runtime is forbidden beside a kubelet, and needed in its place.
      EXPECT_TRUE(names.insert(each.name).second) << each.name;
    }
    const auto has_bus = [](const std::vector<SandboxAct>& acts) {
      return std::ranges::find(acts, "the system bus", &SandboxAct::name) != acts.end();
    };
    EXPECT_EQ(has_bus(forbidden), of != SandboxOf::Authority);
    EXPECT_EQ(has_bus(needed), of == SandboxOf::Authority);
    EXPECT_EQ(names.contains("a bus of its own making"), of == SandboxOf::Authority);
    EXPECT_EQ(names.contains("a control group"), of != SandboxOf::Authority);
    EXPECT_EQ(names.contains("its state"), of != SandboxOf::Scheduler);
  }
}

struct Case {
  Expected expected;
  bool absence_is_denial;
  Tried tried;
  bool is_as_expected;
};

TEST(Sandbox, WhatIsDeniedIsToldFromWhatOnlyFailed) {
  constexpr auto kDenied = Expected::Denied;
  constexpr auto kWorks = Expected::Works;
  const std::vector<Case> cases = {
      {kDenied, false, {.error = 0}, false},
      {kDenied, false, {.error = EPERM}, true},
      {kDenied, false, {.error = EACCES}, true},
      {kDenied, false, {.error = EINVAL}, false},
      {kDenied, false, {.error = ENOENT}, false},
      {kDenied, false, {.error = EROFS}, false},
      {kDenied, false, {.killed = true}, true},
      {kDenied, false, {.hung = true}, false},
      {kDenied, true, {.error = ENOENT}, true},
      {kDenied, true, {.error = EROFS}, true},
      {kDenied, true, {.error = EAFNOSUPPORT}, true},
      {kDenied, true, {.error = ECONNREFUSED}, false},
      {kDenied, true, {.error = ENOSPC}, false},
      {kDenied, true, {.error = 0}, false},
      {kWorks, false, {.error = 0}, true},
      {kWorks, false, {.error = EPERM}, false},
      {kWorks, false, {.error = ENOENT}, false},
      {kWorks, false, {.killed = true}, false},
      {kWorks, false, {.hung = true}, false},
  };
  for (const Case& each : cases) {
    const SandboxAct act{
        .name = "x", .expected = each.expected, .absence_is_denial = each.absence_is_denial};
    EXPECT_EQ(is_as_expected(act, each.tried), each.is_as_expected)
        << (each.expected == kDenied) << each.absence_is_denial << " " << each.tried.error;
  }
}

TEST(Sandbox, AChildMayEndAsItLikes) {
  const Surroundings at;
  const auto tried = [&](int (*act)(const Surroundings&)) {
    return try_act({.name = "x", .act = act}, at);
  };
  EXPECT_EQ(tried([](const Surroundings&) { return 0; }), Tried{});
  EXPECT_EQ(tried([](const Surroundings&) { return EPERM; }), Tried{.error = EPERM});
  EXPECT_EQ(tried([](const Surroundings&) {
              ::kill(::getpid(), SIGKILL);
              return 0;
            }),
            Tried{.killed = true});
  EXPECT_EQ(tried([](const Surroundings&) {
              ::kill(::getpid(), SIGALRM);  // what comes when its time is over
              return 0;
            }),
            Tried{.hung = true});
}

// Denies these calls, for this process and its children, as a unit's SystemCallFilter= does.
bool filter_calls(const std::set<long>& calls) {
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{.len = static_cast<unsigned short>(program.size()),
                          .filter = program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Runs f in a child; its answer, 0 to 255.
template <class F>
int in_child(F f) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(f());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(Sandbox, AFilterOfSystemCallsIsNoticedCallByCall) {
  std::vector<SandboxAct> acts;
  std::set<long> calls;
  for (SandboxAct& each : forbidden_acts(SandboxOf::Companion)) {
    if (each.call < 0) continue;
    calls.insert(each.call);
    acts.push_back(std::move(each));
  }
  ASSERT_GE(acts.size(), 35U);
  const Surroundings at;
  const int not_denied = in_child([&] {
    if (!filter_calls(calls)) return 255;
    int count = 0;
    for (const SandboxAct& each : acts) count += is_denied(each, try_act(each, at)) ? 0 : 1;
    return count;
  });
  EXPECT_EQ(not_denied, 0);
  // And one that the filter forgets: any process may ask for a queue of messages.
  const auto forgotten =
      std::ranges::find(acts, "msgget", [](const SandboxAct& each) { return each.name; });
  ASSERT_NE(forgotten, acts.end());
  calls.erase(forgotten->call);
  const int error =
      in_child([&] { return filter_calls(calls) ? try_act(*forgotten, at).error : 255; });
  EXPECT_EQ(error, 0) << "nothing stopped it";
}

// The names in the folders that are written to.
std::set<std::string> names_in(const std::vector<std::string>& folders) {
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const auto& each : std::filesystem::directory_iterator(folder, error)) {
      if (each.path().filename().string().contains("selftest")) names.insert(each.path().string());
    }
  }
  return names;
}

TEST(Sandbox, OutsideOneItSaysSoAndLeavesNothingBehind) {
  const Place place;
  const Surroundings at = place.surroundings(SandboxOf::Companion);
  const int outcome = in_child([&] {
    const SandboxReport report = try_sandbox(at);
    const auto allowed = [&](std::string_view name) {
      const auto found = std::ranges::find(report.results, name,
                                           [](const SandboxResult& each) { return each.act.name; });
      return found != report.results.end() && !is_as_expected(found->act, found->tried);
    };
    // What any user who runs these tests may do.
    if (!allowed("run a shell")) return 1;
    if (!allowed("memory that is written and executed")) return 2;
    if (!allowed("write its configuration")) return 3;
    if (report.is_good()) return 4;
    for (const SandboxResult& each : report.results) {
      if (each.tried.hung) return 5;
      const bool is_systemds =
          each.act.name == "the service manager" || each.act.name == "the journal";
      if (each.act.expected == Expected::Works && !is_systemds &&
          !is_as_expected(each.act, each.tried)) {
        std::fprintf(stderr, "%s", sandbox_text(report).c_str());
        return 6;
      }
    }
    return 0;
  });
  EXPECT_EQ(outcome, 0);
  EXPECT_THAT(names_in({"/tmp", "/var/tmp", "/dev/shm", "/run", "/etc", "/usr", "/var", "/opt",
                        "/boot", "/sys/fs/cgroup", place.state()}),
              IsEmpty());
}

TEST(Sandbox, AProcessWithoutAFilterIsInNone) {
  EXPECT_EQ(why_no_sandbox("Name:\tx\nNoNewPrivs:\t1\nSeccomp:\t2\n"), "");
  EXPECT_THAT(why_no_sandbox("Name:\tx\nNoNewPrivs:\t1\nSeccomp:\t0\n"), HasSubstr("Seccomp: 0"));
  EXPECT_THAT(why_no_sandbox("Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t2\n"),
              HasSubstr("NoNewPrivs: 0"));
  EXPECT_THAT(why_no_sandbox(""), HasSubstr("not told"));
}

TEST(Sandbox, TheReportSaysWhatWentTheOtherWay) {
  SandboxReport report{.at = {.of = SandboxOf::Authority}};
  report.results = {{{.name = "mount"}, {.error = EPERM}},
                    {{.name = "a\x1b[31mred"}, {.error = 0}},
                    {{.name = "epoll", .expected = Expected::Works}, {.error = ENOSYS}}};
  const std::string text = sandbox_text(report);
  EXPECT_THAT(text, HasSubstr("sandbox of mode authority"));
  EXPECT_THAT(text, HasSubstr("ALLOWED  done"));
  EXPECT_THAT(text, HasSubstr("FAILS    ENOSYS"));
  EXPECT_THAT(text, HasSubstr("1 of 2 forbidden acts denied, 0 of 1 needed ones work"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_FALSE(report.is_good());
  const std::string json = to_json(sandbox_document(report));
  EXPECT_THAT(json, HasSubstr("\"unexpected\": 2"));

  report.results.resize(1);
  EXPECT_TRUE(report.is_good());
  report.no_sandbox = "no filter";
  EXPECT_FALSE(report.is_good());
  EXPECT_THAT(sandbox_text(report), HasSubstr("this process is in no sandbox: no filter"));
}

TEST(Sandbox, AddressesOfServersLoseTheirBrackets) {
  EXPECT_EQ(without_brackets("[::1]"), "::1");
  EXPECT_EQ(without_brackets("a.example"), "a.example");
  EXPECT_EQ(without_brackets("[]"), "[]");
}

}  // namespace
}  // namespace elbowroom::daemon
