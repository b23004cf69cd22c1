//! Request counters of an informer, over all of its runs.

use std::time::Duration;

use crate::metrics::{Rates, Traffic};
use crate::transport::ticket::Ticket;

pub(super) struct Requests {
    ticket: Ticket,
    /// Of events and of bytes.
    rates: Rates<2>,
}

impl Requests {
    pub(super) fn new() -> Self {
        Self { ticket: Ticket::default(), rates: Rates::new() }
    }

    /// A run begins, with another ticket or with the same.
    pub(super) fn go_on_with(&mut self, ticket: &Ticket) {
        ticket.count_on_from(&std::mem::replace(&mut self.ticket, ticket.clone()));
    }

    /// So many events have been applied by now.
    pub(super) fn note(&mut self, now: Duration, events: u64) {
        self.rates.note(now, [events, self.ticket.bytes()]);
    }

    pub(super) fn traffic(&self, now: Duration) -> Traffic {
        let [events_per_second, bytes_per_second] = self.rates.per_second(now);
        Traffic {
            carrier: self.ticket.carrier(),
            requests: self.ticket.requests(),
            bytes: self.ticket.bytes(),
            events_per_second,
            bytes_per_second,
        }
    }
}
