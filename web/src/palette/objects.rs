//! Object search: runs while the user types, over the informers of all kinds.
//!
//! Kinds whose informers the page has are searched at once. After a pause the other kinds follow, a few at a time:
//! their informers have metadata only, and stop when the palette closes. Of each informer one search is in flight; the
//! latest text is searched next.

use std::rc::Rc;
use std::time::Duration;

use informer::{ErrorCode, GroupVersionResource, InformerStatus, ResourceInfo};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::client::record::{Record, texts};
use crate::client::{SearchMatch, SearchResult};
use crate::cluster::{Cluster, Informer, settle};
use crate::kinds;
use crate::plain;

/// Minimum length of a text that is searched for in objects.
const MIN_TEXT_LENGTH: usize = 2;

/// Maximum number of objects of a kind that are shown.
const MAX_MATCHES: u32 = 8;

/// Pause after a key before the informers of further kinds are opened.
const TYPING_PAUSE: Duration = Duration::from_millis(400);

/// Maximum number of further kinds that are being listed at the same time.
const MAX_LISTING: usize = 3;

/// Columns of addresses and images, in any kind that has them.
const COLUMNS: [&str; 5] = ["IP", "Cluster-IP", "External-IP", "Address", "Images"];

/// Name of the index of a pod's images, which are in no column of pods.
const IMAGES: &str = "images";

/// An object that was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FoundObject {
    pub(super) key: String,
    /// Where it was found, unless in its name: `label app=web`.
    pub(super) note: String,
    /// Whether it was found by its name.
    pub(super) by_name: bool,
}

/// Objects of a kind that were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KindMatches {
    pub(super) total: u64,
    pub(super) matches: Vec<FoundObject>,
}

/// Progress of the search of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchState {
    InProgress,
    Searched,
    /// The user may not list the kind.
    Forbidden,
    Failed,
}

/// A kind that is searched, with its informer. Clones share their state.
#[derive(Clone)]
pub(super) struct Kind {
    pub(super) label: String,
    pub(super) resource: GroupVersionResource,
    /// Whether its informer has whole objects, not only their metadata.
    pub(super) has_whole_objects: bool,
    informer: Informer,
    status: ArcRwSignal<InformerStatus>,
    pub(super) found: ArcRwSignal<KindMatches>,
    in_flight: Rc<std::cell::Cell<bool>>,
}

impl Kind {
    /// Progress of the search of the kind. Tracked.
    pub(super) fn state(&self) -> SearchState {
        self.status.with(|status| match &status.last_error {
            _ if status.has_synced => SearchState::Searched,
            Some(error) if matches!(error.code, ErrorCode::Forbidden | ErrorCode::Unauthorized) => {
                SearchState::Forbidden
            }
            Some(_) => SearchState::Failed,
            None => SearchState::InProgress,
        })
    }
}

/// The object search. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Objects {
    cluster: Cluster,
    text: StoredValue<String>,
    pub(super) kinds: RwSignal<Vec<Kind>, LocalStorage>,
    /// Kinds that are not open yet.
    pub(super) unopened: RwSignal<Vec<(String, ResourceInfo)>>,
    timer: StoredValue<Option<TimeoutHandle>>,
    /// Whether the pause has passed.
    is_pause_over: StoredValue<bool>,
}

impl Objects {
    /// Begins with the kinds whose informers the page has, until the owner is cleaned up.
    pub(super) fn new(cluster: Cluster, resources: &[ResourceInfo]) -> Self {
        let objects = Self {
            cluster,
            text: StoredValue::new(String::new()),
            kinds: RwSignal::new_local(Vec::new()),
            unopened: RwSignal::new(Vec::new()),
            timer: StoredValue::new(None),
            is_pause_over: StoredValue::new(false),
        };
        let all = kinds::grouped(resources).into_iter().flat_map(|group| group.kinds);
        let (open, mut unopened): (Vec<_>, Vec<_>) = all
            .map(|kind| (kind.label, kind.info))
            .partition(|(_, info)| cluster.has_whole_objects(&info.gvr().to_string()));
        // There are many events, and few are sought by their names.
        unopened.sort_by_key(|(_, info)| info.resource == "events");
        for (label, info) in open {
            objects.open(label, &info, true);
        }
        objects.unopened.set(unopened);
        on_cleanup(move || {
            objects.clear_timer();
            for kind in objects.kinds.try_update(std::mem::take).unwrap_or_default() {
                kind.informer.stop();
            }
        });
        objects
    }

