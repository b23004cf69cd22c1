//! Resyncs: each handler receives them at its period, not more often and not much less often.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::delivered::{Delivered, Kind, News};
use crate::handlers::Slot;
use crate::store::Key;
use crate::world::World;

/// Expected resyncs of a handler.
#[derive(Clone, Default)]
pub(crate) struct Resync {
    /// Effective period; zero is never.
    pub(crate) period: Duration,
    /// When it was added.
    since: Duration,
    /// Number of received resyncs.
    times: u32,
    /// Time until which there was no object to resync.
    idle: Duration,
    /// Time of the last resync.
    last: Duration,
    /// Number of its objects after the previous batch.
    had: usize,
    /// Time at which each object was delivered last, as a resync or otherwise.
    told: BTreeMap<Key, Duration>,
}

impl Resync {
    pub(crate) fn new(period: Duration, since: Duration) -> Self {
        Self { period, since, ..Self::default() }
    }
}

impl Delivered {
    /// Records a batch, after each of its changes was received. `whole` is whether a resync must contain all
    /// objects.
    pub(crate) fn hear_batch(&mut self, batch: &[News], whole: bool, now: Duration) -> Result<(), String> {
        let known = self.states().len();
        let again = batch.iter().filter(|news| matches!(news.kind, Kind::Update { same: true, .. })).count();
        let resync = &mut self.resync;
        resync.told.extend(batch.iter().map(|news| (news.key, now)));
        // From now on there are objects, and no resync follows before all of them have been delivered.
        if std::mem::replace(&mut resync.had, known) == 0 || !self.synced {
            resync.idle = now;
        }
        if again == 0 {
            return Ok(());
        }
        (resync.times, resync.last) = (resync.times + 1, now);
        let period = resync.period;
        let most = now.saturating_sub(resync.since).as_nanos() / period.as_nanos().max(1);
        if u128::from(resync.times) > most {
            return Err(format!("{} resyncs since {:?}, but the period is {period:?}", resync.times, resync.since));
        }
        if whole && !self.lossy && (again, again) != (batch.len(), known) {
            return Err(format!("a resync of {again} among {} changes, but it has {known}", batch.len()));
        }
        Ok(())
    }

    /// Records the end of the initial objects: before it no resync is due.
    pub(crate) fn begin_resyncs(&mut self, now: Duration) {
        self.resync.idle = now;
    }

    /// Delay of an overdue resync.
    fn resync_is_late(&self, now: Duration) -> Option<Duration> {
        let Resync { period, idle, last, told, .. } = &self.resync;
        // Coalescing merges a resync into a pending change of the same object: the handler then receives only the change.
        let coalesced = || self.states().keys().filter_map(|key| told.get(key)).min().copied();
        let last = if self.lossy { coalesced().unwrap_or(*last) } else { *last };
        let (period, last) = (*period, last.max(*idle));
        let due = last + 2 * period + Duration::from_secs(2);
        (!period.is_zero() && self.synced && !self.states().is_empty() && due < now).then(|| now.saturating_sub(due))
    }
}

impl World {
    /// Nothing is pending: every handler that could take them has received all cached objects, and all due resyncs.
    pub(crate) fn check_promptness(&self) {
        let now = self.now();
        let in_order = !self.server.state.borrow().by_key;
        let mut late = None;
        self.registry.all(|slot: &Slot| {
            let (subject, told) = (&slot.subject, slot.told.borrow());
            let runs = subject.started.get() && !subject.stopped.get() && !told.removed;
            if !runs || slot.budget.get().is_some() || subject.informer.status().queue_depth > 0 {
                return;
            }
            let (knows, cached) = (told.states(), crate::quiet::cached(subject));
            if knows != cached {
                late = Some(format!("a handler of {} has {knows:?}, but {cached:?} is cached", subject.line.1));
            }
            if let Some(time) = told.resync_is_late(now).filter(|_| in_order && !slot.held.get()) {
                late = Some(format!("the resync of a handler of {} is {time:?} late", subject.line.1));
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
    use crate::chronicle::State;
    use crate::scope::SCOPES;

    const PODS: [Key; 2] = [Key { namespace: 0, number: 1 }, Key { namespace: 0, number: 2 }];
    const STATE: State = State { uid: 1, version: 1 };

    /// Hears of some pods at a time, each as an addition.
    fn hear(told: &mut Delivered, keys: &[Key], at: u64) {
        let news = |key: &Key| News { key: *key, state: STATE, kind: Kind::Add { initial: false } };
        for key in keys {
            told.learn(*key, 0, Some(STATE));
        }
        told.hear_batch(&keys.iter().map(news).collect::<Vec<_>>(), true, Duration::from_secs(at)).unwrap();
    }

    fn follower(is_lossy: bool) -> Delivered {
        let mut told = Delivered::new(("application", SCOPES[0]));
        told.resync = Resync::new(Duration::from_secs(10), Duration::ZERO);
        told.lossy = is_lossy;
        hear(&mut told, &PODS, 0);
        told.hear_synced(Duration::ZERO).unwrap();
        told
    }

    #[test]
    fn a_resync_that_was_merged_into_changes_of_all_objects_is_not_late() {
        for is_lossy in [false, true] {
            let mut told = follower(is_lossy);
            hear(&mut told, &PODS, 20);
            assert_eq!(told.resync_is_late(Duration::from_secs(23)).is_none(), is_lossy);
            assert!(told.resync_is_late(Duration::from_secs(43)).is_some(), "nothing has come for 23 s");
        }
    }

    #[test]
    fn no_resync_is_due_before_the_first_list_is_complete() {
        for is_lossy in [false, true] {
            let mut told = Delivered::new(("application", SCOPES[0]));
            told.resync = Resync::new(Duration::from_secs(10), Duration::ZERO);
            told.lossy = is_lossy;
            // Pages of a list that fails and is continued a minute later, with nothing new.
            hear(&mut told, &PODS, 0);
            told.hear_synced(Duration::from_secs(60)).unwrap();
            assert_eq!(told.resync_is_late(Duration::from_secs(82)), None);
            assert!(told.resync_is_late(Duration::from_secs(83)).is_some());
        }
    }

    #[test]
    fn a_resync_is_late_for_one_object() {
        let mut told = follower(true);
        hear(&mut told, &PODS[..1], 20);
        assert_eq!(told.resync_is_late(Duration::from_secs(22)), None);
        assert_eq!(told.resync_is_late(Duration::from_secs(23)), Some(Duration::from_secs(1)));
    }
}
