#include "agent/judge.h"

#include <gtest/gtest.h>

#include "policy/model/removal_mark.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using policy::Verdict;
using test::node;
using test::resized;
using test::running_pod;

Judgements judge(const policy::Node& on, const std::vector<policy::Pod>& pods,
                 const std::string& unreadable = "", const std::string& room_is_made_for = "") {
  std::vector<Judged> judged;
  for (const policy::Pod& pod : pods) {
    const bool leaves = policy::is_terminating(pod);
    judged.push_back({.pod = &pod,
                      .judgeable = !leaves,
                      .makes_room_for = leaves ? policy::removal_mark(pod) : std::nullopt,
                      .room_is_made = pod.uid == room_is_made_for});
  }
  return judge_pass(on, judged, {}, unreadable);
}

policy::Pod leaving_for(policy::Pod victim, const policy::Pod& preemptor) {
  victim.deletion = policy::Time{};
  victim.conditions.push_back(
      policy::marking_condition(victim, policy::kReasonTerminationByKubelet, "making room",
                                {preemptor.uid, preemptor.generation}, policy::Time{}));
  return victim;
}

TEST(JudgePass, EachPodSeesWhatTheEarlierOnesWereGiven) {
  auto high = resized(running_pod("high", 1000, 0, 100), 2000);
  auto low = resized(running_pod("low", 1000), 2000);
  const Judgements got = judge(node(3000), {low, high});
  EXPECT_EQ(got.at("uid-high").verdict, Verdict::Allocated);
  EXPECT_EQ(got.at("uid-low").verdict, Verdict::Deferred);
  EXPECT_EQ(got.at("uid-low").message,
            "Node didn't have enough resource: cpu, requested: 2000, used: 2000, capacity: 3000");
}

TEST(JudgePass, ANewPodTakesOneOfTheNodesPodsWhateverItRequests) {
  policy::Node on = node(4000);
  on.allowed_pods = 2;
  const auto old = running_pod("old", 1000);
  const auto high = running_pod("high", 0, 0, 100);
  const auto low = running_pod("low", 0);
  const std::string unreadable;
  const Judgements got = judge_pass(on,
                                    {{.pod = &old, .judgeable = true},
                                     {.pod = &low, .judgeable = true, .is_new = true},
                                     {.pod = &high, .judgeable = true, .is_new = true}},
                                    {}, unreadable);
  EXPECT_EQ(got.at("uid-high").verdict, Verdict::Allocated);
  EXPECT_EQ(got.at("uid-low").verdict, Verdict::Deferred);
  EXPECT_EQ(got.at("uid-low").message,
            "Node didn't have enough resource: pods, requested: 1, used: 2, capacity: 2");
  EXPECT_EQ(got.at("uid-old").verdict, Verdict::Unchanged);
}

TEST(JudgePass, AShrinkInTheSamePassGivesNoRoomBeforeItIsCarriedOut) {
  const Judgements got = judge(node(3000), {resized(running_pod("big", 2000), 500),
                                            resized(running_pod("grows", 1000), 2000)});
  EXPECT_EQ(got.at("uid-big").verdict, Verdict::Allocated);
  EXPECT_EQ(got.at("uid-grows").verdict, Verdict::Deferred);
}

TEST(JudgePass, RoomBeingMadeForADeferredPodIsNotGivenToALaterOne) {
  // high needs 3000 and waits for victim's 2000; 500 are free, and low would take them.
  const auto high = resized(running_pod("high", 1000, 0, 100), 3500);
  const auto victim = leaving_for(running_pod("victim", 2000), high);
  const auto low = resized(running_pod("low", 500), 1000);
  const Judgements got = judge(node(4000), {high, victim, low});
  EXPECT_EQ(got.at("uid-high").verdict, Verdict::Deferred);
  EXPECT_EQ(got.at("uid-low").verdict, Verdict::Deferred);
}

TEST(JudgePass, RoomIsKeptAfterTheVictimsHaveGoneWhileOthersAreWaitedFor) {
  // high's victim is gone; another writer deleted `other`, whose 1000 it needs too.
  const auto high = resized(running_pod("high", 1000, 0, 100), 3500);
  auto other = running_pod("other", 1000);
  other.deletion = policy::Time{};
  const auto low = resized(running_pod("low", 500), 1000);
  EXPECT_EQ(judge(node(4000), {high, other, low}).at("uid-low").verdict, Verdict::Allocated);
  const Judgements got = judge(node(4000), {high, other, low}, "", "uid-high");
  EXPECT_EQ(got.at("uid-high").verdict, Verdict::Deferred);
  EXPECT_EQ(got.at("uid-low").verdict, Verdict::Deferred);
}

TEST(JudgePass, ALaterPodGetsWhatTheReservedOneDoesNotNeed) {
  const auto high = resized(running_pod("high", 1000, 0, 100), 3000);
  const auto victim = leaving_for(running_pod("victim", 2000), high);
  const auto low = resized(running_pod("low", 500), 1000);
  const Judgements got = judge(node(4000), {high, victim, low});
  EXPECT_EQ(got.at("uid-high").verdict, Verdict::Deferred);
  EXPECT_EQ(got.at("uid-low").verdict, Verdict::Allocated);
}

TEST(JudgePass, AVictimOfAnEarlierGenerationReservesNothing) {
  auto high = resized(running_pod("high", 1000, 0, 100), 3500);
  const auto victim = leaving_for(running_pod("victim", 2000), high);
  ++high.generation;
  const auto low = resized(running_pod("low", 500), 1000);
  EXPECT_EQ(judge(node(4000), {high, victim, low}).at("uid-low").verdict, Verdict::Allocated);
}

TEST(JudgePass, NothingGrowsBesideAPodThatCannotBeRead) {
  const Judgements got =
      judge(node(9000),
            {resized(running_pod("grows", 1000), 2000), resized(running_pod("shrinks", 1000), 500)},
            "default/odd");
  EXPECT_EQ(got.at("uid-grows").verdict, Verdict::Deferred);
  EXPECT_EQ(got.at("uid-shrinks").verdict, Verdict::Allocated);
}

// The message is written onto the pod, where its owner reads it.
TEST(JudgePass, APodThatCannotBeReadIsNamedInItsOwnNamespaceAlone) {
  const std::string rest = " on this node cannot be read: nothing grows until it can";
  for (const std::string key : {"default/odd", "blueteam/odd"}) {
    const bool is_own = key.starts_with("default/");
    const auto decision =
        judge(node(9000), {resized(running_pod("grows", 1000), 2000)}, key).at("uid-grows");
    EXPECT_EQ(decision.message, (is_own ? "Pod default/odd" : "A pod") + rest);
    EXPECT_EQ(message_of(decision, "default", key),
              policy::PodText("Pod " + key + rest, decision.message));
    // The pod can be read by now, and the decision is yet to follow.
    EXPECT_EQ(message_of(decision, "default", ""), policy::PodText(decision.message));
  }
  const policy::ResizeDecision other{.verdict = Verdict::Deferred, .message = "no room"};
  EXPECT_EQ(message_of(other, "default", "blueteam/odd"), policy::PodText("no room"));
}

}  // namespace
}  // namespace elbowroom::agent
