// `elbowroom explain group`, and what `explain pod` says of a pod's group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/document_text.h"
#include "cli/output/group_explanation_text.h"
#include "daemon/http/http_server.h"
#include "lab_api.h"
#include "scheduler/explain.h"
#include "test/scheduler_world.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::string node(const std::string& name) {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", uid: n-" + name +
         "}, status: {allocatable: {cpu: \"1\", memory: 8Gi, pods: \"110\"}, conditions: [{type: "
         "Ready, status: \"True\"}]}}\n";
}

// `spec`: beside the group and the containers.
std::string pod(const std::string& name, const std::string& group, const std::string& spec,
                const std::string& phase = "Pending") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", namespace: default, uid: u-" + name + ", creationTimestamp: \"2026-01-01T00:00:00Z\"" +
         "}, spec: {" + spec + (spec.empty() ? "" : ", ") +
         (group.empty() ? "" : "schedulingGroup: {podGroupName: " + group + "}, ") +
         "containers: [{name: a, image: x, resources: {requests: {cpu: 600m}}}]}, status: "
         "{phase: " +
         phase + "}}\n";
}

std::string group(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: " + name +
         ", namespace: default, uid: g-" + name + "}, spec: {" + spec +
         "}, status: {conditions: [{type: PodGroupInitiallyScheduled, status: \"False\", reason: "
         "Unschedulable, message: \"as it was told\", lastTransitionTime: "
         "\"2026-01-01T00:05:00Z\"}]}}\n";
}

constexpr const char* kGang = "schedulingPolicy: {gang: {minCount: 2}}, priority: 1000";

