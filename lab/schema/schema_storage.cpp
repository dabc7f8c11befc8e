// The schema of claims, volumes, storage classes and CSI drivers, as data: read lab/schema/schema.h
// for its form. It is written by test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents
// (Apache-2.0), not by hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kStorageSchema = R"schema(
core.v1.AzureFilePersistentVolumeSource | AzureFile represents an Azure File Service mount on the host and bind mount to the pod
 readOnly bool | readOnly defaults to false (read/write)
 secretName string! | secretName is the name of secret that contains Azure Storage Account Name and Key
 secretNamespace string | secretNamespace is the namespace of the secret that contains Azure Storage Account Name and Key default is the same as the Pod
 shareName string! | shareName is the azure Share Name
core.v1.CSIPersistentVolumeSource | Represents storage that is managed by an external CSI volume driver
 controllerExpandSecretRef core.v1.SecretReference | controllerExpandSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI ...
 controllerPublishSecretRef core.v1.SecretReference | controllerPublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI ...
 driver string! | driver is the name of the driver to use for this volume
 fsType string | fsType to mount
 nodeExpandSecretRef core.v1.SecretReference | nodeExpandSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI ...
 nodePublishSecretRef core.v1.SecretReference | nodePublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI ...
 nodeStageSecretRef core.v1.SecretReference | nodeStageSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI NodeStageVolume ...
 readOnly bool | readOnly value to pass to ControllerPublishVolumeRequest
 volumeAttributes {string} | volumeAttributes of the volume to publish
 volumeHandle string! | volumeHandle is the unique volume name returned by the CSI volume plugin’s CreateVolume to refer to the volume on all subsequent calls
core.v1.CephFSPersistentVolumeSource | Represents a Ceph Filesystem mount that lasts the lifetime of a pod Cephfs volumes do not support ownership management or SELinux relabeling
 monitors [string]! | monitors is Required: Monitors is a collection of Ceph monitors
 path string | path is Optional: Used as the mounted root, rather than the full Ceph tree, default is /
 readOnly bool | readOnly is Optional: Defaults to false (read/write)
 secretFile string | secretFile is Optional: SecretFile is the path to key ring for User, default is /etc/ceph/user.secret
 secretRef core.v1.SecretReference | secretRef is Optional: SecretRef is reference to the authentication secret for User, default is empty
 user string | user is Optional: User is the rados user name, default is admin
core.v1.CinderPersistentVolumeSource | Represents a cinder volume resource in Openstack
 fsType string | fsType Filesystem type to mount
 readOnly bool | readOnly is Optional: Defaults to false (read/write)
 secretRef core.v1.SecretReference | secretRef is Optional: points to a secret object containing parameters used to connect to OpenStack
 volumeID string! | volumeID used to identify the volume in cinder
core.v1.FlexPersistentVolumeSource | FlexPersistentVolumeSource represents a generic persistent volume resource that is provisioned/attached using an exec based plugin
 driver string! | driver is the name of the driver to use for this volume
 fsType string | fsType is the Filesystem type to mount
 options {string} | options is Optional: this field holds extra command options if any
 readOnly bool | readOnly is Optional: defaults to false (read/write)
 secretRef core.v1.SecretReference | secretRef is Optional: SecretRef is reference to the secret object containing sensitive information to pass to the plugin scripts
core.v1.GlusterfsPersistentVolumeSource | Represents a Glusterfs mount that lasts the lifetime of a pod
 endpoints string! | endpoints is the endpoint name that details Glusterfs topology
 endpointsNamespace string | endpointsNamespace is the namespace that contains Glusterfs endpoint
 path string! | path is the Glusterfs volume path
 readOnly bool | readOnly here will force the Glusterfs volume to be mounted with read-only permissions
