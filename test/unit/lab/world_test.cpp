#include "lab/world/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/timestamp.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::HasSubstr;
using testing::node_object;
using testing::nodes;
using testing::outcome;
using testing::pod_object;
using testing::pod_target;
using testing::pods;

class WorldTest : public ::testing::Test {
 protected:
  WorldTest() {
    world_.set_time(*api::parse_timestamp("2026-01-01T00:00:00Z"));
    EXPECT_EQ(outcome(world_.create(nodes(), "", node_object("n"))), "ok");
  }

  Json make(const std::string& name, const std::string& node = "n") {
    const auto made = world_.create(pods(), "default", pod_object(name, node));
    EXPECT_EQ(outcome(made), "ok") << testing::message_of(made);
    return made ? *made : Json();
  }

  Answer<Json> patch(const std::string& name, PatchType type, const char* text,
                     Subresource part = Subresource::None) {
    return world_.patch(pod_target(name, part), type, Json::parse(text));
  }

  std::vector<std::string> watch(std::uint64_t since, const std::string& fields = "") {
    const auto selector = parse_selector(pods(), "", fields);
    const auto events = world_.changes_after({.kind = &pods(), .selector = *selector}, since, 100);
    if (!events) return {outcome(events)};
    std::vector<std::string> names;
    for (const WatchEvent& event : *events) {
      names.push_back(event.type + " " + text_at(event.object, {"metadata", "name"}));
    }
    return names;
  }

  World world_{{}};
};

// A server stores protobuf, which has no empty maps.
TEST_F(WorldTest, EmptyMapsOfAmountsReadBackAsMissing) {
  Json pod = pod_object("web", "n");
  pod["spec"]["containers"].push_back(
      {{"name", "bare"}, {"image", "x"}, {"resources", {{"requests", Json::object()}}}});
  const auto made = world_.create(pods(), "default", pod);
  ASSERT_EQ(outcome(made), "ok");
  EXPECT_EQ(map_at((*made)["spec"]["containers"][1], {"resources"}), Json::object());
  const char* status =
      R"({"status":{"containerStatuses":[{"name":"app","allocatedResources":{"cpu":"1"}},)"
      R"({"name":"bare","allocatedResources":{},"resources":{"requests":{},"limits":{}}}]}})";
  const auto written = patch("web", PatchType::StrategicMerge, status, Subresource::Status);
  ASSERT_EQ(outcome(written), "ok");
  const Json& bare = list_at(*written, {"status", "containerStatuses"})[1];
  EXPECT_FALSE(bare.contains("allocatedResources"));
  EXPECT_EQ(bare.at("resources"), Json::object());
  const auto again = patch("web", PatchType::StrategicMerge, status, Subresource::Status);
  EXPECT_EQ(text_at(*again, {"metadata", "resourceVersion"}),
            text_at(*written, {"metadata", "resourceVersion"}))
      << "nothing changed";
}

TEST_F(WorldTest, PodLevelLimitsSetPodLevelRequestsAndTheQosClass) {
  Json pod = pod_object("web", "n");
  pod["spec"]["resources"] = {{"limits", {{"cpu", "2"}, {"memory", "3Gi"}}}};
  pod["spec"]["containers"][0]["resources"] = Json::object();
  const auto made = world_.create(pods(), "default", pod);
  ASSERT_EQ(outcome(made), "ok");
  EXPECT_EQ(map_at(*made, {"spec", "resources", "requests"}),
            map_at(*made, {"spec", "resources", "limits"}));
  EXPECT_EQ(text_at(*made, {"status", "qosClass"}), "Guaranteed");
  Json without = *made;
  without["spec"]["resources"].erase("requests");
  EXPECT_EQ(outcome(world_.update(pod_target("web"), without)), "ok") << "nothing is changed";
}

