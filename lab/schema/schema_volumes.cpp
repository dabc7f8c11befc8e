// The schema of the volumes of pods, as data: read lab/schema/schema.h for its form. It is written
// by test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0), not by hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kVolumesSchema = R"schema(
core.v1.AWSElasticBlockStoreVolumeSource | Represents a Persistent Disk resource in AWS. An AWS EBS disk must exist before mounting to a container
 fsType string | fsType is the filesystem type of the volume that you want to mount
 partition int32 | partition is the partition in the volume that you want to mount
 readOnly bool | readOnly value true will force the readOnly setting in VolumeMounts
 volumeID string! | volumeID is unique ID of the persistent disk resource in AWS (Amazon EBS volume)
core.v1.AzureDiskVolumeSource | AzureDisk represents an Azure Data Disk mount on the host and bind mount to the pod
 cachingMode string default=ReadWrite | cachingMode is the Host Caching mode: None, Read Only, Read Write
 diskName string! | diskName is the Name of the data disk in the blob storage
 diskURI string! | diskURI is the URI of data disk in the blob storage
 fsType string default=ext4 | fsType is Filesystem type to mount
 kind string default=Shared | kind expected values are Shared: multiple blob disks per storage account Dedicated: single blob disk per storage account Managed: azure managed data ...
 readOnly bool | readOnly Defaults to false (read/write)
core.v1.AzureFileVolumeSource | AzureFile represents an Azure File Service mount on the host and bind mount to the pod
 readOnly bool | readOnly defaults to false (read/write)
 secretName string! | secretName is the name of secret that contains Azure Storage Account Name and Key
 shareName string! | shareName is the azure share Name
core.v1.CSIVolumeSource | Represents a source location of a volume to mount, managed by an external CSI driver
 driver string! | driver is the name of the CSI driver that handles this volume
 fsType string | fsType to mount
 nodePublishSecretRef core.v1.LocalObjectReference | nodePublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI ...
 readOnly bool | readOnly specifies a read-only configuration for the volume
 volumeAttributes {string} | volumeAttributes stores driver-specific properties that are passed to the CSI driver
core.v1.CephFSVolumeSource | Represents a Ceph Filesystem mount that lasts the lifetime of a pod Cephfs volumes do not support ownership management or SELinux relabeling
 monitors [string]! | monitors is Required: Monitors is a collection of Ceph monitors
 path string | path is Optional: Used as the mounted root, rather than the full Ceph tree, default is /
 readOnly bool | readOnly is Optional: Defaults to false (read/write)
 secretFile string | secretFile is Optional: SecretFile is the path to key ring for User, default is /etc/ceph/user.secret
 secretRef core.v1.LocalObjectReference | secretRef is Optional: SecretRef is reference to the authentication secret for User, default is empty
 user string | user is optional: User is the rados user name, default is admin
core.v1.CinderVolumeSource | Represents a cinder volume resource in Openstack
 fsType string | fsType is the filesystem type to mount
 readOnly bool | readOnly defaults to false (read/write)
 secretRef core.v1.LocalObjectReference | secretRef is optional: points to a secret object containing parameters used to connect to OpenStack
 volumeID string! | volumeID used to identify the volume in cinder
core.v1.ClusterTrustBundleProjection | ClusterTrustBundleProjection describes how to select a set of ClusterTrustBundle objects and project their contents into the pod filesystem
 labelSelector meta.v1.LabelSelector | Select all ClusterTrustBundles that match this label selector
 name string | Select a single ClusterTrustBundle by object name
 optional bool | If true, don't block pod startup if the referenced ClusterTrustBundle(s) aren't available
 path string! | Relative path from the volume root to write the bundle
 signerName string | Select all ClusterTrustBundles that match this signer name
 user int64 | user is Optional: The owner UID of the created file
core.v1.ConfigMapProjection | Adapts a ConfigMap into a projected volume
 items [core.v1.KeyToPath] | items if unspecified, each key-value pair in the Data field of the referenced ConfigMap will be projected into the volume as a file whose name is the ...
 name string | Name of the referent
 optional bool | optional specify whether the ConfigMap or its keys must be defined
