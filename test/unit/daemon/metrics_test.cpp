#include "daemon/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daemon/own_usage.h"

namespace elbowroom::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

int lines_with(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Metrics, TellTheProgramAndItsVersion) {
  EXPECT_THAT(Metrics("elbowroomd").text(),
              HasSubstr("elbowroom_build_info{program=\"elbowroomd\",version=\"" ELBOWROOM_VERSION
                        "\"} 1\n"));
}

TEST(Metrics, ACounterAddsUp) {
  Metrics metrics("elbowroomd");
  const Counter completed = metrics.counter("elbowroom_resize_outcomes_total", "Resizes by outcome",
                                            {{"outcome", "completed"}});
  completed.add();
  completed.add(2);
  EXPECT_THAT(metrics.text(),
              AllOf(HasSubstr("# HELP elbowroom_resize_outcomes_total Resizes by outcome\n"),
                    HasSubstr("# TYPE elbowroom_resize_outcomes_total counter\n"),
                    HasSubstr("elbowroom_resize_outcomes_total{outcome=\"completed\"} 3\n")));
}

TEST(Metrics, AskedForTwiceItIsTheSameFigure) {
  Metrics metrics("elbowroomd");
  metrics.counter("elbowroom_a_total", "A", {{"l", "x"}}).add();
  metrics.counter("elbowroom_a_total", "A", {{"l", "x"}}).add();
  EXPECT_THAT(metrics.text(), HasSubstr("elbowroom_a_total{l=\"x\"} 2\n"));
}

TEST(Metrics, AGaugeSaysWhatItWasSetToLast) {
  Metrics metrics("elbowroomd");
  const Gauge pending = metrics.gauge("elbowroom_pending_resizes", "Resizes that wait");
  pending.set(7);
  pending.set(0);
  EXPECT_THAT(metrics.text(), HasSubstr("elbowroom_pending_resizes 0\n"));
}

TEST(Metrics, AHistogramCountsUpToEachBound) {
  Metrics metrics("elbowroomd");
  const Histogram write = metrics.histogram("elbowroom_state_write_duration_seconds",
                                            "Time to make the state durable", {0.5, 1, 2});
  write.observe(0.75);
  write.observe(5);
  EXPECT_THAT(metrics.text(),
              AllOf(HasSubstr("elbowroom_state_write_duration_seconds_bucket{le=\"0.5\"} 0\n"),
                    HasSubstr("elbowroom_state_write_duration_seconds_bucket{le=\"1\"} 1\n"),
                    HasSubstr("elbowroom_state_write_duration_seconds_bucket{le=\"+Inf\"} 2\n"),
                    HasSubstr("elbowroom_state_write_duration_seconds_sum 5.75\n")));
}

TEST(Metrics, AHostileLabelIsEscaped) {
  Metrics metrics("elbowroomd");
  metrics.gauge("elbowroom_a", "A", {{"l", "x\"} 1\nevil 2"}}).set(1);
  EXPECT_THAT(metrics.text(), Not(HasSubstr("\nevil")));
}

TEST(Metrics, AFamilyIsBounded) {
  Metrics metrics("elbowroomd");
  for (int i = 0; i < 1000; ++i) {
    metrics.counter("elbowroom_a_total", "A", {{"l", std::to_string(i)}}).add();
  }
  metrics.counter("elbowroom_a_total", "A", {{"l", "0"}}).add();
  const std::string text = metrics.text();
  EXPECT_EQ(lines_with(text, "elbowroom_a_total{"), 256);
  EXPECT_THAT(text, HasSubstr("elbowroom_a_total{l=\"other\"} 745\n"));
  EXPECT_THAT(text, HasSubstr("elbowroom_a_total{l=\"0\"} 2\n"));
}

TEST(Metrics, BoundsDouble) {
  EXPECT_EQ(doubling_bounds(0.25, 4), (std::vector<double>{0.25, 0.5, 1, 2}));
}

TEST(Metrics, SayWhatTheProgramItselfUses) {
  const OwnUsage usage = own_usage();
  ASSERT_TRUE(usage.resident_bytes && usage.anonymous_bytes && usage.open_files && usage.cpu_ms);
  EXPECT_GT(*usage.resident_bytes, *usage.anonymous_bytes);
  EXPECT_GE(*usage.open_files, 3);
  EXPECT_THAT(Metrics("elbowroomd").text(),
              AllOf(HasSubstr("process_resident_memory_bytes "), HasSubstr("process_open_fds ")));
}

TEST(Metrics, WhatCannotBeReadIsLeftOut) {
  EXPECT_EQ(to_metrics_text({}), "");
  EXPECT_EQ(to_metrics_text({.cpu_ms = 12034}),
            "# HELP process_cpu_seconds_total User and system cpu time spent\n"
            "# TYPE process_cpu_seconds_total counter\n"
            "process_cpu_seconds_total 12.034\n");
}

}  // namespace
}  // namespace elbowroom::daemon
