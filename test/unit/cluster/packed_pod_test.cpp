#include "cluster/packed_pod.h"

#include <gtest/gtest.h>

#include "cluster/packed_labels.h"
#include "test/pods.h"

namespace elbowroom::cluster {
namespace {

using policy::Condition;
using policy::Pod;
using policy::Time;
using std::chrono::seconds;

Condition condition(std::string_view type) {
  return {.type = std::string(type),
          .status = "True",
          .reason = "R",
          .message = "words",
          .observed_generation = 7,
          .last_transition = Time{seconds(1'000'000'000)}};
}

policy::Placement full_placement() {
  const policy::LabelSelector selector{
      .match_labels = {{"app", "web"}},
      .expressions = {{.key = "tier", .op = policy::LabelOperator::NotIn, .values = {"a", "b"}}}};
  const policy::NodeTerm nodes{
      .labels = {{.key = "cores", .op = policy::NodeOperator::Gt, .values = {"7"}}},
      .names = {{.key = "metadata.name", .op = policy::NodeOperator::In, .values = {"n"}}}};
  const policy::PodTerm pods{.selector = selector,
                             .namespaces = {"a", "b"},
                             .namespace_selector = policy::LabelSelector{},
                             .topology_key = "zone"};
  return {.node_selector = {{"disk", "ssd"}},
          .required_nodes = std::vector{nodes, policy::NodeTerm{}},
          .preferred_nodes = {{.weight = 100, .term = nodes}},
          .tolerations = {{.key = "k",
                           .op = policy::TolerationOperator::Exists,
                           .effect = policy::TaintEffect::NoExecute}},
          .spread = {{.max_skew = 2,
                      .topology_key = "zone",
                      .required = false,
                      .selector = selector,
                      .min_domains = 3,
                      .honors_node_affinity = false,
                      .honors_taints = true}},
          .required_affinity = {pods},
          .required_anti_affinity = {pods, policy::PodTerm{}},
          .preferred_affinity = {{.weight = 1, .term = pods}},
          .preferred_anti_affinity = {{.weight = 7, .term = pods}},
          .host_ports = {{.ip = "::1", .protocol = policy::Protocol::Sctp, .port = 65535}},
          .gates = {"example.com/wait"},
          .claims = {{.name = "c", .is_ephemeral = true}}};
}

Pod full_pod() {
  Pod pod = test::running_pod("web-0", 1500, 3 * test::kGi, -7);
  pod.generation = 1'000'000'007;
  pod.labels = {{"app", "web"}, {"tier", ""}};
  pod.controller = policy::Owner{"ReplicaSet", "web", "u-1"};
  pod.nominated_node = "node-9";
  pod.scheduler_name = "default-scheduler";
  pod.scheduling_group = "g";
  pod.has_resource_claims = true;
  pod.preemption_policy = policy::PreemptionPolicy::Never;
  pod.is_static = true;
  pod.qos_in_status = policy::Qos::Burstable;
  pod.created = Time{seconds(-5)};
  pod.started = Time{std::chrono::microseconds(1)};
  pod.deletion = Time{seconds(2'000'000'000)};
  pod.deletion_grace_seconds = 30;
  pod.termination_grace_seconds = 0;
  policy::Container& app = pod.containers[0];
  app.desired.limits = test::amounts(2000);
  policy::set_amount(app.desired.requests, "example.com/gpu", policy::kMaxAmount);
  app.allocated_limits = policy::Resources{};
  app.cpu_resize = policy::ResizePolicy::RestartContainer;
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "side";
  pod.containers[1].kind = policy::ContainerKind::Sidecar;
  pod.pod_level.desired.requests = test::amounts(1, 2);
  pod.pod_level.actual_requests = test::amounts(3, 4);
  pod.overhead = test::amounts(5, 6);
  pod.placement = full_placement();
  pod.conditions = {condition(policy::kPodResizePending), condition(policy::kDisruptionTarget)};
  return pod;
}

TEST(PackedPod, ComesOutAsItWentIn) {
  const Pod pod = full_pod();
  EXPECT_EQ(PackedPod::packed(pod).unpacked(), pod);
  const Pod nothing;
  EXPECT_EQ(PackedPod::packed(nothing).unpacked(), nothing);
  EXPECT_EQ(PackedPod().unpacked(), nothing);
}

TEST(PackedPod, KeepsWhatAPodAsksOfItsNode) {
  Pod pod = test::running_pod("web-0", 1);
  for (const policy::Placement& one :
       {policy::Placement{.gates = {"g"}},
        policy::Placement{.claims = {{.name = "c", .is_ephemeral = true}}},
        policy::Placement{.required_nodes = std::vector<policy::NodeTerm>{}},
        policy::Placement{.tolerations = {policy::Toleration{}}}}) {
    pod.placement = one;
    EXPECT_EQ(PackedPod::packed(pod).unpacked(), pod);
  }
}

TEST(PackedPod, TellsItsNamesUnopened) {
  const PackedPod packed = PackedPod::packed(full_pod());
  EXPECT_EQ(packed.key(), "default/web-0");
  EXPECT_EQ(packed.node(), "node-1");
  policy::LabelViews labels;
  read_labels(packed.labels_text(), labels);
  EXPECT_EQ(policy::Labels(labels.begin(), labels.end()), full_pod().labels);
  EXPECT_GE(labels.size(), 1U);
  read_labels(PackedPod().labels_text(), labels);
  EXPECT_TRUE(labels.empty());
  EXPECT_EQ(PackedPod().key(), "");
  EXPECT_EQ(PackedPod().node(), "");
}

TEST(PackedPod, LeavesOutWhatNobodyDecidesBy) {
  Pod pod = full_pod();
  pod.resource_version = "12345";
  pod.conditions.insert(pod.conditions.begin(), condition("PodScheduled"));
  pod.conditions.push_back(condition("example.com/ready"));
  const Pod out = PackedPod::packed(pod).unpacked();
  EXPECT_EQ(out, as_packed(pod));
  EXPECT_EQ(out, full_pod());
}

TEST(PackedPod, IsSmall) {
  Pod pod = test::running_pod("batch-7b9c6d5f4-x2x9z", 250, 512 * test::kMi);
  pod.labels = {{"app", "batch"}, {"pod-template-hash", "7b9c6d5f4"}};
  pod.controller =
      policy::Owner{"ReplicaSet", "batch-7b9c6d5f4", "0b1d2c3e-0000-4000-8000-123456789abc"};
  EXPECT_LT(PackedPod::packed(pod).bytes(), 320);
}

}  // namespace
}  // namespace elbowroom::cluster
