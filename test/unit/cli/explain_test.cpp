// `elbowroom explain pod`, from the command line to the API server or a daemon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "agent/program/wiring.h"
#include "api/transport/kubeconfig.h"
#include "base/disk.h"
#include "base/document_text.h"
#include "daemon/http/http_server.h"
#include "lab/cluster.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr const char* kObjects = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
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
  conditions:
  - {type: PodResizePending, status: "True", reason: Deferred, message: "\e[31mred\nline", observedGeneration: 3, lastTransitionTime: "2026-01-01T00:05:00Z"}
  containerStatuses: [{name: app, allocatedResources: {cpu: "1"}, resources: {requests: {cpu: "1"}}, state: {running: {}}}]
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
kind: Event
metadata: {name: e-1, namespace: default, uid: e-1}
involvedObject: {kind: Pod, namespace: default, name: web, uid: u-1}
reason: ResizeDeferred
type: Warning
message: "no room yet"
count: 3
lastTimestamp: "2026-01-01T00:05:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: e-2, namespace: default, uid: e-2}
involvedObject: {kind: Pod, namespace: default, name: web, uid: u-1}
reason: Pulled
message: "not about its size"
lastTimestamp: "2026-01-01T00:06:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: e-3, namespace: default, uid: e-3}
involvedObject: {kind: Pod, namespace: default, name: web, uid: u-1}
reason: FailedScheduling
message: "how it got here, not about its size"
reportingComponent: default-scheduler
lastTimestamp: "2026-01-01T00:00:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: e-4, namespace: default, uid: e-4}
involvedObject: {kind: Pod, namespace: default, name: web, uid: u-1}
reason: FailedScheduling
message: "No room is made for the resize: as things are"
reportingComponent: elbowroom.dev/scheduler
lastTimestamp: "2026-01-01T00:07:00Z"
)";

constexpr const char* kNow = "2026-01-01T00:10:00Z";

