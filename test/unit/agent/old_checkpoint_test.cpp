// An agent that starts on a valid but old checkpoint, and on one that contains the circuit
// breaker's counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "agent/pod_view.h"
#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using test::node;
using test::resized;
using test::running_pod;

// One life of an agent; a deleted pod is gone at once, and every request succeeds.
class Life {
 public:
  explicit Life(std::vector<policy::Pod> pods, Checkpoint restored = {}, bool rebuilt = false,
                const std::string& boot = "b-1", std::chrono::milliseconds since_boot = 10min)
      : reactor_({.node_name = "node-1",
                  .authority = true,
                  .critical_preemption = true,
                  .manage_pod_cgroups = false,
                  .boot = {.id = boot, .at_start = since_boot}},
                 std::move(restored), rebuilt) {
    policy::Node annotated = node(4000);
    annotated.critical_preemption_by_node = true;
    see(NodeSeen{annotated});
    RuntimeSeen runtime;
    for (const policy::Pod& pod : pods) {
      if (pod.containers[0].state != policy::RunState::Running) continue;
      runtime.pods[pod.uid].containers["app"] = {
          .id = "c-" + pod.uid,
          .state = policy::RunState::Running,
          .size = cri::resources_for({.requests = *pod.containers[0].actual_requests})};
    }
    see(PodsListed{.pods = std::move(pods)});
    see(std::move(runtime));
  }

  void see(auto what, std::chrono::milliseconds after = 1ms) {
    now_ += after;
    Effects effects = reactor_.handle({{now_, {}}, std::move(what)});
    for (const Overruled& each : reactor_.snapshot().overruled) overruled.push_back(each.pod);
    for (const Effect& effect : effects) perform(effect);
  }

  [[nodiscard]] const Reactor& reactor() const { return reactor_; }
  [[nodiscard]] std::int64_t promised(const std::string& uid) const {
    return reactor_.durable().pods.at(uid).containers.at("app").requests.cpu.value;
  }

  std::vector<std::string> actuated{};
  std::vector<std::string> removed{};
  std::vector<std::string> overruled{};
  std::optional<Checkpoint> at_delete{};  // what was durable at the last delete

 private:
  void perform(const Effect& effect) {
    if (std::holds_alternative<EmitEvent>(effect.what)) return;
    if (const auto* actuate = std::get_if<Actuate>(&effect.what)) {
      actuated.push_back(actuate->pod);
      const auto& update = std::get<policy::UpdateContainer>(actuate->step);
      return see(Done{.effect = effect.id, .size = cri::resources_for(update.after)});
    }
    if (std::holds_alternative<ReadBudgets>(effect.what)) {
      return see(BudgetsRead{.effect = effect.id});
    }
    see(Done{.effect = effect.id});
    const auto* victim = std::get_if<DeleteVictim>(&effect.what);
    if (victim == nullptr || victim->dry_run) return;
    removed.push_back(victim->victim.name);
    at_delete = reactor_.durable();
    see(PodGone{victim->victim.uid});
  }

  std::chrono::milliseconds now_{0};
  Reactor reactor_;
};

Checkpoint holding(const policy::Pod& pod, std::int64_t cpu_m, std::int64_t generation) {
  PodAllocation made = desired_allocation(pod);
  made.generation = generation;
  made.containers["app"].requests.cpu.value = cpu_m;
  return {.pods = {{pod.uid, made}}};
}

// At generation 5: allocated 2000 at 4, and Deferred since.
policy::Pod waiting() {
  policy::Pod pod = resized(running_pod("web", 2000), 9000);
  pod.containers[0].desired.requests.cpu.value = 3900;
  pod.generation = 5;
  return pod;
}

TEST(OldCheckpoint, WhatIsShownAndRunsCountsAndIsNotTakenBack) {
  Life life({waiting(), running_pod("other", 1500)}, holding(waiting(), 500, 2));
  EXPECT_THAT(life.actuated, IsEmpty()) << "it runs as it was allocated last";
  EXPECT_EQ(life.promised("uid-web"), 2000);
  EXPECT_THAT(life.overruled, ElementsAre("default/web"));
  EXPECT_EQ(life.reactor().snapshot().counts.overruled, 1U);
  life.see(TimePassed{}, 1min);
  EXPECT_EQ(life.reactor().snapshot().counts.overruled, 1U);
}

// The disk was restored and the machine booted: nothing runs, and no condition is set.
TEST(OldCheckpoint, ACompletedResizeThatIsShownCountsAfterAReboot) {
  policy::Pod done = running_pod("web", 2000);
  done.generation = 5;
  done.containers[0].state = policy::RunState::Terminated;
  Life life({done, running_pod("other", 2000)}, holding(done, 1000, 3));
  EXPECT_EQ(life.promised("uid-web"), 2000);
  EXPECT_EQ(life.reactor().durable().pods.at("uid-web").generation, 5);
  EXPECT_THAT(life.overruled, ElementsAre("default/web"));
  EXPECT_EQ(life.reactor().snapshot().counts.overruled, 1U);
  // As far as there is room beside what it is not known to hold: then it waits like any other.
  done.containers[0].actual_requests.reset();
  Life full({done, running_pod("other", 2500)}, holding(done, 1000, 3));
  EXPECT_EQ(full.promised("uid-web"), 1000);
}

