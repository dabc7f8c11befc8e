#include "cli/scenario/simulate_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lab/world/json.h"
#include "test/checkout.h"
#include "test/unit/cli/command_line.h"

namespace elbowroom::cli {
namespace {

using lab::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kScenarios = std::filesystem::path(test::kData) / "scenarios";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> scenarios() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios)) {
    if (entry.path().extension() == ".yaml") all.push_back(entry.path());
  }
  std::ranges::sort(all);
  return all;
}

// One node of 4 cpus with pods web (1 cpu) and batch (2 cpus).
std::string scenario(const std::string& rest, const std::string& agents = "authority") {
  return R"(apiVersion: elbowroom.dev/v1alpha1
kind: Scenario
metadata: {name: s}
spec:
  agents: )" +
         agents + R"(
  objects:
  - {apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4, memory: 8Gi}}}
  - apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1}}}]}
  - apiVersion: v1
    kind: Pod
    metadata: {name: batch}
    spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 2}}}]}
)" + rest;
}

class SimulateRun : public ::testing::Test {
 protected:
  Outcome play(const std::string& text, std::vector<std::string> flags = {"-o", "json"}) {
    flags.insert(flags.begin(), {"simulate", "run", folder_.file("s.yaml", text)});
    return run(flags);
  }
  Json timeline(const std::string& text) {
    const Outcome outcome = play(text);
    EXPECT_NE(outcome.out, "") << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  // "AT ACTOR ACTION POD" of each event.
  std::vector<std::string> events(const std::string& text) {
    std::vector<std::string> lines;
    const Json played = timeline(text);
    for (const Json& event : played["events"]) {
      lines.push_back(lab::text_at(event, {"at"}) + " " + lab::text_at(event, {"actor"}) + " " +
                      lab::text_at(event, {"action"}) + " " + lab::text_at(event, {"pod"}));
    }
    return lines;
  }
  Folder folder_;
};

TEST_F(SimulateRun, EveryScenarioHoldsAndIsTheSameTwice) {
  const auto all = scenarios();
  ASSERT_GE(all.size(), 7u);
  for (const std::filesystem::path& path : all) {
    const Outcome first = run({"simulate", "run", path.string(), "-o", "json"});
    EXPECT_EQ(first.status, 0) << path << first.err << first.out;
    EXPECT_EQ(first.err, "") << path;
    const Json played = Json::parse(first.out, nullptr, false);
    EXPECT_EQ(played["expectations"]["failed"], Json::array()) << path;
    EXPECT_GT(played["expectations"]["passed"], 0) << path;
    EXPECT_EQ(run({"simulate", "run", path.string(), "-o", "json"}).out, first.out) << path;
  }
}

TEST_F(SimulateRun, GoldenTimelines) {
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios / "golden")) {
    std::filesystem::path played = kScenarios / entry.path().filename();
    played.replace_extension(".yaml");
    EXPECT_EQ(run({"simulate", "run", played.string(), "-o", "json"}).out, text_of(entry.path()))
        << "if this is meant: elbowroom simulate run " << played << " -o json > " << entry.path();
  }
}

// What the page shows is what is printed.
TEST_F(SimulateRun, ThePageAboutScenariosIsTrue) {
  const std::filesystem::path root = std::filesystem::path(test::kData).parent_path();
  const std::string page = text_of(root / "docs" / "scenarios.md");
  const std::string prompt = "```console\n$ build/bin/elbowroom ";
  const std::size_t begin = page.find(prompt);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t line = page.find('\n', begin + prompt.size());
  std::istringstream words(page.substr(begin + prompt.size(), line - begin - prompt.size()));
  std::vector<std::string> command;
  for (std::string word; words >> word;) {
    command.push_back(word.starts_with("test/") ? (root / word).string() : word);
  }
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(page.substr(line + 1, page.find("```", line) - line - 1), outcome.out);
}

