// An agent in authority mode with a competing writer: it detects it, yields, reports it, and loses
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "agent/explain.h"
#include "agent/page_part.h"
#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using test::node;
using test::resized;
using test::running_pod;

// The API's side and the runtime's side of one node, kept by hand; effects are carried out by
// settle(), and the test writes behind the agent's back.
class Shared {
 public:
  explicit Shared(std::vector<policy::Pod> pods, bool kubelet = false)
      : reactor_({.node_name = "node-1",
                  .authority = true,
                  .manage_pod_cgroups = false,
                  .kubelet = kubelet},
                 {}, false) {
    see(NodeSeen{node(4000)});
    for (policy::Pod& pod : pods) {
      sizes_[pod.uid] = cri::resources_for({.requests = *pod.containers[0].allocated_requests});
      pods_[pod.uid] = std::move(pod);
    }
    PodsListed list;
    for (auto& [uid, pod] : pods_) list.pods.push_back(versioned(pod));
    see(std::move(list));
    runtime_shows();
    settle();
  }

  // A user changes a pod.
  void change(const std::string& uid, auto how) {
    how(pods_.at(uid));
    see(PodSeen{versioned(pods_.at(uid))});
  }
  void give(const std::string& uid, std::int64_t cpu_m) {
    sizes_[uid] = cri::resources_for({.requests = test::amounts(cpu_m)});
    runtime_shows();
  }
  void runtime_shows() {
    RuntimeSeen runtime;
    for (const auto& [uid, size] : sizes_) {
      runtime.pods[uid].containers["app"] = {
          .id = "c-" + uid, .state = policy::RunState::Running, .size = size};
    }
    see(std::move(runtime));
  }

  void see(auto what) {
    now_ += 1ms;
    for (Effect& effect : reactor_.handle({{now_, {}}, std::move(what)})) {
      effects_.push_back(std::move(effect));
    }
  }

  // Carries everything out and lets the watch and the runtime show it, until all is quiet; time
  // passes to every deadline within a minute.
  void settle() {
    for (int i = 0; i < 200; ++i) {
      if (!effects_.empty()) {
        const Effect effect = effects_.front();
        effects_.erase(effects_.begin());
        carry_out(effect);
        continue;
      }
      const auto wake = reactor_.next_wake();
      if (!wake || *wake > now_ + 1min) return;
      now_ = *wake;
      see(TimePassed{});
    }
    FAIL() << "no rest";
  }

  Reactor& reactor() { return reactor_; }
  [[nodiscard]] std::vector<std::string> conditions(const std::string& uid) const {
    std::vector<std::string> reasons;
    for (const policy::Condition& each : pods_.at(uid).conditions) {
      reasons.push_back(each.type + "/" + each.reason);
    }
    return reasons;
  }
  [[nodiscard]] std::string trouble() const {
    for (const ReadyCheck& check : reactor_.snapshot().checks) {
      if (check.name == "contention") return check.ok ? "" : check.why;
    }
    return "no such check";
  }

  std::vector<EmitEvent> events{};
  std::size_t done = 0;  // effects but saves and events
  std::chrono::milliseconds now_{0};

 private:
  policy::Pod versioned(policy::Pod& pod) {
    pod.resource_version = std::to_string(++version_);
    return pod;
  }

  void carry_out(const Effect& effect) {
    if (const auto* event = std::get_if<EmitEvent>(&effect.what)) {
      events.push_back(*event);
      return;
    }
    if (const auto* write = std::get_if<WriteStatus>(&effect.what)) {
      ++done;
      see(Done{.effect = effect.id});
      change(write->pod_uid, [&](policy::Pod& pod) { apply(*write, pod); });
      return;
    }
    if (const auto* actuate = std::get_if<Actuate>(&effect.what)) {
      ++done;
      const auto& update = std::get<policy::UpdateContainer>(actuate->step);
      sizes_[actuate->pod_uid] = cri::resources_for(update.after);
      see(Done{.effect = effect.id, .size = sizes_[actuate->pod_uid]});
      runtime_shows();
      return;
    }
    if (!std::holds_alternative<SaveCheckpoint>(effect.what)) ++done;
    see(Done{.effect = effect.id});
  }