core.v1.ISCSIPersistentVolumeSource | ISCSIPersistentVolumeSource represents an ISCSI disk
 chapAuthDiscovery bool | chapAuthDiscovery defines whether support iSCSI Discovery CHAP authentication
 chapAuthSession bool | chapAuthSession defines whether support iSCSI Session CHAP authentication
 fsType string | fsType is the filesystem type of the volume that you want to mount
 initiatorName string | initiatorName is the custom iSCSI Initiator Name
 iqn string! | iqn is Target iSCSI Qualified Name
 iscsiInterface string default=default | iscsiInterface is the interface Name that uses an iSCSI transport
 lun int32! | lun is iSCSI Target Lun number
 portals [string] | portals is the iSCSI Target Portal List
 readOnly bool | readOnly here will force the ReadOnly setting in VolumeMounts
 secretRef core.v1.SecretReference | secretRef is the CHAP Secret for iSCSI target and initiator authentication
 targetPortal string! | targetPortal is iSCSI Target Portal
core.v1.LocalVolumeSource | Local represents directly-attached storage with node affinity
 fsType string | fsType is the filesystem type to mount
 path string! | path of the full path to the volume on the node
core.v1.ModifyVolumeStatus | ModifyVolumeStatus represents the status object of ControllerModifyVolume operation
 status string! | status is the status of the ControllerModifyVolume operation
 targetVolumeAttributesClassName string | targetVolumeAttributesClassName is the name of the VolumeAttributesClass the PVC currently being reconciled
core.v1.PersistentVolume | PersistentVolume (PV) is a storage resource provisioned by an administrator
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec core.v1.PersistentVolumeSpec | spec defines a specification of a persistent volume owned by the cluster
 status core.v1.PersistentVolumeStatus | status represents the current information/status for the persistent volume
core.v1.PersistentVolumeClaim | PersistentVolumeClaim is a user's request for and claim to a persistent volume
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | Standard object's metadata
 spec core.v1.PersistentVolumeClaimSpec | spec defines the desired characteristics of a volume requested by a pod author
 status core.v1.PersistentVolumeClaimStatus | status represents the current information/status of a persistent volume claim
core.v1.PersistentVolumeClaimCondition | PersistentVolumeClaimCondition contains details about state of pvc
 lastProbeTime Time | lastProbeTime is the time we probed the condition
 lastTransitionTime Time | lastTransitionTime is the time the condition transitioned from one status to another
 message string | message is the human-readable message indicating details about last transition
 reason string | reason is a unique, this should be a short, machine understandable string that gives the reason for condition's last transition
 status string! | Status is the status of the condition
 type string! | Type is the type of the condition
core.v1.PersistentVolumeClaimStatus | PersistentVolumeClaimStatus is the current status of a persistent volume claim
 accessModes [string] | accessModes contains the actual access modes the volume backing the PVC has
 allocatedResourceStatuses {string} | allocatedResourceStatuses stores status of resource being resized for the given PVC. Key names follow standard Kubernetes label syntax
 allocatedResources {Quantity} | allocatedResources tracks the resources allocated to a PVC including its capacity
 capacity {Quantity} | capacity represents the actual resources of the underlying volume
 conditions [core.v1.PersistentVolumeClaimCondition] map=type merge=type | conditions is the current Condition of persistent volume claim
 currentVolumeAttributesClassName string | currentVolumeAttributesClassName is the current name of the VolumeAttributesClass the PVC is using
 healthStatus core.v1.VolumeHealthStatus | healthStatus contains the latest controller-reported health information for the volume bound to this claim
 modifyVolumeStatus core.v1.ModifyVolumeStatus | ModifyVolumeStatus represents the status object of ControllerModifyVolume operation
 phase string | phase represents the current phase of PersistentVolumeClaim
