#include "cli/simulate_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line.h"

namespace elbowroom::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kNodes = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Node
metadata: {name: node2}
spec: {unschedulable: true}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
)";

constexpr const char* kLow = R"(---
apiVersion: v1
kind: Pod
metadata: {name: low, namespace: default, uid: u-low}
spec: {nodeName: node1, priority: 10, containers: [{name: app, resources: {requests: {cpu: 3}}}]}
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
)";

// Without a uid, as manifests have them.
constexpr const char* kWeb = R"(---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {priority: 1000, containers: [{name: app, resources: {requests: {cpu: 2}}}]}
)";

Outcome schedule(const std::string& text, std::vector<std::string> more = {"-o", "json"},
                 const std::string& pod = "default/web") {
  const Folder folder;
  std::vector<std::string> words = {"simulate", "schedule", "-f", folder.file("in.yaml", text)};
  if (!pod.empty()) words.push_back(pod);
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

Json decision(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"-o", "json"});
  const Outcome outcome = schedule(text, more);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

TEST(SimulateSchedule, EveryKeyOfTheContractIsThere) {
  const Json got = decision(std::string(kNodes) + kLow + kWeb);
  const Json expected = Json::parse(R"({
    "apiVersion": "elbowroom.dev/v1alpha1", "kind": "SchedulingDecision", "pod": "default/web",
    "result": "Preempt", "node": "node1",
    "victims": [{"pod": "default/low", "uid": "u-low", "priority": 10, "violatesBudget": false,
                 "unit": "default/low",
                 "why": "lowest priority (10) whose 3 cpu is needed"}],
    "budgetViolations": 0,
    "message": "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
    "outranked": [],
    "nodes": [{"node": "node1", "code": "Unschedulable", "reasons": ["Insufficient cpu"],
               "score": null, "candidate": {"victims": ["default/low"], "budgetViolations": 0}},
              {"node": "node2", "code": "UnschedulableAndUnresolvable",
               "reasons": ["node(s) were unschedulable"], "score": null, "candidate": null}]})");
  EXPECT_EQ(got, expected) << got.dump(1);
}

TEST(SimulateSchedule, SaysWhichBudgetsCoverTheVictims) {
  const std::string budget =
      "---\n{kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, spec: {selector: "
      "{}}, status: {disruptionsAllowed: 0}}\n";
  const Json got = decision(std::string(kNodes) + kLow + kWeb + budget)["coveredBy"];
  EXPECT_EQ(got, Json::parse(R"([{"budget": "PodDisruptionBudget default/b", "hard": false,
    "allowed": 0, "nextAllowedTime": null, "pods": ["default/low"], "notCharged": []}])"))
      << got.dump(1);
}

TEST(SimulateSchedule, ABindHasNoMessageAndNothingIsMissing) {
  const Json got = decision(std::string(kNodes) + kWeb);
  EXPECT_EQ(got["result"], "Bind");
  EXPECT_EQ(got["node"], "node1");
  EXPECT_EQ(got["message"], "");
  EXPECT_EQ(got["victims"], Json::array());
  EXPECT_TRUE(got["nodes"][0]["score"].is_number_integer());
  EXPECT_EQ(got["nodes"][0]["reasons"], Json::array());
}

TEST(SimulateSchedule, RulesAndNamespacesAndClassesCount) {
  const std::string leaving =
      R"(---
apiVersion: v1
kind: Pod
metadata: {name: low, uid: u-low, namespace: other, deletionTimestamp: "2026-01-01T00:00:30Z"}
spec: {nodeName: node1, priority: 10, containers: [{name: app, resources: {requests: {cpu: 3}}}]}
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
)";
  const std::string text = std::string(kNodes) + leaving + kWeb;
  EXPECT_EQ(decision(text)["result"], "AwaitingVictims");
  EXPECT_EQ(decision(text, {"--now", "2026-01-01T00:01:00Z"})["result"], "Unschedulable");
  EXPECT_EQ(decision(text, {"--rules", "upstream"})["result"], "Preempt");

  const std::string apart = R"(---
apiVersion: v1
kind: Namespace
metadata: {name: other, labels: {team: a}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 7
---
apiVersion: v1
kind: Pod
metadata: {name: apart}
spec:
  priorityClassName: high
  containers: [{name: app}]
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {},
         namespaceSelector: {matchLabels: {team: a}}}
)";
  std::string labelled = std::string(kNodes) + leaving + apart;
  labelled.replace(labelled.find("{name: node1}"), 13,
                   "{name: node1, labels: {kubernetes.io/hostname: node1}}");
  const Outcome outcome =
      schedule(labelled, {"-o", "json", "--rules", "upstream"}, "default/apart");
  const Json got = Json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(got["nodes"][0]["reasons"][0], "node(s) didn't match pod anti-affinity rules")
      << got.dump(1);
  EXPECT_EQ(got["result"], "Unschedulable") << "priority 10 is not below that of the class";
}

