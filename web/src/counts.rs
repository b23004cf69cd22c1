//! Counts: how many objects of each kind the cluster has, for the navigation. `counting.rs` requests them.

use std::cell::RefCell;

use informer::ResourceInfo;
use leptos::prelude::*;

use crate::navigator::Navigator;
use crate::view_state::ViewState;

thread_local! {
    /// The server's counts, by resource (`apps/v1/deployments`). Not in a signal: each further type of a signal is a
    /// kilobyte of the wasm file that the first rows wait for.
    static SERVER_COUNTS: RefCell<Vec<(String, u64)>> = const { RefCell::new(Vec::new()) };
}

/// Counts of the kinds in the chosen namespace. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    navigator: Navigator,
    state: ViewState,
    /// Incremented with each change of the server's counts.
    changes: RwSignal<u32>,
}

impl Counts {
    /// Starts with the count of the table's kind only.
    pub(crate) fn new(navigator: Navigator, state: ViewState) -> Self {
        Self { navigator, state, changes: RwSignal::new(0) }
    }

    /// The count of a kind; `None` while it is unknown. Tracked.
    pub(crate) fn get(self, info: &ResourceInfo) -> Option<u64> {
        if self.is_live(info) {
            let rows = self
                .state
                .totals
                .with(|totals| Some(totals.as_ref().filter(|totals| totals.synced)?.unfiltered as u64));
            if rows.is_some() {
                return rows;
            }
        }
        self.changes.track();
        known(&info.gvr().to_string())
    }

    /// Whether the count of a kind changes with each event: it is the table's. Tracked.
    pub(crate) fn is_live(self, info: &ResourceInfo) -> bool {
        self.navigator.resource.with(|current| *current == info.gvr())
    }

    /// Records the server's count of a resource, or that it is unknown.
    pub(crate) fn record(self, resource: &str, count: Option<u64>) {
        if known(resource) == count {
            return;
        }
        SERVER_COUNTS.with_borrow_mut(|all| {
            all.retain(|(get, _)| get != resource);
            all.extend(count.map(|count| (resource.to_owned(), count)));
        });
        self.changes.update(|changes| *changes += 1);
    }

    /// Clears the server's counts, because they belong to another namespace.
    pub(crate) fn clear(self) {
        SERVER_COUNTS.take();
        self.changes.update(|changes| *changes += 1);
    }
}

fn known(resource: &str) -> Option<u64> {
    SERVER_COUNTS.with_borrow(|all| all.iter().find(|(name, _)| name == resource).map(|(_, count)| *count))
}
