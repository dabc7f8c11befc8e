#include "lab/schema/wire_numbers.h"

#include <charconv>

namespace elbowroom::lab {
namespace {

// Source: generated.proto of k8s.io/api and k8s.io/apimachinery, Kubernetes 1.37 (Apache-2.0). An
// object, followed by its fields with their numbers, until a line begins in the first column again.
// "2.19" is field 19 of the message that is field 2, which JSON does not show; "?" marks a pointer
// in Go.
constexpr std::string_view kNumbers = R"numbers(
core.v1.AWSElasticBlockStoreVolumeSource volumeID=1 fsType=2 partition=3 readOnly=4
core.v1.Affinity nodeAffinity=1? podAffinity=2? podAntiAffinity=3?
core.v1.AppArmorProfile type=1 localhostProfile=2?
core.v1.AttachedVolume name=1 devicePath=2
core.v1.AzureDiskVolumeSource diskName=1 diskURI=2 cachingMode=3? fsType=4? readOnly=5?
core.v1.AzureFileVolumeSource secretName=1 shareName=2 readOnly=3
core.v1.CSIVolumeSource driver=1 readOnly=2? fsType=3? volumeAttributes=4 nodePublishSecretRef=5?
core.v1.Capabilities add=1 drop=2
core.v1.CephFSVolumeSource monitors=1 path=2 user=3 secretFile=4 secretRef=5? readOnly=6
core.v1.CinderVolumeSource volumeID=1 fsType=2 readOnly=3 secretRef=4?
core.v1.ClusterTrustBundleProjection name=1? signerName=2? labelSelector=3? path=4 optional=5?
 user=6?
core.v1.ConfigMapEnvSource name=1.1 optional=2?
core.v1.ConfigMapKeySelector name=1.1 key=2 optional=3?
core.v1.ConfigMapNodeConfigSource namespace=1 name=2 uid=3 resourceVersion=4 kubeletConfigKey=5
core.v1.ConfigMapProjection name=1.1 items=2 optional=4?
core.v1.ConfigMapVolumeSource name=1.1 items=2 defaultMode=3? optional=4? defaultUser=5?
core.v1.Container name=1 image=2 command=3 args=4 workingDir=5 ports=6 env=7 resources=8
 volumeMounts=9 livenessProbe=10? readinessProbe=11? lifecycle=12? terminationMessagePath=13
 imagePullPolicy=14 securityContext=15? stdin=16 stdinOnce=17 tty=18 envFrom=19
 terminationMessagePolicy=20 volumeDevices=21 startupProbe=22? resizePolicy=23 restartPolicy=24?
 restartPolicyRules=25
core.v1.ContainerExtendedResourceRequest containerName=1 resourceName=2 requestName=3
core.v1.ContainerImage names=1 sizeBytes=2
core.v1.ContainerPort name=1 hostPort=2 containerPort=3 protocol=4 hostIP=5
core.v1.ContainerResizePolicy resourceName=1 restartPolicy=2
core.v1.ContainerRestartRule action=1 exitCodes=2?
core.v1.ContainerRestartRuleOnExitCodes operator=1 values=2
core.v1.ContainerState waiting=1? running=2? terminated=3?
core.v1.ContainerStateRunning startedAt=1
core.v1.ContainerStateTerminated exitCode=1 signal=2 reason=3 message=4 startedAt=5 finishedAt=6
 containerID=7
core.v1.ContainerStateWaiting reason=1 message=2
core.v1.ContainerStatus name=1 state=2 lastState=3 ready=4 restartCount=5 image=6 imageID=7
 containerID=8 started=9? allocatedResources=10 resources=11? volumeMounts=12 user=13?
 allocatedResourcesStatus=14 stopSignal=15?
core.v1.ContainerUser linux=1?
core.v1.DaemonEndpoint Port=1
core.v1.DownwardAPIProjection items=1
core.v1.DownwardAPIVolumeFile path=1 fieldRef=2? resourceFieldRef=3? mode=4? user=5?
core.v1.DownwardAPIVolumeSource items=1 defaultMode=2? defaultUser=3?
core.v1.EmptyDirVolumeSource medium=1 sizeLimit=2? mode=3?
core.v1.EnvFromSource prefix=1 configMapRef=2? secretRef=3?
core.v1.EnvVar name=1 value=2 valueFrom=3?
core.v1.EnvVarSource fieldRef=1? resourceFieldRef=2? configMapKeyRef=3? secretKeyRef=4?
 fileKeyRef=5?
core.v1.EphemeralContainer name=1.1 image=1.2 command=1.3 args=1.4 workingDir=1.5 ports=1.6
 env=1.7 resources=1.8 volumeMounts=1.9 livenessProbe=1.10? readinessProbe=1.11? lifecycle=1.12?
 terminationMessagePath=1.13 imagePullPolicy=1.14 securityContext=1.15? stdin=1.16 stdinOnce=1.17
 tty=1.18 envFrom=1.19 terminationMessagePolicy=1.20 volumeDevices=1.21 startupProbe=1.22?
 resizePolicy=1.23 restartPolicy=1.24? restartPolicyRules=1.25 targetContainerName=2
core.v1.EphemeralVolumeSource volumeClaimTemplate=1?
core.v1.EvictionResponder name=1 priority=2?
core.v1.ExecAction command=1
core.v1.FCVolumeSource targetWWNs=1 lun=2? fsType=3 readOnly=4 wwids=5
core.v1.FileKeySelector volumeName=1 path=2 key=3 optional=4?
core.v1.FlexVolumeSource driver=1 fsType=2 secretRef=3? readOnly=4 options=5
core.v1.FlockerVolumeSource datasetName=1 datasetUUID=2
core.v1.GCEPersistentDiskVolumeSource pdName=1 fsType=2 partition=3 readOnly=4
core.v1.GRPCAction port=1 service=2? mode=3?
core.v1.GitRepoVolumeSource repository=1 revision=2 directory=3
core.v1.GlusterfsVolumeSource endpoints=1 path=2 readOnly=3
core.v1.HTTPGetAction path=1 port=2 host=3 scheme=4 httpHeaders=5 protocol=6?
core.v1.HTTPHeader name=1 value=2
core.v1.HostAlias ip=1 hostnames=2
core.v1.HostIP ip=1
core.v1.HostPathVolumeSource path=1 type=2?
core.v1.ISCSIVolumeSource targetPortal=1 iqn=2 lun=3 iscsiInterface=4 fsType=5 readOnly=6
 portals=7 chapAuthDiscovery=8 secretRef=10? chapAuthSession=11 initiatorName=12?
core.v1.ImageVolumeSource reference=1 pullPolicy=2
core.v1.ImageVolumeStatus imageRef=1
core.v1.KeyToPath key=1 path=2 mode=3? user=4?
core.v1.Lifecycle postStart=1? preStop=2? stopSignal=3?
core.v1.LifecycleHandler exec=1? httpGet=2? tcpSocket=3? sleep=4?
core.v1.LinuxContainerUser uid=1 gid=2 supplementalGroups=3
core.v1.LocalObjectReference name=1
core.v1.NFSVolumeSource server=1 path=2 readOnly=3
core.v1.Node metadata=1 spec=2 status=3
core.v1.NodeAddress type=1 address=2
core.v1.NodeAffinity requiredDuringSchedulingIgnoredDuringExecution=1?
 preferredDuringSchedulingIgnoredDuringExecution=2
core.v1.NodeAllocatableMappedResources name=1 quantity=2?
core.v1.NodeAllocatableOverheadResources name=1 perPod=2? perContainer=3?
core.v1.NodeAllocatableResourceClaimStatus resourceClaimName=1 containers=2 mapping=4 overhead=5
core.v1.NodeCondition type=1 status=2 lastHeartbeatTime=3 lastTransitionTime=4 reason=5 message=6
core.v1.NodeConfigSource configMap=2?
core.v1.NodeConfigStatus assigned=1? active=2? lastKnownGood=3? error=4
core.v1.NodeDaemonEndpoints kubeletEndpoint=1
core.v1.NodeFeatures supplementalGroupsPolicy=1?
core.v1.NodePodPreemptionPolicy disableResizePreemption=1
core.v1.NodeRuntimeHandler name=1 features=2?
core.v1.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts=1? userNamespaces=2?
core.v1.NodeSelector nodeSelectorTerms=1
core.v1.NodeSelectorRequirement key=1 operator=2 values=3
core.v1.NodeSelectorTerm matchExpressions=1 matchFields=2
core.v1.NodeSpec podCIDR=1 externalID=2 providerID=3 unschedulable=4 taints=5 configSource=6?
 podCIDRs=7 podPreemptionPolicy=8?
core.v1.NodeStatus capacity=1 allocatable=2 phase=3 conditions=4 addresses=5 daemonEndpoints=6
 nodeInfo=7 images=8 volumesInUse=9 volumesAttached=10 config=11? runtimeHandlers=12 features=13?
 declaredFeatures=14
core.v1.NodeSwapStatus capacity=1?
core.v1.NodeSystemInfo machineID=1 systemUUID=2 bootID=3 kernelVersion=4 osImage=5
 containerRuntimeVersion=6 kubeletVersion=7 kubeProxyVersion=8 operatingSystem=9 architecture=10
 swap=11? runningInUserNamespace=12?
core.v1.ObjectFieldSelector apiVersion=1 fieldPath=2
core.v1.PersistentVolumeClaimSpec accessModes=1 resources=2 volumeName=3 selector=4?
 storageClassName=5? volumeMode=6? dataSource=7? dataSourceRef=8? volumeAttributesClassName=9?
core.v1.PersistentVolumeClaimTemplate metadata=1 spec=2
core.v1.PersistentVolumeClaimVolumeSource claimName=1 readOnly=2
core.v1.PhotonPersistentDiskVolumeSource pdID=1 fsType=2
core.v1.Pod metadata=1 spec=2 status=3
core.v1.PodAffinity requiredDuringSchedulingIgnoredDuringExecution=1
 preferredDuringSchedulingIgnoredDuringExecution=2
core.v1.PodAffinityTerm labelSelector=1? namespaces=2 topologyKey=3 namespaceSelector=4?
 matchLabelKeys=5 mismatchLabelKeys=6
core.v1.PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution=1
 preferredDuringSchedulingIgnoredDuringExecution=2
core.v1.PodCertificateProjection signerName=1 keyType=2 maxExpirationSeconds=3?
 credentialBundlePath=4 keyPath=5 certificateChainPath=6 userAnnotations=7 user=8?
core.v1.PodCondition type=1 status=2 lastProbeTime=3 lastTransitionTime=4 reason=5 message=6
 observedGeneration=7
core.v1.PodDNSConfig nameservers=1 searches=2 options=3
core.v1.PodDNSConfigOption name=1 value=2?
core.v1.PodExtendedResourceClaimStatus requestMappings=1 resourceClaimName=2
core.v1.PodIP ip=1
core.v1.PodOS name=1
core.v1.PodReadinessGate conditionType=1
core.v1.PodResourceClaim name=1 resourceClaimName=3? resourceClaimTemplateName=4?
core.v1.PodResourceClaimStatus name=1 resourceClaimName=2?
core.v1.PodSchedulingGate name=1
core.v1.PodSchedulingGroup podGroupName=1?
core.v1.PodSecurityContext seLinuxOptions=1? runAsUser=2? runAsNonRoot=3? supplementalGroups=4
 fsGroup=5? runAsGroup=6? sysctls=7 windowsOptions=8? fsGroupChangePolicy=9? seccompProfile=10?
 appArmorProfile=11? supplementalGroupsPolicy=12? seLinuxChangePolicy=13?
core.v1.PodSpec volumes=1 containers=2 restartPolicy=3 terminationGracePeriodSeconds=4?
 activeDeadlineSeconds=5? dnsPolicy=6 nodeSelector=7 serviceAccountName=8 serviceAccount=9
 nodeName=10 hostNetwork=11 hostPID=12 hostIPC=13 securityContext=14? imagePullSecrets=15
 hostname=16 subdomain=17 affinity=18? schedulerName=19 initContainers=20
 automountServiceAccountToken=21? tolerations=22 hostAliases=23 priorityClassName=24 priority=25?
 dnsConfig=26? shareProcessNamespace=27? readinessGates=28 runtimeClassName=29?
 enableServiceLinks=30? preemptionPolicy=31? overhead=32 topologySpreadConstraints=33
 ephemeralContainers=34 setHostnameAsFQDN=35? os=36? hostUsers=37? schedulingGates=38
 resourceClaims=39 resources=40? hostnameOverride=41? schedulingGroup=43? evictionResponders=44
core.v1.PodStatus phase=1 conditions=2 message=3 reason=4 hostIP=5 podIP=6 startTime=7?
 containerStatuses=8 qosClass=9 initContainerStatuses=10 nominatedNodeName=11 podIPs=12
 ephemeralContainerStatuses=13 resize=14 resourceClaimStatuses=15 hostIPs=16 observedGeneration=17
 extendedResourceClaimStatus=18? allocatedResources=19 resources=20?
 nodeAllocatableResourceClaimStatuses=21 volumeHealth=22
core.v1.PodVolumeHealth name=1 healthConditions=2 lastTransitionTime=3
core.v1.PortworxVolumeSource volumeID=1 fsType=2 readOnly=3
core.v1.PreferredSchedulingTerm weight=1 preference=2
core.v1.Probe exec=1.1? httpGet=1.2? tcpSocket=1.3? grpc=1.4? initialDelaySeconds=2
 timeoutSeconds=3 periodSeconds=4 successThreshold=5 failureThreshold=6
 terminationGracePeriodSeconds=7?
core.v1.ProjectedVolumeSource sources=1 defaultMode=2? defaultUser=3?
core.v1.QuobyteVolumeSource registry=1 volume=2 readOnly=3 user=4 group=5 tenant=6
core.v1.RBDVolumeSource monitors=1 image=2 fsType=3 pool=4 user=5 keyring=6 secretRef=7?
 readOnly=8
core.v1.ResourceClaim name=1 request=2
core.v1.ResourceFieldSelector containerName=1 resource=2 divisor=3
core.v1.ResourceHealth resourceID=1 health=2 message=6?
core.v1.ResourceRequirements limits=1 requests=2 claims=3
core.v1.ResourceStatus name=1 resources=2
core.v1.SELinuxOptions user=1 role=2 type=3 level=4
core.v1.ScaleIOVolumeSource gateway=1 system=2 secretRef=3? sslEnabled=4 protectionDomain=5
 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10
core.v1.SeccompProfile type=1 localhostProfile=2?
core.v1.SecretEnvSource name=1.1 optional=2?
core.v1.SecretKeySelector name=1.1 key=2 optional=3?
core.v1.SecretProjection name=1.1 items=2 optional=4?
core.v1.SecretVolumeSource secretName=1 items=2 defaultMode=3? optional=4? defaultUser=5?
core.v1.SecurityContext capabilities=1? privileged=2? seLinuxOptions=3? runAsUser=4?
 runAsNonRoot=5? readOnlyRootFilesystem=6? allowPrivilegeEscalation=7? runAsGroup=8? procMount=9?
 windowsOptions=10? seccompProfile=11? appArmorProfile=12?
core.v1.ServiceAccountTokenProjection audience=1 expirationSeconds=2? path=3 user=4?
core.v1.SleepAction seconds=1
core.v1.StorageOSVolumeSource volumeName=1 volumeNamespace=2 fsType=3 readOnly=4 secretRef=5?
core.v1.Sysctl name=1 value=2
core.v1.TCPSocketAction port=1 host=2
core.v1.Taint key=1 value=2 effect=3 timeAdded=4?
core.v1.Toleration key=1 operator=2 value=3 effect=4 tolerationSeconds=5?
core.v1.TopologySpreadConstraint maxSkew=1 topologyKey=2 whenUnsatisfiable=3 labelSelector=4?
 minDomains=5? nodeAffinityPolicy=6? nodeTaintsPolicy=7? matchLabelKeys=8
core.v1.TypedLocalObjectReference apiGroup=1? kind=2 name=3
core.v1.TypedObjectReference apiGroup=1? kind=2 name=3 namespace=4?
core.v1.Volume name=1 hostPath=2.1? emptyDir=2.2? gcePersistentDisk=2.3? awsElasticBlockStore=2.4?
 gitRepo=2.5? secret=2.6? nfs=2.7? iscsi=2.8? glusterfs=2.9? persistentVolumeClaim=2.10? rbd=2.11?
 flexVolume=2.12? cinder=2.13? cephfs=2.14? flocker=2.15? downwardAPI=2.16? fc=2.17?
 azureFile=2.18? configMap=2.19? vsphereVolume=2.20? quobyte=2.21? azureDisk=2.22?
 photonPersistentDisk=2.23? portworxVolume=2.24? scaleIO=2.25? projected=2.26? storageos=2.27?
 csi=2.28? ephemeral=2.29? image=2.30?
core.v1.VolumeDevice name=1 devicePath=2
core.v1.VolumeHealthCondition status=1 reason=2 message=3
core.v1.VolumeMount name=1 readOnly=2 mountPath=3 subPath=4 mountPropagation=5? subPathExpr=6
 recursiveReadOnly=7? bindMountOptions=8
core.v1.VolumeMountStatus name=1 mountPath=2 readOnly=3 recursiveReadOnly=4? volumeStatus=5?
core.v1.VolumeProjection secret=1? downwardAPI=2? configMap=3? serviceAccountToken=4?
 clusterTrustBundle=5? podCertificate=6?
core.v1.VolumeResourceRequirements limits=1 requests=2
core.v1.VolumeStatus image=1?
core.v1.VsphereVirtualDiskVolumeSource volumePath=1 fsType=2 storagePolicyName=3
 storagePolicyID=4
core.v1.WeightedPodAffinityTerm weight=1 podAffinityTerm=2
core.v1.WindowsSecurityContextOptions gmsaCredentialSpecName=1? gmsaCredentialSpec=2?
 runAsUserName=3? hostProcess=4?
meta.v1.Condition type=1 status=2 observedGeneration=3 lastTransitionTime=4 reason=5 message=6
meta.v1.LabelSelector matchLabels=1 matchExpressions=2
meta.v1.LabelSelectorRequirement key=1 operator=2 values=3
meta.v1.ManagedFieldsEntry manager=1 operation=2 apiVersion=3 time=4? fieldsType=6 fieldsV1=7?
 subresource=8
meta.v1.ObjectMeta name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6
 generation=7 creationTimestamp=8 deletionTimestamp=9? deletionGracePeriodSeconds=10? labels=11
 annotations=12 ownerReferences=13 finalizers=14 managedFields=17
meta.v1.OwnerReference kind=1 name=3 uid=4 apiVersion=5 controller=6? blockOwnerDeletion=7?
policy.v1.PodDisruptionBudget metadata=1 spec=2 status=3
policy.v1.PodDisruptionBudgetSpec minAvailable=1? selector=2? maxUnavailable=3?
 unhealthyPodEvictionPolicy=4?
policy.v1.PodDisruptionBudgetStatus observedGeneration=1 disruptedPods=2 disruptionsAllowed=3
 currentHealthy=4 desiredHealthy=5 expectedPods=6 conditions=7
scheduling.v1alpha3.AllCompositeDisruptionMode
scheduling.v1alpha3.AllDisruptionMode
scheduling.v1alpha3.BasicSchedulingPolicy
scheduling.v1alpha3.CompositeBasicSchedulingPolicy
scheduling.v1alpha3.CompositeDisruptionMode single=1? all=2?
scheduling.v1alpha3.CompositeGangSchedulingPolicy minGroupCount=1
scheduling.v1alpha3.CompositePodGroupSchedulingConstraints topology=1
scheduling.v1alpha3.CompositePodGroupSchedulingPolicy basic=1? gang=2?
scheduling.v1alpha3.CompositePodGroupTemplate name=1 schedulingPolicy=2 schedulingConstraints=3?
 disruptionMode=4? priorityClassName=5 priority=6? preemptionPolicy=7? podGroupTemplates=8
 compositePodGroupTemplates=9
scheduling.v1alpha3.DisruptionMode single=1? all=2?
scheduling.v1alpha3.GangSchedulingPolicy minCount=1
scheduling.v1alpha3.PodGroup metadata=1 spec=2 status=3
scheduling.v1alpha3.PodGroupResourceClaim name=1 resourceClaimName=2? resourceClaimTemplateName=3?
scheduling.v1alpha3.PodGroupResourceClaimStatus name=1 resourceClaimName=2?
scheduling.v1alpha3.PodGroupSchedulingConstraints topology=1
scheduling.v1alpha3.PodGroupSchedulingPolicy basic=1? gang=2?
scheduling.v1alpha3.PodGroupSpec parentCompositePodGroupName=1? workloadRef=2? schedulingPolicy=3
 schedulingConstraints=4? resourceClaims=5 disruptionMode=6? priorityClassName=7 priority=8?
 preemptionPolicy=9?
scheduling.v1alpha3.PodGroupStatus conditions=1 resourceClaimStatuses=2
scheduling.v1alpha3.PodGroupTemplate name=1 schedulingPolicy=2 schedulingConstraints=3?
 resourceClaims=4 disruptionMode=5? priorityClassName=6 priority=7? preemptionPolicy=8?
scheduling.v1alpha3.SingleCompositeDisruptionMode
scheduling.v1alpha3.SingleDisruptionMode
scheduling.v1alpha3.TopologyConstraint key=1
scheduling.v1alpha3.TypedLocalObjectReference apiGroup=1 kind=2 name=3
scheduling.v1alpha3.Workload metadata=1 spec=2
scheduling.v1alpha3.WorkloadReference workloadName=1 templateName=2
scheduling.v1alpha3.WorkloadSpec controllerRef=1? podGroupTemplates=2 compositePodGroupTemplates=3
scheduling.v1beta1.AllCompositeDisruptionMode
scheduling.v1beta1.AllDisruptionMode
scheduling.v1beta1.BasicSchedulingPolicy
scheduling.v1beta1.CompositeBasicSchedulingPolicy
scheduling.v1beta1.CompositeDisruptionMode single=1? all=2?
scheduling.v1beta1.CompositeGangSchedulingPolicy minGroupCount=1
scheduling.v1beta1.CompositePodGroupSchedulingConstraints topology=1
scheduling.v1beta1.CompositePodGroupSchedulingPolicy basic=1? gang=2?
scheduling.v1beta1.CompositePodGroupTemplate name=1 schedulingPolicy=2 schedulingConstraints=3?
 disruptionMode=4? priorityClassName=5 priority=6? preemptionPolicy=7? podGroupTemplates=8
 compositePodGroupTemplates=9
scheduling.v1beta1.DisruptionMode single=1? all=2?
scheduling.v1beta1.GangSchedulingPolicy minCount=1
scheduling.v1beta1.PodGroup metadata=1 spec=2 status=3
scheduling.v1beta1.PodGroupResourceClaim name=1 resourceClaimName=2? resourceClaimTemplateName=3?
scheduling.v1beta1.PodGroupResourceClaimStatus name=1 resourceClaimName=2?
scheduling.v1beta1.PodGroupSchedulingConstraints topology=1
scheduling.v1beta1.PodGroupSchedulingPolicy basic=1? gang=2?
scheduling.v1beta1.PodGroupSpec parentCompositePodGroupName=1? workloadRef=2? schedulingPolicy=3
 schedulingConstraints=4? resourceClaims=5 disruptionMode=6? priorityClassName=7 priority=8?
 preemptionPolicy=9?
scheduling.v1beta1.PodGroupStatus conditions=1 resourceClaimStatuses=2
scheduling.v1beta1.PodGroupTemplate name=1 schedulingPolicy=2 schedulingConstraints=3?
 resourceClaims=4 disruptionMode=5? priorityClassName=6 priority=7? preemptionPolicy=8?
scheduling.v1beta1.SingleCompositeDisruptionMode
scheduling.v1beta1.SingleDisruptionMode
scheduling.v1beta1.TopologyConstraint key=1
scheduling.v1beta1.TypedLocalObjectReference apiGroup=1 kind=2 name=3
scheduling.v1beta1.Workload metadata=1 spec=2
scheduling.v1beta1.WorkloadReference workloadName=1 templateName=2
scheduling.v1beta1.WorkloadSpec controllerRef=1? podGroupTemplates=2 compositePodGroupTemplates=3
)numbers";

using Table = std::map<std::string_view, WireNumbers, std::less<>>;

WireNumber number_from(std::string_view word) {
  const std::size_t equals = word.find('=');
  WireNumber made{.field = word.substr(0, equals)};
  const char* at = word.data() + equals;
  const char* const end = word.data() + word.size();
  while (at != end && *at != '?') {
    std::uint32_t number = 0;
    at = std::from_chars(at + 1, end, number).ptr;
    made.path.push_back(number);
  }
  made.is_pointer = at != end;
  return made;
}

Table read_table() {
  Table table;
  WireNumbers* numbers = nullptr;
  std::string_view text = kNumbers;
  bool at_line_start = false;  // there is no line before the first
  while (!text.empty()) {
    const std::size_t size = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, size);
    if (!word.empty() && at_line_start) {
      numbers = &table[word];
    } else if (!word.empty()) {
      numbers->push_back(number_from(word));
    }
    at_line_start = text[size] == '\n';
    text.remove_prefix(size + 1);
  }
  return table;
}

}  // namespace

const WireNumbers* wire_numbers(std::string_view object) {
  static const Table table = read_table();
  const auto found = table.find(object);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace elbowroom::lab
