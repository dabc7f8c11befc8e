// An agent beside a kubelet: it writes its one condition, and nothing else, in every case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "agent/reactor.h"
#include "agent/write/policy_write.h"
#include "policy/resize/resize_conditions.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using test::node;
using test::resized;
using test::running_pod;

constexpr const char* kType = "PodResizePreemptionDisabled";
constexpr const char* kOurs = "PreemptionDisabledByNodePolicy";
constexpr const char* kMessage =
    "Preemption for in-place pod resize is disabled on node 'node-1' by preemption policy.";

policy::Node with_policy(std::vector<std::string> owners = {"a.dev/x"}) {
  policy::Node made = node(4000);
  made.resize_preemption_owners = std::move(owners);
  return made;
}

policy::Condition deferred(std::int64_t generation) {
  return {.type = "PodResizePending",
          .status = "True",
          .reason = "Deferred",
          .message = "Node didn't have enough resource: cpu",
          .observed_generation = generation};
}

policy::Condition disabled(const std::string& status, const std::string& reason,
                           std::int64_t generation) {
  return {.type = kType,
          .status = status,
          .reason = reason,
          .message = kMessage,
          .observed_generation = generation};
}

// Deferred by the kubelet, at generation 2.
policy::Pod waiting(policy::Conditions more = {}) {
  policy::Pod pod = resized(running_pod("web", 1000), 4000);
  pod.conditions = {deferred(pod.generation)};
  for (policy::Condition& each : more) pod.conditions.push_back(std::move(each));
  return pod;
}

// "set REASON/GENERATION", "remove", "nothing".
std::string planned(const policy::Pod& pod, const policy::Node& on) {
  const auto write = plan_policy_write(pod, on, policy::Time{});
  if (!write) return "nothing";
  EXPECT_EQ(write->pod_uid, pod.uid);
  EXPECT_TRUE(write->containers.empty());
  EXPECT_FALSE(write->pod_level);
  if (!write->remove.empty()) {
    EXPECT_THAT(write->remove, ElementsAre(kType));
    EXPECT_THAT(write->set, IsEmpty());
    return "remove";
  }
  EXPECT_EQ(write->set.size(), 1U);
  const policy::Condition& set = write->set.front();
  EXPECT_EQ(set.type, kType);
  EXPECT_EQ(set.status, "True");
  EXPECT_EQ(set.message, kMessage);
  return "set " + set.reason + "/" + std::to_string(set.observed_generation.value_or(-1));
}

TEST(Companion, TheConditionStandsWhileThePodIsDeferredAndThePolicyHasAnOwner) {
  const policy::Node on = with_policy();
  const policy::Node off = node(4000);
  const std::string set = std::string("set ") + kOurs + "/2";
  EXPECT_EQ(planned(waiting(), on), set);
  EXPECT_EQ(planned(waiting(), off), "nothing");
  EXPECT_EQ(planned(waiting({disabled("True", kOurs, 2)}), on), "nothing");
  EXPECT_EQ(planned(waiting({disabled("True", kOurs, 2)}), off), "remove");
  // Another owner changes no text; a malformed one counts.
  EXPECT_EQ(planned(waiting({disabled("True", kOurs, 2)}), with_policy({"b.dev/y", "c"})),
            "nothing");
  EXPECT_EQ(planned(waiting(), with_policy({"no label key!"})), set);
}

TEST(Companion, WhatIsFalsifiedOrOldIsPutRight) {
  const policy::Node on = with_policy();
  const std::string set = std::string("set ") + kOurs + "/2";
  EXPECT_EQ(planned(waiting({disabled("False", kOurs, 2)}), on), set);
  EXPECT_EQ(planned(waiting({disabled("True", kOurs, 1)}), on), set);
  EXPECT_EQ(planned(waiting({disabled("True", "PreemptionDisabled", 2)}), on), set);
  EXPECT_EQ(planned(waiting({disabled("True", "PreemptionDisabled", 2)}), node(4000)), "nothing");
  policy::Condition other_words = disabled("True", kOurs, 2);
  other_words.message = "because I say so";
  EXPECT_EQ(planned(waiting({other_words}), on), set);
}

