//! References of a pod spec.

use crate::{Found, Role, Tree, descend, items, string};

const CONFIG_MAP: (&str, &str) = ("", "ConfigMap");
const SECRET: (&str, &str) = ("", "Secret");
const CLAIM: (&str, &str) = ("", "PersistentVolumeClaim");

/// Cluster-scoped kinds: the field that names an object of it, its group and kind, and the role.
const CLASSES: [(&str, &str, &str, &str); 2] = [
    ("priorityClassName", "scheduling.k8s.io", "PriorityClass", "priority class"),
    ("runtimeClassName", "node.k8s.io", "RuntimeClass", "runtime class"),
];

/// All objects that the spec of a pod names, except its node.
pub(super) fn references<'t, T: Tree<'t>>(spec: T, namespace: &str, found: &mut Found<'_>) {
    let account = string(spec.get("serviceAccountName"));
    Role { role: "service account", part: "" }.named(("", "ServiceAccount"), namespace, &account, found);
    for (field, group, kind, role) in CLASSES {
        Role { role, part: "" }.named((group, kind), "", &string(spec.get(field)), found);
    }
    for secret in items(spec.get("imagePullSecrets")) {
        let name = string(secret.get("name"));
        Role { role: "image pull secret", part: "" }.named(SECRET, namespace, &name, found);
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in items(spec.get(list)) {
            environment(container, namespace, found);
        }
    }
    for volume in items(spec.get("volumes")) {
        let part = string(volume.get("name"));
        let role = Role { role: "volume", part: &part };
        let mut named = |kind, name: Option<T>| role.named(kind, namespace, &string(name), found);
        for (kind, source) in volume.members() {
            match &*kind {
                "configMap" => named(CONFIG_MAP, source.get("name")),
                "persistentVolumeClaim" => named(CLAIM, source.get("claimName")),
                "projected" => {
                    for source in items(source.get("sources")) {
                        named(CONFIG_MAP, descend(source, &["configMap", "name"]));
                        named(SECRET, descend(source, &["secret", "name"]));
                    }
                }
                // Those of secrets, and of the storages that want a password: each has one of these.
                _ => {
                    named(SECRET, source.get("secretName"));
                    named(SECRET, descend(source, &["secretRef", "name"]));
                    named(SECRET, descend(source, &["nodePublishSecretRef", "name"]));
                }
            }
        }
    }
}

/// Sources of the environment of a container.
fn environment<'t, T: Tree<'t>>(container: T, namespace: &str, found: &mut Found<'_>) {
    let part = string(container.get("name"));
    let role = Role { role: "environment", part: &part };
    let mut named = |kind, name: Option<T>| role.named(kind, namespace, &string(name), found);
    for source in items(container.get("envFrom")) {
        named(CONFIG_MAP, descend(source, &["configMapRef", "name"]));
        named(SECRET, descend(source, &["secretRef", "name"]));
    }
    for variable in items(container.get("env")) {
        if let Some(source) = variable.get("valueFrom") {
            named(CONFIG_MAP, descend(source, &["configMapKeyRef", "name"]));
            named(SECRET, descend(source, &["secretKeyRef", "name"]));
        }
    }
}

/// Claims of ephemeral volumes, named after the pod and the volume.
pub(super) fn ephemeral_claims<'t, T: Tree<'t>>(spec: T, namespace: &str, pod: &str, found: &mut Found<'_>) {
    for volume in items(spec.get("volumes")).filter(|volume| volume.get("ephemeral").is_some()) {
        let part = string(volume.get("name"));
        Role { role: "volume", part: &part }.named(CLAIM, namespace, &format!("{pod}-{part}"), found);
    }
}
