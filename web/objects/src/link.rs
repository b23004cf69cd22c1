//! Link: an object reference that a UI shows as a hyperlink.

use serde_json::Value;

use crate::field::{Fields, group_of};
use crate::kinds::Kind;

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

    /// Target of a reference without a namespace, such as an owner reference: in `namespace`, unless it is a Node.
    pub(crate) fn of_owner(owner: &Value, namespace: &str) -> Self {
        let kind = owner.text("kind");
        let namespace = if kind == "Node" { "" } else { namespace };
        Self::new(group_of(owner.text("apiVersion")), kind, namespace, owner.text("name"))
    }

    /// Whether the link points to this object.
    pub fn is_to(&self, object: &Value) -> bool {
        self.name == object.name()
            && self.namespace == object.namespace()
            && self.kind == object.text("kind")
            && self.group == object.group()
    }
}
