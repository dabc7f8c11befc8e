#include "cli/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::cli {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

std::string document(const std::string& spec) {
  return "apiVersion: elbowroom.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n" + spec;
}

std::string refusal(const std::string& spec) {
  const auto scenario = parse_scenario(document(spec));
  return scenario ? "none" : scenario.error().message;
}

TEST(ScenarioDocument, EveryStepAndExpectationIsRead) {
  const auto scenario = parse_scenario(document(R"(
  agents: companion
  scheduler: none
  until: 5m
  objects: [{kind: Node, metadata: {name: n}}]
  steps:
  - {at: 1m30s, restart: agent/n}
  - {at: 0s, apply: {kind: Pod, metadata: {name: p}}}
  - {at: 10s, resize: {pod: default/p, containers: {app: {requests: {cpu: 2}}}}}
  - {at: 20s, delete: {kind: Pod, name: default/x}}
  - {at: 20s, exit: {pod: default/e}}
  - {at: 40s, patch: {kind: Node, name: n, merge: {spec: {unschedulable: true}}}}
  expect:
  - {at: 500ms, pod: default/p, exists: false}
  - {at: end, pod: default/p, node: "", nominatedNode: n, phase: Pending, allocated: {cpu: 1500m},
     condition: {type: T, status: True, reason: R},
     event: {reason: Preempting, note: makes room, time: 20s, count: 1},
     judgement: {result: fits, message: waits}}
)"));
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->agents, Agents::Companion);
  EXPECT_EQ(scenario->until, std::chrono::minutes(5));
  ASSERT_EQ(scenario->steps.size(), 6u);
  // By time; those of one time as written.
  const auto& apply = std::get<ApplyStep>(scenario->steps[0].what);
  EXPECT_EQ(lab::text_at(apply.object, {"metadata", "uid"}), "default/p");
  const auto& resize = std::get<ResizeStep>(scenario->steps[1].what);
  EXPECT_EQ(resize.containers.at("app"), lab::Json::parse(R"({"requests":{"cpu":2}})"));
  EXPECT_EQ(std::get<DeleteStep>(scenario->steps[2].what).name.name, "x");
  EXPECT_EQ(std::get<ExitStep>(scenario->steps[3].what).pod.ns, "default");
  EXPECT_EQ(std::get<PatchStep>(scenario->steps[4].what).kind->name, "Node");
  EXPECT_EQ(std::get<RestartStep>(scenario->steps[5].what).node, "n");
  EXPECT_EQ(scenario->steps[5].at, std::chrono::seconds(90));

  ASSERT_EQ(scenario->expectations.size(), 2u);
  EXPECT_EQ(scenario->expectations[0].at, milliseconds(500));
  EXPECT_EQ(scenario->expectations[0].exists, false);
  const Expectation& last = scenario->expectations[1];
  EXPECT_EQ(last.at, std::nullopt);
  EXPECT_EQ(last.node, "");
  EXPECT_EQ(last.nominated_node, "n");
  EXPECT_EQ(last.allocated->cpu.value, 1500);
  EXPECT_EQ(last.condition->status, "True");
  EXPECT_EQ(last.event->reason, "Preempting");
  EXPECT_EQ(last.event->note, "makes room");
  EXPECT_EQ(last.event->time, std::chrono::seconds(20));
  EXPECT_EQ(last.event->count, 1);
  EXPECT_EQ(last.judgement->result, "fits");
  EXPECT_EQ(last.judgement->message, "waits");
}

TEST(ScenarioDocument, AnExpectationMayBeAboutAGroup) {
  const auto scenario = parse_scenario(document(R"(
  expect:
  - {at: 1s, group: default/g, exists: false}
  - {group: default/g, condition: {type: T, status: True, message: why}}
)"));
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->expectations[0].group, "default/g");
  EXPECT_EQ(scenario->expectations[0].exists, false);
  EXPECT_EQ(scenario->expectations[1].condition->message, "why");
  EXPECT_THAT(refusal("  expect: [{group: g}]"),
              HasSubstr("group: names no group: write NAMESPACE/NAME"));
  EXPECT_THAT(refusal("  expect: [{group: a/g, pod: a/p}]"),
              HasSubstr("pod: an expectation about a group has only at, group, exists, condition"));
  EXPECT_THAT(refusal("  expect: [{group: a/g, nod: n}]"), HasSubstr("nod: unknown key"));
}

TEST(ScenarioDocument, WhatIsLeftOutHasADefault) {
  const auto scenario = parse_scenario(document("  until: quiescent\n"));
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->agents, Agents::Authority);
  EXPECT_EQ(scenario->until, std::nullopt);
  EXPECT_TRUE(scenario->steps.empty());
}

TEST(ScenarioDocument, MayBeJson) {
  const auto scenario = parse_scenario(
      "{\n\t\"apiVersion\": \"elbowroom.dev/v1alpha1\",\n\t\"kind\": "
      "\"Scenario\",\n\t\"metadata\": "
      "{\"name\": \"j\"}}");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->name, "j");
}

