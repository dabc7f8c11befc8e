#include "cli/simulate_resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"

namespace elbowroom::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kNode = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: 4, memory: 8Gi, ephemeral-storage: 10Gi, pods: 110}}
)";

constexpr const char* kWeb = R"(---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: u-1, generation: 3}
spec:
  nodeName: node1
  priority: 1000
  initContainers: [{name: proxy, restartPolicy: Always, resources: {requests: {cpu: 100m}}}]
  containers: [{name: app, resources: {requests: {cpu: 1}}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  containerStatuses: [{name: app, allocatedResources: {cpu: 1}, resources: {requests: {cpu: 1}}}]
)";

constexpr const char* kBatch = R"(---
apiVersion: v1
kind: Pod
metadata: {name: batch, namespace: default, uid: u-2}
spec:
  nodeName: node1
  priority: 10
  containers: [{name: app, resources: {requests: {cpu: 2}}}]
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
)";

std::string cluster() { return std::string(kNode) + kWeb + kBatch; }

// `simulate resize default/web -o json` over one file of that text.
Outcome resize(const std::string& text, std::vector<std::string> more = {},
               const std::string& file = "in.yaml") {
  const Folder folder;
  std::vector<std::string> words = {"simulate", "resize", "default/web", "-f",
                                    folder.file(file, text)};
  if (std::ranges::find(more, "-o") == more.end()) {
    words.insert(words.end(), {"-o", "json"});
  }
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

Json decision(const std::string& text, std::vector<std::string> more = {}) {
  const Outcome outcome = resize(text, std::move(more));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(SimulateResize, EveryKeyOfTheContractIsThere) {
  const Json got = decision(cluster(), {"--set", "app:cpu=2500m"});
  EXPECT_EQ(got["apiVersion"], "elbowroom.dev/v1alpha1");
  EXPECT_EQ(got["kind"], "ResizeDecision");
  EXPECT_EQ(got["pod"], "default/web");
  EXPECT_EQ(got["uid"], "u-1");
  EXPECT_EQ(got["node"], "node1");
  EXPECT_EQ(got["verdict"], "Deferred");
  EXPECT_EQ(got["reason"], "OutOfcpu");
  EXPECT_EQ(got["message"],
            "Node didn't have enough resource: cpu, requested: 2600, used: 2000, capacity: 4000");
  EXPECT_EQ(got["requests"], (Json{{"desired", {{"cpu", "2600m"}}},
                                   {"allocated", {{"cpu", "1100m"}}},
                                   {"actual", {{"cpu", "1100m"}}}}));
  EXPECT_EQ(got["room"]["allocatable"],
            (Json{{"cpu", "4"}, {"memory", "8Gi"}, {"ephemeral-storage", "10Gi"}}));
  EXPECT_EQ(got["room"]["others"], (Json{{"cpu", "2"}}));
  EXPECT_EQ(got["deficit"], (Json{{"cpu", "600m"}}));
  ASSERT_EQ(got["conditions"].size(), 1U);
  EXPECT_EQ(got["conditions"][0]["type"], "PodResizePending");
  EXPECT_EQ(got["conditions"][0]["status"], "True");
  EXPECT_EQ(got["conditions"][0]["reason"], "Deferred");
  EXPECT_EQ(got["conditions"][0]["observedGeneration"], 3);
}

TEST(SimulateResize, YamlHoldsTheSameDocumentAndTheTableIsForPeople) {
  const Outcome yaml = resize(cluster(), {"-o", "yaml"});
  ASSERT_EQ(yaml.status, 0);
  EXPECT_NE(yaml.out.find("kind: ResizeDecision\n"), std::string::npos);
  const Outcome table = resize(cluster(), {"-o", "table", "--set", "app:cpu=3"});
  EXPECT_NE(table.out.find("Deferred (OutOfcpu)"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("default/batch"), std::string::npos) << table.out;
}

// A gang of three, two of which must run: one on this node, two on another.
std::string gang_beside_web(const std::string& mode) {
  std::string all = std::string(kNode) + kWeb +
                    "---\n{apiVersion: v1, kind: Node, metadata: {name: node2, uid: n-2}, status: "
                    "{allocatable: {cpu: 4, memory: 8Gi, pods: 110}}}\n"
                    "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: "
                    "train, namespace: default, uid: g-1}, spec: {schedulingPolicy: {gang: "
                    "{minCount: 3}}, disruptionMode: {" +
                    mode + ": {}}, priority: 5}}\n";
  for (const std::string name : {"a", "b", "c"}) {
    all += "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
           ", namespace: default, uid: u-" + name +
           "}, spec: {nodeName: " + (name == "a" ? "node1" : "node2") +
           ", schedulingGroup: {podGroupName: train}, containers: [{name: app, resources: "
           "{requests: {cpu: 1}}}]}, status: {phase: Running}}\n";
  }
  return all;
}

TEST(SimulateResize, SaysWhichGroupGoesWholeHowManyPodsAndWhere) {
  const std::vector<std::string> grows = {"--set", "app:cpu=3"};
  const Json got = decision(gang_beside_web("all"), grows)["preemption"];
  ASSERT_EQ(got["outcome"], "Preempt");
  ASSERT_EQ(got["victims"].size(), 3U);
  for (const Json& each : got["victims"]) EXPECT_EQ(each["unit"], "default/train");
  EXPECT_EQ(got["wholeGroups"], Json::array({{{"group", "default/train"},
                                              {"uid", "g-1"},
                                              {"pods", 3},
                                              {"nodes", {"node1", "node2"}}}}));
  EXPECT_EQ(got["belowMinCount"], Json::array({"default/train"}));
  const Outcome table = resize(gang_beside_web("all"), {"-o", "table", "--set", "app:cpu=3"});
  const std::size_t whole =
      table.out.find("pod group default/train goes whole: 3 pods on nodes node1 and node2\n");
  ASSERT_NE(whole, std::string::npos) << table.out;
  EXPECT_LT(whole, table.out.find("HOLDS ROOM")) << "before the victims";
}

TEST(SimulateResize, SaysWhichGangFallsBelowItsMinCount) {
  const Json got = decision(gang_beside_web("single"), {"--set", "app:cpu=3"})["preemption"];
  ASSERT_EQ(got["victims"].size(), 1U);
  EXPECT_EQ(got["victims"][0]["unit"], "default/a");
  EXPECT_EQ(got["wholeGroups"], Json::array());
  EXPECT_EQ(got["belowMinCount"], Json::array({"default/train"}));
  const Outcome table = resize(gang_beside_web("single"), {"-o", "table", "--set", "app:cpu=3"});
  EXPECT_NE(table.out.find("pod group default/train falls below its minCount (3): 2 pods stay"),
            std::string::npos)
      << table.out;
  EXPECT_EQ(table.out.find("goes whole"), std::string::npos);
  // One more member, and it keeps as many as it needs.
  const std::string fourth =
      gang_beside_web("single") +
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: d, namespace: default, uid: u-d}, spec: "
      "{nodeName: node2, schedulingGroup: {podGroupName: train}, containers: [{name: app, image: "
      "x}]}, status: {phase: Running}}\n";
  EXPECT_EQ(decision(fourth, {"--set", "app:cpu=3"})["preemption"]["belowMinCount"], Json::array());
}

TEST(SimulateResize, NoGroupIsNamedWhereNobodyGoes) {
  const Json got = decision(gang_beside_web("all"))["preemption"];
  EXPECT_EQ(got["wholeGroups"], Json::array());
  EXPECT_EQ(got["belowMinCount"], Json::array());
}

TEST(SimulateResize, SetReachesSidecarsAndLimitsAndRepeats) {
  const Json sidecar =
      decision(cluster(), {"--set", "proxy:cpu=200m,app:memory=1Gi", "--set", "app:cpu=1500m"});
  EXPECT_EQ(sidecar["verdict"], "Allocated");
  EXPECT_EQ(sidecar["requests"]["desired"], (Json{{"cpu", "1700m"}, {"memory", "1Gi"}}));
  EXPECT_EQ(sidecar["requests"]["allocated"], (Json{{"cpu", "1100m"}}));
  EXPECT_EQ(decision(cluster(), {"--set", "app:limits.cpu=2"})["verdict"], "Allocated");
  EXPECT_EQ(decision(cluster())["verdict"], "Unchanged");
  EXPECT_EQ(decision(cluster(), {"--set", "app:cpu=1"})["verdict"], "Unchanged");
}

// As the API server defaults requests.
TEST(SimulateResize, ALimitOnAContainerWithoutARequestIsItsRequest) {
  const std::string two = replaced(
      cluster(), "{name: app, resources: {requests: {cpu: 1}}}]\nstatus:\n  phase: Running\n",
      "{name: app, resources: {requests: {cpu: 1}}}, {name: bare}]\nstatus:\n  phase: Running\n");
  const Json got = decision(two, {"--set", "bare:limits.cpu=3500m"});
  EXPECT_EQ(got["verdict"], "Infeasible") << got.dump();
  EXPECT_EQ(got["requests"]["desired"], (Json{{"cpu", "4600m"}}));
  EXPECT_EQ(got["requests"]["allocated"], (Json{{"cpu", "1100m"}}));
  EXPECT_EQ(got, decision(two, {"--set", "bare:limits.cpu=3500m,bare:cpu=3500m"}));
  const Json both = decision(two, {"--set", "bare:cpu=100m,bare:limits.cpu=3500m"});
  EXPECT_EQ(both["requests"]["desired"], (Json{{"cpu", "1200m"}})) << "a request that is named";
  const Json has_one = decision(two, {"--set", "app:limits.cpu=2"});
  EXPECT_EQ(has_one["requests"]["desired"], (Json{{"cpu", "1100m"}})) << "one that it has";
}

TEST(SimulateResize, SetOnAPodWithoutStatusIsAPendingResize) {
  const std::string bare =
      std::string(kNode) +
      "---\n{kind: Pod, metadata: {name: web, uid: u}, spec: {nodeName: node1, containers: [{name: "
      "app, resources: {requests: {cpu: 1}}}]}}\n";
  const Json got = decision(bare, {"--set", "app:cpu=3"});
  EXPECT_EQ(got["verdict"], "Allocated");
  EXPECT_EQ(got["requests"]["allocated"], (Json{{"cpu", "1"}}));
}

TEST(SimulateResize, WrongCommandLinesAreUsageErrors) {
  const std::vector<std::vector<std::string>> rows = {
      {"--set", "app"},
      {"--set", ""},
      {"--set", "app:cpu"},
      {"--set", "app:cpu="},
      {"--set", "app:=1"},
      {"--set", ":cpu=1"},
      {"--set", "cpu=1"},
      {"--set", "app:cpu=1,"},
      {"--set", "app:cpu=1,memory=1Gi"},
      {"--set", "app:cpu=-1"},
      {"--set", "app:cpus=1"},
      {"--set", "app:limits.=1"},
      {"--set", "nobody:cpu=1"},
      {"--set", "app:cpu=9223372036854775808"},
      {"--rules", "mine"},
      {"--critical-preemption", "maybe"},
      {"--cpu-manager-policy", "dynamic"},
      {"--memory-manager-policy", "static"},
      {"--now", "yesterday"},
      {"--from-cluster"},  // beside -f
      {"--unknown"},
      {"-o", "xml"},
      {"extra"},
  };
  for (const auto& row : rows) {
    const Outcome outcome = resize(cluster(), row);
    EXPECT_EQ(outcome.status, 2) << row.back();
    EXPECT_TRUE(outcome.err.starts_with("elbowroom: ")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"simulate"}).status, 2);
  EXPECT_EQ(run({"simulate", "resize"}).status, 2);
  EXPECT_EQ(run({"simulate", "resize", "default/web"}).status, 2);
  for (const char* pod : {"/web", "default/", "pod/", "a/b/c", ""}) {
    EXPECT_EQ(run({"simulate", "resize", pod, "-f", "x"}).status, 2) << pod;
  }
  EXPECT_EQ(run({"--version"}).status, 0);
  EXPECT_EQ(run({"--help"}).status, 0);
}

struct BadInput {
  std::string text;
  std::vector<std::string_view> named;  // what the message must contain
};

TEST(SimulateResize, BadInputEndsWithStatusOneAndNamesThePlace) {
  const std::string web = std::string(kNode) + kWeb;
  const BadInput rows[] = {
      {"", {"pod default/web is not in the input"}},
      {"just text", {"in.yaml", "no Kubernetes object"}},
      {"[1, 2]", {"in.yaml", "no Kubernetes object"}},
      {"a: [", {"in.yaml", "line 1"}},
      {"{\"kind\": \"Pod\"", {"in.yaml"}},
      {"\xff\xfe", {"in.yaml", "not UTF-8"}},
      {std::string("a\0b", 3), {"in.yaml", "control character"}},
      {std::string(100, '[') + std::string(100, ']'), {"in.yaml", "nested"}},
      {"kind: Pod\nkind: Node\n", {"in.yaml", "duplicate key \"kind\""}},
      {"{\"kind\": \"Pod\", \"kind\": \"Node\"}", {"in.yaml", "duplicate key \"kind\""}},
      {"kind: 5", {"in.yaml", "kind"}},
      {"metadata: {name: x}", {"in.yaml", "kind"}},
      {replaced(web, "uid: u-1, ", ""), {"in.yaml", "default/web", "uid"}},
      {replaced(web, "uid: u-1", "uid: ''"), {"in.yaml", "default/web", "uid"}},
      {replaced(web, "name: web, ", ""), {"in.yaml", "name"}},
      {replaced(web, "name: web", "name: " + std::string(254, 'w')), {"in.yaml", "name", "253"}},
      {replaced(web, "containers: [{name: app, resources: {requests: {cpu: 1}}}]",
                "containers: []"),
       {"in.yaml", "default/web", "containers"}},
      {replaced(web, "requests: {cpu: 1}", "requests: {cpu: -1}"),
       {"default/web", "spec.containers[0].resources.requests.cpu", "negative"}},
      {replaced(web, "requests: {cpu: 1}", "requests: {cpu: 1x}"), {"cpu", "malformed"}},
      {replaced(web, "requests: {cpu: 1}", "requests: {memory: 8Ei}"), {"memory", "2^63-1"}},
      {replaced(web, "requests: {cpu: 1}", "requests: {cpu: 9223372036854775807}"),
       {"cpu", "2^63-1"}},
      {replaced(web, "requests: {cpu: 1}", "requests: {cpu: .inf}"), {"cpu", "malformed"}},
      {replaced(web, "requests: {cpu: 1}", "requests: {cpu: true}"), {"cpu", "a boolean"}},
      {replaced(web, "priority: 1000", "priority: 2147483648"), {"default/web", "spec.priority"}},
      {replaced(web, "priority: 1000", "priority: 1.5"), {"default/web", "spec.priority"}},
      {replaced(web, "priority: 1000", "priority: '1'"), {"default/web", "spec.priority"}},
      {replaced(web, "priority: 1000", "terminationGracePeriodSeconds: -1"),
       {"terminationGracePeriodSeconds"}},
      {replaced(web, "\"2026-01-01T00:00:00Z\"", "\"2026-01-01\""),
       {"default/web", "status.startTime", "RFC 3339"}},
      {replaced(web, "nodeName: node1", "nodeName: node2"), {"node2", "default/web"}},
      {replaced(web, "nodeName: node1", "nodeName: ''"), {"default/web", "no node"}},
      {replaced(web, "phase: Running", "phase: Succeeded"), {"default/web", "has finished"}},
      {std::string(kNode) + kBatch, {"pod default/web is not in the input"}},
      {web + kWeb, {"pod default/web is given twice"}},
      {web + replaced(kBatch, "u-2", "u-1"),
       {"in.yaml", "metadata.uid: pods default/batch and default/web have the same uid u-1"}},
      {web + kNode, {"node node1 is given twice"}},
      {replaced(web, "cpu: 4", "cpu: many"), {"node node1", "status.allocatable.cpu"}},
      {web + "---\n{kind: PodDisruptionBudget, metadata: {name: b}, status: {disruptionsAllowed: "
             "x}}\n",
       {"pod disruption budget default/b", "status.disruptionsAllowed"}},
      {web + "---\n{kind: PriorityClass, metadata: {name: p}}\n", {"priority class p", "value"}},
      {"kind: List\nitems: [{kind: Pod, metadata: {name: x}}]\n", {"default/x", "containers"}},
      {"kind: List\nitems: [5]\n", {"no Kubernetes object"}},
      {"kind: List\nitems: {}\n", {"items"}},
  };
  for (const BadInput& row : rows) {
    const Outcome outcome = resize(row.text);
    EXPECT_EQ(outcome.status, 1) << row.text;
    EXPECT_EQ(outcome.out, "");
    for (const std::string_view named : row.named) {
      EXPECT_NE(outcome.err.find(named), std::string::npos)
          << named << " is missing in: " << outcome.err;
    }
    EXPECT_LE(outcome.err.size(), 64U * 1024 + 1);
  }
}

TEST(SimulateResize, MissingFilesAndEmptyFoldersAreNamed) {
  const Folder folder;
  const auto with = [&](const std::string& path) {
    return run({"simulate", "resize", "default/web", "-f", path});
  };
  EXPECT_EQ(with(folder.path() + "/none.yaml").status, 1);
  EXPECT_NE(with(folder.path() + "/none.yaml").err.find("none.yaml"), std::string::npos);
  EXPECT_EQ(with(folder.path()).status, 1);
  EXPECT_EQ(with("/dev/zero").status, 1);
}

TEST(SimulateResize, JsonDocumentsMayFollowOneAnotherInOneFile) {
  const std::string web =
      R"({"kind":"Pod","metadata":{"name":"web","uid":"u-1"},"spec":{"nodeName":"node1",)"
      R"("containers":[{"name":"app","resources":{"requests":{"cpu":"1"}}}]}})";
  const std::string node =
      R"({"kind":"Node","metadata":{"name":"node1"},"status":{"allocatable":{"cpu":"4"}}})";
  for (const char* file : {"in.json", "in.yaml", "in.txt"}) {
    const Outcome got = resize(node + "\n" + web + "\n", {}, file);
    EXPECT_EQ(got.status, 0) << file << ": " << got.err;
    EXPECT_EQ(got.out, resize(web + node, {}, file).out);
  }
  const Outcome broken = resize(node + "\n{\"kind\": \"Pod\"", {}, "in.json");
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.err.find("in.json: line 2"), std::string::npos) << broken.err;
}

