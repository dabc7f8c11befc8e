#include "api/codec/decode_pod_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "api/codec/timestamp.h"
#include "api/codec/wire_filter.h"
#include "api/watch/watch_event.h"
#include "base/document.h"
#include "test/wire_bytes.h"

namespace elbowroom::api {
namespace {

using policy::DisruptionMode;
using policy::GroupObstacle;
using policy::PodGroup;
using test::bytes;
using test::envelope;
using test::number;
using testing::HasSubstr;
using testing::StartsWith;

Value tree_of(const std::string& json) {
  auto value = parse_json(json);
  EXPECT_TRUE(value) << value.error().message << "\n" << json;
  return value ? *std::move(value) : Value{};
}

PodGroup group_in(const Value& tree) {
  auto group = decode_pod_group(tree);
  EXPECT_TRUE(group) << group.error().message;
  return group ? *std::move(group) : PodGroup{};
}

PodGroup with_spec(const std::string& spec) {
  return group_in(tree_of(R"({"metadata":{"name":"gang","namespace":"ml"},"spec":)" + spec + "}"));
}

TEST(DecodePodGroup, TakesEveryField) {
  const PodGroup group = group_in(tree_of(R"({
    "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
    "metadata": {"name": "gang", "namespace": "ml", "uid": "u-1", "resourceVersion": "7",
      "creationTimestamp": "2026-07-24T10:00:00Z", "deletionTimestamp": "2026-07-24T11:00:00Z"},
    "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}, "disruptionMode": {"all": {}},
      "priorityClassName": "high", "priority": -5, "preemptionPolicy": "Never",
      "workloadRef": {"workloadName": "train", "templateName": "workers"}},
    "status": {"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "True",
      "reason": "Scheduled", "message": "m", "observedGeneration": 2,
      "lastTransitionTime": "2026-07-24T10:00:01Z"}]}})"));
  EXPECT_EQ(policy::key_of(group), "ml/gang");
  EXPECT_EQ(group.resource_version, "7");
  EXPECT_EQ(group.standing,
            (policy::GroupStanding{.uid = "u-1",
                                   .priority = -5,
                                   .preemption_policy = policy::PreemptionPolicy::Never,
                                   .mode = DisruptionMode::All,
                                   .min_count = 3}));
  EXPECT_TRUE(group.has_priority);
  EXPECT_TRUE(group.has_policy);
  EXPECT_EQ(group.priority_class, "high");
  EXPECT_EQ(group.workload, "train");
  EXPECT_EQ(group.trouble, "");
  EXPECT_EQ(group.created, *parse_timestamp("2026-07-24T10:00:00Z"));
  EXPECT_EQ(group.deletion, *parse_timestamp("2026-07-24T11:00:00Z"));
  EXPECT_EQ(group.conditions,
            (policy::Conditions{{.type = "PodGroupInitiallyScheduled",
                                 .status = "True",
                                 .reason = "Scheduled",
                                 .message = "m",
                                 .observed_generation = 2,
                                 .last_transition = *parse_timestamp("2026-07-24T10:00:01Z")}}));
}

TEST(DecodePodGroup, WhatIsLeftOutIsSingleAndNoGang) {
  for (const char* spec :
       {"null", "{}", R"({"schedulingPolicy":{}})",
        R"({"schedulingPolicy":{"basic":{}},"disruptionMode":{"single":{}}})",
        R"({"schedulingPolicy":{"gang":null},"disruptionMode":{"single":{},"all":null}})",
        R"({"schedulingConstraints":{},"resourceClaims":[]})",
        R"({"schedulingConstraints":{"topology":[]}})", R"({"parentCompositePodGroupName":""})"}) {
    const PodGroup group = with_spec(spec);
    EXPECT_EQ(group.standing, policy::GroupStanding{}) << spec << ": " << group.trouble;
    EXPECT_FALSE(group.has_priority) << spec;
    EXPECT_FALSE(group.has_policy) << spec;
  }
  const PodGroup none = group_in(tree_of(R"({"metadata":{"name":"gang"}})"));
  EXPECT_EQ(policy::key_of(none), "default/gang");
  EXPECT_EQ(none.standing, policy::GroupStanding{});
}

