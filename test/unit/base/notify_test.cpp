#include "base/notify.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/fd.h"

namespace elbowroom {
namespace {

// A service manager's end of the protocol, in a folder of its own.
class ServiceManager : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "notify-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const std::string path = folder_ + "/socket";
    socket_ = Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ASSERT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
              0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
    ::unsetenv("WATCHDOG_PID");
    std::filesystem::remove_all(folder_);
  }

  // sd_notify has sent before it returns, so nothing here has to wait.
  std::string heard() {
    std::array<char, 4096> buffer{};
    const auto got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return got < 0 ? "(nothing)" : std::string(buffer.data(), static_cast<std::size_t>(got));
  }

 private:
  std::string folder_;
  Fd socket_;
};

TEST_F(ServiceManager, HearsWhatItIsTold) {
  notify_ready();
  EXPECT_EQ(heard(), "READY=1");
  notify_alive();
  EXPECT_EQ(heard(), "WATCHDOG=1");
  notify_starting_within(std::chrono::seconds(90));
  EXPECT_EQ(heard(), "EXTEND_TIMEOUT_USEC=90000000");
  notify_stopping();
  EXPECT_EQ(heard(), "STOPPING=1");
}

TEST_F(ServiceManager, AStatusCannotSmuggleInAnotherMessage) {
  notify_status("pod a\nREADY=1");
  EXPECT_EQ(heard(), "STATUS=pod a\\x0aREADY=1");
  notify_status(std::string(5000, 'x'));
  EXPECT_EQ(heard().size(), std::string("STATUS=").size() + 1024);
}

TEST_F(ServiceManager, TheWatchdogIntervalComesFromTheEnvironment) {
  EXPECT_EQ(watchdog_interval(), std::nullopt);
  ::setenv("WATCHDOG_USEC", "20000000", 1);
  EXPECT_EQ(watchdog_interval(), std::chrono::seconds(20));
  ::setenv("WATCHDOG_PID", std::to_string(::getpid() + 1).c_str(), 1);
  EXPECT_EQ(watchdog_interval(), std::nullopt);
  ::unsetenv("WATCHDOG_PID");
  ::setenv("WATCHDOG_USEC", "soon", 1);
  EXPECT_EQ(watchdog_interval(), std::nullopt);
}

TEST(Notify, WithoutAServiceManagerItDoesNothing) {
  ::unsetenv("NOTIFY_SOCKET");
  notify_ready();
  EXPECT_EQ(watchdog_interval(), std::nullopt);
}

}  // namespace
}  // namespace elbowroom