    fn open(self, label: String, info: &ResourceInfo, has_whole_objects: bool) {
        let resource = info.gvr();
        let options = if !has_whole_objects {
            Record::new().with("mode", "metadata")
        } else if resource.group.is_empty() && resource.resource == "pods" {
            Record::new().with("indexers", texts([(IMAGES, "{.spec.containers[*].image}")]))
        } else {
            Record::new()
        };
        let status = ArcRwSignal::new(InformerStatus::default());
        let written = status.clone();
        let settled_resource = resource.clone();
        let informer = self.cluster.informer_with(&resource.to_string(), &options, move |now| {
            let (before, had_synced) = written.with_untracked(|known| (known.last_error.is_some(), known.has_synced));
            let is_changed = had_synced != now.has_synced || before != now.last_error.is_some();
            written.set(now);
            if is_changed {
                // Not at once: it may be called while the kinds change.
                let settled_resource = settled_resource.clone();
                queue_microtask(move || self.on_settled(&settled_resource));
            }
        });
        let in_flight = Rc::default();
        let kind =
            Kind { label, resource, has_whole_objects, informer, status, found: ArcRwSignal::default(), in_flight };
        self.kinds.update(|kinds| kinds.push(kind));
    }

    /// Handles that a kind is complete, or cannot be listed.
    fn on_settled(self, resource: &GroupVersionResource) {
        let kinds = self.kinds.try_get_untracked().unwrap_or_default();
        if let Some(kind) = kinds.into_iter().find(|kind| kind.resource == *resource) {
            self.search_in(&kind);
        }
        self.open_more();
    }

    /// Searches for a text: at once where informers are open, and after a pause in further kinds.
    pub(super) fn search(self, text: &str) {
        let text = text.trim();
        self.text.set_value(text.to_owned());
        self.clear_timer();
        for kind in self.kinds.get_untracked() {
            self.search_in(&kind);
        }
        if text.chars().count() >= MIN_TEXT_LENGTH {
            let go = move || {
                self.is_pause_over.try_set_value(true);
                self.open_more();
            };
            self.timer.set_value(set_timeout_with_handle(go, TYPING_PAUSE).ok());
        }
    }

    fn clear_timer(self) {
        if let Some(timer) = self.timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
    }

    /// Opens further informers, as long as few are being listed.
    fn open_more(self) {
        if self.is_pause_over.try_get_value() != Some(true) {
            return;
        }
        loop {
            let in_progress = |kinds: &Vec<Kind>| {
                kinds.iter().filter(|kind| untrack(|| kind.state()) == SearchState::InProgress).count()
            };
            if self.kinds.try_with_untracked(in_progress).is_none_or(|count| count >= MAX_LISTING) {
                return;
            }
            let next =
                self.unopened.try_update(|unopened| (!unopened.is_empty()).then(|| unopened.remove(0))).flatten();
            let Some((label, info)) = next else { return };
            let has_whole_objects = self.cluster.has_whole_objects(&info.gvr().to_string());
            self.open(label, &info, has_whole_objects);
        }
    }

    /// Searches a kind, unless a search is in flight or it has the result already.
    fn search_in(self, kind: &Kind) {
        let Some(text) = self.text.try_get_value() else { return };
        if text.chars().count() < MIN_TEXT_LENGTH {
            return kind.found.set(KindMatches::default());
        }
        let Some(shared) = kind.informer.shared().filter(|_| !kind.in_flight.replace(true)) else { return };
        // The texts of other columns are read only for what may be one of theirs.
        let is_address = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':');
        let may_be_image = text.chars().any(|c| !is_address(c));
        let columns = COLUMNS.into_iter().filter(|name| kind.has_whole_objects && (*name == "Images") == may_be_image);
        let options = Record::new().with("limit", MAX_MATCHES).with("columns", plain::strings(columns));
        let options = options.with("indexes", may_be_image.then(|| plain::strings([IMAGES])));
        let had_synced = kind.status.with_untracked(|status| status.has_synced);
        let kind = kind.clone();
        settle(shared.search(&text, &options), move |answer| {
            kind.in_flight.set(false);
            if let Ok(answer) = answer {
                kind.found.set(read(answer.unchecked_ref()));
            }
            let is_old = self.text.try_get_value().is_some_and(|now| now != text);
            if is_old || kind.status.with_untracked(|status| status.has_synced) != had_synced {
                self.search_in(&kind);
            }
        });
    }
}

fn read(result: &SearchResult) -> KindMatches {
    let entry = |found: SearchMatch| {
        let place = found.place();
        let note = match place.as_str() {
            "name" | "key" => String::new(),
            "label" => format!("label {}={}", found.name(), found.text()),
            "uid" => format!("uid {}", found.text()),
            "index" => format!("image {}", found.text()),
            _ => format!("{} {}", found.name(), found.text()),
        };
        FoundObject { key: found.key(), note, by_name: matches!(place.as_str(), "name" | "key") }
    };
    KindMatches { total: plain::whole(result.total()), matches: result.matches().iter().map(entry).collect() }
}
