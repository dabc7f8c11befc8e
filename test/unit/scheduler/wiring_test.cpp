// The scheduler's threads.
#include "scheduler/wiring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "test/unit/api/loopback.h"

namespace elbowroom::scheduler {
namespace {

// Between two looks a quarter of a second passes at least; the end waits for none.
TEST(Wiring, WhatHappenedLastBeforeAStopIsTold) {
  const api::Loopback server([](httplib::Server&) {});
  std::atomic<int> looks = 0;
  std::binary_semaphore looked{0};
  SchedulerOptions options;
  options.reactor.leader_elect = false;
  options.worker.leader_elect = false;
  options.access = server.access();
  SchedulerReports reports;
  reports.followed = [&](const ApiRound&) {
    if (looks++ == 0) looked.release();
  };
  Scheduler scheduler(std::move(options), std::move(reports));
  std::jthread body([&](const std::stop_token& stop) { scheduler.run(stop); });
  looked.acquire();
  body.request_stop();
  body.join();
  EXPECT_GE(looks.load(), 2);
}

}  // namespace
}  // namespace elbowroom::scheduler