  static void apply(const WriteStatus& write, policy::Pod& pod) {
    const auto drop = [&](const std::string& type) {
      std::erase_if(pod.conditions, [&](const auto& each) { return each.type == type; });
    };
    for (const std::string& type : write.remove) drop(type);
    for (const policy::Condition& each : write.set) {
      drop(each.type);
      pod.conditions.push_back(each);
    }
    for (const auto& [name, figures] : write.containers) {
      policy::Container& container = pod.containers[0];
      container.allocated_requests = figures.allocated;
      container.actual_requests = figures.actual.requests;
      container.actual_limits = figures.actual.limits;
    }
  }

  Reactor reactor_;
  std::map<std::string, policy::Pod> pods_{};
  std::map<std::string, cri::RuntimeResources> sizes_{};
  std::vector<Effect> effects_{};
  int version_ = 10;
};

void forget_conditions(policy::Pod& pod) { pod.conditions.clear(); }

// A full node; "web" is Deferred.
Shared deferred_pod(bool kubelet = false) {
  return Shared({resized(running_pod("web", 1000), 4000), running_pod("other", 2000)}, kubelet);
}

// A full node; "web" and "api" are Deferred.
Shared two_deferred_pods() {
  return Shared({resized(running_pod("web", 1000), 4000), resized(running_pod("api", 500), 4000),
                 running_pod("other", 2000)});
}

// One user who may write into one pod does not stop the node.
TEST(ReactorContention, WhatIsUndoneOnOnePodAloneIsPutBackForEver) {
  Shared shared = deferred_pod();
  for (int round = 0; round < 5; ++round) {
    shared.change("uid-web", forget_conditions);
    shared.settle();
    EXPECT_EQ(shared.trouble(), "");
    EXPECT_EQ(shared.conditions("uid-web").size(), 1U) << "it was put back";
  }
  EXPECT_EQ(shared.reactor().snapshot().counts.undone, 5U);
}

// The DaemonSet's pod takes the Node's annotation away, and tells of a kubelet.
TEST(ReactorContention, YieldsWhileAnAgentInAPodIsReady) {
  policy::Pod other = running_pod("elbowroom-agent-x", 10);
  other.ns = "kube-system";
  other.controller = policy::Owner{.kind = "DaemonSet", .name = "elbowroom-agent", .uid = "d"};
  Shared shared({resized(running_pod("web", 1000), 4000), running_pod("other", 2000), other});
  EXPECT_EQ(shared.trouble(), "");
  shared.change(other.uid, [](policy::Pod& pod) {
    pod.conditions.push_back({.type = "Ready", .status = "True"});
  });
  EXPECT_THAT(shared.trouble(),
              testing::StartsWith("an agent in mode companion is Ready in pod kube-system/"));
  const std::size_t done = shared.done;
  shared.change("uid-web", forget_conditions);
  shared.settle();
  EXPECT_EQ(shared.done, done);
  EXPECT_THAT(shared.conditions("uid-web"), testing::IsEmpty());
}

