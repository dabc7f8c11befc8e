// `simulate run` with a scheduler: the events of its timeline, their order, and how often they
// appear.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab/world/json.h"
#include "test/unit/cli/command_line.h"

namespace elbowroom::cli {
namespace {

using lab::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A node of 4 cpus: web (1 cpu, priority 1000), a (1 cpu) and b (2 cpus), which take 10 s to
// terminate.
std::string scenario(const std::string& rest, const std::string& agents = "authority",
                     const std::string& scheduler = "resize") {
  const auto pod = [](const std::string& name, int priority, int cpu) {
    return "  - apiVersion: v1\n    kind: Pod\n    metadata: {name: " + name +
           ", labels: {app: " + name +
           "}}\n    spec: {nodeName: n, priority: " + std::to_string(priority) +
           ", terminationGracePeriodSeconds: 10, containers: [{name: app, resources: {requests: "
           "{cpu: " +
           std::to_string(cpu) + "}}}]}\n";
  };
  return "apiVersion: elbowroom.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
         "  agents: " +
         agents + "\n  scheduler: " + scheduler +
         "\n  objects:\n  - {apiVersion: v1, kind: Node, metadata: {name: n}, status: "
         "{allocatable: {cpu: 4, memory: 8Gi}}}\n" +
         pod("web", 1000, 1) + pod("a", 0, 1) + pod("b", 0, 2) + rest;
}

std::string grow(const std::string& at, int cpu) {
  return "  - {at: " + at +
         ", resize: {pod: default/web, containers: {app: {requests: {cpu: " + std::to_string(cpu) +
         "}}}}}\n";
}

class SimulateScheduler : public ::testing::Test {
 protected:
  Json timeline(const std::string& text) {
    const Outcome outcome = run({"simulate", "run", folder_.file("s.yaml", text), "-o", "json"});
    EXPECT_NE(outcome.out, "") << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  // "AT ACTION POD" of the scheduler's events, and "removes ..." where there are victims.
  std::vector<std::string> decisions(const std::string& text) {
    std::vector<std::string> lines;
    const Json played = timeline(text);
    for (const Json& event : played["events"]) {
      if (lab::text_at(event, {"actor"}) != "scheduler") continue;
      std::string line = lab::text_at(event, {"at"}) + " " + lab::text_at(event, {"action"}) + " " +
                         lab::text_at(event, {"pod"});
      for (const Json& victim : lab::list_at(event, {"victims"})) {
        line += " removes " + victim.get<std::string>();
      }
      lines.push_back(line);
    }
    return lines;
  }
  Folder folder_;
};

TEST_F(SimulateScheduler, ARemovalIsOneEventAheadOfWhatItDoes) {
  const Json played = timeline(scenario("  steps:\n" + grow("10s", 4)));
  std::vector<std::string> lines;
  for (const Json& event : played["events"]) {
    lines.push_back(lab::text_at(event, {"at"}) + " " + lab::text_at(event, {"actor"}) + " " +
                    lab::text_at(event, {"action"}) + " " + lab::text_at(event, {"pod"}));
  }
  EXPECT_THAT(lines,
              ElementsAre("10s world Resized default/web", "10s agent Defer default/web",
                          "10s scheduler Preempt default/web", "10s world Terminating default/a",
                          "10s world Terminating default/b", "20s world Deleted default/a",
                          "20s world Deleted default/b", "20s agent Allocate default/web",
                          "20s agent Actuate default/web", "20s agent Complete default/web"));
  const Json& event = played["events"][2];
  EXPECT_EQ(event["node"], "n");
  EXPECT_EQ(event["victims"], Json::array({"default/a", "default/b"}));
  EXPECT_NE(event["why"], "");
  EXPECT_EQ(played["final"]["at"], "20s");
}

TEST_F(SimulateScheduler, OnlyChangesAreEvents) {
  EXPECT_THAT(decisions(scenario("  steps:\n" + grow("10s", 2) +
                                 "  - {at: 12s, patch: {kind: Pod, name: default/a, merge: "
                                 "{metadata: {labels: {x: y}}}}}\n"
                                 "  - {at: 13s, restart: agent/n}\n")),
              ElementsAre("10s Preempt default/web removes default/b"));
}

TEST_F(SimulateScheduler, WhoStartsAnewSaysWhatHeWaitsFor) {
  EXPECT_THAT(
      decisions(scenario("  steps:\n" + grow("10s", 2) + "  - {at: 12s, restart: scheduler}\n")),
      ElementsAre("10s Preempt default/web removes default/b", "12s Await default/web"));
}

TEST_F(SimulateScheduler, WithoutAgentsAResizeThatFitsIsParked) {
  const std::string deferred =
      "  - {at: 5s, patch: {kind: Pod, name: default/web, merge: {status: {conditions: [{type: "
      "PodResizePending, status: \"True\", reason: Deferred}]}}}}\n";
  EXPECT_THAT(decisions(scenario("  steps:\n" + grow("1s", 2) + deferred, "none")),
              ElementsAre("5s Preempt default/web removes default/b", "15s Park default/web"));
}

TEST_F(SimulateScheduler, WhoMayNotBeHelpedIsTold) {
  const Json played =
      timeline(scenario("  steps:\n  - {at: 1s, patch: {kind: Node, name: n, merge: {metadata: "
                        "{annotations: {elbowroom.dev/disable-resize-preemption: me}}}}}\n" +
                        grow("10s", 2)));
  bool told = false;
  for (const Json& event : played["events"]) {
    if (event["action"] != "Unschedulable") continue;
    told = true;
    EXPECT_THAT(event["why"].get<std::string>(), HasSubstr("disabled on node n by me"));
  }
  EXPECT_TRUE(told);
}

// Each of them by itself: "" where it holds, else why not.
TEST_F(SimulateScheduler, EventsAndJudgementsCanBeExpected) {
  struct Row {
    const char* expect;
    const char* why;
  };
  const Row rows[] = {
      {"{at: 10s, pod: default/web, event: {reason: Preempting, note: Removing default/b, time: "
       "20s, count: 1}}",
       ""},
      {"{at: 9s, pod: default/web, event: {reason: Preempting, count: 0}}", ""},
      {"{at: 9s, pod: default/web, event: {reason: Preempting}}", "none was told"},
      {"{at: end, pod: default/web, event: {reason: Preempting, time: 21s}}",
       "told were ResizeDeferred"},
      {"{at: end, pod: default/web, event: {reason: Preempting, count: 2}}",
       "expected 2 times, is 1 times"},
      {"{at: end, pod: default/b, exists: false, event: {reason: Preempted, count: 1}}", ""},
      {"{at: end, pod: default/b, exists: false, event: {reason: Preempting}}", "told were"},
      {"{at: end, pod: default/web, event: {reason: ResizeCompleted, count: 1}}", ""},
      {"{at: 15s, pod: default/web, judgement: {result: awaiting_victims, message: default/b "
       "leaves}}",
       ""},
      {"{at: 15s, pod: default/web, judgement: {result: fits}}", "is \"awaiting_victims\""},
      {"{at: 15s, pod: default/web, judgement: {message: default/a leaves}}", "in its message"},
      {"{at: 15s, pod: default/web, judgement: {absent: true}}", "expected none"},
      {"{at: 5s, pod: default/web, judgement: {absent: true}}", ""},
      {"{at: 5s, pod: default/web, judgement: {result: fits}}", "decides nothing"},
  };
  for (const Row& row : rows) {
    const Json played = timeline(scenario("  steps:\n" + grow("10s", 2) + "  expect:\n  - " +
                                          std::string(row.expect) + "\n"));
    const Json& failed = played["expectations"]["failed"];
    const std::string why = failed.empty() ? "" : failed[0]["why"].get<std::string>();
    EXPECT_EQ(why.empty(), std::string_view(row.why).empty()) << row.expect << " " << why;
    EXPECT_THAT(why, HasSubstr(row.why)) << row.expect;
  }
}

TEST_F(SimulateScheduler, ASchedulerThatIsNotThereCannotBeRestarted) {
  const Outcome outcome =
      run({"simulate", "run",
           folder_.file("s.yaml", scenario("  steps: [{at: 1s, restart: scheduler}]\n", "authority",
                                           "none"))});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("spec.steps[0]"));
  EXPECT_THAT(outcome.err, HasSubstr("spec.scheduler is none"));
}

std::string pending(const std::string& name, int priority, int cpu) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", namespace: default}, spec: {priority: " + std::to_string(priority) +
         ", containers: [{name: app, resources: {requests: {cpu: " + std::to_string(cpu) + "}}}]}}";
}

// b leaves enough room for both, so the nomination of the less important one is kept.
TEST_F(SimulateScheduler, ModeFullTellsBindingsAndNominations) {
  const std::string steps = "  steps:\n  - {at: 1s, apply: " + pending("high", 500, 1) +
                            "}\n  - {at: 2s, apply: " + pending("higher", 600, 1) + "}\n";
  EXPECT_THAT(decisions(scenario(steps, "authority", "full")),
              ElementsAre("1s Preempt default/high removes default/b", "1s Nominate default/high",
                          "2s Nominate default/higher", "2s Await default/higher",
                          "11s Bind default/higher", "11s Bind default/high"));
}

TEST_F(SimulateScheduler, InModeResizePendingPodsAreLeftAlone) {
  const std::string steps = "  steps:\n  - {at: 1s, apply: " + pending("high", 500, 1) + "}\n";
  EXPECT_THAT(decisions(scenario(steps)), ::testing::IsEmpty());
}

}  // namespace
}  // namespace elbowroom::cli