// Source: contract 61.
TEST(DecodePodGroup, TheModeIsAUnionOrAString) {
  for (const auto& [mode, expected] : std::vector<std::pair<const char*, DisruptionMode>>{
           {R"({"single":{}})", DisruptionMode::Single},
           {R"({"all":{}})", DisruptionMode::All},
           {R"("Pod")", DisruptionMode::Single},
           {R"("PodGroup")", DisruptionMode::All},
           {R"("Single")", DisruptionMode::Single},
           {R"("All")", DisruptionMode::All},
           {"null", DisruptionMode::Single}}) {
    const PodGroup group = with_spec(std::string(R"({"disruptionMode":)") + mode + "}");
    EXPECT_EQ(group.standing.mode, expected) << mode;
    EXPECT_EQ(group.trouble, "") << mode;
  }
}

TEST(DecodePodGroup, WhatIsNotUnderstoodIsNamed) {
  for (const auto& [spec, trouble] : std::vector<std::pair<const char*, const char*>>{
           {R"({"disruptionMode":{}})", "spec.disruptionMode: must be single or all"},
           {R"({"disruptionMode":""})", "spec.disruptionMode: must be single or all"},
           {R"({"disruptionMode":"Half"})", "spec.disruptionMode: must be single or all"},
           {R"({"disruptionMode":7})", "spec.disruptionMode: expected a mapping"},
           {R"({"disruptionMode":{"single":{},"all":{}}})",
            "spec.disruptionMode.all: must not stand beside single"},
           {R"({"disruptionMode":{"half":{}}})",
            "spec.disruptionMode.half: is not known to this version"},
           {R"({"disruptionMode":{"all":{},"half":{}}})",
            "spec.disruptionMode.half: is not known to this version"},
           {R"({"schedulingPolicy":{"gang":{"minCount":2},"basic":{}}})",
            "spec.schedulingPolicy.basic: must not stand beside gang"},
           {R"({"schedulingPolicy":{"wave":{}}})",
            "spec.schedulingPolicy.wave: is not known to this version"},
           {R"({"schedulingPolicy":[]})", "spec.schedulingPolicy: expected a mapping"},
           {R"({"schedulingPolicy":{"gang":{}}})",
            "spec.schedulingPolicy.gang.minCount: must be 1 or more"},
           {R"({"schedulingPolicy":{"gang":{"minCount":0}}})",
            "spec.schedulingPolicy.gang.minCount: must be 1 or more"},
           {R"({"schedulingPolicy":{"gang":{"minCount":-3}}})",
            "spec.schedulingPolicy.gang.minCount: -3 is outside 0..2147483647"},
           {R"({"schedulingPolicy":{"gang":{"minCount":2147483648}}})",
            "spec.schedulingPolicy.gang.minCount: 2147483648 is outside 0..2147483647"},
           {R"({"schedulingPolicy":{"gang":{"minCount":"2"}}})",
            "spec.schedulingPolicy.gang.minCount: expected an integer, found a string"},
           {R"({"schedulingPolicy":{"gang":true}})",
            "spec.schedulingPolicy.gang: expected a mapping, found a boolean"},
           {R"({"priority":2147483648})",
            "spec.priority: 2147483648 is outside -2147483648..2147483647"},
           {R"({"preemptionPolicy":1})", "spec.preemptionPolicy: expected a string"},
           {R"({"parentCompositePodGroupName":1})", "spec.parentCompositePodGroupName: expected"},
           {R"({"schedulingConstraints":1})", "spec.schedulingConstraints: expected a mapping"},
           {R"({"resourceClaims":{}})", "spec.resourceClaims: expected a list"},
           {R"({"workloadRef":1})", "spec.workloadRef: expected a mapping"},
           {"[]", "spec: expected a mapping, found a list"}}) {
    const PodGroup group = with_spec(spec);
    EXPECT_EQ(group.standing.obstacle, GroupObstacle::NotUnderstood) << spec;
    EXPECT_THAT(group.trouble, StartsWith(trouble)) << spec;
    EXPECT_EQ(policy::key_of(group), "ml/gang");
  }
}

