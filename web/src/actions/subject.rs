//! Subjects: the objects that an action is about, each followed while its dialog is open.

use std::rc::Rc;

use informer::{GroupVersionResource, ResourceInfo};
use leptos::prelude::*;
use serde_json::Value;

use super::request::Target;
use crate::cluster::{Cluster, FollowedObject};
use crate::source::Source;
use crate::visible::visible;

/// Object of an action. Clones share their state.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) target: Target,
    /// JSON of the object; after a deletion its last state.
    pub(crate) json: ArcSignal<Option<String>>,
    /// Whether the object existed and was deleted.
    pub(crate) deleted: ArcSignal<bool>,
    /// Subscription that updates both, unless the open object's panel has one.
    pub(crate) subscription: Option<Rc<FollowedObject>>,
}

impl Subject {
    /// The object as it is now; null if it is not known.
    pub(super) fn object(&self) -> Value {
        self.json.with_untracked(|json| parsed(json.as_deref()))
    }

    /// Whether the object is loaded. Tracked until it is.
    pub(super) fn is_loaded(&self) -> bool {
        self.json.with_untracked(Option::is_some) || self.json.with(Option::is_some)
    }

    /// `namespace/name`, or `name`, with invisible characters as escapes.
    pub(super) fn title(&self) -> String {
        let Target { namespace, name, .. } = &self.target;
        let key = namespace.as_ref().map_or_else(|| name.clone(), |namespace| format!("{namespace}/{name}"));
        visible(&key).into_owned()
    }
}

/// An object of its JSON; null if there is none.
pub(crate) fn parsed(json: Option<&str>) -> Value {
    json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

/// The objects of one dialog, all of one resource. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Subjects {
    pub(crate) cluster: Cluster,
    list: StoredValue<Vec<Subject>, LocalStorage>,
    resource: StoredValue<GroupVersionResource>,
    /// Plural of the kind: `Pods`.
    label: StoredValue<String>,
    /// Discovery data of the page's kind.
    info: Memo<Option<ResourceInfo>>,
}

impl Subjects {
    /// The given objects of a resource, which is that of the page.
    pub(crate) fn new(cluster: Cluster, resource: GroupVersionResource, source: Source, list: Vec<Subject>) -> Self {
        let label = StoredValue::new(source.label.get_untracked());
        let list = StoredValue::new_local(list);
        Self { cluster, list, resource: StoredValue::new(resource), label, info: source.info }
    }

    /// Subjects of the same resource with another list of objects.
    pub(super) fn with_list(self, list: Vec<Subject>) -> Self {
        let list = StoredValue::new_local(list);
        let (resource, label) = (StoredValue::new(self.resource()), StoredValue::new(self.label.get_value()));
        Self { list, resource, label, ..self }
    }

    /// Discovery data of the resource; `None` before discovery has answered.
    pub(super) fn info(self) -> Option<ResourceInfo> {
        let of = self.resource();
        self.info.get_untracked().filter(|info| info.gvr() == of)
    }

    /// Repeats the current effect when the discovery data change.
    pub(super) fn track_info(self) {
        self.info.with(|_| ());
    }

    /// Sets the resource, and the plural of the kind.
    pub(crate) fn set_resource(self, resource: GroupVersionResource, label: String) {
        self.resource.try_set_value(resource);
        self.label.try_set_value(label);
    }

    /// Replaces the objects.
    pub(crate) fn replace(self, list: Vec<Subject>) {
        self.list.try_set_value(list);
    }

    pub(super) fn with<T>(self, read: impl FnOnce(&[Subject]) -> T) -> T {
        self.list.with_value(|list| read(list))
    }

    pub(super) fn len(self) -> usize {
        self.with(<[_]>::len)
    }

    /// Whether there are several objects.
    pub(super) fn are_many(self) -> bool {
        self.len() > 1
    }

    /// The subject at an index; none if the index is out of range, or the dialog is closed.
    pub(super) fn get(self, at: usize) -> Option<Subject> {
        self.list.try_with_value(|list| list.get(at).cloned()).flatten()
    }

    /// Key of the object with a uid: `namespace/name`, or `name`.
    pub(crate) fn key_of(self, uid: &str) -> Option<String> {
        let key = |subject: &Subject| {
            let Target { namespace, name, .. } = &subject.target;
            namespace.as_ref().map_or_else(|| name.clone(), |namespace| format!("{namespace}/{name}"))
        };
        self.with(|list| list.iter().find(|subject| subject.object()["metadata"]["uid"] == uid).map(key))
    }

    /// The resource of all of them.
    pub(super) fn resource(self) -> GroupVersionResource {
        self.resource.with_value(Clone::clone)
    }

    /// All objects as they are now.
    pub(super) fn objects(self) -> Vec<Value> {
        self.with(|list| list.iter().map(Subject::object).collect())
    }

    /// `Deployment web`, or `3 Deployments`; empty once the dialog or the menu is closed.
    pub(super) fn description(self) -> String {
        let one = |subject: &Subject| {
            let object = subject.object();
            let kind = object["kind"].as_str().unwrap_or("object");
            visible(&format!("{kind} {}", subject.target.name)).into_owned()
        };
        let label = self.label.try_get_value().unwrap_or_default();
        let text = |list: &Vec<Subject>| match &**list {
            [subject] => one(subject),
            list => visible(&format!("{} {label}", list.len())).into_owned(),
        };
        self.list.try_with_value(text).unwrap_or_default()
    }
}