TEST(SimulateResize, FoldersListsAndJsonAreRead) {
  const Folder folder;
  const std::string node =
      "{\"kind\": \"NodeList\", \"items\": [{\"metadata\": {\"name\": "
      "\"node1\"}, \"status\": {\"allocatable\": {\"cpu\": 4}}}]}";
  (void)folder.file("b.json", node);
  (void)folder.file("a.yml", "\xEF\xBB\xBF" + replaced(kWeb, "\n", "\r\n"));
  (void)folder.file("c.yaml", std::string(kBatch));
  (void)folder.file("ignored.txt", "not even: [yaml");
  const Outcome outcome =
      run({"simulate", "resize", "default/web", "-f", folder.path(), "-o", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["room"]["others"], (Json{{"cpu", "2"}}));
  EXPECT_EQ(outcome.err, "");

  const Outcome flow = resize(
      "{kind: List, items: [{kind: Node, metadata: {name: node1}, status: "
      "{allocatable: {cpu: 4}}}]}\n" +
      std::string(kWeb));
  EXPECT_EQ(flow.status, 0) << flow.err;
}

// An object has a name, and a list has none.
TEST(SimulateResize, AListWithoutItemsIsEmpty) {
  for (const char* list : {"{kind: PodList}", "{kind: List, apiVersion: v1}",
                           "{kind: NodeList, metadata: {resourceVersion: \"5\"}, items: null}"}) {
    const Outcome got = resize(cluster() + "---\n" + list + "\n");
    EXPECT_EQ(got.status, 0) << list << ": " << got.err;
    EXPECT_EQ(got.err, "") << list;
    EXPECT_EQ(got.out, resize(cluster()).out) << list;
  }
  const Outcome object = resize(cluster() + "---\n{kind: AllowList, metadata: {name: a}}\n");
  EXPECT_NE(object.err.find("kind AllowList is not understood"), std::string::npos) << object.err;
}

TEST(SimulateResize, UnknownKindsAreNamedOnceAndUnknownFieldsAreNot) {
  const std::string more =
      "---\n{kind: Deployment, metadata: {name: a}}\n---\n{kind: Deployment, metadata: {name: b}}\n"
      "---\n{kind: Gadget, spec: [5]}\n---\n{kind: ConfigMap, metadata: {name: a}}\n"
      "---\n{kind: ReplicaSet, metadata: {name: a}}\n---\n{kind: Namespace, metadata: {name: a}}\n"
      "---\n{kind: Node, metadata: {name: spare}, spec: {unheardOf: {a: [1]}}}\n";
  const Outcome outcome = resize(cluster() + more);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "elbowroom: kind Gadget is not understood: ignored\n"
            "elbowroom: kind Deployment makes no pods here: only pods in the input count\n");
}

