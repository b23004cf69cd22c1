//! The cluster, as the page sees it: a factory of informers, and why there is none if there is none.

use std::cell::RefCell;
use std::rc::Rc;

use informer::{ErrorReport, Freshness, InformerStatus, Phase, ResourceInfo};
use js_sys::{Array, Promise};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::client::record::Record;
use crate::client::{self, Factory, ObjectStore, SharedInformer};
use crate::plain;

/// The factory of the page's cluster. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Cluster {
    factory: StoredValue<Factory, LocalStorage>,
    trouble: RwSignal<Option<String>>,
    crowded: RwSignal<bool>,
    /// The informers that wait for a connection, by their numbers.
    waiting: StoredValue<Vec<u32>>,
    /// Resources of the open informers of whole objects in all namespaces, by their numbers.
    whole: StoredValue<Vec<(u32, String)>>,
    last: StoredValue<u32>,
    /// Whether an engine has ever sent a message.
    heard: StoredValue<bool>,
}

/// An informer that the page uses, until it is stopped. Clones are the same.
#[derive(Clone)]
pub(crate) struct Informer(Rc<Inner>);

struct Inner {
    number: u32,
    cluster: Cluster,
    /// `None` if the package rejected the options.
    shared: Option<SharedInformer>,
    /// Listener for its status, while it is used.
    on_status: RefCell<Option<Closure<dyn Fn()>>>,
}

impl PartialEq for Informer {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

/// Options of an informer, beside its resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scope {
    pub(crate) namespace: Option<String>,
    pub(crate) field_selector: Option<String>,
    pub(crate) metadata_only: bool,
}

impl Scope {
    fn options(&self) -> Record {
        Record::new()
            .with("namespace", self.namespace.as_deref())
            .with("fieldSelector", self.field_selector.as_deref())
            .with("mode", self.metadata_only.then_some("metadata"))
    }
}

impl Cluster {
    /// The cluster of a factory.
    pub(crate) fn new(factory: &Factory) -> Self {
        let cluster = Self {
            factory: StoredValue::new_local(factory.clone()),
            trouble: RwSignal::new(None),
            crowded: RwSignal::new(false),
            waiting: StoredValue::new(Vec::new()),
            whole: StoredValue::new(Vec::new()),
            last: StoredValue::new(0),
            heard: StoredValue::new(false),
        };
        settle(factory.closed(), move |closed| {
            if let Err(error) = closed {
                cluster.trouble.try_set(Some(lost(cluster, &error)));
            }
        });
        cluster
    }

    /// Whether an informer of this page waits for a connection to watch, so that none should have one that can do without.
    pub(crate) fn crowded(self) -> ReadSignal<bool> {
        self.crowded.read_only()
    }

    /// Error that stops the whole page, if there is one.
    pub(crate) fn trouble(self) -> ReadSignal<Option<String>> {
        self.trouble.read_only()
    }

    /// The factory of the package, whose client makes requests.
    pub(crate) fn factory(self) -> Factory {
        self.factory.with_value(Clone::clone)
    }

    /// Lets all informers that wait for their next attempt make it now.
    pub(crate) fn retry(self) {
        self.factory.with_value(Factory::retry);
    }

    /// Starts an informer, and calls back with each status that it has from now on.
    pub(crate) fn informer(
        self,
        resource: &str,
        scope: &Scope,
        on_status: impl Fn(InformerStatus) + 'static,
    ) -> Informer {
        let informer = self.informer_with(resource, &scope.options(), on_status);
        if *scope == Scope::default() {
            self.whole.update_value(|whole| whole.push((informer.0.number, resource.to_owned())));
        }
        informer
    }

    /// Whether the page has an informer of a resource with whole objects of all namespaces.
    pub(crate) fn has_whole(self, resource: &str) -> bool {
        self.whole.with_value(|whole| whole.iter().any(|(_, known)| known == resource))
    }

    /// The same with any options of the package.
    pub(crate) fn informer_with(
        self,
        resource: &str,
        options: &Record,
        on_status: impl Fn(InformerStatus) + 'static,
    ) -> Informer {
        let number = self.last.try_update_value(|last| {
            *last += 1;
            *last
        });
        let number = number.unwrap_or_default();
        let made = self.factory.with_value(|factory| {
            let shared = factory.for_resource(resource, options)?;
            factory.start()?;
            Ok(shared)
        });
        let shared = match made {
            Ok(shared) => shared,
            Err(error) => {
                let last_error = Some(plain::rejection(&error));
                on_status(InformerStatus {
                    phase: Phase::Failed,
                    freshness: Freshness::Stale,
                    last_error,
                    ..InformerStatus::default()
                });
                return Informer(Rc::new(Inner { number, cluster: self, shared: None, on_status: RefCell::default() }));
            }
        };
        let heard = shared.clone();
        let tell = move || {
            let status = plain::status(&heard.status());
            self.note(number, is_waiting(&status));
            if status.phase != Phase::Failed {
                self.heard.try_set_value(true);
            }
            on_status(status);
        };
        // Another part of the page may use it, and it has a status then.
        if shared.status().phase() != "idle" {
            tell();
        }
        let tell = Closure::<dyn Fn()>::new(tell);
        // The status contains the error, too. The listener keeps the package from logging it.
        for event in ["status", "error"] {
            let _ = shared.add_event_listener_with_callback(event, tell.as_ref().unchecked_ref());
        }
        let on_status = RefCell::new(Some(tell));
        Informer(Rc::new(Inner { number, cluster: self, shared: Some(shared), on_status }))
    }