TEST(Companion, TheDeferredEndsInManyWaysAndTheConditionGoesWithIt) {
  const policy::Node on = with_policy();
  const policy::Pod stands = waiting({disabled("True", kOurs, 2)});

  policy::Pod accepted = stands;  // the kubelet took its condition away: resized or reverted
  accepted.conditions = {disabled("True", kOurs, 2)};
  EXPECT_EQ(planned(accepted, on), "remove");

  policy::Pod infeasible = stands;
  infeasible.conditions[0].reason = "Infeasible";
  EXPECT_EQ(planned(infeasible, on), "remove");

  policy::Pod untrue = stands;
  untrue.conditions[0].status = "False";
  EXPECT_EQ(planned(untrue, on), "remove");

  policy::Pod stale = stands;  // a newer spec that the kubelet has not judged
  ++stale.generation;
  EXPECT_EQ(planned(stale, on), "remove");
  stale.conditions[0].observed_generation.reset();  // an older kubelet says no generation
  EXPECT_EQ(planned(stale, on), std::string("set ") + kOurs + "/3");

  policy::Pod leaving = stands;
  leaving.deletion = policy::Time{};
  EXPECT_EQ(planned(leaving, on), "remove");
  leaving.conditions = {deferred(2)};
  EXPECT_EQ(planned(leaving, on), "nothing");

  for (const policy::Phase phase : {policy::Phase::Succeeded, policy::Phase::Failed}) {
    policy::Pod finished = stands;
    finished.phase = phase;
    EXPECT_EQ(planned(finished, on), "remove");
  }
}

TEST(Companion, AConditionThatSomebodyElseSetIsHis) {
  for (const char* status : {"True", "False", "Unknown"}) {
    const policy::Condition his = disabled(status, "MaintenanceWindow", 1);
    EXPECT_EQ(planned(waiting({his}), node(4000)), "nothing") << status;
    policy::Pod not_waiting = running_pod("web", 1000);
    not_waiting.conditions = {his};
    EXPECT_EQ(planned(not_waiting, node(4000)), "nothing") << status;
    EXPECT_EQ(planned(not_waiting, with_policy()), "nothing") << status;
    // A condition that is not True has no effect: the policy's condition replaces it.
    const bool stays = std::string(status) == "True";
    EXPECT_EQ(planned(waiting({his}), with_policy()),
              stays ? "nothing" : std::string("set ") + kOurs + "/2")
        << status;
  }
}

TEST(Companion, AWriteSaysByWhichVersionOfThePodItWasDecided) {
  policy::Pod pod = waiting();
  pod.resource_version = "17";
  EXPECT_EQ(plan_policy_write(pod, with_policy(), policy::Time{})->read_at, "17");
  pod = waiting({disabled("True", kOurs, 2)});
  pod.resource_version = "18";
  EXPECT_EQ(plan_policy_write(pod, node(4000), policy::Time{})->read_at, "18");
}

// ---- the reactor ----

class Beside {
 public:
  explicit Beside(ReactorOptions options = {.node_name = "node-1"})
      : reactor_(std::move(options), {}, false) {}

  // The writes to pods that follow; any other effect but an event is a failure.
  std::vector<WriteStatus> see(auto what) {
    now_ += 1ms;
    std::vector<WriteStatus> writes;
    for (const Effect& effect : reactor_.handle({{now_, {}}, std::move(what)})) {
      if (const auto* write = std::get_if<WriteStatus>(&effect.what)) {
        writes.push_back(*write);
        last_ = effect.id;
      } else if (const auto* mark = std::get_if<AnnotateNode>(&effect.what)) {
        EXPECT_FALSE(mark->critical_preemption);
        ++annotated_;
      } else {
        EXPECT_TRUE(std::holds_alternative<EmitEvent>(effect.what)) << effect.what.index();
      }
    }
    return writes;
  }
  std::vector<WriteStatus> done() { return see(Done{.effect = last_}); }
  std::vector<WriteStatus> after(std::chrono::milliseconds time) {
    now_ += time;
    return see(TimePassed{});
  }
  // How long until something is written again; at most ten minutes.
  std::chrono::milliseconds until_written() {
    const auto begun = now_;
    while (now_ - begun < 10min) {
      const auto wake = reactor_.next_wake();
      if (!wake) break;
      now_ = *wake;
      if (!see(TimePassed{}).empty()) return now_ - begun;
    }
    return 10min;
  }
  Reactor& reactor() { return reactor_; }
  [[nodiscard]] std::string contention() const {
    for (const ReadyCheck& check : reactor_.snapshot().checks) {
      if (check.name == "contention") return check.why;
    }
    return "no such check";
  }
  [[nodiscard]] int annotated() const { return annotated_; }

