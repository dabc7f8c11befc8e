// Pod groups and workloads as the lab's API server serves them. Codes and texts are those of
// kube-apiserver 1.37 (test/upstream).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/apiserver/api_service.h"
#include "lab/schema/protobuf_body.h"
#include "lab/schema/protobuf_object.h"
#include "lab/world/pod_group_rules.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::outcome;

const Kind& groups(std::string_view version = "v1beta1") {
  return *find_kind("scheduling.k8s.io", version, "podgroups");
}
const Kind& workloads() { return *find_kind("scheduling.k8s.io", "v1beta1", "workloads"); }
const Kind& classes() { return *find_kind("scheduling.k8s.io", "v1", "priorityclasses"); }

class PodGroupTest : public ::testing::Test {
 protected:
  PodGroupTest() {
    make_class("high", 1000, R"({"preemptionPolicy":"Never"})");
    make_class("low", 10, "{}");
  }

  void make_class(const std::string& name, int value, const char* more) {
    Json object = {{"metadata", {{"name", name}}}, {"value", value}};
    object.update(Json::parse(more));
    EXPECT_TRUE(world_.create(classes(), "", object));
  }

  // A group with that spec, merged into a gang of two.
  Answer<Object> make(const char* spec, const std::string& name = "train") {
    Json object = Json::parse(R"({"spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})");
    object["metadata"]["name"] = name;
    object["spec"].merge_patch(Json::parse(spec));
    return world_.create(groups(), "default", object);
  }
  Answer<Object> patch(const char* text, Subresource part = Subresource::None) {
    return world_.patch({&groups(), "default", "train", part}, PatchType::Merge, Json::parse(text));
  }
  ApiReply ask(const std::string& method, const std::string& path, const std::string& body = "",
               const std::string& type = "application/json") {
    return service_.answer(
        {.method = method, .path = path, .headers = {{"content-type", type}}, .body = body});
  }

  static constexpr const char* kBeta = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/";
  static constexpr const char* kAlpha = "/apis/scheduling.k8s.io/v1alpha3/namespaces/default/";

  World world_{{}};
  ApiService service_{world_};
};

TEST_F(PodGroupTest, CreationSetsWhatTheServerOwns) {
  const auto made = make("{}");
  ASSERT_EQ(outcome(made), "ok") << testing::message_of(made);
  EXPECT_EQ((*made)["spec"], Json::parse(R"({"schedulingPolicy":{"gang":{"minCount":2}},
      "disruptionMode":{"single":{}},"priority":0,"preemptionPolicy":"PreemptLowerPriority"})"));
  EXPECT_EQ((*made)["status"], Json::object());
  EXPECT_EQ((*made)["metadata"]["finalizers"],
            Json::array({"scheduling.k8s.io/podgroup-protection"}));
  EXPECT_EQ(find_at(*made, {"metadata", "generation"}), nullptr);
}

TEST_F(PodGroupTest, TheStatusOfANewGroupIsNotTheClients) {
  Json object = Json::parse(R"({"metadata":{"name":"g"},"spec":{"schedulingPolicy":{"basic":{}}},
      "status":{"conditions":[{"type":"A","status":"True"}]}})");
  EXPECT_EQ((*world_.create(groups(), "default", object))["status"], Json::object());
}

TEST_F(PodGroupTest, ItsPriorityIsThatOfItsClassElseTheDefaultElseZero) {
  const auto said = [](const Answer<Object>& group) {
    if (!group) return outcome(group);
    return std::to_string(integer_at(*group, {"spec", "priority"}).value_or(-1)) + " " +
           text_at(*group, {"spec", "priorityClassName"}) + " " +
           text_at(*group, {"spec", "preemptionPolicy"});
  };
  EXPECT_EQ(said(make("{}", "a")), "0  PreemptLowerPriority");
  EXPECT_EQ(said(make(R"({"priorityClassName":"high","preemptionPolicy":"Never"})", "b")),
            "1000 high Never");
  EXPECT_EQ(said(make(R"({"priorityClassName":"low","priority":10})", "c")),
            "10 low PreemptLowerPriority");
  make_class("usual", 7, R"({"globalDefault":true})");
  EXPECT_EQ(said(make("{}", "d")), "7 usual PreemptLowerPriority");
}

