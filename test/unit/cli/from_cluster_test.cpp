// Objects read from a cluster give the same decisions as the same objects in files.
#include "cli/input/from_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "api/transport/kubeconfig.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kObjects = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: node2, uid: n-2}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: u-1, generation: 3}
spec:
  nodeName: node1
  priority: 1000
  containers: [{name: app, image: x, resources: {requests: {cpu: "3"}}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  containerStatuses: [{name: app, allocatedResources: {cpu: "1"}, resources: {requests: {cpu: "1"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: batch, namespace: jobs, uid: u-2, labels: {app: batch}}
spec:
  nodeName: node1
  priority: 10
  containers: [{name: app, image: x, resources: {requests: {cpu: "2"}}}]
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: jobs, uid: u-3, labels: {app: batch}}
spec:
  nodeName: node2
  containers: [{name: app, image: x, resources: {requests: {cpu: "2"}}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: elbowroom.dev/v1alpha1
kind: DisruptionBudget
metadata: {name: batch, namespace: jobs, uid: b-1}
spec: {selector: {matchLabels: {app: batch}}, minAvailable: 1, hard: true}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default, uid: b-2}
spec: {selector: {matchLabels: {app: web}}, minAvailable: 1}
status: {disruptionsAllowed: 0}
)";

std::vector<std::string> resize(LabApi& lab, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"simulate",       "resize",       "default/web",
                                    "--from-cluster", "--kubeconfig", lab.kubeconfig()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// "-f FILE" for each of what kubectl would have saved of the lab's objects.
std::vector<std::string> saved_objects(LabApi& lab, const Folder& files) {
  std::vector<std::string> saved;
  for (const auto& [group, version, plural] : std::vector<std::array<std::string, 3>>{
           {"", "v1", "nodes"},
           {"", "v1", "pods"},
           {"policy", "v1", "poddisruptionbudgets"},
           {"elbowroom.dev", "v1alpha1", "disruptionbudgets"}}) {
    saved.push_back("-f");
    saved.push_back(files.file(plural + ".json", lab.saved(group, version, plural)));
  }
  return saved;
}

TEST(FromCluster, SaysWhatTheSameObjectsInFilesSay) {
  LabApi lab;
  lab.load(kObjects);
  const Folder files;
  const std::vector<std::string> saved = saved_objects(lab, files);
  for (const char* format : {"json", "yaml", "table"}) {
    std::vector<std::string> words = {"simulate", "resize", "default/web", "-o", format};
    words.insert(words.end(), saved.begin(), saved.end());
    const Outcome from_files = run(words);
    const Outcome from_cluster = run(resize(lab, {"-o", format}));
    EXPECT_EQ(from_cluster.status, 0) << from_cluster.err;
    EXPECT_EQ(from_cluster.out, from_files.out);
    EXPECT_EQ(from_cluster.err, "");
    EXPECT_THAT(from_cluster.out, HasSubstr("jobs/batch"));
  }
}

TEST(FromCluster, ReadsOnlyWhatTheJudgementNeedsAndOnlyReads) {
  LabApi lab;
  lab.load(kObjects);
  ASSERT_EQ(run(resize(lab)).status, 0);
  for (const lab::RequestRecord& each : lab.server().requests()) {
    EXPECT_EQ(each.method, "GET");
    EXPECT_NE(each.target, "/api/v1/nodes?limit=500");
    EXPECT_NE(each.target, "/api/v1/pods?limit=500");
    EXPECT_THAT(each.target, Not(HasSubstr("node2")));
  }
}

TEST(FromCluster, PagesAreReadToTheEnd) {
  LabApi lab;
  lab.load(kObjects);
  std::string many;
  for (int i = 0; i < 1203; ++i) {
    const std::string n = std::to_string(i);
    many += "---\n{apiVersion: v1, kind: Pod, metadata: {name: p" + n +
            ", namespace: jobs, uid: m" + n +
            "}, spec: {nodeName: node1, containers: [{name: a, image: x, resources: {requests: "
            "{cpu: 1m}}}]}, status: {phase: Running}}\n";
  }
  lab.load(many);
  const Outcome got = run(resize(lab, {"-o", "json"}));
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(nlohmann::json::parse(got.out)["room"]["others"]["cpu"], "3203m");
}

TEST(FromCluster, WhatIsDeniedIsToldOnceAndWhatIsNotServedIsNot) {
  LabApi lab;
  lab.load(kObjects);
  lab.refuse("/poddisruptionbudgets", 403, "Forbidden");
  lab.refuse("/disruptionbudgets", 404, "NotFound");
  const Outcome got = run(resize(lab, {"-o", "json"}));
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.err,
            "elbowroom: not permitted: list poddisruptionbudgets.policy in namespace default\n"
            "elbowroom: not permitted: list poddisruptionbudgets.policy in namespace jobs\n");
}

// Of what is not permitted, any budget could spare any pod.
TEST(FromCluster, NoVictimIsNamedThatABudgetMightSpareThatMayNotBeRead) {
  LabApi lab;
  lab.load(kObjects);
  lab.refuse("/poddisruptionbudgets", 403, "Forbidden");
  lab.refuse("/disruptionbudgets", 404, "NotFound");
  const Outcome got = run(resize(lab));
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_TRUE(
      got.out.starts_with("not known here: what \"list poddisruptionbudgets.policy in "
                          "namespace default\" shows, which is not permitted\n"))
      << got.out;
  EXPECT_THAT(got.out, HasSubstr("who makes room: perhaps the scheduler: which pods of lower"));
  EXPECT_THAT(got.out, Not(HasSubstr("goes:")));
}

TEST(FromCluster, AnUnknownPodIsNoMatterOfFiles) {
  LabApi lab;
  lab.load(kObjects);
  const Outcome got = run({"simulate", "schedule", "default/nobody", "--from-cluster",
                           "--kubeconfig", lab.kubeconfig()});
  EXPECT_EQ(got.status, 1);
  EXPECT_THAT(got.err, HasSubstr("pod default/nobody is not in the input, which is what the "
                                 "cluster shows now"));
  EXPECT_THAT(got.err, Not(HasSubstr("-f")));
}

TEST(FromCluster, ErrorsNameServerObjectAndRemedy) {
  LabApi lab;
  lab.load(kObjects);
  const std::string kubeconfig = lab.kubeconfig();
  const auto of = [&](const std::string& pod) {
    return run({"simulate", "resize", pod, "--from-cluster", "--kubeconfig", kubeconfig});
  };
  const Outcome near = of("default/wbe");
  EXPECT_EQ(near.status, 1);
  EXPECT_THAT(near.err, HasSubstr("there is no pod default/wbe at http://127.0.0.1:"));
  EXPECT_THAT(near.err, HasSubstr("did you mean default/web?"));
  EXPECT_THAT(of("default/batch").err, HasSubstr("did you mean jobs/batch?"));

  lab.refuse("/api/v1/pods?", 403, "Forbidden");
  const Outcome denied = of("default/web");
  EXPECT_EQ(denied.status, 77);
  EXPECT_THAT(denied.err, HasSubstr("list pods in all namespaces at http://127.0.0.1:"));
  EXPECT_THAT(denied.err, HasSubstr("--context"));

  lab.server().stop();
  const Outcome away = of("default/web");
  EXPECT_EQ(away.status, 69);
  EXPECT_THAT(away.err, HasSubstr("get pods default/web at http://127.0.0.1:"));

  const Outcome lost = run({"simulate", "resize", "default/web", "--from-cluster", "--kubeconfig",
                            lab.folder().path() + "/none"});
  EXPECT_EQ(lost.status, 78);
  EXPECT_THAT(lost.err, HasSubstr("none"));
  EXPECT_EQ(run({"simulate", "resize", "default/web", "--from-cluster", "--kubeconfig", kubeconfig,
                 "--context", "nobody"})
                .status,
            78);
}

TEST(FromCluster, AllOfAClusterIsReadForWholeScenarios) {
  LabApi lab;
  lab.load(kObjects);
  lab.load(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: elbowroom-rescheduler, namespace: "
      "kube-system}, data: {config.yaml: x}}");
  lab.load(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: "
      "{selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: "
      "{containers: [{name: app, image: i}]}}}}");
  const auto access = api::access_from({{.path = "k", .text = lab.server().kubeconfig()}});
  ASSERT_TRUE(access);
  ClusterReader reader(*access);
  const auto all = read_cluster(reader);
  ASSERT_TRUE(all) << all.error().message;
  std::multiset<std::string> kinds;
  for (const Value& each : all->objects) kinds.insert(each.find("kind")->text);
  EXPECT_EQ(kinds.count("Node"), 2U);
  EXPECT_EQ(kinds.count("Pod"), 3U);
  EXPECT_EQ(kinds.count("ConfigMap"), 1U);
  EXPECT_EQ(kinds.count("DisruptionBudget"), 1U);
  EXPECT_EQ(kinds.count("Deployment"), 0U);
  EXPECT_EQ(all->objects.front().find("apiVersion")->text, "v1");
  EXPECT_TRUE(all->denied.empty());
  const auto with_owners = read_cluster(reader, Owners::Yes);
  ASSERT_TRUE(with_owners) << with_owners.error().message;
  EXPECT_TRUE(std::ranges::any_of(with_owners->objects, [](const Value& each) {
    return each.find("kind")->text == "Deployment";
  }));
  EXPECT_TRUE(reader.server_time());
}

// ---- objects that cannot be understood ----

// A PodDisruptionBudget with an unknown selector.
std::string odd_budget(const std::string& name) {
  return "---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " + name +
         ", namespace: default, uid: b-" + name +
         "}, spec: {selector: {matchExpressions: [{key: a, operator: Near}]}}}\n";
}

// A pod with a time that is none.
std::string odd_pod(const std::string& name, const std::string& more) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", namespace: jobs, uid: o-" + name + "}, spec: {" + more +
         "containers: [{name: a, image: x}]}, status: {phase: Running, containerStatuses: [{name: "
         "a, state: {running: {startedAt: yesterday}}}]}}\n";
}

constexpr const char* kFreeToGo =
    "{apiVersion: v1, kind: Pod, metadata: {name: free, namespace: default, uid: u-8}, spec: "
    "{nodeName: node1, priority: 1, containers: [{name: a, image: x, resources: {requests: {cpu: "
    "\"1\"}}}]}, status: {phase: Running}}";

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(FromCluster, AnObjectThatCannotBeUnderstoodIsLeftOutByName) {
  LabApi lab;
  lab.load(kObjects);
  lab.load(kFreeToGo);
  const Outcome before = run(resize(lab, {"--set", "app:cpu=2", "-o", "json"}));
  EXPECT_EQ(nlohmann::json::parse(before.out)["preemption"]["outcome"], "Preempt");
  lab.load(odd_budget("odd"));
  const Outcome got = run(resize(lab, {"--set", "app:cpu=2", "-o", "json"}));
  EXPECT_EQ(got.status, 0);
  // The budget may cover the victim, and allow nothing.
  const auto preemption = nlohmann::json::parse(got.out)["preemption"];
  EXPECT_EQ(preemption["outcome"], "Preempt");
  EXPECT_EQ(preemption["victims"].size(), 1U);
  EXPECT_EQ(preemption["budgetViolations"], 1);
  EXPECT_THAT(got.err, HasSubstr("PodDisruptionBudget default/odd cannot be understood and counts "
                                 "as one that lets nobody of its namespace go: "));
  EXPECT_THAT(got.err, HasSubstr("operator"));
  EXPECT_EQ(lines_in(got.err), 1U);
}

TEST(FromCluster, OfManyThatCannotBeUnderstoodTheFirstOnesAreNamed) {
  LabApi lab;
  lab.load(kObjects);
  for (int i = 10; i < 23; ++i) lab.load(odd_budget("odd-" + std::to_string(i)));
  const Outcome got = run(resize(lab));
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(lines_in(got.err), 11U) << got.err;
  EXPECT_THAT(got.err, HasSubstr("3 more objects cannot be understood and are left out"));
}

TEST(FromCluster, NobodyIsRemovedBesideAPodThatCannotBeUnderstood) {
  LabApi lab;
  lab.load(kObjects);
  lab.load(kFreeToGo);
  lab.load(odd_pod("gone", "nodeName: node2, "));
  EXPECT_EQ(
      nlohmann::json::parse(
          run(resize(lab, {"--set", "app:cpu=2", "-o", "json"})).out)["preemption"]["outcome"],
      "Preempt")
      << "on its own node alone";
  lab.load(odd_pod("odd", "nodeName: node1, "));
  const Outcome got = run(resize(lab, {"--set", "app:cpu=2", "-o", "json"}));
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.err, HasSubstr("Pod jobs/odd cannot be understood and is left out: "));
  const auto preemption = nlohmann::json::parse(got.out)["preemption"];
  EXPECT_EQ(preemption["outcome"], "NoVictims");
  EXPECT_TRUE(preemption["victims"].empty());
  EXPECT_THAT(preemption["message"].get<std::string>(),
              HasSubstr("nobody is removed on node node1: pod jobs/odd cannot be understood"));
}

TEST(FromCluster, NoPodIsPlacedBesideOneThatCannotBeUnderstood) {
  LabApi lab;
  lab.load(kObjects);
  lab.load(odd_pod("odd", "nodeName: node1, "));
  lab.load(
      "{apiVersion: v1, kind: Pod, metadata: {name: new, namespace: default, uid: u-9}, spec: "
      "{containers: [{name: a, image: x, resources: {requests: {cpu: 100m}}}]}}");
  const Outcome got = run({"simulate", "schedule", "default/new", "--from-cluster", "--kubeconfig",
                           lab.kubeconfig(), "-o", "json"});
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(nlohmann::json::parse(got.out)["node"], "node2");
  EXPECT_THAT(got.out, HasSubstr("node(s) had a pod that cannot be understood"));
  EXPECT_THAT(got.err, HasSubstr("Pod jobs/odd cannot be understood"));
}

// A file's objects take the place of those of the same name.
TEST(FromCluster, APodOfAFileIsPlacedInTheCluster) {
  LabApi lab;
  lab.load(kObjects);
  const std::string file = lab.folder().file("new.yaml", R"(---
apiVersion: v1
kind: Pod
metadata: {name: new, namespace: default}
spec: {containers: [{name: a, image: x, resources: {requests: {cpu: 100m}}}]}
)");
  const auto placed = [&](const std::string& pod) {
    return run({"simulate", "schedule", pod, "--from-cluster", "-f", file, "--kubeconfig",
                lab.kubeconfig(), "-o", "json"});
  };
  const Outcome got = placed("default/new");
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(nlohmann::json::parse(got.out)["result"], "Bind") << got.out;
  EXPECT_EQ(got.err, "");
  lab.load(
      "{apiVersion: v1, kind: Pod, metadata: {name: new, namespace: default, uid: u-9}, spec: "
      "{nodeName: node1, containers: [{name: a, image: x}]}}");
  EXPECT_EQ(placed("default/new").status, 0) << "the one of the file is asked about";
  EXPECT_EQ(placed("default/none").status, 1);
  EXPECT_EQ(run({"simulate", "resize", "default/web", "--from-cluster", "-f", file, "--kubeconfig",
                 lab.kubeconfig()})
                .status,
            kExitUsage);
}

TEST(FromCluster, APodThatIsAskedForMustBeUnderstoodAndSoMustAFile) {
  LabApi lab;
  lab.load(kObjects);
  lab.load(odd_pod("odd", "nodeName: node1, "));
  const Outcome itself =
      run({"simulate", "resize", "jobs/odd", "--from-cluster", "--kubeconfig", lab.kubeconfig()});
  EXPECT_EQ(itself.status, kExitFailure);
  EXPECT_THAT(itself.err, HasSubstr("startedAt"));
  const Folder files;
  std::vector<std::string> words = {"simulate", "resize", "default/web"};
  for (const std::string& each : saved_objects(lab, files)) words.push_back(each);
  EXPECT_EQ(run(words).status, kExitFailure);
}

// ---- simulate run ----

// The cluster's web waits for room beside one more pod, which stays.
constexpr const char* kWhatIf = R"(apiVersion: elbowroom.dev/v1alpha1
kind: Scenario
metadata: {name: what-if}
spec:
  agents: authority
  scheduler: resize
  objects:
  - {apiVersion: v1, kind: Pod, metadata: {name: more}, spec: {nodeName: node1, priority: 5, containers: [{name: a, resources: {requests: {cpu: "1"}}}]}}
  expect:
  - {at: 0s, pod: jobs/batch, condition: {type: DisruptionTarget, status: "True"}}
  - {at: end, pod: default/web, allocated: {cpu: "3"}}
  - {at: end, pod: default/more, phase: Running}
)";

std::vector<std::string> what_if(const Folder& files, std::vector<std::string> more) {
  std::vector<std::string> words = {"simulate", "run", files.file("what-if.yaml", kWhatIf)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(FromCluster, AScenarioBeginsWithTheObjectsOfACluster) {
  LabApi lab;
  lab.load(kObjects);
  const Folder files;
  for (const char* format : {"json", "table"}) {
    std::vector<std::string> words = saved_objects(lab, files);
    words.insert(words.end(), {"-o", format});
    const Outcome from_files = run(what_if(files, words));
    const Outcome from_cluster =
        run(what_if(files, {"--from-cluster", "--kubeconfig", lab.kubeconfig(), "-o", format}));
    EXPECT_EQ(from_cluster.status, 0) << from_cluster.err << from_cluster.out;
    EXPECT_EQ(from_cluster.err, "");
    EXPECT_EQ(from_cluster.out, from_files.out);
    EXPECT_THAT(from_cluster.out, HasSubstr("jobs/batch"));
  }
  for (const lab::RequestRecord& each : lab.server().requests()) EXPECT_EQ(each.method, "GET");
}

TEST(FromCluster, AScenarioBeginsWithoutWhatCannotBeUnderstood) {
  LabApi lab;
  lab.load(kObjects);
  lab.load(odd_pod("odd", "nodeName: node1, "));
  const Folder files;
  const Outcome got = run(what_if(files, {"--from-cluster", "--kubeconfig", lab.kubeconfig()}));
  EXPECT_EQ(got.status, 0) << got.err << got.out;
  EXPECT_THAT(got.err, HasSubstr("Pod jobs/odd cannot be understood and is left out: "));
  EXPECT_THAT(got.err, HasSubstr("on their nodes (1) the cluster's own scheduler removes nobody"));
}

// A budget may spare its pods.
TEST(FromCluster, AScenarioWithoutTheRightToListBudgetsNamesNoVictim) {
  LabApi lab;
  lab.load(kObjects);
  lab.refuse("/poddisruptionbudgets", 403, "Forbidden");
  const Folder files;
  const Outcome got = run(what_if(files, {"--from-cluster", "--kubeconfig", lab.kubeconfig()}));
  EXPECT_EQ(got.status, 77);
  EXPECT_EQ(got.out, "");
  EXPECT_THAT(got.err, HasSubstr("pods would have to go, and which ones depends on what \"list "
                                 "poddisruptionbudgets.policy in all namespaces\" shows"));
}

TEST(FromCluster, AScenarioSaysWhyItCannotBegin) {
  LabApi lab;
  lab.load(kObjects);
  const Folder files;
  const std::string kubeconfig = lab.kubeconfig();
  const auto of = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--from-cluster", "--kubeconfig", kubeconfig});
    return run(what_if(files, more));
  };
  const Outcome both = of({"-f", files.path() + "/what-if.yaml"});
  EXPECT_EQ(both.status, kExitUsage);
  EXPECT_THAT(both.err, HasSubstr("exclude each other"));

  lab.load(
      "{apiVersion: v1, kind: Pod, metadata: {name: more, namespace: default, uid: u-9}, "
      "spec: {containers: [{name: a}]}}");
  const Outcome twice = of({});
  EXPECT_EQ(twice.status, kExitFailure);
  EXPECT_THAT(twice.err, HasSubstr("what-if.yaml: spec.objects: "));
  EXPECT_THAT(twice.err, HasSubstr("default/more"));

  lab.refuse("/api/v1/pods?", 403, "Forbidden");
  EXPECT_EQ(of({}).status, kExitNotPermitted);
  lab.server().stop();
  EXPECT_EQ(of({}).status, kExitUnreachable);
  EXPECT_EQ(run(what_if(files, {"--from-cluster", "--kubeconfig", files.path() + "/none"})).status,
            kExitConfiguration);
}

}  // namespace
}  // namespace elbowroom::cli
