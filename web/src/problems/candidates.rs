//! Candidates: the objects of a kind that may be unwell, from a view of its informer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::{ErrorReport, Freshness, InformerStatus, ResourceInfo};
use js_sys::{Array, JSON, Map};
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::kinds::Kind;
use crate::client::record::Record;
use crate::client::{Snapshot, View};
use crate::cluster::{Cluster, Informer, Scope};
use crate::freshness;
use crate::namespaces::{self, names, one};
use crate::plain;
use crate::status_line::clock;

/// Most objects of a kind that are examined.
pub(super) const MOST: u32 = 500;

/// Least time between two reads of the objects of a kind.
const PAUSE: Duration = Duration::from_millis(500);

/// Objects that were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) objects: Vec<Arc<Value>>,
    /// Number of the objects that may be unwell, with those that are not read.
    pub(super) candidates: u64,
    /// Number of all objects.
    pub(super) all: u64,
}

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        let same = self.objects.iter().zip(&other.objects).all(|(a, b)| Arc::ptr_eq(a, b));
        same && self.objects.len() == other.objects.len()
            && (self.candidates, self.all) == (other.candidates, other.all)
    }
}

/// Candidates of a kind. Clones share their state, which may outlive the informer: it is released with the owner.
#[derive(Clone)]
pub(super) struct Candidates {
    pub(super) info: ResourceInfo,
    pub(super) status: ArcRwSignal<InformerStatus>,
    /// `None` until the first list is complete.
    pub(super) found: ArcRwSignal<Option<Found>>,
    error: ArcRwSignal<Option<ErrorReport>>,
    /// Whether several namespaces are chosen.
    are_several: bool,
}

/// The open view, and the objects of its last rows.
struct Reader {
    view: View,
    to: Candidates,
    rows: RefCell<(Map, Vec<Arc<Value>>)>,
    is_waiting: Cell<bool>,
    on_change: RefCell<Option<Closure<dyn Fn()>>>,
}

impl Candidates {
    /// Opens the informer of a kind, in the one chosen namespace or in all, and a view of the candidates in the chosen ones. They
    /// close with the owner.
    pub(super) fn open(cluster: Cluster, kind: &'static Kind, info: ResourceInfo, chosen: Option<&str>) -> Self {
        let chosen = chosen.filter(|_| info.namespaced);
        let candidates = Self {
            info,
            are_several: namespaces::are_several(chosen),
            status: ArcRwSignal::new(InformerStatus::default()),
            found: ArcRwSignal::new(None),
            error: ArcRwSignal::new(None),
        };
        let namespace = one(chosen).map(str::to_owned);
        let narrowed = chosen.filter(|_| namespace.is_none()).unwrap_or_default();
        let narrowed = plain::strings(names(narrowed));
        let (status, resource) = (candidates.status.clone(), candidates.info.gvr().to_string());
        let informer =
            cluster.informer(&resource, &Scope { namespace, ..Scope::default() }, move |new| status.set(new));
        let window = Array::of2(&0.into(), &MOST.into());
        let query = Record::new().with("filter", kind.filter).with("namespaces", narrowed).with("window", window);
        let view = informer.shared().and_then(|shared| shared.view(&query).ok());
        let reader = view.map(|view| Reader::start(view, candidates.clone()));
        let open = StoredValue::new_local((informer, reader));
        on_cleanup(move || {
            open.try_with_value(|(informer, reader)| {
                if let Some(reader) = reader {
                    reader.close();
                }
                Informer::stop(informer);
            });
        });
        candidates
    }

    /// Whether its candidates are known, or are known to be unreadable. Tracked.
    pub(super) fn is_settled(&self) -> bool {
        // One kind that fails must not hide the problems of the others: its note names the cause.
        self.is_there() || self.error.with(Option::is_some) || self.status.with(|status| status.last_error.is_some())
    }

    /// Whether its candidates are known. Tracked.
    pub(super) fn is_there(&self) -> bool {
        self.found.with(Option::is_some)
    }