TEST_F(PodGroupTest, AdmissionAndValidationRefuseInUpstreamsWords) {
  struct Row {
    const char* spec;
    int code;
    const char* message;
  };
  const Row rows[] = {
      {R"({"priorityClassName":"none"})", 403,
       R"(podgroups.scheduling.k8s.io "train" is forbidden: no PriorityClass with name none was found)"},
      {R"({"priorityClassName":"low","priority":11})", 403,
       "priority set in the pod group (11) must match the priority computed (10) based on the "
       "priority class set in the spec"},
      {R"({"priority":1})", 403,
       "priority set in the pod group (1) must match the priority computed (0)"},
      {R"({"priorityClassName":"low","preemptionPolicy":"Never"})", 403,
       "the string value of PreemptionPolicy (Never) must not be provided in pod group spec; "
       "priority admission controller computed PreemptLowerPriority from the given PriorityClass "
       "name"},
      {R"({"priorityClassName":"high"})", 403,
       "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod "
       "group spec; priority admission controller computed Never from the given PriorityClass "
       "name"},
      {R"({"disruptionMode":{"single":{},"all":{}}})", 422,
       R"(PodGroup.scheduling.k8s.io "train" is invalid: spec.disruptionMode: Invalid value: )"
       R"("{single, all}": must specify exactly one of: `single`, `all`)"},
      {R"({"disruptionMode":{}})", 422,
       R"(spec.disruptionMode: Invalid value: "": must specify one of: `single`, `all`)"},
      {R"({"schedulingPolicy":{"basic":{}}})", 422,
       "spec.schedulingPolicy: Invalid value: \"{basic, gang}\": must specify exactly one of: "
       "`basic`, `gang`"},
      {R"({"schedulingPolicy":{"gang":null}})", 422,
       "spec.schedulingPolicy: Invalid value: \"\": must specify one of: `basic`, `gang`"},
      {R"({"schedulingPolicy":{"gang":{"minCount":0}}})", 422,
       "spec.schedulingPolicy.gang.minCount: Required value"},
      {R"({"schedulingPolicy":{"gang":{"minCount":-1}}})", 422,
       "spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to "
       "1"},
      {R"({"priorityClassName":"system-node-critical"})", 422,
       "spec.priority: Invalid value: 2000001000: must be less than or equal to 1000000000"},
      {R"({"workloadRef":{"workloadName":"w"}})", 422,
       "spec.workloadRef.templateName: Required value"},
      {R"({"parentCompositePodGroupName":"c"})", 422, "spec.workloadRef: Required value"},
  };
  for (const Row& row : rows) {
    const auto made = make(row.spec);
    ASSERT_FALSE(made) << row.spec;
    EXPECT_EQ(made.error().code, row.code) << row.spec;
    EXPECT_THAT(made.error().message, HasSubstr(row.message)) << row.spec;
  }
}

TEST_F(PodGroupTest, OnlyMinCountChanges) {
  ASSERT_TRUE(make(R"({"priorityClassName":"high","preemptionPolicy":"Never",
      "disruptionMode":{"all":{}}})"));
  struct Row {
    const char* patch;
    const char* message;
  };
  const Row rows[] = {
      {R"({"spec":{"disruptionMode":{"all":null,"single":{}}}})",
       "spec.disruptionMode: Invalid value: null: field is immutable"},
      {R"({"spec":{"disruptionMode":null}})", "spec.disruptionMode: Invalid value: null"},
      {R"({"spec":{"priority":1}})", "spec.priority: Invalid value: null: field is immutable"},
      {R"({"spec":{"priority":null}})", "spec.priority: Invalid value: null: field is immutable"},
      {R"({"spec":{"priorityClassName":"low"}})", "spec.priorityClassName: "},
      {R"({"spec":{"preemptionPolicy":"PreemptLowerPriority"}})", "spec.preemptionPolicy: "},
      {R"({"spec":{"workloadRef":{"workloadName":"w","templateName":"t"}}})", "spec.workloadRef: "},
      {R"({"spec":{"schedulingPolicy":{"gang":null,"basic":{}}}})",
       "[spec.schedulingPolicy.basic: Invalid value: null: field is immutable, "
       "spec.schedulingPolicy.gang: Invalid value: null: field cannot be cleared once set]"},
      {R"({"spec":{"schedulingPolicy":{"gang":{"minCount":0}}}})",
       "spec.schedulingPolicy.gang.minCount: Required value"},
  };
  for (const Row& row : rows) {
    const auto patched = patch(row.patch);
    ASSERT_FALSE(patched) << row.patch;
    EXPECT_EQ(patched.error().code, 422) << row.patch;
    EXPECT_THAT(patched.error().message, HasSubstr(row.message)) << row.patch;
  }
  const auto patched = patch(R"({"spec":{"schedulingPolicy":{"gang":{"minCount":3}}}})");
  ASSERT_EQ(outcome(patched), "ok") << testing::message_of(patched);
  EXPECT_EQ(integer_at(*patched, {"spec", "schedulingPolicy", "gang", "minCount"}), 3);
  EXPECT_EQ(find_at(*patched, {"metadata", "generation"}), nullptr);
}

