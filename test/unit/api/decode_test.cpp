#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod.h"
#include "api/codec/decode_priority_class.h"
#include "api/codec/timestamp.h"
#include "base/document.h"
#include "policy/model/charge.h"

namespace elbowroom::api {
namespace {

Value yaml(std::string_view text) {
  auto parsed = parse_yaml(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed && !parsed->empty() ? parsed->front() : Value{};
}

template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "" : result.error().message;
}

// Such objects are written by mistake only; their meaning must not depend on the order.
TEST(DecodePod, OfTwoConditionsOrStatusesOfOneNameTheOrderDoesNotMatter) {
  const std::string head =
      "metadata: {name: web, uid: u-1}\n"
      "spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1}}}]}\n";
  const std::string early =
      "{type: Ready, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}";
  const std::string late =
      "{type: Ready, status: 'False', lastTransitionTime: '2026-01-02T00:00:00Z'}";
  const std::string undated = "{type: Ready, status: 'True', message: x}";
  const std::string small =
      "{name: app, allocatedResources: {cpu: 1, memory: 2Gi}, state: "
      "{terminated: {}}}";
  const std::string large =
      "{name: app, allocatedResources: {cpu: 2}, resources: {limits: {cpu: "
      "3}}, state: {running: {}}}";
  const auto pod = [&](const std::string& conditions, const std::string& statuses) {
    const auto decoded = decode_pod(yaml(head + "status: {conditions: [" + conditions +
                                         "], containerStatuses: [" + statuses + "]}\n"));
    EXPECT_TRUE(decoded) << error_of(decoded);
    return decoded.value_or(policy::Pod{});
  };
  const policy::Pod one = pod(early + "," + late + "," + undated, small + "," + large);
  const policy::Pod other = pod(undated + "," + late + "," + early, large + "," + small);
  EXPECT_EQ(one, other);
  ASSERT_EQ(one.conditions.size(), 1U);
  EXPECT_EQ(one.conditions[0].status, "False") << "the latest counts";
  EXPECT_EQ(one.containers[0].state, policy::RunState::Running);
  EXPECT_EQ(one.containers[0].allocated_requests->cpu.value, 2000);
  EXPECT_EQ(one.containers[0].allocated_requests->memory.value, std::int64_t{2} << 30);
}

constexpr std::string_view kPod = R"(
metadata:
  name: web
  namespace: prod
  uid: u-1
  generation: 4
  resourceVersion: "12"
  labels: {app: web}
  creationTimestamp: "2026-01-01T00:00:00Z"
  deletionTimestamp: "2026-01-01T01:00:00Z"
  deletionGracePeriodSeconds: 15
  annotations: {kubernetes.io/config.source: file, kubernetes.io/config.mirror: abc}
  ownerReferences:
  - {kind: Node, name: n, uid: o-1}
  - {kind: ReplicaSet, name: web-1, uid: o-2, controller: true}
spec:
  nodeName: node1
  schedulerName: elbowroom
  schedulingGroup: {podGroupName: g}
  resourceClaims: [{name: c}]
  priority: -5
  preemptionPolicy: Never
  terminationGracePeriodSeconds: 7
  overhead: {cpu: 10m}
  resources: {requests: {cpu: 3}}
  someUnknownField: [1, {a: b}]
  initContainers:
  - {name: setup, resources: {requests: {cpu: 1}}}
  - {name: proxy, restartPolicy: Always, resources: {requests: {memory: 1Mi}}}
  containers:
  - name: app
    resources: {requests: {cpu: 1500m, memory: 1Gi}, limits: {cpu: 2, example.com/gpu: 1}}
    resizePolicy: [{resourceName: memory, restartPolicy: RestartContainer}]
status:
  phase: Running
  qosClass: Burstable
  startTime: "2026-01-01T00:00:01Z"
  nominatedNodeName: node2
  conditions:
  - {type: PodResizePending, status: "True", reason: Deferred, message: m, observedGeneration: 3, lastTransitionTime: "2026-01-01T00:00:02Z"}
  containerStatuses:
  - name: app
    state: {running: {startedAt: "2026-01-01T00:00:03Z"}}
    allocatedResources: {cpu: 1}
    resources: {requests: {cpu: 900m}, limits: {cpu: 1}}
  - {name: gone, allocatedResources: {cpu: 1}}
  initContainerStatuses:
  - {name: proxy, state: {terminated: {exitCode: 0}}, resources: {}}
  allocatedResources: {cpu: 2}
  resources: {requests: {cpu: 2500m}}
)";

// Of 1.37, and of 1.36 in a map.
TEST(DecodePod, WhatResourceClaimsTake) {
  const std::string head =
      "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}, status: "
      "{nodeAllocatableResourceClaimStatuses: [";
  const auto claimed = [&](const std::string& list) {
    const auto pod = decode_pod(yaml(head + list + "]}}"));
    EXPECT_TRUE(pod) << error_of(pod);
    return pod ? pod->claimed : std::vector<policy::ClaimedResources>{};
  };
  const auto cpu = [](std::int64_t millicores) { return policy::Resources{.cpu = {millicores}}; };
  using Claims = std::vector<policy::ClaimedResources>;
  EXPECT_EQ(claimed("{resourceClaimName: x, mapping: [{name: cpu, quantity: 2}]}"),
            (Claims{{"x", cpu(2000)}}));
  EXPECT_EQ(claimed("{resourceClaimName: x, resources: {cpu: 2}}"), (Claims{{"x", cpu(2000)}}));
  EXPECT_EQ(claimed("{resourceClaimName: x, containers: [a, b], mapping: [{name: cpu, quantity: "
                    "2}], overhead: [{name: cpu, perPod: 1, perContainer: 100m}]}"),
            (Claims{{"x", cpu(2000)}, {"", cpu(1200)}}))
      << "overhead is of each pod, and of each container that refers to the claim";
  EXPECT_EQ(claimed("{resourceClaimName: x, mapping: [{name: cpu, quantity: 2}]}, "
                    "{resourceClaimName: y, overhead: [{name: cpu, perPod: 1}]}, "
                    "{resourceClaimName: x, mapping: [{name: cpu, quantity: 1}]}"),
            (Claims{{"x", cpu(3000)}, {"", cpu(1000)}}));
  EXPECT_EQ(claimed("{resourceClaimName: x, containers: [c]}"), Claims{});
  EXPECT_EQ(claimed("{resourceClaimName: x, mapping: [{name: pods, quantity: 2}, {name: cpu}]}"),
            Claims{});
  const auto broken = decode_pod(yaml(head + "{mapping: [{name: cpu, quantity: many}]}]}}"));
  ASSERT_FALSE(broken);
  EXPECT_NE(
      error_of(broken).find("status.nodeAllocatableResourceClaimStatuses[0].mapping[0].quantity"),
      std::string::npos)
      << error_of(broken);
}

TEST(DecodePod, EveryFieldArrives) {
  const auto pod = decode_pod(yaml(kPod));
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_EQ(key_of(*pod), "prod/web");
  EXPECT_EQ(pod->uid, "u-1");
  EXPECT_EQ(pod->generation, 4);
  EXPECT_EQ(pod->resource_version, "12");
  EXPECT_EQ(pod->labels.at("app"), "web");
  EXPECT_EQ(pod->controller, (policy::Owner{"ReplicaSet", "web-1", "o-2"}));
  EXPECT_EQ(pod->node, "node1");
  EXPECT_EQ(pod->nominated_node, "node2");
  EXPECT_EQ(pod->scheduler_name, "elbowroom");
  EXPECT_EQ(pod->scheduling_group, "g");
  EXPECT_TRUE(pod->has_resource_claims);
  EXPECT_EQ(pod->priority, -5);
  EXPECT_EQ(pod->preemption_policy, policy::PreemptionPolicy::Never);
  EXPECT_TRUE(pod->is_static);
  EXPECT_TRUE(pod->is_mirror);
  EXPECT_EQ(pod->qos_in_status, policy::Qos::Burstable);
  EXPECT_EQ(pod->phase, policy::Phase::Running);
  EXPECT_EQ(pod->created, *parse_timestamp("2026-01-01T00:00:00Z"));
  EXPECT_EQ(pod->started, *parse_timestamp("2026-01-01T00:00:01Z"));
  EXPECT_EQ(pod->deletion, *parse_timestamp("2026-01-01T01:00:00Z"));
  EXPECT_EQ(pod->deletion_grace_seconds, 15);
  EXPECT_EQ(pod->termination_grace_seconds, 7);
  EXPECT_EQ(pod->overhead.cpu.value, 10);
  EXPECT_EQ(pod->pod_level.desired.requests.cpu.value, 3000);
  EXPECT_EQ(pod->pod_level.allocated_requests->cpu.value, 2000);
  EXPECT_EQ(pod->pod_level.actual_requests->cpu.value, 2500);
  EXPECT_FALSE(pod->pod_level.actual_limits);

  ASSERT_EQ(pod->containers.size(), 3U);
  EXPECT_EQ(pod->containers[0].kind, policy::ContainerKind::Init);
  EXPECT_EQ(pod->containers[0].state, policy::RunState::None);
  EXPECT_EQ(pod->containers[1].kind, policy::ContainerKind::Sidecar);
  EXPECT_EQ(pod->containers[1].state, policy::RunState::Terminated);
  EXPECT_FALSE(pod->containers[1].actual_requests);
  const policy::Container& app = pod->containers[2];
  EXPECT_EQ(app.kind, policy::ContainerKind::Regular);
  EXPECT_EQ(app.desired.requests.cpu.value, 1500);
  EXPECT_EQ(app.desired.requests.memory.value, 1 << 30);
  EXPECT_EQ(app.desired.limits.cpu.value, 2000);
  EXPECT_EQ(policy::amount_of(app.desired.requests, "example.com/gpu"), 1) << "from the limit";
  EXPECT_EQ(app.allocated_requests->cpu.value, 1000);
  EXPECT_EQ(app.actual_requests->cpu.value, 900);
  EXPECT_EQ(app.actual_limits->cpu.value, 1000);
  EXPECT_EQ(app.cpu_resize, policy::ResizePolicy::NotRequired);
  EXPECT_EQ(app.memory_resize, policy::ResizePolicy::RestartContainer);
  EXPECT_EQ(app.state, policy::RunState::Running);

  ASSERT_EQ(pod->conditions.size(), 1U);
  EXPECT_EQ(pod->conditions[0].observed_generation, 3);
  EXPECT_EQ(pod->conditions[0].last_transition, *parse_timestamp("2026-01-01T00:00:02Z"));
}

TEST(DecodePod, DefaultsAreTheApis) {
  const auto pod = decode_pod(yaml("{metadata: {name: a}, spec: {containers: [{name: c}]}}"));
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_EQ(pod->ns, "default");
  EXPECT_EQ(pod->uid, "default/a") << "a pod without a node may lack a uid";
  EXPECT_FALSE(pod->priority);
  EXPECT_EQ(pod->termination_grace_seconds, 30);
  EXPECT_EQ(pod->phase, policy::Phase::Pending);
}

TEST(DecodePod, ARequestWrittenAsZeroStaysZeroBesideItsLimit) {
  const auto pod = decode_pod(
      yaml("{metadata: {name: a}, spec: {containers: [{name: c, resources: {requests: {cpu: 0}, "
           "limits: {cpu: 1, memory: 5}}}]}}"));
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_EQ(pod->containers[0].desired.requests.cpu.value, 0);
  EXPECT_EQ(pod->containers[0].desired.requests.memory.value, 5);
}

// The manifest of a pod with one thing in it replaced.
std::string with(std::string metadata, std::string spec, std::string status = "{}") {
  return "{metadata: " + std::move(metadata) + ", spec: " + std::move(spec) +
         ", status: " + std::move(status) + "}";
}
constexpr const char* kMetadata = "{name: web, uid: u}";
constexpr const char* kSpec = "{nodeName: n, containers: [{name: c}]}";

// Servers and clients drop empty maps: an allocation of nothing reads as a missing one.
TEST(DecodePod, AMissingAllocationIsEmptyWhereTheStatusReportsAllocations) {
  const auto allocated = [](const std::string& statuses, const std::string& level = "") {
    const auto pod = decode_pod(yaml(
        "metadata: {name: web, uid: u-1}\n"
        "spec: {nodeName: n, containers: [{name: a, resources: {requests: {cpu: 1}}}, {name: b, "
        "resources: {requests: {cpu: 2}}}]}\nstatus: {" +
        level + "containerStatuses: [" + statuses + "]}\n"));
    EXPECT_TRUE(pod) << error_of(pod);
    return pod ? pod->containers.at(1).allocated_requests : std::nullopt;
  };
  const std::string a = "{name: a, allocatedResources: {cpu: 1}, state: {running: {}}}";
  const std::string b = "{name: b, resources: {}, state: {running: {}}}";
  EXPECT_EQ(allocated(a + ", " + b), policy::Resources{});
  EXPECT_EQ(allocated(b, "allocatedResources: {cpu: 3}, "), policy::Resources{});
  EXPECT_EQ(allocated(b), std::nullopt) << "an older kubelet reports none";
  EXPECT_EQ(allocated(a + ", {name: b, state: {waiting: {}}}"), std::nullopt)
      << "a kubelet reports none before it starts";
  EXPECT_EQ(allocated(a), std::nullopt);
}

// Source: kubernetes pkg/apis/core/v1/defaults.go, defaultPodRequests.
TEST(DecodePod, PodLevelLimitsSetThePodLevelRequests) {
  const auto read = [](const std::string& spec) {
    const auto pod = decode_pod(yaml("metadata: {name: web}\nspec: {" + spec + "}\n"));
    EXPECT_TRUE(pod) << error_of(pod);
    return pod.value_or(policy::Pod{});
  };
  const auto cpu = [&](const std::string& spec) {
    return read(spec).pod_level.desired.requests.cpu.value;
  };
  const std::string bare = ", containers: [{name: a}]";
  const std::string asks = ", containers: [{name: a, resources: {requests: {cpu: 300m}}}]";
  EXPECT_EQ(cpu("resources: {limits: {cpu: 2}}" + bare), 2000);
  EXPECT_EQ(cpu("resources: {limits: {cpu: 2}}" + asks), 300);
  EXPECT_EQ(cpu("resources: {limits: {cpu: 2}}, containers: [{name: a, resources: {limits: {cpu: "
                "700m}}}]"),
            700);
  EXPECT_EQ(cpu("resources: {limits: {cpu: 2}}, initContainers: [{name: i, resources: {requests: "
                "{cpu: 900m}}}]" +
                asks),
            900);
  EXPECT_EQ(cpu("resources: {limits: {memory: 1Gi}}" + asks), 300) << "of each resource";
  EXPECT_EQ(cpu("resources: {requests: {cpu: 1}, limits: {cpu: 2}}" + bare), 1000);
  EXPECT_EQ(cpu("resources: {requests: {cpu: 0}, limits: {cpu: 2}}" + bare), 0);
  EXPECT_EQ(cpu("resources: {requests: {memory: 1Gi}}" + asks), 0) << "without limits, none";
  const policy::Pod pages = read(
      "resources: {limits: {hugepages-2Mi: 4Mi}}, containers: [{name: a, resources: {requests: "
      "{hugepages-2Mi: 2Mi}, limits: {hugepages-2Mi: 2Mi}}}]");
  EXPECT_EQ(policy::amount_of(pages.pod_level.desired.requests, "hugepages-2Mi"), 4 << 20);
  EXPECT_EQ(policy::qos_of(read("resources: {limits: {cpu: 2, memory: 1Gi}}" + bare)),
            policy::Qos::Guaranteed);
}

TEST(DecodePod, ErrorsNameTheFieldAsTheManifestSpellsIt) {
  struct Row {
    std::string manifest;
    std::string_view want;
  };
  const Row rows[] = {
      {with("{uid: u}", kSpec), "pod without a name at line 1: metadata.name: must not be empty"},
      {with("{name: web}", kSpec),
       "pod default/web: metadata.uid: must not be empty on a pod that has a node"},
      {with("{name: web, uid: ''}", kSpec),
       "pod default/web: metadata.uid: must not be empty on a pod that has a node"},
      {with("{name: web, uid: 5}", kSpec),
       "pod default/web: metadata.uid: expected a string, found a number: quote it"},
      {with(kMetadata, "{nodeName: n}"),
       "pod default/web: spec.containers: must name at least one container"},
      {with(kMetadata, "{nodeName: n, containers: []}"),
       "pod default/web: spec.containers: must name at least one container"},
      {with(kMetadata, "{containers: {}}"),
       "pod default/web: spec.containers: expected a list, found a mapping"},
      {with(kMetadata, "{containers: [{}]}"),
       "pod default/web: spec.containers[0].name: must not be empty"},
      {with(kMetadata, "{containers: [{name: a}, {name: a}]}"),
       "pod default/web: spec.containers: container name \"a\" is given twice"},
      {with(kMetadata, "{containers: [{name: a, resources: {requests: {cpu: -1}}}]}"),
       "pod default/web: spec.containers[0].resources.requests.cpu: quantity \"-1\" is negative"},
      {with(kMetadata, "{containers: [{name: a, resources: {requests: {cpu: [1]}}}]}"),
       "pod default/web: spec.containers[0].resources.requests.cpu: expected a quantity such as "
       "2, 1500m or 2Gi, found a list"},
      {with(kMetadata, "{containers: [{name: a, resources: 5}]}"),
       "pod default/web: spec.containers[0].resources: expected a mapping, found a number"},
      {with(kMetadata, "{priority: 2147483648, containers: [{name: c}]}"),
       "pod default/web: spec.priority: 2147483648 is outside -2147483648..2147483647"},
      {with(kMetadata, "{priority: 1.5, containers: [{name: c}]}"),
       "pod default/web: spec.priority: 1.5 is no 64-bit integer"},
      {with(kMetadata, "{priority: high, containers: [{name: c}]}"),
       "pod default/web: spec.priority: expected an integer, found a string"},
      {with(kMetadata, "{terminationGracePeriodSeconds: -1, containers: [{name: c}]}"),
       "pod default/web: spec.terminationGracePeriodSeconds: -1 is outside "
       "0..9223372036854775807"},
      {with("{name: web, uid: u, creationTimestamp: yesterday}", kSpec),
       "pod default/web: metadata.creationTimestamp: \"yesterday\" is no RFC 3339 time: write one "
       "such as 2026-07-24T10:00:00Z"},
      {with(kMetadata, kSpec, "{conditions: [{type: A, lastTransitionTime: '12'}]}"),
       "pod default/web: status.conditions[0].lastTransitionTime: \"12\" is no RFC 3339 time: "
       "write one such as 2026-07-24T10:00:00Z"},
      {with(kMetadata,
            "{containers: [{name: a, resources: {requests: {memory: 9223372036854775807}}}, "
            "{name: b, resources: {requests: {memory: 1}}}]}"),
       "pod default/web: spec.containers: the requests of memory add up to more than 2^63-1"},
      {with(kMetadata, "{preemptionPolicy: Sometimes, containers: [{name: c}]}"),
       "pod default/web: spec.preemptionPolicy: must be PreemptLowerPriority or Never"},
      {with(kMetadata, "text"), "pod default/web: spec: expected a mapping, found a string"},
      {"5", "pod without a name at line 1: expected a mapping, found a number"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(error_of(decode_pod(yaml(row.manifest))), row.want) << row.manifest;
  }
  const auto long_name = decode_pod(yaml(with("{name: " + std::string(254, 'x') + "}", kSpec)));
  EXPECT_TRUE(
      error_of(long_name).ends_with("metadata.name: must be no longer than 253 characters"));
  EXPECT_TRUE(decode_pod(yaml(with("{name: " + std::string(253, 'x') + ", uid: u}", kSpec))));
}

TEST(DecodePod, OneHugeRequestIsNoOverflow) {
  const auto pod = decode_pod(yaml(
      with(kMetadata,
           "{containers: [{name: a, resources: {requests: {memory: 9223372036854775807}}}]}")));
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_EQ(policy::totals_of(*pod).desired.memory.value, policy::kMaxAmount);
}

TEST(DecodePod, ErrorsNameTheLine) {
  const auto pod = decode_pod(yaml("metadata: {name: a}\nspec:\n  priority: x\n"));
  EXPECT_EQ(error_of(pod),
            "pod default/a: spec.priority: expected an integer, found a string (line 3)");
}

TEST(DecodeNode, PolicyIsTheUnionOfFieldAndAnnotation) {
  const auto node = decode_node(yaml(R"(
metadata:
  name: n
  annotations:
    elbowroom.dev/disable-resize-preemption: " b.example/x , ,a"
    elbowroom.dev/critical-preemption: node
spec:
  unschedulable: true
  podPreemptionPolicy: {disableResizePreemption: [c, a, "not a key"]}
status:
  capacity: {cpu: 8}
  allocatable: {cpu: 4, memory: 8Gi, pods: 110, example.com/gpu: "2"}
  conditions: [{type: Ready, status: Unknown}]
)"));
  ASSERT_TRUE(node) << error_of(node);
  EXPECT_EQ(node->resize_preemption_owners,
            (std::vector<std::string>{"a", "b.example/x", "c", "not a key"}));
  EXPECT_EQ(node->malformed_owners, (std::vector<std::string>{"not a key"}));
  EXPECT_TRUE(node->critical_preemption_by_node);
  EXPECT_TRUE(node->unschedulable);
  EXPECT_EQ(node->allowed_pods, 110);
  EXPECT_EQ(node->allocatable.cpu.value, 4000);
  EXPECT_EQ(policy::amount_of(node->allocatable, "pods"), 0);
  EXPECT_EQ(policy::amount_of(node->allocatable, "example.com/gpu"), 2);
  EXPECT_EQ(node->ready, policy::NodeReady::Unknown);
}

TEST(DecodeNode, HowManyPodsItTakes) {
  const std::vector<std::pair<std::string, std::int64_t>> rows = {
      {"status: {allocatable: {cpu: 4, pods: 110}}", 110},
      {"status: {allocatable: {cpu: 4, pods: 0}}", 0},
      {"status: {allocatable: {cpu: 4, pods: 3}, capacity: {cpu: 4, pods: 9}}", 3},
      {"status: {capacity: {cpu: 4, pods: 9}}", 9},
      // Without any, as a Node is before its kubelet has written.
      {"spec: {}", 0},
      {"status: {}", 0},
      {"status: {allocatable: {}}", 0},
      // What no kubelet writes, but a file may hold.
      {"status: {allocatable: {cpu: 4, memory: 8Gi}}", policy::kMaxAmount},
      {"status: {capacity: {memory: 8Gi}}", policy::kMaxAmount},
  };
  for (const auto& [text, pods] : rows) {
    const auto node = decode_node(yaml("metadata: {name: n}\n" + text));
    ASSERT_TRUE(node) << text << error_of(node);
    EXPECT_EQ(node->allowed_pods, pods) << text;
  }
}

TEST(DecodeNode, ImagesByNameEachOnce) {
  const auto images_in = [](const std::string& images) {
    const auto node = decode_node(yaml("metadata: {name: n}\nstatus: {images: " + images + "}"));
    EXPECT_TRUE(node) << error_of(node);
    return node ? node->images : std::vector<policy::NodeImage>{};
  };
  const auto two = images_in("[{names: [a:1, b:1], sizeBytes: 7}, {names: [b:1], sizeBytes: 9}]");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_LT(two[0].name, two[1].name);
  for (const policy::NodeImage& each : two) EXPECT_EQ(each.bytes, 7);
  EXPECT_EQ(images_in("[{names: [a, b, c, d, e, f]}]").size(), policy::kMostNamesOfImage);
  EXPECT_TRUE(images_in("[]").empty());
  // What cannot be understood costs the node nothing else.
  EXPECT_TRUE(images_in("[{names: [a], sizeBytes: -1}]").empty());
  EXPECT_TRUE(images_in("odd").empty());
}

// The wire form of a NodeCondition has no such field: it is not read.
TEST(DecodeNode, AConditionHasNoGeneration) {
  const auto node = decode_node(yaml(R"(
metadata: {name: n}
status: {conditions: [{type: Ready, status: "True", observedGeneration: odd}]}
)"));
  ASSERT_TRUE(node) << error_of(node);
  EXPECT_EQ(node->ready, policy::NodeReady::True);
}

TEST(DecodeNode, EmptyPolicyHasNoOwnersAndSurplusOwnersAreMalformed) {
  const auto empty = decode_node(
      yaml("{metadata: {name: n, annotations: {elbowroom.dev/disable-resize-preemption: ''}}, "
           "spec: {podPreemptionPolicy: {disableResizePreemption: []}}, "
           "status: {capacity: {cpu: 8}}}"));
  ASSERT_TRUE(empty) << error_of(empty);
  EXPECT_FALSE(policy::disables_resize_preemption(*empty));
  EXPECT_EQ(empty->allocatable.cpu.value, 8000) << "capacity where there is no allocatable";
  EXPECT_EQ(empty->ready, policy::NodeReady::Unstated);

  std::string list;
  for (int i = 0; i < 22; ++i) list += "o" + std::to_string(10 + i) + ",";
  const auto many = decode_node(
      yaml("{metadata: {name: n, annotations: {elbowroom.dev/disable-resize-preemption: '" + list +
           "'}}}"));
  ASSERT_TRUE(many) << error_of(many);
  EXPECT_EQ(many->resize_preemption_owners.size(), 22U);
  EXPECT_EQ(many->malformed_owners, (std::vector<std::string>{"o30", "o31"}));
}

// Those who write it mean a switch; it names no owner.
TEST(DecodeNode, ATruthValueInTheAnnotationIsAMalformedOwnerAndCounts) {
  const auto annotated = decode_node(
      yaml("{metadata: {name: n, annotations: {elbowroom.dev/disable-resize-preemption: "
           "'true, example.com/team'}}, spec: {podPreemptionPolicy: {disableResizePreemption: "
           "['yes']}}}"));
  ASSERT_TRUE(annotated) << error_of(annotated);
  EXPECT_EQ(annotated->resize_preemption_owners,
            (std::vector<std::string>{"example.com/team", "true", "yes"}));
  EXPECT_EQ(annotated->malformed_owners, std::vector<std::string>{"true"});
}

TEST(DecodeNode, LabelKeys) {
  for (const std::string_view good : {"a", "A.b_c-d", "example.com/x", "a-b.c/9"}) {
    EXPECT_TRUE(is_label_key(good)) << good;
  }
  for (const std::string_view bad :
       {"", "-a", "a-", "a b", "/a", "a/", "a//b", "A.com/x", ".com/x", "a..b/x"}) {
    EXPECT_FALSE(is_label_key(bad)) << bad;
  }
  EXPECT_FALSE(is_label_key(std::string(64, 'a')));
  EXPECT_FALSE(is_label_key(std::string(254, 'a') + "/x"));
}

TEST(DecodeBudget, SelectorsAndCounts) {
  const auto budget = decode_pod_disruption_budget(yaml(R"(
metadata: {name: b, namespace: prod}
spec:
  selector:
    matchLabels: {app: web}
    matchExpressions: [{key: tier, operator: NotIn, values: [x]}, {key: z, operator: Exists}]
status: {disruptionsAllowed: 2, disruptedPods: {web-1: "2026-01-01T00:00:00Z"}}
)"));
  ASSERT_TRUE(budget) << error_of(budget);
  EXPECT_EQ(budget->disruptions_allowed, 2);
  EXPECT_TRUE(budget->disrupted_pods.contains("web-1"));
  EXPECT_TRUE(policy::matches(*budget->selector, {{"app", "web"}, {"z", ""}}));
  EXPECT_FALSE(policy::matches(*budget->selector, {{"app", "web"}}));
  EXPECT_FALSE(policy::matches(*budget->selector, {{"app", "web"}, {"z", ""}, {"tier", "x"}}));

  EXPECT_FALSE(decode_pod_disruption_budget(yaml("{metadata: {name: b}}"))->selector);
  EXPECT_TRUE(
      decode_pod_disruption_budget(yaml("{metadata: {name: b}, spec: {selector: {}}}"))->selector);
  EXPECT_EQ(error_of(decode_pod_disruption_budget(
                yaml("{metadata: {name: b}, spec: {selector: {matchExpressions: [{key: a, "
                     "operator: Near}]}}}"))),
            "pod disruption budget default/b: spec.selector.matchExpressions[0].operator: must be "
            "In, NotIn, Exists or DoesNotExist");
  EXPECT_EQ(error_of(decode_pod_disruption_budget(
                yaml("{metadata: {name: b}, spec: {selector: {matchExpressions: [{key: a, "
                     "operator: In}]}}}"))),
            "pod disruption budget default/b: spec.selector.matchExpressions[0].values: must not "
            "be empty for In and NotIn");
}

TEST(DecodeBudget, ASelectorHasItsBounds) {
  const auto budget = [](int labels, int values, std::size_t length) {
    std::string text = "{metadata: {name: b}, spec: {selector: {matchLabels: {";
    for (int i = 0; i < labels; ++i) text += "k" + std::to_string(i) + ": v, ";
    text += "}, matchExpressions: [{key: k, operator: In, values: [";
    for (int i = 0; i < values; ++i) text += std::string(length, 'v') + ", ";
    return yaml(text + "]}]}}}");
  };
  EXPECT_TRUE(decode_pod_disruption_budget(budget(499, 500, 30)));
  for (const Value& large : {budget(499, 501, 1), budget(1, 2, 16'384)}) {
    const auto upstream = decode_pod_disruption_budget(large);
    const auto ours = decode_disruption_budget(large);
    ASSERT_FALSE(upstream || ours);
    EXPECT_EQ(upstream.error().code, Code::Exhausted);
    EXPECT_THAT(
        upstream.error().message,
        testing::HasSubstr("pod disruption budget default/b: spec.selector: has more than 1000"));
    EXPECT_EQ(ours.error().code, Code::Exhausted);
  }
  const auto small = decode_pod_disruption_budget(budget(1, 1, 1));
  const auto large = decode_pod_disruption_budget(budget(1, 900, 30));
  EXPECT_LT(weight_of(*small), 1'000U);
  EXPECT_GT(weight_of(*large), 900U * 60U);
}

TEST(DecodeBudget, OursHasStrengthAndRate) {
  const auto budget = decode_disruption_budget(yaml(R"(
metadata: {name: b}
spec: {selector: {}, minAvailable: 30%, rate: {disruptions: 3, per: 1h30m}, hard: true}
status: {recentDisruptions: [{pod: web-1, uid: u, time: "2026-01-01T00:00:00Z"}]}
)"));
  ASSERT_TRUE(budget) << error_of(budget);
  EXPECT_EQ(budget->min_available, (policy::IntOrPercent{30, true}));
  EXPECT_FALSE(budget->max_unavailable);
  EXPECT_EQ(budget->rate_disruptions, 3);
  EXPECT_EQ(budget->rate_per, std::chrono::seconds(5400));
  EXPECT_TRUE(budget->hard);
  EXPECT_EQ(budget->recent.at(0).pod, "web-1");
  EXPECT_EQ(error_of(decode_disruption_budget(
                yaml("{metadata: {name: b}, spec: {maxUnavailable: 101%}}"))),
            "disruption budget default/b: spec.maxUnavailable: must be a count, or a percentage "
            "such as 25%");
  EXPECT_FALSE(decode_disruption_budget(
      yaml("{metadata: {name: b}, spec: {maxUnavailable: 1, minAvailable: 1}}")));
  EXPECT_FALSE(
      decode_disruption_budget(yaml("{metadata: {name: b}, spec: {rate: {disruptions: 1}}}")));
  for (const std::string_view bad : {"", "1", "h", "-1s", "0s", "1d", "99999999999h", "1h 2m"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(DecodePriorityClass, ValueIsNeeded) {
  const auto decoded = decode_priority_class(
      yaml("{metadata: {name: high}, value: 1000, globalDefault: true, preemptionPolicy: Never}"));
  ASSERT_TRUE(decoded) << error_of(decoded);
  EXPECT_EQ(*decoded, (PriorityClass{"high", 1000, true, true}));
  EXPECT_EQ(error_of(decode_priority_class(yaml("{metadata: {name: high}}"))),
            "priority class high: value: must be given");
}

}  // namespace
}  // namespace elbowroom::api
