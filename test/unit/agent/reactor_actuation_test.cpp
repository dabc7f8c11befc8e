#include <gtest/gtest.h>

#include <functional>

#include "agent/next_step.h"
#include "agent/pod_view.h"
#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using std::chrono::milliseconds;
using test::running_pod;

// A reactor whose saves are answered only when the test says so; its requested actuations are kept.
class ReactorActuation : public testing::Test {
 protected:
  void see(decltype(Observation::what) what) {
    for (Effect& effect :
         reactor_.handle({.at = {.since_start = milliseconds(++now_)}, .what = std::move(what)})) {
      if (std::holds_alternative<SaveCheckpoint>(effect.what)) save_ = effect.id;
      if (std::holds_alternative<Actuate>(effect.what)) acts_.push_back(effect.id);
      if (const auto* write = std::get_if<WriteStatus>(&effect.what)) {
        write_ = *write;
        write_id_ = effect.id;
      }
      if (const auto* event = std::get_if<EmitEvent>(&effect.what)) {
        events_.push_back(event->reason);
      }
    }
  }
  void save() { see(Done{.effect = std::exchange(save_, 0)}); }

  static policy::Pod with_limit(policy::Pod pod, std::int64_t memory) {
    pod.containers[0].desired.limits.memory.value = memory;
    ++pod.generation;
    return pod;
  }

  Reactor reactor_{{.node_name = "node-1", .authority = true}, {}, false};
  std::int64_t now_ = 0;
  EffectId save_ = 0;
  std::vector<EffectId> acts_{};
  std::optional<WriteStatus> write_{};  // the latest
  EffectId write_id_ = 0;
  std::vector<std::string> events_{};
};

TEST_F(ReactorActuation, ARefusedSizeIsNotTriedAgainWhileItsSuccessorIsBeingSaved) {
  policy::Pod pod = running_pod("web", 1000, 4 * test::kMi);
  pod.containers[0].desired.limits.memory.value = 40 * test::kMi;
  pod.containers[0].actual_limits = pod.containers[0].desired.limits;
  PodReport report;
  report.containers["app"] = {
      .id = "c1",
      .state = policy::RunState::Running,
      .size = cri::RuntimeResources{.cpu_shares = 1024, .memory_limit_bytes = 40 * test::kMi}};
  see(NodeSeen{test::node(4000)});
  see(RuntimeSeen{.pods = {{pod.uid, report}}});
  see(PodsListed{.pods = {pod}});
  save();  // adopted
  ASSERT_TRUE(acts_.empty());

  pod = with_limit(pod, 12 * test::kMi);
  see(PodSeen{pod});
  save();
  ASSERT_EQ(acts_.size(), 1U);
  see(Failed{.effect = acts_[0], .error = {Code::Conflict, "below current usage", {}}});
  EXPECT_EQ(events_, (std::vector<std::string>{"ResizeStarted", "ResizeError"}));

  pod = with_limit(pod, 48 * test::kMi);
  see(PodSeen{pod});
  ASSERT_NE(save_, 0U);
  EXPECT_EQ(acts_.size(), 1U);
  save();
  EXPECT_EQ(acts_.size(), 2U);
}

TEST_F(ReactorActuation, TheSmallestLimitsOfAPodAreLimits) {
  policy::Pod pod = running_pod("web", 1, 1);
  policy::Requirements& size = pod.containers[0].desired;
  size.limits = test::amounts(1, 1);
  pod.containers[0].actual_limits = size.limits;
  PodReport report;
  report.pod_cgroup = cri::resources_for(size);
  report.containers["app"] = {
      .id = "c1", .state = policy::RunState::Running, .size = report.pod_cgroup};
  see(NodeSeen{test::node(4000)});
  see(RuntimeSeen{.pods = {{pod.uid, report}}});
  see(PodsListed{.pods = {pod}});
  save();  // adopted
  EXPECT_TRUE(acts_.empty()) << "the pod's cgroup is as it should be";
}