TEST_F(PodGroupTest, AnUpdateNamesTheVersionThatItReplaces) {
  Json group = make("{}")->json();
  EXPECT_EQ(outcome(world_.update({&groups(), "default", "train"}, group)), "ok");
  group["metadata"].erase("resourceVersion");
  EXPECT_EQ(outcome(world_.update({&groups(), "default", "train"}, group)), "422 Invalid");
}

TEST_F(PodGroupTest, TheStatusIsWrittenApart) {
  ASSERT_TRUE(make("{}"));
  const auto said = patch(R"({"spec":{"priority":5},"status":{"conditions":[
      {"type":"PodGroupInitiallyScheduled","status":"True","reason":"Scheduled"}]}})",
                          Subresource::Status);
  ASSERT_EQ(outcome(said), "ok") << testing::message_of(said);
  EXPECT_EQ(integer_at(*said, {"spec", "priority"}), 0);
  EXPECT_EQ(list_at(*said, {"status", "conditions"}).size(), 1U);
}

TEST_F(PodGroupTest, FieldsWhoseGateIsOffAreDropped) {
  const char* constrained = R"({"schedulingConstraints":{"topology":[{"key":"rack"}]}})";
  EXPECT_EQ(find_at(*make(constrained), {"spec", "schedulingConstraints"}), nullptr);
  World keeps({.keeps_group_constraints = true});
  Json group = Json::parse(R"({"metadata":{"name":"g"},"spec":{"schedulingPolicy":{"basic":{}}}})");
  group["spec"].update(Json::parse(constrained));
  EXPECT_TRUE(present_at(*keeps.create(groups(), "default", group),
                         {"spec", "schedulingConstraints", "topology"}));
}

TEST_F(PodGroupTest, ATextForTheModeIsNoGroupOfTheseVersions) {
  for (const char* path : {kBeta, kAlpha}) {
    const ApiReply reply = ask("POST", std::string(path) + "podgroups", R"({"metadata":{"name":"a"},
        "spec":{"schedulingPolicy":{"basic":{}},"disruptionMode":"All"}})");
    EXPECT_EQ(reply.code, 400);
    EXPECT_THAT(reply.body, HasSubstr("json: cannot unmarshal string into Go struct field "
                                      "PodGroupSpec.spec.disruptionMode of type v1"));
  }
}

TEST_F(PodGroupTest, BothVersionsReadTheSameObjects) {
  const ApiReply made =
      ask("POST", std::string(kAlpha) + "podgroups",
          R"({"metadata":{"name":"a"},"spec":{"schedulingPolicy":{"basic":{}}}})");
  ASSERT_EQ(made.code, 201) << made.body;
  const auto version_in = [](const ApiReply& reply) {
    return text_at(Json::parse(reply.body), {"apiVersion"});
  };
  EXPECT_EQ(version_in(made), "scheduling.k8s.io/v1alpha3");
  Json alpha = Json::parse(ask("GET", std::string(kAlpha) + "podgroups/a").body);
  Json beta = Json::parse(ask("GET", std::string(kBeta) + "podgroups/a").body);
  EXPECT_EQ(text_at(beta, {"apiVersion"}), "scheduling.k8s.io/v1beta1");
  alpha.erase("apiVersion");
  beta.erase("apiVersion");
  EXPECT_EQ(alpha, beta);
  const Json list = Json::parse(ask("GET", std::string(kAlpha) + "podgroups").body);
  EXPECT_EQ(text_at(list, {"apiVersion"}), "scheduling.k8s.io/v1alpha3");
  EXPECT_EQ(text_at(list["items"][0], {"apiVersion"}), "scheduling.k8s.io/v1alpha3");

  constexpr const char* kMerge = "application/merge-patch+json";
  for (const char* path : {kAlpha, kBeta}) {
    const ApiReply patched = ask(
        "PATCH", std::string(path) + "podgroups/a",
        R"({"metadata":{"labels":{"x":")" + std::string(path).substr(24, 2) + R"("}}})", kMerge);
    EXPECT_EQ(patched.code, 200) << patched.body;
    EXPECT_THAT(path, HasSubstr(version_in(patched)));
  }
  const ApiReply removed = ask("DELETE", std::string(kAlpha) + "podgroups/a");
  EXPECT_EQ(version_in(removed), "scheduling.k8s.io/v1alpha3");
  EXPECT_THAT(removed.body, HasSubstr("deletionTimestamp"));
}

