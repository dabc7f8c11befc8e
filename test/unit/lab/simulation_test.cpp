#include "lab/virtual/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "lab/scheduler_mode.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::node_object;
using testing::pod_object;
using testing::pod_target;

constexpr const char* kNode = "n";

class SimulationTest : public ::testing::Test {
 protected:
  SimulationTest() { begin(); }

  void begin(std::uint64_t seed = 1, Latency latency = Latency::Network) {
    log_.clear();
    SimulationHooks hooks;
    hooks.observed = [this](const std::string&, const agent::Observation& seen) {
      log_.push_back(std::to_string(sim_->elapsed().count()) + " observed " +
                     std::to_string(seen.what.index()));
    };
    hooks.performing = [this](const std::string&, const agent::Effect& effect) {
      log_.push_back(std::to_string(sim_->elapsed().count()) + " effect " +
                     std::to_string(effect.what.index()));
    };
    hooks.fault = [this](const std::string&, std::string_view fault) { met_.emplace_back(fault); };
    sim_ = std::make_unique<Simulation>(SimulationOptions{.seed = seed, .latency = latency},
                                        std::move(hooks));
    EXPECT_TRUE(sim_->world().load(node_object(kNode)));
    sim_->add_node(kNode);
    EXPECT_TRUE(sim_->world().load(pod_object("web", kNode)));
  }
  static agent::ReactorOptions authority() { return {.node_name = kNode, .authority = true}; }

  // A patch of the pod's resize subresource.
  void resize(const std::string& cpu) {
    const Json patch = {
        {"spec",
         {{"containers",
           Json::array({{{"name", "app"}, {"resources", {{"requests", {{"cpu", cpu}}}}}}})}}}};
    Target target = pod_target("web");
    target.subresource = Subresource::Resize;
    const auto patched = sim_->world().patch(target, PatchType::StrategicMerge, patch);
    ASSERT_TRUE(patched) << patched.error().message;
  }
  [[nodiscard]] Json web() const { return *sim_->world().get(pod_target("web")); }
  [[nodiscard]] std::string allocated() const {
    return text_at(list_at(web(), {"status", "containerStatuses"})[0],
                   {"allocatedResources", "cpu"});
  }
  [[nodiscard]] std::string actual() const {
    return text_at(list_at(web(), {"status", "containerStatuses"})[0],
                   {"resources", "requests", "cpu"});
  }

  std::vector<std::string> log_;
  std::vector<std::string> met_;
  std::unique_ptr<Simulation> sim_;
};

TEST_F(SimulationTest, AnAgentCarriesOutAResizeAndThenNothingMoreHappens) {
  sim_->start_agent(kNode, authority());
  sim_->at(seconds(10), [this] { resize("1500m"); });
  EXPECT_TRUE(sim_->run_until_quiescent(minutes(10)));
  EXPECT_EQ(allocated(), "1500m") << web().dump(1);
  EXPECT_EQ(actual(), "1500m");
  EXPECT_LT(sim_->elapsed(), seconds(60));
  EXPECT_GE(sim_->elapsed(), seconds(10));
}

TEST_F(SimulationTest, TheSameSeedGivesTheSameRun) {
  const auto run = [this](std::uint64_t seed) {
    begin(seed);
    sim_->start_agent(kNode, authority());
    sim_->at(seconds(1), [this] { resize("1500m"); });
    sim_->run_until(minutes(3));
    return log_;
  };
  const auto first = run(7);
  EXPECT_GT(first.size(), 10U);
  EXPECT_EQ(first, run(7));
  EXPECT_NE(first, run(8));
}

TEST_F(SimulationTest, AnAgentLostBetweenTwoEffectsComesBackAndFinishes) {
  for (std::size_t effect = 0; effect < 6; ++effect) {
    for (const bool after : {false, true}) {
      begin();
      sim_->start_agent(kNode, authority());
      sim_->run_until(seconds(5));
      met_.clear();
      sim_->crash(kNode, {.effect = effect, .after = after}, {.power_cut = true}, seconds(2));
      resize("1500m");
      sim_->run_until(minutes(2));
      EXPECT_EQ(actual(), "1500m") << effect << after;
      if (effect < 3) {
        EXPECT_THAT(met_, ::testing::Contains("Crash")) << effect;
      }
    }
  }
}