 private:
  Reactor reactor_;
  std::chrono::milliseconds now_{0};
  EffectId last_ = 0;
  int annotated_ = 0;
};

policy::Pod at_version(policy::Pod pod, int version) {
  pod.resource_version = std::to_string(version);
  return pod;
}

// Beside a kubelet whose pod "web" waits, with the condition written and shown at version 11.
void begin(Beside& beside) {
  beside.see(NodeSeen{with_policy()});
  ASSERT_EQ(beside.see(PodsListed{.pods = {at_version(waiting(), 10)}}).size(), 1U);
  EXPECT_THAT(beside.done(), IsEmpty());
  EXPECT_THAT(beside.see(PodSeen{at_version(waiting({disabled("True", kOurs, 2)}), 11)}),
              IsEmpty());
}

// The same agent in a pod of this node, and Ready.
policy::Pod agent_pod() {
  policy::Pod pod = running_pod("elbowroom-agent-x", 10);
  pod.ns = "kube-system";
  pod.controller = policy::Owner{.kind = "DaemonSet", .name = "elbowroom-agent", .uid = "d"};
  pod.conditions = {{.type = "Ready", .status = "True"}};
  return pod;
}

TEST(Companion, StepsBackWhileTheDaemonSetsPodIsReadyAndSaysSo) {
  Beside beside;
  policy::Node on = with_policy();
  beside.see(NodeSeen{on});
  EXPECT_EQ(beside.contention(), "");
  EXPECT_THAT(beside.see(PodsListed{.pods = {waiting(), agent_pod()}}), IsEmpty());
  EXPECT_THAT(beside.contention(),
              testing::StartsWith("the agent in pod kube-system/elbowroom-agent-x is Ready on this "
                                  "node, so this one writes nothing"));
  on.critical_preemption_by_node = true;
  EXPECT_THAT(beside.see(NodeSeen{on}), IsEmpty());
  EXPECT_THAT(beside.after(10min), IsEmpty());
  EXPECT_EQ(beside.annotated(), 0);
  policy::Pod unready = agent_pod();
  unready.conditions = {{.type = "Ready", .status = "False"}};
  EXPECT_EQ(beside.see(PodSeen{unready}).size(), 1U) << "it continues at once";
  EXPECT_EQ(beside.annotated(), 1);
  EXPECT_EQ(beside.contention(), "");
  EXPECT_FALSE(beside.reactor().snapshot().contended);
}

// Whether an agent of the host, or of a pod, writes beside that pod.
bool writes_beside(const policy::Pod& other, ReactorOptions options = {.node_name = "node-1"}) {
  Beside beside(std::move(options));
  beside.see(NodeSeen{with_policy()});
  const bool writes = !beside.see(PodsListed{.pods = {waiting(), other}}).empty();
  EXPECT_EQ(writes, beside.contention().empty());
  return writes;
}

TEST(Companion, StepsBackForNoOtherPod) {
  EXPECT_FALSE(writes_beside(agent_pod()));
  EXPECT_TRUE(writes_beside(agent_pod(), {.node_name = "node-1", .in_pod = true}));
  policy::Pod renamed = agent_pod();
  renamed.controller->name = "team-elbowroom-agent-2";
  EXPECT_FALSE(writes_beside(renamed));
  using Change = void (*)(policy::Pod&);
  const Change changes[] = {
      [](policy::Pod& pod) { pod.ns = "default"; },
      [](policy::Pod& pod) { pod.controller.reset(); },
      [](policy::Pod& pod) { pod.controller->kind = "ReplicaSet"; },
      [](policy::Pod& pod) { pod.controller->kind = "DaemonSet.example.com"; },
      [](policy::Pod& pod) { pod.controller->name = "elbowroom-scheduler"; },
      [](policy::Pod& pod) { pod.conditions.clear(); },
      [](policy::Pod& pod) { pod.conditions[0].status = "Unknown"; },
      [](policy::Pod& pod) { pod.deletion = policy::Time{}; },
      [](policy::Pod& pod) { pod.node = "node-2"; },
  };
  for (const Change change : changes) {
    policy::Pod other = agent_pod();
    change(other);
    EXPECT_TRUE(writes_beside(other)) << &change - changes;
  }
}

