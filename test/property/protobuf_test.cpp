// An object decodes to the same value from JSON and from protobuf. The encoder is the lab's, whose
// numbers and rules are in its own tables (lab/schema/wire_numbers.cpp);
// test/unit/api/protobuf_test.cpp has golden bytes written by hand.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_cluster_pod.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod.h"
#include "api/codec/decode_pod_group.h"
#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "api/codec/wire_filter.h"
#include "base/document_text.h"
#include "base/json_filter.h"
#include "lab/schema/protobuf_object.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::test {
namespace {

using lab::Json;

bool chance(int one_in) { return *rc::gen::inRange(0, one_in) == 0; }

std::string one_of(const std::vector<std::string>& texts) { return *rc::gen::elementOf(texts); }

std::string name() {
  return one_of({"web", "a", "db-0", "", "\xc3\xa4", "x\ny", std::string(254, 'n')});
}
std::string sound_name() { return one_of({"web", "a", "db-0"}); }

std::string quantity() {
  if (chance(300)) return one_of({"-1", "abc", "", "1e30", "9223372036854775808"});
  return one_of({"0", "1", "100m", "1500m", "2Gi", "64Mi", "1e3", "0.5", "12k"});
}

std::string time() {
  return one_of({"2026-07-24T10:00:00Z", "1999-12-31T23:59:59Z", "0001-01-02T00:00:00Z"});
}

// Go omits empty values, so an empty mapping is absent.
void put_map(Json& object, const std::string& key, const Json& map) {
  if (!map.empty()) object[key] = map;
}

Json amounts() {
  Json map = Json::object();
  for (const char* resource : {"cpu", "memory", "ephemeral-storage", "pods", "example.com/gpu"}) {
    if (chance(3)) map[resource] = quantity();
  }
  return map;
}

Json labels() {
  Json map = Json::object();
  for (const char* key : {"app", "tier", ""}) {
    if (chance(3)) map[key] = name();
  }
  return map;
}

Json requirements() {
  Json made = Json::object();
  put_map(made, "requests", amounts());
  put_map(made, "limits", amounts());
  return made;
}

// Each at random, with the API server's own types.
Json metadata() {
  Json made = {{"name", chance(20) ? name() : sound_name()}};
  if (chance(2)) made["namespace"] = name();
  if (!chance(10)) made["uid"] = "u-" + sound_name();
  if (chance(2)) made["resourceVersion"] = "4711";
  if (chance(2)) made["generation"] = *rc::gen::inRange(-1, 4);
  if (chance(2)) made["creationTimestamp"] = time();
  if (chance(3)) made["deletionTimestamp"] = time();
  if (chance(3)) made["deletionGracePeriodSeconds"] = chance(40) ? -1 : *rc::gen::inRange(0, 60);
  put_map(made, "labels", labels());
  Json annotations = labels();
  if (chance(4)) annotations["kubernetes.io/config.mirror"] = "x";
  if (chance(4)) annotations["kubernetes.io/config.source"] = one_of({"api", "file"});
  if (chance(4)) annotations["elbowroom.dev/disable-resize-preemption"] = "a.io/x,b";
  if (chance(4)) annotations["elbowroom.dev/critical-preemption"] = "node";
  if (chance(4)) {
    annotations["scheduler.alpha.kubernetes.io/preferAvoidPods"] = one_of(
        {"broken", R"({"preferAvoidPods": [{"podSignature": {"podController": {"uid": "u"}}}]})"});
  }
  put_map(made, "annotations", annotations);
  for (int owners = *rc::gen::inRange(0, 3); owners > 0; --owners) {
    Json owner = {{"kind", "ReplicaSet"}, {"name", name()}, {"uid", "u"}, {"apiVersion", "v1"}};
    if (chance(2)) owner["controller"] = chance(2);
    made["ownerReferences"].push_back(owner);
  }
  return made;
}

Json conditions(const std::vector<std::string>& types, bool observe) {
  Json list = Json::array();
  for (int count = *rc::gen::inRange(0, 4); count > 0; --count) {
    Json one = {{"type", one_of(types)}, {"status", one_of({"True", "False", "Unknown"})}};
    if (chance(2)) one["reason"] = one_of({"Deferred", "Infeasible"});
    if (chance(2)) one["message"] = name();
    if (chance(2)) one["lastTransitionTime"] = time();
    if (observe && chance(2)) one["observedGeneration"] = *rc::gen::inRange(1, 4);
    list.push_back(one);
  }
  return list;
}

Json container(int index, bool is_init) {
  Json made = {{"name", chance(20) ? name() : "c" + std::to_string(index)}};
  if (chance(2)) made["image"] = name();
  for (int ports = *rc::gen::inRange(0, 3); ports > 0; --ports) {
    Json port = {{"containerPort", *rc::gen::inRange(1, 4)}};
    if (chance(2)) port["hostPort"] = chance(40) ? 65536 : *rc::gen::inRange(1, 4);
    if (chance(2)) port["protocol"] = chance(40) ? "ICMP" : one_of({"TCP", "UDP", "SCTP"});
    if (chance(3)) port["hostIP"] = one_of({"0.0.0.0", "10.0.0.1", "::1"});
    made["ports"].push_back(port);
  }
  if (!chance(4)) made["resources"] = requirements();
  if (is_init && chance(2)) made["restartPolicy"] = one_of({"Always", "Never"});
  if (chance(3)) {
    made["resizePolicy"].push_back(
        {{"resourceName", one_of({"cpu", "memory"})},
         {"restartPolicy", one_of({"NotRequired", "RestartContainer"})}});
  }
  if (chance(3)) made["env"].push_back({{"name", "A"}, {"value", "b"}});
  return made;
}

Json claim_status() {
  Json made = {{"resourceClaimName", name()}};
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    made["containers"].push_back("c" + std::to_string(count));
  }
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    Json mapped = {{"name", one_of({"cpu", "memory", "hugepages-2Mi", "pods"})}};
    if (!chance(4)) mapped["quantity"] = quantity();
    made["mapping"].push_back(mapped);
  }
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    Json overhead = {{"name", one_of({"cpu", "memory"})}};
    if (!chance(3)) overhead["perPod"] = quantity();
    if (!chance(3)) overhead["perContainer"] = quantity();
    made["overhead"].push_back(overhead);
  }
  return made;
}

