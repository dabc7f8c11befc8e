// What the reactor must not do while answers and the watch are late, the disk is full, or a pod
// cannot be read. Each test drives it by hand: only the test answers effects.
#include <gtest/gtest.h>

#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using test::node;
using test::resized;
using test::running_pod;

class Drive {
 public:
  explicit Drive(std::vector<policy::Pod> pods, policy::Node on = node(4000))
      : reactor_({.node_name = "node-1",
                  .authority = true,
                  .critical_preemption = true,
                  .manage_pod_cgroups = false},
                 {}, false) {
    on.critical_preemption_by_node = true;
    see(NodeSeen{on});
    RuntimeSeen runtime;
    for (const policy::Pod& pod : pods) {
      PodReport report;
      report.containers["app"] = {
          .id = "c-" + pod.uid,
          .state = policy::RunState::Running,
          .size = cri::resources_for({.requests = *pod.containers[0].allocated_requests})};
      runtime.pods[pod.uid] = report;
    }
    see(runtime);
    see(PodsListed{.pods = std::move(pods)});
    answer_saves();
  }

  // `more`: another pod is at hand.
  void see(auto what, bool more = false) {
    now_ += std::chrono::milliseconds(1);
    std::vector<EffectId> reads;
    for (Effect& effect : reactor_.handle({{now_, {}}, std::move(what), more})) {
      if (std::holds_alternative<ReadBudgets>(effect.what)) {
        reads.push_back(effect.id);
      } else {
        effects_.push_back(std::move(effect));
      }
    }
    for (const EffectId id : reads) see(BudgetsRead{.effect = id});
  }

  // The effects of that kind that were not taken yet, in their order.
  template <class What>
  std::vector<std::pair<EffectId, What>> take() {
    std::vector<std::pair<EffectId, What>> taken;
    std::erase_if(effects_, [&](const Effect& effect) {
      const auto* what = std::get_if<What>(&effect.what);
      if (what != nullptr) taken.emplace_back(effect.id, *what);
      return what != nullptr;
    });
    return taken;
  }

  void answer_saves() {
    for (auto saves = take<SaveCheckpoint>(); !saves.empty(); saves = take<SaveCheckpoint>()) {
      for (const auto& [id, save] : saves) see(Done{.effect = id});
    }
  }

  Reactor& reactor() { return reactor_; }

 private:
  std::chrono::milliseconds now_{0};
  Reactor reactor_;
  Effects effects_{};
};

