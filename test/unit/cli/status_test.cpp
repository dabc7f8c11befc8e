// The whole cluster in one screen, and what scripts read from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/output/age.h"
#include "cli/status/cluster_status.h"
#include "cli/status/status_document.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using policy::Time;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Time kNoon = Time{hours(490'000)};

constexpr const char* kNode = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
)";

constexpr const char* kWaiting = R"(---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: u-1, generation: 3}
spec:
  nodeName: node1
  priority: 1000
  containers: [{name: app, image: x, resources: {requests: {cpu: "3"}}}]
status:
  phase: Running
  conditions:
  - {type: PodResizePending, status: "True", reason: Deferred, message: m, observedGeneration: 3, lastTransitionTime: "2026-01-01T00:00:00Z"}
  containerStatuses:
  - {name: app, image: x, allocatedResources: {cpu: "1"}, resources: {requests: {cpu: "1"}}}
---
apiVersion: v1
kind: Pod
metadata: {name: batch, namespace: jobs, uid: u-2}
spec:
  nodeName: node1
  priority: 10
  containers: [{name: app, image: x, resources: {requests: {cpu: "2"}}}]
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
)";

constexpr const char* kPrograms = R"(---
apiVersion: v1
kind: Pod
metadata: {name: elbowroom-scheduler-1, namespace: kube-system, uid: s-1, labels: {app.kubernetes.io/name: elbowroom-scheduler}}
spec: {nodeName: node1, containers: [{name: scheduler, image: "registry.example:5000/elbowroom-scheduler:0.1.0@sha256:0"}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: elbowroom-agent-1, namespace: kube-system, uid: a-1, labels: {app.kubernetes.io/name: elbowroom-agent}, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: elbowroom-agent, uid: d-1, controller: true}]}
spec: {nodeName: node1, containers: [{name: agent, image: "registry.example:5000/elbowroom-agent"}]}
status: {phase: Running, conditions: [{type: Ready, status: "False"}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: elbowroom-scheduler, namespace: kube-system, uid: l-1}
spec: {holderIdentity: elbowroom-scheduler-1_a, leaseDurationSeconds: 15, renewTime: "2999-01-01T00:00:00.000000Z", acquireTime: "2026-01-01T00:00:00.000000Z"}
)";

class Status : public ::testing::Test {
 protected:
  Outcome status(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"status", "--kubeconfig", lab_.kubeconfig()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  nlohmann::json document() { return nlohmann::json::parse(status({"-o", "json"}).out); }

  LabApi lab_;
};

TEST_F(Status, WhereNothingWaitsItIsOneLineAndSucceeds) {
  lab_.load(kNode);
  const Outcome got = status();
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("no resize waits; nothing is wrong\n"));
  EXPECT_THAT(got.out, HasSubstr("there is no Lease kube-system/elbowroom-scheduler"));
  EXPECT_THAT(got.out, HasSubstr("none seen"));
  EXPECT_THAT(got.out, Not(HasSubstr("LACKS")));
  for (const lab::RequestRecord& each : lab_.server().requests()) EXPECT_EQ(each.method, "GET");
}

TEST_F(Status, AWaitingResizeHasItsNextStepAndNobodyWhoMakesIt) {
  lab_.load(kNode);
  lab_.load(kWaiting);
  const Outcome got = status();
  EXPECT_EQ(got.status, 1) << got.out;
  EXPECT_THAT(got.out, HasSubstr("1 resize waits (1 Deferred); 1 thing is wrong"));
  EXPECT_THAT(got.out, HasSubstr("no elbowroom-scheduler leads, and 1 resize waits for"));
  EXPECT_THAT(got.out,
              ::testing::ContainsRegex(
                  "default/web +node1 +Deferred +[0-9a-z]+ +1 cpu\n    .*removes jobs/batch"));
  EXPECT_THAT(got.out, Not(HasSubstr("expected in"))) << "nobody has removed it";
}