Json container_status(int index) {
  Json made = {{"name", "c" + std::to_string(index)}, {"ready", chance(2)}, {"image", "i"}};
  if (!chance(4)) {
    const std::string state = one_of({"running", "waiting", "terminated"});
    made["state"][state] = Json::object();
    if (state == "terminated") made["state"][state]["exitCode"] = *rc::gen::inRange(-1, 2);
  }
  put_map(made, "allocatedResources", amounts());
  if (chance(2)) made["resources"] = requirements();
  return made;
}

// Invalid with a chance of one in forty; otherwise nearly every pod would be refused.
Json expression(const std::vector<std::string>& with_values) {
  Json made = {{"key", "app"}};
  if (chance(3)) {
    made["operator"] = chance(40) ? "Like" : one_of({"Exists", "DoesNotExist"});
  } else {
    made["operator"] = one_of(with_values);
    for (int values = *rc::gen::inRange(1, 3); values > 0; --values) {
      made["values"].push_back(name());
    }
    if (made["operator"] == "Gt" || made["operator"] == "Lt") made["values"] = {"17"};
  }
  return made;
}

Json selector() {
  Json made = Json::object();
  put_map(made, "matchLabels", labels());
  for (int count = *rc::gen::inRange(0, 2); count > 0; --count) {
    made["matchExpressions"].push_back(expression({"In", "NotIn"}));
  }
  return made;
}

Json node_term() {
  Json made = Json::object();
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    made["matchExpressions"].push_back(expression({"In", "NotIn", "Gt", "Lt"}));
  }
  if (chance(4)) {
    made["matchFields"].push_back(
        {{"key", "metadata.name"}, {"operator", one_of({"In", "NotIn"})}, {"values", {name()}}});
  }
  return made;
}