TEST_F(WorldTest, APodThatNeverRestartsHasNoContainerThatIsRestartedForAResize) {
  for (const char* list : {"containers", "initContainers"}) {
    Json pod = pod_object("web", "n");
    pod["spec"]["restartPolicy"] = "Never";
    Json one = pod["spec"]["containers"][0];
    one["name"] = "one";
    one["resizePolicy"] =
        Json::array({{{"resourceName", "cpu"}, {"restartPolicy", "RestartContainer"}}});
    pod["spec"][list].push_back(one);
    const auto made = world_.create(pods(), "default", pod);
    EXPECT_THAT(testing::message_of(made),
                HasSubstr("must be 'NotRequired' when `restartPolicy` is 'Never'"));
  }
}

TEST_F(WorldTest, CreationFillsInWhatTheServerOwns) {
  const Json pod = make("web", "");
  EXPECT_EQ(text_at(pod, {"metadata", "uid"}).size(), 36u);
  EXPECT_EQ(text_at(pod, {"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(integer_at(pod, {"metadata", "generation"}), 1);
  EXPECT_EQ(text_at(pod, {"status", "phase"}), "Pending");
  EXPECT_EQ(text_at(pod, {"status", "qosClass"}), "Burstable");
  EXPECT_EQ(text_at(pod, {"spec", "restartPolicy"}), "Always");
  EXPECT_EQ(integer_at(pod, {"spec", "priority"}), 0);
}

TEST_F(WorldTest, TwoWorldsToldTheSameHoldTheSame) {
  World other{{}};
  other.set_time(world_.time());
  (void)other.create(nodes(), "", node_object("n"));
  EXPECT_EQ(make("web"), *other.create(pods(), "default", pod_object("web", "n")));
}

TEST_F(WorldTest, CreationRefusals) {
  struct Row {
    const char* object;
    const char* outcome;
  };
  const Row rows[] = {
      {R"({"metadata":{"name":"Web"},"spec":{"containers":[{"name":"a"}]}})", "422 Invalid"},
      {R"({"metadata":{},"spec":{"containers":[{"name":"a"}]}})", "422 Invalid"},
      {R"({"metadata":{"name":"web"}})", "422 Invalid"},
      {R"({"metadata":{"name":"web"},"spec":{"containers":[]}})", "422 Invalid"},
      {R"({"metadata":{"name":"web"},"spec":[]})", "400 BadRequest"},
      {R"({"metadata":"web"})", "400 BadRequest"},
      {R"({"metadata":{"name":"web","labels":{"a":1}},"spec":{"containers":[{"name":"a"}]}})",
       "422 Invalid"},
      {R"({"metadata":{"name":"web","resourceVersion":"3"},"spec":{"containers":[{"name":"a"}]}})",
       "400 BadRequest"},
      {R"({"metadata":{"name":"web","namespace":"x"},"spec":{"containers":[{"name":"a"}]}})",
       "400 BadRequest"},
      {R"({"kind":"Node","metadata":{"name":"web"}})", "400 BadRequest"},
      {R"({"metadata":{"name":"web"},"spec":{"priorityClassName":"no","containers":[{"name":"a"}]}})",
       "403 Forbidden"},
      {R"({"metadata":{"name":"web"},"spec":{"containers":[{"name":"a",
           "resources":{"requests":{"cpu":"much"}}}]}})",
       "422 Invalid"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(outcome(world_.create(pods(), "default", Json::parse(row.object))), row.outcome)
        << row.object;
  }
  EXPECT_EQ(outcome(world_.create(pods(), "nowhere", pod_object("web"))), "404 NotFound");
  make("web");
  EXPECT_EQ(outcome(world_.create(pods(), "default", pod_object("web"))), "409 AlreadyExists");
}

