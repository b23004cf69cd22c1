//! Open watches, and orders to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::Fault;
use super::asked::Asked;

/// Order to an open watch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// Continue.
    #[default]
    None,
    /// Send no events newer than this version, only bookmarks.
    Quiet(u64),
    /// Stay open, send nothing.
    Stall,
    /// End without a last chunk.
    Cut,
    /// End cleanly.
    End,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    stopped: bool,
    streams: BTreeMap<u64, (Asked, watch::Sender<Order>)>,
}

/// All watches from their request to their end.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenStreams {
    table: Arc<Mutex<Table>>,
}

/// Open watch; closed when dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    id: u64,
    table: Arc<Mutex<Table>>,
    pub(crate) order: watch::Receiver<Order>,
}

impl OpenStreams {
    /// Registers a watch. Later orders reach it.
    pub(crate) fn enter(&self, asked: &Asked) -> OpenStream {
        let mut table = self.table.lock();
        let first = if table.stopped { Order::End } else { Order::None };
        let (sender, order) = watch::channel(first);
        let id = table.next;
        table.next += 1;
        table.streams.insert(id, (asked.clone(), sender));
        OpenStream { id, table: Arc::clone(&self.table), order }
    }

    /// Gives an order to the watches that a fault applies to.
    pub(crate) fn order(&self, fault: &Fault, order: Order) {
        let table = self.table.lock();
        for (_, sender) in table.streams.values().filter(|(asked, _)| asked.is_meant_by(fault)) {
            sender.send_replace(order);
        }
    }

    /// Ends all watches permanently, also new ones.
    pub(crate) fn stop(&self) {
        let mut table = self.table.lock();
        table.stopped = true;
        for (_, sender) in table.streams.values() {
            sender.send_replace(Order::End);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.table.lock().streams.len()
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.table.lock().streams.remove(&self.id);
    }
}