TEST(Companion, FollowsTheNodesPolicy) {
  Beside beside;
  begin(beside);
  const auto cleared = beside.see(NodeSeen{node(4000)});
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_THAT(cleared[0].remove, ElementsAre(kType));
  EXPECT_THAT(beside.done(), IsEmpty());
  EXPECT_THAT(beside.see(PodSeen{at_version(waiting(), 12)}), IsEmpty());
  EXPECT_EQ(beside.see(NodeSeen{with_policy({"b.dev/z"})}).size(), 1U);
}

// An API server before 1.34 keeps no observedGeneration: what it shows is what was written.
TEST(Companion, AServerThatKeepsNoGenerationIsNotWrittenToAgainAndAgain) {
  Beside beside;
  beside.see(NodeSeen{with_policy()});
  ASSERT_EQ(beside.see(PodsListed{.pods = {at_version(waiting(), 10)}}).size(), 1U);
  EXPECT_THAT(beside.done(), IsEmpty());
  policy::Pod shown = at_version(waiting({disabled("True", kOurs, 2)}), 11);
  for (policy::Condition& each : shown.conditions) each.observed_generation.reset();
  EXPECT_THAT(beside.see(PodSeen{shown}), IsEmpty());
  EXPECT_THAT(beside.after(10min), IsEmpty());
}

TEST(Companion, WhatSomebodyRemovesIsPutBackMoreAndMoreRarely) {
  Beside beside;
  begin(beside);
  std::chrono::milliseconds last{0};
  int version = 12;
  for (int round = 0; round < 8; ++round) {
    EXPECT_THAT(beside.see(PodSeen{at_version(waiting(), version++)}), IsEmpty()) << round;
    EXPECT_THAT(beside.reactor().snapshot().undone,
                ElementsAre(Undone{policy::key_of(waiting()), waiting().uid,
                                   std::string("its condition ") + kType}));
    const auto waited = beside.until_written();
    EXPECT_GE(waited, std::min<std::chrono::milliseconds>(last, 60s)) << round;
    EXPECT_LE(waited, round == 0 ? 2s : 72s) << round;
    last = waited;
    EXPECT_THAT(beside.reactor().snapshot().undone, IsEmpty());
    beside.done();
    EXPECT_THAT(beside.see(PodSeen{at_version(waiting({disabled("True", kOurs, 2)}), version++)}),
                IsEmpty());
  }
  EXPECT_GE(last, 60s);
  EXPECT_EQ(beside.reactor().snapshot().counts.undone, 8U);
  EXPECT_FALSE(beside.reactor().snapshot().contended);
  // Once its condition was left alone for a while, it writes quickly again.
  EXPECT_THAT(beside.after(10min), IsEmpty());
  EXPECT_THAT(beside.see(PodSeen{at_version(waiting(), version)}), IsEmpty());
  EXPECT_LE(beside.until_written(), 2s);
}

// Whatever happens to the condition afterwards: it belongs to another writer, and no write of it
// undoes ours.
TEST(Companion, WhereAnotherWriterTakesTheConditionOverNothingIsWrittenUntilItGoes) {
  Beside beside;
  begin(beside);
  const policy::Condition others = disabled("True", "MaintenanceWindow", 2);
  EXPECT_THAT(beside.see(PodSeen{at_version(waiting({others}), 12)}), IsEmpty());
  EXPECT_THAT(beside.see(NodeSeen{node(4000)}), IsEmpty());
  EXPECT_THAT(beside.see(NodeSeen{with_policy()}), IsEmpty());
  policy::Pod accepted = at_version(running_pod("web", 1000), 13);
  accepted.conditions = {others};
  EXPECT_THAT(beside.see(PodSeen{accepted}), IsEmpty());
  EXPECT_THAT(beside.after(10min), IsEmpty());
  EXPECT_EQ(beside.see(PodSeen{at_version(waiting(), 14)}).size(), 1U) << "it is gone";
  EXPECT_EQ(beside.reactor().snapshot().counts.undone, 0U);
}

