//! References: the objects that a Kubernetes object names. One table for all its readers.
//!
//! The engine indexes objects by their references (`relation:references`), reading packed JSON text; the object page
//! shows the references of an object with their roles, reading parsed JSON. [`Tree`] is the interface to both.

mod gateway;
mod pod_spec;

use std::borrow::Cow;

/// A JSON value, read in place. Values of an unexpected type are empty.
pub trait Tree<'t>: Copy {
    /// The member of this name; `None` if there is none.
    fn get(self, name: &str) -> Option<Self>;
    /// Returns the string; empty for other values.
    fn text(self) -> Cow<'t, str>;
    /// The elements of a list; none if it is no list.
    fn items(self) -> impl Iterator<Item = Self>;
    /// The members of an object; none if it is no object.
    fn members(self) -> impl Iterator<Item = (Cow<'t, str>, Self)>;
}

/// An object whose fields are found by JSON pointers.
pub trait Root<'t> {
    /// Its values.
    type Tree: Tree<'t>;
    /// The value at a pointer such as `/spec/nodeName`.
    fn pointer(&self, pointer: &str) -> Option<Self::Tree>;
}

/// An object that another object names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'r> {
    /// API group; empty for the core group, and if the reference has none.
    pub group: &'r str,
    /// Kind.
    pub kind: &'r str,
    /// Namespace; empty for a cluster-scoped kind.
    pub namespace: &'r str,
    /// Name. Never empty.
    pub name: &'r str,
    /// Role of the reference: `volume`, `service account`, `backend`.
    pub role: &'static str,
    /// The volume or container that uses it; empty if it is the whole object.
    pub part: &'r str,
}

/// Callback for each reference, including repeated ones.
type Found<'f> = dyn FnMut(Reference<'_>) + 'f;

/// Field that contains a name: the kind that has it, its path, group and kind of the named object, whether that kind is
/// namespaced, and the role.
type Name = (&'static str, &'static str, &'static str, &'static str, bool, &'static str);

const STORAGE: &str = "storage.k8s.io";
const NETWORKING: &str = "networking.k8s.io";

const NAMES: [Name; 11] = [
    ("StatefulSet", "/spec/serviceName", "", "Service", true, "governing service"),
    ("Ingress", "/spec/ingressClassName", NETWORKING, "IngressClass", false, "class"),
    ("Ingress", "/spec/defaultBackend/service/name", "", "Service", true, "default backend"),
    ("PersistentVolumeClaim", "/spec/volumeName", "", "PersistentVolume", false, "volume"),
    ("PersistentVolumeClaim", "/spec/storageClassName", STORAGE, "StorageClass", false, "class"),
    ("PersistentVolume", "/spec/storageClassName", STORAGE, "StorageClass", false, "class"),
    ("PersistentVolume", "/spec/csi/driver", STORAGE, "CSIDriver", false, "driver"),
    ("VolumeAttachment", "/spec/attacher", STORAGE, "CSIDriver", false, "driver"),
    ("VolumeAttachment", "/spec/nodeName", "", "Node", false, "node"),
    ("VolumeAttachment", "/spec/source/persistentVolumeName", "", "PersistentVolume", false, "volume"),
    ("Gateway", "/spec/gatewayClassName", gateway::GROUP, "GatewayClass", false, "class"),
];

/// Paths of the spec of a pod template, in all kinds that have one.
const POD_SPECS: [&str; 3] = ["/spec/template/spec", "/spec/jobTemplate/spec/template/spec", "/template/spec"];

/// Returns a string; empty if it is missing.
fn string<'t, T: Tree<'t>>(value: Option<T>) -> Cow<'t, str> {
    value.map(T::text).unwrap_or_default()
}

/// Iterates over the elements of a list; empty if it is missing.
fn items<'t, T: Tree<'t>>(value: Option<T>) -> impl Iterator<Item = T> {
    value.into_iter().flat_map(T::items)
}

/// Returns a nested member by names.
fn descend<'t, T: Tree<'t>>(value: T, names: &[&str]) -> Option<T> {
    names.iter().try_fold(value, |value, name| value.get(name))
}

