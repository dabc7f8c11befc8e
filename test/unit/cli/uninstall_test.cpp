// `elbowroom uninstall` against the lab's API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/document_text.h"
#include "cli/uninstall/leftovers.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

constexpr const char* kAvoid = "scheduler.alpha.kubernetes.io/preferAvoidPods";

constexpr const char* kLeft = R"yaml(---
apiVersion: v1
kind: Node
metadata:
  name: node1
  uid: n-1
  annotations:
    elbowroom.dev/critical-preemption: node
    elbowroom.dev/disable-resize-preemption: example.com/team
    scheduler.alpha.kubernetes.io/preferAvoidPods: '{"preferAvoidPods":[
      {"podSignature":{"podController":{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"a","uid":"o-1","controller":true}},"evictionTime":"2026-01-01T00:00:00Z","reason":"ElbowroomEviction","message":"elbowroom evicts pod u (until 2026-01-01T01:00:00Z)"},
      {"podSignature":{"podController":{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"b","uid":"o-2","controller":true}},"evictionTime":"2026-01-01T00:00:00Z","reason":"theirs","message":"m"}]}'
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u-1}
spec: {nodeName: node1, containers: [{name: app, image: x}]}
status:
  phase: Running
  conditions:
  - {type: Ready, status: "True"}
  - {type: PodResizePreemptionDisabled, status: "True", reason: PreemptionDisabledByNodePolicy}
  - {type: DisruptionTarget, status: "True", reason: PreemptionByScheduler, message: "Preempted (for uid u-9, generation 3)"}
---
apiVersion: v1
kind: Pod
metadata: {name: theirs, namespace: shop, uid: u-2}
spec: {nodeName: node1, containers: [{name: app, image: x}]}
status:
  phase: Running
  conditions:
  - {type: PodResizePreemptionDisabled, status: "True", reason: Another}
  - {type: DisruptionTarget, status: "True", reason: PreemptionByScheduler, message: "kube-scheduler: preempting"}
---
apiVersion: v1
kind: Pod
metadata: {name: goes, namespace: shop, uid: u-3, deletionTimestamp: "2999-01-01T00:00:00Z", deletionGracePeriodSeconds: 30, finalizers: [x.dev/y]}
spec: {nodeName: node1, containers: [{name: app, image: x}]}
status:
  phase: Running
  conditions:
  - {type: DisruptionTarget, status: "True", reason: PreemptionByScheduler, message: "Preempted (for uid u-9, generation 3)"}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: elbowroom-scheduler-breaker, namespace: kube-system, uid: l-2}
spec: {}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: elbowroom-rescheduler-rests, namespace: kube-system, uid: c-1}
data: {rests: "{}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: elbowroom-rescheduler, namespace: kube-system, uid: c-2}
data: {config.yaml: ""}
)yaml";

std::string lease(const std::string& renewed) {
  return "---\napiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: "
         "elbowroom-scheduler, namespace: kube-system, uid: l-1}\nspec: {holderIdentity: a_1, "
         "leaseDurationSeconds: 15, renewTime: \"" +
         renewed + "\", acquireTime: \"2026-01-01T00:00:00.000000Z\"}\n";
}
const std::string kEnded = lease("2026-01-01T00:00:00.000000Z");
const std::string kHeld = lease("2999-01-01T00:00:00.000000Z");

class Uninstall : public ::testing::Test {
 protected:
  Outcome uninstall(std::vector<std::string> words) {
    words.insert(words.begin(), {"uninstall", "--kubeconfig", lab_.kubeconfig()});
    return run(words);
  }
  // "Pod shop/web: WHAT: RESULT" of each row.
  std::vector<std::string> rows(std::vector<std::string> words) {
    words.insert(words.end(), {"-o", "json"});
    const Outcome got = uninstall(std::move(words));
    std::vector<std::string> lines;
    const Json report = Json::parse(got.out);
    for (const Json& each : report["leftovers"]) {
      lines.push_back(each["kind"].get<std::string>() + " " + each["object"].get<std::string>() +
                      ": " + each["what"].get<std::string>() + ": " +
                      each["result"].get<std::string>());
    }
    return lines;
  }
  std::size_t writes() {
    std::size_t count = 0;
    for (const lab::RequestRecord& each : lab_.server().requests()) count += each.method != "GET";
    return count;
  }
  lab::Json object(const std::string& group, const std::string& version, const std::string& plural,
                   const std::string& ns, const std::string& name) {
    return lab_.server().with_world([&](lab::World& world) {
      const lab::Json* found = world.peek(*lab::find_kind(group, version, plural), ns, name);
      return found == nullptr ? lab::Json() : *found;
    });
  }
  // The types of the Pod's conditions.
  std::vector<std::string> conditions(const std::string& pod) {
    std::vector<std::string> types;
    const lab::Json found = object("", "v1", "pods", "shop", pod);
    for (const lab::Json& each : found["status"]["conditions"]) {
      types.push_back(each["type"]);
    }
    return types;
  }