core.v1.ConfigMapVolumeSource | Adapts a ConfigMap into a volume
 defaultMode int32 | defaultMode is optional: mode bits used to set permissions on created files by default
 defaultUser int64 | defaultUser is Optional: The owner UID of the created files by default
 items [core.v1.KeyToPath] | items if unspecified, each key-value pair in the Data field of the referenced ConfigMap will be projected into the volume as a file whose name is the ...
 name string | Name of the referent
 optional bool | optional specify whether the ConfigMap or its keys must be defined
core.v1.DownwardAPIProjection | Represents downward API info for projecting into a projected volume
 items [core.v1.DownwardAPIVolumeFile] | Items is a list of DownwardAPIVolume file
core.v1.DownwardAPIVolumeFile | DownwardAPIVolumeFile represents information to create the file containing the pod field
 fieldRef core.v1.ObjectFieldSelector | Required: Selects a field of the pod: only annotations, labels, name, namespace and uid are supported
 mode int32 | Optional: mode bits used to set permissions on this file, must be an octal value between 0000 and 0777 or a decimal value between 0 and 511. YAML ...
 path string! | Required: Path is the relative path name of the file to be created
 resourceFieldRef core.v1.ResourceFieldSelector | Selects a resource of the container: only resources limits and requests (limits.cpu, limits.memory, requests.cpu and requests.memory) are currently ...
 user int64 | user is Optional: The owner UID of the created file
core.v1.DownwardAPIVolumeSource | DownwardAPIVolumeSource represents a volume containing downward API info
 defaultMode int32 | Optional: mode bits to use on created files by default
 defaultUser int64 | defaultUser is Optional: The owner UID of the created files by default
 items [core.v1.DownwardAPIVolumeFile] | Items is a list of downward API volume file
core.v1.EmptyDirVolumeSource | Represents an empty directory for a pod
 medium string | medium represents what type of storage medium should back this directory
 mode int32 | mode specifies the permission bits for the emptyDir directory, in numeric notation (e.g., 0755, 01777)
 sizeLimit Quantity | sizeLimit is the total amount of local storage required for this EmptyDir volume
core.v1.EphemeralVolumeSource | Represents an ephemeral volume that is handled by a normal storage driver
 volumeClaimTemplate core.v1.PersistentVolumeClaimTemplate | Will be used to create a stand-alone PVC to provision the volume
core.v1.FCVolumeSource | Represents a Fibre Channel volume
 fsType string | fsType is the filesystem type to mount
 lun int32 | lun is Optional: FC target lun number
 readOnly bool | readOnly is Optional: Defaults to false (read/write)
 targetWWNs [string] | targetWWNs is Optional: FC target worldwide names (WWNs)
 wwids [string] | wwids Optional: FC volume world wide identifiers (wwids) Either wwids or combination of targetWWNs and lun must be set, but not both simultaneously
core.v1.FlexVolumeSource | FlexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin
 driver string! | driver is the name of the driver to use for this volume
 fsType string | fsType is the filesystem type to mount
 options {string} | options is Optional: this field holds extra command options if any
 readOnly bool | readOnly is Optional: defaults to false (read/write)
 secretRef core.v1.LocalObjectReference | secretRef is Optional: secretRef is reference to the secret object containing sensitive information to pass to the plugin scripts
core.v1.FlockerVolumeSource | Represents a Flocker volume mounted by the Flocker agent
 datasetName string | datasetName is Name of the dataset stored as metadata -> name on the dataset for Flocker should be considered as deprecated
 datasetUUID string | datasetUUID is the UUID of the dataset
core.v1.GCEPersistentDiskVolumeSource | Represents a Persistent Disk resource in Google Compute Engine
 fsType string | fsType is filesystem type of the volume that you want to mount
 partition int32 | partition is the partition in the volume that you want to mount
 pdName string! | pdName is unique name of the PD resource in GCE. Used to identify the disk in GCE
 readOnly bool | readOnly here will force the ReadOnly setting in VolumeMounts
core.v1.GitRepoVolumeSource | Represents a volume that is populated with the contents of a git repository
 directory string | directory is the target directory name
 repository string! | repository is the URL
 revision string | revision is the commit hash for the specified revision