TEST(Reactor, APodThatWasAskedToGoIsNotChosenAgainBeforeTheWatchShowsIt) {
  const auto dns = running_pod("dns", 100, 0, 2'000'000'000);
  Drive drive({dns, running_pod("a", 2000), running_pod("b", 1800)});
  drive.see(PodSeen{resized(dns, 1500)});
  std::size_t deletes = 0;
  for (int round = 0; round < 20; ++round) {
    drive.answer_saves();
    for (const auto& [id, mark] : drive.take<MarkVictim>()) drive.see(Done{.effect = id});
    for (const auto& [id, victim] : drive.take<DeleteVictim>()) {
      ++deletes;
      drive.see(Done{.effect = id});
    }
    drive.see(TimePassed{});
  }
  EXPECT_EQ(deletes, 1U);
}

TEST(Reactor, WhatIsAtHandTogetherIsDecidedOnTogether) {
  const auto a = running_pod("a", 1000);
  const auto b = running_pod("b", 1000);
  Drive drive({a, b});
  drive.see(PodSeen{resized(a, 1500)}, true);
  EXPECT_TRUE(drive.take<SaveCheckpoint>().empty());
  drive.see(PodSeen{resized(b, 1600)});
  const auto saves = drive.take<SaveCheckpoint>();
  ASSERT_EQ(saves.size(), 1U);
  const auto& pods = saves[0].second.checkpoint.pods;
  EXPECT_EQ(pods.at(a.uid).containers.at("app").requests.cpu.value, 1500);
  EXPECT_EQ(pods.at(b.uid).containers.at("app").requests.cpu.value, 1600);
}

// ---- the circuit breaker ----

policy::Pod shown_deferred(policy::Pod pod) {
  pod.conditions = {{.type = "PodResizePending",
                     .status = "True",
                     .reason = "Deferred",
                     .observed_generation = pod.generation,
                     .last_transition = policy::Time{}}};
  return pod;
}

// A user requests that size, and the watch shows that it is Deferred.
void defer(Drive& drive, const policy::Pod& pod) {
  drive.see(PodSeen{pod});
  drive.see(PodSeen{shown_deferred(pod)});
}

// Answers every effect of a removal; a deleted pod is gone at once. Returns the removed pods.
std::vector<std::string> let_go(Drive& drive) {
  std::vector<std::string> gone;
  for (int round = 0; round < 10; ++round) {
    drive.answer_saves();
    for (const auto& [id, mark] : drive.take<MarkVictim>()) drive.see(Done{.effect = id});
    for (const auto& [id, victim] : drive.take<DeleteVictim>()) {
      drive.see(Done{.effect = id});
      if (victim.dry_run) continue;
      gone.push_back(victim.victim.name);
      drive.see(PodGone{victim.victim.uid});
    }
    drive.see(TimePassed{});
  }
  return gone;
}

std::vector<policy::Pod> with_small_ones(std::vector<policy::Pod> pods, int count) {
  for (int i = 0; i < count; ++i) pods.push_back(running_pod("n" + std::to_string(i), 300));
  return pods;
}

// How often an event of the breaker says so.
std::size_t times_blocked(Drive& drive, const std::string& what) {
  std::size_t times = 0;
  for (const auto& [id, event] : drive.take<EmitEvent>()) {
    const bool says = event.reason == "EvictionBlocked" && event.note.contains(what);
    times += says ? 1 : 0;
  }
  return times;
}

TEST(Reactor, WhomTheBreakerStopsClaimsNoRoomInThePlansOfOthers) {
  const auto big = running_pod("big", 100, 0, 2'000'000'001);
  const auto small = running_pod("small", 100, 0, 2'000'000'000);
  Drive drive(with_small_ones({big, small}, 12));
  // Twelve pods would have to be removed for it: more than ten.
  defer(drive, resized(big, 3800));
  EXPECT_TRUE(let_go(drive).empty());
  EXPECT_EQ(times_blocked(drive, "remove 12 pods"), 1U);
  defer(drive, resized(small, 500));
  EXPECT_EQ(let_go(drive).size(), 1U);
  const auto& has = drive.reactor().durable().pods.at("uid-small").containers.at("app").requests;
  EXPECT_EQ(has.cpu.value, 500);
}

TEST(Reactor, NobodyIsRemovedWhereWhatComesFreeGoesToWhomTheBreakerStops) {
  auto big = running_pod("big", 100, 0, 2'000'000'001);
  const auto small = running_pod("small", 400, 0, 2'000'000'000);
  Drive drive(with_small_ones({big, small}, 10));
  for (const std::int64_t size : {700, 1000, 1300}) {
    big = resized(big, size);
    defer(drive, big);
    ASSERT_EQ(let_go(drive).size(), 1U) << size;
  }
  big = resized(big, 1600);
  defer(drive, big);
  EXPECT_TRUE(let_go(drive).empty()) << "three sets in ten minutes are enough";
  defer(drive, resized(small, 800));
  EXPECT_TRUE(let_go(drive).empty()) << "big would have a fourth";
  EXPECT_EQ(times_blocked(drive, "would be taken by pod default/big"), 1U);
}

// ---- pods whose turn is over ----

policy::Pod small_one() { return running_pod("small", 100, 0, 2'000'000'000); }

// 400 are free beside a of 1500, b of 1400 and c of 500; `big` waits since an earlier life, so that
// making room for it is the scheduler's.
Drive where_big_waits(std::int64_t for_size, bool a_leaves = false) {
  auto a = running_pod("a", 1500);
  if (a_leaves) a.deletion = policy::Time{};
  const auto big = shown_deferred(resized(running_pod("big", 100, 0, 2'000'000'001), for_size));
  return Drive({big, small_one(), a, running_pod("b", 1400), running_pod("c", 500)});
}

TEST(Reactor, ASetDoesNotCountOnVictimsThatAreNotOursToChoose) {
  Drive drive = where_big_waits(2800);
  defer(drive, resized(small_one(), 1100));
  // Beside a and b, removed for big, c would be enough.
  EXPECT_EQ(let_go(drive), std::vector<std::string>{"b"});
  const auto& has = drive.reactor().durable().pods.at("uid-small").containers.at("app").requests;
  EXPECT_EQ(has.cpu.value, 1100);
}

TEST(Reactor, NobodyIsRemovedWhereWhatComesFreeGoesToWhomWeMakeNoRoomFor) {
  Drive drive = where_big_waits(1600);
  defer(drive, resized(small_one(), 1100));
  EXPECT_TRUE(let_go(drive).empty());
  EXPECT_EQ(times_blocked(drive, "would be taken by pod default/big"), 1U);
  EXPECT_EQ(drive.reactor().snapshot().counts.removals_blocked, 0U) << "the breaker is closed";
}

TEST(Reactor, WhatLeavesAnywayCountsWhereItDecidesWhoTakesWhatComesFree) {
  Drive big_first = where_big_waits(2400, true);
  defer(big_first, resized(small_one(), 2300));
  EXPECT_TRUE(let_go(big_first).empty()) << "with what a leaves, c would be enough for big";
  EXPECT_EQ(times_blocked(big_first, "would be taken by pod default/big"), 1U);

  Drive too_big = where_big_waits(2600, true);
  defer(too_big, resized(small_one(), 2300));
  EXPECT_EQ(let_go(too_big), std::vector<std::string>{"c"});
}

TEST(Reactor, RoomOnItsWayIsKeptForWhomWeMakeNoRoomFor) {
  Drive drive = where_big_waits(1600, true);
  defer(drive, resized(small_one(), 700));
  EXPECT_EQ(let_go(drive), std::vector<std::string>{"c"}) << "what a leaves is for big";
}

// ---- one set is enough ----

TEST(Reactor, WhatIsGivenAwayInTheSamePassIsKnownBeforeVictimsAreChosen) {
  const auto dns = running_pod("dns", 100, 0, 2'000'000'000);
  const auto low = running_pod("low", 500, 0, 1000);
  const auto a = running_pod("a", 1200);
  const auto b = running_pod("b", 2000);
  Drive drive({dns, low, a, b});
  // 200 are free. Without the 100 that low gets of them a would be enough.
  drive.see(PodsListed{.pods = {resized(dns, 1500), resized(low, 600), a, b}});
  EXPECT_EQ(let_go(drive), std::vector<std::string>{"b"});
}

TEST(Reactor, WhatVictimsAreChosenForIsNotGivenAwayBeforeTheyAreAskedToGo) {
  const auto dns = running_pod("dns", 100, 0, 2'000'000'000);
  const auto low = running_pod("low", 500, 0, 1000);
  Drive drive({dns, low, running_pod("a", 1200), running_pod("b", 2000)});
  drive.see(PodSeen{resized(dns, 1500)});
  drive.answer_saves();
  const auto marks = drive.take<MarkVictim>();  // which take a while
  ASSERT_EQ(marks.size(), 1U);
  drive.see(PodSeen{resized(low, 600)});
  drive.answer_saves();
  for (const auto& [id, mark] : marks) drive.see(Done{.effect = id});
  EXPECT_EQ(let_go(drive), std::vector<std::string>{"a"});
  const auto& promised = drive.reactor().durable().pods;
  EXPECT_EQ(promised.at("uid-dns").containers.at("app").requests.cpu.value, 1500);
  EXPECT_EQ(promised.at("uid-low").containers.at("app").requests.cpu.value, 500);
}

TEST(Reactor, NobodyIsRemovedBeforeTheNodeCarriesTheAnnotation) {
  const auto dns = running_pod("dns", 100, 0, 2'000'000'000);
  Drive drive({dns, running_pod("a", 3000), running_pod("b", 800)});
  drive.see(NodeSeen{node(4000)});
  drive.see(PodSeen{resized(dns, 900)});
  drive.answer_saves();
  EXPECT_EQ(drive.take<AnnotateNode>().size(), 1U);
  EXPECT_TRUE(drive.take<MarkVictim>().empty());
}

TEST(Reactor, AnAllocationOutlivesAListInWhichItsPodCannotBeRead) {
  const auto web = running_pod("web", 1000);
  const auto other = running_pod("other", 1000);
  Drive drive({web, other});
  drive.see(PodSeen{resized(web, 2000)});
  drive.answer_saves();
  ASSERT_EQ(drive.reactor().durable().pods.at("uid-web").containers.at("app").requests.cpu.value,
            2000);
  drive.see(PodsListed{.pods = {resized(other, 500)},
                       .unreadable = {{"default/web", "spec.priority is not a number"}}});
  drive.answer_saves();
  ASSERT_TRUE(drive.reactor().durable().pods.contains("uid-web"));
  EXPECT_EQ(drive.reactor().durable().pods.at("uid-web").containers.at("app").requests.cpu.value,
            2000);
}

TEST(Reactor, AnAllocationThatCouldNotBeSavedChangesNoCondition) {
  auto web = resized(running_pod("web", 1000), 3500);
  web.conditions = {{.type = "PodResizePending",
                     .status = "True",
                     .reason = "Deferred",
                     .message = "earlier",
                     .observed_generation = web.generation}};
  Drive drive({web, running_pod("other", 2000)});
  for (const auto& [id, write] : drive.take<WriteStatus>()) drive.see(Done{.effect = id});
  drive.see(PodGone{"uid-other"});
  for (const auto& [id, save] : drive.take<SaveCheckpoint>()) {
    drive.see(Failed{id, {Code::Unavailable, "no space left on device", {}}});
  }
  for (const auto& [id, write] : drive.take<WriteStatus>()) {
    EXPECT_TRUE(write.remove.empty()) << write.pod_uid;
  }
}

// A watch keeps the order, but events may come again through a proxy or after a reconnect.
TEST(Reactor, AnOlderVersionThatComesLateChangesNothing) {
  auto before = running_pod("web", 1000);
  Drive drive({before});
  const auto desired = [&] {
    return drive.reactor().find_pod("default/web")->seen.containers[0].desired.requests.cpu.value;
  };
  const auto version = [](policy::Pod pod, std::string of) {
    pod.resource_version = std::move(of);
    return pod;
  };
  drive.see(PodSeen{version(resized(before, 2000), "100")});
  drive.see(PodSeen{version(before, "99")});
  EXPECT_EQ(desired(), 2000);
  drive.see(PodSeen{version(resized(before, 3000), "100")});
  EXPECT_EQ(desired(), 3000) << "one that is not older counts";
  drive.see(PodSeen{version(before, "2f")});
  EXPECT_EQ(desired(), 1000) << "of opaque versions the last one counts";
  drive.see(PodSeen{version(resized(before, 2000), "101")});
  EXPECT_EQ(desired(), 2000);
  drive.see(PodsListed{.pods = {version(before, "7")}});
  EXPECT_EQ(desired(), 1000) << "a list counts: a restored server begins at an older version";
  auto another = version(resized(before, 2000), "6");
  another.uid = "uid-another";
  drive.see(PodSeen{another});
  EXPECT_EQ(drive.reactor().snapshot().pods, 2U) << "another object of that name";
}

TEST(Reactor, NothingIsSaidOfASpecThatNobodyHasJudged) {
  const auto web = running_pod("web", 1000);
  const auto other = running_pod("other", 2000);
  Drive drive({web, other});
  const auto deferred = resized(web, 3500);
  drive.see(PodSeen{deferred});
  (void)drive.take<WriteStatus>();
  drive.see(PodSeen{resized(other, 1900)});  // its save is in flight: nothing is judged
  drive.see(PodSeen{resized(deferred, 1000)});
  for (const auto& [id, write] : drive.take<WriteStatus>()) {
    EXPECT_NE(write.pod_uid, "uid-web");
  }
}

}  // namespace
}  // namespace elbowroom::agent