core.v1.PersistentVolumeSpec | PersistentVolumeSpec is the specification of a persistent volume
 accessModes [string] | accessModes contains all ways the volume can be mounted
 awsElasticBlockStore core.v1.AWSElasticBlockStoreVolumeSource | awsElasticBlockStore represents an AWS Disk resource that is attached to a kubelet's host machine and then exposed to the pod
 azureDisk core.v1.AzureDiskVolumeSource | azureDisk represents an Azure Data Disk mount on the host and bind mount to the pod
 azureFile core.v1.AzureFilePersistentVolumeSource | azureFile represents an Azure File Service mount on the host and bind mount to the pod
 capacity {Quantity} | capacity is the description of the persistent volume's resources and capacity
 cephfs core.v1.CephFSPersistentVolumeSource | cephFS represents a Ceph FS mount on the host that shares a pod's lifetime
 cinder core.v1.CinderPersistentVolumeSource | cinder represents a cinder volume attached and mounted on kubelets host machine
 claimRef core.v1.ObjectReference | claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim
 csi core.v1.CSIPersistentVolumeSource | csi represents storage that is handled by an external CSI driver
 fc core.v1.FCVolumeSource | fc represents a Fibre Channel resource that is attached to a kubelet's host machine and then exposed to the pod
 flexVolume core.v1.FlexPersistentVolumeSource | flexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin
 flocker core.v1.FlockerVolumeSource | flocker represents a Flocker volume attached to a kubelet's host machine and exposed to the pod for its usage
 gcePersistentDisk core.v1.GCEPersistentDiskVolumeSource | gcePersistentDisk represents a GCE Disk resource that is attached to a kubelet's host machine and then exposed to the pod
 glusterfs core.v1.GlusterfsPersistentVolumeSource | glusterfs represents a Glusterfs volume that is attached to a host and exposed to the pod
 hostPath core.v1.HostPathVolumeSource | hostPath represents a directory on the host
 iscsi core.v1.ISCSIPersistentVolumeSource | iscsi represents an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod
 local core.v1.LocalVolumeSource | local represents directly-attached storage with node affinity
 mountOptions [string] | mountOptions is the list of mount options, e.g
 nfs core.v1.NFSVolumeSource | nfs represents an NFS mount on the host
 nodeAffinity core.v1.VolumeNodeAffinity | nodeAffinity defines constraints that limit what nodes this volume can be accessed from
 persistentVolumeReclaimPolicy string | persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim
 photonPersistentDisk core.v1.PhotonPersistentDiskVolumeSource | photonPersistentDisk represents a PhotonController persistent disk attached and mounted on kubelets host machine
 portworxVolume core.v1.PortworxVolumeSource | portworxVolume represents a portworx volume attached and mounted on kubelets host machine
 quobyte core.v1.QuobyteVolumeSource | quobyte represents a Quobyte mount on the host that shares a pod's lifetime
 rbd core.v1.RBDPersistentVolumeSource | rbd represents a Rados Block Device mount on the host that shares a pod's lifetime
 scaleIO core.v1.ScaleIOPersistentVolumeSource | scaleIO represents a ScaleIO persistent volume attached and mounted on Kubernetes nodes
 storageClassName string | storageClassName is the name of StorageClass to which this persistent volume belongs
 storageos core.v1.StorageOSPersistentVolumeSource | storageOS represents a StorageOS volume that is attached to the kubelet's host machine and mounted into the pod
 volumeAttributesClassName string | Name of VolumeAttributesClass to which this persistent volume belongs
 volumeMode string | volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state
 vsphereVolume core.v1.VsphereVirtualDiskVolumeSource | vsphereVolume represents a vSphere volume attached and mounted on kubelets host machine
core.v1.PersistentVolumeStatus | PersistentVolumeStatus is the current status of a persistent volume
 lastPhaseTransitionTime Time | lastPhaseTransitionTime is the time the phase transitioned from one to another and automatically resets to current time everytime a volume phase ...
 message string | message is a human-readable message indicating details about why the volume is in this state
 phase string | phase indicates if a volume is available, bound to a claim, or released by a claim
 reason string | reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI
core.v1.RBDPersistentVolumeSource | Represents a Rados Block Device mount that lasts the lifetime of a pod
 fsType string | fsType is the filesystem type of the volume that you want to mount
 image string! | image is the rados image name
 keyring string default=/etc/ceph/keyring | keyring is the path to key ring for RBDUser
 monitors [string]! | monitors is a collection of Ceph monitors
 pool string default=rbd | pool is the rados pool name
 readOnly bool | readOnly here will force the ReadOnly setting in VolumeMounts
 secretRef core.v1.SecretReference | secretRef is name of the authentication secret for RBDUser
 user string default=admin | user is the rados user name
