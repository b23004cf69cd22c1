//! Column table: the columns of `kubectl get -o wide` for each kind, in its order.

/// The columns of each kind, one per line.
///
/// A line at the margin names a resource, `plural.group`, or several that share their columns. Below it, each line is a
/// column: its name in kubectl's words and title case, and an expression, which `Name` and `Age` do not need. A star before
/// the name marks a column of `-o wide`. Last come computed columns, marked with a minus: kubectl does not print them, and
/// they are in no header. A filter or a sum reads them by name, from the object.
///
/// It is text, not code, because a browser downloads it: a column costs the bytes of its line, of which compression leaves
/// about ten. `projection.rs` defines the words of the expressions; the conformance suite compares the result with a real
/// apiserver.
pub(super) const TABLE: &str = "
pods
 Name
 Ready: podReady
 Status: podStatus
 Restarts: podRestarts
 Age
*IP: text /status/podIP
*Node: text /spec/nodeName
*Nominated Node: text /status/nominatedNodeName
*Readiness Gates: readinessGates
-Phase: text /status/phase
-CPU Requests: podResource requests cpu
-CPU Limits: podResource limits cpu
-Memory Requests: podResource requests memory
-Memory Limits: podResource limits memory
-Last Restart: podLastRestart
-Restart Minute: podRestartMinute
deployments.apps
 Name
 Ready: ratio /status/readyReplicas /spec/replicas
 Up-to-date: number /status/updatedReplicas
 Available: number /status/availableReplicas
 Age
*Containers: each /spec/template/spec/containers name
*Images: each /spec/template/spec/containers image
*Selector: selector /spec/selector
replicasets.apps
 Name
 Desired: number /spec/replicas
 Current: number /status/replicas
 Ready: number /status/readyReplicas
 Age
*Containers: each /spec/template/spec/containers name
*Images: each /spec/template/spec/containers image
*Selector: selector /spec/selector
replicationcontrollers
 Name
 Desired: number /spec/replicas
 Current: number /status/replicas
 Ready: number /status/readyReplicas
 Age
*Containers: each /spec/template/spec/containers name
*Images: each /spec/template/spec/containers image
*Selector: pairs /spec/selector
statefulsets.apps
 Name
 Ready: ratio /status/readyReplicas /spec/replicas
 Age
*Containers: each /spec/template/spec/containers name
*Images: each /spec/template/spec/containers image
daemonsets.apps
 Name
 Desired: number /status/desiredNumberScheduled
 Current: number /status/currentNumberScheduled
 Ready: number /status/numberReady
 Up-to-date: number /status/updatedNumberScheduled
 Available: number /status/numberAvailable
 Node Selector: pairs /spec/template/spec/nodeSelector
 Age
*Containers: each /spec/template/spec/containers name
*Images: each /spec/template/spec/containers image
*Selector: selector /spec/selector
-Readiness: ratio /status/numberReady /status/desiredNumberScheduled
controllerrevisions.apps
 Name
 Controller: controller
 Revision: number /revision
 Age
jobs.batch
 Name
 Status: jobStatus
 Completions: completions
 Duration: span /status/startTime /status/completionTime
 Age
*Containers: each /spec/template/spec/containers name
*Images: each /spec/template/spec/containers image
*Selector: selector /spec/selector
cronjobs.batch
 Name
 Schedule: text /spec/schedule
 Timezone: text /spec/timeZone
 Suspend: Flag /spec/suspend
 Active: count /status/active
 Last Schedule: time /status/lastScheduleTime
 Age
*Containers: each /spec/jobTemplate/spec/template/spec/containers name
*Images: each /spec/jobTemplate/spec/template/spec/containers image
*Selector: selector /spec/jobTemplate/spec/selector
horizontalpodautoscalers.autoscaling
 Name
 Reference: path /spec/scaleTargetRef/kind /spec/scaleTargetRef/name
 Targets: targets
 MinPods: text /spec/minReplicas
 MaxPods: number /spec/maxReplicas
 Replicas: number /status/currentReplicas
 Age