TEST(ScenarioDocument, MistakesAreNamedWithTheirPlaceAndARemedy) {
  struct Row {
    const char* spec;
    const char* place;
    const char* why;
  };
  const Row rows[] = {
      {"  agent: none\n", "spec.agent", "did you mean agents?"},
      {"  agents: autority\n", "spec.agents", "did you mean authority?"},
      {"  yieldTo: [other]\n", "spec.yieldTo", "there is no scheduler to yield"},
      {"  scheduler: resize\n  yieldTo: [\"\"]\n", "spec.yieldTo", "empty name"},
      {"  scheduler: resize\n  yieldTo: other\n", "spec.yieldTo", "list"},
      {"  rescheduler: passive\n", "spec.rescheduler", "passive"},
      {"  controllers: activ\n", "spec.controllers", "did you mean active?"},
      {"  until: soon\n", "spec.until", "is no duration"},
      {"  objects: {}\n", "spec.objects", "list"},
      {"  objects: [null]\n", "spec.objects[0]", "object"},
      {"  steps: [{apply: {kind: Pod}}]\n", "spec.steps[0].at", "is missing"},
      {"  steps: [{at: 1s}]\n", "spec.steps[0]", "does nothing"},
      {"  steps: [{at: 1s, exits: {pod: a/b}}]\n", "spec.steps[0].exits", "did you mean exit?"},
      {"  steps: [{at: 1s, exit: {pod: a/b}, restart: agent/n}]\n", "spec.steps[0].restart",
       "write two steps"},
      {"  steps: [{at: 1s, exit: {pod: b}}]\n", "spec.steps[0].exit.pod", "NAMESPACE/NAME"},
      {"  steps: [{at: 1s, exit: {pod: a/b/c}}]\n", "spec.steps[0].exit.pod", "NAMESPACE/NAME"},
      {"  steps: [{at: 1s, exit: {name: a/b}}]\n", "spec.steps[0].exit.name", "unknown key"},
      {"  steps: [{at: -1s, exit: {pod: a/b}}]\n", "spec.steps[0].at", "is no duration"},
      {"  steps: [{at: 1s, restart: kubelet}]\n", "spec.steps[0].restart", "or rescheduler"},
      {"  steps: [{at: 1s, restart: agent/}]\n", "spec.steps[0].restart", "agent/NODE"},
      {"  steps: [{at: 1s, delete: {kind: Pot, name: a/b}}]\n", "spec.steps[0].delete.kind",
       "did you mean Pod?"},
      {"  steps: [{at: 1s, delete: {kind: Pod, name: b}}]\n", "spec.steps[0].delete.name",
       "NAMESPACE/NAME"},
      {"  steps: [{at: 1s, patch: {kind: Node, name: n}}]\n", "spec.steps[0].patch.merge",
       "JSON merge patch"},
      {"  steps: [{at: 1s, resize: {pod: a/b}}]\n", "spec.steps[0].resize.containers",
       "is missing"},
      {"  steps: [{at: 1s, resize: {pod: a/b, containers: {c: {request: {cpu: 1}}}}}]\n",
       "spec.steps[0].resize.containers.c.request", "did you mean requests?"},
      {"  steps: [{at: 1s, resize: {pod: a/b, containers: {c: {requests: {cpu: -1}}}}}]\n",
       "spec.steps[0].resize.containers.c.requests.cpu", "negative"},
      {"  until: 5s\n  steps: [{at: 6s, exit: {pod: a/b}}]\n", "spec.steps[0].at", "spec.until"},
      {"  until: 5s\n  expect: [{at: 6s, pod: a/b}]\n", "spec.expect[0].at", "spec.until"},
      {"  expect: [{at: end}]\n", "spec.expect[0].pod", "is missing"},
      {"  expect: [{pod: a/b, nominatednode: n}]\n", "spec.expect[0].nominatednode",
       "did you mean nominatedNode?"},
      {"  expect: [{pod: a/b, condition: {status: True}}]\n", "spec.expect[0].condition.type",
       "is missing"},
      {"  expect: [{pod: a/b, condition: {type: T, absent: true, reason: R}}]\n",
       "spec.expect[0].condition.absent", "no reason"},
      {"  expect: [{pod: a/b, event: {}}]\n", "spec.expect[0].event.reason", "is missing"},
      {"  expect: [{pod: a/b, event: {reason: Preemting}}]\n", "spec.expect[0].event.reason",
       "did you mean Preempting?"},
      {"  expect: [{pod: a/b, event: {reason: Preempting, message: x}}]\n",
       "spec.expect[0].event.message", "known are reason, note, time, count"},
      {"  expect: [{pod: a/b, event: {reason: Preempting, count: -1}}]\n",
       "spec.expect[0].event.count", "negative"},
      {"  expect: [{pod: a/b, event: {reason: Preempting, time: soon}}]\n",
       "spec.expect[0].event.time", "is no duration"},
      {"  expect: [{pod: a/b, judgement: {}}]\n", "spec.expect[0].judgement", "says nothing"},
      {"  expect: [{pod: a/b, judgement: {result: no_victim}}]\n",
       "spec.expect[0].judgement.result", "did you mean no_victims?"},
      {"  expect: [{pod: a/b, judgement: {resul: fits}}]\n", "spec.expect[0].judgement.resul",
       "did you mean result?"},
      {"  expect: [{pod: a/b, judgement: {absent: true, result: fits}}]\n",
       "spec.expect[0].judgement.absent", "no result"},
      {"  expect: [{pod: a/b, exists: perhaps}]\n", "spec.expect[0].exists", "true or false"},
  };
  for (const Row& row : rows) {
    const std::string message = refusal(row.spec);
    EXPECT_THAT(message, HasSubstr(row.place)) << row.spec;
    EXPECT_THAT(message, HasSubstr(row.why)) << row.spec;
  }
}

TEST(ScenarioDocument, AnotherDocumentIsRefused) {
  for (const char* text : {"", "[]", "kind: Scenario", "kind: Pod\napiVersion: v1",
                           "apiVersion: elbowroom.dev/v1\nkind: Scenario", "a: 1\n---\nb: 2"}) {
    EXPECT_FALSE(parse_scenario(text)) << text;
  }
  EXPECT_FALSE(parse_scenario(document("  steps: []\n  steps: []\n")));
}

}  // namespace
}  // namespace elbowroom::cli
