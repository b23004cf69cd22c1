//! Open object: the state that every tab of the drawer receives.

use std::sync::Arc;

use informer::{GroupVersionResource, ResourceInfo};
use leptos::prelude::*;
use serde_json::Value;

use super::columns;
use super::derived::Derived;
use super::history::{self, Revisions};
use super::related_objects::RelatedObjects;
use crate::actions::{Subject, Target};
use crate::cluster::Cluster;
use crate::loading::PageState;
use crate::navigator::Navigator;
use crate::source::Source;
use crate::yaml;

/// The object in the drawer and the state of its tabs. Clones share their state.
#[derive(Clone, Copy)]
pub(super) struct Opened {
    pub(super) cluster: Cluster,
    pub(super) navigator: Navigator,
    /// The informer of the table, in which the object is.
    pub(super) source: Source,
    /// All kinds of the cluster.
    pub(super) resources: RwSignal<Vec<ResourceInfo>>,
    /// The time, once a second.
    pub(super) now: RwSignal<f64>,
    pub(super) followed: Followed,
    /// Data of the summary and the related objects.
    pub(super) derived: Derived,
    /// Its states since the drawer was opened.
    pub(super) history: RwSignal<Revisions>,
    name: StoredValue<Name>,
}

/// Identity of the object.
struct Name {
    resource: GroupVersionResource,
    /// `namespace/name`, or `name`.
    key: String,
}

/// State of the followed object.
#[derive(Clone, Copy)]
pub(super) struct Followed {
    /// Its JSON; after a deletion its last state.
    pub(super) json: RwSignal<Option<String>>,
    /// Whether it existed and was deleted, according to a complete cache.
    pub(super) deleted: Memo<bool>,
    /// Whether the object is a Secret.
    pub(super) is_secret: bool,
}

impl Opened {
    /// Follows the object of a key until the owner is cleaned up.
    pub(super) fn new(page: PageState, key: String) -> Self {
        let PageState { cluster, navigator, source, resources, now } = page;
        let resource = navigator.resource.get_untracked();
        let followed = follow(source, key.clone(), yaml::is_secret(&resource));
        let object = Memo::new(move |_| {
            followed.json.with(|json| json.as_deref().and_then(|json| serde_json::from_str(json).ok()).map(Arc::new))
        });
        let related = RelatedObjects::new(cluster, resources, object);
        let has_columns = Memo::new(move |_| {
            let is_other = |object: &Arc<Value>| {
                let text = |field: &str| object[field].as_str().unwrap_or_default();
                let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
                !kube_objects::has_summary(group, text("kind"))
            };
            related.needed.get() && object.with(|object| object.as_ref().is_some_and(is_other))
        });
        let columns = columns::follow(source, &key, has_columns);
        let derived = Derived::new(cluster, object, related, columns, now);
        let name = StoredValue::new(Name { resource, key });
        let history = history::follow(followed.json);
        Self { cluster, navigator, source, resources, now, followed, derived, history, name }
    }

    /// The page that it is open in.
    pub(super) fn page(self) -> PageState {
        let Self { cluster, navigator, source, resources, now, .. } = self;
        PageState { cluster, navigator, source, resources, now }
    }

    /// The resource of the object.
    pub(super) fn resource(self) -> GroupVersionResource {
        self.name.with_value(|name| name.resource.clone())
    }

    /// The object, as actions and requests name it.
    pub(super) fn subject(self) -> Subject {
        let target = Target { resource: self.resource().to_string(), namespace: self.namespace(), name: self.name() };
        let (json, deleted) = (self.followed.json.into(), self.followed.deleted.into());
        Subject { target, json, deleted, subscription: None }
    }

    /// Reason why no object is shown.
    pub(super) fn absence(self) -> &'static str {
        if self.source.status.with(|status| status.has_synced) {
            "This object does not exist. It appears here when it is created."
        } else {
            "Waiting for the object …"
        }
    }

    /// `namespace/name`, or `name`.
    pub(super) fn key(self) -> String {
        self.name.with_value(|name| name.key.clone())
    }

    /// The namespace of the object.
    pub(super) fn namespace(self) -> Option<String> {
        self.name.with_value(|name| Some(name.key.split_once('/')?.0.to_owned()))
    }

    /// The name of the object.
    pub(super) fn name(self) -> String {
        self.name.with_value(|name| name.key.split_once('/').map_or(name.key.as_str(), |(_, name)| name).to_owned())
    }
}

/// Follows an object until the owner is cleaned up.
pub(super) fn follow(source: Source, key: String, is_secret: bool) -> Followed {
    let (json, absent) = (RwSignal::new(None), RwSignal::new(false));
    // An informer that has just started has no objects yet, which is not a deletion.
    let synced = Memo::new(move |_| source.status.with(|status| status.has_synced));
    let deleted = Memo::new(move |_| absent.get() && synced.get() && json.with(Option::is_some));
    let current = StoredValue::new_local(None);
    Effect::new(move || {
        // Ends the previous subscription.
        current.set_value(None);
        let Some(informer) = source.informer.get() else { return };
        // The package calls back at most once per frame.
        current.set_value(informer.object(&key, move |text| {
            // The panel may be closed by now.
            absent.try_set(text.is_none());
            if text.is_some() {
                json.try_set(text);
            }
        }));
    });
    on_cleanup(move || drop(current.try_update_value(Option::take)));
    Followed { json, deleted, is_secret }
}
