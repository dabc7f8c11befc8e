#include <gtest/gtest.h>

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

}  // namespace
}  // namespace elbowroom::agent
