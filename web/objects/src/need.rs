//! Need: a set of objects that a summary or a diagnosis reads, for a UI to open an informer for.

use informer::LabelSelector;
use serde_json::Value;

use crate::field::Fields;
use crate::kinds::Kind;
use crate::link::Link;
use crate::selector;

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
    /// Events about the object with this uid.
    About(String),
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

    /// Whether an object is one of these. For a caller that has a cache without the index.
    pub fn matches(&self, object: &Value) -> bool {
        object.text("kind") == self.kind
            && object.group() == self.group
            && (self.namespace.is_empty() || self.namespace == object.namespace())
            && match &self.by {
                By::All => true,
                By::Name(name) => object.name() == name,
                By::Labels(selector) => selector::selects(selector, object),
                By::Owner(uid) => object.is_owned_by(uid),
                By::Node(name) => object.text("spec.nodeName") == name,
                By::About(uid) => !uid.is_empty() && crate::event::about(object).text("uid") == uid,
                By::References(value) => crate::edge::names(object, value),
            }
    }

    /// The engine's index for it, and the value to look up: `relation:owner` and a uid. `None` for needs by key, by label
    /// selector or without a selection.
    pub fn index(&self) -> Option<(&'static str, &str)> {
        match &self.by {
            By::Owner(uid) => Some(("relation:owner", uid)),
            By::Node(name) => Some(("relation:node", name)),
            By::About(uid) => Some(("relation:involvedObject", uid)),
            By::References(value) => Some(("relation:references", value)),
            By::All | By::Name(_) | By::Labels(_) => None,
        }
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
