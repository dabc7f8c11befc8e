#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/timestamp.h"
#include "lab/apiserver/api_service.h"
#include "lab/world/managed_fields.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::node_object;
using testing::nodes;
using testing::pods;

constexpr const char* kPodPath = "/api/v1/namespaces/default/pods/web";
constexpr const char* kNodePath = "/api/v1/nodes/n";

class ServerSideApplyTest : public ::testing::Test {
 protected:
  ServerSideApplyTest() {
    world_.set_time(*api::parse_timestamp("2026-01-01T00:00:00Z"));
    EXPECT_TRUE(world_.create(nodes(), "", node_object("n")));
  }

  ApiReply apply(const std::string& manager, const std::string& path, const std::string& config,
                 bool force = false) {
    ApiRequest request{.method = "PATCH",
                       .path = path,
                       .query = {{"fieldManager", manager}},
                       .headers = {{"content-type", "application/apply-patch+yaml"}},
                       .body = config};
    if (force) request.query["force"] = "true";
    return service_.answer(request);
  }

  ApiReply apply_pod(const std::string& manager, const std::string& rest, bool force = false) {
    return apply(manager, kPodPath,
                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web")" + rest, force);
  }

  ApiReply apply_owners(const std::string& manager, const std::string& owners) {
    return apply(manager, kNodePath,
                 R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"})" +
                     (owners.empty() ? ""
                                     : R"(,"spec":{"podPreemptionPolicy":{)"
                                       R"("disableResizePreemption":)" +
                                           owners + "}}") +
                     "}");
  }

  ApiReply patch(const std::string& manager, const std::string& body) {
    return service_.answer({.method = "PATCH",
                            .path = kPodPath,
                            .headers = {{"content-type", "application/merge-patch+json"},
                                        {"user-agent", manager + "/v1 (linux)"}},
                            .body = body});
  }

  Json get(const char* path) {
    return Json::parse(service_.answer({.method = "GET", .path = path}).body);
  }

  // "MANAGER OPERATION" of each entry.
  std::vector<std::string> owners(const Json& object) {
    std::vector<std::string> found;
    for (const Json& entry : list_at(object, {"metadata", "managedFields"})) {
      found.push_back(text_at(entry, {"manager"}) + " " + text_at(entry, {"operation"}));
    }
    return found;
  }

  World world_{{.tracks_fields = true}};
  ApiService service_{world_};
};

constexpr const char* kSpec =
    R"(},"spec":{"containers":[{"name":"app","image":"a","resources":{"requests":{"cpu":"1"}}}]}})";

TEST_F(ServerSideApplyTest, MakesWhatIsNotThere) {
  const ApiReply reply = apply_pod("me", kSpec);
  EXPECT_EQ(reply.code, 201) << reply.body;
  const Json pod = Json::parse(reply.body);
  EXPECT_THAT(owners(pod), ElementsAre("me Apply"));
  EXPECT_EQ(to_text(pod["metadata"]["managedFields"][0]["fieldsV1"]),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{},"f:name":{},)"
            R"("f:resources":{"f:requests":{"f:cpu":{}}}}}}})");
  EXPECT_EQ(apply_pod("me", kSpec).code, 200);
}

TEST_F(ServerSideApplyTest, TheSameAgainChangesNothing) {
  const Json before = Json::parse(apply_pod("me", kSpec).body);
  world_.set_time(*api::parse_timestamp("2026-01-02T00:00:00Z"));
  EXPECT_EQ(Json::parse(apply_pod("me", kSpec).body), before);
}

