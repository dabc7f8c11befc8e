// The schema of what all objects have, as data: read lab/schema/schema.h for its form. It is
// written by test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0), not by
// hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kMetaSchema = R"schema(
meta.v1.Condition | Condition contains details for one aspect of the current state of this API Resource
 lastTransitionTime Time! | lastTransitionTime is the last time the condition transitioned from one status to another
 message string! | message is a human readable message indicating details about the transition
 observedGeneration int64 | observedGeneration represents the .metadata.generation that the condition was set based upon
 reason string! | reason contains a programmatic identifier indicating the reason for the condition's last transition
 status string! | status of the condition, one of True, False, Unknown
 type string! | type of condition in CamelCase or in foo.example.com/CamelCase
meta.v1.DeleteOptions | DeleteOptions may be provided when deleting an API object
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 dryRun [string] | When present, indicates that modifications should not be persisted
 gracePeriodSeconds int64 | The duration in seconds before the object should be deleted
 ignoreStoreReadErrorWithClusterBreakingPotential bool | if set to true, it will trigger an unsafe deletion of the resource in case the normal deletion flow fails with a corrupt object error
 kind string | Kind is a string value representing the REST resource this object represents
 orphanDependents bool | Deprecated: please use the PropagationPolicy, this field will be deprecated in 1.7. Should the dependent objects be orphaned
 preconditions meta.v1.Preconditions | Must be fulfilled before a deletion is carried out
 propagationPolicy string | Whether and how garbage collection will be performed
meta.v1.LabelSelector atomic | A label selector is a label query over a set of resources
 matchExpressions [meta.v1.LabelSelectorRequirement] | matchExpressions is a list of label selector requirements
 matchLabels {string} | matchLabels is a map of {key,value} pairs
meta.v1.LabelSelectorRequirement | A label selector requirement is a selector that contains values, a key, and an operator that relates the key and values
 key string! | key is the label key that the selector applies to
 operator string! | operator represents a key's relationship to a set of values
 values [string] | values is an array of string values
meta.v1.ManagedFieldsEntry | ManagedFieldsEntry is a workflow-id, a FieldSet and the group version of the resource that the fieldset applies to
 apiVersion string | APIVersion defines the version of this resource that this field set applies to
 fieldsType string | FieldsType is the discriminator for the different fields format and version
 fieldsV1 any | FieldsV1 holds the first JSON version format as described in the "FieldsV1" type
 manager string | Manager is an identifier of the workflow managing these fields
 operation string | Operation is the type of operation which lead to this ManagedFieldsEntry being created
 subresource string | Subresource is the name of the subresource used to update that object, or empty string if the object was updated through the main resource
 time Time | Time is the timestamp of when the ManagedFields entry was added
meta.v1.ObjectMeta | ObjectMeta is metadata that all persisted resources must have, which includes all objects users must create
 annotations {string} | Annotations is an unstructured key value map stored with a resource that may be set by external tools to store and retrieve arbitrary metadata
 creationTimestamp Time | CreationTimestamp is a timestamp representing the server time when this object was created
 deletionGracePeriodSeconds int64 | Number of seconds allowed for this object to gracefully terminate before it will be removed from the system
 deletionTimestamp Time | DeletionTimestamp is RFC 3339 date and time at which this resource will be deleted
 finalizers [string] set merge= | Must be empty before the object is deleted from the registry
 generateName string | GenerateName is an optional prefix, used by the server, to generate a unique name ONLY IF the Name field has not been provided
 generation int64 | A sequence number representing a specific generation of the desired state
 labels {string} | Map of string keys and values that can be used to organize and categorize (scope and select) objects
 managedFields [meta.v1.ManagedFieldsEntry] | ManagedFields maps workflow-id and version to the set of fields that are managed by that workflow
 name string | Name must be unique within a namespace
 namespace string | Namespace defines the space within which each name must be unique
 ownerReferences [meta.v1.OwnerReference] map=uid merge=uid | List of objects depended by this object
 resourceVersion string | An opaque value that represents the internal version of this object that can be used by clients to determine when objects have changed
 selfLink string | Deprecated: selfLink is a legacy read-only field that is no longer populated by the system
 uid string | UID is the unique in time and space value for this object
meta.v1.OwnerReference atomic | OwnerReference contains enough information to let you identify an owning object
 apiVersion string! | API version of the referent
 blockOwnerDeletion bool | If true, AND if the owner has the "foregroundDeletion" finalizer, then the owner cannot be deleted from the key-value store until this reference is ...
 controller bool | If true, this reference points to the managing controller
 kind string! | Kind of the referent
 name string! | Name of the referent
 uid string! | UID of the referent
meta.v1.Preconditions | Preconditions must be fulfilled before an operation (update, delete, etc.) is carried out
 resourceVersion string | Specifies the target ResourceVersion
 uid string | Specifies the target UID
)schema";

}  // namespace elbowroom::lab