TEST_F(PodGroupTest, AWatchTellsItsOwnVersion) {
  const std::uint64_t before = world_.version();
  ASSERT_TRUE(make("{}"));
  for (const char* version : {"v1beta1", "v1alpha3"}) {
    const auto events = world_.changes_after({.kind = &groups(version)}, before, 10);
    ASSERT_EQ(events->size(), 1U);
    EXPECT_EQ(text_at(events->front().object, {"apiVersion"}),
              std::string("scheduling.k8s.io/") + version);
  }
}

TEST_F(PodGroupTest, AppliedInBothVersionsItIsOneObject) {
  WriteOptions options{.manager = "kubectl"};
  const Json config = Json::parse(R"({"apiVersion":"scheduling.k8s.io/v1alpha3","kind":"PodGroup",
      "metadata":{"name":"a"},"spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})");
  for (const char* version : {"v1alpha3", "v1beta1"}) {
    const auto applied = world_.apply({&groups(version), "default", "a"}, config, false, options);
    ASSERT_EQ(outcome(applied), "ok") << testing::message_of(applied);
    EXPECT_EQ(text_at(*applied, {"apiVersion"}), std::string("scheduling.k8s.io/") + version);
  }
  EXPECT_EQ(world_.all_stored_objects(groups()).size(), 1U);
}

TEST_F(PodGroupTest, TheServerServesTheVersionsItIsToldTo) {
  struct Row {
    GroupVersions groups;
    int beta;
    int alpha;
    const char* versions;
  };
  const Row rows[] = {{GroupVersions::All, 200, 200, "v1 v1beta1 v1alpha3 "},
                      {GroupVersions::Alpha, 404, 200, "v1 v1alpha3 "},
                      {GroupVersions::None, 404, 404, "v1 "}};
  for (const Row& row : rows) {
    world_.serve_groups(row.groups);
    for (const char* plural : {"podgroups", "workloads"}) {
      EXPECT_EQ(ask("GET", std::string(kBeta) + plural).code, row.beta);
      EXPECT_EQ(ask("GET", std::string(kAlpha) + plural).code, row.alpha);
    }
    EXPECT_EQ(ask("GET", "/apis/scheduling.k8s.io/v1beta1").code, row.beta);
    EXPECT_EQ(ask("GET", "/apis/scheduling.k8s.io/v1alpha3").code, row.alpha);
    EXPECT_EQ(ask("GET", "/openapi/v3/apis/scheduling.k8s.io/v1beta1").code, row.beta);
    const Json index = Json::parse(ask("GET", "/openapi/v3").body);
    EXPECT_EQ(index["paths"].contains("apis/scheduling.k8s.io/v1alpha3"), row.alpha == 200);
    std::string versions;
    const Json group = Json::parse(ask("GET", "/apis/scheduling.k8s.io").body);
    for (const Json& each : group["versions"]) versions += text_at(each, {"version"}) + " ";
    EXPECT_EQ(versions, row.versions);
    EXPECT_EQ(text_at(group, {"preferredVersion", "version"}), "v1");
  }
}

TEST_F(PodGroupTest, DiscoveryNamesTheResources) {
  std::vector<std::string> names;
  const Json list = Json::parse(ask("GET", "/apis/scheduling.k8s.io/v1alpha3").body);
  for (const Json& each : list["resources"]) names.push_back(text_at(each, {"name"}));
  EXPECT_THAT(names, ElementsAre("podgroups", "podgroups/status", "workloads"));
}

TEST_F(PodGroupTest, AGroupFromAFileIsTakenAsItIs) {
  Json group = Json::parse(R"({"apiVersion":"scheduling.k8s.io/v1alpha3","kind":"PodGroup",
      "metadata":{"name":"g","uid":"u"},"spec":{"priority":5,"disruptionMode":"PodGroup",
      "schedulingConstraints":{"topology":[{"key":"rack"}]},
      "schedulingPolicy":{"gang":{"minCount":0}}},
      "status":{"conditions":[{"type":"PodGroupInitiallyScheduled","status":"True"}]}})");
  const auto loaded = world_.load(group);
  ASSERT_EQ(outcome(loaded), "ok") << testing::message_of(loaded);
  EXPECT_EQ((*loaded)["spec"], Json::parse(R"({"priority":5,"disruptionMode":{"all":{}},
      "preemptionPolicy":"PreemptLowerPriority",
      "schedulingConstraints":{"topology":[{"key":"rack"}]},
      "schedulingPolicy":{"gang":{"minCount":0}}})"));
  EXPECT_EQ(list_at(*loaded, {"status", "conditions"}).size(), 1U);
  EXPECT_EQ(list_at(*loaded, {"metadata", "finalizers"}).size(), 1U);
  EXPECT_EQ(text_at(*loaded, {"metadata", "uid"}), "u");
}

