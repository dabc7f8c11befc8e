// How the reactor handles failed effects, on its own clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "agent/reactor.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

class Bench {
 public:
  explicit Bench(Checkpoint restored = {}, bool rebuilt = false)
      : reactor_({.node_name = "node-1", .authority = true, .manage_pod_cgroups = false},
                 std::move(restored), rebuilt) {}

  [[maybe_unused]] Effects see(auto what) { return reactor_.handle({now_, std::move(what)}); }
  // Advances to when the reactor wants to be woken; no effects where it does not.
  Effects wake() {
    const auto at = reactor_.next_wake();
    if (!at) return {};
    now_.since_start = *at;
    return see(TimePassed{});
  }
  Effects pass(milliseconds time) {
    now_.since_start += time;
    now_.wall += time;
    return see(TimePassed{});
  }
  [[nodiscard]] milliseconds now() const { return now_.since_start; }
  [[nodiscard]] const Reactor& reactor() const { return reactor_; }

 private:
  Reactor reactor_;
  Moment now_{};
};

template <class What>
const Effect* find(const Effects& effects) {
  for (const Effect& each : effects) {
    if (std::holds_alternative<What>(each.what)) return &each;
  }
  return nullptr;
}

RuntimeSeen running(const std::string& name, std::int64_t shares) {
  PodReport report;
  report.containers["app"] = {.id = "c-" + name, .state = policy::RunState::Running};
  report.containers["app"].size = cri::RuntimeResources{.cpu_shares = shares};
  RuntimeSeen seen;
  seen.pods["uid-" + name] = report;
  return seen;
}

const Error kFull{Code::Unavailable, "no space left", {}};

TEST(ReactorFaults, AWriteThatIsAlwaysRefusedIsTriedMoreAndMoreRarely) {
  Bench bench;
  bench.see(NodeSeen{test::node(1000)});
  bench.see(running("web", 1024));
  Effects effects =
      bench.see(PodsListed{{test::resized(test::running_pod("web", 1000), 2000)}, {}});
  const Effect* save = find<SaveCheckpoint>(effects);
  ASSERT_NE(save, nullptr);
  effects = bench.see(Done{.effect = save->id});

  std::vector<milliseconds> tries;
  for (int i = 0; i < 200 && tries.size() < 9; ++i) {
    if (const Effect* write = find<WriteStatus>(effects)) {
      tries.push_back(bench.now());
      effects = bench.see(Failed{write->id, {Code::Invalid, "422", {}}});
      ASSERT_EQ(find<WriteStatus>(effects), nullptr) << "at once again";
    }
    effects = bench.wake();
  }
  ASSERT_EQ(tries.size(), 9U);
  EXPECT_GE(tries[1] - tries[0], 1s);
  EXPECT_GE(tries[2] - tries[1], 2s);
  for (std::size_t i = 7; i < tries.size(); ++i) {
    EXPECT_GE(tries[i] - tries[i - 1], 60s);
    EXPECT_LE(tries[i] - tries[i - 1], 75s);
  }
}

TEST(ReactorFaults, AnOlderCopyIsPutRightByTheApiAlsoWhereTheFirstSaveFails) {
  Checkpoint older;  // from before the pod was given 2 cpus
  older.pods["uid-web"] = {.ns = "default", .name = "web", .generation = 1};
  older.pods["uid-web"].containers["app"].requests = test::amounts(1000);
  Bench bench(older, true);
  bench.see(NodeSeen{test::node(4000)});
  bench.see(running("web", 2048));
  // The present request can never be allocated, so only the API's state brings the 2 cpus back.
  Effects effects =
      bench.see(PodsListed{{test::resized(test::running_pod("web", 2000), 8000)}, {}});
  const Effect* save = find<SaveCheckpoint>(effects);
  ASSERT_NE(save, nullptr);
  effects = bench.see(Failed{save->id, kFull});
  EXPECT_EQ(find<Actuate>(effects), nullptr);
  for (int i = 0; i < 20 && find<SaveCheckpoint>(effects) == nullptr; ++i) effects = bench.wake();
  save = find<SaveCheckpoint>(effects);
  ASSERT_NE(save, nullptr) << "not tried again";
  effects = bench.see(Done{.effect = save->id});
  EXPECT_EQ(bench.reactor().durable().pods.at("uid-web").containers.at("app").requests.cpu.value,
            2000);
}

TEST(ReactorFaults, AWriteIsRepeatedWhereTheWatchHasNotShownItFor5s) {
  Bench bench;
  bench.see(NodeSeen{test::node(1000)});
  bench.see(running("web", 1024));
  const Effects saves =
      bench.see(PodsListed{{test::resized(test::running_pod("web", 1000), 2000)}, {}});
  const Effects writes = bench.see(Done{.effect = find<SaveCheckpoint>(saves)->id});
  const Effect* write = find<WriteStatus>(writes);
  ASSERT_NE(write, nullptr);
  EXPECT_EQ(find<WriteStatus>(bench.see(Done{.effect = write->id})), nullptr);
  EXPECT_EQ(find<WriteStatus>(bench.pass(4s)), nullptr);
  EXPECT_NE(find<WriteStatus>(bench.pass(1s)), nullptr);
}

TEST(ReactorFaults, SixtyFourWritesAreInFlightAndNoMore) {
  Bench bench;
  bench.see(NodeSeen{test::node(1000)});
  RuntimeSeen runtime;
  PodsListed listed;
  for (int i = 0; i < 70; ++i) {
    const std::string name = "web" + std::to_string(i);
    runtime.pods.merge(running(name, 10).pods);
    listed.pods.push_back(test::resized(test::running_pod(name, 10), 2000));
  }
  bench.see(runtime);
  const Effects saves = bench.see(listed);
  const Effect* save = find<SaveCheckpoint>(saves);
  ASSERT_NE(save, nullptr);
  const auto writes = [](const Effects& effects) {
    return std::ranges::count_if(
        effects, [](const Effect& each) { return std::holds_alternative<WriteStatus>(each.what); });
  };
  const Effects effects = bench.see(Done{.effect = save->id});
  EXPECT_EQ(writes(effects), 64);
  EXPECT_EQ(writes(bench.see(Done{.effect = find<WriteStatus>(effects)->id})), 1) << "in its place";
}

}  // namespace
}  // namespace elbowroom::agent
