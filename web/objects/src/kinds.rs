//! Kinds that this crate handles by name.

use serde_json::Value;

use crate::field::Fields;

/// A kind of an API group. Kinds of other groups may have the same name: Knative has a `Service`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// Name, as in the object's `kind`.
    pub kind: &'static str,
}

impl Kind {
    /// Whether an object is of this kind, in any version.
    pub fn is_of(self, object: &Value) -> bool {
        object.text("kind") == self.kind && object.group() == self.group
    }
}

macro_rules! kinds {
    ($($name:ident = $group:literal, $kind:literal;)*) => {
        $(pub(crate) const $name: Kind = Kind { group: $group, kind: $kind };)*
    };
}

kinds! {
    POD = "", "Pod";
    NODE = "", "Node";
    SERVICE = "", "Service";
    EVENT = "", "Event";
    CONFIG_MAP = "", "ConfigMap";
    SECRET = "", "Secret";
    NAMESPACE = "", "Namespace";
    CLAIM = "", "PersistentVolumeClaim";
    VOLUME = "", "PersistentVolume";
    SERVICE_ACCOUNT = "", "ServiceAccount";
    QUOTA = "", "ResourceQuota";
    DEPLOYMENT = "apps", "Deployment";
    REPLICA_SET = "apps", "ReplicaSet";
    STATEFUL_SET = "apps", "StatefulSet";
    DAEMON_SET = "apps", "DaemonSet";
    JOB = "batch", "Job";
    CRON_JOB = "batch", "CronJob";
    AUTOSCALER = "autoscaling", "HorizontalPodAutoscaler";
    INGRESS = "networking.k8s.io", "Ingress";
    INGRESS_CLASS = "networking.k8s.io", "IngressClass";
    NETWORK_POLICY = "networking.k8s.io", "NetworkPolicy";
    ENDPOINT_SLICE = "discovery.k8s.io", "EndpointSlice";
    PRIORITY_CLASS = "scheduling.k8s.io", "PriorityClass";
    RUNTIME_CLASS = "node.k8s.io", "RuntimeClass";
    GATEWAY_CLASS = "gateway.networking.k8s.io", "GatewayClass";
    GATEWAY = "gateway.networking.k8s.io", "Gateway";
    HTTP_ROUTE = "gateway.networking.k8s.io", "HTTPRoute";
    GRPC_ROUTE = "gateway.networking.k8s.io", "GRPCRoute";
    STORAGE_CLASS = "storage.k8s.io", "StorageClass";
    VOLUME_ATTACHMENT = "storage.k8s.io", "VolumeAttachment";
    ROLE = "rbac.authorization.k8s.io", "Role";
    CLUSTER_ROLE = "rbac.authorization.k8s.io", "ClusterRole";
    ROLE_BINDING = "rbac.authorization.k8s.io", "RoleBinding";
    CLUSTER_ROLE_BINDING = "rbac.authorization.k8s.io", "ClusterRoleBinding";
    DEFINITION = "apiextensions.k8s.io", "CustomResourceDefinition";
    DISRUPTION_BUDGET = "policy", "PodDisruptionBudget";
    API_SERVICE = "apiregistration.k8s.io", "APIService";
    VALIDATING_WEBHOOKS = "admissionregistration.k8s.io", "ValidatingWebhookConfiguration";
    MUTATING_WEBHOOKS = "admissionregistration.k8s.io", "MutatingWebhookConfiguration";
}

/// The cluster-scoped kinds among these.
const CLUSTER_SCOPED: [Kind; 15] = [
    NODE,
    NAMESPACE,
    VOLUME,
    INGRESS_CLASS,
    PRIORITY_CLASS,
    RUNTIME_CLASS,
    GATEWAY_CLASS,
    STORAGE_CLASS,
    VOLUME_ATTACHMENT,
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    DEFINITION,
    API_SERVICE,
    VALIDATING_WEBHOOKS,
    MUTATING_WEBHOOKS,
];

/// Whether a kind is cluster-scoped; `false` if it is not in the table above.
pub(crate) fn is_cluster_scoped(group: &str, kind: &str) -> bool {
    CLUSTER_SCOPED.iter().any(|known| known.group == group && known.kind == kind)
}

/// API groups of Kubernetes. Other projects have groups below `k8s.io`, too.
const OF_KUBERNETES: [&str; 25] = [
    "",
    "apps",
    "autoscaling",
    "batch",
    "extensions",
    "policy",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "metrics.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Whether an API group is not one of Kubernetes: its kinds are custom.
pub fn is_custom(group: &str) -> bool {
    !OF_KUBERNETES.contains(&group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_kubernetes_are_not_custom() {
        for group in ["", "apps", "batch", "networking.k8s.io", "metrics.k8s.io"] {
            assert!(!is_custom(group), "{group}");
        }
        for group in ["example.com", "gateway.networking.k8s.io", "snapshot.storage.k8s.io", "cluster.x-k8s.io"] {
            assert!(is_custom(group), "{group}");
        }
    }
}