Json pod_term() {
  Json made = {{"topologyKey", chance(60) ? "" : "zone"}};
  if (!chance(4)) made["labelSelector"] = selector();
  if (chance(3)) made["namespaceSelector"] = selector();
  if (chance(3)) made["namespaces"] = {name(), "b", "a"};
  if (chance(3)) made["matchLabelKeys"] = {"app"};
  if (chance(3)) made["mismatchLabelKeys"] = {"tier", "app"};
  return made;
}

Json weighted(const std::string& key, const Json& term) {
  return {{"weight", chance(40) ? 0 : *rc::gen::inRange(1, 101)}, {key, term}};
}

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

Json affinity() {
  Json made = Json::object();
  if (chance(2)) {
    Json nodes = Json::object();
    if (chance(2)) nodes[kRequired]["nodeSelectorTerms"] = {node_term(), node_term()};
    if (chance(2)) nodes[kPreferred] = Json::array({weighted("preference", node_term())});
    made["nodeAffinity"] = nodes;
  }
  for (const char* key : {"podAffinity", "podAntiAffinity"}) {
    if (chance(2)) continue;
    Json pods = Json::object();
    if (chance(2)) pods[kRequired] = {pod_term(), pod_term()};
    if (chance(2)) pods[kPreferred] = Json::array({weighted("podAffinityTerm", pod_term())});
    made[key] = pods;
  }
  return made;
}

Json toleration() {
  Json made = {{"operator", chance(40) ? "Like" : "Exists"}};
  if (chance(2)) made["key"] = "a";
  if (made.contains("key") && chance(2)) {
    made["operator"] = one_of({"Equal", "", "Gt"});
    made["value"] = name();
  }
  if (chance(2)) made["effect"] = one_of({"NoSchedule", "PreferNoSchedule", "NoExecute", ""});
  return made;
}

Json spread() {
  Json made = {{"maxSkew", chance(40) ? 0 : *rc::gen::inRange(1, 4)},
               {"topologyKey", "zone"},
               {"whenUnsatisfiable", one_of({"DoNotSchedule", "ScheduleAnyway"})}};
  if (!chance(4)) made["labelSelector"] = selector();
  if (chance(3)) made["minDomains"] = *rc::gen::inRange(1, 4);
  if (chance(3)) made["nodeAffinityPolicy"] = one_of({"Honor", "Ignore"});
  if (chance(3)) made["nodeTaintsPolicy"] = one_of({"Honor", "Ignore"});
  if (chance(3)) made["matchLabelKeys"] = {"app", "tier"};
  return made;
}

void put_placement(Json& spec) {
  put_map(spec, "nodeSelector", chance(2) ? labels() : Json::object());
  if (chance(2)) spec["affinity"] = affinity();
  if (chance(2)) spec["tolerations"] = {toleration(), toleration()};
  if (chance(3)) spec["topologySpreadConstraints"] = Json::array({spread()});
  if (chance(4)) spec["schedulingGates"].push_back({{"name", sound_name()}});
  if (chance(4)) spec["hostNetwork"] = chance(2);
  for (const char* source :
       {"persistentVolumeClaim", "ephemeral", "emptyDir", "configMap", "image"}) {
    if (!chance(6)) continue;
    Json volume = {{"name", "v"}};
    volume[source] = Json::object();
    if (std::string(source) == "persistentVolumeClaim") volume[source]["claimName"] = "c";
    if (std::string(source) == "image") volume[source]["reference"] = name();
    spec["volumes"].push_back(volume);
  }
}

