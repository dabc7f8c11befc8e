#include "lab/apiserver/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "lab/world/patch.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::HasSubstr;
using testing::outcome;

struct Row {
  const char* what;
  const char* before;  // resources of the one container
  const char* patch;   // strategic merge patch of its resources
  const char* outcome;
  const char* text;  // in the message
};

constexpr const char* kGuaranteed =
    R"({"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1","memory":"1Gi"}})";
constexpr const char* kBurstable = R"({"requests":{"cpu":"1","memory":"1Gi"}})";

const Row kRows[] = {
    {"up", kBurstable, R"({"requests":{"cpu":"2"}})", "ok", ""},
    {"limits up", kGuaranteed, R"({"requests":{"memory":"2Gi"},"limits":{"memory":"2Gi"}})", "ok",
     ""},
    {"limits down",
     R"({"requests":{"cpu":"500m","memory":"1Gi"},"limits":{"cpu":"2","memory":"2Gi"}})",
     R"({"limits":{"cpu":"1","memory":"1Gi"}})", "ok", ""},
    {"down", kBurstable, R"({"requests":{"memory":"512Mi"}})", "ok", ""},
    {"both sides", kGuaranteed, R"({"requests":{"cpu":"2"},"limits":{"cpu":"2"}})", "ok", ""},
    {"a limit where none was", kBurstable, R"({"limits":{"cpu":"2"}})", "ok", ""},
    {"a limit goes", kGuaranteed, R"({"limits":{"cpu":null}})", "422 Invalid",
     "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed"},
    {"a request goes", kBurstable, R"({"requests":{"cpu":null}})", "422 Invalid",
     "resource requests cannot be removed"},
    {"one side of Guaranteed", kGuaranteed, R"({"limits":{"cpu":"2"}})", "422 Invalid",
     "Pod QOS Class may not change as a result of resizing"},
    {"Burstable to Guaranteed", kBurstable, R"({"limits":{"cpu":"1","memory":"1Gi"}})",
     "422 Invalid",
     R"(spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing)"},
    {"BestEffort asks", "{}", R"({"requests":{"cpu":"1"}})", "422 Invalid",
     "Pod QOS Class may not change"},
    {"another resource", kBurstable, R"({"requests":{"ephemeral-storage":"1Gi"}})", "422 Invalid",
     "spec: Forbidden: only cpu and memory resources are mutable"},
    {"request above limit", R"({"requests":{"cpu":"200m"},"limits":{"cpu":"400m"}})",
     R"({"requests":{"cpu":"500m"}})", "422 Invalid",
     "must be less than or equal to cpu limit of 400m"},
    {"negative", kBurstable, R"({"requests":{"cpu":"-1"}})", "422 Invalid",
     "must be greater than or equal to 0"},
    {"nonsense", kBurstable, R"({"requests":{"cpu":"a lot"}})", "422 Invalid", "is no quantity"},
    {"a list", kBurstable, R"({"requests":{"cpu":[]}})", "422 Invalid", "is no quantity"},
    {"above allocatable, at home", kBurstable, R"({"requests":{"cpu":"5"}})", "ok", ""},
};

Json bound_pod(const char* resources, World& world) {
  Json pod = testing::pod_object("r1", "n");
  pod["spec"]["containers"][0]["resources"] = Json::parse(resources);
  return *world.create(testing::pods(), "default", pod);
}

TEST(Admission, JudgesResizes) {
  for (const Row& row : kRows) {
    World world{{}};
    (void)world.create(testing::nodes(), "", testing::node_object("n"));
    bound_pod(row.before, world);
    const Json patch = {{"spec",
                         {{"containers", Json::array({{{"name", "app"},
                                                       {"resources", Json::parse(row.patch)}}})}}}};
    const auto resized = world.patch(testing::pod_target("r1", Subresource::Resize),
                                     PatchType::StrategicMerge, patch);
    EXPECT_EQ(outcome(resized), row.outcome) << row.what << " " << testing::message_of(resized);
    EXPECT_THAT(testing::message_of(resized), HasSubstr(row.text)) << row.what;
    if (resized) {
      EXPECT_EQ(integer_at(*resized, {"metadata", "generation"}), 2) << row.what;
    }
  }
}

