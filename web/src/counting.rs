//! Counting: requests the number of objects of each kind from the server, for `counts.rs`.
//!
//! A list with `limit=1` has the number of the remaining objects (`remainingItemCount`), so a count costs one small
//! request. Requests are sent one after the other, so that they take one connection: first all of them, at most
//! [`MAX_REQUESTS`], because a cluster may have thousands of kinds; then one in [`REQUEST_INTERVAL`] while the page is
//! visible, kind by kind, so that an open page costs the server ten small requests a minute, however many kinds there
//! are. Of several namespaces the counts are added, one request for each of them; the kinds after the last request have
//! no count. A user who may not list a kind has no count of it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use informer::{ErrorCode, ResourceInfo};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::client::failure::Failure;
use crate::client::requests;
use crate::counts::Counts;
use crate::kinds;
use crate::loading::PageState;
use crate::namespaces::names;

/// Time for each request, once every kind has been counted.
const REQUEST_INTERVAL: Duration = Duration::from_secs(6);

/// Maximum number of requests of a round.
const MAX_REQUESTS: usize = 200;

/// A kind to count.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    resource: String,
    /// Path of the list; in several namespaces, of each of them.
    paths: Vec<String>,
}

/// The rounds for one choice of namespaces.
struct Rounds {
    page: PageState,
    counts: Counts,
    kinds: Vec<Kind>,
    /// Resources that the user may not list: they are not requested again.
    forbidden: RefCell<BTreeSet<String>>,
    /// Whether the kinds or the namespaces have changed since.
    ended: Cell<bool>,
}

/// Counts the kinds from now on, and again after each choice of namespaces.
pub(crate) fn watch(page: PageState, counts: Counts) {
    let kinds = Memo::new(move |_| {
        let namespaces = page.navigator.namespaces.get();
        let listed = page.resources.with(|all| chosen(all, namespaces.as_deref()));
        (namespaces, listed)
    });
    let running = StoredValue::new_local(None::<Rc<Rounds>>);
    let end = move || running.try_update_value(Option::take).flatten().iter().for_each(|rounds| rounds.ended.set(true));
    on_cleanup(move || {
        end();
    });
    Effect::new(move |before: Option<Option<String>>| {
        end();
        let (namespaces, kinds) = kinds.get();
        if before.is_some_and(|before| before != namespaces) {
            counts.clear();
        }
        let rounds = Rounds { page, counts, kinds, forbidden: RefCell::default(), ended: Cell::new(false) };
        let rounds = Rc::new(rounds);
        running.set_value(Some(rounds.clone()));
        rounds.begin();
        namespaces
    });
    keep_live(page, counts);
}

/// Keeps the last count of a table that the page leaves: that of the server is older.
fn keep_live(page: PageState, counts: Counts) {
    Effect::new(move |before: Option<(Option<String>, String, Option<u64>)>| {
        let (namespaces, resource) = (page.navigator.namespaces.get(), page.navigator.resource.get().to_string());
        if let Some((counted_namespaces, counted_resource, Some(count))) = before
            && counted_namespaces == namespaces
            && counted_resource != resource
        {
            counts.record(&counted_resource, Some(count));
        }
        let live = page.source.info.get().filter(|info| counts.is_live(info)).and_then(|info| counts.get(&info));
        (namespaces, resource, live)
    });
}

impl Rounds {
    /// Counts all kinds, once the page is visible and the server answers, and then one after the other again.
    fn begin(self: Rc<Self>) {
        spawn_local(async move {
            if self.count_all().await {
                self.schedule_next(0);
            } else if !self.ended.get() {
                set_timeout(move || self.begin(), REQUEST_INTERVAL);
            }
        });
    }

    /// Returns whether all kinds could be counted.
    async fn count_all(&self) -> bool {
        if document().hidden() {
            return false;
        }
        for kind in &self.kinds {
            if !self.count(kind).await {
                return false;
            }
        }
        true
    }

    /// Counts a kind after its pause, and then the next one.
    fn schedule_next(self: Rc<Self>, at: usize) {
        let Some(requests) = self.kinds.get(at).map(|kind| kind.paths.len()) else { return };
        if self.ended.get() {
            return;
        }
        let count_next = move || {
            spawn_local(async move {
                if let Some(kind) = self.kinds.get(at).filter(|_| !self.ended.get() && !document().hidden()) {
                    self.count(kind).await;
                }
                let next = (at + 1) % self.kinds.len();
                self.schedule_next(next);
            });
        };
        set_timeout(count_next, REQUEST_INTERVAL * u32::try_from(requests).unwrap_or(u32::MAX));
    }

