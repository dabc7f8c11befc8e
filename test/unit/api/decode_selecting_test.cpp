// What selects pods: services and replication controllers by labels, the others by a selector.
#include "api/codec/decode_selecting.h"

#include <gtest/gtest.h>

#include <string>

#include "api/codec/decode_common.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

using policy::Selecting;
using policy::SelectingKind;

Result<Selecting> read(SelectingKind kind, const std::string& text) {
  const auto documents = parse_yaml(text);
  EXPECT_TRUE(documents);
  return decode_selecting(documents->at(0), kind, Source::File);
}

TEST(DecodeSelecting, LabelsOrASelector) {
  const std::string named = "metadata: {name: web, namespace: shop}\n";
  for (const SelectingKind kind : {SelectingKind::Service, SelectingKind::ReplicationController}) {
    EXPECT_EQ(read(kind, named + "spec: {selector: {app: web}}"),
              (Selecting{.kind = kind,
                         .ns = "shop",
                         .name = "web",
                         .selector = {.match_labels = {{"app", "web"}}}}));
    EXPECT_EQ(read(kind, named + "spec: {}")->selector, policy::LabelSelector{});
  }
  for (const SelectingKind kind : {SelectingKind::ReplicaSet, SelectingKind::StatefulSet}) {
    const auto made = read(kind, named +
                                     "spec: {selector: {matchLabels: {app: web}, "
                                     "matchExpressions: [{key: tier, operator: Exists}]}}");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->selector.match_labels.size(), 1U);
    EXPECT_EQ(made->selector.expressions.size(), 1U);
    EXPECT_EQ(read(kind, named + "spec: {}")->selector, policy::LabelSelector{});
  }
}

TEST(DecodeSelecting, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read(SelectingKind::Service, "metadata: {name: web}\nspec: {selector: odd}")
                .error()
                .message.substr(0, 35),
            "service default/web: spec.selector:");
  EXPECT_FALSE(read(SelectingKind::ReplicaSet, "spec: {}"));
}

// A StatefulSet of another group is not ours to look up by its name.
TEST(DecodeSelecting, AnOwnerOfAnotherGroupSaysSo) {
  const auto kind_of = [](const std::string& version, const std::string& kind) {
    const auto documents = parse_yaml("metadata: {ownerReferences: [{apiVersion: " + version +
                                      ", kind: " + kind + ", name: web, controller: true}]}");
    const auto owner = decode_controller(Field(documents->at(0)));
    return owner && *owner ? (*owner)->kind : "none";
  };
  EXPECT_EQ(kind_of("apps/v1", "StatefulSet"), "StatefulSet");
  EXPECT_EQ(kind_of("apps.kruise.io/v1beta1", "StatefulSet"), "StatefulSet.apps.kruise.io");
  EXPECT_EQ(kind_of("''", "ReplicaSet"), "ReplicaSet");
  EXPECT_EQ(kind_of("v1", "ReplicationController"), "ReplicationController");
  EXPECT_EQ(kind_of("x.io/v1", "ReplicationController"), "ReplicationController.x.io");
  EXPECT_EQ(kind_of("x.io/v1", "Job"), "Job");
}

}  // namespace
}  // namespace elbowroom::api