core.v1.ScaleIOPersistentVolumeSource | ScaleIOPersistentVolumeSource represents a persistent ScaleIO volume
 fsType string default=xfs | fsType is the filesystem type to mount
 gateway string! | gateway is the host address of the ScaleIO API Gateway
 protectionDomain string | protectionDomain is the name of the ScaleIO Protection Domain for the configured storage
 readOnly bool | readOnly defaults to false (read/write)
 secretRef core.v1.SecretReference! | secretRef references to the secret for ScaleIO user and other sensitive information
 sslEnabled bool | sslEnabled is the flag to enable/disable SSL communication with Gateway, default false
 storageMode string default=ThinProvisioned | storageMode indicates whether the storage for a volume should be ThickProvisioned or ThinProvisioned
 storagePool string | storagePool is the ScaleIO Storage Pool associated with the protection domain
 system string! | system is the name of the storage system as configured in ScaleIO
 volumeName string | volumeName is the name of a volume already created in the ScaleIO system that is associated with this volume source
core.v1.SecretReference atomic | SecretReference represents a Secret Reference
 name string | name is unique within a namespace to reference a secret resource
 namespace string | namespace defines the space within which the secret name must be unique
core.v1.StorageOSPersistentVolumeSource | Represents a StorageOS persistent volume resource
 fsType string | fsType is the filesystem type to mount
 readOnly bool | readOnly defaults to false (read/write)
 secretRef core.v1.ObjectReference | secretRef specifies the secret to use for obtaining the StorageOS API credentials
 volumeName string | volumeName is the human-readable name of the StorageOS volume
 volumeNamespace string | volumeNamespace specifies the scope of the volume within StorageOS. If no namespace is specified then the Pod's namespace will be used
core.v1.TopologySelectorLabelRequirement | A topology selector requirement is a selector that matches given label
 key string! | The label key that the selector applies to
 values [string]! | An array of string values
core.v1.TopologySelectorTerm atomic | A topology selector term represents the result of label queries
 matchLabelExpressions [core.v1.TopologySelectorLabelRequirement] | A list of topology selector requirements by labels
core.v1.VolumeHealthStatus | VolumeHealthStatus contains health information for a volume reported by the CSI controller plugin
 healthConditions [core.v1.VolumeHealthCondition] map=status,reason merge=status | conditions is the set of adverse conditions reported by the CSI controller plugin
 lastTransitionTime Time | lastTransitionTime is when the current set of conditions first appeared
core.v1.VolumeNodeAffinity | VolumeNodeAffinity defines constraints that limit what nodes this volume can be accessed from
 required core.v1.NodeSelector | required specifies hard node constraints that must be met
storage.v1.CSIDriver | CSIDriver captures information about a Container Storage Interface (CSI) volume driver deployed on the cluster
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 spec storage.v1.CSIDriverSpec! | spec represents the specification of the CSI Driver
storage.v1.CSIDriverSpec | CSIDriverSpec is the specification of a CSIDriver
 attachRequired bool | attachRequired indicates this CSI volume driver requires an attach operation (because it implements the CSI ControllerPublishVolume() method), and ...
 fsGroupPolicy string | fsGroupPolicy defines if the underlying volume supports changing ownership and permission of the volume before being mounted
 nodeAllocatableUpdatePeriodSeconds int64 | nodeAllocatableUpdatePeriodSeconds specifies the interval between periodic updates of the CSINode allocatable capacity for this driver
 podInfoOnMount bool | podInfoOnMount indicates this CSI volume driver requires additional pod information (like podName, podUID, etc.) during mount operations, if set to ...
 preventPodSchedulingIfMissing bool | preventPodSchedulingIfMissing indicates that the CSI driver wants to prevent pod scheduling if the CSI driver on the node is missing
 requiresRepublish bool | requiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called to reflect any possible change in the mounted volume
 seLinuxMount bool | seLinuxMount specifies if the CSI driver supports "-o context" mount option
 serviceAccountTokenInSecrets bool | serviceAccountTokenInSecrets is an opt-in for CSI drivers to indicate that service account tokens should be passed via the Secrets field in ...
 storageCapacity bool | storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the storage capacity that the driver deployment will report by ...
 tokenRequests [storage.v1.TokenRequest] | tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do necessary authentication
 volumeLifecycleModes [string] set | volumeLifecycleModes defines what kind of volumes this CSI volume driver supports
