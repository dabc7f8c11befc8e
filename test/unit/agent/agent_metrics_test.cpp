#include "agent/program/agent_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "agent/program/metric_families.h"
#include "agent/reactor.h"
#include "agent/worker/collections.h"
#include "test/checkout.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// NAME{LABELS} -> value, of a text of /metrics.
std::map<std::string, double> samples_of(const std::string& text) {
  std::map<std::string, double> samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.rfind(' ');
    if (line.starts_with('#') || space == std::string::npos) continue;
    samples[line.substr(0, space)] = std::stod(line.substr(space + 1));
  }
  return samples;
}

class AgentMetricValues : public ::testing::Test {
 protected:
  double sample(const std::string& name) const {
    const auto samples = samples_of(metrics_.text());
    const auto at = samples.find(name);
    return at == samples.end() ? -1 : at->second;
  }

  // What a reactor that lives through one observation after the other reports.
  void see(decltype(Observation::what) what, std::chrono::milliseconds later = 1ms) {
    now_ += later;
    std::vector<EffectId> reads;
    for (Effect& effect : reactor_.handle({.at = {.since_start = now_}, .what = std::move(what)})) {
      if (std::holds_alternative<SaveCheckpoint>(effect.what)) save_ = effect.id;
      if (std::holds_alternative<Actuate>(effect.what)) act_ = effect.id;
      if (std::holds_alternative<AnnotateNode>(effect.what)) annotate_ = effect.id;
      if (std::holds_alternative<MarkVictim>(effect.what)) remove_ = effect.id;
      if (std::holds_alternative<DeleteVictim>(effect.what)) remove_ = effect.id;
      if (std::holds_alternative<ReadBudgets>(effect.what)) reads.push_back(effect.id);
    }
    for (const EffectId id : reads) see(BudgetsRead{.effect = id}, 0ms);
    figures_.follow(reactor_.snapshot());
    figures_.follow(reactor_.figures());
  }
  void save(std::chrono::milliseconds later = 1ms) {
    see(Done{.effect = std::exchange(save_, 0)}, later);
  }

  static cri::RuntimeResources size(std::int64_t cpu_m) {
    return {.cpu_shares = cpu_m * 1024 / 1000};
  }
  static PodReport report(std::int64_t cpu_m) {
    PodReport report;
    report.containers["app"] = {
        .id = "c1", .state = policy::RunState::Running, .size = size(cpu_m)};
    return report;
  }
  static policy::Pod resized(policy::Pod pod, std::int64_t cpu_m) {
    pod.containers[0].desired.requests.cpu.value = cpu_m;
    ++pod.generation;
    return pod;
  }

  // A node of 4 cpus with pods of the given sizes, adopted.
  void begin(const std::vector<policy::Pod>& pods) {
    see(NodeSeen{test::node(4000)});
    RuntimeSeen runtime;
    for (const policy::Pod& pod : pods) {
      runtime.pods[pod.uid] = report(pod.containers[0].desired.requests.cpu.value);
    }
    see(runtime);
    see(PodsListed{.pods = pods});
    save();
  }

  daemon::Metrics metrics_{"elbowroomd", agent_families()};
  Figures figures_{metrics_, true};
  Reactor reactor_{{.node_name = "node-1",
                    .authority = true,
                    .critical_preemption = true,
                    .manage_pod_cgroups = false},
                   {},
                   false};
  std::chrono::milliseconds now_{0};
  EffectId save_ = 0;
  EffectId act_ = 0;
  EffectId annotate_ = 0;
  EffectId remove_ = 0;
};

