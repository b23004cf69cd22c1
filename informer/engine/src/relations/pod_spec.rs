//! References of a pod spec.

use informer_packing::Json;
use informer_packing::zero_value::{items, string};

use super::Values;

/// Everything in a namespace that the spec of a pod names.
pub(super) fn references(spec: Json<'_>, namespace: &str, values: &mut Values) {
    let mut named = |kind, name: Option<Json<'_>>| values.named(kind, namespace, &string(name));
    named("ServiceAccount", spec.get("serviceAccountName"));
    for secret in items(spec.get("imagePullSecrets")) {
        named("Secret", secret.get("name"));
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in items(spec.get(list)) {
            for source in items(container.get("envFrom")) {
                named("ConfigMap", source.pointer("/configMapRef/name"));
                named("Secret", source.pointer("/secretRef/name"));
            }
            for variable in items(container.get("env")) {
                if let Some(source) = variable.get("valueFrom") {
                    named("ConfigMap", source.pointer("/configMapKeyRef/name"));
                    named("Secret", source.pointer("/secretKeyRef/name"));
                }
            }
        }
    }
    for volume in items(spec.get("volumes")) {
        for (kind, source) in volume.members() {
            match &*kind {
                "configMap" => named("ConfigMap", source.get("name")),
                "persistentVolumeClaim" => named("PersistentVolumeClaim", source.get("claimName")),
                "projected" => {
                    for source in items(source.get("sources")) {
                        named("ConfigMap", source.pointer("/configMap/name"));
                        named("Secret", source.pointer("/secret/name"));
                    }
                }
                // Those of secrets, and of the storages that want a password: each has one of these.
                _ => {
                    named("Secret", source.get("secretName"));
                    named("Secret", source.pointer("/secretRef/name"));
                    named("Secret", source.pointer("/nodePublishSecretRef/name"));
                }
            }
        }
    }
}

/// The claims that a pod is given volumes by: they are called after both.
pub(super) fn ephemeral_claims(spec: Json<'_>, namespace: &str, pod: &str, values: &mut Values) {
    for volume in items(spec.get("volumes")).filter(|volume| volume.get("ephemeral").is_some()) {
        values.named("PersistentVolumeClaim", namespace, &format!("{pod}-{}", string(volume.get("name"))));
    }
}