storage.v1.CSINode | CSINode holds information about all CSI drivers installed on a node
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 spec storage.v1.CSINodeSpec! | spec is the specification of CSINode
 status storage.v1.CSINodeStatus | status contains health and status information for the node's storage
storage.v1.CSINodeDriver | CSINodeDriver holds information about the specification of one CSI driver installed on a node
 allocatable storage.v1.VolumeNodeResources | allocatable represents the volume resources of a node that are available for scheduling
 name string! | name represents the name of the CSI driver that this object refers to
 nodeID string! | nodeID of the node from the driver point of view
 topologyKeys [string] | topologyKeys is the list of keys supported by the driver
storage.v1.CSINodeSpec | CSINodeSpec holds information about the specification of all CSI drivers installed on a node
 drivers [storage.v1.CSINodeDriver]! map=name merge=name | drivers is a list of information of all CSI Drivers existing on a node
storage.v1.CSINodeStatus | CSINodeStatus contains health and status information for storage on a node
 storageHealth [storage.v1.StorageHealth] map=name merge=name | storageHealth contains backend health reports for CSI drivers registered on the node
storage.v1.CSIStorageCapacity | CSIStorageCapacity stores the result of one CSI GetCapacity call
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 capacity Quantity | capacity is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and parameters that match the ...
 kind string | Kind is a string value representing the REST resource this object represents
 maximumVolumeSize Quantity | maximumVolumeSize is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and parameters that match ...
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 nodeTopology meta.v1.LabelSelector | nodeTopology defines which nodes have access to the storage for which capacity was reported
 storageClassName string! | storageClassName represents the name of the StorageClass that the reported capacity applies to
storage.v1.StorageClass | StorageClass describes the parameters for a class of storage for which PersistentVolumes can be dynamically provisioned
 allowVolumeExpansion bool | allowVolumeExpansion shows whether the storage class allow volume expand
 allowedTopologies [core.v1.TopologySelectorTerm] | allowedTopologies restrict the node topologies where volumes can be dynamically provisioned
 apiVersion string | APIVersion defines the versioned schema of this representation of an object
 kind string | Kind is a string value representing the REST resource this object represents
 metadata meta.v1.ObjectMeta | metadata is the standard object metadata
 mountOptions [string] | mountOptions controls the mountOptions for dynamically provisioned PersistentVolumes of this storage class
 parameters {string} | parameters holds the parameters for the provisioner that should create volumes of this storage class
 provisioner string! | provisioner indicates the type of the provisioner
 reclaimPolicy string | reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class
 volumeBindingMode string | volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound
storage.v1.StorageHealth | StorageHealth contains storage backend health reported by a CSI driver on a node
 healthConditions [storage.v1.StorageHealthCondition] | healthConditions are the adverse storage backend conditions reported by the CSI driver
 name string! | name is the CSI driver name, matching CSINodeDriver.name
storage.v1.StorageHealthCondition | StorageHealthCondition represents an adverse health condition reported by a CSI driver for its storage backend on a node
 accessMode string | accessMode is the access mode affected
 lastTransitionTime Time | lastTransitionTime is when this condition first appeared at its current state
 message string | message is a human-readable description
 reason string! | reason is a brief CamelCase machine-parseable reason
 status string! | status is the health status category
 volumeMode string | volumeMode is the volume mode affected
storage.v1.TokenRequest | TokenRequest contains parameters of a service account token
 audience string! | audience is the intended audience of the token in "TokenRequestSpec"
 expirationSeconds int64 | expirationSeconds is the duration of validity of the token in "TokenRequestSpec"
storage.v1.VolumeNodeResources | VolumeNodeResources is a set of resource limits for scheduling of volumes
 count int32 | count indicates the maximum number of unique volumes managed by the CSI driver that can be used on a node
)schema";

}  // namespace elbowroom::lab