TEST(Admission, UnknownContainersAreRefusedAndOtherChangesPassedOver) {
  World world{{}};
  bound_pod(kBurstable, world);
  const auto resize = [&](const char* text) {
    return world.patch(testing::pod_target("r1", Subresource::Resize), PatchType::StrategicMerge,
                       Json::parse(text));
  };
  EXPECT_THAT(testing::message_of(resize(R"({"spec":{"containers":[{"name":"other"}]}})")),
              HasSubstr("containers may not be added or removed on resize"));
  const auto passed = resize(
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"app","image":"x"}]}})");
  EXPECT_EQ(text_at((*passed)["spec"]["containers"][0], {"image"}), "pause");
  EXPECT_FALSE(present_at(*passed, {"metadata", "labels"}));
}

TEST(Admission, ContainersStayWhoTheyAre) {
  World world{{}};
  Json pod = bound_pod(kBurstable, world);
  const Target target = testing::pod_target("r1", Subresource::Resize);
  EXPECT_EQ(testing::message_of(
                world.patch(target, PatchType::StrategicMerge,
                            Json::parse(R"({"spec":{"containers":[{"name":"other"}]}})"))),
            "Pod \"r1\" is invalid: [spec.containers[0].image: Required value, spec.containers: "
            "Forbidden: containers may not be added or removed on resize]");
  pod["spec"]["containers"][0]["name"] = "other";
  EXPECT_EQ(testing::message_of(world.update(target, pod)),
            "Pod \"r1\" is invalid: spec.containers[0].name: Forbidden: containers may not be "
            "renamed or reordered on resize");
}

TEST(Admission, PodsThatEndAndPodsThatHaveNoNodeAreResizedToo) {
  const Json patch = Json::parse(
      R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"7"}}}]}})");
  World world{{.validates_capacity = true, .validates_features = true}};
  Json node = testing::node_object("n");
  node["status"]["capacity"]["cpu"] = "8";
  (void)world.create(testing::nodes(), "", node);
  (void)world.create(testing::pods(), "default", testing::pod_object("unbound"));
  for (const char* name : {"failed", "leaving"}) {
    (void)world.create(testing::pods(), "default", testing::pod_object(name, "n"));
  }
  (void)world.patch(testing::pod_target("failed", Subresource::Status), PatchType::Merge,
                    Json::parse(R"({"status":{"phase":"Failed"}})"));
  (void)world.remove(testing::pod_target("leaving"), {});
  for (const auto& [name, generation] : std::initializer_list<std::pair<const char*, int>>{
           {"unbound", 2}, {"failed", 2}, {"leaving", 3}}) {
    const auto resized = world.patch(testing::pod_target(name, Subresource::Resize),
                                     PatchType::StrategicMerge, patch);
    ASSERT_EQ(outcome(resized), "ok") << name << testing::message_of(resized);
    EXPECT_EQ(integer_at(*resized, {"metadata", "generation"}), generation) << name;
    EXPECT_FALSE(present_at(*resized, {"status", "resize"}));
    EXPECT_TRUE(list_at(*resized, {"status", "conditions"}).empty());
  }
}

TEST(Admission, StaticAndWindowsPodsAreNotResized) {
  World world{{}};
  Json mirror = testing::pod_object("mirror", "n");
  mirror["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "x";
  Json windows = testing::pod_object("windows", "n");
  windows["spec"]["os"]["name"] = "windows";
  for (const Json& pod : {mirror, windows}) {
    const std::string name = text_at(pod, {"metadata", "name"});
    (void)world.create(testing::pods(), "default", pod);
    const auto refused = world.patch(
        testing::pod_target(name, Subresource::Resize), PatchType::StrategicMerge,
        Json::parse(
            R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}})"));
    EXPECT_EQ(outcome(refused), "422 Invalid");
    EXPECT_EQ(testing::message_of(refused), "Pod \"" + name + "\" is invalid: : Forbidden: " +
                                                (name == "mirror" ? "static" : name) +
                                                " pods cannot be resized");
  }
}

