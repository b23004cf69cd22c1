//! Reader of one need: an informer, whose objects are read again when it reports changes.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use informer::{InformerStatus, ResourceInfo};
use js_sys::{JSON, Object, Reflect};
use kube_objects::Need;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::NeedState;
use crate::client::{self, InformerOptions, SharedInformer};
use crate::cluster::{Cluster, Informer, settle};

/// The least time between two reads.
const PAUSE: Duration = Duration::from_millis(500);

/// The most objects that are read for a need without an index.
const MOST: u64 = 2_000;

/// Informer for a need; dropping it releases the informer.
pub(super) struct Reader(Option<Rc<Inner>>);

struct Inner {
    need: Need,
    informer: RefCell<Option<Informer>>,
    status: RefCell<InformerStatus>,
    /// The counters of the status at the last read.
    seen: Cell<Option<(u64, u64, u64)>>,
    is_reading: Cell<bool>,
    report: Box<dyn Fn(NeedState)>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(informer) = self.0.as_ref().and_then(|inner| inner.informer.take()) {
            informer.stop();
        }
    }
}

impl Reader {
    /// Opens an informer and reports its objects. Without a resource it opens none.
    pub(super) fn open(
        cluster: Cluster,
        info: Option<&ResourceInfo>,
        need: &Need,
        report: impl Fn(NeedState) + 'static,
    ) -> Self {
        let Some(info) = info else { return Self(None) };
        let need = scoped(need, info);
        let options = options(&need);
        let inner = Rc::new(Inner {
            need,
            informer: RefCell::default(),
            status: RefCell::default(),
            seen: Cell::new(None),
            is_reading: Cell::new(false),
            report: Box::new(report),
        });
        let heard = Rc::downgrade(&inner);
        let informer = cluster.informer_with(&info.gvr().to_string(), &options, move |status| {
            if let Some(inner) = heard.upgrade() {
                inner.status.replace(status);
                inner.look();
            }
        });
        inner.informer.replace(Some(informer));
        // In the next turn: the caller has not stored this reader's need yet.
        let first = Rc::downgrade(&inner);
        set_timeout(move || look(&first), Duration::ZERO);
        Self(Some(inner))
    }
}

fn look(inner: &Weak<Inner>) {
    if let Some(inner) = inner.upgrade() {
        inner.look();
    }
}

impl Inner {
    /// Reads the objects if they may have changed since the last read.
    fn look(self: &Rc<Self>) {
        let Some(shared) = self.informer.borrow().as_ref().map(|informer| informer.shared().cloned()) else { return };
        let status = self.status.borrow().clone();
        if !status.has_synced {
            if let Some(error) = status.last_error {
                (self.report)(NeedState::Failed(error));
            }
            return;
        }
        if status.objects > MOST && self.need.index().is_none() {
            return (self.report)(NeedState::TooMany(status.objects));
        }
        let counters = (status.events, status.lists, status.objects);
        if let Some(shared) = shared.filter(|_| self.seen.get() != Some(counters) && !self.is_reading.get()) {
            self.seen.set(Some(counters));
            self.read(&shared);
        }
    }

    fn read(self: &Rc<Self>, shared: &SharedInformer) {
        self.is_reading.set(true);
        let objects = match self.need.index() {
            Some((relation, value)) => shared.indexer().by_index(relation, value),
            None => shared.indexer().list(),
        };
        let weak = Rc::downgrade(self);
        settle(objects, move |answer| {
            let Some(inner) = weak.upgrade() else { return };
            match answer {
                Ok(objects) => {
                    let text = JSON::stringify(&objects).ok().and_then(|text| text.as_string());
                    let objects: Option<Vec<Value>> = text.and_then(|text| serde_json::from_str(&text).ok());
                    let mut objects = objects.unwrap_or_default();
                    objects.retain(|object| inner.need.matches(object));
                    (inner.report)(NeedState::Found(Arc::new(objects)));
                }
                Err(error) => (inner.report)(NeedState::Failed(error)),
            }
            let again = move || {
                if let Some(inner) = weak.upgrade() {
                    inner.is_reading.set(false);
                    inner.look();
                }
            };
            set_timeout(again, PAUSE);
        });
    }
}

/// The need, without its namespace if the kind is cluster-scoped. A custom resource can own objects of a namespace.
fn scoped(need: &Need, info: &ResourceInfo) -> Need {
    let namespace = if info.namespaced { need.namespace.clone() } else { String::new() };
    Need { namespace, ..need.clone() }
}

/// The options of the informer: only the objects of the need, as far as the server can select them.
fn options(need: &Need) -> InformerOptions {
    let options: InformerOptions = client::record();
    if !need.namespace.is_empty() {
        options.set_namespace(&need.namespace);
    }
    let (fields, labels) = (need.field_selector(), need.label_selector());
    if !fields.is_empty() {
        options.set_field_selector(&fields);
    }
    if !labels.is_empty() {
        options.set_label_selector(&labels);
    }
    if let Some((relation, _)) = need.index() {
        let indexers = Object::new();
        // Fails for frozen objects only.
        let _ = Reflect::set(&indexers, &JsValue::from_str(relation), &JsValue::from_str(relation));
        options.set_indexers(&indexers);
    }
    options
}

#[cfg(test)]
mod tests {
    use kube_objects::By;
    use serde_json::json;

    use super::*;

    #[test]
    fn need_of_a_cluster_scoped_kind_has_no_namespace() {
        let info = |namespaced: bool| {
            let info = json!({"group": "example.com", "version": "v1", "resource": "tenants", "kind": "Tenant",
                "namespaced": namespaced, "verbs": ["list", "watch"]});
            serde_json::from_value::<ResourceInfo>(info).expect("a resource")
        };
        let (group, kind) = ("example.com".to_owned(), "Tenant".to_owned());
        let need = Need { group, kind, namespace: "shop".to_owned(), by: By::Name("a".to_owned()) };
        assert_eq!(scoped(&need, &info(true)), need);
        let tenant = json!({"apiVersion": "example.com/v1", "kind": "Tenant", "metadata": {"name": "a"}});
        assert!(scoped(&need, &info(false)).matches(&tenant) && !need.matches(&tenant));
    }
}
