//! Feed: the informer of one kind and its aggregates, open while the overview shows them.

use std::sync::Arc;

use informer::{ErrorReport, Freshness, InformerStatus};
use js_sys::{Array, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::counts::{Count, Kind};
use super::figures::Figures;
use crate::client::aggregates::{Aggregate, AggregateOptions, AggregateValue};
use crate::client::{self, SharedInformer};
use crate::cluster::{Cluster, Informer, Scope, settle};
use crate::freshness;
use crate::plain;

/// Informer of a kind and its aggregates. Copies share their state; they are closed with their owner.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    pub(super) kind: &'static Kind,
    pub(super) status: RwSignal<InformerStatus>,
    /// Figures of each count, once its first list is complete.
    figures: RwSignal<Vec<Option<Arc<Figures>>>>,
    error: RwSignal<Option<ErrorReport>>,
    open: StoredValue<Vec<Opened>, LocalStorage>,
}

/// An aggregate, and the listener for its changes.
struct Opened {
    aggregate: Aggregate,
    _on_change: Closure<dyn Fn()>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.aggregate.close();
    }
}

impl Feed {
    /// Opens the informer in a namespace or in all, and its aggregates.
    pub(super) fn open(cluster: Cluster, kind: &'static Kind, namespace: Option<&String>) -> Self {
        let feed = Self {
            kind,
            status: RwSignal::new(InformerStatus::default()),
            figures: RwSignal::new(vec![None; kind.counts.len()]),
            error: RwSignal::new(None),
            open: StoredValue::new_local(Vec::new()),
        };
        let scope = Scope {
            namespace: namespace.filter(|_| kind.is_namespaced).cloned(),
            field_selector: Some(kind.field_selector.to_owned()).filter(|selector| !selector.is_empty()),
            ..Scope::default()
        };
        let informer = cluster.informer(kind.resource, &scope, move |status| {
            feed.status.try_set(status);
        });
        if let Some(shared) = informer.shared() {
            for (at, count) in kind.counts.iter().enumerate() {
                feed.open_count(shared, at, count);
            }
        }
        let informer = StoredValue::new_local(informer);
        on_cleanup(move || {
            drop(feed.open.try_update_value(std::mem::take));
            informer.try_with_value(Informer::stop);
        });
        feed
    }

    fn open_count(self, shared: &SharedInformer, at: usize, count: &'static Count) {
        settle(shared.aggregate(&options(count)), move |answer| {
            let aggregate: Aggregate = match answer {
                Ok(aggregate) => aggregate.unchecked_into(),
                Err(error) => {
                    self.error.try_set(Some(error));
                    return;
                }
            };
            let read = aggregate.clone();
            let on_change = Closure::<dyn Fn()>::new(move || self.read(at, &read));
            let _unsubscribe = aggregate.subscribe(on_change.as_ref().unchecked_ref());
            self.read(at, &aggregate);
            let opened = Opened { aggregate, _on_change: on_change };
            // If the overview has been closed meanwhile, the aggregate is dropped here, and so closed.
            let mut opened = Some(opened);
            self.open.try_update_value(|open| open.extend(opened.take()));
        });
    }

    fn read(self, at: usize, aggregate: &Aggregate) {
        if let Some(error) = aggregate.error() {
            self.error.try_set(Some(plain::report(&error)));
            return;
        }
        let Some(figures) = Figures::of(&aggregate.snapshot()) else { return };
        let is_known =
            |all: &Vec<Option<Arc<Figures>>>| all.get(at).is_some_and(|known| known.as_deref() == Some(&figures));
        let is_new = self.figures.try_with_untracked(|all| !is_known(all));
        if is_new == Some(true) {
            let figures = Arc::new(figures);
            self.figures.try_update(|all| {
                if let Some(known) = all.get_mut(at) {
                    *known = Some(figures);
                }
            });
        }
    }

    /// Figures of one of the kind's counts. Tracked.
    pub(super) fn figures(self, at: usize) -> Option<Arc<Figures>> {
        self.figures.with(|all| all.get(at).cloned().flatten())
    }

    /// Whether all figures are there. Tracked.
    pub(super) fn is_there(self) -> bool {
        self.figures.with(|all| all.iter().all(Option::is_some))
    }

    /// Whether the figures may be older than the cluster: they stay while a watch waits for its turn, or an engine is replaced.
    /// Tracked.
    pub(super) fn is_old(self) -> bool {
        self.status.with(|status| !matches!(status.freshness, Freshness::Live | Freshness::Polling))
    }

    /// Message about missing, partial or old figures. Tracked. `clock` formats a time.
    pub(super) fn note(self, clock: impl Fn(f64) -> String) -> Option<String> {
        let error = self.error.get();
        self.status.with(|status| {
            freshness::note(self.kind.plural, "these numbers are", status, error.as_ref(), self.is_there(), clock)
        })
    }
}

/// Options of an aggregate.
fn options(count: &Count) -> AggregateOptions {
    let options: AggregateOptions = client::record();
    options.set_by(&plain::strings(count.by.iter().copied()));
    let of = Array::<AggregateValue>::new_typed();
    let value: AggregateValue = client::record();
    value.set_op("count");
    of.push(&value);
    for column in count.sums {
        let value: AggregateValue = client::record();
        value.set_op("sum");
        value.set_column(column);
        of.push(&value);
    }
    options.set_of(&of);
    options.set_filter(count.filter);
    options.set_limit(count.limit);
    if !count.columns.is_empty() {
        let paths = Object::new();
        for (name, path) in count.columns {
            // Fails for frozen objects only.
            let _ = Reflect::set(&paths, &(*name).into(), &(*path).into());
        }
        options.set_columns(&paths);
    }
    options
}