TEST(Admission, SidecarsAreResizedAndOtherInitContainersAreNot) {
  World world{{}};
  Json pod = testing::pod_object("r1", "n");
  Json sidecar = testing::container("side", "100m", "64Mi");
  sidecar["restartPolicy"] = "Always";
  pod["spec"]["initContainers"] =
      Json::array({std::move(sidecar), testing::container("init", "100m", "64Mi")});
  (void)world.create(testing::pods(), "default", pod);
  const auto resize = [&](const char* text) {
    return world.patch(testing::pod_target("r1", Subresource::Resize), PatchType::StrategicMerge,
                       Json::parse(text));
  };
  EXPECT_EQ(outcome(resize(R"({"spec":{"initContainers":[{"name":"side",)"
                           R"("resources":{"requests":{"cpu":"200m"}}}]}})")),
            "ok");
  EXPECT_EQ(testing::message_of(resize(R"({"spec":{"initContainers":[{"name":"side",)"
                                       R"("resources":{"requests":{"a.dev/x":"1"}}}]}})")),
            "Pod \"r1\" is invalid: spec.initContainers[0]: Forbidden: only cpu and memory "
            "resources for init or sidecar containers are mutable");
  EXPECT_EQ(testing::message_of(resize(R"({"spec":{"initContainers":[{"name":"init",)"
                                       R"("resources":{"requests":{"cpu":"200m"}}}]}})")),
            "Pod \"r1\" is invalid: spec: Forbidden: resources for non-sidecar init containers "
            "are immutable");
}

TEST(Admission, JudgesResourcesOfThePodItself) {
  struct PodRow {
    const char* what;
    const char* patch;  // merge patch of the spec
    const char* text;   // of the refusal, "" for none
  };
  const PodRow rows[] = {
      {"up", R"({"resources":{"requests":{"cpu":"3"}}})", ""},
      {"to what the containers ask for", R"({"resources":{"requests":{"cpu":"1"}}})", ""},
      {"below that", R"({"resources":{"requests":{"cpu":"900m"}}})",
       "spec.resources.requests[cpu]: Invalid value: \"900m\": must be greater than or equal to "
       "aggregate container requests of 1"},
      {"above its limit", R"({"resources":{"requests":{"cpu":"5"}}})",
       "spec.resources.requests: Invalid value: \"5\": must be less than or equal to cpu limit of "
       "4"},
      {"all gone", R"({"resources":null})",
       "spec.resources: Forbidden: pod-level resources cannot be removed"},
      {"a request gone", R"({"resources":{"requests":{"cpu":null}}})",
       "spec.resources.requests: Forbidden: pod-level resource requests cannot be removed"},
      {"a limit gone", R"({"resources":{"limits":{"cpu":null}}})",
       "spec.resources.limits: Forbidden: pod-level resource limits cannot be removed"},
      {"another resource", R"({"resources":{"requests":{"hugepages-2Mi":"4Mi"}}})",
       "spec: Forbidden: only cpu and memory resources are mutable at pod-level"},
      {"a container beyond it",
       R"({"containers":[{"name":"app","image":"pause","resources":{)"
       R"("requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"5"}}}]})",
       "spec.resources.containers[0][cpu].limits: Invalid value: \"5\": must be less than or equal "
       "to pod limits of 4"},
  };
  for (const PodRow& row : rows) {
    World world{{.validates_features = true}};
    Json node = testing::node_object("n");
    node["status"]["declaredFeatures"] = {"InPlacePodLevelResourcesVerticalScaling"};
    (void)world.create(testing::nodes(), "", node);
    Json pod = testing::pod_object("r1", "n");
    pod["spec"]["resources"] = {{"requests", {{"cpu", "2"}}}, {"limits", {{"cpu", "4"}}}};
    (void)world.create(testing::pods(), "default", pod);
    const auto resized = world.patch(testing::pod_target("r1", Subresource::Resize),
                                     PatchType::Merge, {{"spec", Json::parse(row.patch)}});
    const std::string text = row.text;
    EXPECT_EQ(outcome(resized), text.empty() ? "ok" : "422 Invalid") << row.what;
    EXPECT_EQ(testing::message_of(resized), text.empty() ? "" : "Pod \"r1\" is invalid: " + text)
        << row.what;
  }
}

