//! Cluster-scoped kinds: the built-in kinds without a namespace.

use informer::GroupVersionResource;

/// API groups whose kinds are all cluster-scoped.
const GROUPS: &[&str] = &[
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "node.k8s.io",
    "storagemigration.k8s.io",
];

/// Cluster-scoped kinds of other groups.
const KINDS: &[&str] = &[
    "componentstatuses",
    "namespaces",
    "nodes",
    "persistentvolumes",
    "certificatesigningrequests.certificates.k8s.io",
    "clustertrustbundles.certificates.k8s.io",
    "clusterrolebindings.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "csidrivers.storage.k8s.io",
    "csinodes.storage.k8s.io",
    "deviceclasses.resource.k8s.io",
    "devicetaintrules.resource.k8s.io",
    "ingressclasses.networking.k8s.io",
    "ipaddresses.networking.k8s.io",
    "priorityclasses.scheduling.k8s.io",
    "resourceslices.resource.k8s.io",
    "servicecidrs.networking.k8s.io",
    "storageclasses.storage.k8s.io",
    "volumeattachments.storage.k8s.io",
    "volumeattributesclasses.storage.k8s.io",
];

/// Whether a built-in resource is cluster-scoped. The scope of custom resources comes from discovery.
pub fn is_cluster_scoped(resource: &GroupVersionResource) -> bool {
    let GroupVersionResource { group, resource, .. } = resource;
    let is_kind = |kind: &&str| match kind.split_once('.') {
        Some((name, of)) => name == resource && of == group,
        None => *kind == resource && group.is_empty(),
    };
    GROUPS.contains(&group.as_str()) || KINDS.iter().any(is_kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_kubernetes_are_known_by_their_scope() {
        let is = |resource: &str| is_cluster_scoped(&resource.parse().expect("a resource"));
        for resource in ["v1/nodes", "v1/persistentvolumes", "apiextensions.k8s.io/v1/customresourcedefinitions"] {
            assert!(is(resource), "{resource}");
        }
        for resource in ["v1/pods", "apps/v1/deployments", "metrics.k8s.io/v1beta1/nodes", "example.dev/v1/namespaces"]
        {
            assert!(!is(resource), "{resource}");
        }
    }
}