TEST_F(SimulateRun, ThePodThatMadeTheRoomIsGoneBeforeItIsUsed) {
  EXPECT_THAT(events(scenario(R"(
  steps:
  - {at: 10s, resize: {pod: default/web, containers: {app: {requests: {cpu: "3"}}}}}
  - {at: 20s, delete: {kind: Pod, name: default/batch}}
)")),
              ElementsAre("10s world Resized default/web", "10s agent Defer default/web",
                          "20s world Terminating default/batch", "50s world Deleted default/batch",
                          "50s agent Allocate default/web", "50s agent Actuate default/web",
                          "50s agent Complete default/web"));
}

TEST_F(SimulateRun, EventsAreTheChangesInTheirOrder) {
  EXPECT_THAT(events(scenario(R"(
  steps:
  - {at: 10s, resize: {pod: default/web, containers: {app: {requests: {cpu: "3"}}}}}
  - {at: 20s, exit: {pod: default/batch}}
)")),
              ElementsAre("10s world Resized default/web", "10s agent Defer default/web",
                          "20s world Exited default/batch", "20s agent Allocate default/web",
                          "20s agent Actuate default/web", "20s agent Complete default/web"));
}

TEST_F(SimulateRun, AppliedPodsRunAndDeletedOnesTakeTheirTime) {
  const std::string text = scenario(R"(
  steps:
  - at: 1s
    apply:
      apiVersion: v1
      kind: Pod
      metadata: {name: late, annotations: {lab.elbowroom.dev/terminates-after: 1500ms}}
      spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1}}}]}
  - {at: 2s, delete: {kind: Pod, name: default/late}}
  - {at: 3s, apply: {apiVersion: v1, kind: Node, metadata: {name: n, labels: {a: b}}}}
)");
  EXPECT_THAT(events(text),
              ElementsAre("1s world Created default/late", "1s world Running default/late",
                          "2s world Terminating default/late", "3s world Changed ",
                          "3s500ms world Deleted default/late"));
  const Json played = timeline(text);
  EXPECT_EQ(played["final"]["at"], "3s500ms");
  // The node kept what the second manifest left out.
  EXPECT_EQ(played["final"]["pods"].size(), 2u);
  EXPECT_EQ(played["events"][3]["node"], "n");
}

// A pod of the same name is another pod: the allocation of the first one is not its size.
TEST_F(SimulateRun, APodMadeAnewBeginsAnew) {
  EXPECT_THAT(events(scenario(R"(
  steps:
  - {at: 1s, resize: {pod: default/web, containers: {app: {requests: {cpu: "2"}}}}}
  - {at: 2s, patch: {kind: Pod, name: default/web, merge: {metadata: {annotations: {lab.elbowroom.dev/terminates-after: 0s}}}}}
  - {at: 3s, delete: {kind: Pod, name: default/web}}
  - at: 3s
    apply: {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1}}}]}}
  - {at: 4s, resize: {pod: default/web, containers: {app: {requests: {cpu: "2"}}}}}
)")),
              ElementsAre("1s world Resized default/web", "1s agent Allocate default/web",
                          "1s agent Actuate default/web", "1s agent Complete default/web",
                          "2s world Changed default/web", "3s world Terminating default/web",
                          "3s world Deleted default/web", "3s world Created default/web",
                          "3s world Running default/web", "4s world Resized default/web",
                          "4s agent Allocate default/web", "4s agent Actuate default/web",
                          "4s agent Complete default/web"));
}