Json pod() {
  Json spec = Json::object();
  if (chance(2)) put_placement(spec);
  Json status = Json::object();
  int index = 0;
  for (const bool is_init : {true, false}) {
    for (int count = *rc::gen::inRange(is_init ? 0 : 1, 3); count > 0; --count, ++index) {
      spec[is_init ? "initContainers" : "containers"].push_back(container(index, is_init));
      if (!chance(4)) {
        status[is_init ? "initContainerStatuses" : "containerStatuses"].push_back(
            container_status(index));
      }
    }
  }
  if (chance(2)) spec["nodeName"] = name();
  if (chance(2)) spec["schedulerName"] = name();
  if (chance(2)) spec["priority"] = *rc::gen::inRange(-3, 3);
  if (chance(3)) {
    spec["preemptionPolicy"] =
        chance(40) ? "Sometimes" : one_of({"Never", "PreemptLowerPriority", ""});
  }
  if (chance(2)) spec["terminationGracePeriodSeconds"] = chance(40) ? -1 : *rc::gen::inRange(0, 60);
  if (chance(4)) spec["resources"] = requirements();
  if (chance(4)) spec["schedulingGroup"] = {{"podGroupName", name()}};
  if (chance(4)) spec["resourceClaims"].push_back({{"name", "gpu"}});
  put_map(spec, "overhead", amounts());

  status["phase"] = one_of({"", "Pending", "Running", "Succeeded", "Failed", "Odd"});
  if (chance(2)) status["qosClass"] = one_of({"Guaranteed", "Burstable", "BestEffort"});
  if (chance(2)) status["startTime"] = time();
  if (chance(3)) status["nominatedNodeName"] = name();
  status["conditions"] =
      conditions({"PodResizePending", "PodResizeInProgress", "Ready", "DisruptionTarget"}, true);
  put_map(status, "allocatedResources", amounts());
  if (chance(4)) status["resources"] = requirements();
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    status["nodeAllocatableResourceClaimStatuses"].push_back(claim_status());
  }
  return {{"metadata", metadata()}, {"spec", spec}, {"status", status}};
}

Json node() {
  Json spec = Json::object();
  if (chance(2)) spec["unschedulable"] = chance(2);
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    Json taint = {
        {"key", sound_name()},
        {"effect", chance(40) ? "" : one_of({"NoSchedule", "PreferNoSchedule", "NoExecute"})}};
    if (chance(2)) taint["value"] = name();
    spec["taints"].push_back(taint);
  }
  if (chance(2)) {
    spec["podPreemptionPolicy"] = Json::object();
    for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
      spec["podPreemptionPolicy"]["disableResizePreemption"].push_back(
          one_of({"a.io/x", "b", "no key!"}));
    }
  }
  Json status = {{"conditions", conditions({"Ready", "DiskPressure"}, false)}};
  put_map(status, "capacity", amounts());
  put_map(status, "allocatable", amounts());
  for (int count = *rc::gen::inRange(0, 4); count > 0; --count) {
    Json image = {{"names", Json::array()}};
    for (int names = *rc::gen::inRange(0, 7); names > 0; --names) image["names"].push_back(name());
    if (chance(2)) image["sizeBytes"] = *rc::gen::inRange(-1, 1'000'000);
    status["images"].push_back(image);
  }
  return {{"metadata", metadata()}, {"spec", spec}, {"status", status}};
}

Json budget() {
  Json spec = Json::object();
  if (chance(2)) spec["minAvailable"] = chance(2) ? Json("50%") : Json(2);
  if (!chance(4)) {
    Json selector = Json::object();
    put_map(selector, "matchLabels", labels());
    for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
      Json one = {{"key", one_of({"app", ""})},
                  {"operator", one_of({"In", "NotIn", "Exists", "DoesNotExist", "Like"})}};
      for (int values = *rc::gen::inRange(0, 3); values > 0; --values) {
        one["values"].push_back(name());
      }
      selector["matchExpressions"].push_back(one);
    }
    spec["selector"] = selector;
  }
  Json status = {{"disruptionsAllowed", *rc::gen::inRange(-1, 4)}};
  if (chance(2)) status["disruptedPods"][sound_name()] = time();
  return {{"metadata", metadata()}, {"spec", spec}, {"status", status}};
}

