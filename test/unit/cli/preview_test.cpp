// `elbowroom preview`: what would happen in a cluster, from files and from the lab's API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab_api.h"
#include "test/checkout.h"

namespace elbowroom::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// On node1 web lacks 1 cpu, and batch (priority 10) holds 2; on node2 cache lacks 2, and the node's
// policy forbids to remove `other`. node3 has room for small.
constexpr const char* kCluster = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: node2, uid: n-2, annotations: {elbowroom.dev/disable-resize-preemption: example.com/db}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: node3, uid: n-3}
status: {allocatable: {cpu: "1", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
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
  conditions: [{type: PodResizePending, status: "True", reason: Deferred, observedGeneration: 3, lastTransitionTime: "2026-01-01T00:05:00Z"}]
  containerStatuses: [{name: app, allocatedResources: {cpu: "1"}, resources: {requests: {cpu: "1"}}}]
---
apiVersion: v1
kind: Pod
metadata:
  name: batch-x
  namespace: jobs
  uid: u-2
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: batch-1, uid: r-1, controller: true}]
spec:
  nodeName: node1
  priority: 10
  containers: [{name: app, image: x, resources: {requests: {cpu: "2"}}}]
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: batch-1
  namespace: jobs
  uid: r-1
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: batch, uid: d-1, controller: true}]
spec:
  replicas: 1
  selector: {matchLabels: {app: batch}}
  template: {metadata: {labels: {app: batch}}, spec: {containers: [{name: app, image: x}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: batch, namespace: jobs, uid: d-1}
spec:
  replicas: 1
  selector: {matchLabels: {app: batch}}
  template: {metadata: {labels: {app: batch}}, spec: {containers: [{name: app, image: x}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: cache, namespace: default, uid: u-3, generation: 2, labels: {app: cache}}
spec:
  nodeName: node2
  priority: 500
  containers: [{name: app, image: x, resources: {requests: {cpu: "3"}}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  conditions: [{type: PodResizePending, status: "True", reason: Deferred, observedGeneration: 2, lastTransitionTime: "2026-01-01T00:09:00Z"}]
  containerStatuses: [{name: app, allocatedResources: {cpu: "1"}, resources: {requests: {cpu: "1"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: jobs, uid: u-4}
spec:
  nodeName: node2
  containers: [{name: app, image: x, resources: {requests: {cpu: "3"}}}]
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: small, namespace: default, uid: u-5, labels: {app: cache}}
spec: {priority: 5, containers: [{name: app, image: x, resources: {requests: {cpu: "1"}}}]}
status: {phase: Pending}
---
apiVersion: v1
kind: Pod
metadata: {name: large, namespace: default, uid: u-6, labels: {app: cache}}
spec: {priority: 4, containers: [{name: app, image: x, resources: {requests: {cpu: "9"}}}]}
status: {phase: Pending}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: cache, namespace: default, uid: b-1}
spec: {selector: {matchLabels: {app: cache}}, minAvailable: 1}
status: {disruptionsAllowed: 0}
)";

constexpr const char* kPage = R"(If Elbowroom were installed here now:
  - 2 resizes are Deferred; room is made for 1: 1 pod goes
  - 2 pods are pending; the scheduler's mode full places 1 now; 1 still waits
  - the rescheduler moves nothing, as none of its policies is on; with both on, at their defaults,
    it would move no pod
  - no budget protects: 3 pods of 3 workloads
  - no priority, or 0: 1 pod of 1 workload
  - nodes that forbid preemption for resizes: 1 of 3

RESIZES THAT WAIT
  POD            NODE   VERDICT   AGE  LACKS  REMOVES
  default/web    node1  Deferred  5m   cpu 1  jobs/batch-x
      the scheduler: removing 1 pod of lower priority makes up for the lacking 1 cpu
  default/cache  node2  Deferred  60s  cpu 2  -
      nobody: resize preemption is disabled on node node2 by example.com/db

PENDING PODS
  POD            NODE   RESULT         REMOVES
  default/small  node3  Bind           -
  default/large  -      Unschedulable  -
      0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3
      Preemption is not helpful for scheduling.

PODS THAT NO BUDGET PROTECTS
  WORKLOAD               PODS
  Deployment jobs/batch  1
  Pod default/web        1
  Pod jobs/other         1

WORKLOADS WITH NO PRIORITY
  WORKLOAD        PODS
  Pod jobs/other  1

NODES THAT FORBID PREEMPTION FOR RESIZES
  NODE   OWNERS
  node2  example.com/db
)";

constexpr const char* kNow = "2026-01-01T00:10:00Z";

Outcome preview_of_files(const std::string& yaml, const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words = {"preview", "-f", folder.file("in.yaml", yaml), "--now", kNow};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

json document_of_files(const std::string& yaml) {
  const Outcome done = preview_of_files(yaml, {"-o", "json"});
  EXPECT_EQ(done.status, 0) << done.err;
  return done.status == 0 ? json::parse(done.out) : json();
}

Outcome preview_of_lab(LabApi& lab, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"preview", "--kubeconfig", lab.kubeconfig(), "--now", kNow};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

json document_of_lab(LabApi& lab) {
  const Outcome done = preview_of_lab(lab, {"-o", "json"});
  EXPECT_EQ(done.status, 0) << done.err;
  return done.status == 0 ? json::parse(done.out) : json();
}

TEST(Preview, IsOnePageWithTheAnswerFirst) {
  const Outcome done = preview_of_files(kCluster);
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out, kPage);
}

TEST(Preview, OfAnEmptyClusterNothingHappensAndTheRequestsAreCounted) {
  LabApi lab;
  const json page = document_of_lab(lab);
  EXPECT_EQ(page["kind"], "Preview");
  EXPECT_EQ(page["nodes"], 0);
  EXPECT_EQ(page["resizes"]["deferred"], 0);
  EXPECT_EQ(page["pending"]["pods"], json::array());
  EXPECT_EQ(page["noBudget"]["pods"], 0);
  EXPECT_EQ(page["notPermitted"], json::array());
  EXPECT_EQ(page["requests"], lab.server().requests().size());
  for (const lab::RequestRecord& each : lab.server().requests()) EXPECT_EQ(each.method, "GET");
}

TEST(Preview, SaysWhereElbowroomIsInstalled) {
  LabApi lab;
  const auto first_line = [&] {
    const Outcome got = run({"preview", "--kubeconfig", lab.kubeconfig()});
    return got.out.substr(0, got.out.find('\n'));
  };
  EXPECT_EQ(first_line(), "If Elbowroom were installed here now:");
  lab.load(R"(---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: elbowroom-scheduler, namespace: kube-system, uid: l-1}
spec: {holderIdentity: a_1, leaseDurationSeconds: 15, renewTime: "2999-01-01T00:00:00.000000Z", acquireTime: "2026-01-01T00:00:00.000000Z"}
)");
  EXPECT_EQ(first_line(),
            "Elbowroom is installed here (elbowroom-scheduler leads). What it would do now:");
  EXPECT_EQ(document_of_lab(lab)["installed"], json::array({"elbowroom-scheduler leads"}));
}

TEST(Preview, FromAClusterSaysWhatTheSameObjectsInFilesSay) {
  LabApi lab;
  lab.load(kCluster);
  json from_cluster = document_of_lab(lab);
  json from_files = document_of_files(kCluster);
  EXPECT_NE(from_cluster["server"], "");
  for (const char* source : {"server", "requests"}) {
    from_cluster.erase(source);
    from_files.erase(source);
  }
  EXPECT_EQ(from_cluster, from_files);
  EXPECT_THAT(preview_of_lab(lab).out, HasSubstr("nothing was written"));
}

TEST(Preview, NamesTheVictimsOfSimulateResize) {
  const Folder folder;
  const std::string file = folder.file("in.yaml", kCluster);
  const json page = document_of_files(kCluster);
  ASSERT_EQ(page["resizes"]["waiting"].size(), 2U);
  for (const json& each : page["resizes"]["waiting"]) {
    const Outcome alone =
        run({"simulate", "resize", "-f", file, each["pod"], "--now", kNow, "-o", "json"});
    ASSERT_EQ(alone.status, 0) << alone.err;
    const json decision = json::parse(alone.out);
    EXPECT_EQ(each["verdict"], decision["verdict"]);
    EXPECT_EQ(each["victims"], decision["preemption"]["victims"]);
    EXPECT_EQ(each["outcome"], decision["preemption"]["outcome"]);
    EXPECT_EQ(each["by"], decision["preemption"]["by"]);
  }
}

TEST(Preview, AResizeOnANodeThatForbidsItGetsNoRoom) {
  const json page = document_of_files(kCluster);
  EXPECT_EQ(page["resizes"]["deferred"], 2);
  EXPECT_EQ(page["resizes"]["roomIsMade"], 1);
  EXPECT_EQ(page["resizes"]["victims"], 1);
  const json& cache = page["resizes"]["waiting"][1];
  EXPECT_EQ(cache["pod"], "default/cache");
  EXPECT_EQ(cache["outcome"], "Disabled");
  EXPECT_EQ(cache["victims"], json::array());
  EXPECT_EQ(page["nodes"], 3);
  EXPECT_EQ(page["preemptionPolicies"],
            json::parse(R"([{"node": "node2", "owners": ["example.com/db"]}])"));
}

TEST(Preview, CountsPodsByTheirDeployment) {
  const json page = document_of_files(kCluster);
  EXPECT_EQ(page["noBudget"]["pods"], 3);
  EXPECT_EQ(page["noBudget"]["largest"],
            json::parse(R"([{"workload": "Deployment jobs/batch", "pods": 1},
                            {"workload": "Pod default/web", "pods": 1},
                            {"workload": "Pod jobs/other", "pods": 1}])"));
  EXPECT_EQ(page["noPriority"]["largest"],
            json::parse(R"([{"workload": "Pod jobs/other", "pods": 1}])"));
}

std::string node(const std::string& name, const std::string& cpu) {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name +
         "}, status: {allocatable: {cpu: '" + cpu +
         "', memory: 8Gi, pods: '9000'}, conditions: [{type: Ready, status: 'True'}]}}\n";
}

std::string pod(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", namespace: default, uid: " + name + "}, spec: {" + spec +
         ", containers: [{name: a, image: x, resources: {requests: {cpu: 1}}}]}}\n";
}

TEST(Preview, APendingPodTakesTheRoomOfThoseAfterIt) {
  const json page = document_of_files(node("n", "2") + pod("a", "priority: 1") +
                                      pod("b", "priority: 3") + pod("c", "priority: 2"));
  ASSERT_EQ(page["pending"]["pods"].size(), 3U);
  EXPECT_EQ(page["pending"]["placed"], 2);
  EXPECT_EQ(page["pending"]["pods"][0]["pod"], "default/b");
  EXPECT_EQ(page["pending"]["pods"][1]["pod"], "default/c");
  EXPECT_EQ(page["pending"]["pods"][2]["result"], "Unschedulable");
}

TEST(Preview, AVictimGoesForOnePendingPodOnly) {
  const json page = document_of_files(node("n", "1") + pod("low", "nodeName: n, priority: 1") +
                                      pod("a", "priority: 5") + pod("b", "priority: 5"));
  EXPECT_EQ(page["pending"]["roomIsMade"], 1);
  EXPECT_EQ(page["pending"]["victims"], 1);
  EXPECT_EQ(page["pending"]["pods"][0]["victims"][0]["pod"], "default/low");
  EXPECT_EQ(page["pending"]["pods"][1]["victims"], json::array());
}

TEST(Preview, AGangIsPlacedWholeOrNotAtAll) {
  const std::string group =
      "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, namespace: "
      "default}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}\n";
  const std::string members = pod("m-1", "schedulingGroup: {podGroupName: g}") +
                              pod("m-2", "schedulingGroup: {podGroupName: g}");
  const json fits = document_of_files(node("n", "2") + group + members);
  EXPECT_EQ(fits["pending"]["placed"], 2);
  EXPECT_EQ(fits["pending"]["pods"][0]["group"], "default/g");
  EXPECT_EQ(document_of_files(node("n", "1") + group + members)["pending"]["placed"], 0);
}

std::string crowded() {
  const std::filesystem::path root = std::filesystem::path(test::kData).parent_path();
  std::ifstream in(root / "docs/examples/reschedule/crowded.yaml");
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Preview, MovesAreThoseOfThePoliciesElseOfTheirDefaults) {
  const json page = document_of_files(crowded());
  EXPECT_EQ(page["moves"]["policies"], "Configured");
  ASSERT_EQ(page["moves"]["moves"].size(), 1U);
  EXPECT_EQ(page["moves"]["moves"][0]["pod"], "default/web-1");

  std::string without = crowded();
  const std::size_t config = without.find("elbowroom-rescheduler");
  ASSERT_NE(config, std::string::npos);
  without.replace(config, 21, "another-configuration");
  const json defaults = document_of_files(without);
  EXPECT_EQ(defaults["moves"]["policies"], "BothAtDefaults");
  EXPECT_EQ(defaults["moves"]["moves"][0]["pod"], "default/web-1");
}

// ---- a cluster that permits only a part ----

TEST(Preview, WithoutBudgetsNoVictimIsNamed) {
  LabApi lab;
  lab.load(kCluster);
  lab.refuse("/poddisruptionbudgets", 403, "Forbidden");
  const json page = document_of_lab(lab);
  EXPECT_EQ(page["resizes"]["victimsNotKnown"], 1);
  EXPECT_EQ(page["resizes"]["waiting"][0]["outcome"], "NotKnown");
  EXPECT_EQ(page["resizes"]["waiting"][0]["victims"], json::array());
  EXPECT_TRUE(page["noBudget"].contains("notKnown"));
  EXPECT_TRUE(page["moves"].contains("notKnown"));
  EXPECT_EQ(page["noPriority"]["pods"], 1);
  EXPECT_EQ(page["pending"]["placed"], 1);
  EXPECT_EQ(page["notPermitted"],
            json::parse(R"(["list poddisruptionbudgets.policy in all namespaces"])"));
  EXPECT_THAT(page.dump(), Not(HasSubstr("batch-x")));
}

TEST(Preview, WithoutNodesItStillCountsPods) {
  LabApi lab;
  lab.load(kCluster);
  lab.refuse("/nodes", 403, "Forbidden");
  const Outcome done = preview_of_lab(lab);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("resizes that wait: not known: it needs the right to list nodes"),
                    HasSubstr("no budget protects: 3 pods of 3 workloads"),
                    HasSubstr("NOT PERMITTED\n  - list nodes in all namespaces\n")));
}

TEST(Preview, WithoutPodsItStillNamesPolicies) {
  LabApi lab;
  lab.load(kCluster);
  lab.refuse("/api/v1/pods", 403, "Forbidden");
  const Outcome done = preview_of_lab(lab);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("no budget protects: not known"),
                              HasSubstr("node2  example.com/db")));
}

TEST(Preview, WithoutTheRulesOfMovesNoMoveIsSaid) {
  LabApi lab;
  lab.load(kCluster);
  lab.refuse("/configmaps/elbowroom-rescheduler", 403, "Forbidden");
  const json page = document_of_lab(lab);
  EXPECT_EQ(page["moves"]["notKnown"],
            "it needs the right to get configmaps elbowroom-rescheduler in namespace kube-system");
}

TEST(Preview, WithoutNodesAndPodsThereIsNothingToSay) {
  LabApi lab;
  lab.refuse("/nodes", 403, "Forbidden");
  lab.refuse("/api/v1/pods", 403, "Forbidden");
  const Outcome done = preview_of_lab(lab);
  EXPECT_EQ(done.status, 77);
  EXPECT_THAT(done.err, HasSubstr("ask for a role with that right"));
}

// ---- bounds ----

TEST(Preview, OfManyResizesAThousandAreJudgedAndTenAreShown) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += node("n" + std::to_string(i), "1");
  for (int i = 0; i < 1'003; ++i) {
    many += pod("p" + std::to_string(i),
                "nodeName: n" + std::to_string(i % 100) + ", priority: " + std::to_string(i % 7));
    many.insert(many.size() - 2,
                ", status: {phase: Running, containerStatuses: [{name: a, allocatedResources: "
                "{cpu: 1m}}]}");
  }
  const json page = document_of_files(many);
  EXPECT_EQ(page["resizes"]["waiting"].size(), 1'000U);
  EXPECT_EQ(page["resizes"]["notJudged"], 3);
  EXPECT_EQ(page["noBudget"]["largest"].size(), 1'000U);
  EXPECT_EQ(page["noBudget"]["workloads"], 1'003);
  const Outcome text = preview_of_files(many);
  EXPECT_THAT(text.out, HasSubstr("and 990 more (-o json has more)"));
  EXPECT_LT(text.out.size(), 10'000U);
}

TEST(Preview, TheSameInputGivesTheSamePageInAnyOrder) {
  const std::string text = kCluster;
  std::string reversed;
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t at = text.rfind("---\n", end - 1);
    reversed += text.substr(at, end - at);
    end = at;
  }
  EXPECT_EQ(preview_of_files(reversed).out, preview_of_files(text).out);
}

TEST(Preview, FilesAndAClusterExcludeEachOther) {
  const Outcome done = run({"preview", "-f", "x.yaml", "--from-cluster"});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("exclude each other"));
}

TEST(Preview, AServerThatDoesNotAnswerIsSaid) {
  const Folder folder;
  const std::string kubeconfig = folder.file("kubeconfig", R"(apiVersion: v1
kind: Config
current-context: c
clusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: k, user: u}}]
users: [{name: u, user: {}}]
)");
  EXPECT_EQ(run({"preview", "--kubeconfig", kubeconfig}).status, 69);
}

}  // namespace
}  // namespace elbowroom::cli