TEST(SimulateResize, WhatMakesPodsIsNamedUnlessADumpHasThePodsBeside) {
  const std::string set = "{kind: StatefulSet, apiVersion: apps/v1, metadata: {name: a}}";
  const std::string told = "kind StatefulSet makes no pods here";
  EXPECT_NE(resize(cluster() + "---\n" + set + "\n").err.find(told), std::string::npos);
  EXPECT_NE(resize(cluster() + "---\n{kind: List, items: [" + set + "]}\n").err.find(told),
            std::string::npos);
  const Outcome dumped = resize(
      cluster() + "---\n{kind: List, metadata: {elbowroomVersion: x}, items: [" + set + "]}\n");
  EXPECT_EQ(dumped.status, 0);
  EXPECT_EQ(dumped.err.find(told), std::string::npos) << dumped.err;
}

TEST(SimulateResize, TheOrderOfObjectsAndFilesChangesNothing) {
  const Json expected = decision(cluster(), {"--set", "app:cpu=3"});
  const std::string turned = std::string(kBatch) + kWeb + kNode;
  EXPECT_EQ(decision(turned, {"--set", "app:cpu=3"}).dump(), expected.dump());
  const Folder folder;
  const std::string a = folder.file("a.yaml", kBatch);
  const std::string b = folder.file("b.yaml", std::string(kNode) + kWeb);
  const Outcome split = run(
      {"simulate", "resize", "default/web", "-f", b, "-f", a, "-o", "json", "--set", "app:cpu=3"});
  EXPECT_EQ(Json::parse(split.out).dump(), expected.dump());
}