TEST(ReactorContention, YieldsWhenItsConditionsWereUndoneThreeTimes) {
  Shared shared = two_deferred_pods();
  ASSERT_THAT(shared.conditions("uid-web"), testing::ElementsAre("PodResizePending/Deferred"));
  const Checkpoint before = shared.reactor().durable();
  ASSERT_EQ(before.pods.size(), 3U);
  shared.change("uid-api", forget_conditions);
  shared.settle();
  shared.change("uid-web", forget_conditions);
  shared.settle();
  EXPECT_EQ(shared.trouble(), "");
  EXPECT_EQ(shared.conditions("uid-web").size(), 1U) << "it was put back";
  shared.events.clear();
  shared.change("uid-web", forget_conditions);
  const std::size_t done = shared.done;
  shared.settle();
  EXPECT_THAT(shared.trouble(),
              AllOf(HasSubstr("another writer undid 3 times in 5 minutes"),
                    HasSubstr("its condition PodResizePending of pod default/web"),
                    HasSubstr("set mode: companion"), HasSubstr("for 10 minutes")));
  ASSERT_EQ(shared.events.size(), 1U);
  EXPECT_EQ(shared.events[0].reason, "ResizeContended");
  EXPECT_TRUE(shared.events[0].warning);
  EXPECT_EQ(shared.events[0].ns, "") << "it is about the node";
  EXPECT_EQ(shared.events[0].pod, "node-1");
  EXPECT_EQ(shared.done, done);
  const Snapshot now = shared.reactor().snapshot();
  EXPECT_TRUE(now.contended);
  EXPECT_EQ(now.counts.undone, 3U);
  EXPECT_EQ(now.counts.outcomes.at("contended"), 1U);
  EXPECT_THAT(explain(shared.reactor(), "default/web", {.authority = true}, {}),
              HasSubstr("nobody: another writer undid 3 times in 5 minutes"));
  EXPECT_THAT(explain(shared.reactor(), "default/web", {.authority = true}, {}, "it kept crashing"),
              HasSubstr("nobody: it kept crashing"));
  const page::PagePart page = page_part(
      shared.reactor(), {.kind = page::PageAsked::Kind::Nodes, .names = {"node-1"}}, {}, "why");
  EXPECT_EQ(page.idle_because, "why");
  EXPECT_EQ(page.copies.at(0).decided.at("default/web"), "nobody: why");

  // Whatever happens meanwhile, nothing is lost, and deleted pods release their allocation.
  shared.change("uid-web", forget_conditions);
  shared.change("uid-other", [](policy::Pod& pod) { pod = resized(pod, 500); });
  shared.see(PodGone{"uid-other"});
  shared.see(NodeSeen{node(8000)});
  shared.now_ += 8min;
  shared.settle();
  EXPECT_EQ(shared.done, done);
  EXPECT_EQ(shared.events.size(), 1U);
  EXPECT_EQ(shared.reactor().durable(), before);
  EXPECT_NE(shared.trouble(), "");
}

// Three times within seconds, on two pods.
void undo(Shared& shared,
          const std::vector<std::string>& uids = {"uid-web", "uid-api", "uid-web"}) {
  for (const std::string& uid : uids) {
    EXPECT_EQ(shared.trouble(), "") << uid;
    shared.change(uid, forget_conditions);
    shared.settle();
  }
  EXPECT_NE(shared.trouble(), "");
}

TEST(ReactorContention, GoesOnAfterTenQuietMinutes) {
  Shared shared = two_deferred_pods();
  undo(shared);
  shared.events.clear();
  shared.now_ += 9min;
  shared.see(TimePassed{});
  EXPECT_NE(shared.trouble(), "");
  EXPECT_THAT(shared.conditions("uid-web"), IsEmpty());
  shared.now_ += 1min;
  shared.see(TimePassed{});
  shared.settle();
  EXPECT_EQ(shared.trouble(), "");
  EXPECT_FALSE(shared.reactor().snapshot().contended);
  for (const char* uid : {"uid-web", "uid-api"}) {
    EXPECT_THAT(shared.conditions(uid), testing::ElementsAre("PodResizePending/Deferred")) << uid;
  }
  ASSERT_FALSE(shared.events.empty());
  EXPECT_EQ(shared.events[0].reason, "ResizeResumed");
  EXPECT_FALSE(shared.events[0].warning);
  EXPECT_EQ(shared.events[0].pod, "node-1");
  // What was undone before does not count any more, nor what was written before; the next wait is
  // twice as long.
  undo(shared, {"uid-web", "uid-api", "uid-api", "uid-web"});
  EXPECT_THAT(shared.trouble(), HasSubstr("for 20 minutes"));
}

TEST(ReactorContention, IsNotQuietWhileAnotherWriterIsAtWork) {
  Shared shared = two_deferred_pods();
  undo(shared);
  const auto still_waits_after = [&](std::chrono::milliseconds time) {
    shared.now_ += time;
    shared.see(TimePassed{});
    shared.settle();
    return !shared.trouble().empty();
  };
  EXPECT_TRUE(still_waits_after(8min));
  shared.change("uid-web", [](policy::Pod& pod) {
    pod.conditions.push_back({.type = "PodResizePending", .status = "True", .reason = "Else"});
  });
  EXPECT_TRUE(still_waits_after(8min));
  shared.give("uid-other", 1500);
  EXPECT_TRUE(still_waits_after(8min));
  shared.see(KubeletSeen{"http://127.0.0.1:10248/healthz"});
  EXPECT_TRUE(still_waits_after(8min));
  shared.see(ApiLost{"away"});
  EXPECT_TRUE(still_waits_after(8min)) << "nobody knows who writes";
  shared.see(ApiBack{});
  shared.settle();
  EXPECT_EQ(shared.trouble(), "");
}