    /// Requests the resources of the server.
    pub(crate) fn resources(self, on_reply: impl FnOnce(Result<Vec<ResourceInfo>, ErrorReport>) + 'static) {
        let asked = self.factory.with_value(Factory::resources);
        settle(asked, move |answer| {
            let read = |resources: JsValue| {
                Array::from(&resources).iter().map(|info| plain::resource(info.unchecked_ref())).collect()
            };
            on_reply(answer.map(read));
        });
    }

    /// Deletes the snapshots persisted in this browser.
    pub(crate) fn clear_snapshots(self, on_reply: impl FnOnce(Result<(), ErrorReport>) + 'static) {
        let asked = self.factory.with_value(Factory::clear_snapshots);
        settle(asked, move |answer| on_reply(answer.map(drop)));
    }

    /// Notes whether an informer waits for a connection.
    fn note(self, number: u32, waits: bool) {
        let crowded = self.waiting.try_update_value(|waiting| {
            waiting.retain(|known| *known != number);
            if waits {
                waiting.push(number);
            }
            !waiting.is_empty()
        });
        if let Some(crowded) = crowded
            && self.crowded.get_untracked() != crowded
        {
            self.crowded.set(crowded);
        }
    }
}

impl Informer {
    /// The package's informer.
    pub(crate) fn shared(&self) -> Option<&SharedInformer> {
        self.0.shared.as_ref()
    }

    /// Releases the informer and its listener.
    pub(crate) fn stop(&self) {
        let (Some(shared), Some(on_status)) = (&self.0.shared, self.0.on_status.take()) else { return };
        for event in ["status", "error"] {
            let _ = shared.remove_event_listener_with_callback(event, on_status.as_ref().unchecked_ref());
        }
        let _stopped = shared.stop();
        self.0.cluster.whole.try_update_value(|whole| whole.retain(|(number, _)| *number != self.0.number));
        self.0.cluster.note(self.0.number, false);
    }
}

/// An object that the page follows, until this is dropped.
pub(crate) struct FollowedObject {
    store: ObjectStore,
    _on_change: Closure<dyn Fn()>,
}

impl Drop for FollowedObject {
    fn drop(&mut self) {
        self.store.close();
    }
}

impl Informer {
    /// Follows an object: `on_change` is called in a frame, with its JSON, or with `None` if it does not exist.
    pub(crate) fn object(&self, key: &str, on_change: impl Fn(Option<String>) + 'static) -> Option<FollowedObject> {
        let store = self.shared()?.object(key).ok()?;
        let followed = store.clone();
        let on_change = Closure::<dyn Fn()>::new(move || on_change(followed.text().as_string()));
        let _unsubscribe = store.subscribe(on_change.as_ref().unchecked_ref());
        Some(FollowedObject { store, _on_change: on_change })
    }

    /// Requests its inspection; `None` after an error.
    pub(crate) fn inspect(&self, on_reply: impl FnOnce(Option<client::Inspection>) + 'static) {
        if let Some(shared) = self.shared() {
            settle(shared.inspect(), move |answer| on_reply(answer.ok().map(JsCast::unchecked_into)));
        }
    }
}

/// Calls back with the result of a promise.
pub(crate) fn settle(promise: Promise, then: impl FnOnce(Result<JsValue, ErrorReport>) + 'static) {
    spawn_local(async move { then(JsFuture::from(promise).await.map_err(|reason| plain::rejection(&reason))) });
}

/// Whether an informer has no connection to watch by.
fn is_waiting(status: &InformerStatus) -> bool {
    (status.freshness, status.phase) == (Freshness::Queued, Phase::Reconnecting)
}

/// Message for an engine that has ended and cannot be replaced.
fn lost(cluster: Cluster, error: &ErrorReport) -> String {
    let was_there = cluster.heard.try_get_value() == Some(true);
    let message = error.message.trim_end_matches('.');
    if was_there {
        format!("The background worker failed: {message}. Reload the page to try again.")
    } else {
        format!("The engine could not be started: {message}")
    }
}