TEST_F(ServerSideApplyTest, AnotherValueOfAnotherOwnerIsAConflict) {
  ASSERT_EQ(apply_pod("me", kSpec).code, 201);
  std::string other = kSpec;
  other.replace(other.find("\"a\""), 3, "\"b\"");
  const ApiReply reply = apply_pod("you", other);
  EXPECT_EQ(reply.code, 409);
  const Json status = Json::parse(reply.body);
  EXPECT_EQ(status["reason"], "Conflict");
  EXPECT_EQ(status["message"],
            "Apply failed with 1 conflict: conflict with \"me\": "
            ".spec.containers[name=\"app\"].image");
  EXPECT_EQ(status["details"]["causes"][0]["field"], ".spec.containers[name=\"app\"].image");
  EXPECT_EQ(status["details"]["causes"][0]["reason"], "FieldManagerConflict");
  EXPECT_EQ(status["details"]["causes"][0]["message"], "conflict with \"me\"");

  const ApiReply forced = apply_pod("you", other, true);
  EXPECT_EQ(forced.code, 200) << forced.body;
  const Json pod = Json::parse(forced.body);
  EXPECT_EQ(pod["spec"]["containers"][0]["image"], "b");
  EXPECT_THAT(owners(pod), ElementsAre("you Apply", "me Apply"));
  EXPECT_THAT(to_text(pod["metadata"]["managedFields"][1]["fieldsV1"]),
              ::testing::Not(HasSubstr("f:image")));
}

TEST_F(ServerSideApplyTest, SeveralConflictsAreListedByOwner) {
  ASSERT_EQ(apply_pod("me", R"(,"labels":{"a":"1","b":"1"})" + std::string(kSpec)).code, 201);
  const ApiReply reply = apply_pod("you", R"(,"labels":{"a":"2","b":"2"}}})");
  EXPECT_EQ(Json::parse(reply.body)["message"],
            "Apply failed with 2 conflicts: conflicts with \"me\":\n- .metadata.labels.a\n"
            "- .metadata.labels.b");
}

TEST_F(ServerSideApplyTest, AnOrdinaryWriteTakesFieldsAndSaysWhen) {
  ASSERT_EQ(apply_pod("me", R"(,"labels":{"a":"1"})" + std::string(kSpec)).code, 201);
  ASSERT_EQ(patch("kubectl", R"({"metadata":{"labels":{"a":"2"}}})").code, 200);
  EXPECT_THAT(owners(get(kPodPath)), ElementsAre("me Apply", "kubectl Update"));
  const ApiReply reply = apply_pod("me", R"(,"labels":{"a":"3"})" + std::string(kSpec));
  EXPECT_EQ(Json::parse(reply.body)["message"],
            "Apply failed with 1 conflict: conflict with \"kubectl\" using v1 at "
            "2026-01-01T00:00:00Z: .metadata.labels.a");
}

TEST_F(ServerSideApplyTest, WhatIsNoLongerSaidGoes) {
  ASSERT_EQ(apply_pod("me", R"(,"labels":{"a":"1","b":"1"})" + std::string(kSpec)).code, 201);
  ASSERT_EQ(apply_pod("you", R"(,"labels":{"b":"1"}}})").code, 200);
  ASSERT_EQ(apply_pod("me", kSpec).code, 200);
  EXPECT_EQ(get(kPodPath)["metadata"]["labels"], (Json{{"b", "1"}}));
  ASSERT_EQ(apply_pod("you", "}}").code, 200);
  EXPECT_FALSE(get(kPodPath)["metadata"].contains("labels"));
}

// What a real 1.37 was measured to do with the node's policy.
TEST_F(ServerSideApplyTest, OwnersOfThePreemptionPolicyAddUp) {
  const auto policy = [&] {
    const Json node = get(kNodePath);
    const Json* found = find_at(node, {"spec", "podPreemptionPolicy", "disableResizePreemption"});
    return found == nullptr ? std::string("none") : to_text(*found);
  };
  ASSERT_EQ(apply_owners("one", R"(["a.dev/x","a.dev/shared"])").code, 200);
  ASSERT_EQ(apply_owners("two", R"(["b.dev/y","a.dev/shared"])").code, 200);
  EXPECT_EQ(policy(), R"(["a.dev/x","a.dev/shared","b.dev/y"])");
  ASSERT_EQ(apply_owners("one", "").code, 200);
  EXPECT_EQ(policy(), R"(["a.dev/shared","b.dev/y"])");
  ASSERT_EQ(apply_owners("two", R"(["b.dev/y"])").code, 200);
  EXPECT_EQ(policy(), R"(["b.dev/y"])");
  ASSERT_EQ(apply_owners("two", "").code, 200);
  EXPECT_EQ(policy(), "none");
  EXPECT_FALSE(map_at(get(kNodePath), {"spec"}).contains("podPreemptionPolicy"));
}

