// The schema of pod groups and workloads, as data: read lab/schema/schema.h for its form. It is
// written by test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0), not by
// hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kGroupsSchema = R"schema(
scheduling.v1alpha3.AllCompositeDisruptionMode | AllCompositeDisruptionMode means that children of a CompositePodGroup can only be disrupted or preempted together
scheduling.v1alpha3.AllDisruptionMode | AllDisruptionMode specifies that children can only be disrupted together
scheduling.v1alpha3.BasicSchedulingPolicy | BasicSchedulingPolicy indicates that standard Kubernetes scheduling behavior should be used
scheduling.v1alpha3.CompositeBasicSchedulingPolicy | CompositeBasicSchedulingPolicy indicates that the groups belonging to the composite group should be scheduled independently
scheduling.v1alpha3.CompositeDisruptionMode | CompositeDisruptionMode defines how individual entities within a composite pod group can be disrupted
 all scheduling.v1alpha3.AllCompositeDisruptionMode | all specifies that all children groups can only be disrupted together
 single scheduling.v1alpha3.SingleCompositeDisruptionMode | single specifies that children groups can be disrupted independently from each other
scheduling.v1alpha3.CompositeGangSchedulingPolicy | CompositeGangSchedulingPolicy indicates that the groups belonging to the composite group should be scheduled using all-or-nothing semantics
 minGroupCount int32! | minGroupCount is the minimum number of child groups that must be schedulable or scheduled at the same time for the scheduler to admit the entire group
