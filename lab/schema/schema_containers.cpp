// The schema of containers, as data: read lab/schema/schema.h for its form. It is written by
// test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0), not by hand.
#include "lab/schema/schema_table.h"

namespace elbowroom::lab {

const std::string_view kContainersSchema = R"schema(
core.v1.AppArmorProfile | AppArmorProfile defines a pod or container's AppArmor settings
 localhostProfile string | localhostProfile indicates a profile loaded on the node that should be used
 type string! | type indicates which kind of AppArmor profile will be applied
core.v1.Capabilities | Adds and removes POSIX capabilities from running containers
 add [string] | Added capabilities
 drop [string] | Removed capabilities
core.v1.ConfigMapEnvSource | ConfigMapEnvSource selects a ConfigMap to populate the environment variables with
 name string | Name of the referent
 optional bool | Specify whether the ConfigMap must be defined
core.v1.ConfigMapKeySelector atomic | Selects a key from a ConfigMap
 key string! | The key to select from the ConfigMap's Data field
 name string | Name of the referent
 optional bool | Specify whether the ConfigMap or its key must be defined
core.v1.Container | A single application container that you want to run within a pod
 args [string] | Arguments to the entrypoint
 command [string] | Entrypoint array
 env [core.v1.EnvVar] map=name merge=name | List of environment variables to set in the container
 envFrom [core.v1.EnvFromSource] | List of sources to populate environment variables in the container
 image string | Container image name
 imagePullPolicy string | Image pull policy
 lifecycle core.v1.Lifecycle | Actions that the management system should take in response to container lifecycle events
 livenessProbe core.v1.Probe | Periodic probe of container liveness
 name string! | Name of the container specified as a DNS_LABEL. Each container in a pod must have a unique name (DNS_LABEL)
 ports [core.v1.ContainerPort] map=containerPort,protocol merge=containerPort | List of ports to expose from the container
 readinessProbe core.v1.Probe | Periodic probe of container service readiness
 resizePolicy [core.v1.ContainerResizePolicy] | Resources resize policy for the container
 resources core.v1.ResourceRequirements | Compute Resources required by this container
 restartPolicy string | RestartPolicy defines the restart behavior of individual containers in a pod
 restartPolicyRules [core.v1.ContainerRestartRule] | Represents a list of rules to be checked to determine if the container should be restarted on exit
 securityContext core.v1.SecurityContext | SecurityContext defines the security options the container should be run with
 startupProbe core.v1.Probe | StartupProbe indicates that the Pod has successfully initialized
 stdin bool | Whether this container should allocate a buffer for stdin in the container runtime
 stdinOnce bool | Whether the container runtime should close the stdin channel after it has been opened by a single attach
 terminationMessagePath string | Optional: Path at which the file to which the container's termination message will be written is mounted into the container's filesystem
 terminationMessagePolicy string | Indicate how the termination message should be populated
 tty bool | Whether this container should allocate a TTY for itself, also requires 'stdin' to be true
 volumeDevices [core.v1.VolumeDevice] map=devicePath merge=devicePath | volumeDevices is the list of block devices to be used by the container
 volumeMounts [core.v1.VolumeMount] map=mountPath merge=mountPath | Pod volumes to mount into the container's filesystem
 workingDir string | Container's working directory
core.v1.ContainerPort | ContainerPort represents a network port in a single container
 containerPort int32! | Number of port to expose on the pod's IP address
 hostIP string | What host IP to bind the external port to
 hostPort int32 | Number of port to expose on the host
 name string | If specified, this must be an IANA_SVC_NAME and unique within the pod
 protocol string default=TCP | Protocol for port
core.v1.ContainerResizePolicy | ContainerResizePolicy represents resource resize policy for the container
 resourceName string! | Name of the resource to which this resource resize policy applies
 restartPolicy string! | Restart policy to apply when specified resource is resized
core.v1.ContainerRestartRule | ContainerRestartRule describes how a container exit is handled
 action string! | Specifies the action taken on a container exit if the requirements are satisfied
 exitCodes core.v1.ContainerRestartRuleOnExitCodes | Represents the exit codes to check on container exits
core.v1.ContainerRestartRuleOnExitCodes | ContainerRestartRuleOnExitCodes describes the condition for handling an exited container based on its exit codes
 operator string! | Represents the relationship between the container exit code(s) and the specified values
 values [int32] set | Specifies the set of values to check for container exit codes
core.v1.EnvFromSource | EnvFromSource represents the source of a set of ConfigMaps or Secrets
 configMapRef core.v1.ConfigMapEnvSource | The ConfigMap to select from
 prefix string | Optional text to prepend to the name of each environment variable
 secretRef core.v1.SecretEnvSource | The Secret to select from
core.v1.EnvVar | EnvVar represents an environment variable present in a Container
 name string! | Name of the environment variable
 value string | Variable references $(VAR_NAME) are expanded using the previously defined environment variables in the container and any service environment variables
 valueFrom core.v1.EnvVarSource | Source for the environment variable's value
core.v1.EnvVarSource | EnvVarSource represents a source for the value of an EnvVar
 configMapKeyRef core.v1.ConfigMapKeySelector | Selects a key of a ConfigMap
 fieldRef core.v1.ObjectFieldSelector | Selects a field of the pod: supports metadata.name, metadata.namespace, `metadata.labels['<KEY>']`, `metadata.annotations['<KEY>']`, spec.nodeName, ...
 fileKeyRef core.v1.FileKeySelector | FileKeyRef selects a key of the env file
 resourceFieldRef core.v1.ResourceFieldSelector | Selects a resource of the container: only resources limits and requests (limits.cpu, limits.memory, limits.ephemeral-storage, requests.cpu, ...
 secretKeyRef core.v1.SecretKeySelector | Selects a key of a secret in the pod's namespace
core.v1.EphemeralContainer | An EphemeralContainer is a temporary container that you may add to an existing Pod for user-initiated activities such as debugging
 args [string] | Arguments to the entrypoint
 command [string] | Entrypoint array
 env [core.v1.EnvVar] map=name merge=name | List of environment variables to set in the container
 envFrom [core.v1.EnvFromSource] | List of sources to populate environment variables in the container
 image string | Container image name
 imagePullPolicy string | Image pull policy
 lifecycle core.v1.Lifecycle | Lifecycle is not allowed for ephemeral containers
 livenessProbe core.v1.Probe | Probes are not allowed for ephemeral containers
 name string! | Name of the ephemeral container specified as a DNS_LABEL. This name must be unique among all containers, init containers and ephemeral containers
 ports [core.v1.ContainerPort] map=containerPort,protocol merge=containerPort | Ports are not allowed for ephemeral containers
 readinessProbe core.v1.Probe | Probes are not allowed for ephemeral containers
 resizePolicy [core.v1.ContainerResizePolicy] | Resources resize policy for the container
 resources core.v1.ResourceRequirements | Resources are not allowed for ephemeral containers
 restartPolicy string | Restart policy for the container to manage the restart behavior of each container within a pod
 restartPolicyRules [core.v1.ContainerRestartRule] | Represents a list of rules to be checked to determine if the container should be restarted on exit
 securityContext core.v1.SecurityContext | Optional: SecurityContext defines the security options the ephemeral container should be run with
 startupProbe core.v1.Probe | Probes are not allowed for ephemeral containers
 stdin bool | Whether this container should allocate a buffer for stdin in the container runtime
 stdinOnce bool | Whether the container runtime should close the stdin channel after it has been opened by a single attach
 targetContainerName string | If set, the name of the container from PodSpec that this ephemeral container targets
 terminationMessagePath string | Optional: Path at which the file to which the container's termination message will be written is mounted into the container's filesystem
 terminationMessagePolicy string | Indicate how the termination message should be populated
 tty bool | Whether this container should allocate a TTY for itself, also requires 'stdin' to be true
 volumeDevices [core.v1.VolumeDevice] map=devicePath merge=devicePath | volumeDevices is the list of block devices to be used by the container
 volumeMounts [core.v1.VolumeMount] map=mountPath merge=mountPath | Pod volumes to mount into the container's filesystem
 workingDir string | Container's working directory
core.v1.ExecAction | ExecAction describes a "run in container" action
 command [string] | Command is the command line to execute inside the container, the working directory for the command is root ('/') in the container's filesystem
core.v1.FileKeySelector atomic | FileKeySelector selects a key of the env file
 key string! | The key within the env file
 optional bool | Specify whether the file or its key must be defined
 path string! | The path within the volume from which to select the file
 volumeName string! | The name of the volume mount containing the env file
core.v1.GRPCAction | GRPCAction specifies an action involving a GRPC service
 mode string | mode specifies the connection mode for the gRPC health probe
 port int32! | Port number of the gRPC service
 service string | Service is the name of the service to place in the gRPC HealthCheckRequest (see
core.v1.HTTPGetAction | HTTPGetAction describes an action based on HTTP Get requests
 host string | Host name to connect to, defaults to the pod IP. You probably want to set "Host" in httpHeaders instead
 httpHeaders [core.v1.HTTPHeader] | Custom headers to set in the request
 path string | Path to access on the HTTP server
 port IntOrString! | Name or number of the port to access on the container
 protocol string | Protocol selects the wire protocol for the probe connection
 scheme string | Scheme to use for connecting to the host
core.v1.HTTPHeader | HTTPHeader describes a custom header to be used in HTTP probes
 name string! | The header field name
 value string! | The header field value
core.v1.Lifecycle | Lifecycle describes actions that the management system should take in response to container lifecycle events
 postStart core.v1.LifecycleHandler | PostStart is called immediately after a container is created
 preStop core.v1.LifecycleHandler | PreStop is called immediately before a container is terminated due to an API request or management event such as liveness/startup probe failure, ...
 stopSignal string | StopSignal defines which signal will be sent to a container when it is being stopped
core.v1.LifecycleHandler | LifecycleHandler defines a specific action that should be taken in a lifecycle hook
 exec core.v1.ExecAction | Exec specifies a command to execute in the container
 httpGet core.v1.HTTPGetAction | HTTPGet specifies an HTTP GET request to perform
 sleep core.v1.SleepAction | Sleep represents a duration that the container should sleep
 tcpSocket core.v1.TCPSocketAction | Deprecated
core.v1.Probe | Probe describes a health check to be performed against a container to determine whether it is alive or ready to receive traffic
 exec core.v1.ExecAction | Exec specifies a command to execute in the container
 failureThreshold int32 | Minimum consecutive failures for the probe to be considered failed after having succeeded
 grpc core.v1.GRPCAction | GRPC specifies a GRPC HealthCheckRequest
 httpGet core.v1.HTTPGetAction | HTTPGet specifies an HTTP GET request to perform
 initialDelaySeconds int32 | Number of seconds after the container has started before liveness probes are initiated
 periodSeconds int32 | How often (in seconds) to perform the probe
 successThreshold int32 | Minimum consecutive successes for the probe to be considered successful after having failed
 tcpSocket core.v1.TCPSocketAction | TCPSocket specifies a connection to a TCP port
 terminationGracePeriodSeconds int64 | Optional duration in seconds the pod needs to terminate gracefully upon probe failure
 timeoutSeconds int32 | Number of seconds after which the probe times out
core.v1.ResourceClaim | ResourceClaim references one entry in PodSpec.ResourceClaims
 name string! | Name must match the name of one entry in pod.spec.resourceClaims of the Pod where this field is used
 request string | Request is the name chosen for a request in the referenced claim
core.v1.ResourceRequirements | ResourceRequirements describes the compute resource requirements
 claims [core.v1.ResourceClaim] map=name | Claims lists the names of resources, defined in spec.resourceClaims, that are used by this container
 limits {Quantity} | Limits describes the maximum amount of compute resources allowed
 requests {Quantity} | Requests describes the minimum amount of compute resources required
core.v1.SELinuxOptions | SELinuxOptions are the labels to be applied to the container
 level string | Level is SELinux level label that applies to the container
 role string | Role is a SELinux role label that applies to the container
 type string | Type is a SELinux type label that applies to the container
 user string | User is a SELinux user label that applies to the container
core.v1.SeccompProfile | SeccompProfile defines a pod/container's seccomp profile settings
 localhostProfile string | localhostProfile indicates a profile defined in a file on the node should be used
 type string! | type indicates which kind of seccomp profile will be applied
core.v1.SecretEnvSource | SecretEnvSource selects a Secret to populate the environment variables with
 name string | Name of the referent
 optional bool | Specify whether the Secret must be defined
core.v1.SecretKeySelector atomic | SecretKeySelector selects a key of a Secret
 key string! | The key of the secret to select from
 name string | Name of the referent
 optional bool | Specify whether the Secret or its key must be defined
core.v1.SecurityContext | SecurityContext holds security configuration that will be applied to a container
 allowPrivilegeEscalation bool | AllowPrivilegeEscalation controls whether a process can gain more privileges than its parent process
 appArmorProfile core.v1.AppArmorProfile | appArmorProfile is the AppArmor options to use by this container
 capabilities core.v1.Capabilities | The capabilities to add/drop when running containers
 privileged bool | Run container in privileged mode
 procMount string | procMount denotes the type of proc mount to use for the containers
 readOnlyRootFilesystem bool | Whether this container has a read-only root filesystem
 runAsGroup int64 | The GID to run the entrypoint of the container process
 runAsNonRoot bool | Indicates that the container must run as a non-root user
 runAsUser int64 | The UID to run the entrypoint of the container process
 seLinuxOptions core.v1.SELinuxOptions | The SELinux context to be applied to the container
 seccompProfile core.v1.SeccompProfile | The seccomp options to use by this container
 windowsOptions core.v1.WindowsSecurityContextOptions | The Windows specific settings applied to all containers
core.v1.SleepAction | SleepAction describes a "sleep" action
 seconds int64! | Seconds is the number of seconds to sleep
core.v1.TCPSocketAction | TCPSocketAction describes an action based on opening a socket
 host string | Optional: Host name to connect to, defaults to the pod IP
 port IntOrString! | Number or name of the port to access on the container
core.v1.VolumeDevice | volumeDevice describes a mapping of a raw block device within a container
 devicePath string! | devicePath is the path inside of the container that the device will be mapped to
 name string! | name must match the name of a persistentVolumeClaim in the pod
core.v1.VolumeMount | VolumeMount describes a mounting of a Volume within a container
 bindMountOptions [string] set | bindMountOptions is the list of additional bind mount options to apply when mounting this volume into the container
 mountPath string! | Path within the container at which the volume should be mounted
 mountPropagation string | mountPropagation determines how mounts are propagated from the host to container and the other way around
 name string! | This must match the Name of a Volume
 readOnly bool | Mounted read-only if true, read-write otherwise (false or unspecified)
 recursiveReadOnly string | RecursiveReadOnly specifies whether read-only mounts should be handled recursively
 subPath string | Path within the volume from which the container's volume should be mounted
 subPathExpr string | Expanded path within the volume from which the container's volume should be mounted
core.v1.WindowsSecurityContextOptions | WindowsSecurityContextOptions contain Windows-specific options and credentials
 gmsaCredentialSpec string | GMSACredentialSpec is where the GMSA admission webhook (https://github.com/kubernetes-sigs/windows-gmsa) inlines the contents of the GMSA credential ...
 gmsaCredentialSpecName string | GMSACredentialSpecName is the name of the GMSA credential spec to use
 hostProcess bool | HostProcess determines if a container should be run as a 'Host Process' container
 runAsUserName string | The UserName in Windows to run the entrypoint of the container process
)schema";

}  // namespace elbowroom::lab
