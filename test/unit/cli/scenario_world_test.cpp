#include "cli/scenario/scenario_world.h"

#include <gtest/gtest.h>

#include "api/codec/decode_pod.h"
#include "base/document.h"

namespace elbowroom::cli {
namespace {

std::vector<Value> objects(std::string_view text) {
  auto documents = parse_yaml(text);
  return documents ? documents->front().items : std::vector<Value>();
}

const lab::Json* find(const lab::World& world, std::string_view kind, std::string_view name) {
  for (const lab::Kind& each : lab::all_kinds()) {
    if (each.name == kind) return world.peek(each, each.namespaced ? "default" : "", name);
  }
  return nullptr;
}

TEST(ScenarioWorld, ARemovalIsChargedToEveryBudgetThatCoversThePod) {
  lab::World world{{}};
  ASSERT_TRUE(load_world(world, objects(R"(
- {kind: Pod, metadata: {name: p, labels: {app: web}}, spec: {containers: [{name: c}]}}
- {kind: PodDisruptionBudget, metadata: {name: all}, spec: {selector: {}}, status: {disruptionsAllowed: 2}}
- {kind: PodDisruptionBudget, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}}, status: {disruptionsAllowed: 1}}
- {kind: PodDisruptionBudget, metadata: {name: other}, spec: {selector: {matchLabels: {app: db}}}, status: {disruptionsAllowed: 1}}
- {kind: PodDisruptionBudget, metadata: {name: elsewhere, namespace: x}, spec: {selector: {}}, status: {disruptionsAllowed: 1}}
)")));
  auto pod = api::decode_pod(lab::to_value(*find(world, "Pod", "p")));
  ASSERT_TRUE(pod);
  const auto allowed = [&](const char* name) {
    return lab::integer_at(*find(world, "PodDisruptionBudget", name),
                           {"status", "disruptionsAllowed"});
  };
  charge_budgets(world, *pod);
  EXPECT_EQ(allowed("all"), 1);
  EXPECT_EQ(allowed("web"), 0);
  EXPECT_EQ(allowed("other"), 1);
  charge_budgets(world, *pod);
  charge_budgets(world, *pod);
  EXPECT_EQ(allowed("all"), 0);
  EXPECT_EQ(allowed("web"), 0);
}

TEST(ScenarioWorld, GroupsOfAnyVersionAreThere) {
  lab::World world{{}};
  ASSERT_TRUE(load_world(world, objects(R"(
- {apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: old}, spec: {disruptionMode: PodGroup, priority: 7, priorityClassName: none, schedulingPolicy: {basic: {}}}}
- {apiVersion: scheduling.k8s.io/v1alpha3, kind: PodGroup, metadata: {name: new}, spec: {priorityClassName: high, schedulingPolicy: {gang: {minCount: 2}}}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000, preemptionPolicy: Never}
- {apiVersion: scheduling.k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: {podGroupTemplates: []}}
)")));
  EXPECT_NE(find(world, "Workload", "w"), nullptr);
  const lab::Json& old = *find(world, "PodGroup", "old");
  EXPECT_NE(lab::find_at(old, {"spec", "disruptionMode", "all"}), nullptr);
  EXPECT_EQ(lab::integer_at(old, {"spec", "priority"}), 7);
  const lab::Json& present = *find(world, "PodGroup", "new");
  EXPECT_EQ(lab::integer_at(present, {"spec", "priority"}), 1000);
  EXPECT_EQ(lab::text_at(present, {"spec", "preemptionPolicy"}), "Never");
}

TEST(ScenarioWorld, APriorityThatIsGivenStandsWhateverItsClass) {
  lab::World world{{}};
  ASSERT_TRUE(load_world(world, objects(R"(
- {kind: Pod, metadata: {name: a}, spec: {priorityClassName: gone, priority: 7, containers: [{name: c}]}}
- {kind: Pod, metadata: {name: b}, spec: {priorityClassName: gone, containers: [{name: c}]}}
- {kind: Pod, metadata: {name: c}, spec: {priorityClassName: high, containers: [{name: c}]}}
- {kind: PriorityClass, metadata: {name: high}, value: 9}
- {kind: ReplicaSet, metadata: {name: r}}
)")));
  EXPECT_EQ(lab::integer_at(*find(world, "Pod", "a"), {"spec", "priority"}), 7);
  EXPECT_EQ(lab::integer_at(*find(world, "Pod", "b"), {"spec", "priority"}), 0);
  EXPECT_EQ(lab::integer_at(*find(world, "Pod", "c"), {"spec", "priority"}), 9);
}

}  // namespace
}  // namespace elbowroom::cli
