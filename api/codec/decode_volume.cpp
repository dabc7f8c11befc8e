#include "api/codec/decode_volume.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "api/codec/cache_size.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_placement.h"

namespace elbowroom::api {
namespace {

using policy::AccessModes;
using policy::NodeOperator;
using policy::NodeTerm;

// Of releases before storageClassName was a field; they take precedence. Source: component-helpers
// storage/volume, GetPersistentVolumeClaimClass.
constexpr std::string_view kOldClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";

constexpr std::array<std::string_view, 4> kZoneLabels = {
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region"};

template <class T>
std::unexpected<Error> named(const Result<T>& failed, std::string_view kind, const Value& object,
                             bool namespaced) {
  return std::unexpected(
      failed.error().with(std::string(kind) + " " + name_in_errors(object, namespaced)));
}

std::string class_of(const Metadata& metadata, const std::string& in_spec) {
  const auto old = metadata.annotations.find(kOldClass);
  return old == metadata.annotations.end() ? in_spec : old->second;
}

Result<AccessModes> decode_modes(const Field& spec, AccessModes unknown) {
  ASSIGN_OR_RETURN(const std::vector<std::string> texts, spec.texts("accessModes"));
  AccessModes modes = 0;
  for (const std::string& each : texts) {
    modes |= each == "ReadWriteOnce"      ? policy::kReadWriteOnce
             : each == "ReadOnlyMany"     ? policy::kReadOnlyMany
             : each == "ReadWriteMany"    ? policy::kReadWriteMany
             : each == "ReadWriteOncePod" ? policy::kReadWriteOncePod
                                          : unknown;
  }
  return modes;
}

Result<bool> decode_is_block(const Field& spec) {
  ASSIGN_OR_RETURN(const std::string mode, spec.text("volumeMode"));
  return mode == "Block";
}

// The amount at parent.storage; none if it is not given.
Result<std::optional<std::int64_t>> decode_size(const Field& amounts, std::string_view key) {
  ASSIGN_OR_RETURN(const Field at, amounts.get(key));
  if (!at.present()) return std::nullopt;
  const Result<std::int64_t> size = at.as_quantity("storage");
  if (!size) return std::unexpected(size.error());
  return std::max<std::int64_t>(0, *size);
}

// One term that matches no node.
std::vector<NodeTerm> nowhere() { return {}; }

std::size_t size_of(const NodeTerm& term) {
  std::size_t sum = 1;
  for (const auto& each : term.labels) sum += 1 + each.values.size();
  for (const auto& each : term.names) sum += 1 + each.values.size();
  return sum;
}

// The readable ones: an unreadable term matches no node.
template <class Decode>
std::vector<NodeTerm> decode_terms(const Field& parent, std::string_view key, Decode decode) {
  const Result<Field> list = parent.get(key);
  const Result<std::size_t> count = list ? list->size() : std::unexpected(list.error());
  if (!count || *count > kMaxVolumeTerms) return nowhere();
  std::vector<NodeTerm> terms;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < *count; ++i) {
    Result<NodeTerm> term = decode(list->item(i));
    if (!term) continue;
    sum += size_of(*term);
    if (sum > kMaxVolumeTerms) return nowhere();
    terms.push_back(*std::move(term));
  }
  return terms;
}

std::optional<std::vector<NodeTerm>> decode_node_affinity_of_volume(const Field& spec) {
  const Result<Field> affinity = spec.get("nodeAffinity");
  const Result<Field> required = affinity ? affinity->get("required") : affinity;
  if (!required) return nowhere();
  if (!required->present()) return std::nullopt;
  return decode_terms(*required, "nodeSelectorTerms", decode_node_term);
}

Result<NodeTerm> decode_topology(const Field& at) {
  NodeTerm term;
  ASSIGN_OR_RETURN(const Field list, at.get("matchLabelExpressions"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMaxVolumeTerms) return list.refuse("has too many entries");
  for (std::size_t i = 0; i < count; ++i) {
    const Field each = list.item(i);
    policy::NodeExpression made{.op = NodeOperator::In};
    ASSIGN_OR_RETURN(made.key, each.text("key"));
    ASSIGN_OR_RETURN(made.values, each.texts("values"));
    term.labels.push_back(std::move(made));
  }
  return term;
}

std::optional<std::vector<NodeTerm>> decode_topologies(const Field& root) {
  const Result<Field> list = root.get("allowedTopologies");
  const Result<std::size_t> count = list ? list->size() : std::unexpected(list.error());
  if (!count) return nowhere();
  if (*count == 0) return std::nullopt;
  return decode_terms(root, "allowedTopologies", decode_topology);
}

Result<void> decode_claim_ref(const Field& spec, policy::PersistentVolume& volume) {
  ASSIGN_OR_RETURN(const Field at, spec.get("claimRef"));
  if (!at.present()) return {};
  policy::ClaimRef ref;
  ASSIGN_OR_RETURN(ref.ns, at.text("namespace"));
  ASSIGN_OR_RETURN(ref.name, at.text("name"));
  ASSIGN_OR_RETURN(ref.uid, at.text("uid"));
  volume.claim = std::move(ref);
  return {};
}

Result<void> decode_csi_source(const Field& spec, policy::PersistentVolume& volume) {
  ASSIGN_OR_RETURN(const Field at, spec.get("csi"));
  if (!at.present()) return {};
  ASSIGN_OR_RETURN(volume.driver, at.text("driver"));
  ASSIGN_OR_RETURN(volume.handle, at.text("volumeHandle"));
  return {};
}

void keep_labels(policy::PersistentVolume& volume, policy::Labels labels) {
  if (!volume.is_available) {
    std::erase_if(labels, [](const auto& each) {
      return std::ranges::find(kZoneLabels, each.first) == kZoneLabels.end();
    });
  }
  volume.labels = std::move(labels);
}

Result<policy::VolumeClaim> claim_at(const Field& root) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::VolumeClaim claim{.ns = metadata.ns.empty() ? "default" : std::move(metadata.ns),
                            .name = std::move(metadata.name),
                            .uid = std::move(metadata.uid),
                            .resource_version = std::move(metadata.resource_version),
                            .is_completed = metadata.annotations.contains(kBindCompleted),
                            .is_terminating = metadata.deletion.has_value()};
  if (const auto node = metadata.annotations.find(kSelectedNode);
      node != metadata.annotations.end()) {
    claim.selected_node = node->second.substr(0, kMaxNameBytes);
  }
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(std::string in_spec, spec.text("storageClassName"));
  claim.storage_class = class_of(metadata, in_spec);
  ASSIGN_OR_RETURN(claim.attributes_class, spec.text("volumeAttributesClassName"));
  ASSIGN_OR_RETURN(claim.volume, spec.text("volumeName"));
  ASSIGN_OR_RETURN(claim.access_modes, decode_modes(spec, policy::kClaimedUnknownMode));
  ASSIGN_OR_RETURN(claim.is_block, decode_is_block(spec));
  ASSIGN_OR_RETURN(const Field resources, spec.get("resources"));
  ASSIGN_OR_RETURN(const Field requests, resources.get("requests"));
  ASSIGN_OR_RETURN(claim.request, decode_size(requests, "storage"));
  ASSIGN_OR_RETURN(claim.selector, decode_selector(spec, "selector"));
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  ASSIGN_OR_RETURN(const std::string phase, status.text("phase"));
  claim.is_lost = phase == "Lost";
  ASSIGN_OR_RETURN(const auto controller, decode_controller(root));
  if (controller) claim.controller_uid = controller->uid;
  return claim;
}

Result<policy::PersistentVolume> volume_at(const Field& root) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::PersistentVolume volume{
      .name = std::move(metadata.name),
      .uid = std::move(metadata.uid),
      .resource_version = std::move(metadata.resource_version),
      .is_terminating = metadata.deletion.has_value(),
      .is_bound_by_controller = metadata.annotations.contains(kBoundByController)};
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(std::string in_spec, spec.text("storageClassName"));
  volume.storage_class = class_of(metadata, in_spec);
  ASSIGN_OR_RETURN(volume.attributes_class, spec.text("volumeAttributesClassName"));
  ASSIGN_OR_RETURN(volume.access_modes, decode_modes(spec, policy::kOfferedUnknownMode));
  ASSIGN_OR_RETURN(volume.is_block, decode_is_block(spec));
  ASSIGN_OR_RETURN(const Field capacity, spec.get("capacity"));
  ASSIGN_OR_RETURN(const auto size, decode_size(capacity, "storage"));
  volume.capacity = size.value_or(0);
  RETURN_IF_ERROR(decode_claim_ref(spec, volume));
  RETURN_IF_ERROR(decode_csi_source(spec, volume));
  volume.nodes = decode_node_affinity_of_volume(spec);
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  ASSIGN_OR_RETURN(const std::string phase, status.text("phase"));
  volume.is_available = phase == "Available";
  keep_labels(volume, std::move(metadata.labels));
  return volume;
}

Result<policy::StorageClass> class_at(const Field& root) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::StorageClass made{.name = std::move(metadata.name)};
  ASSIGN_OR_RETURN(made.provisioner, root.text("provisioner"));
  ASSIGN_OR_RETURN(const std::string mode, root.text("volumeBindingMode"));
  made.waits_for_consumer = mode == "WaitForFirstConsumer";
  made.topologies = decode_topologies(root);
  return made;
}

