//! Metrics as plain numbers: for dashboards, inspectors and tests. They are read, not exported.

mod rates;

use serde::{Deserialize, Serialize};

use crate::transport::connection_slot::Carrier;

pub(crate) use rates::Rates;

/// Counters of one informer. They start at zero and never decrease, except for those marked as current.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InformerMetrics {
    /// Lists begun; their pages count as one.
    pub lists: u64,
    /// Streaming lists begun.
    pub watch_lists: u64,
    /// Lists of either kind begun after the first success.
    pub relists: u64,
    /// Plain watches begun.
    pub watches: u64,
    /// Events applied.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    /// Watches that the server ended without error long before their timeout, as it does for slow readers.
    pub early_ends: u64,
    /// Suspicions that an open watch is dead, because it fell silent, the machine was asleep, or the server refused
    /// other requests.
    pub suspicions: u64,
    /// Suspicions that proved false: data arrived, or the next watch showed that nothing was missed.
    pub false_suspicions: u64,
    /// Events and items that were skipped: undecodable, or rejected by the transform.
    pub dropped: u64,
    /// Failed calls of index functions.
    pub index_failures: u64,
    /// Resyncs done.
    pub resyncs: u64,
    /// Errors reported.
    pub errors: u64,
    /// Current: entries waiting in the queue.
    pub queue_depth: u64,
    /// Current: objects in the cache.
    pub objects: u64,
    /// Current: bytes of object bodies in the cache.
    pub bytes: u64,
    /// Version of the cache.
    pub resource_version: String,
    /// Counters of the registered handlers.
    pub handlers: Vec<HandlerMetrics>,
}

/// Counters of one handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerMetrics {
    /// Whether it has received all objects that were cached when it was added.
    pub has_synced: bool,
    /// Current: changes waiting for delivery.
    pub backlog: u64,
    /// Changes that were merged into a later change of the same object, because the handler was slow.
    pub coalesced: u64,
    /// Changes delivered.
    pub delivered: u64,
    /// Calls that failed.
    pub failures: u64,
}

/// Network traffic of one informer. The counters start at zero and never decrease.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Current: transport of the open watch; `None` without an open watch, or if the source does not report it.
    pub carrier: Option<Carrier>,
    /// Current: whether the last response was protobuf, not JSON.
    pub protobuf: bool,
    /// Current: why JSON is requested where protobuf could be. A response in protobuf could not be converted: a gateway had
    /// damaged it, or the server has a type or a field that this build does not know.
    pub json_reason: Option<String>,
    /// Requests: each page of a list, each watch, each probe. A request that was tried over a WebSocket before HTTP
    /// counts once.
    pub requests: u64,
    /// Bytes of all bodies, as they were read: after decompression by the browser, without headers.
    pub bytes: u64,
    /// Events applied per second, averaged over the last ten.
    pub events_per_second: f64,
    /// Bytes per second, averaged over the last ten. Those of a list in flight count when it has arrived, or at a
    /// read of this value.
    pub bytes_per_second: f64,
}

/// Counters of a factory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactoryMetrics {
    /// Counters of each informer, by its name ([`crate::InformerKey`] as text), sorted.
    pub informers: Vec<(String, InformerMetrics)>,
    /// Running informers.
    pub running: u64,
    /// Synced informers.
    pub synced: u64,
    /// Objects in all caches.
    pub objects: u64,
    /// Bytes of object bodies in all caches.
    pub bytes: u64,
}
