#include "api/codec/decode_volume.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/document.h"

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

}  // namespace
}  // namespace elbowroom::api