TEST_F(Status, PendingPodsAreListedAndCounted) {
  lab_.load(kNode);
  lab_.load(R"(---
apiVersion: v1
kind: Pod
metadata: {name: late, namespace: shop, uid: p-2, creationTimestamp: "2026-01-02T00:00:00Z"}
spec: {schedulerName: elbowroom, containers: [{name: app, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: early, namespace: shop, uid: p-1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {schedulerName: default-scheduler, containers: [{name: app, image: x}]}
)");
  const Outcome got = status();
  EXPECT_EQ(got.status, 0) << got.out;
  EXPECT_THAT(got.out, HasSubstr("no resize waits; 2 Pods are pending; nothing is wrong\n"));
  EXPECT_THAT(got.out,
              ::testing::ContainsRegex(
                  "PENDING POD +AGE +SCHEDULER\nshop/early .* default-scheduler\nshop/late "));
  EXPECT_EQ(document()["pending"][0]["pod"], "shop/early");
}

TEST_F(Status, AMissingRightHidesNothingThatIsWrong) {
  lab_.load(kNode);
  lab_.load(kWaiting);
  lab_.refuse("/poddisruptionbudgets", 403, "Forbidden");
  const Outcome got = status();
  EXPECT_EQ(got.status, 1) << got.out;
  EXPECT_THAT(got.out, HasSubstr("1 resize waits (1 Deferred); 1 thing is wrong"));
  EXPECT_THAT(got.out, HasSubstr("no elbowroom-scheduler leads, and 1 resize waits for"));
  EXPECT_THAT(got.out, HasSubstr("not known:\n"));
}

TEST_F(Status, TheLeaderAndTheAgentsAreSeenWithTheirVersions) {
  lab_.load(kNode);
  lab_.load(kPrograms);
  const Outcome got = status();
  EXPECT_THAT(got.out, HasSubstr("elbowroom-scheduler-1_a leads, version 0.1.0\n"));
  EXPECT_THAT(got.out, HasSubstr("companion in pods on 1 of 1 node, 0 ready"));
  EXPECT_THAT(got.out, HasSubstr("1 of 1 pods of elbowroom-agent are not ready"));
  const nlohmann::json all = document();
  EXPECT_EQ(all["kind"], "Status");
  EXPECT_EQ(all["leaders"][0]["leads"], true);
  EXPECT_EQ(all["leaders"][1]["exists"], false);
  EXPECT_EQ(all["nodes"][0]["node"], "node1");
}

// Other users choose names and labels of their pods.
TEST_F(Status, APodOfAnotherUserIsNoAgentAndNoLeader) {
  lab_.load(kNode);
  lab_.load(R"(---
apiVersion: v1
kind: Pod
metadata: {name: elbowroom-scheduler-1, namespace: default, uid: x-1, labels: {app.kubernetes.io/name: elbowroom-scheduler}}
spec: {nodeName: node1, containers: [{name: a, image: "evil:9.9.9"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default, uid: x-2, labels: {app.kubernetes.io/name: elbowroom-agent}, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: a, uid: d-9, controller: true}]}
spec: {nodeName: node1, containers: [{name: a, image: "evil:9.9.9"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: kube-system, uid: x-3, labels: {app.kubernetes.io/name: elbowroom-agent}}
spec: {nodeName: node1, containers: [{name: a, image: "evil:9.9.9"}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: elbowroom-scheduler, namespace: kube-system, uid: l-1}
spec: {holderIdentity: elbowroom-scheduler-1_a, leaseDurationSeconds: 15, renewTime: "2999-01-01T00:00:00.000000Z", acquireTime: "2026-01-01T00:00:00.000000Z"}
)");
  const Outcome got = status();
  EXPECT_EQ(got.status, 0) << got.out;
  EXPECT_THAT(got.out, Not(HasSubstr("9.9.9")));
  EXPECT_THAT(got.out, HasSubstr("none seen"));
}

// Nothing can come for it.
TEST_F(Status, AnInfeasibleResizeIsListedAndWaitsForNothing) {
  lab_.load(kNode);
  std::string infeasible = kWaiting;
  infeasible.replace(infeasible.find("cpu: \"3\""), 8, "cpu: \"9\"");
  infeasible.replace(infeasible.find("reason: Deferred"), 16, "reason: Infeasible");
  lab_.load(infeasible);
  const Outcome got = status({"--wait", "1h"});
  EXPECT_EQ(got.status, 0) << got.out;
  EXPECT_THAT(got.out, HasSubstr("no resize waits; 1 is Infeasible; nothing is wrong"));
  EXPECT_THAT(got.out, HasSubstr("default/web"));
}

TEST_F(Status, WithALeaderAResizeThatWaitsIsNotNow) {
  lab_.load(kNode);
  lab_.load(kWaiting);
  lab_.load(kPrograms);
  const nlohmann::json all = document();
  ASSERT_EQ(all["waiting"].size(), 1U);
  EXPECT_EQ(all["waiting"][0]["victims"], nlohmann::json({"jobs/batch"}));
  // It waits since 2026-01-01, longer than a circuit breaker holds it back.
  EXPECT_THAT(all["wrong"].dump(), HasSubstr("although pods could go for it"));
}

TEST_F(Status, WhatMayNotBeReadIsSaidAndNamesNoVictim) {
  lab_.load(kNode);
  lab_.load(kWaiting);
  lab_.refuse("/poddisruptionbudgets", 403, "Forbidden");
  lab_.refuse("/leases", 403, "Forbidden");
  const Outcome got = status();
  EXPECT_THAT(got.out, HasSubstr("not permitted: list poddisruptionbudgets.policy"));
  EXPECT_THAT(got.out, HasSubstr("not known: "));
  EXPECT_THAT(got.out, Not(HasSubstr("jobs/batch")));
  lab_.refuse("/api/v1/pods", 403, "Forbidden");
  EXPECT_EQ(status().status, 77);
}

TEST_F(Status, WithoutTheRightToReadNodesPodsTellWhatWaits) {
  lab_.load(kNode);
  lab_.load(kWaiting);
  lab_.load(kPrograms);
  const nlohmann::json whole = document();
  lab_.refuse("/api/v1/nodes", 403, "Forbidden");
  const Outcome got = status();
  EXPECT_NE(got.status, 77) << got.err;
  EXPECT_THAT(got.out, AllOf(HasSubstr("default/web"), HasSubstr("Deferred"),
                             HasSubstr("elbowroom-scheduler-1_a leads"), HasSubstr(" of ? nodes"),
                             HasSubstr("the node may not be read"),
                             HasSubstr("not permitted: list nodes in all namespaces")));
  const nlohmann::json alone = document();
  EXPECT_EQ(alone["nodes"], nlohmann::json::array());
  ASSERT_EQ(alone["waiting"].size(), whole["waiting"].size());
  for (const char* key : {"pod", "uid", "node", "since"}) {
    EXPECT_EQ(alone["waiting"][0][key], whole["waiting"][0][key]) << key;
  }
  EXPECT_EQ(alone["waiting"][0]["victims"], nlohmann::json::array());
}

TEST_F(Status, WaitsOnlyAsLongAsAsked) {
  lab_.load(kNode);
  EXPECT_EQ(status({"--wait", "1h"}).status, 0);
  EXPECT_EQ(status({"--wait", "soon"}).status, 2);
}

ClusterStatus settled() {
  ClusterStatus status{.server = "s"};
  status.leaders = {{.program = "elbowroom-scheduler", .lease = "ns/elbowroom-scheduler"},
                    {.program = "elbowroom-rescheduler", .lease = "ns/elbowroom-rescheduler"}};
  status.overview.now = kNoon;
  return status;
}

TEST(WrongInAStatus, ALeaseThatIsNotRenewed) {
  ClusterStatus status = settled();
  EXPECT_THAT(wrong_in(status), IsEmpty());
  LeaderStatus& leader = status.leaders[1];
  leader.exists = true;
  EXPECT_THAT(wrong_in(status), IsEmpty());  // handed back
  leader.holder = "r-1";
  leader.renewed = kNoon - minutes(3);
  EXPECT_THAT(wrong_in(status), IsEmpty());
  leader.is_late = true;
  EXPECT_THAT(wrong_in(status), ElementsAre(AllOf(HasSubstr("r-1 has not renewed Lease"),
                                                  HasSubstr("it seems to be dead"))));
  EXPECT_THAT(status_text(status, true),
              HasSubstr("r-1 leads, and has not renewed its Lease for 3m"));
  leader.expired = true;
  EXPECT_THAT(wrong_in(status), ElementsAre(HasSubstr("has not renewed Lease "
                                                      "ns/elbowroom-rescheduler for 3m")));
}

TEST(WrongInAStatus, PodsPastTheirDeadlinesAndNodesThatAreAway) {
  ClusterStatus status = settled();
  status.overview.nodes = {{.node = "n1", .ready = policy::NodeReady::False, .pods = 7},
                           {.node = "n2", .ready = policy::NodeReady::Unknown, .pods = 1},
                           {.node = "n3", .ready = policy::NodeReady::True}};
  status.overview.waiting = {{.pod = "d/web", .node = "n1"}};
  for (const char* name : {"d/lost-1", "d/lost-2"}) {
    status.overview.leaving.push_back(
        {.pod = name, .node = "n2", .deadline = kNoon - minutes(5), .overdue = true});
  }
  for (int i = 0; i < 12; ++i) {
    status.overview.leaving.push_back({.pod = "d/p" + std::to_string(i),
                                       .node = "n3",
                                       .deadline = kNoon - minutes(5),
                                       .overdue = i > 0});
  }
  const std::vector<std::string> wrong = wrong_in(status);
  ASSERT_EQ(wrong.size(), 13U);
  EXPECT_THAT(wrong[0], HasSubstr("pod d/p1 still runs 5m after its deadline"));
  EXPECT_EQ(wrong[10], "and 1 more pod like these");
  EXPECT_EQ(wrong[11],
            "node n1 is not Ready, with 7 Pods; 1 resize waits there; look at its kubelet");
  EXPECT_EQ(wrong[12],
            "node n2 is not Ready, with 1 Pod, of which 2 terminate; look at its kubelet");
}

TEST(WrongInAStatus, AResizeThatALeaderDoesNotServe) {
  ClusterStatus status = settled();
  LeaderStatus& scheduler = status.leaders[0];
  scheduler.exists = true;
  scheduler.holder = "s-1";
  status.overview.waiting = {{.pod = "d/web",
                              .since = kNoon - minutes(11),
                              .by = policy::RoomMaker::Scheduler,
                              .outcome = "Preempt"}};
  EXPECT_THAT(wrong_in(status), IsEmpty());
  status.overview.waiting[0].since = kNoon - seconds(661);
  EXPECT_THAT(wrong_in(status), ElementsAre(HasSubstr("the resize of pod d/web waits for 11m")));
  status.overview.waiting[0].outcome = "NoVictims";
  EXPECT_THAT(wrong_in(status), IsEmpty());
}

TEST(StatusText, TablesHaveThirtyRowsUnlessAllAreAskedFor) {
  ClusterStatus status = settled();
  for (int i = 0; i < 31; ++i) {
    status.overview.waiting.push_back(
        {.pod = "d/p" + std::to_string(i), .node = "n", .since = kNoon - seconds(1000 - i)});
  }
  EXPECT_THAT(status_text(status, false), HasSubstr("... and 1 more; --all shows them"));
  EXPECT_THAT(status_text(status, false), Not(HasSubstr("d/p30")));
  EXPECT_THAT(status_text(status, true), HasSubstr("d/p30"));
}

TEST(StatusText, ATimeIsToldWhereItIsKnown) {
  ClusterStatus status = settled();
  status.overview.waiting = {{.pod = "d/web",
                              .node = "n",
                              .by = policy::RoomMaker::Node,
                              .next = "no further pod has to go for it",
                              .expected = status.overview.now + seconds(27)}};
  EXPECT_THAT(status_text(status, false), HasSubstr("has to go for it; expected in 27s"));
}

TEST(StatusText, HostileNamesStayOnTheirLine) {
  ClusterStatus status = settled();
  status.overview.waiting = {{.pod = "d/\x1b[31mred\n", .node = "n", .next = "a\x1b]0;b"}};
  status.wrong = {"x\x1b[2J"};
  status.leaders[0].unknown = "\x1b[1m";
  EXPECT_THAT(status_text(status, false), Not(HasSubstr("\x1b")));
}

TEST(AgeText, ReadsAsKubectlWritesIt) {
  const std::vector<std::pair<seconds, std::string>> rows = {
      {seconds(-3), "0s"},     {seconds(0), "0s"},         {seconds(119), "119s"},
      {seconds(120), "2m"},    {seconds(185), "3m5s"},     {seconds(600), "10m"},
      {minutes(179), "179m"},  {minutes(180), "3h"},       {minutes(200), "3h20m"},
      {hours(8), "8h"},        {hours(47), "47h"},         {hours(48), "2d"},
      {hours(76), "3d4h"},     {hours(24 * 8 + 5), "8d"},  {hours(24 * 729), "729d"},
      {hours(24 * 730), "2y"}, {hours(24 * 800), "2y70d"}, {hours(24 * 365 * 9), "9y"}};
  for (const auto& [age, text] : rows) EXPECT_EQ(age_text(age), text) << age.count();
}

}  // namespace
}  // namespace elbowroom::cli