poddisruptionbudgets.policy
 Name
 Min Available: text /spec/minAvailable
 Max Unavailable: text /spec/maxUnavailable
 Allowed Disruptions: number /status/disruptionsAllowed
 Age
podtemplates
 Name
 Containers: each /template/spec/containers name
 Images: each /template/spec/containers image
 Pod Labels: pairs /template/metadata/labels
nodes
 Name
 Status: nodeStatus
 Roles: nodeRoles
 Age
 Version: text /status/nodeInfo/kubeletVersion
*Internal-IP: nodeAddress InternalIP
*External-IP: nodeAddress ExternalIP
*OS-Image: text /status/nodeInfo/osImage
*Kernel-Version: kernel
*Container-Runtime: text /status/nodeInfo/containerRuntimeVersion
-Memory Pressure: condition MemoryPressure
-Disk Pressure: condition DiskPressure
-PID Pressure: condition PIDPressure
-Network Unavailable: condition NetworkUnavailable
namespaces
 Name
 Status: text /status/phase
 Age
events
 Last Seen: time /series/lastObservedTime /lastTimestamp /firstTimestamp /eventTime
 Type: text /type
 Reason: text /reason
 Object: involved /involvedObject
*Subobject: text /involvedObject/fieldPath
*Source: source /source /reportingComponent
 Message: message /message
*First Seen: time /firstTimestamp /eventTime
*Count: number /series/count /count 1
*Name
-Minute: minute /series/lastObservedTime /lastTimestamp /firstTimestamp /eventTime
events.events.k8s.io
 Last Seen: time /series/lastObservedTime /deprecatedLastTimestamp /deprecatedFirstTimestamp /eventTime
 Type: text /type
 Reason: text /reason
 Object: involved /regarding
*Subobject: text /regarding/fieldPath
*Source: source /deprecatedSource /reportingController
 Message: message /note
*First Seen: time /deprecatedFirstTimestamp /eventTime
*Count: number /series/count /deprecatedCount 1
*Name
services
 Name
 Type: text /spec/type
 Cluster-IP: text /spec/clusterIP
 External-IP: externalIP
 Port(s): ports
 Age
*Selector: pairs /spec/selector
endpoints
 Name
 Endpoints: endpoints
 Age
endpointslices.discovery.k8s.io
 Name
 AddressType: text /addressType
 Ports: slicePorts
 Endpoints: sliceEndpoints
 Age
ingresses.networking.k8s.io
 Name
 Class: text /spec/ingressClassName
 Hosts: hosts
 Address: balancer
 Ports: tlsPorts
 Age
ingressclasses.networking.k8s.io
 Name: defaultName
 Controller: text /spec/controller
 Parameters: parameters
 Age
networkpolicies.networking.k8s.io
 Name
 Pod-Selector: selector /spec/podSelector
 Age
servicecidrs.networking.k8s.io
 Name
 CIDRs: each /spec/cidrs
 Age
ipaddresses.networking.k8s.io
 Name
 ParentRef: path /spec/parentRef/resource /spec/parentRef/namespace /spec/parentRef/name
configmaps
 Name
 Data: count /data /binaryData
 Age
secrets
 Name
 Type: text /type
 Data: count /data
 Age
persistentvolumes
 Name
 Capacity: text /spec/capacity/storage
 Access Modes: accessModes /spec/accessModes
 Reclaim Policy: text /spec/persistentVolumeReclaimPolicy
 Status: phase
 Claim: path /spec/claimRef/namespace /spec/claimRef/name
 StorageClass: storageClass
 VolumeAttributesClass: text /spec/volumeAttributesClassName
 Reason: text /status/reason
 Age
*VolumeMode: text /spec/volumeMode
persistentvolumeclaims
 Name
 Status: phase
 Volume: text /spec/volumeName
 Capacity: text /status/capacity/storage
 Access Modes: accessModes /status/accessModes
 StorageClass: storageClass
 VolumeAttributesClass: text /spec/volumeAttributesClassName
 Age
