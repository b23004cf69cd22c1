//! Sample custom resource: certificates, with printer columns.

use serde_json::json;

use super::world::World;

/// Creates the definition and some certificates.
pub(super) fn populate(world: &mut World, namespaces: &[String], count: usize) {
    let column = |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    let definition = json!({
        "metadata": {"name": "certificates.example.dev"},
        "spec": {
            "group": "example.dev",
            "scope": "Namespaced",
            "names": {
                "plural": "certificates", "singular": "certificate", "kind": "Certificate", "listKind": "CertificateList",
                "shortNames": ["cert"], "categories": ["all"],
            },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                "additionalPrinterColumns": [
                    column("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
                    column("Secret", "string", ".spec.secretName"),
                    column("Issuer", "string", ".spec.issuerRef.name"),
                    column("Expires", "date", ".status.notAfter"),
                    column("Age", "date", ".metadata.creationTimestamp"),
                ],
            }],
            "conversion": {"strategy": "None"},
        },
    });
    world.create("customresourcedefinitions.apiextensions.k8s.io", "", definition);
    for number in 0..count {
        let namespace = world.one_of(namespaces).clone();
        let ready = !world.percent(10);
        let since = world.random.u64(3600..60 * 86_400);
        let name = format!("tls-{number}");
        let certificate = json!({
            "metadata": {"name": name, "creationTimestamp": World::ago(since), "labels": {"team": namespace}},
            "spec": {
                "secretName": format!("{name}-secret"), "dnsNames": [format!("{name}.example.dev")],
                "issuerRef": {"kind": "ClusterIssuer", "name": "example-ca"},
            },
            "status": {
                "notBefore": World::ago(since), "notAfter": "2027-12-31T00:00:00Z",
                "conditions": [{
                    "type": "Ready", "status": if ready { "True" } else { "False" }, "lastTransitionTime": World::ago(since),
                    "reason": if ready { "Ready" } else { "Issuing" }, "message": "",
                }],
            },
        });
        world.create("certificates.example.dev", &namespace, certificate);
    }
}