// Two writers at once: the pod's next version is awaited, and one such answer is no error.
TEST(Companion, AWriteThatComesTooLateIsDecidedAgainByTheNewVersion) {
  Beside beside;
  beside.see(NodeSeen{with_policy()});
  ASSERT_EQ(beside.see(PodsListed{.pods = {at_version(waiting(), 10)}}).size(), 1U);
  beside.see(Failed{.effect = 1, .error = {Code::Conflict, "409 Conflict", {}}});
  for (const ReadyCheck& check : beside.reactor().snapshot().checks) {
    EXPECT_TRUE(check.ok) << check.name << ": " << check.why;
  }
  EXPECT_THAT(
      beside.see(PodSeen{at_version(waiting({disabled("True", "MaintenanceWindow", 2)}), 11)}),
      IsEmpty());
  EXPECT_THAT(beside.after(10min), IsEmpty());
}

TEST(Companion, TakesUpWhatItFindsAfterARestart) {
  Beside beside;
  beside.see(NodeSeen{with_policy()});
  EXPECT_THAT(beside.see(PodsListed{.pods = {waiting({disabled("True", kOurs, 2)})}}), IsEmpty());
  Beside with_old_reason;
  with_old_reason.see(NodeSeen{with_policy()});
  EXPECT_EQ(with_old_reason
                .see(PodsListed{.pods = {waiting({disabled("True", "PreemptionDisabled", 2)})}})
                .size(),
            1U);
  Beside policy_gone_meanwhile;
  policy_gone_meanwhile.see(NodeSeen{node(4000)});
  EXPECT_EQ(
      policy_gone_meanwhile.see(PodsListed{.pods = {waiting({disabled("True", kOurs, 2)})}}).size(),
      1U);
}

TEST(Companion, APodThatIsGoneBeforeItsWriteIsNoTrouble) {
  Beside beside;
  beside.see(NodeSeen{with_policy()});
  ASSERT_EQ(beside.see(PodsListed{.pods = {waiting()}}).size(), 1U);
  beside.see(Failed{.effect = 1, .error = {Code::NotFound, "pods \"web\" not found", {}}});
  for (const ReadyCheck& check : beside.reactor().snapshot().checks) {
    EXPECT_TRUE(check.ok) << check.name << ": " << check.why;
  }
}

TEST(Companion, CountsWhatTheKubeletDeferred) {
  Beside beside;
  beside.see(NodeSeen{node(4000)});
  policy::Pod impossible = resized(running_pod("big", 1000), 9000);
  impossible.conditions = {deferred(2)};
  impossible.conditions[0].reason = "Infeasible";
  policy::Pod leaving = waiting();
  leaving.uid = "uid-leaving";
  leaving.deletion = policy::Time{};
  beside.see(PodsListed{.pods = {waiting(), impossible, leaving, running_pod("calm", 100)}});
  auto pending = beside.reactor().snapshot().counts.pending;
  EXPECT_EQ(pending["Deferred"], 1U);
  EXPECT_EQ(pending["Infeasible"], 1U);
  beside.see(PodGone{"uid-web"});
  EXPECT_EQ(beside.reactor().snapshot().counts.pending["Deferred"], 0U);
}

policy::Condition in_progress(const std::string& reason, const std::string& message = "") {
  return {.type = "PodResizeInProgress", .status = "True", .reason = reason, .message = message};
}

TEST(Companion, CountsWhatBecameOfResizesAsTheKubeletShowsIt) {
  Beside beside;
  beside.see(NodeSeen{node(4000)});
  beside.see(PodsListed{.pods = {running_pod("web", 1000)}});
  const auto show = [&](policy::Pod pod, policy::Conditions conditions) {
    pod.conditions = std::move(conditions);
    beside.see(PodSeen{std::move(pod)});
  };
  const auto outcomes = [&] { return beside.reactor().snapshot().counts.outcomes; };
  const policy::Pod grown = resized(running_pod("web", 1000), 4000);
  show(grown, {});
  EXPECT_THAT(outcomes(), IsEmpty());
  EXPECT_EQ(beside.reactor().snapshot().counts.requests["cpu/requests/increase"], 1U);
  show(grown, {deferred(2)});
  show(grown, {deferred(2)});
  EXPECT_EQ(outcomes()["deferred"], 1U);
  beside.after(30s);
  EXPECT_GE(beside.reactor().figures().deferred_longest, 30s);
  show(grown, {in_progress("")});
  show(grown, {in_progress("Error", "no")});
  show(grown, {in_progress("Error", "no")});
  show(grown, {});
  EXPECT_EQ(beside.reactor().figures().deferred_longest, 0s);
  policy::Conditions refused = {deferred(3)};
  refused[0].reason = "Infeasible";
  show(resized(grown, 9000), refused);
  const std::map<std::string, std::uint64_t> expected = {
      {"deferred", 1}, {"error", 1}, {"completed", 1}, {"infeasible", 1}};
  EXPECT_EQ(outcomes(), expected);
}

