// The schema of the kinds of apps/v1: see lab/schema/schema_table.h for its form.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kAppsSchema = R"schema(
core.v1.PodTemplateSpec | PodTemplateSpec describes the data a pod should have when created from a template
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec core.v1.PodSpec | Specification of the desired behavior of the pod
apps.v1.Condition | The state of a Deployment, ReplicaSet, StatefulSet or DaemonSet at a certain point
 lastTransitionTime Time | Last time the condition transitioned from one status to another
 lastUpdateTime Time | The last time this condition was updated
 message string | A human readable message indicating details about the transition
 reason string | The reason for the condition's last transition
 status string! | Status of the condition, one of True, False, Unknown
 type string! | Type of the condition
apps.v1.Deployment | Deployment enables declarative updates for Pods and ReplicaSets
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec apps.v1.DeploymentSpec | Specification of the desired behavior of the Deployment
 status apps.v1.DeploymentStatus | Most recently observed status of the Deployment
apps.v1.DeploymentSpec | DeploymentSpec is the specification of the desired behavior of the Deployment
 minReadySeconds int32 | Minimum number of seconds for which a newly created pod should be ready without any of its container crashing, for it to be considered available
 paused bool | Indicates that the deployment is paused
 progressDeadlineSeconds int32 | The maximum time in seconds for a deployment to make progress before it is considered to be failed
 replicas int32 | Number of desired pods
 revisionHistoryLimit int32 | The number of old ReplicaSets to retain to allow rollback
 selector meta.v1.LabelSelector! | Label selector for pods
 strategy apps.v1.DeploymentStrategy retain | The deployment strategy to use to replace existing pods with new ones
 template core.v1.PodTemplateSpec! | Template describes the pods that will be created
apps.v1.DeploymentStatus | DeploymentStatus is the most recently observed status of the Deployment
 availableReplicas int32 | Total number of available non-terminating pods targeted by this deployment
 collisionCount int32 | Count of hash collisions for the Deployment
 conditions [apps.v1.Condition] map=type merge=type | Represents the latest available observations of a deployment's current state
 observedGeneration int64 | The generation observed by the deployment controller
 readyReplicas int32 | Total number of non-terminating pods targeted by this Deployment with a Ready Condition
 replicas int32 | Total number of non-terminating pods targeted by this deployment
 terminatingReplicas int32 | Total number of terminating pods targeted by this deployment
 unavailableReplicas int32 | Total number of unavailable pods targeted by this deployment
 updatedReplicas int32 | Total number of non-terminating pods targeted by this deployment that have the desired template spec
apps.v1.DeploymentStrategy | DeploymentStrategy describes how to replace existing pods with new ones
 rollingUpdate apps.v1.RollingUpdateDeployment | Rolling update config params
 type string | Type of deployment, Recreate or RollingUpdate
apps.v1.RollingUpdateDeployment | Spec to control the desired behavior of rolling update
 maxSurge IntOrString | The maximum number of pods that can be scheduled above the desired number of pods
 maxUnavailable IntOrString | The maximum number of pods that can be unavailable during the update
apps.v1.ReplicaSet | ReplicaSet ensures that a specified number of pod replicas are running at any given time
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec apps.v1.ReplicaSetSpec | Spec defines the specification of the desired behavior of the ReplicaSet
 status apps.v1.ReplicaSetStatus | Status is the most recently observed status of the ReplicaSet
apps.v1.ReplicaSetSpec | ReplicaSetSpec is the specification of a ReplicaSet
 minReadySeconds int32 | Minimum number of seconds for which a newly created pod should be ready without any of its container crashing, for it to be considered available
 replicas int32 | Replicas is the number of desired pods
 selector meta.v1.LabelSelector! | Selector is a label query over pods that should match the replica count
 template core.v1.PodTemplateSpec | Template is the object that describes the pod that will be created if insufficient replicas are detected
apps.v1.ReplicaSetStatus | ReplicaSetStatus represents the current status of a ReplicaSet
 availableReplicas int32 | The number of available non-terminating pods for this replica set
 conditions [apps.v1.Condition] map=type merge=type | Represents the latest available observations of a replica set's current state
 fullyLabeledReplicas int32 | The number of non-terminating pods that have labels matching the labels of the pod template of the replicaset
 observedGeneration int64 | ObservedGeneration reflects the generation of the most recently observed ReplicaSet
 readyReplicas int32 | The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition
 replicas int32 | Replicas is the most recently observed number of non-terminating pods
 terminatingReplicas int32 | The number of terminating pods for this replica set
apps.v1.StatefulSet | StatefulSet represents a set of pods with consistent identities
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec apps.v1.StatefulSetSpec | Spec defines the desired identities of pods in this set
 status apps.v1.StatefulSetStatus | Status is the current status of Pods in this StatefulSet
apps.v1.StatefulSetOrdinals | StatefulSetOrdinals describes the policy used for replica ordinal assignment in this StatefulSet
 start int32 | start is the number representing the first replica's index
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy | StatefulSetPersistentVolumeClaimRetentionPolicy describes the policy used for PVCs created from the StatefulSet VolumeClaimTemplates
 whenDeleted string | WhenDeleted specifies what happens to PVCs when the StatefulSet is deleted
 whenScaled string | WhenScaled specifies what happens to PVCs when the StatefulSet is scaled down