// Its next write shows by the time in the pod's managed fields.
TEST(ReactorContention, YieldsAtOnceToAKubeletsFieldManager) {
  for (const bool by_kubelet : {true, false}) {
    Shared shared = deferred_pod();
    policy::Pod pod = shared.reactor().find_pod("default/web")->seen;
    const auto at = [](int second) { return policy::Time(std::chrono::seconds(second)); };
    pod.resource_version = "100";
    shared.see(PodSeen{.pod = pod, .kubelet_wrote = at(1)});
    EXPECT_EQ(shared.trouble(), "") << "it was there before";
    pod.resource_version = "101";
    pod.conditions[0].reason = "Infeasible";
    shared.see(PodSeen{.pod = pod, .kubelet_wrote = at(by_kubelet ? 7 : 1)});
    if (by_kubelet) {
      EXPECT_THAT(shared.trouble(), HasSubstr("a kubelet undid what this agent wrote"));
    } else {
      EXPECT_EQ(shared.trouble(), "");
    }
  }
}

TEST(ReactorContention, YieldsWhenItsSizesAreUndone) {
  Shared shared({resized(running_pod("web", 1000), 2000), resized(running_pod("api", 500), 600)});
  ASSERT_EQ(shared.reactor().durable().pods.at("uid-web").containers.at("app").requests.cpu.value,
            2000);
  const Checkpoint before = shared.reactor().durable();
  for (const char* uid : {"uid-api", "uid-web", "uid-web"}) {
    EXPECT_EQ(shared.trouble(), "");
    shared.give(uid, 1000);
    shared.settle();
  }
  EXPECT_THAT(shared.trouble(), HasSubstr("the size of its container app of pod default/web"));
  EXPECT_EQ(shared.reactor().durable(), before);
}

TEST(ReactorContention, YieldsWhenItsFiguresAreUndone) {
  Shared shared({resized(running_pod("web", 1000), 2000), resized(running_pod("api", 500), 600)});
  for (const char* uid : {"uid-api", "uid-web", "uid-web"}) {
    EXPECT_EQ(shared.trouble(), "");
    shared.change(
        uid, [](policy::Pod& pod) { pod.containers[0].allocated_requests = test::amounts(1000); });
    shared.settle();
  }
  EXPECT_THAT(shared.trouble(), HasSubstr("the figures in its status of pod default/web"));
}

TEST(ReactorContention, WhatOneListShowsIsOneUndoing) {
  std::vector<policy::Pod> pods;
  for (const char* name : {"a", "b", "c", "d"}) {
    pods.push_back(resized(running_pod(name, 1000), 3000));
  }
  Shared shared(pods);
  PodsListed bare;
  for (const char* name : {"a", "b", "c", "d"}) {
    policy::Pod pod = shared.reactor().find_pod(std::string("default/") + name)->seen;
    ASSERT_EQ(pod.conditions.size(), 1U);
    pod.conditions.clear();
    pod.resource_version = "1000";
    bare.pods.push_back(pod);
  }
  shared.see(std::move(bare));
  EXPECT_EQ(shared.trouble(), "");
  EXPECT_EQ(shared.reactor().snapshot().counts.undone, 4U);
}

TEST(ReactorContention, UndoingsOfLongAgoDoNotCount) {
  Shared shared = two_deferred_pods();
  for (int round = 0; round < 6; ++round) {
    shared.change(round % 2 == 0 ? "uid-web" : "uid-api", forget_conditions);
    shared.settle();
    shared.now_ += 151s;
  }
  EXPECT_EQ(shared.trouble(), "");
}

