//! Resyncs: each handler receives them at its period, not more often and not much less often.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::delivered::{Delivered, Delivery, Kind};
use crate::handlers::HandlerSlot;
use crate::store::Key;
use crate::world::World;

/// Expected resyncs of a handler.
#[derive(Clone, Default)]
pub(crate) struct Resync {
    /// Effective period; zero is never.
    pub(crate) period: Duration,
    /// Time at which the handler was added.
    since: Duration,
    /// Number of received resyncs.
    times: u32,
    /// Time until which there was no object to resync.
    idle: Duration,
    /// Time of the last resync.
    last: Duration,
    /// Number of its objects after the previous batch.
    object_count: usize,
    /// Time at which each object was delivered last, as a resync or otherwise.
    delivered_at: BTreeMap<Key, Duration>,
}

impl Resync {
    pub(crate) fn new(period: Duration, since: Duration) -> Self {
        Self { period, since, ..Self::default() }
    }
}

impl Delivered {
    /// Records a batch, after each of its changes was received. `whole` is whether a resync must contain all
    /// objects.
    pub(crate) fn check_batch(&mut self, batch: &[Delivery], whole: bool, now: Duration) -> Result<(), String> {
        let known = self.states().len();
        let resynced = batch.iter().filter(|delivery| matches!(delivery.kind, Kind::Update { same: true, .. })).count();
        let resync = &mut self.resync;
        resync.delivered_at.extend(batch.iter().map(|delivery| (delivery.key, now)));
        // From now on there are objects, and no resync follows before all of them have been delivered.
        if std::mem::replace(&mut resync.object_count, known) == 0 || !self.synced {
            resync.idle = now;
        }
        if resynced == 0 {
            return Ok(());
        }
        (resync.times, resync.last) = (resync.times + 1, now);
        let period = resync.period;
        let max = now.saturating_sub(resync.since).as_nanos() / period.as_nanos().max(1);
        if u128::from(resync.times) > max {
            return Err(format!("{} resyncs since {:?}, but the period is {period:?}", resync.times, resync.since));
        }
        if whole && !self.lossy && (resynced, resynced) != (batch.len(), known) {
            return Err(format!("a resync of {resynced} among {} changes, but it has {known}", batch.len()));
        }
        Ok(())
    }

    /// Records the end of the initial objects: before it no resync is due.
    pub(crate) fn begin_resyncs(&mut self, now: Duration) {
        self.resync.idle = now;
    }

    /// Returns the delay of an overdue resync.
    fn resync_is_late(&self, now: Duration) -> Option<Duration> {
        let Resync { period, idle, last, delivered_at, .. } = &self.resync;
        // Coalescing merges a resync into a pending change of the same object: the handler then receives only the
        // change.
        let coalesced = || self.states().keys().filter_map(|key| delivered_at.get(key)).min().copied();
        let last = if self.lossy { coalesced().unwrap_or(*last) } else { *last };
        let (period, last) = (*period, last.max(*idle));
        let due = last + 2 * period + Duration::from_secs(2);
        (!period.is_zero() && self.synced && !self.states().is_empty() && due < now).then(|| now.saturating_sub(due))
    }
}

impl World {
    /// Checks that every handler that accepts batches has received all cached objects, and all due resyncs.
    pub(crate) fn check_promptness(&self) {
        let now = self.now();
        let in_order = !self.server.state.borrow().by_key;
        let mut late = None;
        self.registry.for_each_slot(|slot: &HandlerSlot| {
            let (subject, delivered) = (&slot.subject, slot.delivered.borrow());
            let runs = subject.started.get() && !subject.stopped.get() && !delivered.removed;
            if !runs || slot.budget.get().is_some() || subject.informer.status().queue_depth > 0 {
                return;
            }
            let (knows, cached) = (delivered.states(), crate::quiet::cached(subject));
            if knows != cached {
                late = Some(format!("a handler of {} has {knows:?}, but {cached:?} is cached", subject.source.1));
            }
            if let Some(time) = delivered.resync_is_late(now).filter(|_| in_order && !slot.was_held.get()) {
                late = Some(format!("the resync of a handler of {} is {time:?} late", subject.source.1));
            }
        });
        if let Some(late) = late {
            self.server.fail(|| late);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_history::State;
    use crate::scope::SCOPES;

    const PODS: [Key; 2] = [Key { namespace: 0, number: 1 }, Key { namespace: 0, number: 2 }];
    const STATE: State = State { uid: 1, version: 1 };

    /// Delivers an addition of each of these pods at a time.
    fn deliver(delivered: &mut Delivered, keys: &[Key], at: u64) {
        let delivery = |key: &Key| Delivery { key: *key, state: STATE, kind: Kind::Add { initial: false } };
        for key in keys {
            delivered.set_known(*key, 0, Some(STATE));
        }
        delivered.check_batch(&keys.iter().map(delivery).collect::<Vec<_>>(), true, Duration::from_secs(at)).unwrap();
    }

    fn synced_handler(is_lossy: bool) -> Delivered {
        let mut delivered = Delivered::new(("application", SCOPES[0]));
        delivered.resync = Resync::new(Duration::from_secs(10), Duration::ZERO);
        delivered.lossy = is_lossy;
        deliver(&mut delivered, &PODS, 0);
        delivered.check_synced(Duration::ZERO).unwrap();
        delivered
    }

    #[test]
    fn a_resync_that_was_merged_into_changes_of_all_objects_is_not_late() {
        for is_lossy in [false, true] {
            let mut delivered = synced_handler(is_lossy);
            deliver(&mut delivered, &PODS, 20);
            assert_eq!(delivered.resync_is_late(Duration::from_secs(23)).is_none(), is_lossy);
            assert!(delivered.resync_is_late(Duration::from_secs(43)).is_some(), "no resync for 23 s");
        }
    }

    #[test]
    fn no_resync_is_due_before_the_first_list_is_complete() {
        for is_lossy in [false, true] {
            let mut delivered = Delivered::new(("application", SCOPES[0]));
            delivered.resync = Resync::new(Duration::from_secs(10), Duration::ZERO);
            delivered.lossy = is_lossy;
            // Pages of a list that fails and is continued a minute later, with nothing new.
            deliver(&mut delivered, &PODS, 0);
            delivered.check_synced(Duration::from_secs(60)).unwrap();
            assert_eq!(delivered.resync_is_late(Duration::from_secs(82)), None);
            assert!(delivered.resync_is_late(Duration::from_secs(83)).is_some());
        }
    }

    #[test]
    fn a_resync_is_late_for_one_object() {
        let mut delivered = synced_handler(true);
        deliver(&mut delivered, &PODS[..1], 20);
        assert_eq!(delivered.resync_is_late(Duration::from_secs(22)), None);
        assert_eq!(delivered.resync_is_late(Duration::from_secs(23)), Some(Duration::from_secs(1)));
    }
}