TEST(SimulateSchedule, OtherFormatsAreReadable) {
  const std::string text = std::string(kNodes) + kLow + kWeb;
  const Outcome yaml = schedule(text, {"-o", "yaml"});
  EXPECT_NE(yaml.out.find("result: Preempt"), std::string::npos) << yaml.out;
  const Outcome table = schedule(text, {});
  EXPECT_NE(table.out.find("pod default/web: Preempt on node node1"), std::string::npos);
  EXPECT_NE(table.out.find("default/low"), std::string::npos) << table.out;
}

// On a neighbour it changes nothing, and the pod's own does not match.
TEST(SimulateSchedule, ATermThatCannotBeUnderstoodIsNamedOnceAndDoesNotMatch) {
  const std::string prefers =
      "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
      "preference: {matchExpressions: [{key: a, operator: Gt, values: [v5]}]}}]}}, "
      "tolerations: [{key: b, operator: Like}], ";
  const auto odd = [&](std::string manifest) {
    const std::size_t at = manifest.find("spec: {") + 7;
    return manifest.insert(at, prefers);
  };
  const Outcome plain = schedule(std::string(kNodes) + kLow + kWeb);
  for (const std::string& text :
       {std::string(kNodes) + odd(kLow) + kWeb, std::string(kNodes) + kLow + odd(kWeb)}) {
    const Outcome outcome = schedule(text);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, plain.out);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 2) << outcome.err;
    for (const char* told : {"values: must be one integer for Gt and Lt",
                             "spec.tolerations[0].operator: must be Equal or Exists"}) {
      const std::size_t first = outcome.err.find(told);
      EXPECT_NE(first, std::string::npos) << outcome.err;
      EXPECT_EQ(outcome.err.find(told, first + 1), std::string::npos) << outcome.err;
    }
  }
}

TEST(SimulateSchedule, WhatCannotBePlacedIsAnErrorThatNamesThePod) {
  const std::string text = std::string(kNodes) + kLow + kWeb;
  struct Row {
    std::vector<std::string> more;
    std::string pod;
    int status;
    std::string told;
  };
  const std::vector<Row> rows = {
      {{}, "default/low", 1, "default/low is on node node1"},
      {{}, "default/nobody", 1, "default/nobody is not in the input: add it with -f"},
      {{}, "default/wbe", 1, "default/wbe is not in the input; did you mean default/web?"},
      {{}, "/web", 2, "\"/web\" names no pod: write pod/NAME | NAME | NAMESPACE/NAME"},
      {{}, "pod/nobody", 1, "pod default/nobody is not in the input"},
      {{"-n", "other"}, "web", 1, "pod other/web is not in the input"},
      {{"-n", "other"}, "default/web", 2, "in namespace default and -n says other"},
      {{"--group", "default/g"}, "default/web", 2, "a pod and --group"},
      {{"--group", "a/b/c"}, "", 2, "\"a/b/c\" names no pod group"},
      {{"--group", "podgroup/g"}, "", 1, "pod group default/g is not in the input"},
      {{"--group", "default/g"}, "", 1, "pod group default/g is not in the input"},
      {{"--rules", "mine"}, "default/web", 2, "--rules"},
  };
  for (const Row& row : rows) {
    const Outcome outcome = schedule(text, row.more, row.pod);
    EXPECT_EQ(outcome.status, row.status) << outcome.err;
    EXPECT_NE(outcome.err.find(row.told), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(SimulateSchedule, ClaimsAndVolumesInTheInputDecide) {
  constexpr const char* kStored = R"(---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: app, resources: {requests: {cpu: 2}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
)";
  constexpr const char* kVolumes = R"(---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, uid: u-data}
spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}
status: {phase: Pending}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-1}
spec:
  storageClassName: local
  accessModes: [ReadWriteOnce]
  capacity: {storage: 10Gi}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node1]}]}]}
status: {phase: Available}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
)";
  const std::string input = std::string(kNodes) + kStored;
  EXPECT_EQ(
      decision(input)["message"],
      "0/2 nodes are available: persistentvolumeclaim \"data\" not found. preemption: 0/2 nodes "
      "are available: 2 Preemption is not helpful for scheduling.");
  EXPECT_EQ(decision(input + kVolumes)["node"], "node1");
}

}  // namespace
}  // namespace elbowroom::cli