TEST_F(SimulateRun, ACriticalPodsVictimsAreOneEvent) {
  const Json played = timeline(scenario(R"(
  - apiVersion: v1
    kind: Pod
    metadata: {name: dns}
    spec: {nodeName: n, priority: 2000000000, containers: [{name: app, resources: {requests: {cpu: 1}}}]}
  steps:
  - {at: 10s, resize: {pod: default/dns, containers: {app: {requests: {cpu: "4"}}}}}
)"));
  std::vector<Json> removals;
  for (const Json& event : played["events"]) {
    if (event["action"] == "PreemptCritical") removals.push_back(event);
  }
  ASSERT_EQ(removals.size(), 1u);
  EXPECT_EQ(removals[0]["pod"], "default/dns");
  EXPECT_EQ(removals[0]["victims"], Json::array({"default/batch", "default/web"}));
  EXPECT_EQ(played["final"]["pods"].size(), 1u);
  EXPECT_EQ(played["final"]["pods"][0]["requests"]["actual"]["cpu"], "4");
  EXPECT_EQ(played["final"]["at"], "40s");
}

TEST_F(SimulateRun, ARemovalSaysWhetherItIsForAResizeOrToAdmitThePod) {
  const auto why = [&](const std::string& rest) {
    std::string said;
    const Json played = timeline(scenario(rest));
    for (const Json& event : played["events"]) {
      if (event["action"] == "PreemptCritical") said += event["why"].get<std::string>();
    }
    return said;
  };
  const std::string dns =
      "{apiVersion: v1, kind: Pod, metadata: {name: dns}, spec: {nodeName: n, priority: "
      "2000000000, "
      "containers: [{name: app, resources: {requests: {cpu: ";
  EXPECT_EQ(why("  steps:\n  - {at: 10s, apply: " + dns + "2}}}]}}}\n"),
            "room to admit a critical pod");
  EXPECT_EQ(why("  - " + dns +
                "1}}}]}}\n  steps:\n  - {at: 10s, resize: {pod: default/dns, containers: {app: "
                "{requests: {cpu: \"2\"}}}}}\n"),
            "room for the resize of a critical pod");
}

TEST_F(SimulateRun, AFailedExpectationIsExitStatusOne) {
  const Outcome outcome = play(scenario(R"(
  expect:
  - {at: 1s, pod: default/web, phase: Running}
  - {at: 1s, pod: default/web, allocated: {cpu: 2}}
  - {at: end, pod: default/nobody}
  - {at: end, pod: default/nobody, exists: false}
  - {at: end, pod: default/web, exists: false}
  - {at: end, pod: default/web, condition: {type: PodResizePending, absent: true}}
  - {at: end, pod: default/web, condition: {type: Ready, status: "False"}}
  - {at: end, pod: default/web, condition: {type: PodResizePending}}
)"));
  EXPECT_EQ(outcome.status, 1);
  const Json result = Json::parse(outcome.out)["expectations"];
  EXPECT_EQ(result["passed"], 3);
  ASSERT_EQ(result["failed"].size(), 5u);
  EXPECT_EQ(result["failed"][0], Json::parse(R"({"at": "1s", "pod": "default/web",
      "why": "allocated cpu: expected 2, is 1"})"));
  EXPECT_EQ(result["failed"][1]["at"], "end");
}

TEST_F(SimulateRun, AFailedExpectationMayBeAboutAGroup) {
  const Outcome outcome = play(scenario(R"(
  - {apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {schedulingPolicy: {basic: {}}}}
  expect:
  - {at: 0s, group: default/g, condition: {type: T, status: True}}
  - {at: 0s, group: default/g}
  - {at: 0s, group: default/h}
)"));
  EXPECT_EQ(outcome.status, 1);
  const Json result = Json::parse(outcome.out, nullptr, false)["expectations"];
  EXPECT_EQ(result["passed"], 1);
  EXPECT_EQ(result["failed"], Json::parse(R"([
      {"at": "0s", "pod": "", "group": "default/g",
       "why": "condition T: expected, and there is none"},
      {"at": "0s", "pod": "", "group": "default/h", "why": "exists: there is no such group"}])"));
}

TEST_F(SimulateRun, AboveAllocatableIsInfeasibleUnlessTheServerJudges) {
  const std::string text = scenario(R"(
  steps:
  - {at: 1s, resize: {pod: default/web, containers: {app: {requests: {cpu: "5"}}}}}
)");
  EXPECT_THAT(events(text),
              ElementsAre("1s world Resized default/web", "1s agent Infeasible default/web"));
  const Outcome refused = play(text, {"-o", "json", "--admission", "1.36"});
  EXPECT_EQ(refused.status, 0);
  const Json told = Json::parse(refused.out)["events"];
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["actor"], "world");
  EXPECT_EQ(told[0]["action"], "Changed");
  EXPECT_EQ(told[0]["pod"], "default/web");
  EXPECT_EQ(told[0]["node"], "n");
  EXPECT_THAT(told[0]["why"].get<std::string>(), testing::StartsWith("refused: "));
  EXPECT_THAT(refused.err, HasSubstr("spec.steps[0]"));
  EXPECT_THAT(refused.err, HasSubstr("didn't have enough allocatable resources: cpu"));
}

TEST_F(SimulateRun, CompanionLeavesTheResizeToTheKubelet) {
  const std::string text = scenario(R"(
  steps:
  - {at: 1s, patch: {kind: Node, name: n, merge: {metadata: {annotations: {elbowroom.dev/disable-resize-preemption: me}}}}}
  - {at: 10s, resize: {pod: default/web, containers: {app: {requests: {cpu: "3"}}}}}
  - {at: 20s, exit: {pod: default/batch}}
)",
                                    "companion");
  EXPECT_THAT(
      events(text),
      ElementsAre("1s world Changed ", "10s world Resized default/web",
                  "10s world Changed default/web", "10s agent DisablePreemption default/web",
                  "20s world Exited default/batch", "20s world Changed default/web",
                  "20s world Changed default/web", "20s agent EnablePreemption default/web",
                  "20s world Changed default/web"));
}

TEST_F(SimulateRun, MoreObjectsComeFromFiles) {
  const std::string more = folder_.file("more.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: more, uid: u-more}
spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1}}}]}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
)");
  const Outcome outcome = play(scenario(""), {"-f", more, "-o", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("kind Widget is not understood"));
  EXPECT_EQ(Json::parse(outcome.out)["final"]["pods"].size(), 3u);
}

