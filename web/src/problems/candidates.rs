//! Candidates: the objects of a kind that may be unhealthy, from a view of its informer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::{ErrorReport, Freshness, InformerStatus, ResourceInfo};
use js_sys::{Array, JSON, Map};
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::client::record::Record;
use crate::client::{Snapshot, View};
use crate::cluster::{Cluster, Informer, Scope};
use crate::freshness;
use crate::namespaces::{self, names, one};
use crate::plain;
use crate::status_line::clock;

/// Selection of the objects of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CandidateSelection {
    /// Filter of the objects; empty for all.
    pub(crate) filter: &'static str,
    /// Maximum number of objects that are read.
    pub(crate) limit: u32,
    /// Subject of notes: `these problems are`.
    pub(crate) note_subject: &'static str,
}

/// Minimum time between two reads of the objects of a kind.
const MIN_READ_INTERVAL: Duration = Duration::from_millis(500);

/// Objects that were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct CandidateObjects {
    pub(crate) objects: Vec<Arc<Value>>,
    /// Number of the objects that may be unhealthy, with those that are not read.
    pub(crate) candidates: u64,
    /// Number of all objects.
    pub(crate) all: u64,
}

impl PartialEq for CandidateObjects {
    fn eq(&self, other: &Self) -> bool {
        let same = self.objects.iter().zip(&other.objects).all(|(a, b)| Arc::ptr_eq(a, b));
        same && self.objects.len() == other.objects.len()
            && (self.candidates, self.all) == (other.candidates, other.all)
    }
}

/// Candidates of a kind. Clones share their state, which may outlive the informer: it is released with the owner.
#[derive(Clone)]
pub(crate) struct Candidates {
    pub(crate) info: ResourceInfo,
    pub(crate) status: ArcRwSignal<InformerStatus>,
    /// `None` until the first list is complete.
    pub(crate) found: ArcRwSignal<Option<CandidateObjects>>,
    error: ArcRwSignal<Option<ErrorReport>>,
    /// Whether several namespaces are chosen.
    has_several_namespaces: bool,
    note_subject: &'static str,
}

/// The open view, and the objects of its last rows.
struct Reader {
    view: View,
    target: Candidates,
    rows: RefCell<(Map, Vec<Arc<Value>>)>,
    is_waiting: Cell<bool>,
    on_change: RefCell<Option<Closure<dyn Fn()>>>,
}

impl Candidates {
    /// Opens the informer of a kind, in the one chosen namespace or in all, and a view of the candidates in the chosen
    /// ones. They close with the owner.
    pub(crate) fn open(
        cluster: Cluster,
        selection: CandidateSelection,
        info: ResourceInfo,
        chosen: Option<&str>,
    ) -> Self {
        let chosen = chosen.filter(|_| info.namespaced);
        let candidates = Self {
            info,
            has_several_namespaces: namespaces::are_several(chosen),
            note_subject: selection.note_subject,
            status: ArcRwSignal::new(InformerStatus::default()),
            found: ArcRwSignal::new(None),
            error: ArcRwSignal::new(None),
        };
        let namespace = one(chosen).map(str::to_owned);
        let view_namespaces = chosen.filter(|_| namespace.is_none()).unwrap_or_default();
        let view_namespaces = plain::strings(names(view_namespaces));
        let (status, resource) = (candidates.status.clone(), candidates.info.gvr().to_string());
        let informer =
            cluster.informer(&resource, &Scope { namespace, ..Scope::default() }, move |new| status.set(new));
        let window = Array::of2(&0.into(), &selection.limit.into());
        let query =
            Record::new().with("filter", selection.filter).with("namespaces", view_namespaces).with("window", window);
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
    pub(crate) fn is_settled(&self) -> bool {
        // One kind that fails must not hide the problems of the others: its note names the cause.
        self.is_loaded() || self.error.with(Option::is_some) || self.status.with(|status| status.last_error.is_some())
    }

    /// Whether its candidates are known. Tracked.
    pub(crate) fn is_loaded(&self) -> bool {
        self.found.with(Option::is_some)
    }

    /// Whether its candidates may be outdated. Tracked.
    pub(crate) fn is_old(&self) -> bool {
        self.status.with(|status| !matches!(status.freshness, Freshness::Live | Freshness::Polling))
    }

    /// Time of the last contact with the server if the candidates may be outdated, in milliseconds. Tracked.
    pub(crate) fn as_of(&self) -> Option<f64> {
        self.status.with(|status| status.last_contact_at).filter(|_| self.is_loaded() && self.is_old())
    }

    /// Number of candidates that are read, and of all, if some are not. Tracked.
    pub(crate) fn unread(&self) -> Option<(u64, u64)> {
        self.found.with(|found| {
            let found = found.as_ref()?;
            let read = found.objects.len() as u64;
            (read < found.candidates).then_some((read, found.candidates))
        })
    }

    /// Reason why candidates are missing, partial or old. Tracked.
    pub(crate) fn note(&self) -> Option<String> {
        let (error, is_loaded) = (self.error.get(), self.is_loaded());
        self.status.with(|status| {
            let note =
                freshness::note(&self.info.resource, self.note_subject, status, error.as_ref(), is_loaded, clock);
            let is_forbidden = self.has_several_namespaces && status.freshness == Freshness::Forbidden;
            if is_forbidden { namespaces::and_why(note) } else { note }
        })
    }
}

impl Reader {
    fn start(view: View, target: Candidates) -> Rc<Self> {
        let (rows, on_change) = (RefCell::new((Map::new(), Vec::new())), RefCell::new(None));
        let reader = Rc::new(Self { view, target, rows, is_waiting: Cell::new(false), on_change });
        let weak = Rc::downgrade(&reader);
        let on_change = Closure::<dyn Fn()>::new(move || {
            let Some(reader) = weak.upgrade().filter(|reader| !reader.is_waiting.replace(true)) else { return };
            reader.read();
            // A busy cluster changes in each frame.
            let weak = Rc::downgrade(&reader);
            let read_later = move || {
                if let Some(reader) = weak.upgrade() {
                    reader.is_waiting.set(false);
                    reader.read();
                }
            };
            set_timeout(read_later, MIN_READ_INTERVAL);
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
            self.target.error.set(Some(plain::report(&error)));
            return;
        }
        let snapshot: Snapshot = self.view.snapshot();
        // Before that the objects are a part of the list.
        if !snapshot.has_synced() {
            return;
        }
        let found = CandidateObjects {
            objects: self.objects(&snapshot),
            candidates: snapshot.total().into(),
            all: snapshot.unfiltered().into(),
        };
        if self.target.found.with_untracked(|known| known.as_ref() != Some(&found)) {
            self.target.found.set(Some(found));
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