*VolumeMode: text /spec/volumeMode
storageclasses.storage.k8s.io
 Name: defaultName
 Provisioner: text /provisioner
 ReclaimPolicy: text /reclaimPolicy Delete
 VolumeBindingMode: text /volumeBindingMode Immediate
 AllowVolumeExpansion: flag /allowVolumeExpansion
 Age
volumeattributesclasses.storage.k8s.io
 Name
 DriverName: text /driverName
 Age
volumeattachments.storage.k8s.io
 Name
 Attacher: text /spec/attacher
 PV: text /spec/source/persistentVolumeName
 Node: text /spec/nodeName
 Attached: flag /status/attached
 Age
csidrivers.storage.k8s.io
 Name
 AttachRequired: flag /spec/attachRequired true
 PodInfoOnMount: flag /spec/podInfoOnMount
 StorageCapacity: flag /spec/storageCapacity
 TokenRequests: each /spec/tokenRequests audience
 RequiresRepublish: flag /spec/requiresRepublish
 Modes: each /spec/volumeLifecycleModes
 Age
csinodes.storage.k8s.io
 Name
 Drivers: count /spec/drivers
 Age
resourcequotas
 Name
 Request: quota
 Limit: quota limits.
 Age
priorityclasses.scheduling.k8s.io
 Name
 Value: number /value
 Global-Default: flag /globalDefault
 Age
 PreemptionPolicy: text /preemptionPolicy
runtimeclasses.node.k8s.io
 Name
 Handler: text /handler
 Age
leases.coordination.k8s.io
 Name
 Holder: text /spec/holderIdentity
 Age
rolebindings.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io
 Name
 Role: path /roleRef/kind /roleRef/name
 Age
*Users: subjects User
*Groups: subjects Group
*ServiceAccounts: subjects ServiceAccount
validatingwebhookconfigurations.admissionregistration.k8s.io mutatingwebhookconfigurations.admissionregistration.k8s.io
 Name
 Webhooks: count /webhooks
 Age
validatingadmissionpolicies.admissionregistration.k8s.io
 Name
 Validations: count /spec/validations
 ParamKind: path /spec/paramKind/apiVersion /spec/paramKind/kind
 Age
mutatingadmissionpolicies.admissionregistration.k8s.io
 Name
 Mutations: count /spec/mutations
 ParamKind: path /spec/paramKind/apiVersion /spec/paramKind/kind
 Age
certificatesigningrequests.certificates.k8s.io
 Name
 Age
 SignerName: text /spec/signerName
 Requestor: text /spec/username
 RequestedDuration: seconds /spec/expirationSeconds
 Condition: requestStatus
apiservices.apiregistration.k8s.io
 Name
 Service: path /spec/service/namespace /spec/service/name Local
 Available: available
 Age
flowschemas.flowcontrol.apiserver.k8s.io
 Name
 PriorityLevel: text /spec/priorityLevelConfiguration/name
 MatchingPrecedence: number /spec/matchingPrecedence
 DistinguisherMethod: text /spec/distinguisherMethod/type
 Age
 MissingPL: condition Dangling
prioritylevelconfigurations.flowcontrol.apiserver.k8s.io
 Name
 Type: text /spec/type
 NominalConcurrencyShares: text /spec/limited/nominalConcurrencyShares
 Queues: text /spec/limited/limitResponse/queuing/queues
 HandSize: text /spec/limited/limitResponse/queuing/handSize
 QueueLengthLimit: text /spec/limited/limitResponse/queuing/queueLengthLimit
 Age
serviceaccounts limitranges roles.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io \
customresourcedefinitions.apiextensions.k8s.io csistoragecapacities.storage.k8s.io deviceclasses.resource.k8s.io \
resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io
 Name
 Age
resourceslices.resource.k8s.io
 Name
 Node: text /spec/nodeName
 Driver: text /spec/driver
 Pool: text /spec/pool/name
 Age
";
