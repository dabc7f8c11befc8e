#include "api/codec/decode_move_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace elbowroom::api {
namespace {

using testing::HasSubstr;

policy::MoveOwner owner(std::string_view kind, const std::string& rest) {
  const auto object = parse_json(
      R"({"metadata":{"name":"web","namespace":"a","uid":"u","generation":3},)" + rest + "}");
  EXPECT_TRUE(object) << object.error().message;
  const auto read = decode_move_owner(*object, kind);
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(policy::MoveOwner{});
}

TEST(DecodeMoveOwner, ADeploymentAtRest) {
  const auto read =
      owner("Deployment", R"("spec":{"replicas":2},"status":{"observedGeneration":3,"replicas":2,)"
                          R"("updatedReplicas":2,"readyReplicas":2})");
  EXPECT_EQ(read, (policy::MoveOwner{
                      .kind = "Deployment", .ns = "a", .name = "web", .uid = "u", .tells = true}));
}

TEST(DecodeMoveOwner, WhatSelectsItsPods) {
  const std::string selecting = R"("spec":{"selector":{"matchLabels":{"app":"web"}}})";
  for (const char* kind : {"ReplicaSet", "StatefulSet"}) {
    EXPECT_EQ(owner(kind, selecting).selector,
              (policy::LabelSelector{.match_labels = {{"app", "web"}}}));
  }
  EXPECT_EQ(owner("Deployment", selecting).selector, policy::LabelSelector{});
}

TEST(DecodeMoveOwner, WhatADeploymentThatRollsOutSays) {
  struct Row {
    const char* status;
    const char* why;
  };
  for (const Row& row : {
           Row{R"("observedGeneration":2,"replicas":2,"updatedReplicas":2,"readyReplicas":2)",
               "latest change"},
           Row{R"("observedGeneration":3,"replicas":2,"updatedReplicas":1,"readyReplicas":2)",
               "1 of 2 replicas are updated"},
           Row{R"("observedGeneration":3,"replicas":3,"updatedReplicas":2,"readyReplicas":2)",
               "3 of 2 replicas are there"},
           Row{R"("observedGeneration":3,"replicas":2,"updatedReplicas":2)",
               "0 of 2 replicas are ready"},
       }) {
    const auto read =
        owner("Deployment", R"("spec":{"replicas":2},"status":{)" + std::string(row.status) + "}");
    EXPECT_THAT(read.rolls_out, HasSubstr(row.why));
  }
}

TEST(DecodeMoveOwner, AStatefulSetBetweenItsRevisions) {
  const std::string rest = R"("replicas":1,"updatedReplicas":1,"readyReplicas":1)";
  EXPECT_EQ(
      owner("StatefulSet",
            R"("status":{"observedGeneration":3,"currentRevision":"1","updateRevision":"1",)" +
                rest + "}")
          .rolls_out,
      "");
  EXPECT_THAT(
      owner("StatefulSet",
            R"("status":{"observedGeneration":3,"currentRevision":"1","updateRevision":"2",)" +
                rest + "}")
          .rolls_out,
      HasSubstr("1 and 2 differ"));
}

TEST(DecodeMoveOwner, AReplicaSetNamesItsDeployment) {
  const auto object = parse_json(
      R"({"metadata":{"name":"web-1","uid":"u","ownerReferences":[)"
      R"({"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"d","controller":true}]}})");
  const auto read = decode_move_owner(*object, "ReplicaSet");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->controller, "d");
  EXPECT_FALSE(read->tells) << "without a status it says nothing of its pods";
}

TEST(DecodeMoveOwner, WrongTypesAreNamed) {
  const auto read = decode_move_owner(
      *parse_json(R"({"metadata":{"name":"web","uid":"u"},"status":{"readyReplicas":"two"}})"),
      "Deployment");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("readyReplicas"));
}

}  // namespace
}  // namespace elbowroom::api