Outcome explain(LabApi& lab, std::vector<std::string> more) {
  std::vector<std::string> words = {"explain",        "pod",   "--kubeconfig",
                                    lab.kubeconfig(), "--now", kNow};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

TEST(ExplainPod, DrawsTheRoomThatItExplains) {
  LabApi lab;
  lab.load(kObjects);
  const Folder folder;
  const Outcome got = explain(lab, {"default/web", "--svg", folder.path() + "/room.svg"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.out, explain(lab, {"default/web"}).out);
  const std::string picture = folder.text("room.svg");
  EXPECT_THAT(picture, HasSubstr("pod default/web on node "));
  EXPECT_THAT(picture, HasSubstr("default/web grows"));
}

TEST(ExplainPod, AnswersEveryQuestionForPeople) {
  LabApi lab;
  lab.load(kObjects);
  const Outcome got = explain(lab, {"default/web"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.err, "");
  EXPECT_THAT(got.out,
              AllOf(HasSubstr("Deferred (OutOfcpu), since 2026-01-01T00:05:00Z (5m)"),
                    HasSubstr("1 cpu is lacking: the pod requests 3, others hold 2 of 4"),
                    HasSubstr("jobs/batch  10"), HasSubstr("goes: lowest priority (10)"),
                    HasSubstr("requests.cpu of container app is at most 2"),
                    HasSubstr("WHAT HAPPENS NEXT"), HasSubstr("ResizeDeferred (3 times): no room"),
                    HasSubstr("FailedScheduling: No room is made for the resize: as")));
  EXPECT_THAT(got.out, Not(HasSubstr("not about its size")));
  EXPECT_EQ(got.out.find('\x1b'), std::string::npos) << "nothing from the cluster moves a terminal";
  EXPECT_EQ(explain(lab, {"web", "-n", "default"}).out, got.out);
  EXPECT_EQ(explain(lab, {"web"}).out, got.out) << "the context's namespace";
  for (const lab::RequestRecord& each : lab.server().requests()) EXPECT_EQ(each.method, "GET");
}

TEST(ExplainPod, TheDocumentHoldsSimulatesDecisionUnchanged) {
  LabApi lab;
  lab.load(kObjects);
  const Outcome got = explain(lab, {"default/web", "-o", "json"});
  ASSERT_EQ(got.status, 0) << got.err;
  const Json document = Json::parse(got.out);
  EXPECT_EQ(document["kind"], "PodExplanation");
  EXPECT_EQ(document["since"], "2026-01-01T00:05:00Z");
  EXPECT_EQ(document["next"]["by"], "scheduler");
  for (const char* key : {"containers", "shortages", "nodeSays", "holders", "coming", "budgets",
                          "helps", "next", "events", "notes", "summary", "time"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  const Outcome decision = run({"simulate", "resize", "default/web", "--from-cluster",
                                "--kubeconfig", lab.kubeconfig(), "--now", kNow, "-o", "json"});
  EXPECT_EQ(document["decision"].dump(), Json::parse(decision.out).dump());
  EXPECT_THAT(explain(lab, {"default/web", "-o", "yaml"}).out, HasSubstr("kind: PodExplanation\n"));
}

TEST(ExplainPod, SaysWhichBudgetsCoverThePod) {
  LabApi lab;
  lab.load(kObjects);
  EXPECT_FALSE(Json::parse(explain(lab, {"default/web", "-o", "json"}).out).contains("coveredBy"));
  lab.load(R"(---
apiVersion: elbowroom.dev/v1alpha1
kind: DisruptionBudget
metadata: {name: slow, namespace: default, uid: b-1}
spec: {selector: {}, rate: {disruptions: 1, per: 1h}, hard: true}
status: {recentDisruptions: [{pod: gone, uid: u-gone, time: "2026-01-01T00:05:00Z"}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: pdb, namespace: default, uid: b-2}
spec: {selector: {}, minAvailable: 1}
status: {disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, observedGeneration: 1}
)");
  const Json got =
      Json::parse(explain(lab, {"default/web", "-o", "json"}).out, nullptr, false)["coveredBy"];
  EXPECT_EQ(got, Json::parse(R"([
    {"budget": "DisruptionBudget default/slow", "hard": true, "allowed": 0,
     "nextAllowedTime": "2026-01-01T01:05:00Z", "pods": ["default/web"], "notCharged": []},
    {"budget": "PodDisruptionBudget default/pdb", "hard": false, "allowed": 2,
     "nextAllowedTime": null, "pods": ["default/web"], "notCharged": []}])"))
      << got.dump(1);
  EXPECT_THAT(explain(lab, {"default/web"}).out,
              HasSubstr("DISRUPTION BUDGETS\n"
                        "  - DisruptionBudget default/slow (hard) allows 0 disruptions now, the"));
}

// It was a bare 404 of a request that the user had not made.
TEST(ExplainPod, AMissingNodeIsToldInASentence) {
  LabApi lab;
  const std::string objects = kObjects;
  lab.load(objects.substr(objects.find("kind: Pod") - 19).c_str());
  const Outcome got = explain(lab, {"default/web"});
  EXPECT_EQ(got.status, kExitFailure);
  EXPECT_EQ(got.out, "");
  EXPECT_THAT(got.err, HasSubstr("pod default/web is bound to node node1, and there is no such "
                                 "Node"));
}

TEST(ExplainPod, MissingRightsAreNotedAndTheRestIsExplained) {
  LabApi lab;
  lab.load(kObjects);
  lab.refuse("/poddisruptionbudgets", 403, "Forbidden");
  lab.refuse("/events", 403, "Forbidden");
  const Outcome got = explain(lab, {"default/web"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.out, AllOf(HasSubstr("note: not permitted: list poddisruptionbudgets.policy in "
                                       "namespace default\n"),
                             HasSubstr("note: not permitted: list events in namespace default\n")));
}

TEST(ExplainPod, WithoutTheRightToReadItsNodeAPodIsExplainedByItsConditions) {
  for (const char* refused : {"/api/v1/nodes", "/api/v1/pods?"}) {
    LabApi lab;
    lab.load(kObjects);
    lab.refuse(refused, 403, "Forbidden");
    const Outcome got = explain(lab, {"default/web"});
    EXPECT_EQ(got.status, 0) << got.err;
    EXPECT_THAT(
        got.out,
        AllOf(HasSubstr(
                  "its resize is Deferred, as the node says, since\n  2026-01-01T00:05:00Z (5m)\n"),
              HasSubstr("WHAT THE NODE SAYS\n  Deferred, since 2026-01-01T00:05:00Z (5m): "),
              HasSubstr("it depends on what may not be read"), HasSubstr("app        cpu"),
              HasSubstr("ResizeDeferred (3 times): no room"),
              HasSubstr("note: not permitted: get node node1 and list its pods\n"),
              Not(HasSubstr("jobs/batch")), Not(HasSubstr("THE NODE DIFFERS"))));
    const Json document = Json::parse(explain(lab, {"default/web", "-o", "json"}).out);
    EXPECT_EQ(document["kind"], "PodExplanation");
    EXPECT_TRUE(document["decision"].is_null());
    EXPECT_EQ(document["nodeSays"]["reason"], "Deferred");
    EXPECT_EQ(document["nodeSays"]["agreement"], "");
    EXPECT_EQ(document["shortages"], Json::array());
    EXPECT_EQ(run({"simulate", "resize", "default/web", "--from-cluster", "--kubeconfig",
                   lab.kubeconfig()})
                  .status,
              77);
  }
}

TEST(ExplainPod, AllThatWaitAreExplainedByTheirConditionsToo) {
  LabApi lab;
  lab.load(std::string(kObjects) + R"(---
apiVersion: v1
kind: Pod
metadata: {name: new, namespace: default, uid: u-9}
spec: {containers: [{name: app, image: x}]}
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available"}]
)");
  lab.refuse("/api/v1/nodes", 403, "Forbidden");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-A"}, {"default/new"}}) {
    const Outcome got = explain(lab, words);
    EXPECT_EQ(got.status, 0) << got.err;
    EXPECT_THAT(got.out, AllOf(HasSubstr("pod default/new waits for a node"),
                               HasSubstr("WHAT THE SCHEDULER SAYS\n  Unschedulable: 0/1 nodes are"),
                               HasSubstr("list nodes in all namespaces")));
    EXPECT_EQ(got.out.contains("its resize is Deferred, as the node says"), words[0] == "-A");
  }
}

// One odd pod of another user disabled it for all pods of its node.
TEST(ExplainPod, APodThatCannotBeUnderstoodIsNotedAndTheRestIsExplained) {
  LabApi lab;
  lab.load(kObjects);
  lab.load(
      "{apiVersion: v1, kind: Pod, metadata: {name: odd, namespace: jobs, uid: u-7}, spec: "
      "{nodeName: node1, containers: [{name: a, image: x}]}, status: {phase: Running, "
      "containerStatuses: [{name: a, state: {running: {startedAt: yesterday}}}]}}");
  const Outcome got = explain(lab, {"default/web"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.err, HasSubstr("Pod jobs/odd cannot be understood and is left out: "));
  EXPECT_THAT(got.out, AllOf(HasSubstr("note: pod jobs/odd cannot be understood"),
                             HasSubstr("nobody makes room as things are"),
                             Not(HasSubstr("goes: lowest priority"))));
}

TEST(ExplainPod, TheExitStatusSaysWhy) {
  LabApi lab;
  lab.load(kObjects);
  const Outcome unknown = explain(lab, {"default/wep"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean default/web?"));
  EXPECT_EQ(explain(lab, {"a/b/c"}).status, 2);
  EXPECT_EQ(explain(lab, {"default/web", "-n", "jobs"}).status, 2);
  EXPECT_EQ(explain(lab, {"default/web", "-o", "xml"}).status, 2);
  EXPECT_EQ(explain(lab, {"default/web", "--server", "http://127.0.0.1:1"}).status, 2);
  EXPECT_EQ(explain(lab, {}).status, 2);
  EXPECT_EQ(run({"explain", "pod", "default/web", "--server", "nowhere"}).status, 2);
  EXPECT_EQ(run({"explain", "pod", "default/web", "--kubeconfig", "/nowhere"}).status, 78);
  lab.refuse("/pods/web", 403, "Forbidden");
  EXPECT_EQ(explain(lab, {"default/web"}).status, 77);
  lab.server().stop();
  const Outcome away = explain(lab, {"default/web"});
  EXPECT_EQ(away.status, 69);
  EXPECT_THAT(away.err, HasSubstr("http://127.0.0.1:"));
  const Outcome dead = run({"explain", "pod", "default/web", "--server", lab.server().url()});
  EXPECT_EQ(dead.status, 69);
  EXPECT_THAT(dead.err, HasSubstr("see that the daemon runs, and that it listens on 127.0.0.1"));
  EXPECT_THAT(dead.err, testing::Not(HasSubstr("API server")));
}

TEST(ExplainPod, AServerThatIsNotVerifiedIsToldOnce) {
  LabApi lab;
  lab.load(kObjects);
  EXPECT_EQ(explain(lab, {"default/web"}).err, "");
  std::string careless = lab.server().kubeconfig();
  const std::string member = "server: ";
  careless.replace(careless.find(member), member.size(),
                   "insecure-skip-tls-verify: true\n    server: ");
  const Folder folder;
  const std::string file = folder.file("kubeconfig", careless);
  const Outcome got = run({"explain", "pod", "default/web", "--kubeconfig", file, "--now", kNow});
  EXPECT_EQ(got.status, 0) << got.err;
  const std::string word = "insecure-skip-tls-verify";
  const std::size_t told = got.err.find(word);
  ASSERT_NE(told, std::string::npos) << got.err;
  EXPECT_EQ(got.err.find(word, told + 1), std::string::npos);
  EXPECT_EQ(got.out.find(word), std::string::npos);
}

TEST(ExplainPod, AllThatWaitAreExplainedTogether) {
  LabApi lab;
  lab.load(kObjects);
  const std::string config = lab.kubeconfig();
  const Outcome all = run({"explain", "pod", "-A", "--kubeconfig", config, "-o", "json"});
  EXPECT_EQ(all.status, 0) << all.err;
  const Json document = Json::parse(all.out);
  EXPECT_EQ(document["kind"], "List");
  ASSERT_EQ(document["items"].size(), 1U) << "jobs/batch waits for nothing";
  EXPECT_EQ(document["items"][0]["pod"], "default/web");
  EXPECT_THAT(run({"explain", "pod", "-A", "--kubeconfig", config}).out,
              HasSubstr("pod default/web on node node1: its resize is Deferred"));
  EXPECT_THAT(run({"explain", "pod", "-l", "app!=batch", "--kubeconfig", config}).out,
              HasSubstr("pod default/web on node node1: its resize is Deferred"));
  EXPECT_EQ(run({"explain", "pod", "-l", "app!=x", "-n", "jobs", "--kubeconfig", config}).out,
            "no pod waits for room or for a node\n");
  EXPECT_EQ(run({"explain", "pod", "-A", "-l", "app=batch", "--kubeconfig", config}).out,
            "no pod waits for room or for a node\n");

  for (const std::vector<std::string>& words : {std::vector<std::string>{"default/web", "-A"},
                                                {"default/web", "-l", "app=web"},
                                                {"-A", "--server", "http://127.0.0.1:1"},
                                                {"-A", "--svg", "x.svg"}}) {
    std::vector<std::string> line = {"explain", "pod"};
    line.insert(line.end(), words.begin(), words.end());
    EXPECT_EQ(run(line).status, kExitUsage);
  }
}

constexpr const char* kPending = R"(---
apiVersion: v1
kind: Pod
metadata: {name: new-10, namespace: default, uid: u-9, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {priority: 5, containers: [{name: app, image: x, resources: {requests: {cpu: "9"}}}]}
status: {phase: Pending}
---
apiVersion: v1
kind: Pod
metadata: {name: new-2, namespace: default, uid: u-8, labels: {app: new}}
spec: {priority: 5, containers: [{name: app, image: x, resources: {requests: {cpu: "1"}}}]}
status: {phase: Pending}
)";

TEST(ExplainPod, PendingPodsAreAmongAllThatWait) {
  LabApi lab;
  lab.load(std::string(kObjects) + kPending);
  const std::string config = lab.kubeconfig();
  const Outcome all = run({"explain", "pod", "-A", "--kubeconfig", config, "-o", "json"});
  ASSERT_EQ(all.status, 0) << all.err;
  const Json document = Json::parse(all.out);
  EXPECT_EQ(document["notes"], Json::array());
  ASSERT_EQ(document["items"].size(), 3U);
  EXPECT_EQ(document["items"][0]["pod"], "default/new-2");
  EXPECT_EQ(document["items"][0]["decision"]["kind"], "SchedulingDecision");
  EXPECT_EQ(document["items"][1]["pod"], "default/new-10");
  EXPECT_EQ(document["items"][1]["decision"]["result"], "Unschedulable");
  EXPECT_EQ(document["items"][2]["pod"], "default/web");
  EXPECT_EQ(document["items"][2]["events"].size(), 2U);
  const Outcome labelled = run({"explain", "pod", "-l", "app in (new)", "--kubeconfig", config});
  EXPECT_THAT(labelled.out, AllOf(HasSubstr("pod default/new-2 waits for a node"),
                                  Not(HasSubstr("new-10")), Not(HasSubstr("web"))));
}

TEST(ExplainPod, FilesHaveAllThatWaitToo) {
  const Folder folder;
  const std::string file = folder.file("cluster.yaml", std::string(kObjects) + kPending);
  const Outcome all = run({"explain", "pod", "-A", "-f", file, "-o", "json"});
  ASSERT_EQ(all.status, 0) << all.err;
  const Json document = Json::parse(all.out);
  ASSERT_EQ(document["items"].size(), 3U);
  EXPECT_EQ(document["items"][0]["pod"], "default/new-2");
  EXPECT_EQ(document["items"][2].dump(),
            Json::parse(run({"explain", "pod", "web", "-f", file, "-o", "json"}).out).dump());
  EXPECT_EQ(run({"explain", "pod", "-l", "app=batch", "-n", "jobs", "-f", file}).out,
            "no pod waits for room or for a node\n");
  EXPECT_EQ(run({"explain", "pod", "-A", "-w", "-f", file}).status, kExitUsage);
  const Outcome odd = run({"explain", "pod", "-l", "a b", "-f", file});
  EXPECT_EQ(odd.status, kExitUsage);
  EXPECT_THAT(odd.err, HasSubstr("-l \"a b\": "));
}

TEST(ExplainPod, AKindBeforeTheNameIsNoNamespace) {
  LabApi lab;
  lab.load(kObjects);
  const std::string config = lab.kubeconfig();
  const std::string meant = run({"explain", "pod", "default/web", "--kubeconfig", config, "--now",
                                 "2026-01-01T00:10:00Z"})
                                .out;
  for (const char* word : {"web", "pod/web", "pods/web", "po/web"}) {
    EXPECT_EQ(
        run({"explain", "pod", word, "--kubeconfig", config, "--now", "2026-01-01T00:10:00Z"}).out,
        meant);
  }
  const Outcome other = run({"explain", "pod", "pod/web", "-n", "jobs", "--kubeconfig", config});
  EXPECT_THAT(other.err, HasSubstr("there is no pod jobs/web"));
}

TEST(ExplainPod, HelpHasExamplesToRun) {
  const Outcome help = run({"explain", "pod", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("elbowroom explain pod default/web"),
                              HasSubstr("--server http://127.0.0.1:10361")));
}

// ---- a cluster with an agent ----

bool comes_true(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::yield();
  }
  return false;
}

// One node with an agent that answers /explain, as elbowroomd does.
class ClusterWithAgent {
 public:
  ClusterWithAgent() {
    auto cluster = lab::Cluster::start({.agents = false, .folder = folder_.path()});
    EXPECT_TRUE(cluster) << cluster.error().message;
    cluster_ = std::move(*cluster);
    const auto access = api::access_from({{.path = "k", .text = cluster_->api().kubeconfig()}});
    auto agent = agent::Agent::open(
        {.reactor = {.node_name = "node-1", .authority = true, .critical_preemption = true},
         .runtime = {.endpoint = cluster_->runtime(0).endpoint(),
                     .cgroup_root = cluster_->cgroup_root(0).string(),
                     .driver = cri::CgroupDriver::Cgroupfs,
                     .poll_every = std::chrono::milliseconds(100)},
         .access = *access,
         .state_dir = folder_.path() + "/state"},
        {.changed = [](const agent::Snapshot&) {},
         .performed = [](const agent::Effect&) {},
         .trouble = [](const std::string&) {},
         .alive = [](std::string_view) {}},
        disk_);
    EXPECT_TRUE(agent) << agent.error().message;
    agent_ = std::move(*agent);
    thread_ = std::jthread([this](const std::stop_token& stop) { agent_->run(stop); });
    daemon::Endpoints endpoints;
    endpoints.explain = [this](const std::string& ns, const std::string& name) {
      const auto answer = agent_->explain(ns + "/" + name);
      if (!answer || answer->empty()) return daemon::Reply{.status = 404, .body = "no such pod\n"};
      return daemon::Reply{.type = "application/json", .body = *answer};
    };
    auto http = daemon::HttpServer::start({.host = "127.0.0.1", .port = 0}, std::move(endpoints));
    EXPECT_TRUE(http);
    http_ = std::move(*http);
    EXPECT_TRUE(comes_true([this] { return cluster_->is_ready(); }));
  }

  lab::ApiServer& api() { return cluster_->api(); }
  std::string server() const { return "http://" + daemon::to_string(http_->address()); }
  std::string kubeconfig() { return folder_.file("kubeconfig", api().kubeconfig()); }

  void create(const std::string& name, const std::string& cpu, int priority) {
    const Json pod = {{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", {{"name", name}}},
                      {"spec",
                       {{"nodeName", "node-1"},
                        {"priority", priority},
                        {"containers",
                         {{{"name", "app"},
                           {"image", "pause"},
                           {"resources", {{"requests", {{"cpu", cpu}, {"memory", "1Gi"}}}}}}}}}}};
    const auto object = lab::parse_object(pod.dump());
    const auto made = api().with_world([&](lab::World& world) {
      return world.create(*lab::find_kind("", "v1", "pods"), "default", *object);
    });
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    EXPECT_TRUE(comes_true([&] { return has(name, "\"phase\":\"Running\""); }));
  }
  void resize(const std::string& name, const std::string& cpu) {
    const auto patch = lab::parse_object(
        R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":")" + cpu +
        R"("}}}]}})");
    const auto done = api().with_world([&](lab::World& world) {
      return world.patch({.kind = lab::find_kind("", "v1", "pods"),
                          .ns = "default",
                          .name = name,
                          .subresource = lab::Subresource::Resize},
                         lab::PatchType::StrategicMerge, *patch);
    });
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
  }
  bool has(const std::string& name, const std::string& text) {
    return api().with_world([&](lab::World& world) {
      const auto pod =
          world.get({.kind = lab::find_kind("", "v1", "pods"), .ns = "default", .name = name});
      return pod && lab::to_text(*pod).find(text) != std::string::npos;
    });
  }

 private:
  Folder folder_;
  RealDisk disk_;
  std::unique_ptr<lab::Cluster> cluster_;
  std::unique_ptr<agent::Agent> agent_;
  std::unique_ptr<daemon::HttpServer> http_;
  std::jthread thread_;
};

// Times are whole seconds, as an API server keeps them: the agent reads protobuf, and so sees no
// fractions in those of the lab either.
std::string seen_in(const Value& answer, const char* key) {
  static const std::regex fraction(R"((:\d\d)\.\d+Z)");
  return std::regex_replace(to_json(*answer.find(key)), fraction, "$1Z");
}

// The decision without what an agent cannot know.
std::string verdict_in(const Value& answer) {
  Value decision = *answer.find("decision");
  api::drop_member(decision, "preemption");
  return seen_in(map_value({member("decision", std::move(decision))}), "decision");
}

TEST(ExplainPod, TheClusterAndTheDaemonAgreeToTheByteButForWhatAnAgentDoesNotWatch) {
  ClusterWithAgent lab;
  lab.create("web", "1", 1000);
  lab.create("batch", "2", 10);
  lab.resize("web", "3");
  ASSERT_TRUE(comes_true([&] { return lab.has("web", "\"reason\":\"Deferred\""); }));
  const auto decisions = [&] {
    const Outcome here =
        run({"explain", "pod", "default/web", "-o", "json", "--kubeconfig", lab.kubeconfig()});
    const Outcome there =
        run({"explain", "pod", "default/web", "-o", "json", "--server", lab.server()});
    EXPECT_EQ(here.status, 0) << here.err;
    EXPECT_EQ(there.status, 0) << there.err;
    return std::pair(parse_json(here.out), parse_json(there.out));
  };
  // The agent sees its own status writes when the watch shows them.
  EXPECT_TRUE(comes_true([&] {
    const auto [here, there] = decisions();
    return here && there && verdict_in(*here) == verdict_in(*there);
  }));
  const auto [here, there] = decisions();
  EXPECT_EQ(verdict_in(*here), verdict_in(*there));
  EXPECT_EQ(here->find("decision")->find("verdict")->text, "Deferred");
  for (const char* key : {"containers", "shortages", "nodeSays", "holders", "helps"}) {
    EXPECT_EQ(seen_in(*here, key), seen_in(*there, key)) << key;
  }
  EXPECT_EQ(here->find("decision")->find("preemption")->find("victims")->items.size(), 1U);
  // A budget may cover the victim: an agent does not watch budgets, and names none.
  const Value& preemption = *there->find("decision")->find("preemption");
  EXPECT_EQ(preemption.find("outcome")->text, "NotKnown");
  EXPECT_TRUE(preemption.find("victims")->items.empty());
  EXPECT_THAT(run({"explain", "pod", "default/web", "--server", lab.server()}).out,
              testing::StartsWith("not known here: disruption budgets and pod groups"));
  const Outcome nobody = run({"explain", "pod", "default/x", "--server", lab.server()});
  EXPECT_EQ(nobody.status, 1);
  EXPECT_THAT(nobody.err, HasSubstr("no such pod"));
}

}  // namespace
}  // namespace elbowroom::cli