core.v1.GlusterfsVolumeSource | Represents a Glusterfs mount that lasts the lifetime of a pod
 endpoints string! | endpoints is the endpoint name that details Glusterfs topology
 path string! | path is the Glusterfs volume path
 readOnly bool | readOnly here will force the Glusterfs volume to be mounted with read-only permissions
core.v1.HostPathVolumeSource | Represents a host path mapped into a pod
 path string! | path of the directory on the host
 type string | type for HostPath Volume Defaults to ""
core.v1.ISCSIVolumeSource | Represents an ISCSI disk
 chapAuthDiscovery bool | chapAuthDiscovery defines whether support iSCSI Discovery CHAP authentication
 chapAuthSession bool | chapAuthSession defines whether support iSCSI Session CHAP authentication
 fsType string | fsType is the filesystem type of the volume that you want to mount
 initiatorName string | initiatorName is the custom iSCSI Initiator Name
 iqn string! | iqn is the target iSCSI Qualified Name
 iscsiInterface string default=default | iscsiInterface is the interface Name that uses an iSCSI transport
 lun int32! | lun represents iSCSI Target Lun number
 portals [string] | portals is the iSCSI Target Portal List
 readOnly bool | readOnly here will force the ReadOnly setting in VolumeMounts
 secretRef core.v1.LocalObjectReference | secretRef is the CHAP Secret for iSCSI target and initiator authentication
 targetPortal string! | targetPortal is iSCSI Target Portal
core.v1.ImageVolumeSource | ImageVolumeSource represents a image volume resource
 pullPolicy string | Policy for pulling OCI objects
 reference string | Required: Image or artifact reference to be used
core.v1.KeyToPath | Maps a string key to a path within a volume
 key string! | key is the key to project
 mode int32 | mode is Optional: mode bits used to set permissions on this file
 path string! | path is the relative path of the file to map the key to
 user int64 | user is Optional: The owner UID of the created file
core.v1.LocalObjectReference atomic | LocalObjectReference contains enough information to let you locate the referenced object inside the same namespace
 name string | Name of the referent
core.v1.NFSVolumeSource | Represents an NFS mount that lasts the lifetime of a pod
 path string! | path that is exported by the NFS server
 readOnly bool | readOnly here will force the NFS export to be mounted with read-only permissions
 server string! | server is the hostname or IP address of the NFS server
core.v1.ObjectFieldSelector atomic | ObjectFieldSelector selects an APIVersioned field of an object
 apiVersion string | Version of the schema the FieldPath is written in terms of, defaults to "v1"
 fieldPath string! | Path of the field to select in the specified API version
core.v1.PersistentVolumeClaimSpec | PersistentVolumeClaimSpec describes the common attributes of storage devices and allows a Source for provider-specific attributes
 accessModes [string] | accessModes contains the desired access modes the volume should have
 dataSource core.v1.TypedLocalObjectReference | dataSource field can be used to specify either: * An existing VolumeSnapshot object (snapshot.storage.k8s.io/VolumeSnapshot) * An existing PVC ...
 dataSourceRef core.v1.TypedObjectReference | dataSourceRef specifies the object from which to populate the volume with data, if a non-empty volume is desired
 resources core.v1.VolumeResourceRequirements | resources represents the minimum resources the volume should have
 selector meta.v1.LabelSelector | selector is a label query over volumes to consider for binding
 storageClassName string | storageClassName is the name of the StorageClass required by the claim
 volumeAttributesClassName string | volumeAttributesClassName may be used to set the VolumeAttributesClass used by this claim
 volumeMode string | volumeMode defines what type of volume is required by the claim
 volumeName string | volumeName is the binding reference to the PersistentVolume backing this claim
core.v1.PersistentVolumeClaimTemplate | PersistentVolumeClaimTemplate is used to produce PersistentVolumeClaim objects as part of an EphemeralVolumeSource
 metadata meta.v1.ObjectMeta | May contain labels and annotations that will be copied into the PVC when creating it
 spec core.v1.PersistentVolumeClaimSpec! | The specification for the PersistentVolumeClaim
