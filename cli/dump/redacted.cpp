#include "cli/dump/redacted.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace elbowroom::cli {
namespace {

// Maps whose keys are a user's own words.
constexpr std::array<std::string_view, 12> kOfUsers = {
    "labels",   "matchLabels", "nodeSelector", "selector", "requests",           "limits",
    "capacity", "allocatable", "overhead",     "data",     "allocatedResources", "disruptedPods"};

constexpr std::array<std::string_view, 4> kEnvironment = {"env", "envFrom", "command", "args"};
constexpr std::array<std::string_view, 3> kImages = {"image", "imageID", "images"};

// Every key that a decision, or an explanation of one, reads. All others are left out with what
// is below them, also those that a later version of the API adds.
constexpr auto kRead = std::to_array<std::string_view>({
    // metadata
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "namespace",
    "uid",
    "generation",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "controller",
    // pods: what they ask for and have
    "spec",
    "status",
    "nodeName",
    "schedulerName",
    "priority",
    "priorityClassName",
    "preemptionPolicy",
    "terminationGracePeriodSeconds",
    "restartPolicy",
    "overhead",
    "containers",
    "initContainers",
    "resources",
    "requests",
    "limits",
    "claims",
    "request",
    "resizePolicy",
    "resourceName",
    "ports",
    "hostPort",
    "containerPort",
    "protocol",
    "hostIP",
    "hostNetwork",
    "resourceClaims",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "schedulingGroup",
    "podGroupName",
    "schedulingGates",
    // pods: where they may run
    "nodeSelector",
    "affinity",
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
    "preference",
    "podAffinityTerm",
    "labelSelector",
    "namespaceSelector",
    "namespaces",
    "topologyKey",
    "matchLabels",
    "matchExpressions",
    "matchFields",
    "matchLabelKeys",
    "mismatchLabelKeys",
    "key",
    "operator",
    "values",
    "value",
    "weight",
    "tolerations",
    "effect",
    "tolerationSeconds",
    "topologySpreadConstraints",
    "maxSkew",
    "minDomains",
    "whenUnsatisfiable",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    // pods: volumes, by claim and driver alone
    "volumes",
    "persistentVolumeClaim",
    "claimName",
    "readOnly",
    "ephemeral",
    "csi",
    "driver",
    "emptyDir",
    "medium",
    "hostPath",
    // pods: status
    "phase",
    "reason",
    "startTime",
    "qosClass",
    "conditions",
    "type",
    "message",
    "observedGeneration",
    "lastTransitionTime",
    "lastProbeTime",
    "nominatedNodeName",
    "containerStatuses",
    "initContainerStatuses",
    "ephemeralContainerStatuses",
    "state",
    "lastState",
    "running",
    "waiting",
    "terminated",
    "exitCode",
    "startedAt",
    "finishedAt",
    "restartCount",
    "ready",
    "started",
    "allocatedResources",
    "nodeAllocatableResourceClaimStatuses",
    // nodes
    "unschedulable",
    "taints",
    "timeAdded",
    "podPreemptionPolicy",
    "disableResizePreemption",
    "allocatable",
    "capacity",
    "nodeInfo",
    "kubeletVersion",
    "names",
    "sizeBytes",
    // budgets
    "selector",
    "minAvailable",
    "maxUnavailable",
    "rate",
    "disruptions",
    "per",
    "hard",
    "recentDisruptions",
    "pod",
    "time",
    "by",
    "disruptionsAllowed",
    "currentHealthy",
    "desiredHealthy",
    "expectedPods",
    "disruptedPods",
    "nextAllowedTime",
    "observedTime",
    // groups and priority classes
    "globalDefault",
    "schedulingPolicy",
    "basic",
    "gang",
    "minCount",
    "disruptionMode",
    "mode",
    "workloadRef",
    "workloadName",
    "podGroupTemplateRef",
    "workload",
    "schedulingConstraints",
    "topology",
    "parentCompositePodGroupName",
    "single",
    "all",
    // owners
    "replicas",
    "readyReplicas",
    "updatedReplicas",
    "currentRevision",
    "updateRevision",
    // volumes and storage
    "accessModes",
    "volumeName",
    "volumeMode",
    "storageClassName",
    "claimRef",
    "required",
    "volumeHandle",
    "provisioner",
    "volumeBindingMode",
    "allowedTopologies",
    "matchLabelExpressions",
    "drivers",
    "count",
    "storageCapacity",
    "nodeTopology",
    "maximumVolumeSize",
    "volumeAttributesClassName",
    // the rescheduler's configuration
    "data",
});

// Those that a decision reads.
constexpr std::array<std::string_view, 5> kAnnotations = {
    "elbowroom.dev/", "kubernetes.io/config.", "pv.kubernetes.io/", "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/"};
constexpr std::string_view kAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

bool is_among(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_read(std::string_view annotation) {
  return annotation == kAvoidPods || std::ranges::any_of(kAnnotations, [&](std::string_view each) {
           return annotation.starts_with(each);
         });
}

bool is_left_out(std::string_view key, std::string_view above, const Shown& shown) {
  if (above == "annotations") return !shown.annotations && !is_read(key);
  if (is_among(kEnvironment, key)) return !shown.environment;
  if (is_among(kImages, key)) return !shown.images;
  // Of a pod's port; the node's address is of no interest.
  if (key == "hostIP") return above != "ports";
  // A program may say anything when it ends.
  if (key == "message") return above == "terminated" || above == "waiting";
  return !is_among(kRead, key);
}

// `above`: the key of the value itself.
void redact(Value& value, std::string_view above, const Shown& shown) {
  if (is_among(kOfUsers, above)) return;
  std::erase_if(value.members,
                [&](const Member& each) { return is_left_out(each.key, above, shown); });
  if (above == "annotations") return;
  for (Member& each : value.members) redact(each.value, each.key, shown);
  for (Value& each : value.items) redact(each, above, shown);
}

}  // namespace

Value redacted(Value object, const Shown& shown) {
  redact(object, "", shown);
  return object;
}

}  // namespace elbowroom::cli