TEST(DecodePodGroup, ObstaclesHaveAnOrder) {
  constexpr const char* kParent = R"("parentCompositePodGroupName":"jobs")";
  constexpr const char* kTopology = R"("schedulingConstraints":{"topology":[{"key":"rack"}]})";
  constexpr const char* kNewer = R"("schedulingConstraints":{"spread":{}})";
  constexpr const char* kClaims = R"("resourceClaims":[{"name":"gpu"}])";
  constexpr const char* kOdd = R"("disruptionMode":"Half")";
  for (const auto& [members, expected] :
       std::vector<std::pair<std::vector<std::string>, GroupObstacle>>{
           {{kParent}, GroupObstacle::CompositeParent},
           {{kTopology}, GroupObstacle::SchedulingConstraints},
           {{kNewer}, GroupObstacle::SchedulingConstraints},
           {{kClaims}, GroupObstacle::ResourceClaims},
           {{kClaims, kTopology}, GroupObstacle::SchedulingConstraints},
           {{kClaims, kTopology, kParent}, GroupObstacle::CompositeParent},
           {{kClaims, kTopology, kParent, kOdd}, GroupObstacle::NotUnderstood}}) {
    std::string spec;
    for (const std::string& each : members) spec += (spec.empty() ? "{" : ",") + each;
    EXPECT_EQ(with_spec(spec + "}").standing.obstacle, expected) << spec;
  }
}

// What a group says for its members counts although something else in it is not understood.
TEST(DecodePodGroup, WhatIsUnderstoodCountsAllTheSame) {
  const PodGroup group = with_spec(
      R"({"disruptionMode":"Half","priority":7,"schedulingPolicy":{"gang":{"minCount":2}}})");
  EXPECT_EQ(group.standing.priority, 7);
  EXPECT_EQ(group.standing.min_count, 2);
}

TEST(DecodePodGroup, ANewerPreemptionPolicyIsNever) {
  const PodGroup group = with_spec(R"({"preemptionPolicy":"OnSundays"})");
  EXPECT_EQ(group.standing.preemption_policy, policy::PreemptionPolicy::Never);
  EXPECT_EQ(group.trouble, "");
  EXPECT_EQ(with_spec(R"({"preemptionPolicy":"PreemptLowerPriority"})").standing.preemption_policy,
            policy::PreemptionPolicy::PreemptLowerPriority);
}

TEST(DecodePodGroup, TheWorkloadIsNamedInTwoWays) {
  EXPECT_EQ(with_spec(R"({"podGroupTemplateRef":{"workload":{"workloadName":"train"}}})").workload,
            "train");
  EXPECT_EQ(with_spec(R"({"workloadRef":{"workloadName":"train"}})").workload, "train");
}

TEST(DecodePodGroup, BadMetadataIsAnError) {
  for (const char* metadata : {"{}", R"({"name":7})", "[]"}) {
    const auto group = decode_pod_group(tree_of(std::string(R"({"metadata":)") + metadata + "}"));
    ASSERT_FALSE(group) << metadata;
    EXPECT_THAT(group.error().message, StartsWith("pod group without a name")) << metadata;
  }
}

TEST(DecodePodGroup, ItsStatusIsBounded) {
  const auto with_conditions = [](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
      list += (i == 0 ? "" : ",") + (R"({"type":"t)" + std::to_string(i)) + R"("})";
    }
    return group_in(tree_of(R"({"metadata":{"name":"g"},"status":{"conditions":[)" + list + "]}}"));
  };
  EXPECT_EQ(with_conditions(kMaxGroupConditions).conditions.size(), kMaxGroupConditions);
  const PodGroup many = with_conditions(kMaxGroupConditions + 1);
  EXPECT_EQ(many.trouble, "status.conditions: has more than 1000 entries");
  EXPECT_TRUE(many.conditions.empty());
  const std::string long_name(254, 'w');
  EXPECT_EQ(with_spec(R"({"workloadRef":{"workloadName":")" + long_name + R"("}})").trouble,
            "spec.workloadRef.workloadName: must be no longer than 253 characters");
}