apps.v1.StatefulSetSpec | A StatefulSetSpec is the specification of a StatefulSet
 minReadySeconds int32 | Minimum number of seconds for which a newly created pod should be ready without any of its container crashing for it to be considered available
 ordinals apps.v1.StatefulSetOrdinals | ordinals controls the numbering of replica indices in a StatefulSet
 persistentVolumeClaimRetentionPolicy apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy | persistentVolumeClaimRetentionPolicy describes the lifecycle of persistent volume claims created from volumeClaimTemplates
 podManagementPolicy string | podManagementPolicy controls how pods are created during initial scale up, when replacing pods on nodes, or when scaling down
 replicas int32 | replicas is the desired number of replicas of the given Template
 revisionHistoryLimit int32 | revisionHistoryLimit is the maximum number of revisions that will be maintained in the StatefulSet's revision history
 selector meta.v1.LabelSelector! | selector is a label query over pods that should match the replica count
 serviceName string | serviceName is the name of the service that governs this StatefulSet
 template core.v1.PodTemplateSpec! | template is the object that describes the pod that will be created if insufficient replicas are detected
 updateStrategy apps.v1.StatefulSetUpdateStrategy | updateStrategy indicates the StatefulSetUpdateStrategy that will be employed to update Pods in the StatefulSet when a revision is made to Template
 volumeClaimTemplates [any] | volumeClaimTemplates is a list of claims that pods are allowed to reference
apps.v1.StatefulSetStatus | StatefulSetStatus represents the current state of a StatefulSet
 availableReplicas int32 | Total number of available pods (ready for at least minReadySeconds) targeted by this statefulset
 collisionCount int32 | collisionCount is the count of hash collisions for the StatefulSet
 conditions [apps.v1.Condition] map=type merge=type | Represents the latest available observations of a statefulset's current state
 currentReplicas int32 | currentReplicas is the number of Pods created by the StatefulSet controller from the StatefulSet version indicated by currentRevision
 currentRevision string | currentRevision, if not empty, indicates the version of the StatefulSet used to generate Pods in the sequence [0,currentReplicas)
 observedGeneration int64 | observedGeneration is the most recent generation observed for this StatefulSet
 readyReplicas int32 | readyReplicas is the number of pods created for this StatefulSet with a Ready Condition
 replicas int32 | replicas is the number of Pods created by the StatefulSet controller
 updateRevision string | updateRevision, if not empty, indicates the version of the StatefulSet used to generate Pods in the sequence [replicas-updatedReplicas,replicas)
 updatedReplicas int32 | updatedReplicas is the number of Pods created by the StatefulSet controller from the StatefulSet version indicated by updateRevision
apps.v1.StatefulSetUpdateStrategy | StatefulSetUpdateStrategy indicates the strategy that the StatefulSet controller will use to perform updates
 rollingUpdate apps.v1.RollingUpdateStatefulSetStrategy | RollingUpdate is used to communicate parameters when Type is RollingUpdate
 type string | Type indicates the type of the StatefulSetUpdateStrategy
apps.v1.RollingUpdateStatefulSetStrategy | RollingUpdateStatefulSetStrategy is used to communicate parameter for RollingUpdateStatefulSetStrategyType
 maxUnavailable IntOrString | The maximum number of pods that can be unavailable during the update
 partition int32 | Partition indicates the ordinal at which the StatefulSet should be partitioned for updates
apps.v1.DaemonSet | DaemonSet represents the configuration of a daemon set
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec apps.v1.DaemonSetSpec | The desired behavior of this daemon set
 status apps.v1.DaemonSetStatus | The current status of this daemon set
apps.v1.DaemonSetSpec | DaemonSetSpec is the specification of a daemon set
 minReadySeconds int32 | The minimum number of seconds for which a newly created DaemonSet pod should be ready without any of its container crashing, for it to be considered available
 revisionHistoryLimit int32 | The number of old history to retain to allow rollback
 selector meta.v1.LabelSelector! | A label query over pods that are managed by the daemon set
 template core.v1.PodTemplateSpec! | An object that describes the pod that will be created
 updateStrategy apps.v1.DaemonSetUpdateStrategy | An update strategy to replace existing DaemonSet pods with new pods
apps.v1.DaemonSetStatus | DaemonSetStatus represents the current status of a daemon set
 collisionCount int32 | Count of hash collisions for the DaemonSet
 conditions [apps.v1.Condition] map=type merge=type | Represents the latest available observations of a DaemonSet's current state
 currentNumberScheduled int32! | The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod
 desiredNumberScheduled int32! | The total number of nodes that should be running the daemon pod
 numberAvailable int32 | The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available
 numberMisscheduled int32! | The number of nodes that are running the daemon pod, but are not supposed to run the daemon pod
 numberReady int32! | numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition
 numberUnavailable int32 | The number of nodes that should be running the daemon pod and have none of the daemon pod running and available
 observedGeneration int64 | The most recent generation observed by the daemon set controller
 updatedNumberScheduled int32 | The total number of nodes that are running updated daemon pod
apps.v1.DaemonSetUpdateStrategy | DaemonSetUpdateStrategy is a struct used to control the update strategy for a DaemonSet
 rollingUpdate apps.v1.RollingUpdateDaemonSet | Rolling update config params
 type string | Type of daemon set update
apps.v1.RollingUpdateDaemonSet | Spec to control the desired behavior of daemon set rolling update
 maxSurge IntOrString | The maximum number of nodes with an existing available DaemonSet pod that can have an updated DaemonSet pod during an update
 maxUnavailable IntOrString | The maximum number of DaemonSet pods that can be unavailable during the update
)schema";

}  // namespace elbowroom::lab