TEST_F(AgentMetricValues, AResizeIsFollowedPhaseByPhase) {
  const policy::Pod pod = test::running_pod("web", 1000, 0);
  begin({pod});
  see(PodSeen{resized(pod, 2000)});
  EXPECT_EQ(
      sample("elbowroom_resize_requests_total{operation=\"increase\",requirement=\"requests\","
             "resource=\"cpu\"}"),
      1);
  EXPECT_EQ(sample("elbowroom_resize_duration_seconds_count{phase=\"decide\"}"), 1);
  EXPECT_EQ(sample("elbowroom_resize_duration_seconds_count{phase=\"durable\"}"), 0);
  save(5ms);
  EXPECT_EQ(sample("elbowroom_resize_duration_seconds_sum{phase=\"durable\"}"), 0.005);
  EXPECT_EQ(sample("elbowroom_actuation_mismatch{resource=\"cpu\"}"), 1);
  EXPECT_EQ(sample("elbowroom_node_resource_cpu_cores{state=\"allocatable\"}"), 4);
  EXPECT_EQ(sample("elbowroom_node_resource_cpu_cores{state=\"desired\"}"), 2);
  EXPECT_EQ(sample("elbowroom_node_resource_cpu_cores{state=\"allocated\"}"), 2);
  EXPECT_EQ(sample("elbowroom_node_resource_cpu_cores{state=\"actual\"}"), 1);
  see(Done{.effect = act_, .size = size(2000)}, 20ms);
  EXPECT_EQ(sample("elbowroom_resize_duration_seconds_sum{phase=\"actuate\"}"), 0.02);
  EXPECT_EQ(sample("elbowroom_resize_duration_seconds_count{phase=\"verify\"}"), 1);
  EXPECT_EQ(sample("elbowroom_resize_outcomes_total{outcome=\"completed\"}"), 1);
  EXPECT_EQ(sample("elbowroom_actuation_mismatch{resource=\"cpu\"}"), 0);
  EXPECT_EQ(sample("elbowroom_pods"), 1);
}

TEST_F(AgentMetricValues, WhatWaitsIsCountedAndItsAgeTold) {
  const policy::Pod web = test::running_pod("web", 1000, 0);
  const policy::Pod big = test::running_pod("big", 2500, 0);
  begin({web, big});
  see(PodSeen{resized(web, 2000)});
  EXPECT_EQ(sample("elbowroom_pending_resizes{reason=\"Deferred\"}"), 1);
  EXPECT_EQ(sample("elbowroom_resize_outcomes_total{outcome=\"deferred\"}"), 1);
  see(TimePassed{}, 30s);
  EXPECT_EQ(sample("elbowroom_deferred_age_seconds"), 30);
  // Judged again and again, it asked once.
  EXPECT_EQ(
      sample("elbowroom_resize_requests_total{operation=\"increase\",requirement=\"requests\","
             "resource=\"cpu\"}"),
      1);
  EXPECT_GT(sample("elbowroom_resize_judgements_total"), 2);
  see(PodGone{big.uid});
  save();
  EXPECT_EQ(sample("elbowroom_deferred_age_seconds"), 0);
  EXPECT_EQ(sample("elbowroom_pending_resizes{reason=\"Deferred\"}"), 0);
}

TEST_F(AgentMetricValues, WhatCannotBeUnderstoodIsCounted) {
  begin({});
  see(PodUnreadable{.key = "default/odd", .why = "cpu: not a quantity"});
  EXPECT_EQ(sample("elbowroom_quarantined_objects"), 1);
  EXPECT_EQ(sample("elbowroom_rejected_inputs_total{reason=\"pod\",source=\"api\"}"), 1);
  EXPECT_EQ(sample("elbowroom_ready{check=\"pods\"}"), 0);
  see(PodReadableAgain{.key = "default/odd"});
  EXPECT_EQ(sample("elbowroom_quarantined_objects"), 0);
  EXPECT_EQ(sample("elbowroom_ready{check=\"pods\"}"), 1);
}

