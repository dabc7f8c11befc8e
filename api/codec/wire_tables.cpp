#include "api/codec/wire_tables.h"

#include <algorithm>
#include <utility>

#include "api/codec/decode_placement.h"
#include "policy/model/capped_pod.h"
#include "policy/model/image.h"

namespace elbowroom::api {
namespace {

constexpr WireMember text(std::uint32_t number, std::string_view key, Shape shape = Shape::One) {
  return {.number = number, .key = key, .shape = shape};
}
constexpr WireMember pointer(WireMember member) {
  member.zero = Zero::IsValue;
  return member;
}
constexpr WireMember of(std::uint32_t number, std::string_view key, Form form,
                        Shape shape = Shape::One) {
  return {.number = number, .key = key, .form = form, .shape = shape};
}
constexpr WireMember part(std::uint32_t number, std::string_view key, WireMessage message,
                          Shape shape = Shape::One) {
  return {.number = number, .key = key, .form = Form::Message, .shape = shape, .message = message};
}

// The limit for a list that matters only for its own object: one more than is evaluated, so that
// the decoder sees that there are more.
constexpr std::size_t kMany = kMaxPlacementTerms + 1;
constexpr WireMember up_to(std::size_t most, WireMember member) {
  member.most = most;
  return member;
}
constexpr WireMember handed_on(WireMember member) {
  member.most = policy::kMostContainers;
  member.hands_on = true;
  return member;
}
constexpr WireMember placing(WireMember member) {
  member.is_placement = true;
  return member;
}

// Source: generated.proto of k8s.io/api and k8s.io/apimachinery, 1.37; v1alpha2 is that of 1.36. No
// number of a stable kind has changed its type since 1.30.
constexpr std::array kOwnerReference{text(1, "kind"), text(3, "name"), text(4, "uid"),
                                     text(5, "apiVersion"),
                                     pointer(of(6, "controller", Form::Bool))};
constexpr std::array kObjectMeta{
    text(1, "name"),
    text(3, "namespace"),
    text(5, "uid"),
    text(6, "resourceVersion"),
    of(7, "generation", Form::Integer),
    of(8, "creationTimestamp", Form::Time),
    of(9, "deletionTimestamp", Form::Time),
    pointer(of(10, "deletionGracePeriodSeconds", Form::Integer)),
    up_to(kMany, text(11, "labels", Shape::Map)),
    text(12, "annotations", Shape::Map),
    up_to(kMany, part(13, "ownerReferences", kOwnerReference, Shape::List))};
// ... and which programs wrote into it, without fieldsV1, which is long.
constexpr std::array kManagedFieldsEntry{text(1, "manager"), of(4, "time", Form::Time),
                                         text(8, "subresource")};
constexpr auto kManagedObjectMeta = [] {
  std::array<WireMember, kObjectMeta.size() + 1> all{};
  std::ranges::copy(kObjectMeta, all.begin());
  all.back() = up_to(kMany, part(17, "managedFields", kManagedFieldsEntry, Shape::List));
  return all;
}();
constexpr std::array kShardInfo{text(1, "selector")};
constexpr std::array kListMeta{text(2, "resourceVersion"), text(3, "continue"),
                               pointer(part(5, "shardInfo", kShardInfo))};
constexpr std::array kLabelSelectorRequirement{text(1, "key"), text(2, "operator"),
                                               up_to(kMany, text(3, "values", Shape::List))};
constexpr std::array kLabelSelector{
    up_to(kMany, text(1, "matchLabels", Shape::Map)),
    up_to(kMany, part(2, "matchExpressions", kLabelSelectorRequirement, Shape::List))};
constexpr std::array kStatusCause{text(1, "reason"), text(2, "message"), text(3, "field")};
constexpr std::array kStatusDetails{part(4, "causes", kStatusCause, Shape::List),
                                    of(5, "retryAfterSeconds", Form::Integer)};
constexpr std::array kStatus{part(1, "metadata", kListMeta),
                             text(2, "status"),
                             text(3, "message"),
                             text(4, "reason"),
                             part(5, "details", kStatusDetails),
                             of(6, "code", Form::Integer)};

constexpr std::array kRequirements{of(1, "limits", Form::Quantity, Shape::Map),
                                   of(2, "requests", Form::Quantity, Shape::Map)};
constexpr std::array kResizePolicy{text(1, "resourceName"), text(2, "restartPolicy")};
constexpr std::array kContainerPort{of(2, "hostPort", Form::Integer),
                                    of(3, "containerPort", Form::Integer), text(4, "protocol"),
                                    text(5, "hostIP")};
constexpr std::array kContainer{
    text(1, "name"),
    placing(text(2, "image")),
    placing(up_to(kMany, part(6, "ports", kContainerPort, Shape::List))),
    part(8, "resources", kRequirements),
    up_to(kMany, part(23, "resizePolicy", kResizePolicy, Shape::List)),
    pointer(text(24, "restartPolicy"))};
constexpr std::array kSchedulingGroup{pointer(text(1, "podGroupName"))};
constexpr std::array kResourceClaim{text(1, "name")};
constexpr std::array kNodeSelectorRequirement{text(1, "key"), text(2, "operator"),
                                              up_to(kMany, text(3, "values", Shape::List))};
constexpr std::array kNodeSelectorTerm{
    up_to(kMany, part(1, "matchExpressions", kNodeSelectorRequirement, Shape::List)),
    up_to(kMany, part(2, "matchFields", kNodeSelectorRequirement, Shape::List))};
constexpr std::array kNodeSelector{
    up_to(kMany, part(1, "nodeSelectorTerms", kNodeSelectorTerm, Shape::List))};
constexpr std::array kPreferredNodes{of(1, "weight", Form::Integer),
                                     part(2, "preference", kNodeSelectorTerm)};
constexpr std::array kNodeAffinity{
    pointer(part(1, "requiredDuringSchedulingIgnoredDuringExecution", kNodeSelector)),
    up_to(kMany, part(2, "preferredDuringSchedulingIgnoredDuringExecution", kPreferredNodes,
                      Shape::List))};
constexpr std::array kPodTerm{pointer(part(1, "labelSelector", kLabelSelector)),
                              up_to(kMany, text(2, "namespaces", Shape::List)),
                              text(3, "topologyKey"),
                              pointer(part(4, "namespaceSelector", kLabelSelector)),
                              up_to(kMany, text(5, "matchLabelKeys", Shape::List)),
                              up_to(kMany, text(6, "mismatchLabelKeys", Shape::List))};
constexpr std::array kPreferredPods{of(1, "weight", Form::Integer),
                                    part(2, "podAffinityTerm", kPodTerm)};
constexpr std::array kPodAffinity{
    up_to(kMany, part(1, "requiredDuringSchedulingIgnoredDuringExecution", kPodTerm, Shape::List)),
    up_to(kMany,
          part(2, "preferredDuringSchedulingIgnoredDuringExecution", kPreferredPods, Shape::List))};
constexpr std::array kAffinity{pointer(part(1, "nodeAffinity", kNodeAffinity)),
                               pointer(part(2, "podAffinity", kPodAffinity)),
                               pointer(part(3, "podAntiAffinity", kPodAffinity))};
constexpr std::array kToleration{text(1, "key"), text(2, "operator"), text(3, "value"),
                                 text(4, "effect")};
constexpr std::array kSpreadConstraint{of(1, "maxSkew", Form::Integer),
                                       text(2, "topologyKey"),
                                       text(3, "whenUnsatisfiable"),
                                       pointer(part(4, "labelSelector", kLabelSelector)),
                                       pointer(of(5, "minDomains", Form::Integer)),
                                       pointer(text(6, "nodeAffinityPolicy")),
                                       pointer(text(7, "nodeTaintsPolicy")),
                                       up_to(kMany, text(8, "matchLabelKeys", Shape::List))};
constexpr std::array kSchedulingGate{text(1, "name")};
constexpr std::array<WireMember, 0> kNothing{};
constexpr std::array kEmptyDir{text(1, "medium")};
constexpr std::array kClaimSource{text(1, "claimName")};
constexpr std::array kImageVolume{text(1, "reference")};
constexpr std::array kVolumeSource{
    pointer(part(1, "hostPath", kNothing)), pointer(part(2, "emptyDir", kEmptyDir)),
    pointer(part(10, "persistentVolumeClaim", kClaimSource)),
    pointer(part(29, "ephemeral", kNothing)), pointer(part(30, "image", kImageVolume))};
constexpr std::array kVolume{text(1, "name"), part(2, "", kVolumeSource, Shape::Inlined)};
constexpr std::array kPodSpec{
    placing(up_to(kMany, part(1, "volumes", kVolume, Shape::List))),
    handed_on(part(2, "containers", kContainer, Shape::List)),
    pointer(of(4, "terminationGracePeriodSeconds", Form::Integer)),
    placing(up_to(kMany, text(7, "nodeSelector", Shape::Map))),
    text(10, "nodeName"),
    of(11, "hostNetwork", Form::Bool),
    placing(pointer(part(18, "affinity", kAffinity))),
    text(19, "schedulerName"),
    handed_on(part(20, "initContainers", kContainer, Shape::List)),
    placing(up_to(kMany, part(22, "tolerations", kToleration, Shape::List))),
    pointer(of(25, "priority", Form::Integer)),
    pointer(text(31, "preemptionPolicy")),
    of(32, "overhead", Form::Quantity, Shape::Map),
    placing(up_to(kMany, part(33, "topologySpreadConstraints", kSpreadConstraint, Shape::List))),
    placing(up_to(kMany, part(38, "schedulingGates", kSchedulingGate, Shape::List))),
    up_to(1, part(39, "resourceClaims", kResourceClaim, Shape::List)),
    pointer(part(40, "resources", kRequirements)),
    pointer(part(43, "schedulingGroup", kSchedulingGroup))};
constexpr std::array kPodCondition{
    text(1, "type"),   text(2, "status"),  of(4, "lastTransitionTime", Form::Time),
    text(5, "reason"), text(6, "message"), of(7, "observedGeneration", Form::Integer)};
constexpr std::array kContainerState{pointer(part(2, "running", kNothing)),
                                     pointer(part(3, "terminated", kNothing))};
constexpr std::array kContainerStatus{text(1, "name"), part(2, "state", kContainerState),
                                      of(10, "allocatedResources", Form::Quantity, Shape::Map),
                                      pointer(part(11, "resources", kRequirements))};
constexpr std::array kMappedResources{text(1, "name"), pointer(of(2, "quantity", Form::Quantity))};
constexpr std::array kOverheadResources{text(1, "name"), pointer(of(2, "perPod", Form::Quantity)),
                                        pointer(of(3, "perContainer", Form::Quantity))};
constexpr std::array kClaimStatus{
    // 3 is resources of 1.36
    text(1, "resourceClaimName"), up_to(kMany, text(2, "containers", Shape::List)),
    of(3, "resources", Form::Quantity, Shape::Map),
    up_to(kMany, part(4, "mapping", kMappedResources, Shape::List)),
    up_to(kMany, part(5, "overhead", kOverheadResources, Shape::List))};
constexpr std::array kPodStatus{
    text(1, "phase"),
    up_to(kMany, part(2, "conditions", kPodCondition, Shape::List)),
    of(7, "startTime", Form::Time),
    handed_on(part(8, "containerStatuses", kContainerStatus, Shape::List)),
    text(9, "qosClass"),
    handed_on(part(10, "initContainerStatuses", kContainerStatus, Shape::List)),
    text(11, "nominatedNodeName"),
    of(19, "allocatedResources", Form::Quantity, Shape::Map),
    pointer(part(20, "resources", kRequirements)),
    up_to(kMany, part(21, "nodeAllocatableResourceClaimStatuses", kClaimStatus, Shape::List))};
constexpr std::array kPod{part(1, "metadata", kObjectMeta), part(2, "spec", kPodSpec),
                          part(3, "status", kPodStatus)};

// Without the fields that matter only for placement.
constexpr std::array kSizedContainer{
    text(1, "name"), part(8, "resources", kRequirements),
    up_to(kMany, part(23, "resizePolicy", kResizePolicy, Shape::List)),
    pointer(text(24, "restartPolicy"))};
constexpr std::array kSizedPodSpec{
    handed_on(part(2, "containers", kSizedContainer, Shape::List)),
    pointer(of(4, "terminationGracePeriodSeconds", Form::Integer)),
    text(10, "nodeName"),
    text(19, "schedulerName"),
    handed_on(part(20, "initContainers", kSizedContainer, Shape::List)),
    pointer(of(25, "priority", Form::Integer)),
    pointer(text(31, "preemptionPolicy")),
    of(32, "overhead", Form::Quantity, Shape::Map),
    up_to(1, part(39, "resourceClaims", kResourceClaim, Shape::List)),
    pointer(part(40, "resources", kRequirements)),
    pointer(part(43, "schedulingGroup", kSchedulingGroup))};
constexpr std::array kSizedPod{part(1, "metadata", kManagedObjectMeta),
                               part(2, "spec", kSizedPodSpec), part(3, "status", kPodStatus)};

constexpr std::array kEndedStatus{text(1, "name"), part(2, "state", kContainerState)};
constexpr std::array kFinishedPodSpec{text(10, "nodeName"), text(19, "schedulerName")};
constexpr std::array kFinishedPodStatus{
    text(1, "phase"), up_to(kMany, part(2, "conditions", kPodCondition, Shape::List)),
    handed_on(part(8, "containerStatuses", kEndedStatus, Shape::List)),
    handed_on(part(10, "initContainerStatuses", kEndedStatus, Shape::List))};
constexpr std::array kFinishedPod{part(1, "metadata", kObjectMeta),
                                  part(2, "spec", kFinishedPodSpec),
                                  part(3, "status", kFinishedPodStatus)};
constexpr WireMessage kSizedPodMessage(kSizedPod);
constexpr WireMessage kFinishedPodMessage(kFinishedPod);

constexpr std::array kIdentityMeta{text(1, "name"), text(3, "namespace"), text(5, "uid"),
                                   text(6, "resourceVersion")};
constexpr std::array kIdentity{part(1, "metadata", kIdentityMeta)};
constexpr std::array kIdentitySpec{text(10, "nodeName")};
constexpr std::array kIdentityStatus{text(1, "phase")};
constexpr std::array kPodIdentity{part(1, "metadata", kIdentityMeta),
                                  part(2, "spec", kIdentitySpec),
                                  part(3, "status", kIdentityStatus)};
constexpr WireMessage kIdentityMessage(kIdentity);
constexpr WireMessage kPodIdentityMessage(kPodIdentity);

constexpr std::array kPodPreemptionPolicy{text(1, "disableResizePreemption", Shape::List)};
constexpr std::array kTaint{text(1, "key"), text(2, "value"), text(3, "effect")};
constexpr std::array kNodeSpec{of(4, "unschedulable", Form::Bool),
                               part(5, "taints", kTaint, Shape::List),
                               pointer(part(8, "podPreemptionPolicy", kPodPreemptionPolicy))};
constexpr std::array kNodeCondition{text(1, "type"), text(2, "status"),
                                    of(4, "lastTransitionTime", Form::Time), text(5, "reason"),
                                    text(6, "message")};
constexpr std::array kContainerImage{
    up_to(policy::kMostNamesOfImage, text(1, "names", Shape::List)),
    of(2, "sizeBytes", Form::Integer)};
constexpr std::array kNodeStatus{
    of(1, "capacity", Form::Quantity, Shape::Map), of(2, "allocatable", Form::Quantity, Shape::Map),
    part(4, "conditions", kNodeCondition, Shape::List),
    up_to(policy::kMostNodeImages, part(8, "images", kContainerImage, Shape::List))};
constexpr std::array kNode{part(1, "metadata", kObjectMeta), part(2, "spec", kNodeSpec),
                           part(3, "status", kNodeStatus)};
// Without what only places pods.
constexpr std::array kSizedNodeStatus{of(1, "capacity", Form::Quantity, Shape::Map),
                                      of(2, "allocatable", Form::Quantity, Shape::Map),
                                      part(4, "conditions", kNodeCondition, Shape::List)};
constexpr std::array kSizedNode{part(1, "metadata", kObjectMeta), part(2, "spec", kNodeSpec),
                                part(3, "status", kSizedNodeStatus)};
constexpr WireMessage kSizedNodeMessage(kSizedNode);

constexpr std::array kBudgetSpec{pointer(part(2, "selector", kLabelSelector)),
                                 pointer(text(4, "unhealthyPodEvictionPolicy"))};
constexpr std::array kBudgetStatus{
    of(2, "disruptedPods", Form::Time, Shape::Map), of(3, "disruptionsAllowed", Form::Integer),
    of(4, "currentHealthy", Form::Integer), of(5, "desiredHealthy", Form::Integer)};
constexpr std::array kBudget{part(1, "metadata", kObjectMeta), part(2, "spec", kBudgetSpec),
                             part(3, "status", kBudgetStatus)};

// A newer server's member of a union: the union says something that is not understood.
constexpr WireMessage closed(WireMessage message) {
  message.is_closed = true;
  return message;
}
constexpr std::array kGang{of(1, "minCount", Form::Integer)};
constexpr std::array kSchedulingPolicy{pointer(part(1, "basic", kNothing)),
                                       pointer(part(2, "gang", kGang))};
constexpr std::array kTopology{up_to(1, part(1, "topology", kNothing, Shape::List))};
constexpr std::array kDisruptionMode{pointer(part(1, "single", kNothing)),
                                     pointer(part(2, "all", kNothing))};
constexpr std::array kWorkload{text(1, "workloadName")};
// v1beta1 and v1alpha3.
constexpr std::array kGroupSpec{pointer(text(1, "parentCompositePodGroupName")),
                                pointer(part(2, "workloadRef", kWorkload)),
                                part(3, "schedulingPolicy", closed(kSchedulingPolicy)),
                                pointer(part(4, "schedulingConstraints", closed(kTopology))),
                                up_to(1, part(5, "resourceClaims", kResourceClaim, Shape::List)),
                                pointer(part(6, "disruptionMode", closed(kDisruptionMode))),
                                text(7, "priorityClassName"),
                                pointer(of(8, "priority", Form::Integer)),
                                pointer(text(9, "preemptionPolicy"))};
constexpr std::array kTemplateRef{pointer(part(1, "workload", kWorkload))};
constexpr std::array kAlpha2GroupSpec{
    pointer(part(1, "podGroupTemplateRef", kTemplateRef)),
    part(2, "schedulingPolicy", closed(kSchedulingPolicy)),
    pointer(part(3, "schedulingConstraints", closed(kTopology))),
    up_to(1, part(4, "resourceClaims", kResourceClaim, Shape::List)),
    pointer(text(5, "disruptionMode")),
    text(6, "priorityClassName"),
    pointer(of(7, "priority", Form::Integer))};
constexpr std::array kMetaCondition{text(1, "type"),
                                    text(2, "status"),
                                    of(3, "observedGeneration", Form::Integer),
                                    of(4, "lastTransitionTime", Form::Time),
                                    text(5, "reason"),
                                    text(6, "message")};
constexpr std::array kGroupStatus{up_to(kMany, part(1, "conditions", kMetaCondition, Shape::List))};
constexpr std::array kGroup{part(1, "metadata", kObjectMeta), part(2, "spec", kGroupSpec),
                            part(3, "status", kGroupStatus)};
constexpr std::array kAlpha2Group{part(1, "metadata", kObjectMeta),
                                  part(2, "spec", kAlpha2GroupSpec),
                                  part(3, "status", kGroupStatus)};
constexpr WireMessage kAlpha2GroupMessage(kAlpha2Group);

constexpr std::array kNameMeta{text(1, "name"), text(3, "namespace"), text(5, "uid"),
                               text(6, "resourceVersion")};
constexpr std::array kLabelsSpec{up_to(kMany, text(2, "selector", Shape::Map))};
constexpr std::array kSelectorSpec{pointer(part(2, "selector", kLabelSelector))};
// Only which pods they select: a collection of which more is read is followed in JSON.
// A Service, a ReplicationController.
constexpr std::array kByLabels{part(1, "metadata", kNameMeta), part(2, "spec", kLabelsSpec)};
// A ReplicaSet, a StatefulSet.
constexpr std::array kBySelector{part(1, "metadata", kNameMeta), part(2, "spec", kSelectorSpec)};

constexpr std::array kTypeMeta{text(1, "apiVersion"), text(2, "kind")};

constexpr std::array<std::pair<std::string_view, WireMessage>, 11> kKinds{
    {{"Pod", kPod},
     {"Node", kNode},
     {"PodDisruptionBudget", kBudget},
     {"PodGroup", kGroup},
     {"Service", kByLabels},
     {"ReplicationController", kByLabels},
     {"ReplicaSet", kBySelector},
     {"StatefulSet", kBySelector},
     {"ListMeta", kListMeta},
     {"Status", kStatus},
     {"TypeMeta", kTypeMeta}}};

}  // namespace

const WireMessage* message_of(std::string_view kind, Part part, std::string_view version) {
  if (part == Part::Identity) return kind == "Pod" ? &kPodIdentityMessage : &kIdentityMessage;
  if (kind == "Pod" && part == Part::Sizes) return &kSizedPodMessage;
  if (kind == "Node" && part == Part::Sizes) return &kSizedNodeMessage;
  if (kind == "Pod" && part == Part::Finished) return &kFinishedPodMessage;
  if (kind == "PodGroup" && version == "v1alpha2") return &kAlpha2GroupMessage;
  const auto found = std::ranges::find(kKinds, kind, [](const auto& each) { return each.first; });
  return found == kKinds.end() ? nullptr : &found->second;
}

}  // namespace elbowroom::api