  LabApi lab_;
};

TEST_F(Uninstall, ADryRunListsWhatIsLeftAndWritesNothing) {
  lab_.load(kLeft + kEnded);
  EXPECT_THAT(
      rows({"--dry-run"}),
      ElementsAre("Pod shop/web: condition PodResizePreemptionDisabled, condition "
                  "DisruptionTarget: WouldRemove",
                  "Node node1: annotation elbowroom.dev/critical-preemption: WouldRemove",
                  "Node node1: 1 entry of annotation scheduler.alpha.kubernetes.io/"
                  "preferAvoidPods: WouldRemove",
                  "Lease kube-system/elbowroom-scheduler: the object: WouldRemove",
                  "Lease kube-system/elbowroom-scheduler-breaker: the object: WouldRemove",
                  "ConfigMap kube-system/elbowroom-rescheduler-rests: the object: WouldRemove"));
  EXPECT_EQ(writes(), 0U);
  const Outcome table = uninstall({"--dry-run"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("WouldRemove  annotation elbowroom.dev/critical-preemption"));
}

TEST_F(Uninstall, RemovesWhatIsOursAndLeavesTheRest) {
  lab_.load(kLeft + kEnded);
  const Outcome got = uninstall({"--yes"});
  EXPECT_EQ(got.status, 0) << got.err << got.out;
  EXPECT_THAT(got.out, AllOf(HasSubstr("Removed"), Not(HasSubstr("Failed"))));
  EXPECT_THAT(conditions("web"), ElementsAre("Ready"));
  EXPECT_THAT(conditions("theirs"), ElementsAre("PodResizePreemptionDisabled", "DisruptionTarget"));
  EXPECT_THAT(conditions("goes"), ElementsAre("DisruptionTarget"));
  const lab::Json node = object("", "v1", "nodes", "", "node1");
  const lab::Json& annotations = node["metadata"]["annotations"];
  EXPECT_FALSE(annotations.contains("elbowroom.dev/critical-preemption"));
  EXPECT_EQ(annotations["elbowroom.dev/disable-resize-preemption"], "example.com/team");
  EXPECT_THAT(annotations[kAvoid].get<std::string>(),
              AllOf(HasSubstr("theirs"), Not(HasSubstr("ElbowroomEviction"))));
  for (const char* name : {"elbowroom-scheduler", "elbowroom-scheduler-breaker"}) {
    EXPECT_TRUE(object("coordination.k8s.io", "v1", "leases", "kube-system", name).is_null());
  }
  EXPECT_TRUE(
      object("", "v1", "configmaps", "kube-system", "elbowroom-rescheduler-rests").is_null());
  EXPECT_FALSE(object("", "v1", "configmaps", "kube-system", "elbowroom-rescheduler").is_null());
  const Outcome again = uninstall({"--yes"});
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out, "nothing of Elbowroom is left in the cluster\n");
}

constexpr const char* kWaiting = R"yaml(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waits, namespace: shop, uid: u-4}
spec: {schedulerName: elbowroom, containers: [{name: app, image: x}]}
status: {phase: Pending, nominatedNodeName: node1, conditions: [{type: PodScheduled, status: "False"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: another, namespace: shop, uid: u-5}
spec: {schedulerName: default-scheduler, containers: [{name: app, image: x}]}
status: {phase: Pending, nominatedNodeName: node1}
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: ours, namespace: shop, uid: g-1}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
status:
  conditions:
  - {type: PodGroupInitiallyScheduled, status: "True", reason: Scheduled, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}
  - {type: DisruptionTarget, status: "True", reason: PreemptionByScheduler, message: "elbowroom-scheduler: preempting to accommodate a higher priority pod (uid u-9)", lastTransitionTime: "2026-01-01T00:00:00Z"}
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: theirs, namespace: shop, uid: g-2}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
status:
  conditions:
  - {type: DisruptionTarget, status: "True", reason: PreemptionByScheduler, message: "kube-scheduler: preempting", lastTransitionTime: "2026-01-01T00:00:00Z"}
)yaml";