Result<policy::CsiNode> csi_node_at(const Field& root) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::CsiNode made{.name = std::move(metadata.name)};
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(const Field drivers, spec.get("drivers"));
  ASSIGN_OR_RETURN(const std::size_t count, drivers.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field driver = drivers.item(i);
    ASSIGN_OR_RETURN(std::string name, driver.text("name"));
    ASSIGN_OR_RETURN(const Field allocatable, driver.get("allocatable"));
    ASSIGN_OR_RETURN(const auto limit, allocatable.integer("count"));
    if (limit) made.limits[std::move(name)] = std::max<std::int64_t>(0, *limit);
  }
  return made;
}

Result<policy::CsiDriver> csi_driver_at(const Field& root) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::CsiDriver made{.name = std::move(metadata.name)};
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(made.publishes_capacity, spec.boolean("storageCapacity"));
  return made;
}

Result<policy::StorageCapacity> capacity_at(const Field& root) {
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::StorageCapacity made{.ns = metadata.ns.empty() ? "default" : std::move(metadata.ns),
                               .name = std::move(metadata.name)};
  ASSIGN_OR_RETURN(made.storage_class, root.text("storageClassName"));
  const auto selector = decode_selector(root, "nodeTopology");
  if (selector) made.nodes = *selector;
  ASSIGN_OR_RETURN(made.largest, decode_size(root, "maximumVolumeSize"));
  if (!made.largest) {
    ASSIGN_OR_RETURN(made.largest, decode_size(root, "capacity"));
  }
  return made;
}

