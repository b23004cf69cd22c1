//! Request counters of an informer, over all of its runs.

use std::time::Duration;

use crate::metrics::{Rates, Traffic};
use crate::transport::connection_slot::ConnectionSlot;

/// Requests of an informer: the counters of its connection slot, and rates.
pub(super) struct Requests {
    connection: ConnectionSlot,
    /// Rates of events and of bytes.
    rates: Rates<2>,
}

impl Requests {
    pub(super) fn new() -> Self {
        Self { connection: ConnectionSlot::default(), rates: Rates::new() }
    }

    /// Starts a run with a connection slot, which may be the same as before.
    pub(super) fn continue_with(&mut self, connection: &ConnectionSlot) {
        connection.continue_from(&std::mem::replace(&mut self.connection, connection.clone()));
    }

    /// Records the number of events applied so far.
    pub(super) fn record(&mut self, now: Duration, events: u64) {
        self.rates.record(now, [events, self.connection.bytes()]);
    }

    pub(super) fn traffic(&self, now: Duration) -> Traffic {
        let [events_per_second, bytes_per_second] = self.rates.per_second(now);
        Traffic {
            carrier: self.connection.carrier(),
            protobuf: self.connection.is_protobuf(),
            json_reason: self.connection.json_reason(),
            requests: self.connection.requests(),
            bytes: self.connection.bytes(),
            events_per_second,
            bytes_per_second,
        }
    }
}