TEST_F(Uninstall, NominationsAndMarksOfGroupsAreRemoved) {
  lab_.load(kWaiting);
  EXPECT_THAT(rows({"--dry-run"}),
              ElementsAre("Pod shop/waits: nomination to node1: WouldRemove",
                          "PodGroup shop/ours: condition DisruptionTarget: WouldRemove"));
  const Outcome got = uninstall({"--yes"});
  EXPECT_EQ(got.status, 0) << got.err << got.out;
  EXPECT_FALSE(object("", "v1", "pods", "shop", "waits")["status"].contains("nominatedNodeName"));
  EXPECT_THAT(conditions("waits"), ElementsAre("PodScheduled"));
  EXPECT_EQ(object("", "v1", "pods", "shop", "another")["status"]["nominatedNodeName"], "node1");
  const auto of_group = [&](const std::string& name) {
    std::vector<std::string> types;
    const lab::Json found = object("scheduling.k8s.io", "v1beta1", "podgroups", "shop", name);
    for (const lab::Json& each : found["status"]["conditions"]) types.push_back(each["type"]);
    return types;
  };
  EXPECT_THAT(of_group("ours"), ElementsAre("PodGroupInitiallyScheduled"));
  EXPECT_THAT(of_group("theirs"), ElementsAre("DisruptionTarget"));
}

TEST_F(Uninstall, RefusesWhileAProgramRunsUnlessForced) {
  lab_.load(kLeft + kHeld);
  const std::string runs =
      "still runs: elbowroom-scheduler (a_1 holds Lease kube-system/elbowroom-scheduler)\n";
  const std::string remedy = " removed while a program runs: stop it first, or add --force\n";
  const Outcome refused = uninstall({"--yes"});
  EXPECT_EQ(refused.status, kExitTemporary);
  EXPECT_THAT(refused.out, AllOf(HasSubstr(runs + "nothing is" + remedy), HasSubstr("Kept"),
                                 Not(HasSubstr("WouldRemove"))));
  const Outcome dry = uninstall({"--dry-run"});
  EXPECT_EQ(dry.status, 0);
  EXPECT_THAT(dry.out, AllOf(HasSubstr(runs + "--yes removes nothing while a program runs: stop "
                                              "it first, or add --force\n"),
                             HasSubstr("WouldRemove")));
  EXPECT_EQ(writes(), 0U);
  EXPECT_EQ(uninstall({"--yes", "--force"}).status, 0);
  EXPECT_THAT(conditions("web"), ElementsAre("Ready"));
}

TEST_F(Uninstall, AnAgentInAPodRuns) {
  lab_.load(std::string(kLeft) + R"(---
apiVersion: v1
kind: Pod
metadata: {name: elbowroom-agent-1, namespace: kube-system, uid: a-1, labels: {app.kubernetes.io/name: elbowroom-agent}, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: elbowroom-agent, uid: d-1, controller: true}]}
spec: {nodeName: node1, containers: [{name: agent, image: x}]}
status: {phase: Running}
)");
  const Outcome got = uninstall({"--yes"});
  EXPECT_EQ(got.status, kExitTemporary);
  EXPECT_THAT(got.out, HasSubstr("still runs: elbowroomd (1 Pod of a DaemonSet)"));
  EXPECT_EQ(writes(), 0U);
}

TEST_F(Uninstall, AWriteThatIsRefusedIsNamedAndTheOthersGoOn) {
  lab_.load(kLeft + kEnded);
  lab_.refuse("/pods/web/status", 403, "Forbidden");
  const Outcome got = uninstall({"--yes"});
  EXPECT_EQ(got.status, kExitFailure);
  EXPECT_THAT(got.out, HasSubstr("Failed"));
  EXPECT_TRUE(object("coordination.k8s.io", "v1", "leases", "kube-system", "elbowroom-scheduler")
                  .is_null());
}

TEST_F(Uninstall, WhatMayNotBeReadEndsIt) {
  lab_.load(kLeft);
  lab_.refuse("/api/v1/pods", 403, "Forbidden");
  EXPECT_EQ(uninstall({"--yes"}).status, kExitNotPermitted);
  EXPECT_EQ(writes(), 0U);
}

TEST_F(Uninstall, TakesOneOfDryRunAndYes) {
  EXPECT_EQ(uninstall({}).status, kExitUsage);
  EXPECT_EQ(uninstall({"--yes", "--dry-run"}).status, kExitUsage);
}

// Every write has its precondition.
TEST(Leftovers, EachRemovalNamesTheUidAndWhatWasRead) {
  const auto documents = parse_yaml(kLeft + kEnded);
  ASSERT_TRUE(documents);
  std::size_t found = 0;
  for (const Value& each : *documents) {
    const auto left = leftovers_in(each);
    ASSERT_TRUE(left) << left.error().message;
    for (const Leftover& one : *left) {
      ++found;
      EXPECT_THAT(one.removal.body, HasSubstr(one.kind == "Pod" ? "\"uid\":\"u-1\"" : "\"n-1\""))
          << one.what;
    }
  }
  EXPECT_EQ(found, 3U);
  Value lease = documents->back();
  const auto whole = leftover_object(lease, "/x");
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->removal.body, HasSubstr("\"uid\":\"l-1\""));
}

}  // namespace
}  // namespace elbowroom::cli
