#include "lab/world/kind.h"

#include <algorithm>
#include <array>

namespace elbowroom::lab {
namespace {

constexpr Kind kNamespace{.group = "",
                          .version = "v1",
                          .name = "Namespace",
                          .plural = "namespaces",
                          .short_name = "ns",
                          .has_status = true};
constexpr Kind kNode{.group = "",
                     .version = "v1",
                     .name = "Node",
                     .plural = "nodes",
                     .short_name = "no",
                     .has_status = true};
constexpr Kind kPod{.group = "",
                    .version = "v1",
                    .name = "Pod",
                    .plural = "pods",
                    .short_name = "po",
                    .namespaced = true,
                    .has_status = true,
                    .counts_generation = true};
constexpr Kind kCoreEvent{.group = "",
                          .version = "v1",
                          .name = "Event",
                          .plural = "events",
                          .short_name = "ev",
                          .namespaced = true};
constexpr Kind kConfigMap{.group = "",
                          .version = "v1",
                          .name = "ConfigMap",
                          .plural = "configmaps",
                          .short_name = "cm",
                          .namespaced = true};
constexpr Kind kService{.group = "",
                        .version = "v1",
                        .name = "Service",
                        .plural = "services",
                        .short_name = "svc",
                        .namespaced = true,
                        .has_status = true};
constexpr Kind kReplicationController{.group = "",
                                      .version = "v1",
                                      .name = "ReplicationController",
                                      .plural = "replicationcontrollers",
                                      .short_name = "rc",
                                      .namespaced = true,
                                      .has_status = true,
                                      .counts_generation = true};
constexpr Kind kEvent{.group = "events.k8s.io",
                      .version = "v1",
                      .name = "Event",
                      .plural = "events",
                      .short_name = "ev",
                      .namespaced = true};
constexpr Kind kLease{.group = "coordination.k8s.io",
                      .version = "v1",
                      .name = "Lease",
                      .plural = "leases",
                      .short_name = "",
                      .namespaced = true};
constexpr Kind kPodDisruptionBudget{.group = "policy",
                                    .version = "v1",
                                    .name = "PodDisruptionBudget",
                                    .plural = "poddisruptionbudgets",
                                    .short_name = "pdb",
                                    .namespaced = true,
                                    .has_status = true,
                                    .counts_generation = true};
constexpr Kind kPriorityClass{.group = "scheduling.k8s.io",
                              .version = "v1",
                              .name = "PriorityClass",
                              .plural = "priorityclasses",
                              .short_name = "pc",
                              .counts_generation = true};
constexpr Kind kPodGroup{.group = "scheduling.k8s.io",
                         .version = "v1beta1",
                         .name = "PodGroup",
                         .plural = "podgroups",
                         .short_name = "",
                         .namespaced = true,
                         .has_status = true};
constexpr Kind kWorkload{.group = "scheduling.k8s.io",
                         .version = "v1beta1",
                         .name = "Workload",
                         .plural = "workloads",
                         .short_name = "",
                         .namespaced = true};

constexpr Kind alpha_of(Kind kind) {
  kind.version = "v1alpha3";
  return kind;
}
constexpr Kind kAlphaPodGroup = alpha_of(kPodGroup);
constexpr Kind kAlphaWorkload = alpha_of(kWorkload);

// A kind of apps/v1.
constexpr Kind app_kind(std::string_view name, std::string_view plural,
                        std::string_view short_name) {
  return {.group = "apps",
          .version = "v1",
          .name = name,
          .plural = plural,
          .short_name = short_name,
          .namespaced = true,
          .has_status = true,
          .counts_generation = true};
}
constexpr Kind kDeployment = app_kind("Deployment", "deployments", "deploy");
constexpr Kind kReplicaSet = app_kind("ReplicaSet", "replicasets", "rs");
constexpr Kind kStatefulSet = app_kind("StatefulSet", "statefulsets", "sts");
constexpr Kind kDaemonSet = app_kind("DaemonSet", "daemonsets", "ds");

constexpr Kind kClaim{.group = "",
                      .version = "v1",
                      .name = "PersistentVolumeClaim",
                      .plural = "persistentvolumeclaims",
                      .short_name = "pvc",
                      .namespaced = true,
                      .has_status = true};
constexpr Kind kVolume{.group = "",
                       .version = "v1",
                       .name = "PersistentVolume",
                       .plural = "persistentvolumes",
                       .short_name = "pv",
                       .has_status = true};
// A kind of storage.k8s.io/v1.
constexpr Kind storage_kind(std::string_view name, std::string_view plural,
                            std::string_view short_name, bool namespaced = false) {
  return {.group = "storage.k8s.io",
          .version = "v1",
          .name = name,
          .plural = plural,
          .short_name = short_name,
          .namespaced = namespaced};
}
constexpr Kind kStorageClass = storage_kind("StorageClass", "storageclasses", "sc");
constexpr Kind kCsiNode = storage_kind("CSINode", "csinodes", "");
constexpr Kind kCsiDriver = storage_kind("CSIDriver", "csidrivers", "");
constexpr Kind kStorageCapacity =
    storage_kind("CSIStorageCapacity", "csistoragecapacities", "", true);

constexpr Kind kDisruptionBudget{.group = "elbowroom.dev",
                                 .version = "v1alpha1",
                                 .name = "DisruptionBudget",
                                 .plural = "disruptionbudgets",
                                 .short_name = "db",
                                 .namespaced = true,
                                 .has_status = true,
                                 .counts_generation = true,
                                 .built_in = false};

// Of a kind with two versions the one that objects are stored in comes first.
constexpr std::array kKinds{kReplicationController,
                            kNamespace,
                            kNode,
                            kPod,
                            kCoreEvent,
                            kConfigMap,
                            kService,
                            kEvent,
                            kLease,
                            kPodDisruptionBudget,
                            kPriorityClass,
                            kPodGroup,
                            kWorkload,
                            kAlphaPodGroup,
                            kAlphaWorkload,
                            kDeployment,
                            kReplicaSet,
                            kStatefulSet,
                            kDaemonSet,
                            kClaim,
                            kVolume,
                            kStorageClass,
                            kCsiNode,
                            kCsiDriver,
                            kStorageCapacity,
                            kDisruptionBudget};

}  // namespace

std::span<const Kind> all_kinds() { return kKinds; }

const Kind* find_kind(std::string_view group, std::string_view version, std::string_view plural) {
  const auto it = std::ranges::find_if(kKinds, [&](const Kind& kind) {
    return kind.group == group && kind.version == version && kind.plural == plural;
  });
  return it == kKinds.end() ? nullptr : &*it;
}

const Kind* find_kind_of(std::string_view api_version, std::string_view name) {
  const auto it = std::ranges::find_if(kKinds, [&](const Kind& kind) {
    return kind.name == name && api_version_of(kind) == api_version;
  });
  return it == kKinds.end() ? nullptr : &*it;
}

const Kind& stored_kind(const Kind& kind) {
  if (!is_of_groups(kind) || kind.version == kPodGroup.version) return kind;
  return *find_kind(kPodGroup.group, kPodGroup.version, kind.plural);
}

bool is_of_groups(const Kind& kind) {
  return kind.plural == kPodGroup.plural || kind.plural == kWorkload.plural;
}

bool is_served(const Kind& kind, GroupVersions groups) {
  if (!is_of_groups(kind) || groups == GroupVersions::All) return true;
  return groups == GroupVersions::Alpha && kind.version == kAlphaPodGroup.version;
}

std::string api_version_of(const Kind& kind) {
  if (kind.group.empty()) return std::string(kind.version);
  return std::string(kind.group) + "/" + std::string(kind.version);
}

std::string resource_name(const Kind& kind) {
  if (kind.group.empty()) return std::string(kind.plural);
  return std::string(kind.plural) + "." + std::string(kind.group);
}

}  // namespace elbowroom::lab
