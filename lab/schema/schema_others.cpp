// The schema of the other kinds, as data: read lab/schema/schema.h for its form. It is written by
// test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0), not by hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kOthersSchema = R"schema(
coordination.v1.Lease | Lease defines a lease concept
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 spec coordination.v1.LeaseSpec | spec contains the specification of the Lease
coordination.v1.LeaseSpec | LeaseSpec is a specification of a Lease
 acquireTime MicroTime | acquireTime is a time when the current lease was acquired
 holderIdentity string | holderIdentity contains the identity of the holder of a current lease
 leaseDurationSeconds int32 | leaseDurationSeconds is a duration that candidates for a lease need to wait to force acquire it
 leaseTransitions int32 | leaseTransitions is the number of transitions of a lease between holders
 preferredHolder string | preferredHolder signals to a lease holder that the lease has a more optimal holder and should be given up
 renewTime MicroTime | renewTime is a time when the current holder of a lease has last updated the lease
 strategy string | strategy indicates the strategy for picking the leader for coordinated leader election
core.v1.Binding | Binding ties one object to another; for example, a pod is bound to a node by a scheduler
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 target core.v1.ObjectReference! | The target object that you want to bind to the standard object
core.v1.ClientIPConfig | ClientIPConfig represents the configurations of Client IP based session affinity
 timeoutSeconds int32 | timeoutSeconds specifies the seconds of ClientIP type session sticky time
core.v1.ConfigMap | ConfigMap holds configuration data for pods to consume
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 binaryData {bytes} | BinaryData contains the binary data
 data {string} | Data contains the configuration data
 immutable bool | Immutable, if set to true, ensures that data stored in the ConfigMap cannot be updated (only object metadata can be modified)
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
core.v1.Event | Event is a report of an event somewhere in the cluster
 action string | What action was taken/failed regarding to the Regarding object
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 count int32 | The number of times this event has occurred
 eventTime MicroTime | Time when this Event was first observed
 firstTimestamp Time | The time at which the event was first recorded
 involvedObject core.v1.ObjectReference! | The object that this event is about
 kind string | Kind is a string value representing the REST resource this object represents
 lastTimestamp Time | The time at which the most recent occurrence of this event was recorded
 message string | A human-readable description of the status of this operation
 metadata meta.v1.ObjectMeta! | Standard object's metadata
 reason string | This should be a short, machine understandable string that gives the reason for the transition into the object's current status
 related core.v1.ObjectReference | Optional secondary object for more complex actions
 reportingComponent string | Name of the controller that emitted this Event, e.g
 reportingInstance string | ID of the controller instance, e.g
 series core.v1.EventSeries | Data about the Event series this event represents or nil if it's a singleton Event
 source core.v1.EventSource | The component reporting this event
 type string | Type of this event (Normal, Warning), new types could be added in the future
core.v1.EventSeries | EventSeries contain information on series of events, i.e
 count int32 | Number of occurrences in this series up to the last heartbeat time
 lastObservedTime MicroTime | Time of the last occurrence observed
core.v1.EventSource | EventSource contains information for an event
 component string | Component from which the event is generated
 host string | Node name on which the event is generated
core.v1.LoadBalancerIngress | LoadBalancerIngress represents the status of a load-balancer ingress point: traffic intended for the service should be sent to an ingress point
 hostname string | Hostname is set for load-balancer ingress points that are DNS based (typically AWS load-balancers)
 ip string | IP is set for load-balancer ingress points that are IP based (typically GCE or OpenStack load-balancers)
 ipMode string | IPMode specifies how the load-balancer IP behaves, and may only be specified when the ip field is specified
 ports [core.v1.PortStatus] | Ports is a list of records of service ports If used, every port defined in the service should have an entry in it
core.v1.LoadBalancerStatus | LoadBalancerStatus represents the status of a load-balancer
 ingress [core.v1.LoadBalancerIngress] | Ingress is a list containing ingress points for the load-balancer
core.v1.Namespace | Namespace provides a scope for Names
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec core.v1.NamespaceSpec | Spec defines the behavior of the Namespace
 status core.v1.NamespaceStatus | Status describes the current status of a Namespace
core.v1.NamespaceCondition | NamespaceCondition contains details about state of namespace
 lastTransitionTime Time | Last time the condition transitioned from one status to another
 message string | Human-readable message indicating details about last transition
 reason string | Unique, one-word, CamelCase reason for the condition's last transition
 status string! | Status of the condition, one of True, False, Unknown
 type string! | Type of namespace controller condition
core.v1.NamespaceSpec | NamespaceSpec describes the attributes on a Namespace
 finalizers [string] | Finalizers is an opaque list of values that must be empty to permanently remove object from storage
core.v1.NamespaceStatus | NamespaceStatus is information about the current status of a Namespace
 conditions [core.v1.NamespaceCondition] map=type merge=type | Represents the latest available observations of a namespace's current state
 phase string | Phase is the current lifecycle phase of the namespace
