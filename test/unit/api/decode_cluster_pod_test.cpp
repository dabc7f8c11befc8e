#include "api/codec/decode_cluster_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/bound_node.h"
#include "api/codec/decode_pod.h"
#include "base/document.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/resources.h"
#include "test/odd_pods.h"
#include "test/pods.h"

namespace elbowroom::api {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Value yaml(const std::string& text) {
  const auto parsed = parse_yaml(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message) << "\n" << text;
  return parsed ? parsed->front() : Value{};
}

// `%` in a row stands for an amount that API servers accept, and that 64 bits do not hold.
std::string filled(std::string text) {
  for (std::size_t at = 0; (at = text.find('%', at)) != std::string::npos;) {
    text.replace(at, 1, "\"9223372036854775807\"");
  }
  return text;
}

Value pod_with(const std::string& resources, const std::string& status,
               const std::string& spec = "") {
  return yaml(filled("{kind: Pod, metadata: {name: web, uid: u-1}, spec: {nodeName: n, " + spec +
                     "containers: [{name: app, resources: " + resources + "}]}, status: {" +
                     status + "}}"));
}

Value of_container(const std::string& resources, const std::string& status) {
  return pod_with(resources, "containerStatuses: [{name: app, " + status + "}]");
}

// Both ways to read it: for a scheduler that places pods, and for programs that only judge resizes.
std::vector<Result<policy::Pod>> read(const Value& object) {
  std::vector<Result<policy::Pod>> both;
  both.push_back(decode_cluster_pod(object));
  both.push_back(decode_placed_pod(object));
  return both;
}

// ---- amounts ----

TEST(DecodeClusterPod, AnAmountThatIsTooLargeIsTheLargest) {
  struct Row {
    Value object;
    std::int64_t desired;
    std::int64_t held;
  };
  const std::string cpu_is_set = "{requests: {cpu: 1}, limits: {cpu: %}}";
  const Row rows[] = {
      {of_container("{requests: {cpu: %}, limits: {cpu: %}}",
                    "allocatedResources: {cpu: 1}, resources: {requests: {cpu: 1}}"),
       kMost, 1000},
      {of_container("{limits: {cpu: %}}", "ready: true"), kMost, kMost},  // the request, too
      {of_container(cpu_is_set, "ready: true"), 1000, 1000},
      {of_container(cpu_is_set, "resources: {requests: {cpu: 1}, limits: {cpu: %}}"), 1000, 1000},
      {of_container(cpu_is_set, "allocatedResources: {cpu: %}"), 1000, kMost},
      {of_container(cpu_is_set, "resources: {requests: {cpu: %}}"), 1000, kMost},
      {pod_with(cpu_is_set, "", "overhead: {cpu: %}, "), kMost, kMost},
      {pod_with(cpu_is_set, "", "resources: {requests: {cpu: %}, limits: {cpu: %}}, "), kMost,
       kMost},
      {pod_with(cpu_is_set,
                "allocatedResources: {cpu: %}, resources: {requests: {cpu: %}, limits: {cpu: %}}"),
       1000, kMost},
      {pod_with("{requests: {cpu: 10e999}}", ""), kMost, kMost},
      {pod_with("{requests: {cpu: \"9223372036854775.8065\"}}", ""), kMost, kMost},
  };
  for (const Row& row : rows) {
    for (const auto& pod : read(row.object)) {
      ASSERT_TRUE(pod) << pod.error().message;
      const policy::Totals totals = policy::totals_of(*pod);
      EXPECT_EQ(totals.desired.cpu.value, row.desired);
      EXPECT_EQ(policy::held_charge(totals).cpu.value, row.held);
    }
  }
}

TEST(DecodeClusterPod, SumsThatLeave64BitsSaturate) {
  const std::string half = "resources: {requests: {memory: \"5000000000000000000\"}}";
  const Value object = yaml(
      "{metadata: {name: web, uid: u}, spec: {nodeName: n, containers: "
      "[{name: a, " +
      half + "}, {name: b, " + half + "}]}}");
  EXPECT_FALSE(decode_pod(object)) << "a file of a user stays strict";
  for (const auto& pod : read(object)) {
    ASSERT_TRUE(pod) << pod.error().message;
    EXPECT_EQ(policy::totals_of(*pod).desired.memory.value, kMost);
  }
}

TEST(DecodeClusterPod, FilesStayStrict) {
  for (const char* resources : {"{requests: {cpu: %}}", "{limits: {cpu: %}}"}) {
    const auto pod = decode_pod(pod_with(resources, ""));
    ASSERT_FALSE(pod);
    EXPECT_THAT(pod.error().message, HasSubstr("is above 2^63-1 millicores"));
  }
  EXPECT_FALSE(decode_pod(pod_with("{}", "", "terminationGracePeriodSeconds: -1, ")));
}

TEST(DecodeClusterPod, WhatIsNoAmountIsNoLargeOne) {
  for (const char* amount : {"-1", "much", "1 2", ""}) {
    const std::string spec = "{requests: {cpu: \"" + std::string(amount) + "\"}}";
    for (const auto& pod : read(pod_with(spec, ""))) EXPECT_FALSE(pod) << amount;
  }
}

// ---- finished pods ----

// Any fault of a pod, in `%1` of its metadata, `%2` of its spec, `%3` of its status.
const std::vector<std::array<std::string, 3>> kOdd = {
    {"", "containers: [{name: a, resources: {requests: {cpu: much}}}]", ""},
    {"", "containers: [{name: a, resources: {requests: {cpu: \"9223372036854775807\"}}}]", ""},
    {"", "containers: []", ""},
    {"", "containers: 5", ""},
    {"", "priority: high", ""},
    {"", "affinity: {nodeAffinity: 7}", ""},
    {"labels: [a], ", "containers: [{name: a}]", ""},
    {"annotations: {a: true}, ", "containers: [{name: a}]", ""},
    {"creationTimestamp: once, ", "containers: [{name: a}]", ""},
    {"ownerReferences: [{controller: perhaps}], ", "containers: [{name: a}]", ""},
    {"", "containers: [{name: a}]", ", conditions: [{type: Ready, lastTransitionTime: then}]"},
    {"", "containers: [{name: a}]", ", conditions: {}"},
    {"", "containers: [{name: a}]", ", containerStatuses: [5, {name: a, state: gone}]"},
    {"", "containers: [{name: a}]", ", startTime: 12"},
    {"", "containers: [{name: a}]", ", allocatedResources: {cpu: -1}"},
};

std::string odd_pod(const std::array<std::string, 3>& odd, const std::string& phase) {
  return "{status: {phase: " + phase + odd[2] + "}, metadata: {" + odd[0] +
         "name: web, namespace: shop, uid: u-1, generation: 3, resourceVersion: \"7\"}, spec: "
         "{nodeName: n, " +
         odd[1] + "}}";
}

TEST(DecodeClusterPod, AFinishedPodIsAStubWhateverIsInIt) {
  for (const auto& odd : kOdd) {
    for (const auto& [phase, is] : {std::pair("Succeeded", policy::Phase::Succeeded),
                                    std::pair("Failed", policy::Phase::Failed)}) {
      for (const auto& pod : read(yaml(odd_pod(odd, phase)))) {
        ASSERT_TRUE(pod) << pod.error().message;
        EXPECT_EQ(policy::key_of(*pod), "shop/web");
        EXPECT_EQ(pod->uid, "u-1");
        EXPECT_EQ(pod->generation, 3);
        EXPECT_EQ(pod->resource_version, "7");
        EXPECT_EQ(pod->node, "n");
        EXPECT_EQ(pod->phase, is);
        EXPECT_FALSE(policy::holds_room(*pod));
        EXPECT_TRUE(policy::is_zero(policy::totals_of(*pod).desired));
      }
    }
  }
}

TEST(DecodeClusterPod, AFinishedPodTellsHowItEnded) {
  const auto pod = decode_cluster_pod(yaml(
      "{metadata: {name: web, uid: u, ownerReferences: [{controller: true, kind: ReplicaSet, "
      "name: r, uid: u-r}]}, spec: {nodeName: n, containers: [{name: a}, {name: b}]}, status: "
      "{phase: Failed, conditions: [{type: Ready, status: \"False\"}, {type: DisruptionTarget, "
      "status: \"True\", reason: TerminationByKubelet}], containerStatuses: [{name: a, state: "
      "{waiting: {}}}, {name: b, state: {terminated: {exitCode: 1}}}]}}"));
  ASSERT_TRUE(pod) << pod.error().message;
  ASSERT_TRUE(pod->controller);
  EXPECT_EQ(pod->controller->uid, "u-r");
  ASSERT_EQ(pod->conditions.size(), 1U);
  EXPECT_EQ(pod->conditions[0].reason, "TerminationByKubelet");
  ASSERT_EQ(pod->containers.size(), 1U);
  EXPECT_EQ(pod->containers[0].state, policy::RunState::Terminated);

  const auto refused = decode_cluster_pod(
      yaml("{metadata: {name: web, uid: u}, spec: {nodeName: n, containers: [{name: a}]}, status: "
           "{phase: Failed, reason: OutOfcpu}}"));
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_TRUE(refused->containers.empty()) << "none has begun";
}

TEST(DecodeClusterPod, AFinishedPodNeedsAName) {
  EXPECT_FALSE(decode_cluster_pod(yaml("{metadata: {uid: u}, status: {phase: Failed}}")));
  EXPECT_FALSE(decode_cluster_pod(yaml("{status: {phase: Failed}}")));
  const std::string name(254, 'x');
  EXPECT_FALSE(
      decode_cluster_pod(yaml("{metadata: {name: " + name + "}, status: {phase: Failed}}")));
}

// ---- whatever a user may create ----

TEST(DecodeClusterPod, NothingThatAServerTakesMakesAPodUnreadable) {
  for (const test::OddPod& odd : test::odd_pods()) {
    const Value object = yaml(test::manifest_of(odd, "n"));
    for (const auto& pod : read(object)) {
      ASSERT_TRUE(pod) << odd.name << ": " << pod.error().message;
      EXPECT_GE(pod->termination_grace_seconds, 1) << odd.name;
      if (odd.has_begun) {
        EXPECT_EQ(policy::held_charge(*pod).cpu.value, 100) << odd.name;
      } else {
        EXPECT_EQ(policy::never_fits(test::node(4000), *pod).has_value(), true) << odd.name;
      }
    }
    EXPECT_EQ(decode_placed_pod(object)->placement, policy::Placement{}) << odd.name;
  }
}

TEST(DecodeClusterPod, AFinishedOneNeverMatters) {
  std::vector<test::OddPod> all = test::odd_pods();
  std::ranges::copy(test::broken_pods(), std::back_inserter(all));
  for (const test::OddPod& odd : all) {
    for (const auto& pod : read(yaml(test::manifest_of(odd, "n", "Failed")))) {
      ASSERT_TRUE(pod) << odd.name << ": " << pod.error().message;
      EXPECT_FALSE(policy::holds_room(*pod)) << odd.name;
    }
  }
  for (const test::OddPod& odd : test::broken_pods()) {
    for (const auto& pod : read(yaml(test::manifest_of(odd, "n")))) EXPECT_FALSE(pod) << odd.name;
  }
}

TEST(DecodeClusterPod, AContainerOrAResourceOfAnyNameIsRead) {
  std::string names;
  for (int i = 0; i < 2'000; ++i) {
    names += "example.com/r" + std::to_string(i) + ": \"99999999999999999999\", ";
  }
  const Value object = pod_with("{requests: {" + names + "cpu: 1}}", "");
  for (const auto& pod : read(object)) {
    ASSERT_TRUE(pod) << pod.error().message;
    EXPECT_EQ(policy::amount_of(pod->containers[0].desired.requests, "example.com/r7"), kMost);
  }
}

// A user cannot protect a pod from removal by an annotation.
TEST(DecodeClusterPod, OnlyAMirrorPodIsStatic) {
  const auto with = [](const std::string& annotations) {
    return yaml("{metadata: {name: web, uid: u, annotations: {" + annotations +
                "}}, spec: {nodeName: n, containers: [{name: a}]}}");
  };
  const Value claims = with("kubernetes.io/config.source: file");
  EXPECT_FALSE(decode_cluster_pod(claims)->is_static);
  EXPECT_TRUE(decode_pod(claims)->is_static);
  const Value mirror = with("kubernetes.io/config.source: file, kubernetes.io/config.mirror: x");
  EXPECT_TRUE(decode_cluster_pod(mirror)->is_static);
  EXPECT_TRUE(decode_cluster_pod(mirror)->is_mirror);
}

TEST(DecodeClusterPod, APlainPodIsAsInAFile) {
  const Value object = of_container("{requests: {cpu: 1}, limits: {cpu: 2}}", "ready: true");
  EXPECT_EQ(decode_cluster_pod(object), decode_pod(object));
}

// What no server serves stays an error: it shows that an assumption is wrong.
TEST(DecodeClusterPod, WhatNoServerServesIsAnError) {
  for (const char* object :
       {"{metadata: {name: web, uid: u}, spec: {nodeName: n, containers: []}}",
        "{metadata: {name: web}, spec: {nodeName: n, containers: [{name: a}]}}",
        "{metadata: {uid: u}, spec: {nodeName: n, containers: [{name: a}]}}",
        "{metadata: {name: web, uid: u}, spec: {nodeName: n, containers: [{name: a}, {name: a}]}}",
        "{metadata: {name: web, uid: u, annotations: {a: true}}, spec: {nodeName: n, containers: "
        "[{name: a}]}}"}) {
    for (const auto& pod : read(yaml(object))) EXPECT_FALSE(pod) << object;
    EXPECT_EQ(bound_node(yaml(object)), "n");
  }
}

}  // namespace
}  // namespace elbowroom::api