TEST_F(PodGroupTest, WorkloadsHaveOneToEightTemplates) {
  const auto make_workload = [&](const Json& templates) {
    return world_.create(workloads(), "default",
                         {{"metadata", {{"name", "w"}}},
                          {"spec",
                           {{"controllerRef", {{"kind", "Job"}, {"name", "j"}}},
                            {"podGroupTemplates", templates}}}});
  };
  const auto named = [](const std::string& name) {
    return Json{{"name", name}, {"schedulingPolicy", {{"basic", Json::object()}}}};
  };
  Json many = Json::array();
  for (int i = 0; i < 9; ++i) many.push_back(named("t" + std::to_string(i)));
  EXPECT_THAT(testing::message_of(make_workload(many)),
              HasSubstr("spec.podGroupTemplates: Too many: 9: must have at most 8 items"));
  EXPECT_THAT(testing::message_of(make_workload(Json::array())),
              HasSubstr("spec: Invalid value: \"\": must specify one of: `podGroupTemplates`, "
                        "`compositePodGroupTemplates`"));
  EXPECT_THAT(testing::message_of(make_workload({named("a"), named("a")})),
              HasSubstr("spec.podGroupTemplates[1]: Duplicate value: {\"name\":\"a\"}"));
  EXPECT_THAT(testing::message_of(make_workload(Json::array({named("")}))),
              HasSubstr("spec.podGroupTemplates[0].name: Required value"));
  EXPECT_THAT(testing::message_of(make_workload(Json::array({Json{{"name", "a"}}}))),
              HasSubstr("spec.podGroupTemplates[0].schedulingPolicy: Invalid value"));

  const auto made = make_workload(Json::array({named("a")}));
  ASSERT_EQ(outcome(made), "ok") << testing::message_of(made);
  EXPECT_THAT(list_at(*made, {"metadata", "finalizers"}), IsEmpty());
  const auto change = [&](const char* text) {
    return testing::message_of(
        world_.patch({&workloads(), "default", "w"}, PatchType::Merge, Json::parse(text)));
  };
  EXPECT_THAT(change(R"({"spec":{"controllerRef":{"name":"k"}}})"),
              HasSubstr("spec.controllerRef: Invalid value: null: field is immutable"));
  EXPECT_THAT(change(R"({"spec":{"podGroupTemplates":[
      {"name":"b","schedulingPolicy":{"basic":{}}}]}})"),
              HasSubstr("[spec.podGroupTemplates[0]: Forbidden: item may not be added, "
                        "spec.podGroupTemplates: Forbidden: item may not be removed]"));
  EXPECT_EQ(change(R"({"metadata":{"labels":{"a":"b"}}})"), "");
}

TEST_F(PodGroupTest, ThePodNamesItsGroupForGood) {
  Json pod = testing::pod_object("a");
  pod["spec"]["schedulingGroup"] = {{"podGroupName", "missing"}};
  ASSERT_EQ(outcome(world_.create(testing::pods(), "default", pod)), "ok");
  const auto changed =
      world_.patch(testing::pod_target("a"), PatchType::Merge,
                   Json::parse(R"({"spec":{"schedulingGroup":{"podGroupName":"other"}}})"));
  EXPECT_EQ(outcome(changed), "422 Invalid");
}

TEST_F(PodGroupTest, ProtobufCarriesWhatJsonDoes) {
  const auto made = make(R"({"priorityClassName":"high","preemptionPolicy":"Never",
      "disruptionMode":{"all":{}},"workloadRef":{"workloadName":"w","templateName":"t"}})");
  ASSERT_EQ(outcome(made), "ok") << testing::message_of(made);
  for (const char* version : {"v1beta1", "v1alpha3"}) {
    const Kind& kind = groups(version);
    ASSERT_TRUE(supports_protobuf(kind));
    const auto read = decode_protobuf(protobuf_object(kind, *made));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ((*read)["spec"], (*made)["spec"]);
    EXPECT_EQ(text_at(*read, {"apiVersion"}), std::string("scheduling.k8s.io/") + version);
  }
}

}  // namespace
}  // namespace elbowroom::lab
