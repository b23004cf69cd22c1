//! Waiting until caches are filled (`WaitForCacheSync`), with the reasons if they are not.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{Either, pending, select};

use crate::clock::Clock;
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::phase::Phase;
use crate::shared_informer::SharedInformer;

/// Result of a wait: client-go's `SyncResult`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CacheSync {
    /// Name of each informer, and whether it has synced.
    pub synced: BTreeMap<String, bool>,
    /// Informers that have not synced, by name.
    pub unsynced: Vec<Unsynced>,
}

/// An informer that has not synced.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsynced {
    /// Its name.
    pub informer: String,
    /// Its phase.
    pub phase: Phase,
    /// Its last error.
    pub reason: Option<InformerError>,
}

impl CacheSync {
    /// Whether all have synced.
    pub fn all(&self) -> bool {
        self.unsynced.is_empty()
    }

    /// Returns an error with the names of the informers that have not synced, and the reasons.
    ///
    /// # Errors
    /// [`ErrorCode::Closed`] when one was stopped, otherwise [`ErrorCode::Timeout`].
    pub fn into_result(self) -> Result<(), InformerError> {
        if self.all() {
            return Ok(());
        }
        let stopped = self.unsynced.iter().any(|unsynced| unsynced.phase == Phase::Stopped);
        let words: Vec<String> = self.unsynced.iter().map(Unsynced::to_string).collect();
        let code = if stopped { ErrorCode::Closed } else { ErrorCode::Timeout };
        Err(InformerError::new(code, format!("not all caches have synced: {}", words.join("; "))))
    }
}

impl std::fmt::Display for Unsynced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.reason, self.phase) {
            (Some(reason), _) => write!(f, "{}: {reason}", self.informer),
            (None, Phase::Stopped) => write!(f, "{}: stopped", self.informer),
            (None, _) => write!(f, "{}: no response yet", self.informer),
        }
    }
}

/// Waits until each informer has synced, stopped or failed permanently, or until `timeout` has passed; without a
/// timeout, forever. The informers wake it; it does not poll.
pub async fn wait_for_cache_sync<T: Keyed>(
    clock: &dyn Clock,
    informers: Vec<(String, SharedInformer<T>)>,
    timeout: Option<Duration>,
) -> CacheSync {
    // One notification is enough for several changes.
    let (notifications, mut notified) = mpsc::channel(1);
    let _observers: Vec<_> = informers
        .iter()
        .map(|(_, informer)| {
            let notifications = RefCell::new(notifications.clone());
            // A full channel has a notification already; a closed one means that the wait has ended.
            informer.observe(move |_| drop(notifications.borrow_mut().try_send(())))
        })
        .collect();
    let mut deadline = timeout.map_or_else(|| Box::pin(pending()) as _, |timeout| clock.sleep(timeout));
    let settled = |informer: &SharedInformer<T>| {
        informer.has_synced() || informer.is_stopped() || informer.status().phase == Phase::Failed
    };
    while !informers.iter().all(|(_, informer)| settled(informer)) {
        match select(notified.next(), deadline).await {
            Either::Left((_, waiting)) => deadline = waiting,
            Either::Right(_) => break,
        }
    }
    let mut result = CacheSync::default();
    for (name, informer) in informers {
        let synced = informer.has_synced();
        if !synced {
            let (phase, reason) = (informer.status().phase, informer.last_error());
            result.unsynced.push(Unsynced { informer: name.clone(), phase, reason });
        }
        result.synced.insert(name, synced);
    }
    result.unsynced.sort_by(|a, b| a.informer.cmp(&b.informer));
    result
}
