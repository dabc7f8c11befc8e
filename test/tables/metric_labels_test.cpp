// Every label of every family of both daemons: its values and their sources. The test moves the
// figures by everything that their sources can report. The result must be what the table of
// families, and with it docs/metrics.md, promises: no value missing, none "other".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "agent/program/agent_metrics.h"
#include "agent/program/metric_families.h"
#include "agent/reactor.h"
#include "agent/worker/collections.h"
#include "scheduler/collections.h"
#include "scheduler/metric_families.h"
#include "scheduler/scheduler_metrics.h"
#include "test/pods.h"

namespace elbowroom {
namespace {

using daemon::MetricFamilies;
using daemon::MetricFamily;
using daemon::MetricLabel;
using std::chrono::seconds;

using Values = std::set<std::string>;
using Shown = std::map<std::string, std::map<std::string, Values>>;  // by family and label

// Bounds of histograms are no label of ours, nor are the zeros that show from the start changes.
Shown shown_in(const std::string& text) {
  Shown shown;
  const std::regex label(R"re((\w+)="([^"]*)")re");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t brace = line.find('{');
    const std::size_t end = line.rfind('}');
    if (line.starts_with('#') || brace == std::string::npos) continue;
    if (std::stod(line.substr(end + 2)) == 0) continue;
    std::string family = line.substr(0, brace);
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      if (family.ends_with(suffix)) family.resize(family.size() - std::string(suffix).size());
    }
    const std::string labels = line.substr(brace + 1, end - brace - 1);
    for (std::sregex_iterator at(labels.begin(), labels.end(), label), none; at != none; ++at) {
      if ((*at)[1] != "le") shown[family][(*at)[1]].insert((*at)[2]);
    }
  }
  return shown;
}

void expect_as_promised(const MetricFamilies& families, const Shown& shown,
                        const Values& can_be_other) {
  for (const MetricFamily& family : families) {
    const std::string name(family.name);
    for (const MetricLabel& label : family.labels) {
      if (label.values.empty()) continue;  // fixed when the program is built
      SCOPED_TRACE(name + " " + std::string(label.name));
      const auto of = shown.find(name);
      ASSERT_NE(of, shown.end()) << "nothing of it was moved";
      Values values = of->second.at(std::string(label.name));
      if (can_be_other.contains(name)) values.erase("other");
      EXPECT_EQ(values, Values(label.values.begin(), label.values.end()));
    }
  }
}

constexpr std::array kCodes = {Code::Invalid, Code::NotFound,    Code::Conflict,  Code::Gone,
                               Code::Denied,  Code::Unavailable, Code::Exhausted, Code::Internal};

constexpr std::array kMethods = {api::Method::Get, api::Method::Post, api::Method::Put,
                                 api::Method::Patch, api::Method::Delete};

// HTTP statuses of the Kubernetes API; 0: there was no answer.
constexpr std::array kStatuses = {0,   200, 201, 202, 400, 401, 403, 404, 409,
                                  410, 413, 415, 422, 429, 500, 502, 503, 504};

// Everything that a program asks an API server, by every method and with every answer.
void call_all(const std::vector<std::string>& paths,
              const std::function<void(const api::RequestOutcome&)>& called) {
  for (const std::string& path : paths) {
    for (const api::Method method : kMethods) {
      for (const bool watches : {false, true}) {
        api::Request request{.method = method, .path = path};
        if (watches) request.query = {{"watch", "1"}};
        api::RequestOutcome call = api::called(request);
        call.took = seconds(1);
        for (const int status : kStatuses) {
          call.status = status;
          called(call);
        }
      }
    }
  }
}

api::Freshness moved() {
  api::Freshness of;
  of.heard = api::Clock::time_point(seconds(1));
  of.events_by_type.fill(1);
  of.expired = of.timeouts = of.cut = of.errors = 1;
  return of;
}

constexpr api::Clock::time_point kNow{seconds(9)};

TEST(MetricLabels, OfTheSchedulerAreWhatItsSourcesCanSay) {
  const MetricFamilies families = scheduler::scheduler_families();
  const daemon::Metrics metrics("elbowroom-scheduler", families);
  scheduler::Figures figures(metrics);

  scheduler::SchedulerStatus standing;
  for (const scheduler::PreemptorKind of : scheduler::kPreemptorKinds) {
    standing.counts.turns_by.at(static_cast<std::size_t>(of)).fill(1);  // TurnResult
    for (const scheduler::VictimKind victim : scheduler::kVictimKinds) {
      standing.counts.sets.of(of, victim) = 1;
      standing.counts.victims_by.of(of, victim) = 1;  // DeleteVictim that was answered
    }
  }
  standing.counts.bindings = standing.counts.unbound = 1;   // BindPod, by its answer
  standing.counts.refused = 1;                              // SetRemoval::Outcome::Refused
  standing.counts.blocked = standing.counts.undebited = 1;  // DebitQueue::Result
  standing.counts.hard_ledgers =
      standing.counts.soft_ledgers = {.debits = 1, .refunds = 1, .conflicts = 1};
  standing.counts.unreadable = 1;  // api::decode_*
  standing.queued.fill(1);         // Queue::Where
  standing.queued_resizes.fill(1);
  figures.follow(standing);
  control::ApiRound round{
      .events_superseded = 1, .events_dropped = 1, .reduced_pods = 1, .now = kNow};
  round.certificate_expires = policy::Time{seconds(1)};
  for (const control::CollectionRow& row : scheduler::kCollectionTable) {
    round.collections.push_back({&row, moved()});
  }
  figures.follow(round);
  call_all({"/api/v1/nodes",
            "/api/v1/nodes/n",
            "/api/v1/pods",
            "/api/v1/namespaces/a/pods/b",
            "/api/v1/namespaces/a/pods/b/binding",
            "/api/v1/namespaces/a/pods/b/status",
            "/apis/policy/v1/poddisruptionbudgets",
            "/apis/elbowroom.dev/v1alpha1/disruptionbudgets",
            "/apis/scheduling.k8s.io",
            "/apis/scheduling.k8s.io/v1beta1",
            "/apis/scheduling.k8s.io/v1/priorityclasses",
            "/apis/scheduling.k8s.io/v1beta1/podgroups",
            "/apis/scheduling.k8s.io/v1beta1/namespaces/a/podgroups/b",
            "/apis/scheduling.k8s.io/v1beta1/namespaces/a/podgroups/b/status",
            "/api/v1/namespaces",
            "/api/v1/services",
            "/api/v1/replicationcontrollers",
            "/apis/apps/v1/replicasets",
            "/apis/apps/v1/statefulsets",
            "/api/v1/persistentvolumeclaims",
            "/api/v1/persistentvolumes",
            "/apis/storage.k8s.io/v1/storageclasses",
            "/apis/storage.k8s.io/v1/csinodes",
            "/apis/storage.k8s.io/v1/csidrivers",
            "/apis/storage.k8s.io/v1/csistoragecapacities",
            "/apis/events.k8s.io/v1/namespaces/a/events",
            "/apis/coordination.k8s.io/v1/namespaces/a/leases/b",
            "/version"},
           [&](const api::RequestOutcome& call) { figures.follow(call); });
  for (const char* loop : {"reactor", "api"}) figures.turned(loop, seconds(2));

  const Shown shown = shown_in(metrics.text());
  expect_as_promised(families, shown, {});
  EXPECT_EQ(shown.at("elbowroom_disruptions_total").at("reason"),
            Values({"resize", "pending", "group"}));
  EXPECT_EQ(shown.at("elbowroom_disruptions_total").at("victim"), Values({"pod", "group"}));
  for (const char* name :
       {"elbowroom_scheduler_attempts_total", "elbowroom_scheduler_preemptions_total"}) {
    EXPECT_EQ(shown.at(name).at("preemptor"), Values({"resize", "pod", "group"})) << name;
  }
}

TEST(MetricLabels, OfTheAgentAreWhatItsSourcesCanSay) {
  const MetricFamilies families = agent::agent_families();
  const daemon::Metrics metrics("elbowroomd", families);
  agent::Figures figures(metrics, true);
  agent::Figures companion(metrics, false);

  agent::Reactor reactor({.node_name = "node-1", .authority = true}, {}, false);
  agent::Snapshot snapshot = reactor.snapshot();
  for (agent::ReadyCheck& each : snapshot.checks) each.ok = true;  // Reactor::ready_checks()
  snapshot.checks.push_back({"crashes", true, ""});                // of main, with safe mode
  agent::Counts& counts = snapshot.counts;
  // The reactor's own words, which figures_test.cpp sees it say.
  for (const char* outcome : {"completed", "deferred", "infeasible", "error", "contended"}) {
    counts.outcomes[outcome] = 1;
  }
  for (const char* resource : {"cpu", "memory"}) {
    for (const char* requirement : {"requests", "limits"}) {
      for (const char* operation : {"increase", "decrease", "add", "remove"}) {
        counts.requests[std::string(resource) + "/" + requirement + "/" + operation] = 1;
      }
    }
  }
  for (const char* phase : {"decide", "durable", "actuate", "verify"}) {
    snapshot.took.push_back({phase, seconds(1)});
  }
  counts.pending = {{"Deferred", 1}, {"Infeasible", 1}};  // the conditions' reasons
  counts.removals = 1;
  counts.removals_blocked = counts.removals_refused = counts.removals_unsaved = 1;
  counts.unreadable_pods = 1;
  figures.follow(snapshot);
  const policy::Resources some = test::amounts(1000, test::kMi);
  figures.follow(agent::NodeTotals{.allocatable = some,
                                   .desired = some,
                                   .allocated = some,
                                   .actual = some,
                                   .cpu_mismatches = 1,
                                   .memory_mismatches = 1,
                                   .may_still_stop = 1});
  for (const Code code : kCodes) figures.follow(agent::SaveOutcome{.failure = code});
  agent::ApiRound round;
  round.collections = {{&agent::kNodes, moved()}, {&agent::kPods, moved()}};
  round.events_superseded = round.events_dropped = round.reduced_pods = 1;
  round.rejected_nodes = round.others_nodes = round.others_pods = 1;
  round.now = kNow;
  round.certificate_expires = policy::Time{seconds(1)};
  figures.follow(round);
  call_all({"/api/v1/nodes", "/api/v1/nodes/n", "/api/v1/pods", "/api/v1/namespaces/a/pods/b",
            "/apis/events.k8s.io/v1/namespaces/a/events", "/version"},
           [&](const api::RequestOutcome& call) { figures.follow(call); });
  for (const char* method :
       {"Version", "Status", "RuntimeConfig", "ListPodSandbox", "ListContainers", "ContainerStatus",
        "PodSandboxStatus", "UpdateContainerResources", "UpdatePodSandboxResources",
        "StopContainer"}) {
    figures.follow(cri::CallOutcome{.method = method});
    for (const Code code : kCodes)
      figures.follow(cri::CallOutcome{.method = method, .failure = code});
  }
  for (const char* loop : {"reactor", "api", "runtime"}) figures.turned(loop, seconds(2));
  figures.corrupt();

  // A watch may bring an unknown type, a disk an error that is none of those.
  expect_as_promised(families, shown_in(metrics.text()),
                     {"elbowroom_watch_events_total", "elbowroom_state_write_errors_total"});
}

}  // namespace
}  // namespace elbowroom