    /// Whether its candidates may be older than the cluster. Tracked.
    pub(super) fn is_old(&self) -> bool {
        self.status.with(|status| !matches!(status.freshness, Freshness::Live | Freshness::Polling))
    }

    /// Time of the last contact with the server if they may be old, in milliseconds. Tracked.
    pub(super) fn as_of(&self) -> Option<f64> {
        self.status.with(|status| status.last_contact_at).filter(|_| self.is_there() && self.is_old())
    }

    /// Number of candidates that are read, and of all, if some are not. Tracked.
    pub(super) fn unread(&self) -> Option<(u64, u64)> {
        self.found.with(|found| {
            let found = found.as_ref()?;
            let read = found.objects.len() as u64;
            (read < found.candidates).then_some((read, found.candidates))
        })
    }

    /// Why candidates are missing, partial or old. Tracked.
    pub(super) fn note(&self) -> Option<String> {
        let (error, is_there) = (self.error.get(), self.is_there());
        let these = "these problems are";
        self.status.with(|status| {
            let note = freshness::note(&self.info.resource, these, status, error.as_ref(), is_there, clock);
            let is_refused = self.are_several && status.freshness == Freshness::Forbidden;
            if is_refused { namespaces::and_why(note) } else { note }
        })
    }
}

impl Reader {
    fn start(view: View, to: Candidates) -> Rc<Self> {
        let (rows, on_change) = (RefCell::new((Map::new(), Vec::new())), RefCell::new(None));
        let reader = Rc::new(Self { view, to, rows, is_waiting: Cell::new(false), on_change });
        let weak = Rc::downgrade(&reader);
        let on_change = Closure::<dyn Fn()>::new(move || {
            let Some(reader) = weak.upgrade().filter(|reader| !reader.is_waiting.replace(true)) else { return };
            reader.read();
            // A busy cluster changes in each frame.
            let weak = Rc::downgrade(&reader);
            let again = move || {
                if let Some(reader) = weak.upgrade() {
                    reader.is_waiting.set(false);
                    reader.read();
                }
            };
            set_timeout(again, PAUSE);
        });
        let _unsubscribe = reader.view.subscribe(on_change.as_ref().unchecked_ref());
        reader.on_change.replace(Some(on_change));
        reader
    }

    fn close(&self) {
        self.view.close();
        self.on_change.take();
    }

    fn read(&self) {
        if let Some(error) = self.view.error() {
            self.to.error.set(Some(plain::report(&error)));
            return;
        }
        let snapshot: Snapshot = self.view.snapshot();
        // Before that the objects are a part of the list.
        if !snapshot.has_synced() {
            return;
        }
        let found = Found {
            objects: self.objects(&snapshot),
            candidates: snapshot.total().into(),
            all: snapshot.unfiltered().into(),
        };
        if self.to.found.with_untracked(|known| known.as_ref() != Some(&found)) {
            self.to.found.set(Some(found));
        }
    }

    /// Objects of the rows; those of unchanged rows, which are the same JavaScript objects, are not parsed again.
    fn objects(&self, snapshot: &Snapshot) -> Vec<Arc<Value>> {
        let (known, before) = self.rows.take();
        let rows = snapshot.rows();
        let (now, mut objects) = (Map::new(), Vec::new());
        for row in rows.unchecked_ref::<Array>().iter() {
            let same =
                known.get(&row).as_f64().and_then(|at| before.get(usize::try_from(plain::whole(at)).ok()?)).cloned();
            let Some(object) = same.or_else(|| parsed(&row)) else { continue };
            now.set(&row, &JsValue::from_f64(objects.len() as f64));
            objects.push(object);
        }
        self.rows.replace((now, objects.clone()));
        objects
    }
}

/// A row, which is an object; `None` for one that has not arrived.
fn parsed(row: &JsValue) -> Option<Arc<Value>> {
    let text = JSON::stringify(row).ok()?.as_string()?;
    serde_json::from_str(&text).ok().map(Arc::new)
}
