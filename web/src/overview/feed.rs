//! Feed: the informer of one kind and its aggregates, open while the overview shows them.

use std::sync::Arc;

use informer::{ErrorReport, Freshness, InformerStatus};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::counts::Kind;
use super::options::options;
use crate::client::{Aggregate, SharedInformer};
use crate::cluster::{Cluster, Informer, settle};
use crate::figures::Figures;
use crate::freshness;
use crate::namespaces;
use crate::open_aggregate::OpenAggregate;
use crate::plain;
use crate::scoped_informer::ScopedInformer;

/// Informer of a kind and its aggregates. Copies share their state; they are closed with their owner.
///
/// Another choice of a namespace reopens only the aggregates, unless the informer is of one namespace.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    pub(super) kind: &'static Kind,
    pub(super) status: RwSignal<InformerStatus>,
    /// Chosen namespaces, if the kind has namespaces.
    chosen: Memo<Option<String>>,
    current: RwSignal<FeedFigures>,
    error: RwSignal<Option<ErrorReport>>,
    /// Whether an aggregate could not be opened: its code was not loaded.
    failed_to_open: RwSignal<bool>,
    /// Number of attempts to open the aggregates.
    attempts: RwSignal<u32>,
    open: StoredValue<OpenAggregates, LocalStorage>,
}

/// Figures of each count, once its first list is complete, and the namespaces that they are of.
#[derive(Clone, Default)]
struct FeedFigures {
    namespaces: Option<String>,
    figures: Vec<Option<Arc<Figures>>>,
}

/// Open aggregates, and the attempt that they are of: a later response of an earlier attempt is dropped.
#[derive(Default)]
struct OpenAggregates {
    attempt: u32,
    aggregates: Vec<OpenAggregate>,
}

impl Feed {
    /// Opens the informer and its aggregates, now and for each choice of namespaces.
    pub(super) fn open(cluster: Cluster, kind: &'static Kind, namespaces: Memo<Option<String>>) -> Self {
        Self::open_while(cluster, kind, namespaces, Memo::new(|_| true))
    }

    /// Opens the informer and its aggregates while they are needed. A feed that is not needed sends no request.
    pub(super) fn open_while(
        cluster: Cluster,
        kind: &'static Kind,
        namespaces: Memo<Option<String>>,
        is_needed: Memo<bool>,
    ) -> Self {
        let chosen = Memo::new(move |_| namespaces.get().filter(|_| kind.is_namespaced));
        let ScopedInformer { status, informer, scope } =
            ScopedInformer::open_while(cluster, kind.resource, kind.field_selector, chosen, is_needed);
        let feed = Self {
            kind,
            status,
            chosen,
            current: RwSignal::new(FeedFigures::default()),
            error: RwSignal::new(None),
            failed_to_open: RwSignal::new(false),
            attempts: RwSignal::new(0),
            open: StoredValue::new_local(OpenAggregates::default()),
        };
        Effect::new(move || {
            feed.attempts.track();
            let chosen = chosen.get();
            let view_namespaces =
                chosen.clone().filter(|_| scope.with(|scope| scope.namespace.is_none())).unwrap_or_default();
            informer.with(|informer| {
                if let Some(shared) = informer.as_ref().and_then(Informer::shared) {
                    feed.open_counts(shared, chosen, &view_namespaces);
                }
            });
        });
        // A lost connection is the common reason why code is not loaded.
        let is_live = Memo::new(move |_| feed.status.with(|status| status.freshness == Freshness::Live));
        Effect::new(move || {
            if is_live.get() && feed.failed_to_open.get_untracked() {
                feed.retry();
            }
        });
        on_cleanup(move || {
            drop(feed.open.try_update_value(std::mem::take));
        });
        feed
    }

    /// Opens the aggregates again.
    pub(super) fn retry(self) {
        self.attempts.update(|attempts| *attempts += 1);
    }

    fn open_counts(self, shared: &SharedInformer, chosen: Option<String>, view_namespaces: &str) {
        let attempt = self.open.try_update_value(|open| {
            *open = OpenAggregates { attempt: open.attempt + 1, aggregates: Vec::new() };
            open.attempt
        });
        self.error.set(None);
        self.failed_to_open.set(false);
        self.current.set(FeedFigures { namespaces: chosen, figures: vec![None; self.kind.counts.len()] });
        let is_current = move || self.open.try_with_value(|open| Some(open.attempt) == attempt) == Some(true);
        for (at, count) in self.kind.counts.iter().enumerate() {
            settle(shared.aggregate(&options(count, view_namespaces)), move |answer| {
                let Ok(aggregate) = answer else {
                    if is_current() {
                        self.failed_to_open.set(true);
                    }
                    return;
                };
                let opened = OpenAggregate::new(aggregate.unchecked_into(), move |aggregate| {
                    if is_current() {
                        self.read(at, aggregate);
                    }
                });
                // If the overview has been closed meanwhile, or the aggregate is of an earlier attempt, it is closed
                // here.
                if is_current() {
                    self.open.try_update_value(|open| open.aggregates.push(opened));
                }
            });
        }
    }

    fn read(self, at: usize, aggregate: &Aggregate) {
        if let Some(error) = aggregate.error() {
            self.error.try_set(Some(plain::report(&error)));
            return;
        }
        let Some(figures) = Figures::of(&aggregate.snapshot()) else { return };
        let is_known =
            |current: &FeedFigures| current.figures.get(at).is_some_and(|known| known.as_deref() == Some(&figures));
        if self.current.try_with_untracked(|current| !is_known(current)) == Some(true) {
            let figures = Arc::new(figures);
            self.current.try_update(|current| {
                if let Some(known) = current.figures.get_mut(at) {
                    *known = Some(figures);
                }
            });
        }
    }

    /// Figures of one of the kind's counts. Tracked.
    pub(super) fn figures(self, at: usize) -> Option<Arc<Figures>> {
        // Other namespaces are chosen before the aggregates are reopened.
        let is_for_chosen = |current: &FeedFigures| self.chosen.with(|chosen| current.namespaces == *chosen);
        self.current.with(|current| current.figures.get(at).filter(|_| is_for_chosen(current))?.clone())
    }

    /// Whether all figures have arrived. Tracked.
    pub(super) fn has_all_figures(self) -> bool {
        (0..self.kind.counts.len()).all(|at| self.figures(at).is_some())
    }

    /// Whether the figures may be outdated: they stay while a watch waits for its turn, or an engine is replaced.
    /// Tracked.
    pub(super) fn is_old(self) -> bool {
        self.status.with(|status| !matches!(status.freshness, Freshness::Live | Freshness::Polling))
    }

    /// Whether the code that counts could not be loaded. Tracked.
    pub(super) fn failed_to_open(self) -> bool {
        self.failed_to_open.get()
    }

    /// Message about missing, partial or old figures. Tracked. `clock` formats a time.
    pub(super) fn note(self, clock: impl Fn(f64) -> String) -> Option<String> {
        let error = self.error.get();
        let are_several = self.chosen.with(|chosen| namespaces::are_several(chosen.as_deref()));
        self.status.with(|status| {
            let note = freshness::note(
                self.kind.plural,
                "these numbers are",
                status,
                error.as_ref(),
                self.has_all_figures(),
                clock,
            );
            if are_several && status.freshness == Freshness::Forbidden { namespaces::and_why(note) } else { note }
        })
    }
}
