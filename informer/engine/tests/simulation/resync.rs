//! Resyncs: each handler receives them at its period, not more often and not much less often.

use std::time::Duration;

use crate::handlers::Slot;
use crate::told::{Kind, News, Told};
use crate::world::World;

/// What a handler may expect.
#[derive(Clone, Copy, Default)]
pub(crate) struct Resync {
    /// What the informer gave it; zero is never.
    pub(crate) period: Duration,
    /// When it was added.
    since: Duration,
    /// How many it was told.
    times: u32,
    /// When it was told last, or could not have been.
    last: Duration,
    /// How much it knew after the batch before.
    had: usize,
}

impl Resync {
    pub(crate) fn new(period: Duration, since: Duration) -> Self {
        Self { period, since, ..Self::default() }
    }
}

impl Told {
    /// Takes note of what a batch was, after each of its changes was heard. `whole` is whether a resync must tell
    /// everything.
    pub(crate) fn hear_batch(&mut self, batch: &[News], whole: bool, now: Duration) -> Result<(), String> {
        let known = self.states().len();
        let again = batch.iter().filter(|news| matches!(news.kind, Kind::Update { same: true, .. })).count();
        let resync = &mut self.resync;
        // From now on there is something to tell, and nothing is told again before all of it has come.
        if std::mem::replace(&mut resync.had, known) == 0 || !self.synced {
            resync.last = now;
        }
        if again == 0 {
            return Ok(());
        }
        (resync.times, resync.last) = (resync.times + 1, now);
        let period = resync.period;
        let most = now.saturating_sub(resync.since).as_nanos() / period.as_nanos().max(1);
        if u128::from(resync.times) > most {
            return Err(format!("{} resyncs since {:?}, one each {period:?} was promised", resync.times, resync.since));
        }
        if whole && !self.lossy && (again, again) != (batch.len(), known) {
            return Err(format!("a resync of {again} among {} changes, but it knows {known}", batch.len()));
        }
        Ok(())
    }

    /// How late a resync is.
    fn resync_is_late(&self, now: Duration) -> Option<Duration> {
        let Resync { period, last, .. } = self.resync;
        let due = last + 2 * period + Duration::from_secs(2);
        (!period.is_zero() && self.synced && !self.states().is_empty() && due < now).then(|| now.saturating_sub(due))
    }
}

impl World {
    /// Nothing is pending: what is cached has been told to everyone who could take it, and what is due again too.
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
                late = Some(format!("a handler of {} knows {knows:?}, but {cached:?} is cached", subject.line.1));
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