/// Calls `found` for each object that an object names, in the order of its fields. `service` is the value of its label
/// `kubernetes.io/service-name`, by which an endpoint slice names its service.
pub fn references<'t, R: Root<'t>>(object: &R, namespace: &str, name: &str, service: &str, found: &mut Found<'_>) {
    let kind = string(object.pointer("/kind"));
    for (_, at, group, kind, is_namespaced, role) in NAMES.iter().filter(|(of, ..)| *of == kind) {
        let namespace = if *is_namespaced { namespace } else { "" };
        Role { role, part: "" }.named((*group, *kind), namespace, &string(object.pointer(at)), found);
    }
    match &*kind {
        "Pod" => {
            if let Some(spec) = object.pointer("/spec") {
                pod_spec::references(spec, namespace, found);
                pod_spec::ephemeral_claims(spec, namespace, name, found);
            }
        }
        "Ingress" => ingress(object, namespace, found),
        "EndpointSlice" => {
            Role { role: "service", part: "" }.named(("", "Service"), namespace, service, found);
            items(object.pointer("/endpoints")).for_each(|endpoint| target(endpoint, namespace, found));
        }
        "Endpoints" => {
            for subset in items(object.pointer("/subsets")) {
                let addresses = items(subset.get("addresses")).chain(items(subset.get("notReadyAddresses")));
                addresses.for_each(|address| target(address, namespace, found));
            }
        }
        "HorizontalPodAutoscaler" => {
            Role { role: "scale target", part: "" }.object(object.pointer("/spec/scaleTargetRef"), namespace, found);
            for metric in items(object.pointer("/spec/metrics")) {
                let described = descend(metric, &["object", "describedObject"]);
                Role { role: "metric", part: "" }.object(described, namespace, found);
            }
        }
        "HTTPRoute" | "GRPCRoute" | "TLSRoute" | "TCPRoute" | "UDPRoute" => gateway::route(object, namespace, found),
        "Gateway" => gateway::gateway(object, namespace, found),
        "IngressClass" => {
            // Parameters of scope `Cluster` have no namespace.
            Role { role: "parameters", part: "" }.object(object.pointer("/spec/parameters"), "", found);
        }
        "PersistentVolumeClaim" => {
            // The API server fills both fields if one is set, unless the source is in another namespace.
            let source = object.pointer("/spec/dataSourceRef").or_else(|| object.pointer("/spec/dataSource"));
            Role { role: "data source", part: "" }.object(source, namespace, found);
        }
        "RoleBinding" | "ClusterRoleBinding" => binding(object, namespace, found),
        "ServiceAccount" => {
            for (at, role) in [("/secrets", "secret"), ("/imagePullSecrets", "image pull secret")] {
                for secret in items(object.pointer(at)) {
                    Role { role, part: "" }.named(("", "Secret"), namespace, &string(secret.get("name")), found);
                }
            }
        }
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
            for webhook in items(object.pointer("/webhooks")) {
                let part = string(webhook.get("name"));
                let service = descend(webhook, &["clientConfig", "service"]);
                Role { role: "webhook", part: &part }.service(service, found);
            }
        }
        "APIService" => Role { role: "API", part: "" }.service(object.pointer("/spec/service"), found),
        "PersistentVolume" => {
            let claim = object.pointer("/spec/claimRef");
            let field = |name| string(claim.and_then(|claim| claim.get(name)));
            let claim = ("", "PersistentVolumeClaim");
            Role { role: "claim", part: "" }.named(claim, &field("namespace"), &field("name"), found);
        }
        _ => {
            let specs = POD_SPECS.iter().filter_map(|at| object.pointer(at));
            specs
                .filter(|spec| spec.get("containers").is_some())
                .for_each(|spec| pod_spec::references(spec, namespace, found));
        }
    }
}

fn ingress<'t, R: Root<'t>>(ingress: &R, namespace: &str, found: &mut Found<'_>) {
    for rule in items(ingress.pointer("/spec/rules")) {
        let host = string(rule.get("host"));
        for path in items(descend(rule, &["http", "paths"])) {
            let name = string(descend(path, &["backend", "service", "name"]));
            Role { role: "backend", part: &host }.named(("", "Service"), namespace, &name, found);
        }
    }
    for tls in items(ingress.pointer("/spec/tls")) {
        let name = string(tls.get("secretName"));
        Role { role: "certificate", part: "" }.named(("", "Secret"), namespace, &name, found);
    }
}

fn binding<'t, R: Root<'t>>(binding: &R, namespace: &str, found: &mut Found<'_>) {
    let role = binding.pointer("/roleRef");
    let of_namespace = string(role.and_then(|role| role.get("kind"))) == "Role";
    Role { role: "role", part: "" }.object(role, if of_namespace { namespace } else { "" }, found);
    for subject in items(binding.pointer("/subjects")) {
        // Users and groups are no objects.
        if string(subject.get("kind")) == "ServiceAccount" {
            Role { role: "subject", part: "" }.object(Some(subject), namespace, found);
        }
    }
}

/// Reports the pod of an address, and its node.
fn target<'t, T: Tree<'t>>(endpoint: T, namespace: &str, found: &mut Found<'_>) {
    Role { role: "endpoint", part: "" }.object(endpoint.get("targetRef"), namespace, found);
    Role { role: "node", part: "" }.named(("", "Node"), "", &string(endpoint.get("nodeName")), found);
}

/// Role of a reference, and the part of the object that uses it.
#[derive(Clone, Copy)]
struct Role<'r> {
    role: &'static str,
    part: &'r str,
}

impl Role<'_> {
    /// Reports an object by group and kind, namespace (empty if cluster-scoped) and name, unless the name is empty.
    fn named(self, (group, kind): (&str, &str), namespace: &str, name: &str, found: &mut Found<'_>) {
        if !name.is_empty() {
            found(Reference { group, kind, namespace, name, role: self.role, part: self.part });
        }
    }

    /// Reports a service by a reference with its namespace, which a cluster-scoped object has to name.
    fn service<'t, T: Tree<'t>>(self, reference: Option<T>, found: &mut Found<'_>) {
        let field = |name| string(reference.and_then(|reference| reference.get(name)));
        self.named(("", "Service"), &field("namespace"), &field("name"), found);
    }

    /// Reports an object by a reference with a kind; without a namespace it is in the namespace of the referring
    /// object.
    fn object<'t, T: Tree<'t>>(self, reference: Option<T>, namespace: &str, found: &mut Found<'_>) {
        let field = |name| string(reference.and_then(|reference| reference.get(name)));
        let (version, group, own_namespace) = (field("apiVersion"), field("apiGroup"), field("namespace"));
        let group = match version.split_once('/') {
            Some((group, _)) => group,
            None => &*group,
        };
        let namespace = if own_namespace.is_empty() { namespace } else { &*own_namespace };
        self.named((group, &*field("kind")), namespace, &field("name"), found);
    }
}
