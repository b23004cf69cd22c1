//! Managers of changed fields: the client that owns a field now, and the time of its last change.
//!
//! The cache has no `managedFields`, a third of an object, so a recorded change does not name its author. The server's object
//! names the manager of each field that it still has. It is read when a line is opened, as metadata only.

use std::sync::Arc;

use informer::GroupVersionResource;
use kube_objects::{ChangedPath, Extent, settings};
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use crate::client::requests;
use crate::cluster::Cluster;
use crate::status_line::clock;
use crate::visible::visible;

/// Managers of the fields of an object.
#[derive(Clone, PartialEq)]
pub(super) enum Managers {
    Loading,
    /// The response: an object with `metadata` only.
    Known(Arc<Value>),
    /// The object does not exist any more.
    Gone,
    /// The request failed.
    Failed(String),
}

impl Managers {
    /// Reads those of an object, by its key `namespace/name` or `name`. `uid` is empty if it is not known.
    pub(super) fn read(cluster: Cluster, resource: &GroupVersionResource, key: &str, uid: String) -> RwSignal<Self> {
        let managers = RwSignal::new(Self::Loading);
        let (namespace, name) = key.split_once('/').map_or((None, key), |(namespace, name)| (Some(namespace), name));
        let path = requests::object_path(resource, namespace, name);
        let factory = cluster.factory();
        spawn_local(async move {
            let read = match requests::read_metadata(&factory, &path).await {
                // Another object may have the name now.
                Ok(object) if !uid.is_empty() && object["metadata"]["uid"] != *uid => Self::Gone,
                Ok(object) => Self::Known(Arc::new(object)),
                Err(failure) if failure.code == "not-found" => Self::Gone,
                Err(failure) => Self::Failed(failure.message),
            };
            // The line may be closed by now.
            drop(managers.try_set(read));
        });
        managers
    }

    /// The manager of a field, by its JSONPath: `kubectl-edit, 10:00:05`. Empty if it has none, or is not known.
    pub(super) fn of(&self, path: &str) -> String {
        let Self::Known(object) = self else { return String::new() };
        let Some(path) = ChangedPath::parse(path) else { return String::new() };
        let all = settings(object, &Value::Null, &path.steps());
        let Some(setting) = all.iter().find(|setting| setting.extent != Extent::Inside) else { return String::new() };
        let part = if setting.subresource.is_empty() { String::new() } else { format!(" ({})", setting.subresource) };
        let time = setting.time.map_or_else(String::new, |time| format!(", {}", clock(time)));
        format!("{}{part}{time}", visible(&setting.manager))
    }

    /// The sentence about fields whose managers are not known.
    pub(super) fn note(&self) -> Option<String> {
        match self {
            Self::Loading | Self::Known(_) => None,
            Self::Gone => Some("The object no longer exists, and with it the managers of its fields.".to_owned()),
            Self::Failed(message) => {
                Some(format!("The managers of these fields could not be read: {}", visible(message)))
            }
        }
    }
}