TEST_F(WorldTest, PriorityComesFromTheClass) {
  Json pod = pod_object("web");
  pod["spec"]["priorityClassName"] = "system-node-critical";
  EXPECT_EQ(integer_at(*world_.create(pods(), "default", pod), {"spec", "priority"}),
            2'000'001'000);
}

// As `kubectl replace` writes it: without what the server has filled in.
TEST_F(WorldTest, TheManifestAPodWasMadeFromChangesNothing) {
  Json manifest = pod_object("web", "n");
  manifest["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1000m";
  ASSERT_EQ(outcome(world_.create(pods(), "default", manifest)), "ok");
  EXPECT_EQ(outcome(world_.update(pod_target("web"), manifest)), "ok");
  manifest["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1";
  EXPECT_EQ(outcome(world_.update(pod_target("web"), manifest)), "ok");
  manifest["metadata"]["labels"]["tier"] = "front";
  const auto labelled = world_.update(pod_target("web"), manifest);
  ASSERT_EQ(outcome(labelled), "ok");
  EXPECT_EQ(text_at(*labelled, {"spec", "restartPolicy"}), "Always");
  EXPECT_EQ(text_at(*labelled, {"spec", "preemptionPolicy"}), "PreemptLowerPriority");
  manifest["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "2";
  EXPECT_EQ(outcome(world_.update(pod_target("web"), manifest)), "422 Invalid");
}

TEST_F(WorldTest, StaleVersionsConflictAndForeignUidsAreRefused) {
  const Json pod = make("web");
  Json changed = pod;
  changed["metadata"]["labels"] = {{"a", "1"}};
  EXPECT_EQ(outcome(world_.update(pod_target("web"), changed)), "ok");
  EXPECT_EQ(outcome(world_.update(pod_target("web"), changed)), "409 Conflict");
  changed["metadata"].erase("resourceVersion");
  changed["metadata"]["labels"] = {{"a", "2"}};
  EXPECT_EQ(outcome(world_.update(pod_target("web"), changed)), "ok");
  changed["metadata"]["uid"] = "another";
  EXPECT_EQ(outcome(world_.update(pod_target("web"), changed)), "409 Conflict");
  EXPECT_EQ(outcome(patch("web", PatchType::Merge, R"({"metadata":{"resourceVersion":"1"}})")),
            "409 Conflict");
  EXPECT_EQ(outcome(patch("web", PatchType::Merge, R"({"metadata":{"uid":"another"}})")),
            "422 Invalid");
  EXPECT_EQ(outcome(patch("gone", PatchType::Merge, "{}")), "404 NotFound");
}

// As kubectl apply does, once its last-applied annotation had them.
TEST_F(WorldTest, WhatTheServerGaveIsKeptWhereAPatchTakesItAway) {
  const Json pod = make("web");
  const std::uint64_t before = world_.version();
  for (const PatchType type : {PatchType::StrategicMerge, PatchType::Merge}) {
    EXPECT_EQ(outcome(patch("web", type, R"({"metadata":{"uid":null,"creationTimestamp":null,
                                            "resourceVersion":null,"generation":null}})")),
              "ok");
    EXPECT_EQ(outcome(patch("web", type, R"({"metadata":{"uid":""}})")), "ok");
  }
  EXPECT_EQ(outcome(patch("web", PatchType::JsonPatch,
                          R"([{"op":"remove","path":"/metadata/uid"},
                              {"op":"remove","path":"/metadata/creationTimestamp"}])")),
            "ok");
  EXPECT_EQ(world_.version(), before);
  EXPECT_EQ(*world_.peek(pods(), "default", "web"), pod);
}

TEST_F(WorldTest, AWriteThatChangesNothingIsNoChange) {
  make("web");
  const std::uint64_t before = world_.version();
  EXPECT_EQ(outcome(patch("web", PatchType::Merge, R"({"metadata":{"annotations":null}})")), "ok");
  EXPECT_EQ(world_.version(), before);
}

TEST_F(WorldTest, SpecAndStatusAreWrittenApart) {
  make("web");
  const char* both = R"({"spec":{"activeDeadlineSeconds":5},"status":{"phase":"Running"}})";
  const auto status = patch("web", PatchType::Merge, both, Subresource::Status);
  EXPECT_EQ(text_at(*status, {"status", "phase"}), "Running");
  EXPECT_FALSE(present_at(*status, {"spec", "activeDeadlineSeconds"}));
  EXPECT_EQ(integer_at(*status, {"metadata", "generation"}), 1);
  const auto spec = patch("web", PatchType::Merge,
                          R"({"spec":{"activeDeadlineSeconds":5},"status":{"phase":"Failed"}})");
  EXPECT_EQ(text_at(*spec, {"status", "phase"}), "Running");
  EXPECT_EQ(integer_at(*spec, {"metadata", "generation"}), 2);
  EXPECT_EQ(
      outcome(patch(
          "web", PatchType::StrategicMerge,
          R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}})")),
      "422 Invalid");
}

TEST_F(WorldTest, ConditionsMergeByType) {
  make("web");
  const auto types = [](const Json& pod) {
    std::string all;
    for (const Json& condition : list_at(pod, {"status", "conditions"})) {
      all += text_at(condition, {"type"}) + "=" + text_at(condition, {"status"}) + " ";
    }
    return all;
  };
  const auto conditions = [&](const char* text) {
    return types(*patch("web", PatchType::StrategicMerge, text, Subresource::Status));
  };
  EXPECT_EQ(conditions(R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})"),
            "Ready=True ");
  EXPECT_EQ(
      conditions(R"({"status":{"conditions":[{"type":"PodResizePending","status":"True"}]}})"),
      "PodResizePending=True Ready=True ");
  EXPECT_EQ(conditions(R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})"),
            "PodResizePending=True Ready=False ");
  EXPECT_EQ(
      conditions(R"({"status":{"conditions":[{"type":"PodResizePending","$patch":"delete"}]}})"),
      "Ready=False ");
  EXPECT_EQ(types(*patch("web", PatchType::Merge,
                         R"({"status":{"conditions":[{"type":"x.dev/Y","status":"Maybe"}]}})",
                         Subresource::Status)),
            "x.dev/Y=Maybe ");
  EXPECT_EQ(outcome(patch("web", PatchType::Merge,
                          R"({"status":{"conditions":[{"type":"a b","status":"True"}]}})",
                          Subresource::Status)),
            "422 Invalid");
}

