// Deployments, ReplicaSets and StatefulSets are scaled as on an API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/apiserver/api_service.h"
#include "test/unit/lab/app_fixture.h"

namespace elbowroom::lab::testing {
namespace {

using ::testing::HasSubstr;

class ScaleTest : public ::testing::Test {
 protected:
  ApiReply ask(const std::string& method, const std::string& path, const std::string& body = "",
               const std::string& media = "application/json") {
    return service.answer(
        {.method = method, .path = path, .headers = {{"content-type", media}}, .body = body});
  }
  [[nodiscard]] std::int64_t replicas(std::string_view plural) const {
    const Json* object = world.peek(app_kind(plural), "default", "web");
    return integer_at(*object, {"spec", "replicas"}).value_or(-1);
  }

  World world{{}};
  ApiService service{world};
  const std::string place = "/apis/apps/v1/namespaces/default/";
};

TEST_F(ScaleTest, IsReadWithTheSelectorOfThePods) {
  for (const char* plural : {"deployments", "replicasets", "statefulsets"}) {
    ASSERT_TRUE(world.create(app_kind(plural), "default", app_object(plural, "web", 3)));
    const ApiReply reply = ask("GET", place + plural + "/web/scale");
    ASSERT_EQ(reply.code, 200) << reply.body;
    const Json scale = Json::parse(reply.body);
    EXPECT_EQ(scale["kind"], "Scale");
    EXPECT_EQ(scale["apiVersion"], "autoscaling/v1");
    EXPECT_EQ(scale["spec"]["replicas"], 3);
    EXPECT_EQ(scale["status"]["replicas"], 0);
    EXPECT_EQ(scale["status"]["selector"], "app=web");
    EXPECT_EQ(scale["metadata"]["name"], "web");
  }
}

TEST_F(ScaleTest, AMergePatchSetsTheReplicas) {
  ASSERT_TRUE(
      world.create(app_kind("deployments"), "default", app_object("deployments", "web", 3)));
  const ApiReply reply = ask("PATCH", place + "deployments/web/scale", R"({"spec":{"replicas":5}})",
                             "application/merge-patch+json");
  ASSERT_EQ(reply.code, 200) << reply.body;
  EXPECT_EQ(Json::parse(reply.body)["spec"]["replicas"], 5);
  EXPECT_EQ(replicas("deployments"), 5);
}

TEST_F(ScaleTest, AnUpdateHasThePreconditionsThatItNames) {
  ASSERT_TRUE(
      world.create(app_kind("replicasets"), "default", app_object("replicasets", "web", 3)));
  Json scale = Json::parse(ask("GET", place + "replicasets/web/scale").body);
  scale["spec"]["replicas"] = 0;
  EXPECT_EQ(ask("PUT", place + "replicasets/web/scale", scale.dump()).code, 200);
  EXPECT_EQ(replicas("replicasets"), 0);
  scale["spec"]["replicas"] = 7;
  EXPECT_EQ(ask("PUT", place + "replicasets/web/scale", scale.dump()).code, 409)
      << "it has changed";
  EXPECT_EQ(replicas("replicasets"), 0);
}

TEST_F(ScaleTest, WhatIsNoNumberOfPodsIsRefused) {
  ASSERT_TRUE(
      world.create(app_kind("statefulsets"), "default", app_object("statefulsets", "web", 3)));
  for (const char* spec : {"-1", "null", "\"many\"", "99999999999"}) {
    const ApiReply reply =
        ask("PATCH", place + "statefulsets/web/scale",
            std::string(R"({"spec":{"replicas":)") + spec + "}}", "application/merge-patch+json");
    EXPECT_EQ(reply.code, 422) << reply.body;
    EXPECT_THAT(reply.body, HasSubstr("spec.replicas"));
  }
  EXPECT_EQ(replicas("statefulsets"), 3);
}

TEST_F(ScaleTest, ADaemonSetAndAPodHaveNone) {
  EXPECT_EQ(ask("GET", place + "daemonsets/web/scale").code, 404);
  EXPECT_EQ(ask("GET", "/api/v1/namespaces/default/pods/web/scale").code, 404);
}

}  // namespace
}  // namespace elbowroom::lab::testing