TEST(DecodePodGroup, WeighsWhatItHolds) {
  PodGroup small = with_spec("{}");
  PodGroup large = small;
  large.conditions.push_back({.type = "Odd", .message = std::string(10'000, 'x')});
  EXPECT_GT(weight_of(small), sizeof small);
  EXPECT_GT(weight_of(large), weight_of(small) + 10'000);
}

// ---- protobuf ----

struct VersionCase {
  std::string version{};
  std::string json_spec{};
  std::string spec{};
};

// Field by field from the tables of Kubernetes 1.37 and 1.36.
std::vector<VersionCase> every_version() {
  const std::string all = bytes(2, "");
  const std::string gang = bytes(2, number(1, 3));
  const std::string beta = bytes(2, bytes(1, "train") + bytes(2, "workers")) + bytes(3, gang) +
                           bytes(6, all) + bytes(7, "high") + number(8, -5) + bytes(9, "Never");
  const std::string beta_json =
      R"({"workloadRef":{"workloadName":"train","templateName":"workers"},)"
      R"("schedulingPolicy":{"gang":{"minCount":3}},"disruptionMode":{"all":{}},)"
      R"("priorityClassName":"high","priority":-5,"preemptionPolicy":"Never"})";
  return {{"v1beta1", beta_json, beta},
          {"v1alpha3", beta_json, beta},
          {"v1alpha2",
           R"({"podGroupTemplateRef":{"workload":{"workloadName":"train"}},)"
           R"("schedulingPolicy":{"gang":{"minCount":3}},"disruptionMode":"PodGroup",)"
           R"("priorityClassName":"high","priority":-5})",
           bytes(1, bytes(1, bytes(1, "train") + bytes(2, "workers"))) + bytes(2, gang) +
               bytes(5, "PodGroup") + bytes(6, "high") + number(7, -5)}};
}

std::string group_message(const std::string& spec) {
  const std::string time = number(1, 1'784'887'200) + number(2, 0);
  const std::string metadata = bytes(1, "gang") + bytes(3, "ml") + bytes(5, "u-1") + bytes(6, "7") +
                               bytes(8, time) + bytes(14, "scheduling.k8s.io/podgroup-protection");
  const std::string condition = bytes(1, "PodGroupInitiallyScheduled") + bytes(2, "False") +
                                number(3, 2) + bytes(4, time) + bytes(5, "Unschedulable") +
                                bytes(6, "no room");
  return bytes(1, metadata) + bytes(2, spec) + bytes(3, bytes(1, condition));
}

std::string group_json(const std::string& spec) {
  return R"({"metadata":{"name":"gang","namespace":"ml","uid":"u-1","resourceVersion":"7",)"
         R"("creationTimestamp":"2026-07-24T10:00:00Z",)"
         R"("finalizers":["scheduling.k8s.io/podgroup-protection"],"managedFields":[{}]},"spec":)" +
         spec +
         R"(,"status":{"conditions":[{"type":"PodGroupInitiallyScheduled","status":"False",)"
         R"("observedGeneration":2,"lastTransitionTime":"2026-07-24T10:00:00Z",)"
         R"("reason":"Unschedulable","message":"no room"}]}})";
}

PodGroup group_in_protobuf(const std::string& version, const std::string& spec) {
  const auto tree =
      protobuf_message("PodGroup", group_message(spec), {.version = std::string_view(version)});
  EXPECT_TRUE(tree) << tree.error().message;
  return tree ? group_in(*tree) : PodGroup{};
}

PodGroup group_in_filtered_json(const std::string& version, const std::string& spec) {
  const std::optional<WireFilter> json_filter(std::in_place, "PodGroup", WireFilter::Of::Object,
                                              Part::Whole, nullptr, version);
  const auto tree = object_in_json(group_json(spec), json_filter);
  EXPECT_TRUE(tree) << tree.error().message;
  return tree ? group_in(*tree) : PodGroup{};
}

TEST(DecodePodGroup, EveryVersionIsTheSameInJsonAndProtobuf) {
  for (const auto& [version, json_spec, spec] : every_version()) {
    const PodGroup expected = group_in(tree_of(group_json(json_spec)));
    EXPECT_EQ(expected.trouble, "") << version;
    EXPECT_EQ(expected.standing.mode, DisruptionMode::All) << version;
    EXPECT_EQ(expected.standing.min_count, 3) << version;
    EXPECT_EQ(expected.workload, "train") << version;
    EXPECT_EQ(group_in_protobuf(version, spec), expected) << version;
    EXPECT_EQ(group_in_filtered_json(version, json_spec), expected) << version;

    const std::string whole =
        envelope("scheduling.k8s.io/" + version, "PodGroup", group_message(spec));
    const auto object = protobuf_object(whole);
    ASSERT_TRUE(object) << object.error().message;
    EXPECT_EQ(group_in(*object), expected) << version;
    const auto event = event_in_protobuf(bytes(1, "ADDED") + bytes(2, bytes(1, whole)));
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(group_in(event->object), expected) << version;
  }
}

// The filters and tables keep what makes a union, or constraints, say something else.
TEST(DecodePodGroup, ANewerServersFieldIsFoundInBothEncodings) {
  const std::string single = bytes(1, "");
  struct Case {
    std::string json_spec, spec;
    std::string trouble;
    GroupObstacle obstacle = GroupObstacle::NotUnderstood;
  };
  for (const Case& c :
       {Case{R"({"disruptionMode":{"half":{"x":1}}})", bytes(6, bytes(3, "x")), "disruptionMode"},
        Case{R"({"disruptionMode":{"single":{},"half":{}}})",
             bytes(6, single + number(9, 1) + bytes(7, "")), "disruptionMode"},
        Case{R"({"disruptionMode":{"single":{},"all":{}}})", bytes(6, single + bytes(2, "")),
             "disruptionMode"},
        Case{R"({"disruptionMode":{}})", bytes(6, ""), "disruptionMode"},
        Case{R"({"schedulingPolicy":{"wave":{}}})", bytes(3, bytes(3, "")), "schedulingPolicy"},
        Case{R"({"schedulingPolicy":{"basic":{},"gang":{"minCount":2}}})",
             bytes(3, bytes(1, "") + bytes(2, number(1, 2))), "schedulingPolicy"},
        Case{R"({"schedulingPolicy":{"gang":{"minCount":0}}})", bytes(3, bytes(2, number(1, 0))),
             "schedulingPolicy.gang.minCount"},
        Case{R"({"schedulingConstraints":{"spread":{}}})", bytes(4, bytes(2, "")), "",
             GroupObstacle::SchedulingConstraints},
        Case{R"({"schedulingConstraints":{"topology":[{"key":"rack"},{"key":"zone"}]}})",
             bytes(4, bytes(1, bytes(1, "rack")) + bytes(1, bytes(1, "zone"))), "",
             GroupObstacle::SchedulingConstraints},
        Case{R"({"schedulingConstraints":{}})", bytes(4, ""), "", GroupObstacle::None},
        Case{R"({"resourceClaims":[{"name":"gpu"}]})", bytes(5, bytes(1, "gpu")), "",
             GroupObstacle::ResourceClaims},
        Case{R"({"parentCompositePodGroupName":"jobs"})", bytes(1, "jobs"), "",
             GroupObstacle::CompositeParent},
        Case{R"({"schedulingPolicy":{},"newer":{}})", bytes(3, "") + bytes(15, "x"), "",
             GroupObstacle::None}}) {
    const PodGroup in_json = group_in_filtered_json("v1beta1", c.json_spec);
    const PodGroup in_protobuf = group_in_protobuf("v1beta1", c.spec);
    for (const PodGroup* each : {&in_json, &in_protobuf}) {
      EXPECT_EQ(each->standing.obstacle, c.obstacle) << c.json_spec << ": " << each->trouble;
      EXPECT_THAT(each->trouble, HasSubstr(c.trouble)) << c.json_spec;
      EXPECT_EQ(each->trouble.empty(), c.trouble.empty()) << c.json_spec;
    }
    EXPECT_EQ(in_json.standing, in_protobuf.standing) << c.json_spec;
  }
}

TEST(DecodePodGroup, HostileBytesAreErrorsOrGroups) {
  for (const auto& [version, json_spec, spec] : every_version()) {
    const PodGroup whole = group_in_protobuf(version, spec);
    const std::string message = group_message(spec);
    for (std::size_t size = 0; size < message.size(); ++size) {
      const auto tree = protobuf_message("PodGroup", message.substr(0, size),
                                         {.version = std::string_view(version)});
      EXPECT_FALSE(tree && decode_pod_group(*tree) == Result<PodGroup>(whole)) << size;
    }
    for (std::size_t at = 0; at < message.size(); ++at) {
      std::string turned = message;
      turned[at] = static_cast<char>(turned[at] ^ 0x7f);
      const auto tree =
          protobuf_message("PodGroup", turned, {.version = std::string_view(version)});
      if (tree) static_cast<void>(decode_pod_group(*tree));
    }
  }
  // A field of another type than upstream's.
  for (const std::string& spec : {number(1, 1), bytes(8, "x"), number(3, 1),
                                  bytes(3, bytes(2, bytes(1, ""))), number(6, 0)}) {
    EXPECT_FALSE(protobuf_message("PodGroup", group_message(spec)));
  }
  // One note for any number of unknown members.
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += number(9, 1);
  EXPECT_EQ(group_in_protobuf("v1beta1", bytes(6, many)).trouble,
            "spec.disruptionMode.unknown: is not known to this version");
}

}  // namespace
}  // namespace elbowroom::api
