//! Cluster of the page: its factory of informers, or the error that prevents one.

use std::cell::RefCell;
use std::rc::Rc;

use informer::{ErrorReport, Freshness, InformerStatus, Phase, ResourceInfo};
use js_sys::{Array, Promise};
use leptos::prelude::*;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::client::record::Record;
use crate::client::{Factory, ObjectStore, SharedInformer};
use crate::plain;

/// The factory of the page's cluster. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Cluster {
    factory: StoredValue<Factory, LocalStorage>,
    engine_error: RwSignal<Option<String>>,
    has_queued: RwSignal<bool>,
    /// Numbers of the informers that are queued for a connection.
    queued: StoredValue<Vec<u32>>,
    /// The open informers that have a [`Scope`].
    open: StoredValue<Vec<OpenInformer>, LocalStorage>,
    /// Number of the last informer.
    last: RwSignal<u32>,
    /// Whether any engine has sent a message since the page was loaded.
    has_received: StoredValue<bool>,
}

/// Open informer of the page, with its resource and scope.
#[derive(Clone)]
pub(crate) struct OpenInformer {
    number: u32,
    pub(crate) resource: String,
    pub(crate) scope: Scope,
    /// The package's informer, the same for all users of one resource and scope.
    pub(crate) shared: SharedInformer,
}