// A pod runner reads in the status with which size it starts a container, so the status comes
// first.
TEST_F(ReactorActuation, AContainerIsStoppedForItsResizeAfterTheStatusShowsTheNewSize) {
  policy::Pod pod = running_pod("web", 1000, 4 * test::kMi);
  pod.containers[0].cpu_resize = policy::ResizePolicy::RestartContainer;
  pod.containers[0].desired.limits = test::amounts(2000, 0);
  pod.containers[0].actual_limits = pod.containers[0].desired.limits;
  PodReport report;
  report.containers["app"] = {.id = "c1",
                              .state = policy::RunState::Running,
                              .size = cri::resources_for(pod.containers[0].desired)};
  see(NodeSeen{test::node(4000)});
  see(RuntimeSeen{.pods = {{pod.uid, report}}});
  see(PodsListed{.pods = {pod}});
  save();  // adopted
  pod.containers[0].desired = {test::amounts(2000, 4 * test::kMi), test::amounts(3000, 0)};
  ++pod.generation;
  see(PodSeen{pod});
  save();
  EXPECT_TRUE(acts_.empty());
  ASSERT_TRUE(write_);
  const ContainerFigures shown = write_->containers.at("app");
  EXPECT_EQ(shown.allocated.cpu.value, 2000);
  EXPECT_EQ(shown.actual.requests.cpu.value, 1000);
  EXPECT_EQ(shown.actual.limits.cpu.value, 3000) << "it starts with them";

  see(Done{.effect = write_id_});
  pod.containers[0].allocated_requests = shown.allocated;
  pod.conditions = write_->set;
  see(PodSeen{pod});
  EXPECT_TRUE(acts_.empty()) << "the limits are not shown yet";
  see(Done{.effect = write_id_});
  pod.containers[0].actual_limits = shown.actual.limits;
  see(PodSeen{pod});
  EXPECT_EQ(acts_.size(), 1U);
  // The container takes its grace period to end, and the status stays as the runner is to read it.
  write_.reset();
  now_ += 60'000;
  see(TimePassed{});
  EXPECT_FALSE(write_);
  // The runner has started it again.
  see(Done{.effect = acts_[0]});
  report.containers["app"] = {.id = "c2",
                              .state = policy::RunState::Running,
                              .size = cri::resources_for(pod.containers[0].desired)};
  see(RuntimeSeen{.pods = {{pod.uid, report}}});
  EXPECT_EQ(acts_.size(), 1U);
  EXPECT_EQ(events_, (std::vector<std::string>{"ResizeStarted", "ResizeCompleted"}));
}

// Servers drop empty maps, so a container that has nothing shows no figure.
TEST_F(ReactorActuation, APodWithAContainerThatRequestsNothingIsResizedAndWrittenOnce) {
  policy::Pod pod = running_pod("web", 1000, 4 * test::kMi);
  policy::Container bare;
  bare.name = "bare";
  bare.state = policy::RunState::Running;
  pod.containers.push_back(bare);
  PodReport report;
  report.containers["app"] = {.id = "c1",
                              .state = policy::RunState::Running,
                              .size = cri::resources_for(pod.containers[0].desired)};
  report.containers["bare"] = {
      .id = "c2", .state = policy::RunState::Running, .size = cri::resources_for({})};
  see(NodeSeen{test::node(4000)});
  see(RuntimeSeen{.pods = {{pod.uid, report}}});
  see(PodsListed{.pods = {pod}});
  save();  // adopted
  EXPECT_FALSE(write_) << "nothing differs";
  pod.containers[0].desired.requests.cpu.value = 1500;
  ++pod.generation;
  see(PodSeen{pod});
  save();
  EXPECT_EQ(events_, (std::vector<std::string>{"ResizeStarted"}));
  EXPECT_EQ(acts_.size(), 1U);
  ASSERT_TRUE(write_);
  EXPECT_EQ(write_->containers.count("app"), 1U);
  EXPECT_EQ(write_->containers.count("bare"), 0U);
}

