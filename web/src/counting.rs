//! Counting: asks the server how many objects of each kind there are, for `counts.rs`.
//!
//! A list with `limit=1` has the number of the remaining objects (`remainingItemCount`), so a count costs one small request.
//! They are sent one after the other, so that they take one connection, and again each minute while the page is visible: at most
//! [`MOST`] of them, because a cluster may have thousands of kinds. A user who may not list a kind has no count of it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use informer::{ErrorCode, ResourceInfo};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::client::requests;
use crate::counts::Counts;
use crate::kinds;
use crate::loading::PageState;

/// Time between two rounds.
const INTERVAL: Duration = Duration::from_secs(60);

/// Maximum number of kinds that are counted.
const MOST: usize = 200;

/// A kind to count.
#[derive(Clone, PartialEq)]
struct Kind {
    resource: String,
    path: String,
}

/// The rounds for one choice of a namespace.
struct Rounds {
    page: PageState,
    counts: Counts,
    kinds: Vec<Kind>,
    /// Resources that the user may not list: they are not requested again.
    forbidden: RefCell<BTreeSet<String>>,
    /// Whether the kinds or the namespace have changed since.
    ended: Cell<bool>,
}

/// Counts the kinds from now on, and anew for each choice of a namespace.
pub(crate) fn watch(page: PageState, counts: Counts) {
    let kinds = Memo::new(move |_| {
        let namespace = page.navigator.namespace.get();
        let listed = page.resources.with(|all| chosen(all, namespace.as_deref()));
        (namespace, listed)
    });
    let running = StoredValue::new_local(None::<Rc<Rounds>>);
    let end = move || running.try_update_value(Option::take).flatten().iter().for_each(|rounds| rounds.ended.set(true));
    on_cleanup(move || {
        end();
    });
    Effect::new(move |before: Option<Option<String>>| {
        end();
        let (namespace, kinds) = kinds.get();
        if before.is_some_and(|before| before != namespace) {
            counts.clear();
        }
        let rounds = Rounds { page, counts, kinds, forbidden: RefCell::default(), ended: Cell::new(false) };
        let rounds = Rc::new(rounds);
        running.set_value(Some(rounds.clone()));
        rounds.go_on();
        namespace
    });
}

impl Rounds {
    /// Counts now, and then each minute.
    fn go_on(self: Rc<Self>) {
        spawn_local(async move {
            if !document().hidden() {
                self.count().await;
            }
            if !self.ended.get() {
                set_timeout(move || self.go_on(), INTERVAL);
            }
        });
    }

    async fn count(&self) {
        for Kind { resource, path } in &self.kinds {
            if self.forbidden.borrow().contains(resource) {
                continue;
            }
            let counted = requests::count(&self.page.cluster.factory(), path).await;
            if self.ended.get() {
                return;
            }
            match counted {
                Ok(count) => self.counts.note(resource, count),
                // The others would fail, too. What was counted stays: the status line says that the server is away.
                Err(failure) if failure.code == ErrorCode::Network.as_str() => return,
                Err(failure) => {
                    if failure.code == ErrorCode::Forbidden.as_str() {
                        self.forbidden.borrow_mut().insert(resource.clone());
                    }
                    self.counts.note(resource, None);
                }
            }
        }
    }
}

/// The kinds to count: those of the navigation, in its order.
fn chosen(resources: &[ResourceInfo], namespace: Option<&str>) -> Vec<Kind> {
    let listed = kinds::grouped(resources).into_iter().flat_map(|group| group.kinds);
    let kind = |kind: kinds::Kind| {
        let gvr = kind.info.gvr();
        let namespace = namespace.filter(|_| kind.info.namespaced);
        let encoded = namespace.map(|name| String::from(js_sys::encode_uri_component(name)));
        Kind { resource: gvr.to_string(), path: format!("{}?limit=1", gvr.collection_path(encoded.as_deref())) }
    };
    listed.take(MOST).map(kind).collect()
}