std::size_t bytes_of(const std::optional<policy::LabelSelector>& selector) {
  if (!selector) return 0;
  std::size_t bytes = 0;
  for (const auto& [key, value] : selector->match_labels) {
    bytes += kBytesOfMapNode + cached_bytes(key) + cached_bytes(value);
  }
  for (const auto& each : selector->expressions) {
    bytes += sizeof each + cached_bytes(each.key);
    for (const std::string& value : each.values) bytes += cached_bytes(value);
  }
  return bytes;
}

std::size_t bytes_of(const std::optional<std::vector<NodeTerm>>& terms) {
  std::size_t bytes = 0;
  for (const NodeTerm& term : terms.value_or(std::vector<NodeTerm>{})) {
    bytes += sizeof term;
    for (const auto* list : {&term.labels, &term.names}) {
      for (const auto& each : *list) {
        bytes += sizeof each + cached_bytes(each.key);
        for (const std::string& value : each.values) bytes += cached_bytes(value);
      }
    }
  }
  return bytes;
}

template <class... Text>
std::size_t bytes_of_texts(const Text&... texts) {
  return (cached_bytes(texts) + ... + std::size_t{0});
}

}  // namespace

Result<policy::VolumeClaim> decode_volume_claim(const Value& object, Source source) {
  auto claim = claim_at(Field(object, source));
  if (!claim) return named(claim, "claim", object, true);
  return claim;
}

Result<policy::PersistentVolume> decode_volume(const Value& object, Source source) {
  auto volume = volume_at(Field(object, source));
  if (!volume) return named(volume, "volume", object, false);
  return volume;
}

Result<policy::StorageClass> decode_storage_class(const Value& object, Source source) {
  auto made = class_at(Field(object, source));
  if (!made) return named(made, "storage class", object, false);
  return made;
}

Result<policy::CsiNode> decode_csi_node(const Value& object, Source source) {
  auto made = csi_node_at(Field(object, source));
  if (!made) return named(made, "CSINode", object, false);
  return made;
}

Result<policy::CsiDriver> decode_csi_driver(const Value& object, Source source) {
  auto made = csi_driver_at(Field(object, source));
  if (!made) return named(made, "CSIDriver", object, false);
  return made;
}

Result<policy::StorageCapacity> decode_storage_capacity(const Value& object, Source source) {
  auto made = capacity_at(Field(object, source));
  if (!made) return named(made, "CSIStorageCapacity", object, true);
  return made;
}

std::size_t weight_of(const policy::VolumeClaim& of) {
  return kBytesOfMapNode + sizeof of + bytes_of(of.selector) +
         bytes_of_texts(of.ns, of.name, of.ns, of.name, of.uid, of.resource_version,
                        of.storage_class, of.attributes_class, of.volume, of.controller_uid,
                        of.selected_node.value_or(""));
}

std::size_t weight_of(const policy::PersistentVolume& of) {
  std::size_t bytes = kBytesOfMapNode + sizeof of + bytes_of(of.nodes) +
                      bytes_of_texts(of.name, of.name, of.uid, of.resource_version,
                                     of.storage_class, of.attributes_class, of.driver, of.handle);
  if (of.claim) bytes += bytes_of_texts(of.claim->ns, of.claim->name, of.claim->uid);
  for (const auto& [key, value] : of.labels) {
    bytes += kBytesOfMapNode + cached_bytes(key) + cached_bytes(value);
  }
  return bytes;
}

std::size_t weight_of(const policy::StorageClass& of) {
  return kBytesOfMapNode + sizeof of + bytes_of(of.topologies) +
         bytes_of_texts(of.name, of.name, of.provisioner);
}

std::size_t weight_of(const policy::CsiNode& of) {
  std::size_t bytes = kBytesOfMapNode + sizeof of + bytes_of_texts(of.name, of.name);
  for (const auto& [driver, limit] : of.limits) bytes += kBytesOfMapNode + cached_bytes(driver);
  return bytes;
}

std::size_t weight_of(const policy::CsiDriver& of) {
  return kBytesOfMapNode + sizeof of + bytes_of_texts(of.name, of.name);
}

std::size_t weight_of(const policy::StorageCapacity& of) {
  return kBytesOfMapNode + sizeof of + bytes_of(of.nodes) +
         bytes_of_texts(of.ns, of.name, of.ns, of.name, of.storage_class);
}

}  // namespace elbowroom::api
