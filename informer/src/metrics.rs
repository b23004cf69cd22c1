//! Metrics as plain numbers: for dashboards, inspectors and tests. They are read, not exported.

mod rates;

use serde::{Deserialize, Serialize};

use crate::transport::ticket::Carrier;

pub(crate) use rates::Rates;

/// A snapshot of one informer's counters. They begin at zero and never go down, but for what is marked as of now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InformerMetrics {
    /// Lists begun; their pages count as one.
    pub lists: u64,
    /// Streaming lists begun.
    pub watch_lists: u64,
    /// Lists of either kind begun after one had succeeded.
    pub relists: u64,
    /// Plain watches begun.
    pub watches: u64,
    /// Events applied.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    /// Watches that ended cleanly after a life and long before their time, as those do of who reads too slowly.
    pub early_ends: u64,
    /// Times that an open watch was suspected to be dead, because it fell silent, the machine slept, or the server refused
    /// other requests.
    pub suspicions: u64,
    /// Suspicions that were refuted: the watch gave a sign of life, or its successor showed that nothing had been missed.
    pub false_suspicions: u64,
    /// Events and items left out: unreadable, or refused by the transform.
    pub dropped: u64,
    /// Index functions that failed at an object.
    pub index_failures: u64,
    /// Resyncs done.
    pub resyncs: u64,
    /// Errors reported.
    pub errors: u64,
    /// What waits in the queue, as of now.
    pub queue_depth: u64,
    /// Objects in the cache, as of now.
    pub objects: u64,
    /// Bytes of object bodies in the cache, as of now.
    pub bytes: u64,
    /// The version that the cache has reached.
    pub resource_version: String,
    /// Of each handler that is registered.
    pub handlers: Vec<HandlerMetrics>,
}

/// A snapshot of one handler's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerMetrics {
    /// Whether it has been told everything that was there when it was added.
    pub has_synced: bool,
    /// Changes that wait for it, as of now.
    pub backlog: u64,
    /// Changes that it was spared, because it was slow and others of the same object followed.
    pub coalesced: u64,
    /// Changes that it was told.
    pub told: u64,
    /// Calls that it failed at.
    pub failures: u64,
}

/// A snapshot of what one informer has had to do with a network. The counts begin at zero and never go down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// What carries its watch, as of now; `None` while none is open, or where the source does not say.
    pub carrier: Option<Carrier>,
    /// Requests made: each page of a list, each watch, each look whether the server is back. One that was tried over a
    /// WebSocket before it went by HTTP counts once.
    pub requests: u64,
    /// Bytes of all answers, as they were read: what a browser has decompressed is counted decompressed, and heads are not
    /// counted.
    pub bytes: u64,
    /// Events applied in a second, on average over the last ten.
    pub events_per_second: f64,
    /// Bytes in a second, on average over the last ten. Those of a list that is on its way count when it has come, or when
    /// somebody asks.
    pub bytes_per_second: f64,
}

/// A snapshot of a factory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactoryMetrics {
    /// Of each informer, by its name ([`crate::InformerKey`] as text), sorted.
    pub informers: Vec<(String, InformerMetrics)>,
    /// Informers that run.
    pub running: u64,
    /// Informers that have synced.
    pub synced: u64,
    /// Objects in all caches.
    pub objects: u64,
    /// Bytes of object bodies in all caches.
    pub bytes: u64,
}