TEST(SimulateResize, AliasBombsEndInAnError) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "*a" + std::to_string(i - 1) + ", ";
    bomb +=
        "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + last + last + "]\n";
  }
  EXPECT_EQ(resize(bomb).status, 1);
  EXPECT_EQ(resize("a: &a [*a]").status, 1);
}

TEST(SimulateResize, NoControlCharacterReachesTheOutput) {
  std::string text = replaced(cluster(), "name: batch", "name: \"b\\e[31m\\x9b\\u202e\\r\"");
  text += "---\n{kind: \"Bad\\e[0m\", metadata: {}}\n";
  for (const char* format : {"json", "yaml", "table"}) {
    const Outcome outcome = resize(text, {"-o", format, "--set", "app:cpu=3"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const std::string& out : {outcome.out, outcome.err}) {
      for (const char c : out) {
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
      }
      EXPECT_EQ(out.find("\xC2\x9B"), std::string::npos);
      EXPECT_EQ(out.find("\xE2\x80\xAE"), std::string::npos);
    }
  }
}

TEST(SimulateResize, TextsAreAtMost64KiBLong) {
  const std::string huge(200'000, 'x');
  const std::string text =
      replaced(cluster(), "phase: Running",
               "phase: Running\n  conditions: [{type: PodResizeInProgress, status: \"True\", "
               "message: " +
                   huge + "}]");
  const Json got = decision(text);
  ASSERT_EQ(got["conditions"].size(), 1U);
  EXPECT_EQ(got["conditions"][0]["message"].get<std::string>().size(), 64U * 1024);
  const Outcome outcome = resize(replaced(cluster(), "cpu: 2}", "cpu: " + huge + "}"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_LE(outcome.err.size(), 64U * 1024 + 1);
}

TEST(SimulateResize, NowIsTheNewestTimeInTheInput) {
  const auto transition = [](const Json& got) {
    return got["conditions"][0]["lastTransitionTime"];
  };
  const std::vector<std::string> set = {"--set", "app:cpu=3"};
  EXPECT_EQ(transition(decision(cluster(), set)), "2026-01-01T00:00:00Z");
  const std::string started =
      replaced(cluster(), "containerStatuses: [{name: app,",
               "containerStatuses: [{name: app, state: {running: {startedAt: "
               "\"2026-01-01T00:07:00Z\"}},");
  EXPECT_EQ(transition(decision(started, set)), "2026-01-01T00:07:00Z");
  const std::string leaving = replaced(
      cluster(), "uid: u-2",
      "uid: u-2, deletionTimestamp: \"2026-01-02T00:00:30Z\", deletionGracePeriodSeconds: 30");
  EXPECT_EQ(transition(decision(leaving, set)), "2026-01-02T00:00:00Z");
  const std::string beat = replaced(cluster(), "pods: 110}",
                                    "pods: 110}, conditions: [{type: Ready, status: \"True\", "
                                    "lastHeartbeatTime: \"2026-02-01T00:00:00+01:00\"}]");
  EXPECT_EQ(transition(decision(beat, set)), "2026-01-31T23:00:00Z");
  EXPECT_EQ(transition(decision(beat, {"--set", "app:cpu=3", "--now", "2026-03-01T00:00:00Z"})),
            "2026-03-01T00:00:00Z");
}

TEST(SimulateResize, HeldChargesLeaveOutWhoHasFinishedOrEnded) {
  EXPECT_EQ(decision(replaced(cluster(), "{phase: Running,", "{phase: Failed,"))["room"]["others"],
            Json::object());
  const std::string leaving =
      replaced(cluster(), "uid: u-2", "uid: u-2, deletionTimestamp: \"2026-01-02T00:00:30Z\"");
  EXPECT_EQ(decision(leaving)["room"]["others"], (Json{{"cpu", "2"}}));
  const std::string ended =
      replaced(leaving, "{phase: Running,",
               "{phase: Running, containerStatuses: [{name: app, state: {terminated: {}}}],");
  EXPECT_EQ(decision(ended)["room"]["others"], Json::object());
}

TEST(SimulateResize, PrioritiesComeFromClasses) {
  const std::string classes =
      "---\n{kind: PriorityClass, metadata: {name: high}, value: 5000, preemptionPolicy: Never}\n"
      "---\n{kind: PriorityClass, metadata: {name: usual}, value: 7, globalDefault: true}\n";
  const auto priority = [&](const std::string& text) {
    return decision(text + classes)["room"]["holders"][0]["priority"];
  };
  EXPECT_EQ(priority(cluster()), 10) << "a priority that is given counts";
  EXPECT_EQ(priority(replaced(cluster(), "priority: 10\n", "priorityClassName: high\n")), 5000);
  EXPECT_EQ(priority(replaced(cluster(), "priority: 10\n", "schedulerName: x\n")), 7);
  EXPECT_EQ(priority(replaced(cluster(), "priority: 10\n", "priorityClassName: unknown\n")), 0);
  EXPECT_EQ(
      priority(replaced(cluster(), "priority: 10\n", "priorityClassName: system-node-critical\n")),
      2000001000);
}

// The growing pod needs 600m more than there is; batch holds 2.
Json preempting(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--set", "app:cpu=2500m"});
  return decision(text, std::move(more))["preemption"];
}

TEST(SimulateResize, TheSchedulerMakesRoomForWhoIsNotCritical) {
  const Json got = preempting(cluster());
  EXPECT_EQ(got["by"], "scheduler");
  EXPECT_EQ(got["outcome"], "Preempt");
  EXPECT_EQ(got["budgetViolations"], 0);
  ASSERT_EQ(got["victims"].size(), 1U);
  EXPECT_EQ(got["victims"][0]["pod"], "default/batch");
  EXPECT_EQ(got["victims"][0]["uid"], "u-2");
  EXPECT_EQ(got["victims"][0]["priority"], 10);
  EXPECT_EQ(got["victims"][0]["violatesBudget"], false);
  EXPECT_NE(got["victims"][0]["why"], "");
  EXPECT_EQ(got["considered"], Json::array());
}

TEST(SimulateResize, NobodyMakesRoomUnlessTheVerdictIsDeferred) {
  for (const char* set : {"app:cpu=1", "app:cpu=500m", "app:cpu=1500m", "app:cpu=5"}) {
    const Json got = decision(cluster(), {"--set", set})["preemption"];
    EXPECT_EQ(got["by"], "nobody") << set;
    EXPECT_EQ(got["outcome"], "NotNeeded") << set;
    EXPECT_EQ(got["victims"], Json::array()) << set;
  }
}

TEST(SimulateResize, PodsThatAreNotLessImportantAreConsideredWithAReason) {
  const Json got = preempting(replaced(cluster(), "priority: 10\n", "priority: 1000\n"));
  EXPECT_EQ(got["outcome"], "NoVictims");
  EXPECT_EQ(got["victims"], Json::array());
  ASSERT_EQ(got["considered"].size(), 1U);
  EXPECT_EQ(got["considered"][0]["pod"], "default/batch");
  EXPECT_EQ(got["considered"][0]["eligible"], false);
  EXPECT_EQ(got["considered"][0]["why"], "priority 1000 is not below 1000");
}

TEST(SimulateResize, NodePolicyConditionAndNeverForbid) {
  const std::string by_field =
      replaced(cluster(), "status: {allocatable",
               "spec: {podPreemptionPolicy: {disableResizePreemption: [a]}}\nstatus: {allocatable");
  const std::string by_annotation =
      replaced(cluster(), "name: node1,",
               "name: node1, annotations: {elbowroom.dev/disable-resize-preemption: a},");
  for (const std::string& text : {by_field, by_annotation}) {
    const Json got = decision(text, {"--set", "app:cpu=3"});
    EXPECT_EQ(got["preemption"]["outcome"], "Disabled");
    EXPECT_EQ(got["preemption"]["victims"], Json::array());
    ASSERT_EQ(got["conditions"].size(), 2U);
    EXPECT_EQ(got["conditions"][1]["type"], "PodResizePreemptionDisabled");
    EXPECT_EQ(got["conditions"][1]["reason"], "PreemptionDisabledByNodePolicy");
    EXPECT_EQ(got["conditions"][1]["observedGeneration"], 3);
    EXPECT_EQ(got["nodePolicy"]["owners"], Json::array({"a"}));
  }
  const auto with_condition = [](const std::string& status, const std::string& reason) {
    return replaced(
        cluster(), "phase: Running\n",
        "phase: Running\n  conditions: [{type: PodResizePreemptionDisabled, status: \"" + status +
            "\", reason: " + reason + "}]\n");
  };
  for (const char* reason : {"PreemptionDisabledByNodePolicy", "PreemptionDisabled", "Other"}) {
    const bool is_foreign = std::string(reason) == "Other";  // the Node's policy is no more
    EXPECT_EQ(preempting(with_condition("True", reason))["outcome"],
              is_foreign ? "Disabled" : "Preempt")
        << reason;
    EXPECT_EQ(preempting(with_condition("False", reason))["outcome"], "Preempt") << reason;
  }
  EXPECT_EQ(preempting(replaced(cluster(), "priority: 1000",
                                "priority: 1000\n  preemptionPolicy: Never"))["outcome"],
            "PolicyNever");
}

TEST(SimulateResize, PodsOnTheirWayOutAreWaitedForUntilHalfAMinuteAfterTheirDeadline) {
  const std::string leaving = replaced(cluster(), "uid: u-2",
                                       "uid: u-2, deletionTimestamp: \"2026-01-02T00:00:00Z\", "
                                       "deletionGracePeriodSeconds: 30");
  EXPECT_EQ(preempting(leaving)["outcome"], "AwaitingVictims");
  EXPECT_EQ(preempting(leaving, {"--now", "2026-01-02T00:00:29Z"})["outcome"], "AwaitingVictims");
  EXPECT_EQ(preempting(leaving, {"--now", "2026-01-02T00:00:30Z"})["outcome"], "NoVictims");
}

TEST(SimulateResize, CriticalPodsAreServedByTheNodeWhereItSaysSo) {
  const std::string critical = replaced(cluster(), "priority: 1000", "priority: 2000000000");
  EXPECT_EQ(preempting(critical)["by"], "scheduler");
  EXPECT_EQ(preempting(critical, {"--critical-preemption=true"})["by"], "node");
  EXPECT_EQ(preempting(critical, {"--critical-preemption=true"})["outcome"], "Preempt");
  EXPECT_EQ(preempting(cluster(), {"--critical-preemption=true"})["by"], "scheduler");
  const std::string annotated =
      replaced(critical, "name: node1,",
               "name: node1, annotations: {elbowroom.dev/critical-preemption: node},");
  EXPECT_EQ(preempting(annotated)["by"], "node");
  EXPECT_EQ(preempting(annotated, {"--critical-preemption", "false"})["by"], "scheduler");
}

TEST(SimulateResize, BudgetsAreSparedWhereTheyCanBe) {
  const std::string twin = replaced(
      replaced(replaced(kBatch, "name: batch", "name: twin"), "u-2", "u-3, labels: {app: twin}"),
      "cpu: 2", "cpu: 700m");
  const std::string third =
      replaced(replaced(replaced(kBatch, "name: batch", "name: third"), "u-2", "u-4"), "cpu: 2",
               "cpu: 700m");
  const std::string budget =
      "---\n{kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: {app: "
      "twin}}}, status: {disruptionsAllowed: 0}}\n";
  const std::string base = std::string(kNode) + kWeb + twin + third;
  const Json spared = decision(base + budget, {"--set", "app:cpu=3"})["preemption"];
  ASSERT_EQ(spared["victims"].size(), 1U) << spared.dump();
  EXPECT_EQ(spared["victims"][0]["pod"], "default/third");
  EXPECT_EQ(spared["budgetViolations"], 0);
  const Json broken = decision(base + budget, {"--set", "app:cpu=3900m"})["preemption"];
  EXPECT_EQ(broken["victims"].size(), 2U);
  EXPECT_EQ(broken["budgetViolations"], 1);
}

TEST(SimulateResize, SaysWhichBudgetsCoverThePodAndItsVictims) {
  const std::string budgets =
      "---\n{kind: DisruptionBudget, apiVersion: elbowroom.dev/v1alpha1, metadata: {name: r, "
      "namespace: default}, spec: {selector: {}, maxUnavailable: 3}}\n"
      "---\n{kind: PodDisruptionBudget, metadata: {name: other}, spec: {selector: {matchLabels: "
      "{app: twin}}}, status: {disruptionsAllowed: 0}}\n";
  EXPECT_FALSE(decision(cluster(), {"--set", "app:cpu=3"}).contains("coveredBy"));
  const Json got = decision(cluster() + budgets, {"--set", "app:cpu=3"})["coveredBy"];
  EXPECT_EQ(got, Json::parse(R"([{"budget": "DisruptionBudget default/r", "hard": false,
    "allowed": 1, "nextAllowedTime": null, "pods": ["default/batch", "default/web"],
    "notCharged": []}])"))
      << got.dump(1);
  const Outcome table = resize(cluster() + budgets, {"-o", "table", "--set", "app:cpu=3"});
  EXPECT_NE(table.out.find("DisruptionBudget default/r allows 1 disruption now"), std::string::npos)
      << table.out;
}

// A sidecar's resize, two others that hold their allocation, one that requests more than it holds:
// by the default rules its request does not count.
TEST(SimulateResize, UpstreamRulesChangeTheVictimsNotTheVerdict) {
  const std::string greedy =
      "---\n{kind: Pod, metadata: {name: greedy, uid: u-9}, spec: {nodeName: node1, priority: "
      "2000, "
      "containers: [{name: app, resources: {requests: {cpu: 2}}}]}, status: {containerStatuses: "
      "[{name: app, allocatedResources: {cpu: 100m}, resources: {requests: {cpu: 100m}}}]}}\n";
  const std::string small =
      replaced(replaced(replaced(kBatch, "name: batch", "name: small"), "u-2", "u-3"), "cpu: 2",
               "cpu: 900m");
  const std::string text = cluster() + greedy + small;
  const Json ours = decision(text, {"--set", "app:cpu=1500m"});
  const Json theirs = decision(text, {"--set", "app:cpu=1500m", "--rules", "upstream"});
  EXPECT_EQ(ours["verdict"], theirs["verdict"]);
  EXPECT_EQ(ours["message"], theirs["message"]);
  EXPECT_EQ(ours["preemption"]["victims"].size(), 1U);
  EXPECT_EQ(theirs["preemption"]["victims"].size(), 2U);
}

TEST(SimulateResize, APendingPodMayLackAUid) {
  const std::string text =
      cluster() + "---\n{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}\n";
  EXPECT_EQ(resize(text).status, 0);
}

}  // namespace
}  // namespace elbowroom::cli