core.v1.ObjectReference atomic | ObjectReference contains enough information to let you inspect or modify the referred object
 apiVersion string | API version of the referent
 fieldPath string | If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as ...
 kind string | Kind of the referent
 name string | Name of the referent
 namespace string | Namespace of the referent
 resourceVersion string | Specific resourceVersion to which this reference is made, if any
 uid string | UID of the referent
core.v1.PortStatus | PortStatus represents the error condition of a service port
 error string | Error is to record the problem with the service port The format of the error shall comply with the following rules: - built-in error values shall be ...
 port int32! | Port is the port number of the service port of which status is recorded here
 protocol string! | Protocol is the protocol of the service port of which status is recorded here The supported values are: "TCP", "UDP", "SCTP"
core.v1.ReplicationController | ReplicationController represents the configuration of a replication controller
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | If the Labels of a ReplicationController are empty, they are defaulted to be the same as the Pod(s) that the replication controller manages
 spec core.v1.ReplicationControllerSpec | Spec defines the specification of the desired behavior of the replication controller
 status core.v1.ReplicationControllerStatus | Status is the most recently observed status of the replication controller
core.v1.ReplicationControllerCondition | ReplicationControllerCondition describes the state of a replication controller at a certain point
 lastTransitionTime Time | The last time the condition transitioned from one status to another
 message string | A human readable message indicating details about the transition
 reason string | The reason for the condition's last transition
 status string! | Status of the condition, one of True, False, Unknown
 type string! | Type of replication controller condition
core.v1.ReplicationControllerSpec | ReplicationControllerSpec is the specification of a replication controller
 minReadySeconds int32 | Minimum number of seconds for which a newly created pod should be ready without any of its container crashing, for it to be considered available
 replicas int32 | Replicas is the number of desired replicas
 selector {string} atomic | Selector is a label query over pods that should match the Replicas count
 template core.v1.PodTemplateSpec | Template is the object that describes the pod that will be created if insufficient replicas are detected
core.v1.ReplicationControllerStatus | ReplicationControllerStatus represents the current status of a replication controller
 availableReplicas int32 | The number of available replicas (ready for at least minReadySeconds) for this replication controller
 conditions [core.v1.ReplicationControllerCondition] map=type merge=type | Represents the latest available observations of a replication controller's current state
 fullyLabeledReplicas int32 | The number of pods that have labels matching the labels of the pod template of the replication controller
 observedGeneration int64 | ObservedGeneration reflects the generation of the most recently observed replication controller
 readyReplicas int32 | The number of ready replicas for this replication controller
 replicas int32! | Replicas is the most recently observed number of replicas
core.v1.Service | Service is a named abstraction of software service (for example, mysql) consisting of local port (for example 3306) that the proxy listens on, and ...
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec core.v1.ServiceSpec | Spec defines the behavior of a service
 status core.v1.ServiceStatus | Most recently observed status of the service
core.v1.ServicePort | ServicePort contains information on service's port
 appProtocol string | The application protocol for this port
 name string | The name of this port within the service
 nodePort int32 | The port on each node on which this service is exposed when type is NodePort or LoadBalancer
 port int32! | The port that will be exposed by this service
 protocol string default=TCP | The IP protocol for this port
 targetPort IntOrString | Number or name of the port to access on the pods targeted by the service