TEST(Admission, ResourcesOfThePodItselfNeedANodeThatDeclaresThem) {
  World world{{.validates_features = true}};
  (void)world.create(testing::nodes(), "", testing::node_object("n1"));
  for (const char* node : {"n1", "gone", ""}) {
    Json pod = testing::pod_object(*node == '\0' ? "unbound" : node, node);
    pod["spec"]["resources"] = {{"requests", {{"cpu", "2"}}}};
    (void)world.create(testing::pods(), "default", pod);
  }
  const auto resize = [&](const char* pod, const char* patch) {
    return world.patch(testing::pod_target(pod, Subresource::Resize), PatchType::StrategicMerge,
                       Json::parse(patch));
  };
  constexpr const char* kUp = R"({"spec":{"resources":{"requests":{"cpu":"3"}}}})";
  EXPECT_EQ(outcome(resize("n1", kUp)), "403 Forbidden");
  EXPECT_EQ(testing::message_of(resize("n1", kUp)),
            "pods \"n1\" is forbidden: pod update requires features "
            "InPlacePodLevelResourcesVerticalScaling which are not available on node \"n1\"");
  EXPECT_EQ(outcome(resize("gone", kUp)), "ok") << "a node that is not there declares nothing";
  EXPECT_EQ(outcome(resize("unbound", kUp)), "ok");
  EXPECT_EQ(outcome(resize("n1", R"({"spec":{"resources":{"requests":{"cpu":"2000m"}}}})")), "ok")
      << "the same amount";
  EXPECT_EQ(outcome(resize("n1", R"({"spec":{"containers":[{"name":"app",)"
                                 R"("resources":{"requests":{"cpu":"1500m"}}}]}})")),
            "ok");
}

// The table of what a real 1.37 says to Node.spec.podPreemptionPolicy.
TEST(Admission, JudgesThePreemptionPolicyOfANode) {
  struct PolicyRow {
    const char* policy;
    const char* outcome;
    std::vector<const char*> causes;  // their beginnings
    const char* stored;               // where it is taken
  };
  const std::string name63(63, 'n');
  const std::string long_name = R"({"disableResizePreemption":[")" + name63 + R"(n"]})";
  const std::string long_prefix =
      R"({"disableResizePreemption":[")" + std::string(254, 'p') + R"(/x"]})";
  std::string many = R"({"disableResizePreemption":[)";
  for (int i = 0; i < 21; ++i) many += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\"";
  many += "]}";
  const PolicyRow rows[] = {
      {R"({"disableResizePreemption":["a.dev/x","b"]})",
       "ok",
       {},
       R"({"disableResizePreemption":["a.dev/x","b"]})"},
      {R"({"disableResizePreemption":[]})", "ok", {}, "{}"},
      {R"({"disableResizePreemption":null})", "ok", {}, "{}"},
      {"{}", "ok", {}, "{}"},
      {"null", "ok", {}, ""},
      {R"({"disableResizePreemption":["a.dev/x","a.dev/x"]})",
       "422 Invalid",
       {"Duplicate value: \"a.dev/x\""},
       ""},
      {R"({"disableResizePreemption":["not good"]})",
       "422 Invalid",
       {"Invalid value: \"not good\": name part must consist of alphanumeric characters"},
       ""},
      {R"({"disableResizePreemption":["A.dev/x"]})",
       "422 Invalid",
       {"Invalid value: \"A.dev/x\": prefix part a lowercase RFC 1123 subdomain must consist"},
       ""},
      {R"({"disableResizePreemption":[""]})",
       "422 Invalid",
       {"Invalid value: \"\": name part must be non-empty",
        "Invalid value: \"\": name part must consist of"},
       ""},
      {long_name.c_str(), "422 Invalid", {"Invalid value: "}, ""},
      {long_prefix.c_str(), "422 Invalid", {"Invalid value: "}, ""},
      {many.c_str(), "422 Invalid", {"Too many: 21: must have at most 20 items"}, ""},
  };
  for (const PolicyRow& row : rows) {
    World world{{}};
    Json node = testing::node_object("n");
    node["spec"]["podPreemptionPolicy"] = Json::parse(row.policy);
    const auto made = world.create(testing::nodes(), "", node);
    EXPECT_EQ(outcome(made), row.outcome) << row.policy;
    if (made) {
      const Json* stored = find_at(*made, {"spec", "podPreemptionPolicy"});
      EXPECT_EQ(stored == nullptr ? "" : to_text(*stored), row.stored) << row.policy;
      continue;
    }
    const Json& causes = made.error().details["causes"];
    ASSERT_EQ(causes.size(), row.causes.size()) << row.policy << made.error().message;
    for (std::size_t i = 0; i < causes.size(); ++i) {
      EXPECT_THAT(text_at(causes[i], {"message"}), ::testing::StartsWith(row.causes[i]));
      EXPECT_THAT(text_at(causes[i], {"field"}),
                  ::testing::StartsWith("spec.podPreemptionPolicy.disableResizePreemption"));
    }
  }
}