TEST(OldCheckpoint, TheOneOfNowCountsAsEver) {
  policy::Pod behind = waiting();  // 1000 was allocated at 4, and neither shown nor carried out
  behind.generation = 4;
  Life life({behind, running_pod("other", 1500)}, holding(behind, 1000, 4));
  EXPECT_THAT(life.actuated, ElementsAre("default/web"));
  EXPECT_EQ(life.promised("uid-web"), 1000);
  EXPECT_THAT(life.overruled, IsEmpty());
  EXPECT_EQ(life.reactor().snapshot().counts.overruled, 0U);
}

// The next observations may show it: nothing is carried out before.
TEST(OldCheckpoint, NothingIsCarriedOutBeforeNodeAndPodsAndRuntimeAreKnown) {
  Reactor reactor({.node_name = "node-1", .authority = true, .manage_pod_cgroups = false},
                  holding(waiting(), 500, 2), false);
  RuntimeSeen runtime;
  runtime.pods["uid-web"].containers["app"] = {
      .id = "c",
      .state = policy::RunState::Running,
      .size = cri::resources_for({.requests = test::amounts(2000)})};
  EXPECT_THAT(reactor.handle({{1ms, {}}, PodsListed{.pods = {waiting()}}}), IsEmpty());
  EXPECT_THAT(reactor.handle({{2ms, {}}, runtime}), IsEmpty()) << "the Node is not known";
}

// ---- the circuit breaker ----

// A critical pod that asks for more three times over, each time with a possible victim.
std::vector<policy::Pod> with_many(int count) {
  std::vector<policy::Pod> pods;
  for (int i = 0; i < count; ++i) pods.push_back(running_pod("n" + std::to_string(i), 300));
  return pods;
}

// Asks for as much as the room that is left and one more pod; returns the number of removed pods.
std::size_t asks_again(Life& life, policy::Pod& dns, std::int64_t cpu_m) {
  const std::size_t before = life.removed.size();
  const std::int64_t has = life.promised(dns.uid);
  dns = resized(dns, cpu_m);
  dns.containers[0].allocated_requests = dns.containers[0].actual_requests = test::amounts(has);
  life.see(PodSeen{dns});
  for (int i = 0; i < 4; ++i) life.see(TimePassed{});
  return life.removed.size() - before;
}

class CircuitBreaker : public ::testing::Test {
 protected:
  // Two sets are removed for "dns"; returns the disk as it is then.
  Checkpoint after_two_sets() {
    std::vector<policy::Pod> pods = with_many(12);
    pods.push_back(dns_);
    Life life(pods);
    EXPECT_EQ(asks_again(life, dns_, 600), 1U);
    EXPECT_EQ(asks_again(life, dns_, 900), 1U);
    EXPECT_EQ(life.at_delete->counted.size(), 2U) << "durable before the call that removes it";
    return life.reactor().durable();
  }
  // The number of sets that one more life removes, out of two that are asked for.
  std::size_t more_sets(Checkpoint restored, bool rebuilt, const std::string& boot,
                        std::chrono::milliseconds since_boot) {
    policy::Pod dns = dns_;
    dns.containers[0].allocated_requests = dns.containers[0].actual_requests =
        dns.containers[0].desired.requests;
    std::vector<policy::Pod> pods = with_many(10);
    pods.push_back(dns);
    Life life(pods, std::move(restored), rebuilt, boot, since_boot);
    std::size_t sets = 0;
    for (const std::int64_t cpu_m : {1200, 1500}) {
      if (asks_again(life, dns, cpu_m) > 0) ++sets;
    }
    return sets;
  }
  policy::Pod dns_ = running_pod("dns", 300, 0, 2'000'000'000);
};

TEST_F(CircuitBreaker, WhatItCountedOutlivesTheAgent) {
  const Checkpoint disk = after_two_sets();
  EXPECT_EQ(more_sets(disk, false, "b-1", 11min), 1U) << "the third, and no fourth";
  EXPECT_EQ(more_sets(disk, false, "b-1", 30min), 2U) << "ten minutes have passed";
  EXPECT_EQ(more_sets(disk, false, "b-2", 1min), 1U) << "nobody knows when that was";
}

TEST_F(CircuitBreaker, WhereItsMemoryCannotBeReadOneSetMayGo) {
  EXPECT_EQ(more_sets({}, true, "b-1", 11min), 1U);
  EXPECT_EQ(more_sets({}, false, "b-1", 11min), 2U) << "a first start";
}

}  // namespace
}  // namespace elbowroom::agent