TEST_F(WorldTest, PodsThatRunLeaveWithGrace) {
  make("web");
  const auto leaving = world_.remove(pod_target("web"), {});
  EXPECT_EQ(text_at(*leaving, {"metadata", "deletionTimestamp"}), "2026-01-01T00:00:30Z");
  EXPECT_EQ(integer_at(*leaving, {"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_EQ(integer_at(*leaving, {"metadata", "generation"}), 2);
  const auto longer = world_.remove(pod_target("web"), {.grace_seconds = 60});
  EXPECT_EQ(integer_at(*longer, {"metadata", "deletionGracePeriodSeconds"}), 30);
  const auto shorter = world_.remove(pod_target("web"), {.grace_seconds = 5});
  EXPECT_EQ(integer_at(*shorter, {"metadata", "deletionGracePeriodSeconds"}), 5);
  EXPECT_EQ(outcome(world_.remove(pod_target("web"), {.grace_seconds = 0, .uid = "another"})),
            "409 Conflict");
  EXPECT_EQ(outcome(world_.remove(pod_target("web"), {.grace_seconds = 0})), "ok");
  EXPECT_EQ(outcome(world_.get(pod_target("web"))), "404 NotFound");
}

TEST_F(WorldTest, PodsWithoutANodeOrGraceAreGoneAtOnce) {
  make("pending", "");
  EXPECT_EQ(outcome(world_.remove(pod_target("pending"), {})), "ok");
  EXPECT_EQ(outcome(world_.get(pod_target("pending"))), "404 NotFound");
  Json quick = pod_object("quick", "n");
  quick["spec"]["terminationGracePeriodSeconds"] = 0;
  ASSERT_EQ(outcome(world_.create(pods(), "default", quick)), "ok");
  EXPECT_EQ(outcome(world_.remove(pod_target("quick"), {})), "ok");
  EXPECT_EQ(outcome(world_.get(pod_target("quick"))), "404 NotFound");
}

TEST_F(WorldTest, ADryRunChangesNothing) {
  make("web");
  const std::uint64_t before = world_.version();
  EXPECT_EQ(outcome(world_.remove(pod_target("web"), {.dry_run = true})), "ok");
  EXPECT_EQ(outcome(world_.create(pods(), "default", pod_object("other"), {.dry_run = true})),
            "ok");
  EXPECT_EQ(world_.version(), before);
  EXPECT_EQ(outcome(world_.get(pod_target("other"))), "404 NotFound");
}

TEST_F(WorldTest, BindingHappensOnce) {
  const Json pod = make("web", "");
  const auto bind = [&](const char* uid, const char* node) {
    return outcome(world_.bind("default", "web",
                               {{"metadata", {{"uid", uid}}}, {"target", {{"name", node}}}}));
  };
  EXPECT_EQ(bind("another", "n"), "409 Conflict");
  EXPECT_EQ(bind(text_at(pod, {"metadata", "uid"}).c_str(), "n"), "ok");
  EXPECT_EQ(bind("", "n2"), "409 Conflict");
  EXPECT_EQ(text_at(*world_.get(pod_target("web")), {"spec", "nodeName"}), "n");
}

TEST_F(WorldTest, WatchesSeeObjectsEnterAndLeaveTheSelection) {
  const std::uint64_t start = world_.version();
  make("web", "");
  (void)world_.bind("default", "web", {{"target", {{"name", "n"}}}});
  (void)patch("web", PatchType::Merge, R"({"status":{"phase":"Succeeded"}})", Subresource::Status);
  (void)world_.remove(pod_target("web"), {});
  using ::testing::ElementsAre;
  EXPECT_THAT(watch(start),
              ElementsAre("ADDED web", "MODIFIED web", "MODIFIED web", "DELETED web"));
  EXPECT_THAT(watch(start, "spec.nodeName=n"),
              ElementsAre("ADDED web", "MODIFIED web", "DELETED web"));
  EXPECT_THAT(watch(start, "spec.nodeName=n,status.phase!=Succeeded"),
              ElementsAre("ADDED web", "DELETED web"));
  EXPECT_THAT(watch(start, "spec.nodeName=other"), ElementsAre());
}

TEST_F(WorldTest, HistoryIsBounded) {
  World small{{.history = 3}};
  const std::uint64_t start = small.version();
  for (int i = 0; i < 5; ++i) {
    (void)small.create(nodes(), "", node_object("n" + std::to_string(i)));
  }
  const WatchQuery query{.kind = &nodes()};
  EXPECT_EQ(outcome(small.changes_after(query, start, 10)), "410 Expired");
  EXPECT_EQ(small.changes_after(query, start + 2, 10)->size(), 3u);
  EXPECT_EQ(outcome(small.changes_after(query, start + 100, 10)), "504 Timeout");
  small.forget_history();
  EXPECT_EQ(outcome(small.changes_after(query, start + 4, 10)), "410 Expired");
  EXPECT_EQ(outcome(small.changes_after(query, small.version(), 10)), "ok");
}

TEST_F(WorldTest, ListsComeInPagesOfOneVersion) {
  for (const char* name : {"a", "b", "c"}) make(name);
  auto page = world_.list({.kind = &pods(), .limit = 2});
  EXPECT_EQ(list_at(*page, {"items"}).size(), 2u);
  const std::string next = text_at(*page, {"metadata", "continue"});
  page = world_.list({.kind = &pods(), .limit = 2, .continue_token = next});
  EXPECT_EQ(list_at(*page, {"items"}).size(), 1u);
  EXPECT_EQ(text_at(*page, {"metadata", "continue"}), "");
  make("d");
  EXPECT_EQ(outcome(world_.list({.kind = &pods(), .limit = 2, .continue_token = next})),
            "410 Expired");
  EXPECT_EQ(outcome(world_.list({.kind = &pods(), .continue_token = "nonsense"})),
            "400 BadRequest");
  EXPECT_EQ(outcome(world_.list({.kind = &pods(), .resource_version = "99999"})), "504 Timeout");
}

TEST_F(WorldTest, EventsHaveTwoForms) {
  const Kind& events = *find_kind("events.k8s.io", "v1", "events");
  const Kind& core = *find_kind("", "v1", "events");
  const std::uint64_t start = world_.version();
  ASSERT_EQ(
      outcome(world_.create(
          events, "default",
          {{"metadata", {{"name", "e"}}}, {"regarding", {{"name", "web"}}}, {"note", "hello"}})),
      "ok");
  EXPECT_EQ(text_at(*world_.get({.kind = &core, .ns = "default", .name = "e"}), {"message"}),
            "hello");
  const auto seen = world_.changes_after({.kind = &events}, start, 10);
  EXPECT_THAT(seen->at(0).object.text(), HasSubstr(R"("note":"hello")"));
  const auto patched = world_.patch({.kind = &events, .ns = "default", .name = "e"},
                                    PatchType::StrategicMerge, {{"series", {{"count", 2}}}});
  EXPECT_EQ(text_at(*patched, {"note"}), "hello");
}

TEST_F(WorldTest, TheNodePolicyIsValidated) {
  const auto policy = [&](const char* owners) {
    return outcome(world_.patch({.kind = &nodes(), .name = "n"}, PatchType::Merge,
                                Json::parse(std::string(R"({"spec":{"podPreemptionPolicy":)") +
                                            R"({"disableResizePreemption":)" + owners + "}}}")));
  };
  EXPECT_EQ(policy(R"(["a.dev/x","y"])"), "ok");
  EXPECT_EQ(policy(R"(["a","a"])"), "422 Invalid");
  EXPECT_EQ(policy(R"([""])"), "422 Invalid");
  EXPECT_EQ(policy(R"(["a","b","c","d","e","f","g","h","i","j","k",)"
                   R"("l","m","n","o","p","q","r","s","t","u"])"),
            "422 Invalid");
  EXPECT_EQ(policy("null"), "ok");
}

TEST_F(WorldTest, WithoutTheGateTheNodePolicyIsDropped) {
  World old{{.keeps_preemption_policy = false}};
  Json node = node_object("n");
  node["spec"]["podPreemptionPolicy"]["disableResizePreemption"] = {"a"};
  EXPECT_FALSE(old.create(nodes(), "", node)->json().at("spec").contains("podPreemptionPolicy"));
  const auto patched = old.patch({.kind = &nodes(), .name = "n"}, PatchType::Merge, node);
  EXPECT_FALSE(patched->json().at("spec").contains("podPreemptionPolicy"));
}

TEST_F(WorldTest, LoadedObjectsAreTakenAsTheyAre) {
  Json pod = pod_object("web", "n");
  pod["metadata"]["uid"] = "u-1";
  pod["metadata"]["namespace"] = "made-for-it";
  pod["status"]["phase"] = "Running";
  const auto loaded = world_.load(pod);
  EXPECT_EQ(text_at(*loaded, {"metadata", "uid"}), "u-1");
  EXPECT_EQ(text_at(*loaded, {"status", "phase"}), "Running");
  EXPECT_EQ(outcome(world_.load({{"kind", "Job"}, {"apiVersion", "batch/v1"}})), "400 BadRequest");
}

TEST_F(WorldTest, ADeletedNamespaceTakesItsObjectsAlong) {
  make("web");
  EXPECT_EQ(
      outcome(world_.remove({.kind = find_kind("", "v1", "namespaces"), .name = "default"}, {})),
      "ok");
  EXPECT_EQ(outcome(world_.get(pod_target("web"))), "404 NotFound");
}

TEST_F(WorldTest, LeasesWantAVersion) {
  const Kind& leases = *find_kind("coordination.k8s.io", "v1", "leases");
  const Target target{.kind = &leases, .ns = "kube-system", .name = "l"};
  Json lease = *world_.create(leases, "kube-system", {{"metadata", {{"name", "l"}}}});
  lease["spec"] = {{"holderIdentity", "me"}};
  EXPECT_EQ(outcome(world_.update(target, lease)), "ok");
  EXPECT_EQ(outcome(world_.update(target, lease)), "409 Conflict");
  lease["metadata"].erase("resourceVersion");
  EXPECT_EQ(outcome(world_.update(target, lease)), "422 Invalid");
}

}  // namespace
}  // namespace elbowroom::lab