TEST(Admission, OnlyNewerServersLookForTheNodeOfAPod) {
  for (const bool newer : {false, true}) {
    World world{{.validates_capacity = newer, .validates_features = true}};
    Json pod = testing::pod_object("r1", "gone");
    pod["spec"]["resources"] = {{"requests", {{"cpu", "2"}}}};
    (void)world.create(testing::pods(), "default", pod);
    for (const char* patch :
         {R"({"spec":{"resources":{"requests":{"cpu":"3"}}}})",
          R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}})"}) {
      const auto resized = world.patch(testing::pod_target("r1", Subresource::Resize),
                                       PatchType::StrategicMerge, Json::parse(patch));
      EXPECT_EQ(testing::message_of(resized),
                newer ? "pods \"r1\" is forbidden: node \"gone\" not found" : "")
          << patch;
    }
  }
}

TEST(Admission, CapacityIsJudgedWhereAskedFor) {
  World world{{.validates_capacity = true}};
  bound_pod(kBurstable, world);
  const Json patch = Json::parse(
      R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"5"}}}]}})");
  const Target target = testing::pod_target("r1", Subresource::Resize);
  auto refused = world.patch(target, PatchType::StrategicMerge, patch);
  EXPECT_EQ(outcome(refused), "403 Forbidden");
  EXPECT_THAT(testing::message_of(refused), HasSubstr("node \"n\" not found"));

  (void)world.create(testing::nodes(), "", testing::node_object("n"));
  refused = world.patch(target, PatchType::StrategicMerge, patch);
  EXPECT_EQ(testing::message_of(refused),
            "pods \"r1\" is forbidden: node didn't have enough allocatable resources: cpu, "
            "requested: 5000, allocatable: 4000");
  EXPECT_EQ(text_at(refused.error().details["causes"][0], {"reason"}), "NodeCapacity");
  const Json both = Json::parse(R"({"spec":{"containers":[{"name":"app",)"
                                R"("resources":{"requests":{"cpu":"5","memory":"9Gi"}}}]}})");
  EXPECT_EQ(testing::message_of(world.patch(target, PatchType::StrategicMerge, both)),
            "pods \"r1\" is forbidden: node didn't have enough allocatable resources: cpu, "
            "requested: 5000, allocatable: 4000; memory, requested: 9663676416, allocatable: "
            "8589934592");
  const Json equal = Json::parse(
      R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"4"}}}]}})");
  EXPECT_EQ(outcome(world.patch(target, PatchType::StrategicMerge, equal)), "ok");
}

}  // namespace
}  // namespace elbowroom::lab
