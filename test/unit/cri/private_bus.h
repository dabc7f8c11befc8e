// A message bus of a test's own: dbus-daemon on a socket in a scratch folder, with a service that
// answers SetUnitProperties as systemd would. While the object exists, DBUS_SYSTEM_BUS_ADDRESS
// names the bus; nothing outside the folder is touched, and the object ends what it started.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "test/temporary_folder.h"

namespace elbowroom::cri {

// The daemon alone.
class PrivateBus {
 public:
  static constexpr const char* kProgram = "/usr/bin/dbus-daemon";
  [[nodiscard]] static bool can_run() { return ::access(kProgram, X_OK) == 0; }

  PrivateBus() {
    std::ofstream(folder_.path() / "bus.conf")
        << "<busconfig><type>custom</type><listen>unix:path=" << socket()
        << "</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow own=\"*\"/>"
           "<allow send_destination=\"*\"/><allow receive_sender=\"*\"/></policy></busconfig>";
    ::setenv("DBUS_SYSTEM_BUS_ADDRESS", ("unix:path=" + socket()).c_str(), 1);
    start();
  }
  ~PrivateBus() {
    stop();
    ::unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
  }
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;

  // Returns when it listens: it prints its address then.
  void start() {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const std::string config = "--config-file=" + (folder_.path() / "bus.conf").string();
    const std::string print = "--print-address=" + std::to_string(STDOUT_FILENO);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execl(kProgram, kProgram, config.c_str(), "--nofork", "--nopidfile", "--nosyslog",
              print.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    char first = 0;
    EXPECT_EQ(::read(ends[0], &first, 1), 1) << "dbus-daemon did not start";
    ::close(ends[0]);
  }
  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
    std::error_code ignored;
    std::filesystem::remove(socket(), ignored);
  }

  [[nodiscard]] std::string socket() const { return (folder_.path() / "bus").string(); }

 private:
  test::TemporaryFolder folder_;
  pid_t pid_ = 0;
};

// A service with systemd's name, with a thread of its own.
class UnitsServer {
 public:
  struct Set {
    std::string unit;
    bool runtime = false;
    std::vector<std::pair<std::string, std::uint64_t>> properties;
  };
  // Called with each; returns the name of the error to answer with, "" for none, "silence" for no
  // answer at all.
  using Answer = std::function<std::string(const Set&)>;

  explicit UnitsServer(Answer answer) : answer_(std::move(answer)) {
    sd_bus* bus = nullptr;
    EXPECT_GE(sd_bus_open_system(&bus), 0);
    EXPECT_GE(
        sd_bus_add_object(bus, nullptr, "/org/freedesktop/systemd1", &UnitsServer::take, this), 0);
    EXPECT_GE(sd_bus_request_name(bus, "org.freedesktop.systemd1", 0), 0);
    thread_ = std::jthread([bus](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const int did = sd_bus_process(bus, nullptr);
        if (did < 0) break;
        if (did == 0 && sd_bus_wait(bus, 10'000) < 0) break;
      }
      sd_bus_close_unref(bus);
    });
  }

  [[nodiscard]] std::vector<Set> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  static int take(sd_bus_message* message, void* self, sd_bus_error* error) {
    if (sd_bus_message_is_method_call(message, "org.freedesktop.systemd1.Manager",
                                      "SetUnitProperties") <= 0) {
      return 0;
    }
    return static_cast<UnitsServer*>(self)->set(message, error);
  }

  int set(sd_bus_message* message, sd_bus_error* error) {
    Set set;
    const char* unit = nullptr;
    int runtime = 0;
    if (sd_bus_message_has_signature(message, "sba(sv)") <= 0) return -EBADMSG;
    if (sd_bus_message_read(message, "sb", &unit, &runtime) < 0) return -EBADMSG;
    set.unit = unit;
    set.runtime = runtime != 0;
    if (sd_bus_message_enter_container(message, 'a', "(sv)") < 0) return -EBADMSG;
    while (sd_bus_message_enter_container(message, 'r', "sv") > 0) {
      const char* name = nullptr;
      std::uint64_t value = 0;
      if (sd_bus_message_read(message, "sv", &name, "t", &value) < 0) return -EBADMSG;
      set.properties.emplace_back(name, value);
      if (sd_bus_message_exit_container(message) < 0) return -EBADMSG;
    }
    const std::string refusal = answer_(set);
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(std::move(set));
    }
    if (refusal == "silence") return 1;
    if (!refusal.empty()) return sd_bus_error_set(error, refusal.c_str(), "refused by the test");
    return sd_bus_reply_method_return(message, nullptr);
  }

  Answer answer_;
  std::mutex mutex_;
  std::vector<Set> seen_;
  std::jthread thread_;  // last: it ends first
};

}  // namespace elbowroom::cri