// cgroup version 2: which program made the groups shows in their weights.
TEST_F(ReactorActuation, AWeightIsWrittenByTheMapThatTheNodesGroupsShow) {
  using cri::WeightMap;
  // Of pods of 1 cpu, while the first of them grows to 1500m.
  const auto map_for = [](const std::vector<std::int64_t>& weights, bool restarts) {
    std::optional<WeightMap> used;
    std::int64_t now = 0;
    std::vector<policy::Pod> pods;
    RuntimeSeen runtime;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      policy::Pod& pod = pods.emplace_back(running_pod("pod-" + std::to_string(i), 1000));
      PodReport& report = runtime.pods[pod.uid];
      report.pod_cgroup = cri::RuntimeResources{.cpu_weight = weights[i]};
      report.containers["app"] = {.id = "c" + std::to_string(i),
                                  .state = policy::RunState::Running,
                                  .size = cri::resources_for(pod.containers[0].desired)};
    }
    Checkpoint durable;
    if (restarts) {  // in the middle of the resize, with the new allocation on the disk
      pods[0] = test::resized(pods[0], 1500);
      for (const policy::Pod& each : pods) durable.pods[each.uid] = desired_allocation(each);
    }
    Reactor reactor({.node_name = "node-1", .authority = true}, durable, false);
    const std::function<void(decltype(Observation::what))> see =
        [&](decltype(Observation::what) what) {
          for (const Effect& effect : reactor.handle(
                   {.at = {.since_start = milliseconds(++now)}, .what = std::move(what)})) {
            if (std::holds_alternative<SaveCheckpoint>(effect.what)) see(Done{.effect = effect.id});
            const auto* act = std::get_if<Actuate>(&effect.what);
            if (act != nullptr && act->pod_uid == pods[0].uid &&
                std::holds_alternative<policy::SetPod>(act->step)) {
              used = act->weights;
            }
          }
        };
    see(NodeSeen{test::node(16'000)});
    see(runtime);
    see(PodsListed{.pods = pods});
    if (!restarts) see(PodSeen{test::resized(pods[0], 1500)});
    return used;
  };
  for (const bool restarts : {false, true}) {
    EXPECT_EQ(map_for({100}, restarts), WeightMap::Logarithmic);
    EXPECT_EQ(map_for({39}, restarts), WeightMap::Linear);
    EXPECT_EQ(map_for({39, 39, 100}, restarts), WeightMap::Logarithmic) << "one was upgraded";
  }
}

// For example the kernel's default of 100, or a weight that both maps give.
TEST(NextStep, WhereNoGroupShowsAMapNoWeightIsLoweredAndNoneIsWrittenWithoutAResize) {
  struct Row {
    std::int64_t from_m;
    std::int64_t to_m;
    std::int64_t weight;
    std::int64_t at_the_end;
  };
  for (const Row& row : {Row{500, 500, 100, 100}, Row{4000, 4000, 100, 100}, Row{2, 2, 1, 1},
                         Row{500, 750, 100, 100}, Row{500, 1000, 100, 100}, Row{2, 1000, 1, 39},
                         Row{500, 4000, 100, 157}}) {
    const std::string what = std::to_string(row.from_m) + " to " + std::to_string(row.to_m);
    policy::Pod pod = running_pod("web", row.from_m);
    PodReport report;
    report.pod_cgroup = cri::RuntimeResources{.cpu_weight = row.weight};
    report.containers["app"] = {.id = "c1",
                                .state = policy::RunState::Running,
                                .size = cri::resources_for(pod.containers[0].desired)};
    if (row.to_m != row.from_m) pod = test::resized(pod, row.to_m);
    const PodAllocation given = desired_allocation(pod);
    bool is_done = false;
    for (int steps = 0; steps < 5 && !is_done; ++steps) {
      const auto act = next_step(view_of(pod, &given, &report), given, report, true);
      is_done = !act.has_value();
      if (is_done) break;
      if (const auto* update = std::get_if<policy::UpdateContainer>(&act->step)) {
        report.containers["app"].size = cri::resources_for(update->after);
      } else if (const auto* set = std::get_if<policy::SetPod>(&act->step)) {
        ASSERT_EQ(set->setting, policy::PodSetting::CpuRequest) << what;
        const std::int64_t written =
            cri::weight_for(cri::shares_for(set->bounds.cpu_request), act->weights);
        EXPECT_GE(written, report.pod_cgroup->cpu_weight) << what;
        report.pod_cgroup->cpu_weight = written;
      }
    }
    EXPECT_TRUE(is_done) << what;
    EXPECT_EQ(report.pod_cgroup->cpu_weight, row.at_the_end) << what;
    EXPECT_TRUE(is_settled(view_of(pod, &given, &report), given, report)) << what;
  }
}

// Otherwise the pod would be charged with what the kernel's default weight stands for.
TEST(NextStep, AnUnclearWeightIsNotTakenForARequestAtPodLevel) {
  policy::Pod pod = running_pod("web", 100);
  pod.pod_level.desired.requests = test::amounts(500);
  pod.pod_level.allocated_requests = pod.pod_level.desired.requests;
  const PodAllocation given = desired_allocation(pod);
  PodReport report;
  report.pod_cgroup = cri::RuntimeResources{.cpu_weight = 100};
  report.containers["app"] = {.id = "c1",
                              .state = policy::RunState::Running,
                              .size = cri::resources_for(pod.containers[0].desired)};
  const policy::Pod view = view_of(pod, &given, &report);
  ASSERT_TRUE(view.pod_level.actual_requests);
  EXPECT_EQ(view.pod_level.actual_requests->cpu.value, 500);
  EXPECT_FALSE(next_step(view, given, report, true));
  const auto known = view_of(pod, &given, &report, cri::WeightMap::Linear);
  EXPECT_GT(known.pod_level.actual_requests->cpu.value, 500) << "the map is known";
}

}  // namespace
}  // namespace elbowroom::agent