    /// Counts a kind; `None` if the rounds have ended meanwhile.
    async fn count_kind(&self, kind: &Kind) -> Option<Result<Option<u64>, Failure>> {
        let mut all = Some(0);
        for path in &kind.paths {
            let counted = requests::count(&self.page.cluster.factory(), path).await;
            if self.ended.get() {
                return None;
            }
            match counted {
                Ok(count) => all = sum(all, count),
                Err(failure) => return Some(Err(failure)),
            }
        }
        Some(Ok(all))
    }

    /// Counts a kind. Returns whether the next one can be counted, too.
    async fn count(&self, kind: &Kind) -> bool {
        let Kind { resource, .. } = kind;
        if self.forbidden.borrow().contains(resource) {
            return true;
        }
        match self.count_kind(kind).await {
            None => return false,
            Some(Ok(count)) => self.counts.record(resource, count),
            // The others would fail, too. Known counts stay; the status line shows that the server is unreachable.
            Some(Err(failure)) if failure.code == ErrorCode::Network.as_str() => return false,
            Some(Err(failure)) => {
                if failure.code == ErrorCode::Forbidden.as_str() {
                    self.forbidden.borrow_mut().insert(resource.clone());
                }
                self.counts.record(resource, None);
            }
        }
        true
    }
}

/// The sum of the counts of a kind's namespaces; unknown if one of them is.
fn sum(so_far: Option<u64>, count: Option<u64>) -> Option<u64> {
    so_far?.checked_add(count?)
}

/// The kinds to count: those of the navigation, in its order.
fn chosen(resources: &[ResourceInfo], namespaces: Option<&str>) -> Vec<Kind> {
    let names: Vec<String> = names(namespaces.unwrap_or_default()).map(encoded).collect();
    let listed = kinds::grouped(resources).into_iter().flat_map(|group| group.kinds);
    let mut requests = 0;
    let kind = |kind: kinds::Kind| {
        let gvr = kind.info.gvr();
        let path = |namespace: Option<&str>| format!("{}?limit=1", gvr.collection_path(namespace));
        let paths = match names.as_slice() {
            names @ [_, ..] if kind.info.namespaced => names.iter().map(|name| path(Some(name))).collect(),
            _ => vec![path(None)],
        };
        Kind { resource: gvr.to_string(), paths }
    };
    let fits = |kind: &Kind| {
        requests += kind.paths.len();
        requests <= MAX_REQUESTS
    };
    listed.map(kind).take_while(fits).collect()
}

#[cfg(target_family = "wasm")]
fn encoded(name: &str) -> String {
    js_sys::encode_uri_component(name).into()
}

/// Names unchanged: natively there is no JavaScript, and the names in the tests need no encoding.
#[cfg(not(target_family = "wasm"))]
fn encoded(name: &str) -> String {
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(resource: &str, namespaced: bool) -> ResourceInfo {
        ResourceInfo {
            group: String::new(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            kind: resource.to_owned(),
            namespaced,
            verbs: vec!["list".to_owned(), "watch".to_owned()],
            short_names: vec![],
            scale: false,
        }
    }

    fn paths(namespaces: Option<&str>) -> Vec<Vec<String>> {
        let kinds = chosen(&[info("pods", true), info("nodes", false)], namespaces);
        kinds.into_iter().map(|kind| kind.paths).collect()
    }

    #[test]
    fn a_kind_is_counted_in_each_chosen_namespace() {
        assert_eq!(paths(None), [["/api/v1/pods?limit=1"], ["/api/v1/nodes?limit=1"]]);
        assert_eq!(
            paths(Some("bank,shop")),
            [
                vec!["/api/v1/namespaces/bank/pods?limit=1", "/api/v1/namespaces/shop/pods?limit=1"],
                vec!["/api/v1/nodes?limit=1"],
            ]
        );
        let many: Vec<String> = (0..=MAX_REQUESTS).map(|at| format!("n-{at}")).collect();
        assert!(paths(Some(&many.join(","))).is_empty(), "a round has a bounded number of requests");
    }

    #[test]
    fn a_sum_with_an_unknown_part_is_unknown() {
        assert_eq!(sum(sum(Some(0), Some(2)), Some(3)), Some(5));
        assert_eq!((sum(None, Some(3)), sum(Some(3), None), sum(Some(1), Some(u64::MAX))), (None, None, None));
    }
}