TEST_F(AgentMetricValues, RemovalsAreCountedAndWhatStopsThem) {
  policy::Pod critical = test::running_pod("critical", 1000, 0);
  critical.priority = 2'000'000'000;
  const policy::Pod small = test::running_pod("small", 2500, 0);
  policy::Node node = test::node(4000);
  begin({critical, small});
  see(Done{.effect = annotate_});
  node.critical_preemption_by_node = true;
  see(NodeSeen{node});
  EXPECT_EQ(sample("elbowroom_disruption_budget_remaining{kind=\"stop\"}"), 10);
  see(PodSeen{resized(critical, 3000)});
  // The disk does not accept the intent.
  see(Failed{.effect = std::exchange(save_, 0), .error = {Code::Unavailable, "disk full", {}}});
  EXPECT_EQ(sample("elbowroom_disruption_blocked_total{by=\"disk\"}"), 1);
  see(TimePassed{}, 10s);
  save();  // the disk works again, and budgets were read meanwhile
  save();  // the intent
  ASSERT_NE(remove_, 0U);
  see(Done{.effect = std::exchange(remove_, 0)});  // the mark
  ASSERT_NE(remove_, 0U);
  see(Done{.effect = std::exchange(remove_, 0)});  // the delete
  EXPECT_EQ(
      sample("elbowroom_disruptions_total{dry_run=\"false\",kind=\"stop\",reason=\"critical\"}"),
      1);
  EXPECT_EQ(sample("elbowroom_disruption_budget_remaining{kind=\"stop\"}"), 9);
}

TEST_F(AgentMetricValues, ARefusedRemovalIsCounted) {
  Snapshot now;
  now.counts.removals_refused = 2;
  now.counts.removals_blocked = 1;
  figures_.follow(now);
  EXPECT_EQ(sample("elbowroom_disruption_blocked_total{by=\"refused\"}"), 2);
  EXPECT_EQ(sample("elbowroom_disruption_blocked_total{by=\"budget\"}"), 1);
}

TEST_F(AgentMetricValues, SavesAreTimedAndTheirFailuresCounted) {
  figures_.follow(SaveOutcome{.took = 3ms, .bytes = 512});
  figures_.follow(SaveOutcome{.took = 1ms, .failure = Code::Unavailable});
  figures_.corrupt();
  EXPECT_EQ(sample("elbowroom_state_write_duration_seconds_count"), 2);
  EXPECT_EQ(sample("elbowroom_state_bytes"), 512);
  EXPECT_EQ(sample("elbowroom_state_write_errors_total{errno_class=\"passing\"}"), 1);
  EXPECT_EQ(sample("elbowroom_state_corruptions_total{file=\"allocations\"}"), 1);
  EXPECT_EQ(sample("elbowroom_rejected_inputs_total{reason=\"corrupt\",source=\"state\"}"), 1);
}

TEST_F(AgentMetricValues, TheApiServerIsFollowed) {
  ApiRound round;
  round.now = api::Clock::now();
  round.collections = {{&kNodes, {}}, {&kPods, {}}};
  api::Freshness& nodes = round.collections.at(0).freshness;
  api::Freshness& pods = round.collections.at(1).freshness;
  pods.heard = round.now - 5s;
  pods.events_by_type = {1, 2, 3, 4, 5, 0};
  pods.expired = 1;
  nodes.cut = 2;
  nodes.timeouts = 3;
  nodes.errors = 4;
  round.rejected_nodes = 1;
  round.events_superseded = 6;
  round.events_dropped = 7;
  figures_.follow(round);
  figures_.follow(round);  // nothing new
  const std::string of_pods = "{resource=\"pods\",type=\"";
  EXPECT_EQ(sample("elbowroom_watch_events_total" + of_pods + "ADDED\"}"), 1);
  EXPECT_EQ(sample("elbowroom_watch_events_total" + of_pods + "ERROR\"}"), 5);
  EXPECT_EQ(sample("elbowroom_watch_restarts_total{cause=\"410\",resource=\"pods\"}"), 1);
  EXPECT_EQ(sample("elbowroom_watch_restarts_total{cause=\"eof\",resource=\"nodes\"}"), 2);
  EXPECT_EQ(sample("elbowroom_watch_restarts_total{cause=\"timeout\",resource=\"nodes\"}"), 3);
  EXPECT_EQ(sample("elbowroom_watch_restarts_total{cause=\"error\",resource=\"nodes\"}"), 4);
  EXPECT_EQ(sample("elbowroom_cache_staleness_seconds{resource=\"pods\"}"), 5);
  EXPECT_EQ(sample("elbowroom_cache_staleness_seconds{resource=\"nodes\"}"), -1) << "nothing heard";
  EXPECT_EQ(sample("elbowroom_events_dropped_total{cause=\"superseded\"}"), 6);
  EXPECT_EQ(sample("elbowroom_events_dropped_total{cause=\"refused\"}"), 7);
  EXPECT_EQ(sample("elbowroom_rejected_inputs_total{reason=\"node\",source=\"api\"}"), 1);
}