core.v1.PersistentVolumeClaimVolumeSource | PersistentVolumeClaimVolumeSource references the user's PVC in the same namespace
 claimName string! | claimName is the name of a PersistentVolumeClaim in the same namespace as the pod using this volume
 readOnly bool | readOnly Will force the ReadOnly setting in VolumeMounts
core.v1.PhotonPersistentDiskVolumeSource | Represents a Photon Controller persistent disk resource
 fsType string | fsType is the filesystem type to mount
 pdID string! | pdID is the ID that identifies Photon Controller persistent disk
core.v1.PodCertificateProjection | PodCertificateProjection provides a private key and X.509 certificate in the pod filesystem
 certificateChainPath string | Write the certificate chain at this path in the projected volume
 credentialBundlePath string | Write the credential bundle at this path in the projected volume
 keyPath string | Write the key at this path in the projected volume
 keyType string! | The type of keypair Kubelet will generate for the pod
 maxExpirationSeconds int32 | maxExpirationSeconds is the maximum lifetime permitted for the certificate
 signerName string! | Kubelet's generated CSRs will be addressed to this signer
 user int64 | user is Optional: The owner UID of the created file
 userAnnotations {string} | userAnnotations allow pod authors to pass additional information to the signer implementation
core.v1.PortworxVolumeSource | PortworxVolumeSource represents a Portworx volume resource
 fsType string | fSType represents the filesystem type to mount Must be a filesystem type supported by the host operating system
 readOnly bool | readOnly defaults to false (read/write)
 volumeID string! | volumeID uniquely identifies a Portworx volume
core.v1.ProjectedVolumeSource | Represents a projected volume source
 defaultMode int32 | defaultMode are the mode bits used to set permissions on created files by default
 defaultUser int64 | defaultUser is Optional: The owner UID of the created files by default
 sources [core.v1.VolumeProjection] | sources is the list of volume projections
