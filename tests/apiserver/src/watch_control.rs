//! Orders to all open watches: cut off, fall silent, end.

use tokio::sync::watch;

/// Counts of orders given; a watch obeys those given after it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    /// End without a last chunk.
    pub(crate) cuts: u64,
    /// Stay open, deliver nothing.
    pub(crate) stalls: u64,
    /// End cleanly: the server stops.
    pub(crate) stop: bool,
}

/// Where orders are given.
#[derive(Debug, Default)]
pub(crate) struct WatchControl {
    orders: watch::Sender<Orders>,
}

impl WatchControl {
    pub(crate) fn subscribe(&self) -> watch::Receiver<Orders> {
        self.orders.subscribe()
    }

    pub(crate) fn cut(&self) {
        self.orders.send_modify(|orders| orders.cuts += 1);
    }

    pub(crate) fn stall(&self) {
        self.orders.send_modify(|orders| orders.stalls += 1);
    }

    pub(crate) fn stop(&self) {
        self.orders.send_modify(|orders| orders.stop = true);
    }

    /// Watches open now.
    pub(crate) fn open(&self) -> usize {
        self.orders.receiver_count()
    }
}