TEST_F(AgentMetricValues, TheEndOfTheClientCertificateIsShown) {
  const std::string client =
      "elbowroom_certificate_expiration_timestamp_seconds{certificate=\"client\"}";
  ApiRound round;
  round.certificate_expires = policy::Time{1'900'000'000s};
  figures_.follow(round);
  EXPECT_EQ(sample(client), 1'900'000'000);
  round.certificate_expires.reset();
  figures_.follow(round);
  EXPECT_EQ(sample(client), 0) << "a token in its place";
}

TEST_F(AgentMetricValues, CallsAreCountedByWhatCameOfThem) {
  figures_.follow(
      api::RequestOutcome{.verb = "PATCH", .resource = "pods", .status = 409, .took = 20ms});
  figures_.follow(
      api::RequestOutcome{.verb = "WATCH", .resource = "pods", .status = 200, .took = 300s});
  figures_.follow(
      api::RequestOutcome{.verb = "LIST", .resource = "nodes", .status = 0, .took = 1s});
  EXPECT_EQ(
      sample("elbowroom_apiserver_requests_total{code=\"409\",resource=\"pods\",verb=\"PATCH\"}"),
      1);
  EXPECT_EQ(
      sample("elbowroom_apiserver_requests_total{code=\"none\",resource=\"nodes\",verb=\"LIST\"}"),
      1);
  EXPECT_EQ(sample("elbowroom_apiserver_request_duration_seconds_count"), 2) << "watches left out";
  figures_.follow(cri::CallOutcome{.method = "ListContainers", .took = 2ms});
  figures_.follow(
      cri::CallOutcome{.method = "ListContainers", .failure = Code::Exhausted, .took = 2ms});
  EXPECT_EQ(sample("elbowroom_cri_requests_total{code=\"OK\",method=\"ListContainers\"}"), 1);
  EXPECT_EQ(sample("elbowroom_cri_requests_total{code=\"Exhausted\",method=\"ListContainers\"}"),
            1);
  EXPECT_EQ(sample("elbowroom_cri_request_duration_seconds_count"), 2);
  EXPECT_EQ(sample("elbowroom_rejected_inputs_total{reason=\"too_large\",source=\"runtime\"}"), 1);
}

TEST_F(AgentMetricValues, LoopsAreTimed) {
  figures_.turned("reactor", 3ms);
  figures_.turned("reactor", 2s);
  figures_.suppressed(3);
  figures_.suppressed(5);
  EXPECT_EQ(sample("elbowroom_loop_duration_seconds_count{loop=\"reactor\"}"), 2);
  EXPECT_EQ(sample("elbowroom_loop_overruns_total{loop=\"reactor\"}"), 1);
  EXPECT_GT(sample("elbowroom_loop_last_success_timestamp_seconds{loop=\"reactor\"}"), 1.7e9);
  EXPECT_EQ(sample("elbowroom_log_lines_suppressed_total"), 5);
  EXPECT_EQ(sample("elbowroom_mode_info{mode=\"authority\"}"), 1);
}

TEST(AgentMetricFamilies, AreAsTheRulesWantThem) {
  EXPECT_THAT(lint(agent_families()), IsEmpty());
  EXPECT_LE(agent_families().size(), 60U);
}

TEST(AgentMetricFamilies, ThePageSaysWhatTheTableSays) {
  std::ifstream file(std::string(test::kData) + "/../docs/metrics.md");
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_TRUE(page.str().starts_with(daemon::metrics_page("elbowroomd", agent_families())))
      << "elbowroom reference metrics > docs/metrics.md puts it right";
}

}  // namespace
}  // namespace elbowroom::agent