core.v1.ServiceSpec | ServiceSpec describes the attributes that a user creates on a service
 allocateLoadBalancerNodePorts bool | allocateLoadBalancerNodePorts defines if NodePorts will be automatically allocated for services with type LoadBalancer
 clusterIP string | clusterIP is the IP address of the service and is usually assigned randomly
 clusterIPs [string] | ClusterIPs is a list of IP addresses assigned to this service, and are usually assigned randomly
 externalIPs [string] | externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service
 externalName string | externalName is the external reference that discovery mechanisms will return as an alias for this service (e.g
 externalTrafficPolicy string | externalTrafficPolicy describes how nodes distribute service traffic they receive on one of the Service's "externally-facing" addresses (NodePorts, ...
 healthCheckNodePort int32 | healthCheckNodePort specifies the healthcheck nodePort for the service
 internalTrafficPolicy string | InternalTrafficPolicy describes how nodes distribute service traffic they receive on the ClusterIP. If set to "Local", the proxy will assume that ...
 ipFamilies [string] | IPFamilies is a list of IP families (e.g
 ipFamilyPolicy string | IPFamilyPolicy represents the dual-stack-ness requested or required by this Service
 loadBalancerClass string | loadBalancerClass is the class of the load balancer implementation this Service belongs to
 loadBalancerIP string | Only applies to Service Type: LoadBalancer
 loadBalancerSourceRanges [string] | If specified and supported by the platform, this will restrict traffic through the cloud-provider load-balancer will be restricted to the specified ...
 ports [core.v1.ServicePort] map=port,protocol merge=port | The list of ports that are exposed by this service
 publishNotReadyAddresses bool | publishNotReadyAddresses indicates that any agent which deals with endpoints for this Service should disregard any indications of ready/not-ready
 selector {string} atomic | Route service traffic to pods with label keys and values matching this selector
 sessionAffinity string | Supports "ClientIP" and "None"
 sessionAffinityConfig core.v1.SessionAffinityConfig | sessionAffinityConfig contains the configurations of session affinity
 trafficDistribution string | TrafficDistribution offers a way to express preferences for how traffic is distributed to Service endpoints
 type string | type determines how the Service is exposed
core.v1.ServiceStatus | ServiceStatus represents the current status of a service
 conditions [meta.v1.Condition] map=type merge=type | Current service state
 loadBalancer core.v1.LoadBalancerStatus | LoadBalancer contains the current status of the load-balancer, if one is present
core.v1.SessionAffinityConfig | SessionAffinityConfig represents the configurations of session affinity
 clientIP core.v1.ClientIPConfig | clientIP contains the configurations of Client IP based session affinity
events.v1.Event | Event is a report of an event somewhere in the cluster
 action string | action is what action was taken/failed regarding to the regarding object
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 deprecatedCount int32 | deprecatedCount is the deprecated field assuring backward compatibility with core.v1 Event type
 deprecatedFirstTimestamp Time | deprecatedFirstTimestamp is the deprecated field assuring backward compatibility with core.v1 Event type
 deprecatedLastTimestamp Time | deprecatedLastTimestamp is the deprecated field assuring backward compatibility with core.v1 Event type
 deprecatedSource core.v1.EventSource | deprecatedSource is the deprecated field assuring backward compatibility with core.v1 Event type
 eventTime MicroTime! | eventTime is the time when this Event was first observed
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object's metadata
 note string | note is a human-readable description of the status of this operation
 reason string | reason is why the action was taken
 regarding core.v1.ObjectReference | regarding contains the object this Event is about
 related core.v1.ObjectReference | related is the optional secondary object for more complex actions
 reportingController string | reportingController is the name of the controller that emitted this Event, e.g
 reportingInstance string | reportingInstance is the ID of the controller instance, e.g
 series events.v1.EventSeries | series is data about the Event series this event represents or nil if it's a singleton Event
 type string | type is the type of this event (Normal, Warning), new types could be added in the future
events.v1.EventSeries | EventSeries contain information on series of events, i.e
 count int32! | count is the number of occurrences in this series up to the last heartbeat time
 lastObservedTime MicroTime! | lastObservedTime is the time when last Event from the series was seen before last heartbeat
policy.v1.Eviction | Eviction evicts a pod from its node subject to certain policies and safety constraints
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 deleteOptions meta.v1.DeleteOptions | deleteOptions may be provided
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata describes the pod that is being evicted
policy.v1.PodDisruptionBudget | PodDisruptionBudget is an object to define the max disruption that can be caused to a collection of pods
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object's metadata
 spec policy.v1.PodDisruptionBudgetSpec | spec is the specification of the desired behavior of the PodDisruptionBudget
 status policy.v1.PodDisruptionBudgetStatus | status is the most recently observed status of the PodDisruptionBudget
policy.v1.PodDisruptionBudgetSpec | PodDisruptionBudgetSpec is a description of a PodDisruptionBudget
 maxUnavailable IntOrString | maxUnavailable indicates that an eviction is allowed if at most "maxUnavailable" pods selected by "selector" are unavailable after the eviction, i.e
 minAvailable IntOrString | minAvailable indicates that an eviction is allowed if at least "minAvailable" pods selected by "selector" will still be available after the eviction, ...
 selector meta.v1.LabelSelector | selector is a label query over pods whose evictions are managed by the disruption budget
 unhealthyPodEvictionPolicy string | unhealthyPodEvictionPolicy defines the criteria for when unhealthy pods should be considered for eviction
policy.v1.PodDisruptionBudgetStatus | PodDisruptionBudgetStatus represents information about the status of a PodDisruptionBudget
 conditions [meta.v1.Condition] map=type merge=type | Conditions contain conditions for PDB. The disruption controller sets the DisruptionAllowed condition
 currentHealthy int32 | current number of healthy pods
 desiredHealthy int32 | minimum desired number of healthy pods
 disruptedPods {Time} | DisruptedPods contains information about pods whose eviction was processed by the API server eviction subresource handler but has not yet been ...
 disruptionsAllowed int32 | Number of pod disruptions that are currently allowed
 expectedPods int32 | total number of pods counted by this disruption budget
 observedGeneration int64 | Most recent generation observed when updating this PDB status
scheduling.v1.PriorityClass | PriorityClass defines mapping from a priority class name to the priority integer value
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 description string | description is an arbitrary string that usually provides guidelines on when this priority class should be used
 globalDefault bool | globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 preemptionPolicy string | preemptionPolicy is the Policy for preempting pods with lower priority
 value int32 | value represents the integer value of this priority class
)schema";

}  // namespace elbowroom::lab
