//! Reader of one need: an informer, whose objects are read again when it reports changes.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use informer::{InformerStatus, ResourceInfo};
use js_sys::{Array, JSON, Promise};
use kube_objects::Need;
use leptos::prelude::*;
use serde_json::Value;

use super::NeedState;
use crate::client::SharedInformer;
use crate::client::record::{Record, texts};
use crate::cluster::{Cluster, Informer, settle};

/// Minimum time between two reads.
const MIN_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum number of objects that are read for a need without an index.
const MAX_OBJECTS: u64 = 2_000;

/// Informer for a need; dropping it releases the informer.
pub(super) struct Reader(Option<Rc<Inner>>);

/// Callback that takes a need with the uids that were read, and its state.
type Report = Box<dyn Fn(&Need, NeedState)>;

struct Inner {
    /// The need. Its uids may change.
    need: RefCell<Need>,
    is_namespaced: bool,
    /// `apiVersion` and `kind` of objects whose metadata alone is read, because those of the server are not theirs.
    type_meta: Option<[String; 2]>,
    informer: RefCell<Option<Informer>>,
    status: RefCell<InformerStatus>,
    /// The counters of the status at the last read.
    read_counters: Cell<Option<(u64, u64, u64)>>,
    is_reading: Cell<bool>,
    report: Report,
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
        report: impl Fn(&Need, NeedState) + 'static,
    ) -> Self {
        let Some(info) = info else { return Self(None) };
        let options = options(&scoped(need, info.namespaced));
        let gvr = info.gvr();
        let api_version = if gvr.group.is_empty() { gvr.version } else { format!("{}/{}", gvr.group, gvr.version) };
        let inner = Rc::new(Inner {
            need: RefCell::new(need.clone()),
            is_namespaced: info.namespaced,
            type_meta: need.is_metadata().then(|| [api_version, info.kind.clone()]),
            informer: RefCell::default(),
            status: RefCell::default(),
            read_counters: Cell::new(None),
            is_reading: Cell::new(false),
            report: Box::new(report),
        });
        let weak_inner = Rc::downgrade(&inner);
        let informer = cluster.informer_with(&info.gvr().to_string(), &options, move |status| {
            if let Some(inner) = weak_inner.upgrade() {
                inner.status.replace(status);
                inner.read_if_changed();
            }
        });
        inner.informer.replace(Some(informer));
        // In the next turn: the caller has not stored this reader's need yet.
        let first = Rc::downgrade(&inner);
        set_timeout(move || read_if_changed(&first), Duration::ZERO);
        Self(Some(inner))
    }
}

impl Reader {
    /// Reads the objects of another set of uids.
    pub(super) fn change(&self, need: &Need) {
        if let Some(inner) = &self.0 {
            inner.need.replace(need.clone());
            inner.read_counters.set(None);
            // In the next turn: the caller is changing the states.
            let inner = Rc::downgrade(inner);
            set_timeout(move || read_if_changed(&inner), Duration::ZERO);
        }
    }
}

fn read_if_changed(inner: &Weak<Inner>) {
    if let Some(inner) = inner.upgrade() {
        inner.read_if_changed();
    }
}

impl Inner {
    /// Reads the objects if they may have changed since the last read.
    fn read_if_changed(self: &Rc<Self>) {
        let Some(shared) = self.informer.borrow().as_ref().map(|informer| informer.shared().cloned()) else { return };
        let status = self.status.borrow().clone();
        let need = self.need.borrow().clone();
        if !status.has_synced {
            if let Some(error) = status.last_error {
                (self.report)(&need, NeedState::Failed(error));
            }
            return;
        }
        if status.objects > MAX_OBJECTS && need.index().is_none() {
            return (self.report)(&need, NeedState::TooMany(status.objects));
        }
        let counters = (status.events, status.lists, status.objects);
        if let Some(shared) = shared.filter(|_| self.read_counters.get() != Some(counters) && !self.is_reading.get()) {
            self.read_counters.set(Some(counters));
            self.read(&shared);
        }
    }

    fn read(self: &Rc<Self>, shared: &SharedInformer) {
        self.is_reading.set(true);
        let need = self.need.borrow().clone();
        let indexer = shared.indexer();
        let lists = match need.index() {
            Some((relation, values)) => values.iter().map(|value| indexer.by_index(relation, value)).collect::<Array>(),
            None => Array::of1(&indexer.list()),
        };
        let weak = Rc::downgrade(self);
        settle(Promise::all(&lists), move |answer| {
            let Some(inner) = weak.upgrade() else { return };
            match answer {
                Ok(lists) => {
                    let text = JSON::stringify(&lists).ok().and_then(|text| text.as_string());
                    let lists: Option<Vec<Vec<Value>>> = text.and_then(|text| serde_json::from_str(&text).ok());
                    let mut objects: Vec<Value> = lists.unwrap_or_default().into_iter().flatten().collect();
                    if let Some([api_version, kind]) = &inner.type_meta {
                        for object in &mut objects {
                            object["apiVersion"] = api_version.as_str().into();
                            object["kind"] = kind.as_str().into();
                        }
                    }
                    let scoped_need = scoped(&need, inner.is_namespaced);
                    objects.retain(|object| scoped_need.matches(object));
                    (inner.report)(&need, NeedState::Found(Arc::new(objects)));
                }
                Err(error) => (inner.report)(&need, NeedState::Failed(error)),
            }
            let read_later = move || {
                if let Some(inner) = weak.upgrade() {
                    inner.is_reading.set(false);
                    inner.read_if_changed();
                }
            };
            set_timeout(read_later, MIN_INTERVAL);
        });
    }
}

/// The need, without its namespace if the kind is cluster-scoped. A custom resource can own objects of a namespace.
fn scoped(need: &Need, is_namespaced: bool) -> Need {
    let namespace = if is_namespaced { need.namespace.clone() } else { String::new() };
    Need { namespace, ..need.clone() }
}

/// The options of the informer: only the objects of the need, as far as the server can select them.
fn options(need: &Need) -> Record {
    let options = Record::new()
        .with_text("namespace", &need.namespace)
        .with_text("mode", if need.is_metadata() { "metadata" } else { "" })
        .with_text("fieldSelector", &need.field_selector())
        .with_text("labelSelector", &need.label_selector());
    match need.index() {
        Some((relation, _)) => options.with("indexers", texts([(relation, relation)])),
        None => options,
    }
}

#[cfg(test)]
mod tests {
    use kube_objects::By;
    use serde_json::json;

    use super::*;

    #[test]
    fn need_of_a_cluster_scoped_kind_has_no_namespace() {
        let (group, kind) = ("example.com".to_owned(), "Tenant".to_owned());
        let need = Need { group, kind, namespace: "shop".to_owned(), by: By::Name("a".to_owned()) };
        assert_eq!(scoped(&need, true), need);
        let tenant = json!({"apiVersion": "example.com/v1", "kind": "Tenant", "metadata": {"name": "a"}});
        assert!(scoped(&need, false).matches(&tenant) && !need.matches(&tenant));
    }
}
