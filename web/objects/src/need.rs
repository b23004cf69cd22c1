//! Need: a set of objects that a summary or a diagnosis reads, for a UI to open an informer for.

use informer::LabelSelector;
use serde_json::Value;

use crate::field::Fields;
use crate::kinds::Kind;
use crate::link::Link;

/// Objects of one kind, in one namespace or in all, by one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind; its resource comes from discovery.
    pub kind: String,
    /// Namespace; empty for all namespaces, and for a cluster-scoped kind.
    pub namespace: String,
    /// Which of them.
    pub by: By,
}

/// Which objects of a kind are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// All of them.
    All,
    /// The one with this name.
    Name(String),
    /// Objects that a label selector selects.
    Labels(LabelSelector),
    /// Objects with an owner of this uid.
    Owner(String),
    /// Objects with this `spec.nodeName`.
    Node(String),
    /// Objects with an owner among these uids.
    Owners(Vec<String>),
    /// Events about the object with this uid.
    About(String),
    /// Events about the objects with these uids.
    AboutAny(Vec<String>),
    /// Objects that refer to this one: `Kind/namespace/name`, as in the engine's relation `references`.
    References(String),
}

impl Need {
    /// All objects of a kind in a namespace (empty: in all).
    pub(crate) fn all(kind: Kind, namespace: &str) -> Self {
        Self::new(kind, namespace, By::All)
    }

    /// One object by name.
    pub(crate) fn named(kind: Kind, namespace: &str, name: &str) -> Self {
        Self::new(kind, namespace, By::Name(name.to_owned()))
    }

    /// The object that a link leads to.
    pub(crate) fn link(link: &Link) -> Self {
        let (group, kind, namespace) = (link.group.clone(), link.kind.clone(), link.namespace.clone());
        Self { group, kind, namespace, by: By::Name(link.name.clone()) }
    }

    /// Events about an object. Those of a cluster-scoped object are in `default`.
    pub(crate) fn events(object: &Value) -> Self {
        let namespace = if object.namespace().is_empty() { "default" } else { object.namespace() };
        Self::new(crate::kinds::EVENT, namespace, By::About(object.uid().to_owned()))
    }

    /// Events of the kubelet about a node, which have the node's name in place of its uid.
    pub(crate) fn events_of_kubelet(node: &str) -> Self {
        Self::new(crate::kinds::EVENT, "default", By::About(node.to_owned()))
    }

    pub(crate) fn new(kind: Kind, namespace: &str, by: By) -> Self {
        Self { group: kind.group.to_owned(), kind: kind.kind.to_owned(), namespace: namespace.to_owned(), by }
    }

    /// The engine's index for it, and the values to look up: `relation:owner` and a uid. `None` for needs by key, by label
    /// selector or without a selection.
    pub fn index(&self) -> Option<(&'static str, &[String])> {
        use std::slice::from_ref;
        match &self.by {
            By::Owner(uid) => Some(("relation:owner", from_ref(uid))),
            By::Owners(uids) => Some(("relation:owner", uids)),
            By::Node(name) => Some(("relation:node", from_ref(name))),
            By::About(uid) => Some(("relation:involvedObject", from_ref(uid))),
            By::AboutAny(uids) => Some(("relation:involvedObject", uids)),
            By::References(value) => Some(("relation:references", from_ref(value))),
            By::All | By::Name(_) | By::Labels(_) => None,
        }
    }

    /// Whether one informer serves both: they are equal, or differ only in their sets of uids. A set grows with the answers.
    pub fn has_source_of(&self, other: &Self) -> bool {
        let are_sets =
            matches!((&self.by, &other.by), (By::Owners(_), By::Owners(_)) | (By::AboutAny(_), By::AboutAny(_)));
        self.kind == other.kind
            && self.group == other.group
            && self.namespace == other.namespace
            && (are_sets || self.by == other.by)
    }

    /// Whether the metadata of its objects is enough: of owned objects that have no state.
    pub fn is_metadata(&self) -> bool {
        matches!(self.by, By::Owners(_)) && self.group.is_empty() && matches!(&*self.kind, "ConfigMap" | "Secret")
    }

    /// The field selector with which a list requests only these; empty if the server cannot select by it.
    pub fn field_selector(&self) -> String {
        match &self.by {
            By::Name(name) => format!("metadata.name={name}"),
            By::Node(name) => format!("spec.nodeName={name}"),
            By::About(uid) => format!("involvedObject.uid={uid}"),
            _ => String::new(),
        }
    }

    /// The label selector with which a list requests only these; empty if there is none.
    pub fn label_selector(&self) -> String {
        if let By::Labels(selector) = &self.by { selector.to_string() } else { String::new() }
    }
}