TEST_F(SimulationTest, EveryFaultIsMetAndGotOver) {
  using Api = ApiFault::Kind;
  std::vector<std::function<void()>> faults;
  for (const Api kind :
       {Api::Refused, Api::Hang, Api::Slow, Api::HalfReply, Api::Status, Api::LostReply}) {
    faults.emplace_back([this, kind] {
      sim_->arm(kNode, ApiFault{.kind = kind, .of = ApiFault::Of::Writes, .delay = seconds(3)});
    });
  }
  for (const Api kind : {Api::WatchSilent, Api::WatchClosed, Api::WatchStale, Api::WatchGone,
                         Api::WatchGoneEvent, Api::Duplicate, Api::Reordered}) {
    faults.emplace_back([this, kind] {
      sim_->arm(kNode, ApiFault{.kind = kind, .delay = seconds(kind == Api::WatchStale ? 20 : 0)});
      sim_->arm(kNode, ApiFault{.kind = kind, .delay = seconds(kind == Api::WatchStale ? 20 : 1)});
    });
  }
  for (const auto kind :
       {RuntimeFault::Kind::Hang, RuntimeFault::Kind::Late, RuntimeFault::Kind::AppliedButError,
        RuntimeFault::Kind::NotApplied, RuntimeFault::Kind::Restart}) {
    faults.emplace_back([this, kind] { sim_->arm(kNode, RuntimeFault{kind, seconds(5)}); });
  }
  for (const auto call : {DiskCall::Write, DiskCall::Fsync, DiskCall::Rename, DiskCall::Open}) {
    faults.emplace_back([this, call] { sim_->arm(kNode, DiskFault{call, EIO}); });
  }
  for (std::size_t i = 0; i < faults.size(); ++i) {
    begin();
    sim_->start_agent(kNode, authority());
    sim_->run_until(seconds(5));
    met_.clear();
    faults[i]();
    resize("1500m");
    sim_->run_until(minutes(15));
    EXPECT_FALSE(met_.empty()) << i;
    EXPECT_EQ(actual(), "1500m") << i << " " << (met_.empty() ? "" : met_.front());
  }
}

TEST_F(SimulationTest, ACopyOfBeforeIsNotCarriedOutWhereTheApiKnowsBetter) {
  sim_->start_agent(kNode, authority());
  sim_->run_until(seconds(5));
  resize("1500m");
  sim_->run_until(seconds(30));
  ASSERT_EQ(actual(), "1500m");
  sim_->stop_agent(kNode, {});
  sim_->disk(kNode).truncate(virtual_checkpoint_path(), 100);
  log_.clear();
  sim_->start_agent(kNode, authority());
  sim_->run_until(minutes(5));
  EXPECT_THAT(log_, ::testing::Not(::testing::Contains(::testing::HasSubstr("effect 1"))));
  EXPECT_EQ(actual(), "1500m");
}

TEST_F(SimulationTest, AnOutageEndsAndTheAgentFollowsAgain) {
  sim_->start_agent(kNode, authority());
  sim_->run_until(seconds(5));
  sim_->arm(kNode, ApiFault{.kind = ApiFault::Kind::WatchClosed});
  sim_->arm(kNode, ApiFault{.kind = ApiFault::Kind::WatchClosed});
  sim_->arm(kNode, ApiFault{.kind = ApiFault::Kind::Refused, .lasts = hours(1)});
  sim_->run_until(seconds(10));
  resize("1500m");
  sim_->run_until(minutes(59));
  EXPECT_NE(allocated(), "1500m");
  EXPECT_FALSE(sim_->reactor(kNode)->state().api_trouble.empty());
  sim_->run_until(minutes(63));
  EXPECT_EQ(actual(), "1500m");
}

// ---- without latency ----

TEST_F(SimulationTest, WithoutLatencyAResizeIsCarriedOutWhenItIsSeen) {
  begin(1, Latency::None);
  sim_->start_agent(kNode, authority());
  sim_->at(seconds(10), [this] { resize("1500m"); });
  sim_->run_until(seconds(10));
  EXPECT_EQ(actual(), "1500m");
  EXPECT_TRUE(sim_->run_until_quiescent(minutes(10)));
}

TEST_F(SimulationTest, WithoutLatencyAnAgentLostBetweenTwoEffectsComesBackAndFinishes) {
  for (std::size_t effect = 0; effect < 3; ++effect) {
    begin(1, Latency::None);
    sim_->start_agent(kNode, authority());
    sim_->run_until(seconds(5));
    sim_->crash(kNode, {.effect = effect}, {.power_cut = true}, seconds(2));
    resize("1500m");
    sim_->run_until(seconds(6));
    EXPECT_THAT(met_, ::testing::Contains("Crash")) << effect;
    EXPECT_NE(actual(), "1500m") << effect;
    sim_->run_until(seconds(7));
    EXPECT_EQ(actual(), "1500m") << effect;
  }
}

TEST_F(SimulationTest, WithoutLatencyAKubeletJudgesBesideACompanion) {
  begin(1, Latency::None);
  sim_->start_kubelet(kNode);
  sim_->start_agent(kNode, {.node_name = kNode});
  EXPECT_TRUE(sim_->settle_at(seconds(1)));
  resize("1500m");
  EXPECT_TRUE(sim_->settle_at(seconds(2)));
  EXPECT_EQ(actual(), "1500m");
  EXPECT_EQ(sim_->next_on_nodes(), std::nullopt);
}

TEST_F(SimulationTest, WithoutLatencyASchedulerBindsWhenItSeesThePod) {
  begin(1, Latency::None);
  scheduler::ReactorOptions options;
  options.leader_elect = false;
  options.places_for = placed_in(SchedulerMode::Full);
  sim_->start_scheduler("s", options);
  ASSERT_TRUE(sim_->settle_at(seconds(1)));
  ASSERT_TRUE(sim_->world().load(pod_object("late")));
  ASSERT_TRUE(sim_->settle_at(seconds(2)));
  EXPECT_EQ(text_at(*sim_->world().get(pod_target("late")), {"spec", "nodeName"}), kNode);
  const std::uint64_t version = sim_->version();
  ASSERT_TRUE(sim_->settle_at(seconds(3)));
  EXPECT_EQ(sim_->version(), version);
}

}  // namespace
}  // namespace elbowroom::lab
