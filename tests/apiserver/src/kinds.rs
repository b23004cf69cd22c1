//! Kinds of the server: one table of built-in ones, the same type for custom ones.

use std::sync::Arc;

use serde_json::Value;

use crate::scale::ScalePaths;

/// Names, scope and features of one resource.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "discovery has as many independent flags")]
pub(crate) struct Kind {
    /// API group; empty for the core group.
    pub(crate) group: String,
    /// Served versions, the preferred one first.
    pub(crate) versions: Vec<String>,
    /// Plural name, as in URLs.
    pub(crate) plural: String,
    /// Singular name.
    pub(crate) singular: String,
    /// Kind of one object.
    pub(crate) name: String,
    /// Kind of a list of them.
    pub(crate) list_name: String,
    /// Whether objects have namespaces.
    pub(crate) namespaced: bool,
    /// Short names for kubectl.
    pub(crate) short_names: Vec<String>,
    /// Categories such as `all`.
    pub(crate) categories: Vec<String>,
    /// Whether there is a status subresource.
    pub(crate) status: bool,
    /// Places of the scale subresource, if there is one.
    pub(crate) scale: Option<ScalePaths>,
    /// Whether the kind comes from a `CustomResourceDefinition`.
    pub(crate) custom: bool,
    /// Whether it is a review: answered, but never stored.
    pub(crate) review: bool,
    /// Whether `metadata.generation` counts changes of the spec.
    pub(crate) generation: bool,
    /// Field selectors besides `metadata.name` and `metadata.namespace`.
    pub(crate) fields: &'static [&'static str],
    /// Additional printer columns of a custom kind, for each version.
    pub(crate) columns: Vec<(String, Value)>,
}

impl Kind {
    /// Identity of the resource in the store: `pods`, `deployments.apps`.
    pub(crate) fn id(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// `v1` or `apps/v1`, for one of the served versions.
    pub(crate) fn api_version(&self, version: &str) -> String {
        if self.group.is_empty() { version.to_owned() } else { format!("{}/{version}", self.group) }
    }

    /// Common prefix of the group's paths: `/api/` or `/apis/apps/`, before a version.
    pub(crate) fn root(&self) -> String {
        let version = self.versions.first().map(String::as_str).unwrap_or_default();
        if self.group.is_empty() { format!("/api/{version}/") } else { format!("/apis/{}/{version}/", self.group) }
    }

    /// Whether its objects are computed by a metrics server: read-only, without versions and watches.
    pub(crate) fn is_metrics(&self) -> bool {
        self.group == METRICS.0
    }

    /// Verbs in the order discovery shows them.
    pub(crate) fn verbs(&self) -> &'static [&'static str] {
        if self.review {
            &["create"]
        } else if self.is_metrics() {
            &["get", "list"]
        } else if self.plural == "namespaces" && self.group.is_empty() {
            &["create", "delete", "get", "list", "patch", "update", "watch"]
        } else {
            &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
        }
    }
}

/// Has no status subresource and no generation.
const PLAIN: u8 = 0;
const STATUS: u8 = 1;
const GENERATION: u8 = 2;
const SCALE: u8 = 4;
const REVIEW: u8 = 8;
const WORKLOAD: u8 = STATUS | GENERATION;

struct Row {
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    kind: &'static str,
    namespaced: bool,
    short: &'static [&'static str],
    all: bool,
    traits: u8,
    fields: &'static [&'static str],
}

const fn row(
    group_version: (&'static str, &'static str),
    plural: &'static str,
    kind: &'static str,
    namespaced: bool,
    short: &'static [&'static str],
    traits: u8,
) -> Row {
    Row {
        group: group_version.0,
        version: group_version.1,
        plural,
        kind,
        namespaced,
        short,
        all: false,
        traits,
        fields: &[],
    }
}

impl Row {
    const fn all(mut self) -> Self {
        self.all = true;
        self
    }

    const fn fields(mut self, fields: &'static [&'static str]) -> Self {
        self.fields = fields;
        self
    }
}

const CORE: (&str, &str) = ("", "v1");
const ADMISSION: (&str, &str) = ("admissionregistration.k8s.io", "v1");
const APPS: (&str, &str) = ("apps", "v1");
const AUTHORIZATION: (&str, &str) = ("authorization.k8s.io", "v1");
const BATCH: (&str, &str) = ("batch", "v1");
const METRICS: (&str, &str) = ("metrics.k8s.io", "v1beta1");
const NETWORKING: (&str, &str) = ("networking.k8s.io", "v1");
const RBAC: (&str, &str) = ("rbac.authorization.k8s.io", "v1");
const STORAGE: (&str, &str) = ("storage.k8s.io", "v1");

/// Index of `status.phase` among the fields of a pod.
pub(crate) const POD_PHASE: usize = 5;

const POD_FIELDS: &[&str] = &[
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
];
const EVENT_FIELDS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];

