// The schema of pods, as data: read lab/schema/schema.h for its form. It is written by
// test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0), not by hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kPodSchema = R"schema(
core.v1.Affinity | Affinity is a group of affinity scheduling rules
 nodeAffinity core.v1.NodeAffinity | Describes node affinity scheduling rules for the pod
 podAffinity core.v1.PodAffinity | Describes pod affinity scheduling rules (e.g
 podAntiAffinity core.v1.PodAntiAffinity | Describes pod anti-affinity scheduling rules (e.g
core.v1.ContainerExtendedResourceRequest | ContainerExtendedResourceRequest has the mapping of container name, extended resource name to the device request name
 containerName string! | The name of the container requesting resources
 requestName string! | The name of the request in the special ResourceClaim which corresponds to the extended resource
 resourceName string! | The name of the extended resource in that container which gets backed by DRA
core.v1.ContainerState | ContainerState holds a possible state of container
 running core.v1.ContainerStateRunning | Details about a running container
 terminated core.v1.ContainerStateTerminated | Details about a terminated container
 waiting core.v1.ContainerStateWaiting | Details about a waiting container
core.v1.ContainerStateRunning | ContainerStateRunning is a running state of a container
 startedAt Time | Time at which the container was last (re-)started
core.v1.ContainerStateTerminated | ContainerStateTerminated is a terminated state of a container
 containerID string | Container's ID in the format '<type>://<container_id>'
 exitCode int32! | Exit status from the last termination of the container
 finishedAt Time | Time at which the container last terminated
 message string | Message regarding the last termination of the container
 reason string | (brief) reason from the last termination of the container
 signal int32 | Signal from the last termination of the container
 startedAt Time | Time at which previous execution of the container started
core.v1.ContainerStateWaiting | ContainerStateWaiting is a waiting state of a container
 message string | Message regarding why the container is not yet running
 reason string | (brief) reason the container is not yet running
core.v1.ContainerStatus | ContainerStatus contains details for the current status of this container
 allocatedResources {Quantity} | AllocatedResources represents the compute resources allocated for this container by the node
 allocatedResourcesStatus [core.v1.ResourceStatus] map=name merge=name | AllocatedResourcesStatus represents the status of various resources allocated for this Pod
 containerID string | ContainerID is the ID of the container in the format '<type>://<container_id>'
 image string! | Image is the name of container image that the container is running
 imageID string! | ImageID is the image ID of the container's image
 lastState core.v1.ContainerState | LastTerminationState holds the last termination state of the container to help debug container crashes and restarts
 name string! | Name is a DNS_LABEL representing the unique name of the container
 ready bool! | Ready specifies whether the container is currently passing its readiness check
 resources core.v1.ResourceRequirements | Resources represents the compute resource requests and limits that have been successfully enacted on the running container after it has been started ...
 restartCount int32! | RestartCount holds the number of times the container has been restarted
 started bool | Started indicates whether the container has finished its postStart lifecycle hook and passed its startup probe
 state core.v1.ContainerState | State holds details about the container's current condition
 stopSignal string | StopSignal reports the effective stop signal for this container
 user core.v1.ContainerUser | User represents user identity information initially attached to the first process of the container
 volumeMounts [core.v1.VolumeMountStatus] map=mountPath merge=mountPath | Status of volume mounts
core.v1.ContainerUser | ContainerUser represents user identity information
 linux core.v1.LinuxContainerUser | Linux holds user identity information initially attached to the first process of the containers in Linux
core.v1.EvictionResponder atomic | EvictionResponder allows you to specify the responder reacting to an Eviction
 name string! | name allows you to identify the responder responding to the Eviction
 priority int32! | priority for this responder
core.v1.HostAlias | HostAlias holds the mapping between IP and hostnames that will be injected as an entry in the pod's hosts file
 hostnames [string] | Hostnames for the above IP address
 ip string! | IP address of the host file entry
core.v1.HostIP | HostIP represents a single IP address allocated to the host
 ip string! | IP is the IP address assigned to the host
core.v1.ImageVolumeStatus | ImageVolumeStatus represents the image-based volume status
 imageRef string! | ImageRef is the digest of the image used for this volume
core.v1.LinuxContainerUser | LinuxContainerUser represents user identity information in Linux containers
 gid int64! | GID is the primary gid initially attached to the first process in the container
 supplementalGroups [int64] | SupplementalGroups are the supplemental groups initially attached to the first process in the container
 uid int64! | UID is the primary uid initially attached to the first process in the container
core.v1.NodeAffinity | Node affinity is a group of node affinity scheduling rules
 preferredDuringSchedulingIgnoredDuringExecution [core.v1.PreferredSchedulingTerm] | The scheduler will prefer to schedule pods to nodes that satisfy the affinity expressions specified by this field, but it may choose a node that ...
 requiredDuringSchedulingIgnoredDuringExecution core.v1.NodeSelector | If the affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled onto the node
core.v1.NodeAllocatableMappedResources | NodeAllocatableMappedResources describes mapped node allocatable resource allocations
 name string! | Name is the name of the resource (e.g., cpu, memory)
 quantity Quantity! | Quantity is the total node allocatable resource capacity allocated for the claim
core.v1.NodeAllocatableOverheadResources | NodeAllocatableOverheadResources describes auxiliary overhead resource allocations
 name string! | Name is the name of the resource (e.g., cpu, memory)
 perContainer Quantity | PerContainer is the variable overhead quantity applied for each container referencing the claim
 perPod Quantity | PerPod is the flat overhead quantity allocated per pod
core.v1.NodeAllocatableResourceClaimStatus | NodeAllocatableResourceClaimStatus describes the status of node allocatable resources allocated via DRA
 containers [string] set | Containers lists the names of all containers in this pod that reference the claim
 mapping [core.v1.NodeAllocatableMappedResources] map=name merge=name | Mapping contains allocations through devices mapped in the device spec's `nodeAllocatableResources[...].mapping` field
 overhead [core.v1.NodeAllocatableOverheadResources] map=name merge=name | Overhead contains allocations through devices mapped in the device spec's `nodeAllocatableResources[...].overhead` field
 resourceClaimName string! | ResourceClaimName is the resource claim referenced by the pod that resulted in this node allocatable resource allocation
core.v1.NodeSelector atomic | A node selector represents the union of the results of one or more label queries over a set of nodes; that is, it represents the OR of the selectors ...
 nodeSelectorTerms [core.v1.NodeSelectorTerm]! | Required
core.v1.NodeSelectorRequirement | A node selector requirement is a selector that contains values, a key, and an operator that relates the key and values
 key string! | The label key that the selector applies to
 operator string! | Represents a key's relationship to a set of values
 values [string] | An array of string values
core.v1.NodeSelectorTerm atomic | A null or empty node selector term matches no objects
 matchExpressions [core.v1.NodeSelectorRequirement] | A list of node selector requirements by node's labels
 matchFields [core.v1.NodeSelectorRequirement] | A list of node selector requirements by node's fields
core.v1.Pod | Pod is a collection of containers that can run on a host
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec core.v1.PodSpec | Specification of the desired behavior of the pod
 status core.v1.PodStatus | Most recently observed status of the pod
core.v1.PodAffinity | Pod affinity is a group of inter pod affinity scheduling rules
 preferredDuringSchedulingIgnoredDuringExecution [core.v1.WeightedPodAffinityTerm] | The scheduler will prefer to schedule pods to nodes that satisfy the affinity expressions specified by this field, but it may choose a node that ...
 requiredDuringSchedulingIgnoredDuringExecution [core.v1.PodAffinityTerm] | If the affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled onto the node
core.v1.PodAffinityTerm | Defines a set of pods (namely those matching the labelSelector relative to the given namespace(s)) that this pod should be co-located (affinity) or ...
 labelSelector meta.v1.LabelSelector | A label query over a set of resources, in this case pods
 matchLabelKeys [string] | MatchLabelKeys is a set of pod label keys to select which pods will be taken into consideration
 mismatchLabelKeys [string] | MismatchLabelKeys is a set of pod label keys to select which pods will be taken into consideration
 namespaceSelector meta.v1.LabelSelector | A label query over the set of namespaces that the term applies to
 namespaces [string] | namespaces specifies a static list of namespace names that the term applies to
 topologyKey string! | This pod should be co-located (affinity) or not co-located (anti-affinity) with the pods matching the labelSelector in the specified namespaces, ...
core.v1.PodAntiAffinity | Pod anti affinity is a group of inter pod anti affinity scheduling rules
 preferredDuringSchedulingIgnoredDuringExecution [core.v1.WeightedPodAffinityTerm] | The scheduler will prefer to schedule pods to nodes that satisfy the anti-affinity expressions specified by this field, but it may choose a node that ...
 requiredDuringSchedulingIgnoredDuringExecution [core.v1.PodAffinityTerm] | If the anti-affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled onto the node
core.v1.PodCondition | PodCondition contains details for the current condition of this pod
 lastProbeTime Time | Last time we probed the condition
 lastTransitionTime Time | Last time the condition transitioned from one status to another
 message string | Human-readable message indicating details about last transition
 observedGeneration int64 | If set, this represents the .metadata.generation that the pod condition was set based upon
 reason string | Unique, one-word, CamelCase reason for the condition's last transition
 status string! | Status is the status of the condition
 type string! | Type is the type of the condition
core.v1.PodDNSConfig | PodDNSConfig defines the DNS parameters of a pod in addition to those generated from DNSPolicy
 nameservers [string] | A list of DNS name server IP addresses
 options [core.v1.PodDNSConfigOption] | A list of DNS resolver options
 searches [string] | A list of DNS search domains for host-name lookup
core.v1.PodDNSConfigOption | PodDNSConfigOption defines DNS resolver options of a pod
 name string | Name is this DNS resolver option's name
 value string | Value is this DNS resolver option's value
core.v1.PodExtendedResourceClaimStatus | PodExtendedResourceClaimStatus is stored in the PodStatus for the extended resource requests backed by DRA. It stores the generated name for the ...
 requestMappings [core.v1.ContainerExtendedResourceRequest]! | RequestMappings identifies the mapping of <container, extended resource backed by DRA> to device request in the generated ResourceClaim
 resourceClaimName string! | ResourceClaimName is the name of the ResourceClaim that was generated for the Pod in the namespace of the Pod
core.v1.PodIP | PodIP represents a single IP address allocated to the pod
 ip string! | IP is the IP address assigned to the pod
core.v1.PodOS | PodOS defines the OS parameters of a pod
 name string! | Name is the name of the operating system
core.v1.PodReadinessGate | PodReadinessGate contains the reference to a pod condition
 conditionType string! | ConditionType refers to a condition in the pod's condition list with matching type
core.v1.PodResourceClaim | PodResourceClaim references exactly one ResourceClaim, either directly or by naming a ResourceClaimTemplate which is then turned into a ResourceClaim ...
 name string! | Name uniquely identifies this resource claim inside the pod
 resourceClaimName string | ResourceClaimName is the name of a ResourceClaim object in the same namespace as this pod
 resourceClaimTemplateName string | ResourceClaimTemplateName is the name of a ResourceClaimTemplate object in the same namespace as this pod
core.v1.PodResourceClaimStatus | PodResourceClaimStatus is stored in the PodStatus for each PodResourceClaim which references a ResourceClaimTemplate
 name string! | Name uniquely identifies this resource claim inside the pod
 resourceClaimName string | ResourceClaimName is the name of the ResourceClaim that was generated for the Pod in the namespace of the Pod
core.v1.PodSchedulingGate | PodSchedulingGate is associated to a Pod to guard its scheduling
 name string! | Name of the scheduling gate
core.v1.PodSchedulingGroup | PodSchedulingGroup identifies the runtime scheduling group instance that a Pod belongs to
 podGroupName string | PodGroupName specifies the name of the standalone PodGroup object that represents the runtime instance of this group
core.v1.PodSecurityContext | PodSecurityContext holds pod-level security attributes and common container settings
 appArmorProfile core.v1.AppArmorProfile | appArmorProfile is the AppArmor options to use by the containers in this pod
 fsGroup int64 | A special supplemental group that applies to all containers in a pod
 fsGroupChangePolicy string | fsGroupChangePolicy defines behavior of changing ownership and permission of the volume before being exposed inside Pod
 runAsGroup int64 | The GID to run the entrypoint of the container process
 runAsNonRoot bool | Indicates that the container must run as a non-root user
 runAsUser int64 | The UID to run the entrypoint of the container process
 seLinuxChangePolicy string | seLinuxChangePolicy defines how the container's SELinux label is applied to all volumes used by the Pod
 seLinuxOptions core.v1.SELinuxOptions | The SELinux context to be applied to all containers
 seccompProfile core.v1.SeccompProfile | The seccomp options to use by the containers in this pod
 supplementalGroups [int64] | A list of groups applied to the first process run in each container, in addition to the container's primary GID and fsGroup (if specified)
 supplementalGroupsPolicy string | Defines how supplemental groups of the first container processes are calculated
 sysctls [core.v1.Sysctl] | Sysctls hold a list of namespaced sysctls used for the pod
 windowsOptions core.v1.WindowsSecurityContextOptions | The Windows specific settings applied to all containers
core.v1.PodSpec | PodSpec is a description of a pod
 activeDeadlineSeconds int64 | Optional duration in seconds the pod may be active on the node relative to StartTime before the system will actively try to mark it failed and kill ...
 affinity core.v1.Affinity | If specified, the pod's scheduling constraints
 automountServiceAccountToken bool | AutomountServiceAccountToken indicates whether a service account token should be automatically mounted
 containers [core.v1.Container]! map=name merge=name | List of containers belonging to the pod
 dnsConfig core.v1.PodDNSConfig | Specifies the DNS parameters of a pod
 dnsPolicy string | Set DNS policy for the pod
 enableServiceLinks bool | EnableServiceLinks indicates whether information about services should be injected into pod's environment variables, matching the syntax of Docker ...
 ephemeralContainers [core.v1.EphemeralContainer] map=name merge=name | List of ephemeral containers run in this pod
 evictionResponders [core.v1.EvictionResponder] map=name merge=name | evictionResponders reference responders that react to Evictions based on EvictionRequests
 hostAliases [core.v1.HostAlias] map=ip merge=ip | HostAliases is an optional list of hosts and IPs that will be injected into the pod's hosts file if specified
 hostIPC bool | Use the host's ipc namespace
 hostNetwork bool | Host networking requested for this pod
 hostPID bool | Use the host's pid namespace
 hostUsers bool | Use the host's user namespace
 hostname string | Specifies the hostname of the Pod If not specified, the pod's hostname will be set to a system-defined value
 hostnameOverride string | HostnameOverride specifies an explicit override for the pod's hostname as perceived by the pod
 imagePullSecrets [core.v1.LocalObjectReference] map=name merge=name | ImagePullSecrets is an optional list of references to secrets in the same namespace to use for pulling any of the images used by this PodSpec
 initContainers [core.v1.Container] map=name merge=name | List of initialization containers belonging to the pod
 nodeName string | NodeName indicates in which node this pod is scheduled
 nodeSelector {string} atomic | NodeSelector is a selector which must be true for the pod to fit on a node
 os core.v1.PodOS | Specifies the OS of the containers in the pod
 overhead {Quantity} | Overhead represents the resource overhead associated with running a pod for a given RuntimeClass
 preemptionPolicy string | PreemptionPolicy is the Policy for preempting pods with lower priority
 priority int32 | The priority value
 priorityClassName string | If specified, indicates the pod's priority
 readinessGates [core.v1.PodReadinessGate] | If specified, all readiness gates will be evaluated for pod readiness
 resourceClaims [core.v1.PodResourceClaim] map=name merge=name retain | ResourceClaims defines which ResourceClaims must be allocated and reserved before the Pod is allowed to start
 resources core.v1.ResourceRequirements | Resources is the total amount of CPU and Memory resources required by all containers in the pod
 restartPolicy string | Restart policy for all containers within the pod
 runtimeClassName string | RuntimeClassName refers to a RuntimeClass object in the node.k8s.io group, which should be used to run this pod
 schedulerName string | If specified, the pod will be dispatched by specified scheduler
 schedulingGates [core.v1.PodSchedulingGate] map=name merge=name | SchedulingGates is an opaque list of values that if specified will block scheduling the pod
 schedulingGroup core.v1.PodSchedulingGroup | SchedulingGroup provides a reference to the immediate scheduling runtime grouping object that this Pod belongs to
 securityContext core.v1.PodSecurityContext | SecurityContext holds pod-level security attributes and common container settings
 serviceAccount string | DeprecatedServiceAccount is a deprecated alias for ServiceAccountName
 serviceAccountName string | ServiceAccountName is the name of the ServiceAccount to use to run this pod
 setHostnameAsFQDN bool | If true the pod's hostname will be configured as the pod's FQDN, rather than the leaf name (the default)
 shareProcessNamespace bool | Share a single process namespace between all of the containers in a pod
 subdomain string | If specified, the fully qualified Pod hostname will be "<hostname>.<subdomain>.<pod namespace>.svc.<cluster domain>"
 terminationGracePeriodSeconds int64 | Optional duration in seconds the pod needs to terminate gracefully
 tolerations [core.v1.Toleration] | If specified, the pod's tolerations
 topologySpreadConstraints [core.v1.TopologySpreadConstraint] map=topologyKey,whenUnsatisfiable merge=topologyKey | TopologySpreadConstraints describes how a group of pods ought to spread across topology domains
 volumes [core.v1.Volume] map=name merge=name retain | List of volumes that can be mounted by containers belonging to the pod
core.v1.PodStatus | PodStatus represents information about the status of a pod
 allocatedResources {Quantity} | AllocatedResources is the total requests allocated for this pod by the node
 conditions [core.v1.PodCondition] map=type merge=type | Current service state of pod
 containerStatuses [core.v1.ContainerStatus] | Statuses of containers in this pod
 ephemeralContainerStatuses [core.v1.ContainerStatus] | Statuses for any ephemeral containers that have run in this pod
 extendedResourceClaimStatus core.v1.PodExtendedResourceClaimStatus | Status of extended resource claim backed by DRA
 hostIP string | hostIP holds the IP address of the host to which the pod is assigned
 hostIPs [core.v1.HostIP] merge=ip | hostIPs holds the IP addresses allocated to the host
 initContainerStatuses [core.v1.ContainerStatus] | Statuses of init containers in this pod
 message string | A human readable message indicating details about why the pod is in this condition
 nodeAllocatableResourceClaimStatuses [core.v1.NodeAllocatableResourceClaimStatus] map=resourceClaimName merge=resourceClaimName | NodeAllocatableResourceClaimStatuses contains the status of node-allocatable resources that were allocated for this pod through DRA claims
 nominatedNodeName string | nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive ...
 observedGeneration int64 | If set, this represents the .metadata.generation that the pod status was set based upon
 phase string | The phase of a Pod is a simple, high-level summary of where the Pod is in its lifecycle
 podIP string | podIP address allocated to the pod
 podIPs [core.v1.PodIP] map=ip merge=ip | podIPs holds the IP addresses allocated to the pod
 qosClass string | The Quality of Service (QOS) classification assigned to the pod based on resource requirements See PodQOSClass type for available QOS classes
 reason string | A brief CamelCase message indicating details about why the pod is in this state
 resize string | Status of resources resize desired for pod's containers
 resourceClaimStatuses [core.v1.PodResourceClaimStatus] map=name merge=name retain | Status of resource claims
 resources core.v1.ResourceRequirements | Resources represents the compute resource requests and limits that have been applied at the pod level if pod-level requests or limits are set in ...
 startTime Time | RFC 3339 date and time at which the object was acknowledged by the Kubelet
 volumeHealth [core.v1.PodVolumeHealth] map=name | volumeHealth contains node-reported health for each volume the pod is using
core.v1.PodVolumeHealth | PodVolumeHealth contains health information for a volume used by a pod, reported by the CSI node plugin via the kubelet
 healthConditions [core.v1.VolumeHealthCondition] map=status,reason merge=status | conditions is the set of adverse conditions reported by the CSI node plugin for this volume on this node
 lastTransitionTime Time | lastTransitionTime is when the current set of conditions first appeared
 name string! | name matches an entry in pod.spec.volumes
core.v1.PreferredSchedulingTerm | An empty preferred scheduling term matches all objects with implicit weight 0 (i.e
 preference core.v1.NodeSelectorTerm! | A node selector term, associated with the corresponding weight
 weight int32! | Weight associated with matching the corresponding nodeSelectorTerm, in the range 1-100
core.v1.ResourceHealth | ResourceHealth represents the health of a resource
 health string | Health of the resource
 message string | Message provides human-readable context for Health (e.g
 resourceID string! | ResourceID is the unique identifier of the resource
core.v1.ResourceStatus | ResourceStatus represents the status of a single resource allocated to a Pod
 name string! | Name of the resource
 resources [core.v1.ResourceHealth] map=resourceID | List of unique resources health
core.v1.Sysctl | Sysctl defines a kernel parameter to be set
 name string! | Name of a property to set
 value string! | Value of a property to set
core.v1.Toleration | The pod this Toleration is attached to tolerates any taint that matches the triple <key,value,effect> using the matching operator <operator>
 effect string | Effect indicates the taint effect to match
 key string | Key is the taint key that the toleration applies to
 operator string | Operator represents a key's relationship to the value
 tolerationSeconds int64 | TolerationSeconds represents the period of time the toleration (which must be of effect NoExecute, otherwise this field is ignored) tolerates the ...
 value string | Value is the taint value the toleration matches to
core.v1.TopologySpreadConstraint | TopologySpreadConstraint specifies how to spread matching pods among the given topology
 labelSelector meta.v1.LabelSelector | LabelSelector is used to find matching pods
 matchLabelKeys [string] | MatchLabelKeys is a set of pod label keys to select the pods over which spreading will be calculated
 maxSkew int32! | MaxSkew describes the degree to which pods may be unevenly distributed
 minDomains int32 | MinDomains indicates a minimum number of eligible domains
 nodeAffinityPolicy string | NodeAffinityPolicy indicates how we will treat Pod's nodeAffinity/nodeSelector when calculating pod topology spread skew
 nodeTaintsPolicy string | NodeTaintsPolicy indicates how we will treat node taints when calculating pod topology spread skew
 topologyKey string! | TopologyKey is the key of node labels
 whenUnsatisfiable string! | WhenUnsatisfiable indicates how to deal with a pod if it doesn't satisfy the spread constraint
core.v1.VolumeHealthCondition | VolumeHealthCondition represents an adverse health condition reported for a volume
 message string | message is a human-readable description
 reason string! | reason is a brief CamelCase machine-parseable reason
 status string! | status is the machine-parseable health category
core.v1.VolumeMountStatus | VolumeMountStatus shows status of volume mounts
 mountPath string! | MountPath corresponds to the original VolumeMount
 name string! | Name corresponds to the name of the original VolumeMount
 readOnly bool | ReadOnly corresponds to the original VolumeMount
 recursiveReadOnly string | RecursiveReadOnly must be set to Disabled, Enabled, or unspecified (for non-readonly mounts)
 volumeStatus core.v1.VolumeStatus | volumeStatus represents volume-type-specific status about the mounted volume
core.v1.VolumeStatus | VolumeStatus represents the status of a mounted volume
 image core.v1.ImageVolumeStatus | image represents an OCI object (a container image or artifact) pulled and mounted on the kubelet's host machine
core.v1.WeightedPodAffinityTerm | The weights of all of the matched WeightedPodAffinityTerm fields are added per-node to find the most preferred node(s)
 podAffinityTerm core.v1.PodAffinityTerm! | Required
 weight int32! | weight associated with matching the corresponding podAffinityTerm, in the range 1-100
)schema";

}  // namespace elbowroom::lab
