//! WATCH: history first, then live events, with bookmarks, selectors, timeouts and errors in the stream.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use tokio::sync::watch::Receiver;

use crate::bookmarks::Bookmarks;
use crate::clock::{Instant, sleep_until};
use crate::event::EventEncoder;
use crate::history::{Change, Verb};
use crate::kinds::Kind;
use crate::list::wait_for;
use crate::object::Entry;
use crate::query::Query;
use crate::reply::typed_reply;
use crate::selection::Selection;
use crate::status::Status;
use crate::store::Store;

/// Maximum number of changes per read of the history.
const BATCH: usize = 64;

/// Timing of watches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchTiming {
    /// Period of bookmarks.
    pub(crate) bookmark_every: Duration,
    /// Minimum duration of a watch without `timeoutSeconds`; it ends between this and twice this.
    pub(crate) min_timeout: Duration,
    /// Maximum time that a request waits for a future version.
    pub(crate) future_wait: Duration,
}

/// Open watch. Reads the store's history at its own pace, so a slow reader delays no other.
struct Watch {
    store: Arc<Store>,
    kind: Arc<Kind>,
    encoder: EventEncoder,
    selection: Selection,
    /// Position in the history.
    cursor: u64,
    /// Version up to which no events are sent.
    since: u64,
    /// Everything up to this version was sent.
    progress: u64,
    initial: VecDeque<Arc<Entry>>,
    /// The bookmark that ends the initial events, with their version.
    initial_end: Option<u64>,
    queue: VecDeque<Bytes>,
    changed: Receiver<u64>,
    bookmarks: Bookmarks,
    deadline: Instant,
    ended: bool,
    /// End once everything was sent.
    closing: bool,
}

/// Processes a WATCH request.
pub(crate) async fn watch(
    store: Arc<Store>,
    kind: Arc<Kind>,
    encoder: EventEncoder,
    selection: Selection,
    query: &Query,
    timing: WatchTiming,
) -> Result<Response, Status> {
    let from = query.resource_version().map_err(Status::unreasoned)?;
    let timeout = query.number("timeoutSeconds")?.filter(|seconds| *seconds != 0);
    // `list_options` has checked the related options.
    let watch_list = query.flag("sendInitialEvents");
    let without_initial = !watch_list && query.get("sendInitialEvents").is_some();
    let wants_bookmarks = query.flag("allowWatchBookmarks");
    if watch_list
        && let Some(revision) = from
        && let Err(status) = wait_for(&store, revision, timing.future_wait).await
    {
        return Ok(error_reply(&encoder, &status));
    }
    let resume = if watch_list { None } else { from.filter(|revision| *revision > 0) };
    let subscription = match store.subscribe(&kind.id(), resume) {
        Ok(subscription) => subscription,
        Err(status) if status.code == 410 => return Ok(error_reply(&encoder, &status)),
        Err(status) => return Err(status),
    };
    // Without initial events, the watch begins with the next change.
    let initial = if without_initial { Vec::new() } else { subscription.initial };
    let now = Instant::now();
    let life = match timeout {
        // Negative: the watch ends at once.
        Some(seconds) => Duration::from_secs(u64::try_from(seconds).unwrap_or(0)),
        None => timing.min_timeout.mul_f64(1.0 + fastrand::f64()),
    };
    // A distant deadline must not overflow the clock.
    let deadline = now + life.min(Duration::from_secs(30 * 24 * 3600));
    let bookmarks = if wants_bookmarks {
        Bookmarks::new(now, timing.bookmark_every, timeout.map(|_| deadline))
    } else {
        Bookmarks::none()
    };
    let watch = Watch {
        store,
        kind,
        encoder,
        selection,
        cursor: subscription.cursor,
        since: resume.unwrap_or(subscription.revision),
        progress: if resume.is_some() { 0 } else { subscription.revision },
        initial: initial.into(),
        initial_end: (resume.is_none() && wants_bookmarks && !without_initial).then_some(subscription.revision),
        queue: VecDeque::new(),
        changed: subscription.changed,
        bookmarks,
        deadline,
        ended: false,
        closing: false,
    };
    let content_type = watch.encoder.content_type();
    let events = stream::unfold(watch, |mut watch| async move { watch.next().await.map(|event| (event, watch)) });
    let events = events.map(Ok::<_, io::Error>);
    Ok(typed_reply(StatusCode::OK, content_type, Body::from_stream(events)))
}

/// Watch that ends after an error.
fn error_reply(encoder: &EventEncoder, status: &Status) -> Response {
    let event: io::Result<Bytes> = Ok(encoder.error(status));
    typed_reply(StatusCode::OK, encoder.content_type(), Body::from_stream(stream::iter([event])))
}

impl Watch {
    /// Returns the next event; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.ended {
                return None;
            }
            if let Some(event) = self.ready() {
                if self.encoder.sends_nothing() {
                    continue;
                }
                return Some(event);
            }
            if self.ended || self.closing {
                return None;
            }
            let bookmark = self.bookmarks.due().unwrap_or(self.deadline);
            tokio::select! {
                biased;
                () = sleep_until(self.deadline) => self.ended = true,
                () = sleep_until(bookmark) => self.bookmark(),
                // The resource was removed; its last changes are still to be sent.
                changed = self.changed.changed() => self.closing = changed.is_err(),
            }
        }
    }

    /// Returns the next event that needs no waiting.
    fn ready(&mut self) -> Option<Bytes> {
        while let Some(entry) = self.initial.pop_front() {
            if self.selection.matches(&entry) {
                return Some(self.encoder.object("ADDED", &entry));
            }
        }
        if let Some(revision) = self.initial_end.take() {
            return Some(self.encoder.bookmark(revision, true));
        }
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            self.changed.borrow_and_update();
            let Some((changes, revision)) = self.store.changes(&self.kind.id(), self.cursor, BATCH) else {
                // The history was overwritten: the real server also just ends the stream of a slow reader.
                self.ended = true;
                return None;
            };
            if changes.is_empty() {
                self.progress = self.progress.max(revision);
                return None;
            }
            self.cursor += changes.len() as u64;
            for change in changes.iter().filter(|change| change.revision > self.since) {
                self.queue.extend(self.translate(change));
            }
        }
    }

    /// Encodes a change as this watch sees it: an object that leaves its selection is deleted, one that enters is
    /// added.
    fn translate(&self, change: &Change) -> Option<Bytes> {
        let before = change.previous.as_ref().filter(|entry| self.selection.matches(entry));
        let after = (change.verb != Verb::Deleted && self.selection.matches(&change.object)).then_some(&change.object);
        let event = |kind, entry: &Entry| Some(self.encoder.object(kind, entry));
        match (before, after) {
            (None, None) => None,
            (None, Some(after)) => event("ADDED", after),
            (Some(_), Some(after)) => event("MODIFIED", after),
            (Some(_), None) if change.verb == Verb::Deleted => event("DELETED", &change.object),
            (Some(before), None) => event("DELETED", &before.at_revision(&self.kind, change.revision)),
        }
    }

    /// Queues a bookmark that is due.
    fn bookmark(&mut self) {
        self.bookmarks.advance(Instant::now());
        // A watch from a future version sends nothing, not even bookmarks.
        if self.progress >= self.since {
            self.queue.push_back(self.encoder.bookmark(self.progress, false));
        }
    }
}
