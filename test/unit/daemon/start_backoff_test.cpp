#include "daemon/program/start_backoff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "daemon/program/stop_signals.h"

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;

class BackOff : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(block_stop_signals());
    ASSERT_TRUE(take_reload_signals());
  }
  void TearDown() override {  // as it is for the other tests of this program
    ASSERT_TRUE(block_stop_signals());
    sigset_t hang_up;
    sigemptyset(&hang_up);
    sigaddset(&hang_up, SIGHUP);
    ASSERT_EQ(pthread_sigmask(SIG_UNBLOCK, &hang_up, nullptr), 0);
  }
  static void send(int signal) { ASSERT_EQ(pthread_kill(pthread_self(), signal), 0); }

  Log log_{"test", LogFormat::Json, LogLevel::Error};
};

TEST_F(BackOff, OfNothingIsNone) {
  send(SIGTERM);
  EXPECT_TRUE(back_off(0s, log_));
  EXPECT_EQ(wait_for_stop_signal(0ms), StopSignal::Terminate);
}

TEST_F(BackOff, LastsItsTime) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(back_off(1s, log_));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 1s);
}

TEST_F(BackOff, EndsWhenItIsAskedToStop) {
  for (const int signal : {SIGTERM, SIGINT}) {
    send(signal);
    EXPECT_FALSE(back_off(3600s, log_));
  }
}

TEST_F(BackOff, AReloadIsKeptForWhatFollows) {
  send(SIGHUP);
  EXPECT_TRUE(back_off(1s, log_));
  EXPECT_EQ(wait_for_stop_signal(0ms), StopSignal::Reload);
  EXPECT_EQ(wait_for_stop_signal(0ms), StopSignal::None);
}

TEST_F(BackOff, AReloadDoesNotKeepItFromStopping) {
  send(SIGHUP);
  send(SIGTERM);
  EXPECT_FALSE(back_off(3600s, log_));
}

}  // namespace
}  // namespace elbowroom::daemon
