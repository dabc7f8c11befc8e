// The schema of nodes, as data: read lab/schema/schema.h for its form. It is written by
// test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0), not by hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kNodeSchema = R"schema(
core.v1.AttachedVolume | AttachedVolume describes a volume attached to a node
 devicePath string! | DevicePath represents the device path where the volume should be available
 name string! | Name of the attached volume
core.v1.ConfigMapNodeConfigSource | ConfigMapNodeConfigSource contains the information to reference a ConfigMap as a config source for the Node
 kubeletConfigKey string! | KubeletConfigKey declares which key of the referenced ConfigMap corresponds to the KubeletConfiguration structure This field is required in all cases
 name string! | Name is the metadata.name of the referenced ConfigMap
 namespace string! | Namespace is the metadata.namespace of the referenced ConfigMap
 resourceVersion string | ResourceVersion is the metadata.ResourceVersion of the referenced ConfigMap
 uid string | UID is the metadata.UID of the referenced ConfigMap
core.v1.ContainerImage | Describe a container image
 names [string] | Names by which this image is known
 sizeBytes int64 | The size of the image in bytes
core.v1.DaemonEndpoint | DaemonEndpoint contains information about a single Daemon endpoint
 Port int32! | Port number of the given endpoint
core.v1.Node | Node is a worker node in Kubernetes
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec core.v1.NodeSpec | Spec defines the behavior of a node
 status core.v1.NodeStatus | Most recently observed status of the node
core.v1.NodeAddress | NodeAddress contains information for the node's address
 address string! | The node address
 type string! | Node address type, one of Hostname, ExternalIP or InternalIP
core.v1.NodeCondition | NodeCondition contains condition information for a node
 lastHeartbeatTime Time | Last time we got an update on a given condition
 lastTransitionTime Time | Last time the condition transit from one status to another
 message string | Human readable message indicating details about last transition
 reason string | (brief) reason for the condition's last transition
 status string! | Status of the condition, one of True, False, Unknown
 type string! | Type of node condition
core.v1.NodeConfigSource | NodeConfigSource specifies a source of node configuration
 configMap core.v1.ConfigMapNodeConfigSource | ConfigMap is a reference to a Node's ConfigMap
core.v1.NodeConfigStatus | NodeConfigStatus describes the status of the config assigned by Node.Spec.ConfigSource
 active core.v1.NodeConfigSource | Active reports the checkpointed config the node is actively using
 assigned core.v1.NodeConfigSource | Assigned reports the checkpointed config the node will try to use
 error string | Error describes any problems reconciling the Spec.ConfigSource to the Active config
 lastKnownGood core.v1.NodeConfigSource | LastKnownGood reports the checkpointed config the node will fall back to when it encounters an error attempting to use the Assigned config
core.v1.NodeDaemonEndpoints | NodeDaemonEndpoints lists ports opened by daemons running on the Node
 kubeletEndpoint core.v1.DaemonEndpoint | Endpoint on which Kubelet is listening
core.v1.NodeFeatures | NodeFeatures describes the set of features implemented by the CRI implementation
 supplementalGroupsPolicy bool | SupplementalGroupsPolicy is set to true if the runtime supports SupplementalGroupsPolicy and ContainerUser
core.v1.NodePodPreemptionPolicy | NodePodPreemptionPolicy defines the node-level policies governing preemption for pods on this node
 disableResizePreemption [string] set | DisableResizePreemption lists the owners (e.g., autoscalers, operators, administrators) that have requested to disable scheduler and Kubelet ...
core.v1.NodeRuntimeHandler | NodeRuntimeHandler is a set of runtime handler information
 features core.v1.NodeRuntimeHandlerFeatures | Supported features
 name string | Runtime handler name
core.v1.NodeRuntimeHandlerFeatures | NodeRuntimeHandlerFeatures is a set of features implemented by the runtime handler
 recursiveReadOnlyMounts bool | RecursiveReadOnlyMounts is set to true if the runtime handler supports RecursiveReadOnlyMounts
 userNamespaces bool | UserNamespaces is set to true if the runtime handler supports UserNamespaces, including for volumes
core.v1.NodeSpec | NodeSpec describes the attributes that a node is created with
 configSource core.v1.NodeConfigSource | Deprecated: Previously used to specify the source of the node's configuration for the DynamicKubeletConfig feature
 externalID string | Deprecated
 podCIDR string | PodCIDR represents the pod IP range assigned to the node
 podCIDRs [string] set merge= | podCIDRs represents the IP ranges assigned to the node for usage by Pods on that node
 podPreemptionPolicy core.v1.NodePodPreemptionPolicy | PodPreemptionPolicy controls the node-level preemption behaviors for pods on this node
 providerID string | ID of the node assigned by the cloud provider in the format: <ProviderName>://<ProviderSpecificNodeID>
 taints [core.v1.Taint] | If specified, the node's taints
 unschedulable bool | Unschedulable controls node schedulability of new pods
core.v1.NodeStatus | NodeStatus is information about the current status of a node
 addresses [core.v1.NodeAddress] map=type merge=type | List of addresses reachable to the node
 allocatable {Quantity} | Allocatable represents the resources of a node that are available for scheduling
 capacity {Quantity} | Capacity represents the total resources of a node
 conditions [core.v1.NodeCondition] map=type merge=type | Conditions is an array of current observed node conditions
 config core.v1.NodeConfigStatus | Status of the config assigned to the node via the dynamic Kubelet config feature
 daemonEndpoints core.v1.NodeDaemonEndpoints | Endpoints of daemons running on the Node
 declaredFeatures [string] | DeclaredFeatures represents the features related to feature gates that are declared by the node
 features core.v1.NodeFeatures | Features describes the set of features implemented by the CRI implementation
 images [core.v1.ContainerImage] | List of container images on this node
 nodeInfo core.v1.NodeSystemInfo | Set of ids/uuids to uniquely identify the node
 phase string | NodePhase is the recently observed lifecycle phase of the node
 runtimeHandlers [core.v1.NodeRuntimeHandler] | The available runtime handlers
 volumesAttached [core.v1.AttachedVolume] | List of volumes that are attached to the node
 volumesInUse [string] | List of attachable volumes in use (mounted) by the node
core.v1.NodeSwapStatus | NodeSwapStatus represents swap memory information
 capacity int64 | Total amount of swap memory in bytes
core.v1.NodeSystemInfo | NodeSystemInfo is a set of ids/uuids to uniquely identify the node
 architecture string! | The Architecture reported by the node
 bootID string! | Boot ID reported by the node
 containerRuntimeVersion string! | ContainerRuntime Version reported by the node through runtime remote API (e.g
 kernelVersion string! | Kernel Version reported by the node from 'uname -r' (e.g
 kubeProxyVersion string! | Deprecated: KubeProxy Version reported by the node
 kubeletVersion string! | Kubelet Version reported by the node
 machineID string! | MachineID reported by the node
 operatingSystem string! | The Operating System reported by the node
 osImage string! | OS Image reported by the node from /etc/os-release (e.g
 runningInUserNamespace bool | Whether the node is running in a user namespace
 swap core.v1.NodeSwapStatus | Swap Info reported by the node
 systemUUID string! | SystemUUID reported by the node
core.v1.Taint | The node this Taint is attached to has the "effect" on any pod that does not tolerate the Taint
 effect string! | Required
 key string! | Required
 timeAdded Time | TimeAdded represents the time at which the taint was added
 value string | The taint value corresponding to the taint key
)schema";

}  // namespace elbowroom::lab