core.v1.QuobyteVolumeSource | Represents a Quobyte mount that lasts the lifetime of a pod
 group string | group to map volume access to Default is no group
 readOnly bool | readOnly here will force the Quobyte volume to be mounted with read-only permissions
 registry string! | registry represents a single or multiple Quobyte Registry services specified as a string as host:port pair (multiple entries are separated with ...
 tenant string | tenant owning the given Quobyte volume in the Backend Used with dynamically provisioned Quobyte volumes, value is set by the plugin
 user string | user to map volume access to Defaults to serivceaccount user
 volume string! | volume is a string that references an already created Quobyte volume by name
core.v1.RBDVolumeSource | Represents a Rados Block Device mount that lasts the lifetime of a pod
 fsType string | fsType is the filesystem type of the volume that you want to mount
 image string! | image is the rados image name
 keyring string default=/etc/ceph/keyring | keyring is the path to key ring for RBDUser
 monitors [string]! | monitors is a collection of Ceph monitors
 pool string default=rbd | pool is the rados pool name
 readOnly bool | readOnly here will force the ReadOnly setting in VolumeMounts
 secretRef core.v1.LocalObjectReference | secretRef is name of the authentication secret for RBDUser
 user string default=admin | user is the rados user name
core.v1.ResourceFieldSelector atomic | ResourceFieldSelector represents container resources (cpu, memory) and their output format
 containerName string | Container name: required for volumes, optional for env vars
 divisor Quantity | Specifies the output format of the exposed resources, defaults to "1"
 resource string! | Required: resource to select
core.v1.ScaleIOVolumeSource | ScaleIOVolumeSource represents a persistent ScaleIO volume
 fsType string default=xfs | fsType is the filesystem type to mount
 gateway string! | gateway is the host address of the ScaleIO API Gateway
 protectionDomain string | protectionDomain is the name of the ScaleIO Protection Domain for the configured storage
 readOnly bool | readOnly Defaults to false (read/write)
 secretRef core.v1.LocalObjectReference! | secretRef references to the secret for ScaleIO user and other sensitive information
 sslEnabled bool | sslEnabled Flag enable/disable SSL communication with Gateway, default false
 storageMode string default=ThinProvisioned | storageMode indicates whether the storage for a volume should be ThickProvisioned or ThinProvisioned
 storagePool string | storagePool is the ScaleIO Storage Pool associated with the protection domain
 system string! | system is the name of the storage system as configured in ScaleIO
 volumeName string | volumeName is the name of a volume already created in the ScaleIO system that is associated with this volume source
core.v1.SecretProjection | Adapts a secret into a projected volume
 items [core.v1.KeyToPath] | items if unspecified, each key-value pair in the Data field of the referenced Secret will be projected into the volume as a file whose name is the ...
 name string | Name of the referent
 optional bool | optional field specify whether the Secret or its key must be defined
core.v1.SecretVolumeSource | Adapts a Secret into a volume
 defaultMode int32 | defaultMode is Optional: mode bits used to set permissions on created files by default
 defaultUser int64 | defaultUser is Optional: The owner UID of the created files by default
 items [core.v1.KeyToPath] | items If unspecified, each key-value pair in the Data field of the referenced Secret will be projected into the volume as a file whose name is the ...
 optional bool | optional field specify whether the Secret or its keys must be defined
 secretName string | secretName is the name of the secret in the pod's namespace to use
core.v1.ServiceAccountTokenProjection | ServiceAccountTokenProjection represents a projected service account token volume
 audience string | audience is the intended audience of the token
 expirationSeconds int64 | expirationSeconds is the requested duration of validity of the service account token
 path string! | path is the path relative to the mount point of the file to project the token into
 user int64 | user is Optional: The owner UID of the created file
core.v1.StorageOSVolumeSource | Represents a StorageOS persistent volume resource
 fsType string | fsType is the filesystem type to mount
 readOnly bool | readOnly defaults to false (read/write)
 secretRef core.v1.LocalObjectReference | secretRef specifies the secret to use for obtaining the StorageOS API credentials
 volumeName string | volumeName is the human-readable name of the StorageOS volume
 volumeNamespace string | volumeNamespace specifies the scope of the volume within StorageOS. If no namespace is specified then the Pod's namespace will be used
core.v1.TypedLocalObjectReference atomic | TypedLocalObjectReference contains enough information to let you locate the typed referenced object inside the same namespace
 apiGroup string | APIGroup is the group for the resource being referenced
 kind string! | Kind is the type of resource being referenced
 name string! | Name is the name of resource being referenced
core.v1.TypedObjectReference | TypedObjectReference contains enough information to let you locate the typed referenced object
 apiGroup string | APIGroup is the group for the resource being referenced
 kind string! | Kind is the type of resource being referenced
 name string! | Name is the name of resource being referenced
 namespace string | Namespace is the namespace of resource being referenced Note that when a namespace is specified, a gateway.networking.k8s.io/ReferenceGrant object is ...
core.v1.Volume | Volume represents a named volume in a pod that may be accessed by any container in the pod
 awsElasticBlockStore core.v1.AWSElasticBlockStoreVolumeSource | awsElasticBlockStore represents an AWS Disk resource that is attached to a kubelet's host machine and then exposed to the pod
 azureDisk core.v1.AzureDiskVolumeSource | azureDisk represents an Azure Data Disk mount on the host and bind mount to the pod
 azureFile core.v1.AzureFileVolumeSource | azureFile represents an Azure File Service mount on the host and bind mount to the pod
 cephfs core.v1.CephFSVolumeSource | cephFS represents a Ceph FS mount on the host that shares a pod's lifetime
 cinder core.v1.CinderVolumeSource | cinder represents a cinder volume attached and mounted on kubelets host machine
 configMap core.v1.ConfigMapVolumeSource | configMap represents a configMap that should populate this volume
 csi core.v1.CSIVolumeSource | csi (Container Storage Interface) represents ephemeral storage that is handled by certain external CSI drivers
 downwardAPI core.v1.DownwardAPIVolumeSource | downwardAPI represents downward API about the pod that should populate this volume
 emptyDir core.v1.EmptyDirVolumeSource | emptyDir represents a temporary directory that shares a pod's lifetime
 ephemeral core.v1.EphemeralVolumeSource | ephemeral represents a volume that is handled by a cluster storage driver
 fc core.v1.FCVolumeSource | fc represents a Fibre Channel resource that is attached to a kubelet's host machine and then exposed to the pod
 flexVolume core.v1.FlexVolumeSource | flexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin
 flocker core.v1.FlockerVolumeSource | flocker represents a Flocker volume attached to a kubelet's host machine
 gcePersistentDisk core.v1.GCEPersistentDiskVolumeSource | gcePersistentDisk represents a GCE Disk resource that is attached to a kubelet's host machine and then exposed to the pod
 gitRepo core.v1.GitRepoVolumeSource | gitRepo represents a git repository at a particular revision
 glusterfs core.v1.GlusterfsVolumeSource | glusterfs represents a Glusterfs mount on the host that shares a pod's lifetime
 hostPath core.v1.HostPathVolumeSource | hostPath represents a pre-existing file or directory on the host machine that is directly exposed to the container
 image core.v1.ImageVolumeSource | image represents an OCI object (a container image or artifact) pulled and mounted on the kubelet's host machine
 iscsi core.v1.ISCSIVolumeSource | iscsi represents an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod
 name string! | name of the volume
 nfs core.v1.NFSVolumeSource | nfs represents an NFS mount on the host that shares a pod's lifetime
 persistentVolumeClaim core.v1.PersistentVolumeClaimVolumeSource | persistentVolumeClaimVolumeSource represents a reference to a PersistentVolumeClaim in the same namespace
 photonPersistentDisk core.v1.PhotonPersistentDiskVolumeSource | photonPersistentDisk represents a PhotonController persistent disk attached and mounted on kubelets host machine
 portworxVolume core.v1.PortworxVolumeSource | portworxVolume represents a portworx volume attached and mounted on kubelets host machine
 projected core.v1.ProjectedVolumeSource | projected items for all in one resources secrets, configmaps, and downward API
 quobyte core.v1.QuobyteVolumeSource | quobyte represents a Quobyte mount on the host that shares a pod's lifetime
 rbd core.v1.RBDVolumeSource | rbd represents a Rados Block Device mount on the host that shares a pod's lifetime
 scaleIO core.v1.ScaleIOVolumeSource | scaleIO represents a ScaleIO persistent volume attached and mounted on Kubernetes nodes
 secret core.v1.SecretVolumeSource | secret represents a secret that should populate this volume
 storageos core.v1.StorageOSVolumeSource | storageOS represents a StorageOS volume attached and mounted on Kubernetes nodes
 vsphereVolume core.v1.VsphereVirtualDiskVolumeSource | vsphereVolume represents a vSphere volume attached and mounted on kubelets host machine
core.v1.VolumeProjection | Projection that may be projected along with other supported volume types
 clusterTrustBundle core.v1.ClusterTrustBundleProjection | ClusterTrustBundle allows a pod to access the `.spec.trustBundle` field of ClusterTrustBundle objects in an auto-updating file
 configMap core.v1.ConfigMapProjection | configMap information about the configMap data to project
 downwardAPI core.v1.DownwardAPIProjection | downwardAPI information about the downwardAPI data to project
 podCertificate core.v1.PodCertificateProjection | Projects an auto-rotating credential bundle (private key and certificate chain) that the pod can use either as a TLS client or server
 secret core.v1.SecretProjection | secret information about the secret data to project
 serviceAccountToken core.v1.ServiceAccountTokenProjection | serviceAccountToken is information about the serviceAccountToken data to project
core.v1.VolumeResourceRequirements | VolumeResourceRequirements describes the storage resource requirements for a volume
 limits {Quantity} | Limits describes the maximum amount of compute resources allowed
 requests {Quantity} | Requests describes the minimum amount of compute resources required
core.v1.VsphereVirtualDiskVolumeSource | Represents a vSphere volume resource
 fsType string | fsType is filesystem type to mount
 storagePolicyID string | storagePolicyID is the storage Policy Based Management (SPBM) profile ID associated with the StoragePolicyName
 storagePolicyName string | storagePolicyName is the storage Policy Based Management (SPBM) profile name
 volumePath string! | volumePath is the path that identifies vSphere volume vmdk
)schema";

}  // namespace elbowroom::lab
