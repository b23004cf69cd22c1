//! Feed: the recorded changes of all informers, or of one object, kept up to date while they are shown.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use super::Timeline;
use super::entries::{Change, Difference, Entry, with_newer};
use super::recorded::RecordedInformer;
use crate::client::record::Record;

/// Changes of an informer that are requested at first, and once more with each "Show older".
const PORTION: u32 = 100;

/// Maximum number of changes in a response of the package.
const MAX_CHANGES: u32 = 1_000;

/// Entries of an informer, by its number.
pub(super) type Lists = Vec<(u32, Arc<Vec<Arc<Entry>>>)>;

/// Object whose changes are shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ObjectKey {
    pub(super) resource: String,
    pub(super) key: String,
}

/// Request of a feed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FeedRequest {
    /// Span of time; all of it by default.
    pub(super) span: Option<(f64, f64)>,
    /// Whether one line for each object is shown, with the difference between the ends of the span.
    pub(super) differences: bool,
    /// Number of portions.
    pub(super) portions: u32,
}

/// Feed of changes. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    pub(super) lists: RwSignal<Lists>,
    pub(super) request: RwSignal<FeedRequest>,
    /// Whether an informer has more changes than were requested.
    pub(super) has_older: Memo<bool>,
}

impl Feed {
    /// Requests changes until the owner is cleaned up.
    pub(super) fn open(timeline: Timeline, object_key: Option<ObjectKey>) -> Self {
        let lists = RwSignal::new(Lists::new());
        let request = RwSignal::new(FeedRequest { portions: 1, ..FeedRequest::default() });
        let has_older = Memo::new(move |_| {
            let limit = request.with(limit);
            limit < MAX_CHANGES && lists.with(|lists| lists.iter().any(|(_, list)| list.len() >= limit as usize))
        });
        let before = StoredValue::new(FeedRequest::default());
        let object_key = StoredValue::new(object_key);
        Effect::new(move || {
            timeline.revision.track();
            let resource =
                object_key.with_value(|object_key| object_key.as_ref().map(|object_key| object_key.resource.clone()));
            let records = timeline.records(resource.as_deref());
            let now = request.get();
            let is_other = before.with_value(|before| *before != now);
            before.set_value(now.clone());
            let numbers: Vec<u32> = records.iter().map(|recorded| recorded.number).collect();
            lists.update(|lists| lists.retain(|(number, _)| numbers.contains(number) && !is_other));
            for recorded in records.iter().filter(|recorded| recorded.since().is_some()) {
                let key =
                    object_key.with_value(|object_key| object_key.as_ref().map(|object_key| object_key.key.clone()));
                let this = now.clone();
                let is_current = move || before.try_with_value(|request| *request == this) == Some(true);
                send_request(recorded, key, &now, lists, is_current);
            }
        });
        Self { lists, request, has_older }
    }
}

/// Maximum number of changes of an informer that are requested.
fn limit(request: &FeedRequest) -> u32 {
    (request.portions * PORTION).min(MAX_CHANGES)
}

/// Requests the changes of an informer, after the first request only the newer ones.
fn send_request(
    recorded: &Rc<RecordedInformer>,
    key: Option<String>,
    request: &FeedRequest,
    lists: RwSignal<Lists>,
    is_current: impl Fn() -> bool + 'static,
) {
    let (number, resource) = (recorded.number, recorded.resource.clone());
    let known =
        lists.with_untracked(|lists| lists.iter().find(|(other, _)| *other == number).map(|(_, list)| list.clone()));
    let store = move |list: Vec<Arc<Entry>>| {
        lists.try_update(|lists| {
            lists.retain(|(other, _)| *other != number);
            lists.push((number, Arc::new(list)));
        });
    };
    let limit = limit(request);
    if let (Some((since, until)), true) = (request.span, request.differences) {
        let since = since.max(recorded.since().unwrap_or(since));
        let options = Record::new().with("since", since).with("until", until).with("limit", limit);
        return recorded.differences(&options, move |found: Vec<Difference>| {
            let found = found.into_iter().filter(|difference| key.as_ref().is_none_or(|key| *key == difference.key));
            let entry = |(index, difference)| Arc::new(Entry::of_difference(number, index, &resource, difference));
            if is_current() {
                store((0..).zip(found).map(entry).collect());
            }
        });
    }
    // Of the same time there may be more.
    let newest = known.as_ref().and_then(|list| list.first()?.time);
    let since = request.span.map(|(since, _)| since).into_iter().chain(newest).reduce(f64::max);
    let options = Record::new()
        .with("key", key)
        .with("since", since)
        .with("until", request.span.map(|(_, until)| until))
        .with("limit", limit);
    recorded.changes(&options, move |found: Vec<Change>| {
        let newer: Vec<Entry> = found.into_iter().map(|change| Entry::of_change(number, &resource, change)).collect();
        // A full portion may not reach back to the known ones.
        let known = known.filter(|_| newer.len() < limit as usize).unwrap_or_default();
        let list = with_newer(&known, newer, limit as usize);
        if is_current() && (known.is_empty() || list.first() != known.first()) {
            store(list);
        }
    });
}
