// The rescheduler's tables are as they should be, and the pages of docs/ agree with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "daemon/config/config_page.h"
#include "daemon/metrics/metric_family.h"
#include "rescheduler/config.h"
#include "rescheduler/event_table.h"
#include "rescheduler/rescheduler_metrics.h"
#include "test/checkout.h"

namespace elbowroom::rescheduler {
namespace {

using ::testing::HasSubstr;

std::string page(const std::string& name) {
  std::ifstream file(std::filesystem::path(test::kData).parent_path() / "docs" / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

api::ApiEnvironment in_cluster() {
  api::ApiEnvironment environment;
  environment.service_host = "127.0.0.1";
  environment.service_port = "1";
  return environment;
}

daemon::Settings settings(const std::map<std::string, std::string>& flags) {
  const auto made = daemon::with_flags(daemon::defaults(rescheduler_schema()), flags);
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

// Of a file: the options, or why there are none.
Result<ReschedulerOptions> options_of(const std::string& lines) {
  ASSIGN_OR_RETURN(const daemon::Settings read,
                   daemon::settings_from(rescheduler_schema(), "c.yaml",
                                         "apiVersion: elbowroom.dev/v1alpha1\n"
                                         "kind: ReschedulerConfiguration\n" +
                                             lines));
  return Config::own_options(read, "me");
}

TEST(ReschedulerConfig, AFileHasTheRulesOfMovesInsteadOfTheConfigMap) {
  const auto made = options_of(
      "logLevel: warn\ninterval: 1m\npolicies:\n  underutilizedNode: {enabled: true, target: "
      "60}\n");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(made->reactor.rules);
  EXPECT_EQ(made->reactor.rules->interval, std::chrono::minutes(1));
  EXPECT_EQ(made->reactor.rules->policies.underutilized_node.target, 60);
  const auto without = options_of("logLevel: warn\n");
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->reactor.rules);
  const auto bad = options_of("logLevel: warn\npolicies:\n  underutilizedNode: {target: 101}\n");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("target"));
  EXPECT_THAT(bad.error().message, HasSubstr("line 5"));
  EXPECT_THAT(bad.error().message, HasSubstr("c.yaml: "));
}

TEST(ReschedulerConfig, ThePathOfReviewsMayBeASecret) {
  const std::string files = "webhookListen: 127.0.0.1:1\nwebhookCert: /a\nwebhookKey: /b\n";
  EXPECT_EQ(options_of(files)->webhook->path, "/review");
  EXPECT_EQ(options_of(files + "webhookPath: /review/a-1_b.c\n")->webhook->path, "/review/a-1_b.c");
  for (const char* odd : {"review", "'/re view'", "/a?b", "/a%20"}) {
    const auto made = options_of(files + "webhookPath: " + odd + "\n");
    ASSERT_FALSE(made) << odd;
    EXPECT_THAT(made.error().message, HasSubstr("--webhook-path"));
  }
}

TEST(ReschedulerMetricFamilies, AreAsTheyShouldBeAndOnThePage) {
  EXPECT_EQ(daemon::lint(rescheduler_families()), std::vector<std::string>{});
  EXPECT_THAT(page("metrics.md"), HasSubstr("\n" + daemon::metrics_page("elbowroom-rescheduler",
                                                                        rescheduler_families())))
      << "elbowroom reference metrics > docs/metrics.md puts it right";
}

// Every value of every label is shown from what the rescheduler can count.
TEST(ReschedulerFigures, ShowWhatAPassTook) {
  const daemon::Metrics metrics("elbowroom-rescheduler", rescheduler_families());
  Figures figures(metrics);
  figures.reports().judged(1, std::chrono::milliseconds(30));
  EXPECT_THAT(metrics.text(), HasSubstr("elbowroom_rescheduler_pass_duration_seconds_sum 0.03"));
}

TEST(ReschedulerFigures, ShowWhatIsCounted) {
  const daemon::Metrics metrics("elbowroom-rescheduler", rescheduler_families());
  Figures figures(metrics);
  const ReschedulerReports reports = figures.reports();
  ReschedulerStatus now{.leads = true, .synced = true, .lease = "x", .budgets = 3};
  now.counts = {.transitions = 1,
                .fenced_writes = 2,
                .written = 3,
                .conflicts = 4,
                .failed = 5,
                .refunded = 6,
                .entered = 7,
                .avoid_passes = 8,
                .unreadable = 9,
                .passes = 10,
                .refused_settings = 11,
                .failed_rests = 12,
                .moves = {MoveCounts{.evicted = 1,
                                     .blocked = 2,
                                     .failed = 3,
                                     .unknown = 4,
                                     .promised = 5,
                                     .achieved = 6,
                                     .came_back = 7,
                                     .pending = 8},
                          MoveCounts{.evicted = 9}}};
  now.webhook.unanswered = 5;
  now.unread_reviews = 3;
  now.moving = 13;
  now.resting = 14;
  reports.measured(now);
  const std::string text = metrics.text();
  for (const char* line : {"elbowroom_rescheduler_leader 1",
                           "elbowroom_rescheduler_webhook_unanswered_total 5",
                           "elbowroom_rescheduler_reviews_total{result=\"unsure\"} 3",
                           "elbowroom_rescheduler_leader_transitions_total 1",
                           "elbowroom_rescheduler_lease_trouble 1",
                           "elbowroom_rescheduler_fenced_writes_total 2",
                           "elbowroom_rescheduler_status_writes_total{result=\"written\"} 3",
                           "elbowroom_rescheduler_status_writes_total{result=\"conflict\"} 4",
                           "elbowroom_rescheduler_status_writes_total{result=\"failed\"} 5",
                           "elbowroom_rescheduler_refunds_total 6",
                           "elbowroom_rescheduler_entered_total 7",
                           "elbowroom_rescheduler_avoid_passes_total 8",
                           "elbowroom_rescheduler_budgets 3",
                           "elbowroom_rescheduler_passes_total 10",
                           "elbowroom_rescheduler_refused_configurations_total 11",
                           "elbowroom_rescheduler_failed_rests_total 12",
                           "moves_total{policy=\"UnderutilizedNode\",result=\"evicted\"} 1",
                           "moves_total{policy=\"UnderutilizedNode\",result=\"blocked\"} 2",
                           "moves_total{policy=\"UnderutilizedNode\",result=\"failed\"} 3",
                           "moves_total{policy=\"UnderutilizedNode\",result=\"unknown\"} 4",
                           "move_gain_promised_points_total{policy=\"UnderutilizedNode\"} 5",
                           "move_gain_achieved_points_total{policy=\"UnderutilizedNode\"} 6",
                           "moves_came_back_total{policy=\"UnderutilizedNode\"} 7",
                           "moves_pending_total{policy=\"UnderutilizedNode\"} 8",
                           "moves_total{policy=\"AffinityPreference\",result=\"evicted\"} 9",
                           "elbowroom_rescheduler_moves_under_way 13",
                           "elbowroom_rescheduler_resting_owners 14"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(ReschedulerEvents, AreOnThePage) {
  EXPECT_THAT(page("events.md"), HasSubstr("\n" + events_page()))
      << "elbowroom reference events > docs/events.md puts it right";
}

TEST(ReschedulerConfig, HasItsKeysAndTheirDefaults) {
  const auto options = control::options_from<Config>(settings({}), "host_1", in_cluster());
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_TRUE(options->reactor.leader_elect);
  EXPECT_FALSE(options->reactor.dry_run);
  EXPECT_EQ(options->reactor.elector.identity, "host_1");
  EXPECT_EQ(options->worker.lease_namespace, "kube-system");
  EXPECT_EQ(settings({}).text("listen"), "127.0.0.1:10363");
  const auto other = control::options_from<Config>(
      settings({{"dry-run", "true"}, {"leader-elect", "false"}, {"lease-namespace", "x"}}),
      "host_1", in_cluster());
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->reactor.dry_run);
  EXPECT_FALSE(other->worker.leader_elect);
  EXPECT_EQ(other->worker.lease_namespace, "x");
}

TEST(ReschedulerConfig, ThePageSaysWhatTheSchemaSays) {
  EXPECT_THAT(page("configuration.md"),
              HasSubstr(daemon::config_page("elbowroom-rescheduler", rescheduler_schema())))
      << "elbowroom reference configuration > docs/configuration.md puts it right";
}

}  // namespace
}  // namespace elbowroom::rescheduler