scheduling.v1alpha3.CompositePodGroupSchedulingConstraints | CompositePodGroupSchedulingConstraints defines scheduling constraints (e.g
 topology [scheduling.v1alpha3.TopologyConstraint] | topology defines the topology constraints for the composite pod group
scheduling.v1alpha3.CompositePodGroupSchedulingPolicy | CompositePodGroupSchedulingPolicy defines the scheduling configuration for a CompositePodGroup
 basic scheduling.v1alpha3.CompositeBasicSchedulingPolicy | basic specifies that the groups of this composite group should be scheduled independently
 gang scheduling.v1alpha3.CompositeGangSchedulingPolicy | gang specifies that the groups of this composite group should be scheduled using all-or-nothing semantics
scheduling.v1alpha3.CompositePodGroupTemplate | CompositePodGroupTemplate represents a template for a CompositePodGroup with a scheduling policy
 compositePodGroupTemplates [scheduling.v1alpha3.CompositePodGroupTemplate] map=name | compositePodGroupTemplates is the list of templates for children CompositePodGroups
 disruptionMode scheduling.v1alpha3.CompositeDisruptionMode | disruptionMode defines the mode in which a given CompositePodGroup can be disrupted
 name string! | name is a unique identifier for the CompositePodGroupTemplate within the Workload
 podGroupTemplates [scheduling.v1alpha3.PodGroupTemplate] map=name | podGroupTemplates is the list of templates for children PodGroups
 preemptionPolicy string | preemptionPolicy is the Policy for preempting pods/podgroups with lower priority
 priority int32 | priority is the value of priority of composite pod groups created from this template
 priorityClassName string | priorityClassName indicates the priority that should be considered when scheduling a composite pod group created from this template
 schedulingConstraints scheduling.v1alpha3.CompositePodGroupSchedulingConstraints | schedulingConstraints defines optional scheduling constraints (e.g
 schedulingPolicy scheduling.v1alpha3.CompositePodGroupSchedulingPolicy! | schedulingPolicy defines the scheduling policy for this template
scheduling.v1alpha3.DisruptionMode | DisruptionMode defines how individual entities within a group can be disrupted
 all scheduling.v1alpha3.AllDisruptionMode | all specifies that all children can only be disrupted together
 single scheduling.v1alpha3.SingleDisruptionMode | single specifies that children can be disrupted independently from each other
scheduling.v1alpha3.GangSchedulingPolicy | GangSchedulingPolicy defines the parameters for gang scheduling
 minCount int32! | minCount is the minimum number of pods that must be schedulable or scheduled at the same time for the scheduler to admit the entire group
scheduling.v1alpha3.PodGroup | PodGroup represents a runtime instance of pods grouped together
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 spec scheduling.v1alpha3.PodGroupSpec! | spec defines the desired state of the PodGroup
 status scheduling.v1alpha3.PodGroupStatus | status represents the current observed state of the PodGroup
scheduling.v1alpha3.PodGroupResourceClaim | PodGroupResourceClaim references exactly one ResourceClaim, either directly or by naming a ResourceClaimTemplate which is then turned into a ...
 name string! | name uniquely identifies this resource claim inside the PodGroup
 resourceClaimName string | resourceClaimName is the name of a ResourceClaim object in the same namespace as this PodGroup
 resourceClaimTemplateName string | resourceClaimTemplateName is the name of a ResourceClaimTemplate object in the same namespace as this PodGroup
scheduling.v1alpha3.PodGroupResourceClaimStatus | PodGroupResourceClaimStatus is stored in the PodGroupStatus for each PodGroupResourceClaim which references a ResourceClaimTemplate
 name string! | name uniquely identifies this resource claim inside the PodGroup
 resourceClaimName string | resourceClaimName is the name of the ResourceClaim that was generated for the PodGroup in the namespace of the PodGroup
scheduling.v1alpha3.PodGroupSchedulingConstraints | PodGroupSchedulingConstraints defines scheduling constraints (e.g
 topology [scheduling.v1alpha3.TopologyConstraint] | topology defines the topology constraints for the pod group
scheduling.v1alpha3.PodGroupSchedulingPolicy | PodGroupSchedulingPolicy defines the scheduling configuration for a PodGroup
 basic scheduling.v1alpha3.BasicSchedulingPolicy | basic specifies that the pods in this group should be scheduled using standard Kubernetes scheduling behavior
 gang scheduling.v1alpha3.GangSchedulingPolicy | gang specifies that the pods in this group should be scheduled using all-or-nothing semantics
scheduling.v1alpha3.PodGroupSpec | PodGroupSpec defines the desired state of a PodGroup
 disruptionMode scheduling.v1alpha3.DisruptionMode | disruptionMode defines the mode in which a given PodGroup can be disrupted
 parentCompositePodGroupName string | parentCompositePodGroupName contains the name of the parent composite pod group within the same namespace as this pod group
 preemptionPolicy string | preemptionPolicy is the Policy for preempting pods/podgroups with lower priority
 priority int32 | priority is the value of priority of this pod group
 priorityClassName string | priorityClassName defines the priority that should be considered when scheduling this pod group
 resourceClaims [scheduling.v1alpha3.PodGroupResourceClaim] map=name merge=name retain | resourceClaims defines which ResourceClaims may be shared among Pods in the group
 schedulingConstraints scheduling.v1alpha3.PodGroupSchedulingConstraints | schedulingConstraints defines optional scheduling constraints (e.g
 schedulingPolicy scheduling.v1alpha3.PodGroupSchedulingPolicy! | schedulingPolicy defines the scheduling policy for this instance of the PodGroup
 workloadRef scheduling.v1alpha3.WorkloadReference | workloadRef references an optional PodGroup template within the Workload object that was used to create the PodGroup
scheduling.v1alpha3.PodGroupStatus | PodGroupStatus represents information about the status of a pod group
 conditions [meta.v1.Condition] map=type merge=type | conditions represent the latest observations of the PodGroup's state
 resourceClaimStatuses [scheduling.v1alpha3.PodGroupResourceClaimStatus] map=name merge=name retain | resourceClaimStatuses is status of resource claims
scheduling.v1alpha3.PodGroupTemplate | PodGroupTemplate represents a template for a set of pods with a scheduling policy
 disruptionMode scheduling.v1alpha3.DisruptionMode | disruptionMode defines the mode in which a given PodGroup can be disrupted
 name string! | name is a unique identifier for the PodGroupTemplate within the Workload
 preemptionPolicy string | preemptionPolicy is the Policy for preempting pods/podgroups with lower priority
 priority int32 | priority is the value of priority of pod groups created from this template
 priorityClassName string | priorityClassName indicates the priority that should be considered when scheduling a pod group created from this template
 resourceClaims [scheduling.v1alpha3.PodGroupResourceClaim] map=name merge=name retain | resourceClaims defines which ResourceClaims may be shared among Pods in the group
 schedulingConstraints scheduling.v1alpha3.PodGroupSchedulingConstraints | schedulingConstraints defines optional scheduling constraints (e.g
 schedulingPolicy scheduling.v1alpha3.PodGroupSchedulingPolicy! | schedulingPolicy defines the scheduling policy for this PodGroupTemplate
scheduling.v1alpha3.SingleCompositeDisruptionMode | SingleCompositeDisruptionMode means that individual children of a CompositePodGroup can be disrupted or preempted independently
scheduling.v1alpha3.SingleDisruptionMode | SingleDisruptionMode specifies that children can be disrupted independently
scheduling.v1alpha3.TopologyConstraint | TopologyConstraint defines a topology constraint for a PodGroup
 key string! | key specifies the key of the node label representing the topology domain
scheduling.v1alpha3.TypedLocalObjectReference | TypedLocalObjectReference allows to reference typed object inside the same namespace
 apiGroup string | apiGroup is the group for the resource being referenced
 kind string! | kind is the type of resource being referenced
 name string! | name is the name of resource being referenced
scheduling.v1alpha3.Workload | Workload allows for expressing scheduling constraints that should be used when managing the lifecycle of workloads from the scheduling perspective, ...
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 spec scheduling.v1alpha3.WorkloadSpec! | spec defines the desired behavior of a Workload
scheduling.v1alpha3.WorkloadReference | WorkloadReference references the Workload object together with the template that was used to create a particular PodGroup
 templateName string! | templateName is the name of a template within the Workload object that was used to create a pod group
 workloadName string! | workloadName is the name of the Workload object that contains a template that was used when creating a pod group
scheduling.v1alpha3.WorkloadSpec | WorkloadSpec defines the desired state of a Workload
 compositePodGroupTemplates [scheduling.v1alpha3.CompositePodGroupTemplate] map=name | compositePodGroupTemplates is the list of CompositePodGroup templates that make up the Workload
 controllerRef scheduling.v1alpha3.TypedLocalObjectReference | controllerRef is an optional reference to the controlling object, such as a Deployment or Job
 podGroupTemplates [scheduling.v1alpha3.PodGroupTemplate] map=name | podGroupTemplates is the list of templates that make up the Workload
scheduling.v1beta1.AllCompositeDisruptionMode | AllCompositeDisruptionMode means that children of a CompositePodGroup can only be disrupted or preempted together
scheduling.v1beta1.AllDisruptionMode | AllDisruptionMode specifies that children can only be disrupted together
scheduling.v1beta1.BasicSchedulingPolicy | BasicSchedulingPolicy indicates that standard Kubernetes scheduling behavior should be used
scheduling.v1beta1.CompositeBasicSchedulingPolicy | CompositeBasicSchedulingPolicy indicates that the groups belonging to the composite group should be scheduled independently
scheduling.v1beta1.CompositeDisruptionMode | CompositeDisruptionMode defines how individual entities within a composite pod group can be disrupted
 all scheduling.v1beta1.AllCompositeDisruptionMode | all specifies that all children groups can only be disrupted together
 single scheduling.v1beta1.SingleCompositeDisruptionMode | single specifies that children groups can be disrupted independently from each other
scheduling.v1beta1.CompositeGangSchedulingPolicy | CompositeGangSchedulingPolicy indicates that the groups belonging to the composite group should be scheduled using all-or-nothing semantics
 minGroupCount int32! | minGroupCount is the minimum number of child groups that must be schedulable or scheduled at the same time for the scheduler to admit the entire group
scheduling.v1beta1.CompositePodGroupSchedulingConstraints | CompositePodGroupSchedulingConstraints defines scheduling constraints (e.g
 topology [scheduling.v1beta1.TopologyConstraint] | topology defines the topology constraints for the composite pod group
scheduling.v1beta1.CompositePodGroupSchedulingPolicy | CompositePodGroupSchedulingPolicy defines the scheduling configuration for a CompositePodGroup
 basic scheduling.v1beta1.CompositeBasicSchedulingPolicy | basic specifies that the groups of this composite group should be scheduled independently
 gang scheduling.v1beta1.CompositeGangSchedulingPolicy | gang specifies that the groups of this composite group should be scheduled using all-or-nothing semantics
scheduling.v1beta1.CompositePodGroupTemplate | CompositePodGroupTemplate represents a template for a CompositePodGroup with a scheduling policy
 compositePodGroupTemplates [scheduling.v1beta1.CompositePodGroupTemplate] map=name | compositePodGroupTemplates is the list of templates for children CompositePodGroups
 disruptionMode scheduling.v1beta1.CompositeDisruptionMode | disruptionMode defines the mode in which a given CompositePodGroup can be disrupted
 name string! | name is a unique identifier for the CompositePodGroupTemplate within the Workload
 podGroupTemplates [scheduling.v1beta1.PodGroupTemplate] map=name | podGroupTemplates is the list of templates for children PodGroups
 preemptionPolicy string | preemptionPolicy is the Policy for preempting pods/podgroups with lower priority
 priority int32 | priority is the value of priority of composite pod groups created from this template
 priorityClassName string | priorityClassName indicates the priority that should be considered when scheduling a composite pod group created from this template
 schedulingConstraints scheduling.v1beta1.CompositePodGroupSchedulingConstraints | schedulingConstraints defines optional scheduling constraints (e.g
 schedulingPolicy scheduling.v1beta1.CompositePodGroupSchedulingPolicy! | schedulingPolicy defines the scheduling policy for this template
scheduling.v1beta1.DisruptionMode | DisruptionMode defines how individual entities within a group can be disrupted
 all scheduling.v1beta1.AllDisruptionMode | all specifies that all children can only be disrupted together
 single scheduling.v1beta1.SingleDisruptionMode | single specifies that children can be disrupted independently from each other
scheduling.v1beta1.GangSchedulingPolicy | GangSchedulingPolicy defines the parameters for gang scheduling
 minCount int32! | minCount is the minimum number of pods that must be schedulable or scheduled at the same time for the scheduler to admit the entire group
scheduling.v1beta1.PodGroup | PodGroup represents a runtime instance of pods grouped together
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 spec scheduling.v1beta1.PodGroupSpec! | spec defines the desired state of the PodGroup
 status scheduling.v1beta1.PodGroupStatus | status represents the current observed state of the PodGroup
scheduling.v1beta1.PodGroupResourceClaim | PodGroupResourceClaim references exactly one ResourceClaim, either directly or by naming a ResourceClaimTemplate which is then turned into a ...
 name string! | name uniquely identifies this resource claim inside the PodGroup
 resourceClaimName string | resourceClaimName is the name of a ResourceClaim object in the same namespace as this PodGroup
 resourceClaimTemplateName string | resourceClaimTemplateName is the name of a ResourceClaimTemplate object in the same namespace as this PodGroup
scheduling.v1beta1.PodGroupResourceClaimStatus | PodGroupResourceClaimStatus is stored in the PodGroupStatus for each PodGroupResourceClaim which references a ResourceClaimTemplate
 name string! | name uniquely identifies this resource claim inside the PodGroup
 resourceClaimName string | resourceClaimName is the name of the ResourceClaim that was generated for the PodGroup in the namespace of the PodGroup
scheduling.v1beta1.PodGroupSchedulingConstraints | PodGroupSchedulingConstraints defines scheduling constraints (e.g
 topology [scheduling.v1beta1.TopologyConstraint] | topology defines the topology constraints for the pod group
scheduling.v1beta1.PodGroupSchedulingPolicy | PodGroupSchedulingPolicy defines the scheduling configuration for a PodGroup
 basic scheduling.v1beta1.BasicSchedulingPolicy | basic specifies that the pods in this group should be scheduled using standard Kubernetes scheduling behavior
 gang scheduling.v1beta1.GangSchedulingPolicy | gang specifies that the pods in this group should be scheduled using all-or-nothing semantics
scheduling.v1beta1.PodGroupSpec | PodGroupSpec defines the desired state of a PodGroup
 disruptionMode scheduling.v1beta1.DisruptionMode | disruptionMode defines the mode in which a given PodGroup can be disrupted
 parentCompositePodGroupName string | parentCompositePodGroupName contains the name of the parent composite pod group within the same namespace as this pod group
 preemptionPolicy string | preemptionPolicy is the Policy for preempting pods/podgroups with lower priority
 priority int32 | priority is the value of priority of this pod group
 priorityClassName string | priorityClassName defines the priority that should be considered when scheduling this pod group
 resourceClaims [scheduling.v1beta1.PodGroupResourceClaim] map=name merge=name retain | resourceClaims defines which ResourceClaims may be shared among Pods in the group
 schedulingConstraints scheduling.v1beta1.PodGroupSchedulingConstraints | schedulingConstraints defines optional scheduling constraints (e.g
 schedulingPolicy scheduling.v1beta1.PodGroupSchedulingPolicy! | schedulingPolicy defines the scheduling policy for this instance of the PodGroup
 workloadRef scheduling.v1beta1.WorkloadReference | workloadRef references an optional PodGroup template within the Workload object that was used to create the PodGroup
scheduling.v1beta1.PodGroupStatus | PodGroupStatus represents information about the status of a pod group
 conditions [meta.v1.Condition] map=type merge=type | conditions represent the latest observations of the PodGroup's state
 resourceClaimStatuses [scheduling.v1beta1.PodGroupResourceClaimStatus] map=name merge=name retain | resourceClaimStatuses is status of resource claims
scheduling.v1beta1.PodGroupTemplate | PodGroupTemplate represents a template for a set of pods with a scheduling policy
 disruptionMode scheduling.v1beta1.DisruptionMode | disruptionMode defines the mode in which a given PodGroup can be disrupted
 name string! | name is a unique identifier for the PodGroupTemplate within the Workload
 preemptionPolicy string | preemptionPolicy is the Policy for preempting pods/podgroups with lower priority
 priority int32 | priority is the value of priority of pod groups created from this template
 priorityClassName string | priorityClassName indicates the priority that should be considered when scheduling a pod group created from this template
 resourceClaims [scheduling.v1beta1.PodGroupResourceClaim] map=name merge=name retain | resourceClaims defines which ResourceClaims may be shared among Pods in the group
 schedulingConstraints scheduling.v1beta1.PodGroupSchedulingConstraints | schedulingConstraints defines optional scheduling constraints (e.g
 schedulingPolicy scheduling.v1beta1.PodGroupSchedulingPolicy! | schedulingPolicy defines the scheduling policy for this PodGroupTemplate
scheduling.v1beta1.SingleCompositeDisruptionMode | SingleCompositeDisruptionMode means that individual children of a CompositePodGroup can be disrupted or preempted independently
scheduling.v1beta1.SingleDisruptionMode | SingleDisruptionMode specifies that children can be disrupted independently
scheduling.v1beta1.TopologyConstraint | TopologyConstraint defines a topology constraint for a PodGroup
 key string! | key specifies the key of the node label representing the topology domain
scheduling.v1beta1.TypedLocalObjectReference | TypedLocalObjectReference allows to reference typed object inside the same namespace
 apiGroup string | apiGroup is the group for the resource being referenced
 kind string! | kind is the type of resource being referenced
 name string! | name is the name of resource being referenced
scheduling.v1beta1.Workload | Workload allows for expressing scheduling constraints that should be used when managing the lifecycle of workloads from the scheduling perspective, ...
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 spec scheduling.v1beta1.WorkloadSpec! | spec defines the desired behavior of a Workload
scheduling.v1beta1.WorkloadReference | WorkloadReference references the Workload object together with the template that was used to create a particular PodGroup
 templateName string! | templateName is the name of a template within the Workload object that was used to create a pod group
 workloadName string! | workloadName is the name of the Workload object that contains a template that was used when creating a pod group
scheduling.v1beta1.WorkloadSpec | WorkloadSpec defines the desired state of a Workload
 compositePodGroupTemplates [scheduling.v1beta1.CompositePodGroupTemplate] map=name | compositePodGroupTemplates is the list of CompositePodGroup templates that make up the Workload
 controllerRef scheduling.v1beta1.TypedLocalObjectReference | controllerRef is an optional reference to the controlling object, such as a Deployment or Job
 podGroupTemplates [scheduling.v1beta1.PodGroupTemplate] map=name | podGroupTemplates is the list of templates that make up the Workload
)schema";

}  // namespace elbowroom::lab
