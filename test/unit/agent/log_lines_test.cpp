#include "agent/program/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/worker/api_worker.h"
#include "agent/worker/collections.h"
#include "control/log_lines.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "info condition set: X pod=a/b uid=u reason=r err=e" of each.
std::vector<std::string> texts(const std::vector<daemon::LogEntry>& lines) {
  std::vector<std::string> all;
  for (const daemon::LogEntry& line : lines) {
    std::string text(daemon::to_string(line.level));
    text += " " + line.message;
    const auto add = [&](std::string_view key, const std::string& value) {
      if (!value.empty()) text += " " + std::string(key) + "=" + value;
    };
    add("pod", line.pod);
    add("node", line.node);
    add("uid", line.uid);
    add("reason", line.reason);
    add("err", line.err);
    all.push_back(std::move(text));
  }
  return all;
}

std::vector<std::string> told(auto what) { return texts(lines_of(Effect{1, std::move(what)})); }

// A companion does nothing but this, and did it in silence.
TEST(AgentLog, TellsOfThePolicyConditionAndItsEnd) {
  const std::string type(policy::kPodResizePreemptionDisabled);
  EXPECT_THAT(
      told(WriteStatus{.pod_uid = "u",
                       .ns = "a",
                       .name = "b",
                       .set = {{.type = type, .reason = "PreemptionDisabledByNodePolicy"}}}),
      ElementsAre("info condition set: PodResizePreemptionDisabled pod=a/b uid=u "
                  "reason=PreemptionDisabledByNodePolicy"));
  EXPECT_THAT(told(WriteStatus{.pod_uid = "u", .ns = "a", .name = "b", .remove = {type}}),
              ElementsAre("info condition cleared: PodResizePreemptionDisabled pod=a/b uid=u"));
}

// Of these an event tells what happened.
TEST(AgentLog, TellsOfOtherWritesOnlyWhoDebugs) {
  EXPECT_THAT(
      told(WriteStatus{.pod_uid = "u",
                       .ns = "a",
                       .name = "b",
                       .set = {{.type = "PodResizePending", .reason = "Deferred"}},
                       .containers = {{"c", {}}}}),
      ElementsAre("debug condition set: PodResizePending pod=a/b uid=u reason=Deferred",
                  "debug writing allocated and actual sizes into a pod's status pod=a/b uid=u"));
}

TEST(AgentLog, EveryEffectIsALineForWhoDebugs) {
  EXPECT_THAT(told(SaveCheckpoint{}), ElementsAre("debug saving the allocations of 0 pods"));
  EXPECT_THAT(
      told(Actuate{.pod_uid = "u", .pod = "a/b", .step = policy::UpdateContainer{.name = "c"}}),
      ElementsAre("debug sizing a container pod=a/b uid=u reason=c"));
  EXPECT_THAT(told(Actuate{.pod_uid = "u", .pod = "a/b", .step = policy::SetPod{}}),
              ElementsAre("debug sizing the cgroup of a pod pod=a/b uid=u"));
  EXPECT_THAT(
      told(Actuate{.pod_uid = "u", .pod = "a/b", .step = policy::RestartContainer{.name = "c"}}),
      ElementsAre("warn restarting a container, as its resize policy wants pod=a/b uid=u "
                  "reason=c"));
  EXPECT_THAT(told(DeleteVictim{.victim = {"u", "a", "b"}}),
              ElementsAre("debug deleting a pod pod=a/b uid=u"));
  EXPECT_THAT(told(MarkVictim{.victim = {"u", "a", "b"}, .clear = true}),
              ElementsAre("info taking back the mark of a pod that stays pod=a/b uid=u"));
  EXPECT_THAT(told(AnnotateNode{.node = "n", .critical_preemption = false}),
              ElementsAre("debug taking the annotation for critical pods off the node node=n"));
}

TEST(AgentLog, EventsAreLinesOfTheirOwnLevel) {
  EmitEvent event{.ns = "a", .pod = "b", .uid = "u", .reason = "ResizeStarted", .note = "from"};
  EXPECT_THAT(told(event), ElementsAre("info from pod=a/b uid=u reason=ResizeStarted"));
  event = {.pod = "n", .warning = true, .reason = "ResizeContended", .note = "why"};
  EXPECT_THAT(told(event), ElementsAre("warn why node=n reason=ResizeContended"));
}

TEST(AgentLog, FailuresAndLossesAreForWhoDebugs) {
  const auto seen = [](auto what) { return texts(lines_of(Observation{{}, std::move(what)})); };
  EXPECT_THAT(seen(Failed{7, {Code::Denied, "patch: 403 Forbidden", {}}}),
              ElementsAre("debug effect 7 failed err=patch: 403 Forbidden"));
  EXPECT_THAT(seen(ApiLost{"refused"}),
              ElementsAre("debug the API server is not followed err=refused"));
  EXPECT_THAT(seen(TimePassed{}), IsEmpty());
  EXPECT_THAT(seen(Done{7, {}}), IsEmpty());
}

TEST(AgentLog, EachWatchThatIsBegunIsALineForWhoDebugs) {
  ApiRound before;
  ApiRound now;
  before.collections = now.collections = {{&kNodes, {}}, {&kPods, {}}};
  EXPECT_THAT(lines_of(before, now), IsEmpty());
  now.collections.at(1).freshness.lists = 1;
  now.collections.at(1).freshness.watches = 2;
  EXPECT_THAT(texts(lines_of(before, now)),
              ElementsAre("debug listing the pods of this node",
                          "debug watching the pods of this node, watch 2"));
}

TEST(AgentLog, WhatSomebodyUndidIsAWarning) {
  Snapshot now;
  EXPECT_THAT(lines_of(now), IsEmpty());
  now.undone.push_back({"a/b", "u", "its condition X"});
  EXPECT_THAT(texts(lines_of(now)),
              ElementsAre("warn somebody undid what this agent wrote: its condition X pod=a/b "
                          "uid=u"));
}

}  // namespace
}  // namespace elbowroom::agent
