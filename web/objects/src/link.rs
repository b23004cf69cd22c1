//! Link: an object reference that a UI shows as a hyperlink.

use serde_json::Value;

use crate::field::{Fields, group_of};
use crate::kinds::{Kind, is_cluster_scoped};

/// An object by group, kind, namespace and name. It need not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind, as in the object's `kind`. Its resource name comes from API discovery.
    pub kind: String,
    /// Namespace; empty for a cluster-scoped object.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl Link {
    /// The link to an object.
    pub fn of(object: &Value) -> Self {
        Self::new(object.group(), object.text("kind"), object.namespace(), object.name())
    }

    /// A link by its four parts.
    pub fn new(group: &str, kind: &str, namespace: &str, name: &str) -> Self {
        Self { group: group.to_owned(), kind: kind.to_owned(), namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// A link to an object of a known kind. `namespace` must be empty for a cluster-scoped kind.
    pub(crate) fn to(kind: Kind, namespace: &str, name: &str) -> Self {
        Self::new(kind.group, kind.kind, namespace, name)
    }

    /// Resolves a reference that has no namespace, such as an ownerReference: uses `namespace`, except for kinds of
    /// Kubernetes that are cluster-scoped. The scope of a custom resource is unknown here, so the UI asks discovery.
    pub(crate) fn of_reference(reference: &Value, namespace: &str) -> Self {
        let (group, kind) = (group_of(reference.text("apiVersion")), reference.text("kind"));
        let namespace = if is_cluster_scoped(group, kind) { "" } else { namespace };
        Self::new(group, kind, namespace, reference.text("name"))
    }

    /// Whether the link points to this object.
    pub fn is_to(&self, object: &Value) -> bool {
        self.name == object.name()
            && self.namespace == object.namespace()
            && self.kind == object.text("kind")
            && self.group == object.group()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reference_to_a_cluster_scoped_kind_has_no_namespace() {
        let namespace = |version: &str, kind: &str| {
            Link::of_reference(&json!({"apiVersion": version, "kind": kind, "name": "a"}), "shop").namespace
        };
        assert_eq!(namespace("v1", "Node"), "");
        assert_eq!(namespace("rbac.authorization.k8s.io/v1", "ClusterRole"), "");
        assert_eq!(namespace("storage.k8s.io/v1", "StorageClass"), "");
        assert_eq!(namespace("longhorn.io/v1beta2", "Node"), "shop", "a namespaced kind with the same name");
        assert_eq!(namespace("apps/v1", "ReplicaSet"), "shop");
    }
}
