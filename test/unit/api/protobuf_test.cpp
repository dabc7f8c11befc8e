#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod.h"
#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "api/codec/wire_fields.h"
#include "api/transport/status_error.h"
#include "api/watch/protobuf_list.h"
#include "base/document.h"
#include "test/wire_bytes.h"

namespace elbowroom::api {
namespace {

using namespace std::string_literals;
using test::amount;
using test::bytes;
using test::entry;
using test::envelope;
using test::list_envelope;
using test::number;
using test::varint;
using testing::HasSubstr;

// As the API server writes it: 2026-07-24T10:00:00Z.
std::string time() { return number(1, 1'784'887'200) + number(2, 0); }

template <class Decode>
auto from(std::string_view kind, const std::string& message, Decode decode) {
  const auto value = protobuf_message(kind, message);
  EXPECT_TRUE(value) << value.error().message;
  return decode(value ? *value : Value{});
}

// Field by field from the tables of Kubernetes 1.37, what Go writes though it is empty included.
std::string golden_pod() {
  const std::string owner = bytes(1, "ReplicaSet") + bytes(3, "web") + bytes(4, "u-9") +
                            bytes(5, "apps/v1") + number(6, 1) + number(7, 1);
  const std::string metadata =
      bytes(1, "web-1") + bytes(2, "web-") + bytes(3, "shop") + bytes(4, "") + bytes(5, "u-1") +
      bytes(6, "4711") + number(7, 3) + bytes(8, time()) + bytes(9, time()) + number(10, 30) +
      entry(11, "app", "web") + entry(11, "tier", "") +
      entry(12, "kubernetes.io/config.mirror", "x") + bytes(13, owner) + bytes(14, "keep");
  const std::string resources = amount(1, "memory", "1Gi") + amount(2, "cpu", "1500m") +
                                amount(2, "memory", "512Mi") + bytes(3, bytes(1, "gpu"));
  const std::string app = bytes(1, "app") + bytes(2, "image") + bytes(5, "") + bytes(8, resources) +
                          bytes(13, "") + bytes(14, "") + number(16, 0) + number(17, 0) +
                          number(18, 0) + bytes(20, "") +
                          bytes(23, bytes(1, "memory") + bytes(2, "RestartContainer"));
  const std::string sidecar = bytes(1, "mesh") + bytes(8, "") + bytes(24, "Always");
  const std::string spec =
      bytes(2, app) + bytes(3, "Always") + number(4, 45) + bytes(6, "") + bytes(10, "node-1") +
      number(11, 0) + bytes(19, "default-scheduler") + bytes(20, sidecar) + bytes(24, "high") +
      number(25, -7) + bytes(31, "Never") + amount(32, "cpu", "10m") + bytes(39, bytes(1, "gpu")) +
      bytes(40, amount(2, "cpu", "2") + amount(1, "memory", "2Gi")) + bytes(43, bytes(1, "gang"));
  const std::string condition = bytes(1, "PodResizePending") + bytes(2, "True") + bytes(3, "") +
                                bytes(4, time()) + bytes(5, "Deferred") + bytes(6, "no room") +
                                number(7, 3);
  const std::string ready = bytes(1, "Ready") + bytes(2, "True") + bytes(3, "") + bytes(4, "") +
                            bytes(5, "") + bytes(6, "") + number(7, 0);
  const std::string app_status = bytes(1, "app") + bytes(2, bytes(2, bytes(1, time()))) +
                                 bytes(3, "") + number(4, 1) + number(5, 0) +
                                 amount(10, "cpu", "1") + bytes(11, amount(2, "cpu", "900m"));
  const auto quantity = [](const std::string& text) { return bytes(1, text); };
  const std::string cpus =
      bytes(1, "cpus") + bytes(2, "app") + bytes(2, "mesh") +
      bytes(4, bytes(1, "cpu") + bytes(2, quantity("2"))) +
      bytes(5, bytes(1, "memory") + bytes(2, quantity("1Mi")) + bytes(3, quantity("2Mi")));
  const std::string mesh_status =
      bytes(1, "mesh") + bytes(2, bytes(3, number(1, 0) + number(2, 0))) + number(4, 0);
  const std::string status = bytes(1, "Running") + bytes(2, condition) + bytes(2, ready) +
                             bytes(3, "") + bytes(7, time()) + bytes(8, app_status) +
                             bytes(9, "Burstable") + bytes(10, mesh_status) + bytes(11, "node-2") +
                             bytes(14, "") + number(17, 0) + amount(19, "cpu", "1010m") +
                             bytes(20, amount(2, "cpu", "910m")) + bytes(21, cpus) +
                             bytes(21, bytes(1, "older") + amount(3, "memory", "1Gi"));
  return bytes(1, metadata) + bytes(2, spec) + bytes(3, status);
}

constexpr std::string_view kGoldenPod = R"({
  "metadata": {"name": "web-1", "generateName": "web-", "namespace": "shop", "uid": "u-1",
    "resourceVersion": "4711", "generation": 3, "creationTimestamp": "2026-07-24T10:00:00Z",
    "deletionTimestamp": "2026-07-24T10:00:00Z", "deletionGracePeriodSeconds": 30,
    "labels": {"app": "web", "tier": ""}, "annotations": {"kubernetes.io/config.mirror": "x"},
    "ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "u-9", "controller": true}]},
  "spec": {
    "containers": [{"name": "app", "image": "image",
      "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "1500m", "memory": "512Mi"}},
      "resizePolicy": [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]}],
    "initContainers": [{"name": "mesh", "resources": {}, "restartPolicy": "Always"}],
    "terminationGracePeriodSeconds": 45, "nodeName": "node-1",
    "schedulerName": "default-scheduler", "priority": -7, "preemptionPolicy": "Never",
    "overhead": {"cpu": "10m"}, "resourceClaims": [{"name": "gpu"}],
    "resources": {"limits": {"memory": "2Gi"}, "requests": {"cpu": "2"}},
    "schedulingGroup": {"podGroupName": "gang"}},
  "status": {"phase": "Running", "qosClass": "Burstable", "startTime": "2026-07-24T10:00:00Z",
    "nominatedNodeName": "node-2",
    "conditions": [
      {"type": "PodResizePending", "status": "True", "reason": "Deferred", "message": "no room",
       "lastTransitionTime": "2026-07-24T10:00:00Z", "observedGeneration": 3},
      {"type": "Ready", "status": "True", "lastTransitionTime": null}],
    "containerStatuses": [{"name": "app", "state": {"running": {}},
      "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "900m"}}}],
    "initContainerStatuses": [{"name": "mesh", "state": {"terminated": {"exitCode": 0}}}],
    "allocatedResources": {"cpu": "1010m"}, "resources": {"requests": {"cpu": "910m"}},
    "nodeAllocatableResourceClaimStatuses": [
      {"resourceClaimName": "cpus", "containers": ["app", "mesh"],
       "mapping": [{"name": "cpu", "quantity": "2"}],
       "overhead": [{"name": "memory", "perPod": "1Mi", "perContainer": "2Mi"}]},
      {"resourceClaimName": "older", "resources": {"memory": "1Gi"}}]}})";

TEST(ProtobufObject, APodByHandIsTheSameAsItsJson) {
  const auto json = parse_json(kGoldenPod);
  ASSERT_TRUE(json) << json.error().message;
  const auto expected = decode_pod(*json);
  ASSERT_TRUE(expected) << expected.error().message;
  const auto pod = from("Pod", golden_pod(), decode_pod);
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(*pod, *expected);
  EXPECT_EQ(pod->claimed.size(), 3);
  EXPECT_EQ(pod->priority, -7);
  EXPECT_EQ(pod->conditions[1].observed_generation, std::nullopt);  // 0 is "not set" in Go
  EXPECT_EQ(pod->containers[0].state, policy::RunState::Terminated);
}

TEST(ProtobufObject, ANodeByHand) {
  const std::string condition =
      bytes(1, "Ready") + bytes(2, "False") + bytes(3, time()) + bytes(4, time());
  const auto node = from("Node",
                         bytes(1, bytes(1, "n1") + bytes(5, "u-n") + bytes(6, "9") +
                                      entry(12, "elbowroom.dev/critical-preemption", "node")) +
                             bytes(2, number(4, 1) + bytes(8, bytes(1, "a.io/x"))) +
                             bytes(3, amount(1, "cpu", "9") + amount(2, "cpu", "3920m") +
                                          amount(2, "pods", "110") + bytes(4, condition)),
                         decode_node);
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->name, "n1");
  EXPECT_EQ(node->uid, "u-n");
  EXPECT_EQ(node->resource_version, "9");
  EXPECT_EQ(node->allocatable.cpu.value, 3920);
  EXPECT_EQ(node->allowed_pods, 110);
  EXPECT_TRUE(node->unschedulable);
  EXPECT_TRUE(node->critical_preemption_by_node);
  EXPECT_EQ(node->ready, policy::NodeReady::False);
  EXPECT_THAT(node->resize_preemption_owners, testing::ElementsAre("a.io/x"));
}

TEST(ProtobufObject, ABudgetByHand) {
  const std::string expression = bytes(1, "tier") + bytes(2, "In") + bytes(3, "a") + bytes(3, "b");
  const auto budget =
      from("PodDisruptionBudget",
           bytes(1, bytes(1, "web") + bytes(3, "shop") + bytes(5, "u-b")) +
               bytes(2, bytes(1, number(1, 0) + number(2, 2) + bytes(3, "")) +
                            bytes(2, entry(1, "app", "web") + bytes(2, expression)) +
                            bytes(4, "AlwaysAllow")) +
               bytes(3, number(1, 1) + entry(2, "web-1", time()) + number(3, 4) + number(4, 5) +
                            number(5, 2)),
           decode_pod_disruption_budget);
  ASSERT_TRUE(budget) << budget.error().message;
  EXPECT_EQ(budget->ns, "shop");
  EXPECT_EQ(budget->disruptions_allowed, 4);
  EXPECT_EQ(budget->unhealthy, policy::UnhealthyPodEviction::AlwaysAllow);
  EXPECT_EQ(budget->current_healthy, 5);
  EXPECT_EQ(budget->desired_healthy, 2);
  EXPECT_TRUE(budget->disrupted_pods.contains("web-1"));
  ASSERT_TRUE(budget->selector);
  EXPECT_EQ(budget->selector->match_labels.at("app"), "web");
  EXPECT_THAT(budget->selector->expressions.at(0).values, testing::ElementsAre("a", "b"));

  // A selector that is present and empty covers everything; no selector covers nothing.
  const std::string metadata = bytes(1, bytes(1, "web"));
  const auto all =
      from("PodDisruptionBudget", metadata + bytes(2, bytes(2, "")), decode_pod_disruption_budget);
  EXPECT_TRUE(all && all->selector);
  const auto nothing =
      from("PodDisruptionBudget", metadata + bytes(2, ""), decode_pod_disruption_budget);
  EXPECT_TRUE(nothing && !nothing->selector);
}

std::string json_of(std::string_view kind, const std::string& message) {
  const auto value = protobuf_message(kind, message);
  return value ? to_json(*value) : "error: " + value.error().message;
}

TEST(ProtobufObject, WhatComesTwiceIsMergedAndTheLastOneCounts) {
  EXPECT_EQ(json_of("Pod", bytes(1, bytes(1, "a") + bytes(1, "b")) + bytes(1, bytes(3, "ns"))),
            R"({"metadata":{"name":"b","namespace":"ns"}})");
  EXPECT_EQ(json_of("Pod", bytes(1, number(7, 3) + number(7, 0))), R"({"metadata":{}})");
  EXPECT_EQ(json_of("Pod", bytes(1, entry(11, "b", "1") + entry(11, "a", "2") +
                                        entry(11, "b", "3") + bytes(11, ""))),
            R"({"metadata":{"labels":{"":"","a":"2","b":"3"}}})");
}

TEST(ProtobufObject, WhatIsNotKnownIsPassedOver) {
  EXPECT_EQ(json_of("Pod", bytes(900, "x") + number(901, 5) + varint(902 << 3 | 1) + "12345678" +
                               varint(903 << 3 | 5) + "1234" + bytes(1, bytes(1, "a"))),
            R"({"metadata":{"name":"a"}})");
}

TEST(ProtobufObject, BytesThatAreNoUtf8AreMarkedAsGoDoes) {
  EXPECT_EQ(json_of("Pod", bytes(1, bytes(1, "a\xff\xc3"s))),
            "{\"metadata\":{\"name\":\"a\xef\xbf\xbd\xef\xbf\xbd\"}}");
}

TEST(ProtobufObject, HostileBytesAreErrors) {
  const std::string broken = "error: the protobuf is broken";
  const std::string eleven = std::string(10, '\xff') + '\1';
  for (const std::string& message :
       {"\x08"s, "\x0a"s, "\x0a\x05x"s, "\x00\x00"s, "\x02\x00"s, "\x0b\x0c"s, "\x0f"s, eleven,
        "\x08"s + eleven, "\x0a"s + eleven, std::string(9, '\xff') + '\2', number(1, 0),
        bytes(1, number(1, 0)), bytes(1, bytes(7, "")), bytes(1, bytes(11, "\x0a")),
        bytes(1, bytes(11, number(1, 1))), bytes(1, bytes(8, bytes(1, ""))),
        bytes(3, bytes(19, bytes(2, number(1, 1)))), varint(std::uint64_t{1} << 35U | 2U) + "a"}) {
    EXPECT_EQ(json_of("Pod", message), broken) << testing::PrintToString(message);
  }
  for (const std::int64_t seconds : {std::int64_t{1} << 62, std::int64_t{-1} << 62}) {
    EXPECT_EQ(json_of("Pod", bytes(1, bytes(1, "a") + bytes(8, number(1, seconds)))),
              R"({"metadata":{"name":"a"}})");
  }
  std::string many;
  for (int i = 0; i < 500'001; ++i) many += "\x12\x00"s;
  EXPECT_EQ(json_of("Pod", bytes(2, many)), "error: the object has more than 500000 values");
}

TEST(ProtobufObject, EveryPrefixOfAPodIsAPodOrAnError) {
  const std::string whole = golden_pod();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto value = protobuf_message("Pod", whole.substr(0, size));
    EXPECT_FALSE(value && decode_pod(*value) == decode_pod(*parse_json(kGoldenPod))) << size;
  }
}

TEST(ProtobufObject, TheRulesOfJsonHold) {
  const std::string metadata = bytes(1, bytes(1, "a") + bytes(5, "u"));
  EXPECT_THAT(from("Pod", metadata, decode_pod).error().message,
              HasSubstr("pod default/a: spec.containers: must name at least one container"));
  const std::string resources = bytes(8, amount(2, "cpu", "-1"));
  EXPECT_THAT(from("Pod", metadata + bytes(2, bytes(2, bytes(1, "c") + resources)), decode_pod)
                  .error()
                  .message,
              HasSubstr("spec.containers[0].resources.requests.cpu: "));
  EXPECT_THAT(from("Node", bytes(1, bytes(1, std::string(254, 'n'))), decode_node).error().message,
              HasSubstr("metadata.name: must be no longer than 253 characters"));
}

TEST(ProtobufObject, AStatusInItsEnvelopeIsAnError) {
  Response response{.status = 410};
  response.body = envelope(
      "v1", "Status",
      bytes(1, "") + bytes(2, "Failure") + bytes(3, "too old") + bytes(4, "Expired") +
          bytes(5, bytes(4, bytes(1, "ResourceVersionTooLarge")) + number(5, 7)) + number(6, 410));
  const Status status = status_from(response, Method::Get);
  EXPECT_TRUE(is_expired(status));
  EXPECT_TRUE(is_version_too_large(status));
  EXPECT_EQ(status.message, "too old");
  EXPECT_EQ(status.retry_after, std::chrono::seconds(7));
}

// ---- lists ----

// "item|item|HEAD" or the error, fed in pieces of that size.
std::string cut(std::string_view body, std::size_t piece, ListLimits limits = {}) {
  ProtobufList list("Pod", limits);
  std::string out;
  for (std::size_t at = 0; at < body.size(); at += piece) {
    const auto fed = list.feed(body.substr(at, piece), [&](std::string_view item) {
      out += std::string(item) + "|";
      return true;
    });
    if (!fed) return out + "error: " + fed.error().message;
  }
  const auto head = list.head();
  return out + (head ? to_json(*head) : "error: " + head.error().message);
}

TEST(ProtobufList, CutsItemsHoweverTheBytesCome) {
  const std::string items = bytes(2, "one") + bytes(2, "") + bytes(2, std::string(300, 'x'));
  struct Case {
    std::string body, expected;
  };
  for (const Case& c : {
           Case{list_envelope("PodList", "7", "more", items),
                "one||" + std::string(300, 'x') +
                    R"(|{"kind":"PodList","metadata":{"resourceVersion":"7","continue":"more"}})"},
           Case{envelope("v1", "PodList", items + bytes(1, bytes(2, "8") + bytes(5, ""))),
                "one||" + std::string(300, 'x') +
                    R"(|{"kind":"PodList","metadata":{"resourceVersion":"8","shardInfo":{}}})"},
           Case{envelope("v1", "PodList", ""), R"({"kind":"PodList","metadata":{}})"},
           Case{envelope("v1", "Status", bytes(4, "Expired") + number(6, 410)),
                R"({"reason":"Expired","code":410,"kind":"Status"})"},
           Case{envelope("v1", "NodeList", items),
                R"(error: the body is no PodList but "NodeList")"},
           Case{"k8s\0"s + bytes(2, items), R"(error: the body is no PodList but "")"},
           Case{"k8s\1"s + bytes(2, items),
                "error: the list does not begin as Kubernetes' protobuf does"},
           Case{R"({"kind":"PodList"})",
                "error: the list does not begin as Kubernetes' protobuf does"},
           Case{"", "error: the list ends in the middle"},
           Case{"k8s\0"s, "error: the list ends in the middle"},
           Case{list_envelope("PodList", "7", "", "") + bytes(2, items),
                "error: the envelope has two objects"},
           Case{"k8s\0"s + bytes(1, bytes(2, "PodList")) + "\x12\x03\x12\x05hello",
                "error: the protobuf is broken: an item reaches beyond its list"},
       }) {
    for (std::size_t piece = 1; piece <= c.body.size() + 1; ++piece) {
      ASSERT_EQ(cut(c.body, piece), c.expected) << " in pieces of " << piece;
    }
    if (c.expected.find("error") != std::string::npos) continue;
    // The envelope's last two fields, which are empty, are four bytes.
    for (std::size_t size = 0; size + 4 < c.body.size(); ++size) {
      EXPECT_THAT(cut(c.body.substr(0, size), 64), HasSubstr("the list ends in the middle"));
    }
  }
}

TEST(ProtobufList, KeepsItsLimits) {
  const std::string body = list_envelope("PodList", "7", "", bytes(2, "123456"));
  EXPECT_THAT(cut(body, 3, {.item_bytes = 5}),
              HasSubstr("error: an item of the list is larger than 5 bytes"));
  EXPECT_EQ(cut(body, 3, {.head_bytes = 4}), "error: the head of the list is larger than 4 bytes");
  EXPECT_EQ(cut(body, 3, {.bytes = 5}), "error: the list is larger than 5 bytes");
  EXPECT_EQ(cut(body, 3, {.bytes = body.size() - 1}),
            "123456|error: the list is larger than " + std::to_string(body.size() - 1) + " bytes");
}

TEST(ProtobufList, StopsWhereItIsTold) {
  ProtobufList list("Pod");
  int items = 0;
  const auto one = [&](std::string_view) { return ++items < 2; };
  const std::string item = bytes(2, "x");
  EXPECT_TRUE(list.feed(list_envelope("PodList", "7", "", item + item + item), one));
  EXPECT_TRUE(list.feed(item, one));
  EXPECT_EQ(items, 2);
}

}  // namespace
}  // namespace elbowroom::api