const BUILT_IN_KINDS: &[Row] = &[
    row(CORE, "configmaps", "ConfigMap", true, &["cm"], PLAIN),
    row(CORE, "endpoints", "Endpoints", true, &["ep"], PLAIN),
    row(CORE, "events", "Event", true, &["ev"], PLAIN).fields(EVENT_FIELDS),
    row(CORE, "limitranges", "LimitRange", true, &["limits"], PLAIN),
    row(CORE, "namespaces", "Namespace", false, &["ns"], STATUS).fields(&["status.phase"]),
    row(CORE, "nodes", "Node", false, &["no"], STATUS).fields(&["spec.unschedulable"]),
    row(CORE, "persistentvolumeclaims", "PersistentVolumeClaim", true, &["pvc"], STATUS),
    row(CORE, "persistentvolumes", "PersistentVolume", false, &["pv"], STATUS),
    row(CORE, "pods", "Pod", true, &["po"], WORKLOAD).all().fields(POD_FIELDS),
    row(CORE, "replicationcontrollers", "ReplicationController", true, &["rc"], WORKLOAD | SCALE)
        .all()
        .fields(&["status.replicas"]),
    row(CORE, "resourcequotas", "ResourceQuota", true, &["quota"], STATUS),
    row(CORE, "secrets", "Secret", true, &[], PLAIN).fields(&["type"]),
    row(CORE, "serviceaccounts", "ServiceAccount", true, &["sa"], PLAIN),
    row(CORE, "services", "Service", true, &["svc"], STATUS).all().fields(&["spec.clusterIP", "spec.type"]),
    row(APPS, "controllerrevisions", "ControllerRevision", true, &[], PLAIN),
    row(APPS, "daemonsets", "DaemonSet", true, &["ds"], WORKLOAD).all(),
    row(APPS, "deployments", "Deployment", true, &["deploy"], WORKLOAD | SCALE).all(),
    row(APPS, "replicasets", "ReplicaSet", true, &["rs"], WORKLOAD | SCALE).all().fields(&["status.replicas"]),
    row(APPS, "statefulsets", "StatefulSet", true, &["sts"], WORKLOAD | SCALE).all(),
    row(("autoscaling", "v2"), "horizontalpodautoscalers", "HorizontalPodAutoscaler", true, &["hpa"], STATUS).all(),
    row(BATCH, "cronjobs", "CronJob", true, &["cj"], WORKLOAD).all(),
    row(BATCH, "jobs", "Job", true, &[], WORKLOAD).all().fields(&["status.successful"]),
    row(NETWORKING, "ingressclasses", "IngressClass", false, &[], GENERATION),
    row(NETWORKING, "ingresses", "Ingress", true, &["ing"], WORKLOAD),
    row(NETWORKING, "networkpolicies", "NetworkPolicy", true, &["netpol"], GENERATION),
    row(("policy", "v1"), "poddisruptionbudgets", "PodDisruptionBudget", true, &["pdb"], WORKLOAD),
    row(RBAC, "clusterrolebindings", "ClusterRoleBinding", false, &[], PLAIN),
    row(RBAC, "clusterroles", "ClusterRole", false, &[], PLAIN),
    row(RBAC, "rolebindings", "RoleBinding", true, &[], PLAIN),
    row(RBAC, "roles", "Role", true, &[], PLAIN),
    row(STORAGE, "storageclasses", "StorageClass", false, &["sc"], PLAIN),
    row(STORAGE, "volumeattachments", "VolumeAttachment", false, &[], STATUS),
    row(ADMISSION, "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", false, &[], GENERATION),
    row(ADMISSION, "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", false, &[], GENERATION),
    row(("apiregistration.k8s.io", "v1"), "apiservices", "APIService", false, &[], STATUS),
    row(
        ("apiextensions.k8s.io", "v1"),
        "customresourcedefinitions",
        "CustomResourceDefinition",
        false,
        &["crd", "crds"],
        WORKLOAD,
    ),
    row(AUTHORIZATION, "selfsubjectaccessreviews", "SelfSubjectAccessReview", false, &[], REVIEW),
    row(AUTHORIZATION, "selfsubjectrulesreviews", "SelfSubjectRulesReview", false, &[], REVIEW),
    row(("discovery.k8s.io", "v1"), "endpointslices", "EndpointSlice", true, &[], GENERATION),
];

/// Kinds of a metrics server.
const METRICS_KINDS: &[Row] =
    &[row(METRICS, "nodes", "NodeMetrics", false, &[], PLAIN), row(METRICS, "pods", "PodMetrics", true, &[], PLAIN)];

/// All built-in kinds, in the order of discovery.
pub(crate) fn built_in() -> Vec<Arc<Kind>> {
    BUILT_IN_KINDS.iter().map(|row| Arc::new(row.kind())).collect()
}

/// Kinds of a metrics server.
pub(crate) fn metrics_kinds() -> Vec<Arc<Kind>> {
    METRICS_KINDS.iter().map(|row| Arc::new(row.kind())).collect()
}

impl Row {
    fn kind(&self) -> Kind {
        let categories = match (self.all, self.plural) {
            (true, _) => vec!["all".to_owned()],
            (
                false,
                "customresourcedefinitions"
                | "mutatingwebhookconfigurations"
                | "validatingwebhookconfigurations"
                | "apiservices",
            ) => vec!["api-extensions".to_owned()],
            _ => Vec::new(),
        };
        Kind {
            group: self.group.to_owned(),
            versions: vec![self.version.to_owned()],
            plural: self.plural.to_owned(),
            singular: self.kind.to_lowercase(),
            name: self.kind.to_owned(),
            list_name: format!("{}List", self.kind),
            namespaced: self.namespaced,
            short_names: self.short.iter().map(ToString::to_string).collect(),
            categories,
            status: self.traits & STATUS != 0,
            scale: (self.traits & SCALE != 0).then(ScalePaths::built_in),
            custom: false,
            review: self.traits & REVIEW != 0,
            generation: self.traits & GENERATION != 0,
            fields: self.fields,
            columns: Vec::new(),
        }
    }
}
