//! References: the objects that an object names.

use informer_packing::zero_value::{items, string};
use informer_packing::{Json, Outline};

use super::Values;
use super::pod_spec::{ephemeral_claims, references};
use informer::{Keyed, Object};

/// A field that holds the name of an object: whose field, where, of which kind, and whether that lives in a namespace.
const NAMES: [(&str, &str, &str, bool); 9] = [
    ("StatefulSet", "/spec/serviceName", "Service", true),
    ("Ingress", "/spec/ingressClassName", "IngressClass", false),
    ("Ingress", "/spec/defaultBackend/service/name", "Service", true),
    ("PersistentVolumeClaim", "/spec/volumeName", "PersistentVolume", false),
    ("PersistentVolumeClaim", "/spec/storageClassName", "StorageClass", false),
    ("PersistentVolume", "/spec/storageClassName", "StorageClass", false),
    ("PersistentVolume", "/spec/csi/driver", "CSIDriver", false),
    ("VolumeAttachment", "/spec/nodeName", "Node", false),
    ("VolumeAttachment", "/spec/source/persistentVolumeName", "PersistentVolume", false),
];

/// Where the spec of a pod is, in what makes pods. Nothing else has containers there.
const POD_SPECS: [&str; 3] = ["/spec/template/spec", "/spec/jobTemplate/spec/template/spec", "/template/spec"];

pub(super) fn of(object: &Object, outline: &Outline<'_>, values: &mut Values) {
    let (namespace, kind) = (object.namespace(), string(outline.pointer("/kind")));
    for (_, at, kind, in_namespace) in NAMES.iter().filter(|(of, ..)| *of == kind) {
        values.named(kind, if *in_namespace { namespace } else { "" }, &string(outline.pointer(at)));
    }
    match &*kind {
        "Pod" => {
            if let Some(spec) = outline.pointer("/spec") {
                references(spec, namespace, values);
                ephemeral_claims(spec, namespace, object.name(), values);
            }
        }
        "Ingress" => ingress(outline, namespace, values),
        "EndpointSlice" => {
            values.named("Service", namespace, object.labels().get("kubernetes.io/service-name").unwrap_or_default());
            items(outline.pointer("/endpoints")).for_each(|endpoint| target(endpoint, namespace, values));
        }
        "Endpoints" => {
            for subset in items(outline.pointer("/subsets")) {
                let addresses = items(subset.get("addresses")).chain(items(subset.get("notReadyAddresses")));
                addresses.for_each(|address| target(address, namespace, values));
            }
        }
        "HorizontalPodAutoscaler" => values.object(outline.pointer("/spec/scaleTargetRef"), namespace),
        "RoleBinding" | "ClusterRoleBinding" => {
            let role = outline.pointer("/roleRef");
            let of_namespace = string(role.and_then(|role| role.get("kind"))) == "Role";
            values.object(role, if of_namespace { namespace } else { "" });
            for subject in items(outline.pointer("/subjects")) {
                // Users and groups are no objects.
                if string(subject.get("kind")) == "ServiceAccount" {
                    values.object(Some(subject), namespace);
                }
            }
        }
        "ServiceAccount" => {
            for at in ["/secrets", "/imagePullSecrets"] {
                items(outline.pointer(at))
                    .for_each(|secret| values.named("Secret", namespace, &string(secret.get("name"))));
            }
        }
        "PersistentVolume" => {
            let claim = outline.pointer("/spec/claimRef");
            let field = |name| string(claim.and_then(|claim| claim.get(name)));
            values.named("PersistentVolumeClaim", &field("namespace"), &field("name"));
        }
        _ => {
            let specs = POD_SPECS.iter().filter_map(|at| outline.pointer(at));
            specs.filter(|spec| spec.get("containers").is_some()).for_each(|spec| references(spec, namespace, values));
        }
    }
}

fn ingress(ingress: &Outline<'_>, namespace: &str, values: &mut Values) {
    for rule in items(ingress.pointer("/spec/rules")) {
        for path in items(rule.pointer("/http/paths")) {
            values.named("Service", namespace, &string(path.pointer("/backend/service/name")));
        }
    }
    for tls in items(ingress.pointer("/spec/tls")) {
        values.named("Secret", namespace, &string(tls.get("secretName")));
    }
}

/// The pod behind an address, and its node.
fn target(endpoint: Json<'_>, namespace: &str, values: &mut Values) {
    values.object(endpoint.get("targetRef"), namespace);
    values.named("Node", "", &string(endpoint.get("nodeName")));
}