class ExplainGroup : public ::testing::Test {
 protected:
  Outcome explain(const std::string& what, const std::string& name,
                  std::vector<std::string> more = {}) {
    std::vector<std::string> words = {
        "explain", what, name, "--kubeconfig", lab_.kubeconfig(), "--now", "2026-01-01T00:10:00Z"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  Json document(const std::string& what, const std::string& name,
                std::vector<std::string> more = {}) {
    more.insert(more.end(), {"-o", "json"});
    const Outcome got = explain(what, name, more);
    EXPECT_EQ(got.status, 0) << got.err;
    return Json::parse(got.out, nullptr, false);
  }
  // A gang of two on two nodes, one of which a pod of lower priority holds.
  void load_pending_gang() {
    lab_.load(node("node1") + node("node2") + group("train", kGang) +
              pod("a", "train", "priority: 5, schedulerName: elbowroom") +
              pod("b", "train", "priority: 1000, schedulerName: elbowroom") +
              pod("low", "", "nodeName: node2", "Running"));
  }

  LabApi lab_;
};

TEST_F(ExplainGroup, SaysWhatItWaitsForAndWhoWouldGo) {
  load_pending_gang();
  const Json got = document("group", "default/train");
  EXPECT_EQ(got["kind"], "GroupExplanation");
  EXPECT_EQ(got["group"], "default/train");
  EXPECT_EQ(got["uid"], "g-train");
  EXPECT_EQ(got["priority"], 1000);
  EXPECT_EQ(got["preemptionPolicy"], "PreemptLowerPriority");
  EXPECT_EQ(got["disruptionMode"], "Single");
  EXPECT_EQ(got["minCount"], 2);
  EXPECT_EQ(got["otherPriorities"], Json::array({"default/a"}));
  EXPECT_EQ(got["waitsFor"], "1 pod of lower priority to be removed for it");
  ASSERT_EQ(got["members"].size(), 2U);
  EXPECT_EQ(got["members"][0]["pod"], "default/a");
  EXPECT_EQ(got["members"][0]["phase"], "Pending");
  EXPECT_EQ(got["members"][0]["priority"], 5);
  EXPECT_EQ(got["members"][0]["schedulerName"], "elbowroom");
  EXPECT_EQ(got["conditions"][0]["type"], "PodGroupInitiallyScheduled");
  EXPECT_EQ(got["decision"]["kind"], "GroupSchedulingDecision");
  EXPECT_EQ(got["decision"]["result"], "Preempt");
  EXPECT_EQ(got["decision"]["victims"][0]["pod"], "default/low");
  for (const char* key : {"workload", "obstacle", "trouble", "deletionTimestamp", "events", "notes",
                          "time", "summary"}) {
    EXPECT_TRUE(got.contains(key)) << key;
  }
  for (const lab::RequestRecord& each : lab_.server().requests()) EXPECT_EQ(each.method, "GET");
}

TEST_F(ExplainGroup, TheDecisionIsSimulates) {
  load_pending_gang();
  const Outcome simulated =
      run({"simulate", "schedule", "--group", "default/train", "--from-cluster", "--kubeconfig",
           lab_.kubeconfig(), "--now", "2026-01-01T00:10:00Z", "-o", "json"});
  EXPECT_EQ(document("group", "default/train")["decision"].dump(),
            Json::parse(simulated.out).dump());
}

TEST_F(ExplainGroup, ReadsWellForPeople) {
  load_pending_gang();
  const Outcome got = explain("group", "train", {"-n", "default"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.err, "");
  EXPECT_THAT(
      got.out,
      AllOf(HasSubstr("pod group default/train, a gang (minCount 2); 0 pods have a node, 2 wait\n"),
            HasSubstr("priority 1000, disruption mode Single\n"),
            HasSubstr("it waits for 1 pod of lower priority to be removed for it\n"),
            HasSubstr("the group's, 1000, counts for its pods; another one is said by default/a"),
            HasSubstr("default/b  Pending  -     1000      elbowroom"), HasSubstr("Preempt"),
            HasSubstr("default/low  -"),
            HasSubstr("PodGroupInitiallyScheduled False (Unschedulable), since "
                      "2026-01-01T00:05:00Z: as it was told")));
  EXPECT_EQ(explain("group", "default/train", {"-o", "yaml"}).status, 0);
}

TEST_F(ExplainGroup, APodIsLacking) {
  lab_.load(node("node1") + group("train", "schedulingPolicy: {gang: {minCount: 3}}") +
            pod("a", "train", "nodeName: node1", "Running") + pod("b", "train", ""));
  const Json got = document("group", "default/train");
  EXPECT_EQ(got["waitsFor"], "1 more pod (minCount is 3, and 2 exist)");
  EXPECT_THAT(got["decision"]["message"].get<std::string>(),
              HasSubstr("minCount (3) cannot be satisfied: 1 scheduled, 1 remaining"));
  EXPECT_EQ(got["members"][0]["node"], "node1");
}

TEST_F(ExplainGroup, AGroupWhosePodsRunWaitsForNothing) {
  lab_.load(node("node1") + group("train", "schedulingPolicy: {gang: {minCount: 1}}") +
            pod("a", "train", "nodeName: node1", "Running"));
  const Json got = document("group", "default/train");
  EXPECT_EQ(got["waitsFor"], "");
  EXPECT_TRUE(got["decision"].is_null());
  EXPECT_THAT(explain("group", "default/train").out, HasSubstr("it waits for nothing\n"));
}

TEST_F(ExplainGroup, AGatedMemberThatAGangNeedsIsNamed) {
  lab_.load(node("node1") + group("train", kGang) + pod("a", "train", "") +
            pod("z", "train", "schedulingGates: [{name: later}]"));
  const Json got = document("group", "default/train");
  EXPECT_EQ(got["waitsFor"], "the scheduling gates of default/z to be removed");
  const std::string why = "default/z: Scheduling is blocked due to non-empty scheduling gates";
  EXPECT_THAT(got["decision"]["message"].get<std::string>(), HasSubstr(why));
  for (const char* name : {"default/a", "default/z"}) {
    EXPECT_THAT(document("pod", name)["decision"]["message"].get<std::string>(), HasSubstr(why))
        << name;
  }
}

TEST_F(ExplainGroup, GatesAndObstaclesAreNamed) {
  lab_.load(node("node1") + group("gated", "schedulingPolicy: {basic: {}}") +
            pod("a", "gated", "schedulingGates: [{name: later}]") +
            group("odd",
                  "schedulingPolicy: {basic: {}}, resourceClaims: [{name: gpu, "
                  "resourceClaimName: x}]") +
            pod("c", "odd", ""));
  EXPECT_EQ(document("group", "default/gated")["waitsFor"],
            "the scheduling gates of default/a to be removed");
  const Json odd = document("group", "default/odd");
  EXPECT_EQ(odd["obstacle"], "spec.resourceClaims is not supported");
  EXPECT_THAT(odd["waitsFor"].get<std::string>(), HasSubstr("spec.resourceClaims"));
}

TEST_F(ExplainGroup, OneThatIsNotThereIsNamedWithItsPods) {
  lab_.load(node("node1") + group("train", kGang) + pod("a", "trian", ""));
  const Outcome got = explain("group", "default/trian");
  EXPECT_EQ(got.status, 1);
  EXPECT_THAT(got.err, AllOf(HasSubstr("there is no pod group default/trian at "),
                             HasSubstr("did you mean default/train?"),
                             HasSubstr("1 pod names it, and none of them is placed")));
  lab_.server().with_world(
      [&](lab::World& world) { world.serve_groups(lab::GroupVersions::None); });
  const Outcome none = explain("group", "default/train");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("serves no podgroups.scheduling.k8s.io"));
}

TEST_F(ExplainGroup, WithoutTheRightThatIsSaid) {
  load_pending_gang();
  lab_.refuse("/podgroups", 403, "Forbidden");
  EXPECT_EQ(explain("group", "default/train").status, 77);
}

TEST_F(ExplainGroup, WrongCommandLinesAreUsageErrors) {
  const std::vector<std::vector<std::string>> lines = {
      {"explain", "group"},
      {"explain", "group", "a/b/c"},
      {"explain", "group", "default/train", "-n", "other"},
      {"explain", "group", "default/train", "--critical-preemption=true"},
      {"explain", "group", "default/train", "--server", "http://127.0.0.1:1", "--rules",
       "upstream"}};
  for (std::vector<std::string> words : lines) {
    if (words.size() == 3 || words.size() == 5) {
      words.insert(words.end(), {"--kubeconfig", lab_.kubeconfig()});
    }
    const int status = run(words).status;
    EXPECT_TRUE(status == 1 || status == 2 || status > 100) << words.back() << status;
    EXPECT_NE(status, 0);
  }
}

// ---- explain pod ----

TEST_F(ExplainGroup, APendingMemberIsExplainedWithItsGroup) {
  load_pending_gang();
  const Json got = document("pod", "default/a");
  EXPECT_EQ(got["kind"], "PodExplanation");
  EXPECT_EQ(got["node"], "");
  EXPECT_EQ(got["decision"]["kind"], "SchedulingDecision");
  EXPECT_EQ(got["decision"]["result"], "Preempt");
  EXPECT_EQ(got["group"]["group"], "default/train");
  EXPECT_EQ(got["group"]["gang"], true);
  EXPECT_EQ(got["group"]["minCount"], 2);
  EXPECT_EQ(got["group"]["waitsFor"], "1 pod of lower priority to be removed for it");
  EXPECT_EQ(got["priority"], 1000);
  EXPECT_EQ(got["ownPriority"], 5);
  const Outcome table = explain("pod", "default/a");
  EXPECT_THAT(
      table.out,
      AllOf(HasSubstr("pod default/a waits for a node with its pod group default/train"),
            HasSubstr("group: default/train, a gang (minCount 2), disruption mode Single\n"),
            HasSubstr("priority: the group's 1000 counts; the pod says 5\n"),
            HasSubstr("\nmore of it: elbowroom explain group default/train\n"),
            HasSubstr("default/low goes: ")));
}

TEST_F(ExplainGroup, APodOfAGroupThatDoesNotExistWaitsForIt) {
  lab_.load(node("node1") + pod("a", "train", ""));
  const Json got = document("pod", "default/a");
  EXPECT_EQ(got["group"]["known"], false);
  EXPECT_EQ(got["decision"]["message"], "pod group default/train does not exist");
  EXPECT_THAT(explain("pod", "default/a").out, HasSubstr("which does not exist"));
}

TEST_F(ExplainGroup, ARunningMemberSaysItsGroupAndWhoElseWaits) {
  load_pending_gang();
  lab_.load(pod("c", "train", "nodeName: node1, priority: 1000", "Running"));
  const Json got = document("pod", "default/c");
  EXPECT_EQ(got["decision"]["kind"], "ResizeDecision");
  EXPECT_EQ(got["group"]["waitsFor"], "nodes for default/a and default/b");
  const Outcome table = explain("pod", "default/c");
  EXPECT_THAT(table.out, AllOf(HasSubstr("group: default/train, a gang (minCount 2)"),
                               HasSubstr("the group waits for nodes for default/a and default/b"),
                               Not(HasSubstr("priority: the group's"))));
  EXPECT_TRUE(document("pod", "default/low")["group"].is_null());
}

TEST_F(ExplainGroup, AnyOtherPendingPodIsExplainedAlone) {
  lab_.load(node("node1") + pod("a", "", ""));
  const Json got = document("pod", "default/a");
  EXPECT_EQ(got["summary"], "pod default/a waits for a node");
  EXPECT_EQ(got["since"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(got["decision"]["kind"], "SchedulingDecision");
  EXPECT_EQ(got["decision"]["result"], "Bind");
  EXPECT_THAT(explain("pod", "default/a").out,
              AllOf(HasSubstr("pod default/a waits for a node, since 2026-01-01T00:00:00Z (10m)\n"),
                    HasSubstr("Bind on node node1\n"), Not(HasSubstr("group"))));
}

TEST_F(ExplainGroup, NoVictimOfAPendingPodIsNamedThatABudgetMaySpare) {
  lab_.load(node("node1") + pod("low", "", "nodeName: node1, priority: 1", "Running") +
            pod("a", "", "priority: 1000"));
  EXPECT_EQ(document("pod", "default/a")["decision"]["victims"][0]["pod"], "default/low");
  lab_.refuse("/poddisruptionbudgets", 403, "Forbidden");
  const Json got = document("pod", "default/a");
  EXPECT_EQ(got["decision"]["victims"], Json::array());
  EXPECT_THAT(got["decision"]["message"].get<std::string>(),
              HasSubstr("which pods go, if any, depends on what is not known here"));
}

// ---- from the scheduler ----

TEST(ExplainGroupOfScheduler, IsAskedForByServer) {
  scheduler::ReactorOptions options = test::SchedulerWorld::usual();
  options.places_for = {"elbowroom"};
  test::SchedulerWorld world(options);
  world.put(test::node(1000));
  world.put(policy::PodGroup{
      .ns = "default", .name = "train", .standing = {.uid = "g", .priority = 7, .min_count = 2}});
  policy::Pod pod = test::running_pod("a", 600);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.scheduler_name = "elbowroom";
  pod.scheduling_group = "train";
  world.put(pod);
  world.start();
  daemon::Endpoints endpoints;
  endpoints.explain_group = [&](const std::string& ns, const std::string& name) {
    const std::string answer = scheduler::explain_group(world.reactor(), ns + "/" + name,
                                                        {world.now(), world.wall()}, false);
    if (answer.empty()) return daemon::Reply{.status = 404, .body = "no pod group waits\n"};
    return daemon::Reply{.type = "application/json", .body = answer};
  };
  endpoints.explain = [](const std::string&, const std::string&) { return daemon::Reply{}; };
  const auto http = daemon::HttpServer::start({.host = "127.0.0.1", .port = 0}, endpoints);
  ASSERT_TRUE(http);
  const std::string server = "http://" + daemon::to_string((*http)->address());
  const Outcome table = run({"explain", "group", "default/train", "--server", server});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(
      table.out,
      AllOf(HasSubstr("pod group default/train, a gang (minCount 2): waits for nodes since "),
            HasSubstr("decided:    no node takes it"),
            HasSubstr("minCount (2) cannot be satisfied:\n            0 scheduled, 1 remaining\n"),
            HasSubstr("pods:       default/a: waits")));
  const Outcome json = run({"explain", "group", "train", "--server", server, "-o", "json"});
  const Json document = Json::parse(json.out);
  EXPECT_EQ(document["kind"], "SchedulerExplanation");
  EXPECT_EQ(document["group"], "default/train");
  EXPECT_EQ(document["minCount"], 2);
  EXPECT_EQ(document["members"][0]["pod"], "default/a");
  EXPECT_EQ(run({"explain", "group", "default/other", "--server", server}).status, 1);
}

TEST(GroupExplanationText, AnAnswerOfAnotherShapeDoesNoHarm) {
  for (const char* answer :
       {"{}", "[]", "{\"members\": 5, \"conditions\": [1, {}], \"decision\": {\"victims\": [7]}}",
        "{\"members\": [null, {\"schedulingGates\": [[]]}], \"decision\": {\"placements\": [{}]}, "
        "\"summary\": \"\\u001b[2J\\u202e\", \"waitsFor\": \"a\\nb\\u0000\"}"}) {
    for (const char c : group_explanation_text(*parse_json(answer))) {
      EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << answer;
    }
  }
}

}  // namespace
}  // namespace elbowroom::cli
