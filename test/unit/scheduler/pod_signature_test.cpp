// Which pending pods get one answer.
#include "scheduler/placing/pod_signature.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

policy::LabelSelector selects(const std::string& key, const std::string& value) {
  return {.match_labels = {{key, value}}};
}

policy::PodTerm beside(const std::string& key, const std::string& value) {
  return {.selector = selects(key, value), .namespaces = {"default"}, .topology_key = "zone"};
}

// It is to be placed beside pods like itself, and spread over hosts.
Pod web() {
  Pod pod = test::running_pod("web", 1000);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.labels = {{"app", "web"}};
  pod.placement.required_affinity = {beside("app", "web")};
  pod.placement.spread = {{.topology_key = "host", .selector = selects("app", "web")}};
  return pod;
}

// A pod of which pods of team a have to stay away.
policy::ClusterRoom room() {
  Pod alone = test::running_pod("alone", 100);
  alone.placement.required_anti_affinity = {beside("team", "a")};
  policy::ClusterRoom made;
  made.put(test::node(4000));
  made.add(alone);
  return made;
}

TEST(PodSignature, WhatAnAnswerDependsOnIsInIt) {
  struct Row {
    const char* name;
    std::function<void(Pod&)> change;
  };
  const Row rows[] = {
      {"priority", [](Pod& pod) { pod.priority = 7; }},
      {"preemption", [](Pod& pod) { pod.preemption_policy = policy::PreemptionPolicy::Never; }},
      {"group", [](Pod& pod) { pod.scheduling_group = "train"; }},
      {"resource claims", [](Pod& pod) { pod.has_resource_claims = true; }},
      {"request", [](Pod& pod) { ++pod.containers[0].desired.requests.cpu.value; }},
      {"node label", [](Pod& pod) { pod.placement.node_selector["disk"] = "ssd"; }},
      {"any node", [](Pod& pod) { pod.placement.required_nodes.emplace(); }},
      {"toleration", [](Pod& pod) { pod.placement.tolerations.emplace_back(); }},
      {"port", [](Pod& pod) { pod.placement.host_ports = {{.port = 80}}; }},
      {"skew", [](Pod& pod) { pod.placement.spread[0].max_skew = 2; }},
      {"spread over", [](Pod& pod) { pod.placement.spread[0].topology_key = "zone"; }},
      {"beside where", [](Pod& pod) { pod.placement.required_affinity[0].topology_key = "host"; }},
      {"beside whom",
       [](Pod& pod) {
         pod.placement.required_affinity[0].selector = policy::LabelSelector{
             .expressions = {{.key = "app", .op = policy::LabelOperator::Exists}}};
       }},
      {"away from", [](Pod& pod) { pod.placement.required_anti_affinity = {beside("x", "y")}; }},
      {"is none of those itself", [](Pod& pod) { pod.labels["app"] = "db"; }},
      {"is repelled", [](Pod& pod) { pod.labels["team"] = "a"; }},
      {"namespace", [](Pod& pod) { pod.ns = "other"; }},
  };
  const policy::ClusterRoom around = room();
  const auto usual = pod_signature(web(), around);
  ASSERT_TRUE(usual);
  for (const Row& row : rows) {
    Pod pod = web();
    row.change(pod);
    const auto signature = pod_signature(pod, around);
    ASSERT_TRUE(signature) << row.name;
    EXPECT_NE(*signature, *usual) << row.name;
  }
}

TEST(PodSignature, WhatNoAnswerDependsOnIsNot) {
  const policy::ClusterRoom around = room();
  Pod pod = web();
  pod.name = "another";
  pod.uid = "uid-another";
  pod.labels["round"] = "2";
  EXPECT_EQ(pod_signature(pod, around), pod_signature(web(), around));
}

TEST(PodSignature, APodWithAnAnswerOfItsOwnHasNone) {
  const policy::ClusterRoom around = room();
  Pod nominated = web();
  nominated.nominated_node = "node-1";
  EXPECT_FALSE(pod_signature(nominated, around));
  Pod gated = web();
  gated.placement.gates = {"example.com/wait"};
  EXPECT_FALSE(pod_signature(gated, around));
  Pod stored = web();
  stored.placement.claims = {{.name = "data"}};
  EXPECT_FALSE(pod_signature(stored, around)) << "its claim is not bound";
}

}  // namespace
}  // namespace elbowroom::scheduler