// Counters count from the start: an earlier process counted what existed before.
TEST(Companion, WhatIsFoundAtTheStartWasCountedBefore) {
  Beside beside;
  beside.see(NodeSeen{node(4000)});
  beside.see(PodsListed{.pods = {waiting()}});
  EXPECT_THAT(beside.reactor().snapshot().counts.outcomes, IsEmpty());
}

TEST(Companion, TakesItsCriticalAnnotationAway) {
  Beside beside;
  policy::Node annotated = with_policy();
  annotated.critical_preemption_by_node = true;
  beside.see(NodeSeen{annotated});
  EXPECT_EQ(beside.annotated(), 1);
}

// Every observation there is, in every pair of orders, over pods in every state: the checks are in
// Beside::see() and below.
TEST(Companion, NothingThatIsSeenMakesItTouchWhatTheKubeletOwns) {
  policy::Pod critical = resized(running_pod("dns", 100, 0, 2'000'001'000), 3500);
  critical.conditions = {deferred(2)};
  policy::Pod marked = running_pod("marked", 500);
  marked.conditions = {{.type = "DisruptionTarget",
                        .status = "True",
                        .reason = "TerminationByKubelet",
                        .message = "x (for uid uid-dns, generation 2)"}};
  policy::Pod unallocated = resized(running_pod("fresh", 200), 300);
  unallocated.containers[0].allocated_requests.reset();
  unallocated.containers[0].actual_requests.reset();
  policy::Node annotated = with_policy();
  annotated.critical_preemption_by_node = true;
  PodReport report;
  report.containers["app"] = {.id = "c",
                              .state = policy::RunState::Running,
                              .size = cri::RuntimeResources{.cpu_shares = 2}};
  const std::vector<decltype(Observation::what)> all = {
      NodeSeen{node(4000)},
      NodeSeen{with_policy()},
      NodeSeen{annotated},
      NodeGone{"deleted"},
      PodSeen{waiting()},
      PodSeen{waiting({disabled("True", kOurs, 1)})},
      PodSeen{critical},
      PodSeen{marked},
      PodSeen{resized(running_pod("calm", 100), 50)},
      PodGone{"uid-web"},
      PodsListed{.pods = {waiting(), critical, marked, unallocated}},
      PodUnreadable{"default/odd", "odd"},
      PodReadableAgain{"default/odd"},
      PolicyFieldProbed{false},
      PolicyFieldProbed{true},
      ApiLost{"away"},
      ApiBack{},
      RuntimeSeen{.pods = {{"uid-web", report}, {"uid-dns", report}}},
      RuntimeLost{"away"},
      KubeletSeen{"http://127.0.0.1:10248/healthz"},
      TimePassed{},
      Done{.effect = 1},
      Failed{.effect = 1, .error = {Code::Conflict, "changed", {}}},
      Failed{.effect = 2, .error = {Code::Unavailable, "away", {}}},
      BudgetsRead{.effect = 1},
  };

  std::set<std::size_t> kinds;
  std::size_t writes = 0;
  for (const auto& first : all) {
    kinds.insert(first.index());
    for (const auto& second : all) {
      Beside beside;
      for (int round = 0; round < 2; ++round) {
        for (const auto& what : {first, second, all[1], all[10], first, second}) {
          for (const WriteStatus& write : beside.see(what)) {
            ++writes;
            EXPECT_TRUE(write.containers.empty());
            EXPECT_FALSE(write.pod_level);
            for (const policy::Condition& set : write.set) {
              EXPECT_EQ(set.type, kType);
              EXPECT_TRUE(set.observed_generation);
            }
            for (const std::string& type : write.remove) EXPECT_EQ(type, kType);
          }
        }
        beside.after(10min);
      }
    }
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<decltype(Observation::what)>);
  EXPECT_GT(writes, 1000U);
}

}  // namespace
}  // namespace elbowroom::agent
