#include "api/codec/decode_volume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/document.h"
#include "policy/placement/node_terms.h"

namespace elbowroom::api {
namespace {

using policy::NodeOperator;
using policy::NodeTerm;

Value volume_yaml(const std::string& text) {
  auto parsed = parse_yaml(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed && !parsed->empty() ? parsed->front() : Value{};
}

policy::VolumeClaim claim_of(const std::string& text) {
  const auto made = decode_volume_claim(volume_yaml(text));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made.value_or(policy::VolumeClaim{});
}

policy::PersistentVolume volume_of(const std::string& text) {
  const auto made = decode_volume(volume_yaml(text));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made.value_or(policy::PersistentVolume{});
}

TEST(DecodeVolume, AClaimIsWhatPlacementNeedsOfIt) {
  const policy::VolumeClaim claim = claim_of(R"(
metadata:
  {name: data, namespace: prod, uid: u1, resourceVersion: "7",
   annotations: {pv.kubernetes.io/bind-completed: "yes", volume.kubernetes.io/selected-node: n1},
   ownerReferences: [{apiVersion: v1, kind: Pod, name: web, uid: u-web, controller: true}]}
spec:
  {storageClassName: fast, volumeName: v1, accessModes: [ReadWriteOnce, ReadWriteOncePod],
   volumeMode: Block, resources: {requests: {storage: 10Gi}},
   selector: {matchLabels: {disk: ssd}}, volumeAttributesClassName: gold}
status: {phase: Bound}
)");
  const policy::VolumeClaim expected{
      .ns = "prod",
      .name = "data",
      .uid = "u1",
      .resource_version = "7",
      .storage_class = "fast",
      .attributes_class = "gold",
      .volume = "v1",
      .access_modes = policy::kReadWriteOnce | policy::kReadWriteOncePod,
      .is_block = true,
      .request = std::int64_t{10} << 30,
      .selector = policy::LabelSelector{.match_labels = {{"disk", "ssd"}}},
      .is_completed = true,
      .selected_node = "n1",
      .controller_uid = "u-web"};
  EXPECT_EQ(claim, expected);
  EXPECT_TRUE(claim.is_bound());
}

TEST(DecodeVolume, TheOldAnnotationNamesTheClass) {
  const std::string old = "annotations: {volume.beta.kubernetes.io/storage-class: old}";
  EXPECT_EQ(
      claim_of("metadata: {name: c, " + old + "}\nspec: {storageClassName: a}\n").storage_class,
      "old");
  EXPECT_EQ(
      volume_of("metadata: {name: v, " + old + "}\nspec: {storageClassName: a}\n").storage_class,
      "old");
}

TEST(DecodeVolume, AVolumeKeepsItsLabelsWhileAClaimMaySelectIt) {
  const std::string labels =
      "metadata: {name: v, labels: {disk: ssd, topology.kubernetes.io/zone: z1}}\n"
      "spec: {capacity: {storage: 5Gi}}\n";
  EXPECT_EQ(volume_of(labels + "status: {phase: Available}\n").labels.size(), 2U);
  EXPECT_EQ(volume_of(labels + "status: {phase: Bound}\n").labels,
            (policy::Labels{{"topology.kubernetes.io/zone", "z1"}}));
}

TEST(DecodeVolume, AVolumeSaysWhereItCanBeUsed) {
  const policy::PersistentVolume volume = volume_of(R"(
metadata: {name: v, annotations: {pv.kubernetes.io/bound-by-controller: "yes"}}
spec:
  claimRef: {namespace: prod, name: data, uid: u1}
  csi: {driver: csi.example.com, volumeHandle: h1}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]
      - matchExpressions: [{key: kubernetes.io/hostname, operator: Like, values: [n1]}]
)");
  EXPECT_EQ(volume.claim, (policy::ClaimRef{.ns = "prod", .name = "data", .uid = "u1"}));
  EXPECT_EQ(volume.driver, "csi.example.com");
  EXPECT_EQ(volume.handle, "h1");
  EXPECT_TRUE(volume.is_bound_by_controller);
  ASSERT_TRUE(volume.nodes);
  EXPECT_EQ(volume.nodes->size(), 1U) << "a term that cannot be understood matches no node";
}

TEST(DecodeVolume, ATopologyIsATermPerEntry) {
  const auto made = decode_storage_class(volume_yaml(R"(
metadata: {name: fast}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
- matchLabelExpressions: [{key: zone, values: [a, b]}]
)"));
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->waits_for_consumer && made->provisions());
  const NodeTerm term{.labels = {{.key = "zone", .op = NodeOperator::In, .values = {"a", "b"}}}};
  EXPECT_EQ(made->topologies, std::vector<NodeTerm>{term});
}

// ---- what drivers and users may have written ----

TEST(DecodeVolume, NonsenseIsBounded) {
  const auto node = decode_csi_node(
      volume_yaml("metadata: {name: n1}\n"
                  "spec: {drivers: [{name: a, allocatable: {count: -5}}, {name: b}]}\n"));
  ASSERT_TRUE(node);
  EXPECT_EQ(node->limits, (std::map<std::string, std::int64_t, std::less<>>{{"a", 0}}));

  const auto capacity = decode_storage_capacity(
      volume_yaml("metadata: {name: c, namespace: d}\n"
                  "storageClassName: fast\ncapacity: 99999999999999999999999\n"
                  "nodeTopology: {matchExpressions: [{key: zone, operator: Perhaps}]}\n"));
  ASSERT_TRUE(capacity);
  EXPECT_EQ(capacity->largest, std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(capacity->nodes) << "no node";

  std::string terms = "metadata: {name: v}\nspec: {nodeAffinity: {required: {nodeSelectorTerms: [";
  for (int i = 0; i < 1'001; ++i) {
    terms += "{matchExpressions: [{key: a, operator: Exists}]},";
  }
  EXPECT_EQ(volume_of(terms + "]}}}\n").nodes, std::vector<NodeTerm>{}) << "no node";
  EXPECT_EQ(volume_of("metadata: {name: v}\nspec: {nodeAffinity: [1]}\n").nodes,
            std::vector<NodeTerm>{});
  EXPECT_FALSE(decode_volume_claim(volume_yaml("spec: {}\n")));
}

TEST(DecodeVolume, OfThousandsOfDriversEachKeepsItsLimit) {
  std::string drivers =
      "metadata: {name: n1}\nspec: {drivers: [{name: '', allocatable: {count: 3}}";
  for (int i = 0; i < 5'000; ++i) {
    drivers += ", {name: d" + std::to_string(i) + ", allocatable: {count: 9223372036854775807}}";
  }
  const auto node = decode_csi_node(volume_yaml(drivers + "]}\n"));
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->limits.size(), 5'001U);
  EXPECT_EQ(node->limits.at("d4999"), std::numeric_limits<std::int64_t>::max());
}

// It is told, and counts as if it did not exist.
TEST(DecodeVolume, WhatIsNoNumberNoAmountOrNoTextIsNamed) {
  const auto why = [](const auto& made) {
    return made ? "it was read" : std::string(made.error().message);
  };
  for (const char* count : {"many", "'5'", "5.5", "1e30", "[5]", "99999999999999999999"}) {
    const std::string text = std::string(
                                 "metadata: {name: n1}\nspec: {drivers: [{name: a, "
                                 "allocatable: {count: ") +
                             count + "}}]}\n";
    EXPECT_THAT(why(decode_csi_node(volume_yaml(text), Source::Server)),
                testing::AllOf(testing::HasSubstr("CSINode n1"),
                               testing::HasSubstr("spec.drivers[0].allocatable.count")))
        << count;
  }
  for (const char* amount : {"much", "[1]", "{a: b}", "1..2", "-5Gi"}) {
    const std::string text = "metadata: {name: c, namespace: d}\nstorageClassName: fast\n";
    for (const std::string key : {"capacity", "maximumVolumeSize"}) {
      EXPECT_THAT(
          why(decode_storage_capacity(volume_yaml(text + key + ": " + amount + "\n"),
                                      Source::Server)),
          testing::AllOf(testing::HasSubstr("CSIStorageCapacity d/c"), testing::HasSubstr(key)))
          << amount;
    }
  }
  EXPECT_THAT(why(decode_storage_class(volume_yaml("metadata: {name: fast}\nprovisioner: [a]\n"))),
              testing::HasSubstr("storage class fast"));
}

TEST(DecodeVolume, NonsenseOfAClassOrOfCapacityGivesNoRoom) {
  const auto capacity = decode_storage_capacity(
      volume_yaml("metadata: {name: c}\nstorageClassName: fast\ncapacity: 5Gi\n"));
  ASSERT_TRUE(capacity) << capacity.error().message;
  EXPECT_FALSE(capacity->nodes) << "without a topology it is of no node";
  for (const char* topology : {"[1]", "many", "{matchLabels: [a]}", "{matchExpressions: [{}]}"}) {
    const auto odd = decode_storage_capacity(volume_yaml(
        std::string("metadata: {name: c}\ncapacity: 5Gi\nnodeTopology: ") + topology + "\n"));
    ASSERT_TRUE(odd) << odd.error().message;
    EXPECT_FALSE(odd->nodes) << topology;
  }
  const auto odd_class = decode_storage_class(
      volume_yaml("metadata: {name: fast}\nprovisioner: d\nvolumeBindingMode: WhenItSuits\n"
                  "allowedTopologies: [{matchLabelExpressions: [{key: [a]}]}]\n"));
  ASSERT_TRUE(odd_class) << odd_class.error().message;
  EXPECT_FALSE(odd_class->waits_for_consumer);
  EXPECT_EQ(odd_class->topologies, std::vector<NodeTerm>{}) << "no node";
}

// As to kube-scheduler: without an affinity every node, with one that has no terms none.
TEST(DecodeVolume, AVolumeWithoutTermsIsUsableEverywhereOrNowhere) {
  const std::string local = "metadata: {name: v}\nspec: {local: {path: /disk}, ";
  for (const char* none :
       {"a: b", "nodeAffinity: null", "nodeAffinity: {}", "nodeAffinity: {required: null}"}) {
    EXPECT_FALSE(volume_of(local + none + "}\n").nodes) << none;
  }
  for (const char* nowhere :
       {"nodeAffinity: {required: {}}", "nodeAffinity: {required: {nodeSelectorTerms: []}}",
        "nodeAffinity: {required: {nodeSelectorTerms: null}}",
        "nodeAffinity: {required: {nodeSelectorTerms: {}}}",
        "nodeAffinity: {required: {nodeSelectorTerms: [1]}}", "nodeAffinity: here",
        "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: "
        "Like, values: [b]}]}]}}"}) {
    EXPECT_EQ(volume_of(local + nowhere + "}\n").nodes, std::vector<NodeTerm>{}) << nowhere;
  }
  // A term without expressions matches no node.
  const auto empty = volume_of(local + "nodeAffinity: {required: {nodeSelectorTerms: [{}]}}}\n");
  ASSERT_TRUE(empty.nodes);
  policy::Node node;
  node.name = "n";
  EXPECT_FALSE(policy::matches_any(*empty.nodes, node));
}

}  // namespace
}  // namespace elbowroom::api
