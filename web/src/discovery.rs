//! Discovery: the server's kinds, requested again when definitions change, and from time to time.

use std::time::Duration;

use informer::{ErrorReport, ResourceInfo};
use leptos::prelude::*;

use crate::cluster::Cluster;

/// Interval while definitions are watched: for changes without a definition, such as another server version.
const WATCHED_INTERVAL: Duration = Duration::from_secs(60);

/// Interval while definitions are not watched.
const UNWATCHED_INTERVAL: Duration = Duration::from_secs(15);

const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Times of the requests after a definition changed: a server takes a moment to serve a new kind, or to stop serving
/// one.
const CHANGE_INTERVALS: [Duration; 4] =
    [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(3), Duration::from_secs(6)];

/// Resources of the server, as far as known.
#[derive(Clone, Copy)]
pub(crate) struct Discovery {
    /// Result of the last successful request.
    pub(crate) resources: RwSignal<Vec<ResourceInfo>>,
    /// Error, until a request has succeeded.
    pub(crate) error: RwSignal<Option<ErrorReport>>,
    watched: StoredValue<Option<Memo<bool>>>,
    timer: StoredValue<Option<TimeoutHandle>>,
    in_flight: StoredValue<bool>,
    /// Number of requests since a definition changed.
    since_change: StoredValue<usize>,
    /// Whether the page is visible.
    pub(crate) visible: RwSignal<bool>,
}

/// The resource of a kind. Discovery lists only kinds that can be listed, each in its preferred version.
pub(crate) fn resource_of<'a>(resources: &'a [ResourceInfo], group: &str, kind: &str) -> Option<&'a ResourceInfo> {
    resources.iter().find(|info| info.group == group && info.kind == kind)
}

impl Discovery {
    /// Starts empty; [`Discovery::follow`] sends requests.
    pub(crate) fn new() -> Self {
        Self {
            resources: RwSignal::new(Vec::new()),
            error: RwSignal::new(None),
            watched: StoredValue::new(None),
            timer: StoredValue::new(None),
            in_flight: StoredValue::new(false),
            since_change: StoredValue::new(CHANGE_INTERVALS.len()),
            visible: RwSignal::new(!document().hidden()),
        }
    }

    /// Sends a request now, from time to time, and when the page is visible again.
    pub(crate) fn follow(self, cluster: Cluster) {
        let visible = self.visible;
        let listener = window_event_listener_untyped("visibilitychange", move |_| visible.set(!document().hidden()));
        on_cleanup(move || listener.remove());
        Effect::new(move |before: Option<bool>| {
            // Changes while the page was hidden have not been delivered.
            if visible.get() && before == Some(false) {
                self.request_after(cluster, Duration::ZERO);
            }
            visible.get()
        });
        self.request(cluster);
    }

    /// Sets where to read whether the definitions of all kinds are watched.
    pub(crate) fn set_watched(self, watched: Memo<bool>) {
        self.watched.set_value(Some(watched));
    }

    /// Sends requests soon: a definition has changed.
    pub(crate) fn definition_changed(self, cluster: Cluster) {
        self.since_change.set_value(0);
        self.request_after(cluster, CHANGE_INTERVALS[0]);
    }

    fn request_after(self, cluster: Cluster, delay: Duration) {
        let timer = set_timeout_with_handle(move || self.request(cluster), delay).ok();
        let before = self.timer.try_update_value(|current| std::mem::replace(current, timer));
        if let Some(before) = before.flatten() {
            before.clear();
        }
    }

    fn request(self, cluster: Cluster) {
        // The response in flight sets the timer again.
        if self.in_flight.try_update_value(|in_flight| std::mem::replace(in_flight, true)) != Some(false) {
            return;
        }
        cluster.resources(move |result| {
            self.in_flight.set_value(false);
            let interval = match result {
                Ok(resources) => {
                    self.error.set(None);
                    if self.resources.with_untracked(|known| *known != resources) {
                        self.resources.set(resources);
                    }
                    self.next_interval()
                }
                Err(error) => {
                    // Once kinds are known, the freshness line reports an outage; the list stays usable.
                    self.error.set(Some(error).filter(|_| self.resources.with_untracked(Vec::is_empty)));
                    RETRY_INTERVAL
                }
            };
            self.request_after(cluster, interval);
        });
    }

    /// Time until the next request.
    fn next_interval(self) -> Duration {
        let count = self.since_change.try_update_value(|count| {
            *count = count.saturating_add(1);
            *count
        });
        let watched = self.watched.get_value().is_some_and(|watched| watched.get_untracked());
        let usual = if watched { WATCHED_INTERVAL } else { UNWATCHED_INTERVAL };
        count.and_then(|count| CHANGE_INTERVALS.get(count).copied()).unwrap_or(usual)
    }
}