/// An informer that the page uses, until it is stopped. Clones share their state.
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
            engine_error: RwSignal::new(None),
            has_queued: RwSignal::new(false),
            queued: StoredValue::new(Vec::new()),
            open: StoredValue::new_local(Vec::new()),
            last: RwSignal::new(0),
            has_received: StoredValue::new(false),
        };
        settle(factory.closed(), move |closed| {
            if let Err(error) = closed {
                cluster.engine_error.try_set(Some(lost_message(cluster, &error)));
            }
        });
        cluster
    }

    /// Whether an informer of this page is queued for a connection. Informers that are less important then release
    /// theirs.
    pub(crate) fn has_queued(self) -> ReadSignal<bool> {
        self.has_queued.read_only()
    }

    /// Error that stops the whole page, if there is one.
    pub(crate) fn engine_error(self) -> ReadSignal<Option<String>> {
        self.engine_error.read_only()
    }

    /// The factory of the package, whose client makes requests.
    pub(crate) fn factory(self) -> Factory {
        self.factory.with_value(Clone::clone)
    }

    /// Skips the delay of all informers before their next attempt.
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
        if let Some(shared) = informer.shared().cloned() {
            let open =
                OpenInformer { number: informer.0.number, resource: resource.to_owned(), scope: scope.clone(), shared };
            self.open.update_value(|all| all.push(open));
            // Not to this number: a status may have opened further ones.
            self.last.update(|_| ());
        }
        informer
    }

    /// The open informers. Tracked: changes when another one is opened.
    pub(crate) fn open(self) -> Vec<OpenInformer> {
        self.last.track();
        self.open.with_value(Clone::clone)
    }

    /// Whether a part of the page uses an informer.
    pub(crate) fn is_open(self, shared: &SharedInformer) -> bool {
        self.open.with_value(|all| all.iter().any(|open| open.shared == *shared))
    }

    /// Keeps an open informer from ending with its users, until its `stop()`.
    pub(crate) fn retain(self, open: &OpenInformer) -> Option<SharedInformer> {
        self.factory.with_value(|factory| factory.for_resource(&open.resource, &open.scope.options()).ok())
    }

    /// Whether the page has an informer of a resource with whole objects of all namespaces.
    pub(crate) fn has_whole_objects(self, resource: &str) -> bool {
        self.open.with_value(|all| {
            all.iter()
                .any(|open_informer| open_informer.resource == resource && open_informer.scope == Scope::default())
        })
    }

    /// Starts an informer with any options of the package.
    pub(crate) fn informer_with(
        self,
        resource: &str,
        options: &Record,
        on_status: impl Fn(InformerStatus) + 'static,
    ) -> Informer {
        let number = self.last.try_update_untracked(|last| {
            *last += 1;
            *last
        });
        let number = number.unwrap_or_default();
        let result = self.factory.with_value(|factory| {
            let shared = factory.for_resource(resource, options)?;
            factory.start()?;
            Ok(shared)
        });
        let shared = match result {
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
        let source = shared.clone();
        let notify = move || {
            let status = plain::status(&source.status());
            self.record_queued(number, is_queued(&status));
            if status.phase != Phase::Failed {
                self.has_received.try_set_value(true);
            }
            on_status(status);
        };
        // Another part of the page may use it, and it has a status then.
        if shared.status().phase() != "idle" {
            notify();
        }
        let notify = Closure::<dyn Fn()>::new(notify);
        // The status contains the error, too. The listener keeps the package from logging it.
        for event in ["status", "error"] {
            let _ = shared.add_event_listener_with_callback(event, notify.as_ref().unchecked_ref());
        }
        let on_status = RefCell::new(Some(notify));
        Informer(Rc::new(Inner { number, cluster: self, shared: Some(shared), on_status }))
    }

    /// Requests the resources of the server.
    pub(crate) fn resources(self, on_reply: impl FnOnce(Result<Vec<ResourceInfo>, ErrorReport>) + 'static) {
        let promise = self.factory.with_value(Factory::resources);
        settle(promise, move |answer| {
            let read = |resources: JsValue| {
                Array::from(&resources).iter().map(|info| plain::resource(info.unchecked_ref())).collect()
            };
            on_reply(answer.map(read));
        });
    }

    /// Inspects all informers of the engine, with their protocol steps or without.
    pub(crate) fn inspect(self, history: bool, on_reply: impl FnOnce(Result<JsValue, ErrorReport>) + 'static) {
        let options = Record::new().with("history", history);
        settle(self.factory.with_value(|factory| factory.inspect(&options)), on_reply);
    }

    /// Deletes the snapshots persisted in this browser.
    pub(crate) fn clear_snapshots(self, on_reply: impl FnOnce(Result<(), ErrorReport>) + 'static) {
        let promise = self.factory.with_value(Factory::clear_snapshots);
        settle(promise, move |answer| on_reply(answer.map(drop)));
    }

    /// Records whether an informer is queued for a connection.
    fn record_queued(self, number: u32, waits: bool) {
        let has_queued = self.queued.try_update_value(|queued| {
            queued.retain(|known| *known != number);
            if waits {
                queued.push(number);
            }
            !queued.is_empty()
        });
        if let Some(has_queued) = has_queued
            && self.has_queued.get_untracked() != has_queued
        {
            self.has_queued.set(has_queued);
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
        self.0.cluster.open.try_update_value(|all| all.retain(|open_informer| open_informer.number != self.0.number));
        self.0.cluster.record_queued(self.0.number, false);
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

    /// Requests its inspection, as a type of code that is loaded later; `None` after an error.
    pub(crate) fn inspect<T: DeserializeOwned>(&self, on_reply: impl FnOnce(Option<T>) + 'static) {
        if let Some(shared) = self.shared() {
            let read = |value| serde_wasm_bindgen::from_value(value).ok();
            settle(shared.inspect(), move |answer| on_reply(answer.ok().and_then(read)));
        }
    }
}

/// Calls back with the result of a promise.
pub(crate) fn settle(promise: Promise, then: impl FnOnce(Result<JsValue, ErrorReport>) + 'static) {
    spawn_local(async move { then(JsFuture::from(promise).await.map_err(|reason| plain::rejection(&reason))) });
}

/// Whether an informer is queued for a connection.
fn is_queued(status: &InformerStatus) -> bool {
    (status.freshness, status.phase) == (Freshness::Queued, Phase::Reconnecting)
}

/// Message for an engine that has ended and cannot be replaced.
fn lost_message(cluster: Cluster, error: &ErrorReport) -> String {
    let has_received = cluster.has_received.try_get_value() == Some(true);
    let message = error.message.trim_end_matches('.');
    if has_received {
        format!("The background worker failed: {message}. Reload the page to try again.")
    } else {
        format!("The engine could not be started: {message}")
    }
}
