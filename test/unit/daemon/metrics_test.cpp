#include "daemon/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "daemon/metrics/process_usage.h"

namespace elbowroom::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

MetricFamilies families() {
  MetricFamilies all = daemon_families({"reactor"});
  all.push_back({.name = "elbowroom_outcomes_total",
                 .type = MetricType::Counter,
                 .labels = {{"outcome", {"completed", "error"}}},
                 .help = "Resizes by outcome"});
  all.push_back({.name = "elbowroom_waiting", .help = "Resizes that wait"});
  all.push_back({.name = "elbowroom_write_duration_seconds",
                 .type = MetricType::Histogram,
                 .unit = "seconds",
                 .help = "Time to make the state durable"});
  return all;
}

TEST(Metrics, TellTheProgramAndWhatItWasBuiltFrom) {
  const std::string text = Metrics("elbowroomd", families()).text();
  EXPECT_THAT(text, AllOf(HasSubstr("program=\"elbowroomd\""), HasSubstr("revision=\""),
                          HasSubstr("version=\"" ELBOWROOM_VERSION "\"")));
  EXPECT_THAT(text, HasSubstr("\nelbowroom_start_time_seconds 1"));
}

TEST(Metrics, ACounterAddsUpAndIsThereBeforeItMoves) {
  const Metrics metrics("elbowroomd", families());
  EXPECT_THAT(metrics.text(),
              AllOf(HasSubstr("# HELP elbowroom_outcomes_total Resizes by outcome\n"),
                    HasSubstr("# TYPE elbowroom_outcomes_total counter\n"),
                    HasSubstr("elbowroom_outcomes_total{outcome=\"completed\"} 0\n")));
  metrics.counter("elbowroom_outcomes_total", {{"outcome", "completed"}}).add();
  metrics.counter("elbowroom_outcomes_total", {{"outcome", "completed"}}).add(2);
  EXPECT_THAT(metrics.text(), HasSubstr("elbowroom_outcomes_total{outcome=\"completed\"} 3\n"));
}

TEST(Metrics, AGaugeSaysWhatItWasSetToLast) {
  const Metrics metrics("elbowroomd", families());
  const Gauge waiting = metrics.gauge("elbowroom_waiting");
  waiting.set(7);
  waiting.set(0);
  EXPECT_THAT(metrics.text(), HasSubstr("elbowroom_waiting 0\n"));
}

TEST(Metrics, AHistogramCountsUpToEachBound) {
  const Metrics metrics("elbowroomd", families());
  const Histogram write = metrics.histogram("elbowroom_write_duration_seconds");
  write.observe(0.0015);
  write.observe(50);
  EXPECT_THAT(metrics.text(),
              AllOf(HasSubstr("elbowroom_write_duration_seconds_bucket{le=\"0.001\"} 0\n"),
                    HasSubstr("elbowroom_write_duration_seconds_bucket{le=\"0.002\"} 1\n"),
                    HasSubstr("elbowroom_write_duration_seconds_bucket{le=\"8.192\"} 1\n"),
                    HasSubstr("elbowroom_write_duration_seconds_bucket{le=\"+Inf\"} 2\n"),
                    HasSubstr("elbowroom_write_duration_seconds_sum 50.0015\n")));
}

TEST(Metrics, AValueThatIsNotInTheTableIsOther) {
  const Metrics metrics("elbowroomd", families());
  for (int i = 0; i < 1000; ++i) {
    metrics.counter("elbowroom_outcomes_total", {{"outcome", "x\"} 1\nevil " + std::to_string(i)}})
        .add();
  }
  EXPECT_THAT(metrics.text(), AllOf(HasSubstr("elbowroom_outcomes_total{outcome=\"other\"} 1000\n"),
                                    Not(HasSubstr("evil"))));
}

TEST(Metrics, AnyThreadMayAskAndMove) {
  const Metrics metrics("elbowroomd", families());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          metrics.counter("elbowroom_outcomes_total", {{"outcome", "error"}}).add();
        }
      });
    }
  }
  EXPECT_THAT(metrics.text(), HasSubstr("elbowroom_outcomes_total{outcome=\"error\"} 2000\n"));
}

TEST(Metrics, SayWhatTheProgramItselfUses) {
  const ProcessUsage usage = process_usage();
  ASSERT_TRUE(usage.resident_bytes && usage.anonymous_bytes && usage.open_files && usage.cpu_ms);
  EXPECT_GT(*usage.resident_bytes, *usage.anonymous_bytes);
  EXPECT_GE(*usage.open_files, 3);
  EXPECT_THAT(Metrics("elbowroomd", families()).text(),
              AllOf(HasSubstr("process_resident_memory_bytes "), HasSubstr("process_open_fds ")));
}

TEST(Metrics, WhatCannotBeReadIsLeftOut) {
  EXPECT_EQ(to_metrics_text({}), "");
  EXPECT_EQ(to_metrics_text({.cpu_ms = 12034}),
            "# HELP process_cpu_seconds_total User and system cpu time spent\n"
            "# TYPE process_cpu_seconds_total counter\n"
            "process_cpu_seconds_total 12.034\n");
}

TEST(MetricFamilies, BoundsDouble) {
  const std::vector<double> bounds = duration_bounds();
  ASSERT_EQ(bounds.size(), 14U);
  EXPECT_DOUBLE_EQ(bounds.front(), 0.001);
  EXPECT_DOUBLE_EQ(bounds.back(), 8.192);
}

TEST(MetricFamilies, LintKnowsWhatANameMustNotBe) {
  EXPECT_THAT(lint(families()), IsEmpty());
  using enum MetricType;
  const auto wrong = [](MetricFamily family) {
    if (family.help.empty()) family.help = "Help";
    return !lint({std::move(family)}).empty();
  };
  EXPECT_FALSE(wrong({.name = "elbowroom_pods"}));
  EXPECT_TRUE(wrong({.name = "pods"}));
  EXPECT_TRUE(wrong({.name = "elbowroom_Pods"}));
  EXPECT_TRUE(wrong({.name = "elbowroom_pods_total"}));
  EXPECT_TRUE(wrong({.name = "elbowroom_pods", .type = Counter}));
  EXPECT_TRUE(wrong({.name = "elbowroom_wait_ms"}));
  EXPECT_TRUE(wrong({.name = "elbowroom_wait_seconds"}));
  EXPECT_TRUE(wrong({.name = "elbowroom_wait", .unit = "seconds"}));
  EXPECT_TRUE(wrong({.name = "elbowroom_sizes", .type = Histogram}));
  EXPECT_TRUE(wrong({.name = "elbowroom_pods", .labels = {{"pod", {"a"}}}}));
  EXPECT_TRUE(wrong({.name = "elbowroom_pods", .labels = {{"reason"}}}));
  EXPECT_TRUE(wrong({.name = "elbowroom_pods", .help = "A sentence."}));
  MetricFamilies twice = {{.name = "elbowroom_pods", .help = "Pods"}};
  twice.push_back(twice.front());
  EXPECT_THAT(lint(twice), Not(IsEmpty()));
}

}  // namespace
}  // namespace elbowroom::daemon