// A union for the mode, as v1beta1 and v1alpha3 have it; some of it sound, some not.
Json pod_group() {
  Json spec = Json::object();
  if (chance(2)) spec["priority"] = *rc::gen::inRange(-5, 2'000'000'000);
  if (chance(4)) spec["priorityClassName"] = sound_name();
  if (chance(4)) spec["preemptionPolicy"] = one_of({"Never", "PreemptLowerPriority", "OnSundays"});
  if (chance(2)) {
    spec["schedulingPolicy"]["gang"]["minCount"] = *rc::gen::inRange(-1, 300);
  } else if (chance(2)) {
    spec["schedulingPolicy"]["basic"] = Json::object();
  }
  if (chance(2)) spec["disruptionMode"][chance(2) ? "all" : "single"] = Json::object();
  if (chance(8)) spec["parentCompositePodGroupName"] = sound_name();
  if (chance(8)) spec["schedulingConstraints"]["topology"].push_back({{"key", sound_name()}});
  if (chance(8)) spec["resourceClaims"].push_back({{"name", sound_name()}});
  if (chance(4)) {
    spec["workloadRef"] = {{"workloadName", sound_name()}, {"templateName", sound_name()}};
  }
  const Json status = {
      {"conditions", conditions({"PodGroupInitiallyScheduled", "DisruptionTarget"}, false)}};
  return {{"metadata", metadata()}, {"spec", spec}, {"status", status}};
}

// The decoder reads nothing of what a watch leaves out of an object's JSON.
template <class Decode>
void expect_nothing_missed(const lab::Kind& kind, const Json& object, Decode decode) {
  using Of = api::WireFilter::Of;
  const auto whole = parse_json(object.dump());
  RC_ASSERT(whole.has_value());
  const auto alone = parse_json(object.dump(), {}, api::WireFilter(kind.name, Of::Object));
  RC_ASSERT(alone.has_value());
  const bool are_equal = decode(*alone) == decode(*whole);
  RC_ASSERT(are_equal);
  const Json event = {{"type", "MODIFIED"}, {"object", object}};
  const auto told = parse_json(event.dump(), {}, api::WireFilter(kind.name, Of::Event));
  RC_ASSERT(told.has_value());
  RC_ASSERT(api::text_at(*told, "type") == "MODIFIED");
  RC_ASSERT(to_json_line(*told->find("object")) == to_json_line(*alone));
}

template <class Decode>
void expect_equal(const lab::Kind& kind, const Json& object, Decode decode) {
  RC_LOG() << object.dump(1);
  const auto message = lab::protobuf_item(kind, object);
  RC_ASSERT(message.has_value());
  const auto value = api::protobuf_message(kind.name, *message);
  RC_ASSERT(value.has_value());
  const auto by_protobuf = decode(*value);
  const auto by_json = decode(lab::to_value(object));
  const bool are_equal = by_protobuf == by_json;
  if (!by_protobuf) RC_LOG() << "\nby protobuf: " << by_protobuf.error().message;
  if (!by_json) RC_LOG() << "\nby JSON: " << by_json.error().message;
  RC_ASSERT(are_equal);
  RC_CLASSIFY(by_json.has_value(), "sound");
  expect_nothing_missed(kind, object, decode);
}

TEST(Protobuf, APodIsTheSameAsInJson) {
  const lab::Kind& kind = *lab::find_kind("", "v1", "pods");
  EXPECT_TRUE(rc::check([&] { expect_equal(kind, pod(), api::decode_pod); }));
  EXPECT_TRUE(rc::check([&] {
    expect_equal(kind, pod(), [](const Value& value) { return api::decode_cluster_pod(value); });
  }));
}
TEST(Protobuf, ANodeIsTheSameAsInJson) {
  const lab::Kind& kind = *lab::find_kind("", "v1", "nodes");
  EXPECT_TRUE(rc::check([&] { expect_equal(kind, node(), api::decode_node); }));
}
TEST(Protobuf, ABudgetIsTheSameAsInJson) {
  const lab::Kind& kind = *lab::find_kind("policy", "v1", "poddisruptionbudgets");
  EXPECT_TRUE(rc::check([&] { expect_equal(kind, budget(), api::decode_pod_disruption_budget); }));
}
TEST(Protobuf, APodGroupIsTheSameAsInJson) {
  for (const char* version : {"v1beta1", "v1alpha3"}) {
    const lab::Kind& kind = *lab::find_kind("scheduling.k8s.io", version, "podgroups");
    EXPECT_TRUE(rc::check([&] { expect_equal(kind, pod_group(), api::decode_pod_group); }));
  }
}

}  // namespace
}  // namespace elbowroom::test