TEST(ReactorContention, AKubeletThatAppearsEndsItAtOnce) {
  Shared shared = deferred_pod();
  shared.events.clear();
  shared.see(KubeletSeen{"http://127.0.0.1:10248/healthz"});
  shared.see(KubeletSeen{"http://127.0.0.1:10248/healthz"});
  const std::size_t done = shared.done;
  shared.change("uid-web", forget_conditions);
  shared.settle();
  EXPECT_THAT(shared.trouble(),
              HasSubstr("a kubelet answers at http://127.0.0.1:10248/healthz by now"));
  ASSERT_EQ(shared.events.size(), 1U);
  EXPECT_EQ(shared.events[0].ns, "");
  EXPECT_EQ(shared.events[0].pod, "node-1");
  EXPECT_EQ(shared.done, done);
}

policy::Condition disabled_by(const std::string& reason) {
  return {.type = "PodResizePreemptionDisabled", .status = "True", .reason = reason};
}

// Deferred or not, with a policy of the Node or without: another writer's condition is kept.
TEST(ReactorContention, AnotherWritersPreemptionDisabledStaysAsItIs) {
  const auto others = testing::Contains("PodResizePreemptionDisabled/MaintenanceWindow");
  Shared calm({running_pod("web", 1000)});
  calm.change("uid-web",
              [](policy::Pod& pod) { pod.conditions.push_back(disabled_by("MaintenanceWindow")); });
  calm.settle();
  EXPECT_THAT(calm.conditions("uid-web"), others);

  Shared waits = deferred_pod();
  waits.change("uid-web", [](policy::Pod& pod) {
    pod.conditions.push_back(disabled_by("MaintenanceWindow"));
  });
  policy::Node with_owner = node(4000);
  with_owner.resize_preemption_owners = {"a.dev/x"};
  for (const policy::Node& each : {with_owner, node(4000)}) {
    waits.see(NodeSeen{each});
    waits.settle();
    EXPECT_THAT(waits.conditions("uid-web"), others);
  }
  waits.see(PodGone{"uid-other"});  // it is allocated
  waits.settle();
  EXPECT_THAT(waits.conditions("uid-web"),
              testing::ElementsAre("PodResizePreemptionDisabled/MaintenanceWindow"));
}

TEST(ReactorContention, ItsOwnPreemptionDisabledAloneGoesWithTheDeferred) {
  const auto after = [](const std::string& reason) {
    Shared calm({running_pod("web", 1000)});
    calm.change("uid-web",
                [&](policy::Pod& pod) { pod.conditions.push_back(disabled_by(reason)); });
    calm.settle();
    return calm.conditions("uid-web");
  };
  EXPECT_THAT(after("PreemptionDisabledByNodePolicy"), IsEmpty());
  EXPECT_THAT(after("PreemptionDisabled"),
              testing::ElementsAre("PodResizePreemptionDisabled/PreemptionDisabled"));
}

TEST(ReactorContention, WhoStandsInForAKubeletNeverYields) {
  Shared shared = deferred_pod(true);
  for (int round = 0; round < 10; ++round) {
    const auto begun = shared.now_;
    shared.change("uid-web", forget_conditions);
    shared.settle();
    EXPECT_EQ(shared.conditions("uid-web").size(), 1U) << round;
    EXPECT_LT(shared.now_ - begun, 10s) << "a kubelet takes no longer";
  }
  shared.see(KubeletSeen{"x"});
  EXPECT_EQ(shared.trouble(), "");
}

TEST(ReactorContention, WhoStandsInForAKubeletLeavesOtherConditionsAndTheNodeAlone) {
  Shared shared = deferred_pod(true);
  policy::Node annotated = node(4000);
  annotated.critical_preemption_by_node = true;
  annotated.resize_preemption_owners = {"a.dev/x"};
  const std::size_t done = shared.done;
  shared.see(NodeSeen{annotated});
  shared.settle();
  EXPECT_EQ(shared.done, done);
  shared.change("uid-web", [](policy::Pod& pod) {
    pod.conditions.push_back({.type = "PodResizePreemptionDisabled", .status = "True"});
  });
  shared.settle();
  EXPECT_EQ(shared.conditions("uid-web").size(), 2U);
}

}  // namespace
}  // namespace elbowroom::agent