TEST_F(ServerSideApplyTest, WhatDoesNotFitTheKindIsUpstreamsInternalError) {
  const ApiReply twice = apply_owners("one", R"(["a.dev/x","a.dev/x"])");
  EXPECT_EQ(twice.code, 500);
  EXPECT_EQ(Json::parse(twice.body)["message"],
            "failed to create typed patch object (/n; /v1, Kind=Node): "
            ".spec.podPreemptionPolicy.disableResizePreemption: duplicate entries for key "
            "[=\"a.dev/x\"]");
  const ApiReply unknown = apply_pod("me", R"(},"spec":{"foo":1}})");
  EXPECT_EQ(unknown.code, 500);
  EXPECT_THAT(unknown.body, HasSubstr("(default/web; /v1, Kind=Pod): .spec.foo: field not "
                                      "declared in schema"));
}

TEST_F(ServerSideApplyTest, RefusedRemovals) {
  EXPECT_EQ(apply("", kPodPath, R"({"metadata":{"name":"web"}})").code, 422);
  EXPECT_EQ(apply("me", kPodPath, R"({"metadata":{"name":"db"}})").code, 400);
  EXPECT_EQ(apply("me", kPodPath, R"({"metadata":{"name":"web","managedFields":[{}]}})").code, 400);
  EXPECT_EQ(apply("me", kPodPath, "a: &a [*a]").code, 400);
  EXPECT_EQ(apply("me", kPodPath, "{").code, 400);
  EXPECT_EQ(apply("me", std::string(kPodPath) + "/status", R"({"metadata":{"name":"web"}})").code,
            404);
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"spec":)";
  EXPECT_EQ(apply("me", kPodPath, deep + "1" + std::string(100, '}')).code, 400);
}

TEST_F(ServerSideApplyTest, YamlIsFine) {
  const ApiReply reply = apply("me", kPodPath,
                               "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n"
                               "  containers:\n  - name: app\n    image: a\n");
  EXPECT_EQ(reply.code, 201) << reply.body;
}

TEST_F(ServerSideApplyTest, StatusConditionsMergeByTypeAndHaveOwners) {
  ASSERT_EQ(apply_pod("me", kSpec).code, 201);
  const std::string status = std::string(kPodPath) + "/status";
  const auto condition = [&](const std::string& manager, const std::string& value) {
    return apply(manager, status,
                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"status":)"
                 R"({"conditions":[{"type":"a.dev/X","status":")" +
                     value + R"("}]}})");
  };
  EXPECT_EQ(condition("one", "True").code, 200);
  const ApiReply second = condition("two", "False");
  EXPECT_EQ(second.code, 409);
  EXPECT_EQ(Json::parse(second.body)["message"],
            "Apply failed with 1 conflict: conflict with \"one\" with subresource \"status\": "
            ".status.conditions[type=\"a.dev/X\"].status");
}

TEST(ManagedFields, NobodyIsNotedDownWhereTheWorldDoesNotTrack) {
  World world{{}};
  ApiService service(world);
  const ApiReply reply =
      service.answer({.method = "POST",
                      .path = "/api/v1/namespaces",
                      .headers = {{"content-type", "application/json"}, {"user-agent", "me/1"}},
                      .body = R"({"metadata":{"name":"a","managedFields":[{"manager":"you"}]}})"});
  EXPECT_EQ(reply.code, 201);
  EXPECT_FALSE(Json::parse(reply.body)["metadata"].contains("managedFields"));
}

TEST(FieldSet, WhatIsWrittenIsReadAgain) {
  const Json pod = Json::parse(R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[
      {"name":"x","ports":[{"containerPort":80}],"command":["a"]}],"tolerations":[{}],
      "volumes":[]}})");
  const FieldSet set = fields_of(schema_of(pods()), pod, true);
  EXPECT_EQ(field_set_of(fields_v1(set)), set);
  EXPECT_THAT(
      paths_of(set),
      ::testing::Contains(".spec.containers[name=\"x\"].ports[containerPort=80,protocol=\"TCP\"]"));
  EXPECT_TRUE(without(set, set).is_empty());
  EXPECT_EQ(common(set, set), set);
  EXPECT_EQ(united(set, set), set);
  EXPECT_THAT(paths_of(compared(schema_of(pods()), pod, pod).changed), IsEmpty());
}

}  // namespace
}  // namespace elbowroom::lab