TEST_F(SimulateRun, UnusableInputIsExitStatusOneAndNamed) {
  struct Row {
    const char* rest;
    const char* named;
  };
  const Row rows[] = {
      {"  steps: [{at: 1s, exit: {pod: default/nobody}}]\n", "spec.steps[0]: pod default/nobody"},
      {"  steps: [{at: 1s, restart: agent/m}]\n", "there is no node m"},
      {"  steps: [{at: 1s, delete: {kind: Pod, name: default/nobody}}]\n", "nobody"},
      {"  steps: [{at: 1s, patch: {kind: Pod, name: default/web, merge: {metadata: {uid: x}}}}]\n",
       "uid"},
      {"  steps: [{at: 1s, patch: {kind: Pod, name: default/web, merge: {spec: {containers: "
       "1}}}}]\n",
       "containers"},
      {"  steps: [{at: 1s, resize: {pod: default/web, containers: {no: {}}}}]\n",
       "no container \"no\""},
      {"  steps: [{at: 1s, apply: {apiVersion: v1, kind: Pod, metadata: {name: p}}}]\n",
       "containers"},
      {"  - {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: a}]}}\n",
       "given twice"},
      {"  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {priority: 1e12, containers: "
       "[{name: a}]}}\n",
       "priority"},
  };
  for (const Row& row : rows) {
    const Outcome outcome = play(scenario(row.rest));
    EXPECT_EQ(outcome.status, 1) << row.rest;
    EXPECT_EQ(outcome.out, "") << row.rest;
    EXPECT_THAT(outcome.err, HasSubstr("s.yaml")) << row.rest;
    EXPECT_THAT(outcome.err, HasSubstr(row.named)) << row.rest;
  }
  EXPECT_EQ(run({"simulate", "run"}).status, kExitUsage);
  EXPECT_EQ(run({"simulate", "run", folder_.path() + "/missing.yaml"}).status, 1);
}

TEST_F(SimulateRun, ATermThatCannotBeUnderstoodIsNamedAndChangesNothingForOthers) {
  const std::string odd = R"(
  - apiVersion: v1
    kind: Pod
    metadata: {name: odd}
    spec:
      nodeName: n
      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Gt, values: [v5]}]}]}}}
      containers: [{name: app}]
)";
  const std::string rest = R"(
  steps:
  - {at: 1s, resize: {pod: default/web, containers: {app: {requests: {cpu: "2"}}}}}
  expect:
  - {at: end, pod: default/web, allocated: {cpu: "2"}}
)";
  const Folder folder;
  const Outcome outcome =
      run({"simulate", "run", folder.file("s.yaml", scenario(odd.substr(1) + rest.substr(1)))});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("pod default/odd: spec.affinity.nodeAffinity."));
  EXPECT_THAT(outcome.err, HasSubstr("must be one integer for Gt and Lt"));
}

TEST_F(SimulateRun, TheOrderOfObjectsChangesNothing) {
  const std::string text = scenario(R"(
  steps:
  - {at: 10s, resize: {pod: default/web, containers: {app: {requests: {cpu: "3"}}}}}
  - {at: 20s, exit: {pod: default/batch}}
)");
  const std::size_t web = text.find("  - apiVersion: v1\n    kind: Pod\n    metadata: {name: web}");
  const std::size_t batch =
      text.find("  - apiVersion: v1\n    kind: Pod\n    metadata: {name: batch}");
  const std::size_t steps = text.find("\n  steps:");
  const std::string turned = text.substr(0, web) + text.substr(batch, steps + 1 - batch) +
                             text.substr(web, batch - web) + text.substr(steps + 1);
  EXPECT_EQ(play(turned).out, play(text).out);
}

TEST_F(SimulateRun, TheTableIsForPeople) {
  const Outcome outcome = play(scenario(R"(
  steps:
  - {at: 10s, resize: {pod: default/web, containers: {app: {requests: {cpu: "3"}}}}}
  expect:
  - {at: end, pod: default/web, phase: Running}
)"),
                               {});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("AT   ACTOR  ACTION   POD          NODE  WHY"));
  EXPECT_THAT(outcome.out, HasSubstr("Node didn't have enough resource: cpu"));
  EXPECT_THAT(outcome.out, HasSubstr("expectations: 1 of 1 hold"));
}

}  // namespace
}  // namespace elbowroom::cli
