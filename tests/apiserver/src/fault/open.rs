//! Open watches, and commands to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::Fault;
use super::request_target::RequestTarget;

/// Command to an open watch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StreamCommand {
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
struct Registry {
    next: u64,
    stopped: bool,
    streams: BTreeMap<u64, (RequestTarget, watch::Sender<StreamCommand>)>,
}

/// Registry of all watches, from their request to their end.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenStreams {
    registry: Arc<Mutex<Registry>>,
}

/// Open watch; closed when dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    id: u64,
    registry: Arc<Mutex<Registry>>,
    pub(crate) command: watch::Receiver<StreamCommand>,
}

impl OpenStreams {
    /// Registers a watch, which then receives commands.
    pub(crate) fn register(&self, target: &RequestTarget) -> OpenStream {
        let mut registry = self.registry.lock();
        let first = if registry.stopped { StreamCommand::End } else { StreamCommand::None };
        let (sender, command) = watch::channel(first);
        let id = registry.next;
        registry.next += 1;
        registry.streams.insert(id, (target.clone(), sender));
        OpenStream { id, registry: Arc::clone(&self.registry), command }
    }

    /// Sends a command to the watches that a fault applies to.
    pub(crate) fn command(&self, fault: &Fault, command: StreamCommand) {
        let registry = self.registry.lock();
        for (_, sender) in registry.streams.values().filter(|(target, _)| target.matches(fault)) {
            sender.send_replace(command);
        }
    }

    /// Ends all watches permanently, also new ones.
    pub(crate) fn stop(&self) {
        let mut registry = self.registry.lock();
        registry.stopped = true;
        for (_, sender) in registry.streams.values() {
            sender.send_replace(StreamCommand::End);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.registry.lock().streams.len()
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.registry.lock().streams.remove(&self.id);
    }
}
