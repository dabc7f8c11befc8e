#include "daemon/program/stop_signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;

TEST(StopSignals, ASignalThatCameBeforeTheWaitIsNotLost) {
  ASSERT_TRUE(block_stop_signals());
  ASSERT_EQ(pthread_kill(pthread_self(), SIGTERM), 0);
  EXPECT_EQ(wait_for_stop_signal(30s), StopSignal::Terminate);
  EXPECT_EQ(wait_for_stop_signal(0ms), StopSignal::None);
}

TEST(StopSignals, ASignalEndsTheWait) {
  ASSERT_TRUE(block_stop_signals());
  const pthread_t waiting = pthread_self();
  const std::jthread sender([waiting] { pthread_kill(waiting, SIGINT); });
  EXPECT_EQ(wait_for_stop_signal(30s), StopSignal::Interrupt);
}

TEST(StopSignals, TheWaitEndsWithItsBound) {
  ASSERT_TRUE(block_stop_signals());
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(wait_for_stop_signal(20ms), StopSignal::None);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
}

TEST(StopSignals, AThreadStartedLaterDoesNotDieOfIt) {
  ASSERT_TRUE(block_stop_signals());
  std::jthread([] { ASSERT_EQ(pthread_kill(pthread_self(), SIGTERM), 0); }).join();
  EXPECT_EQ(wait_for_stop_signal(0ms), StopSignal::None);  // it was that thread's own
}

TEST(StopSignals, AHangUpIsTakenOnlyByWhoAsksForIt) {
  ASSERT_TRUE(block_stop_signals());
  ASSERT_EQ(pthread_kill(pthread_self(), SIGHUP), 0);
  EXPECT_EQ(wait_for_stop_signal(0ms), StopSignal::None);
  ASSERT_TRUE(take_reload_signals());
  ASSERT_EQ(pthread_kill(pthread_self(), SIGHUP), 0);
  EXPECT_EQ(wait_for_stop_signal(30s), StopSignal::Reload);
  EXPECT_EQ(to_string(StopSignal::Reload), "SIGHUP");
}

TEST(StopSignals, ABrokenPipeAndAHangUpAreIgnored) {
  ASSERT_TRUE(block_stop_signals());
  EXPECT_EQ(std::raise(SIGPIPE), 0);
  EXPECT_EQ(std::raise(SIGHUP), 0);
}

TEST(StopSignals, HaveTheirUsualNames) {
  EXPECT_EQ(to_string(StopSignal::None), "");
  EXPECT_EQ(to_string(StopSignal::Interrupt), "SIGINT");
  EXPECT_EQ(to_string(StopSignal::Terminate), "SIGTERM");
}

}  // namespace
}  // namespace elbowroom::daemon
