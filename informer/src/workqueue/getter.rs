//! Pending `get` calls of workers, and the timer for delayed keys.

use std::hash::Hash;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::Shared;

/// Maximum duration of one timer (client-go's heartbeat). It bounds the cost of a timer that the browser lost, and
/// keeps durations within a timer's range.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Waiting getters, in order of arrival.
///
/// One of them has the timer for the next delayed key, the others have none. When it returns with a key or is dropped,
/// another getter is woken to take the timer over (the leader-follower pattern).
#[derive(Default)]
pub(super) struct Waiters {
    /// Wakers by the id of their getter. Few wait at a time.
    waiting: Vec<(u64, Waker)>,
    next: u64,
    /// Id of the getter with the timer.
    timer_owner: Option<u64>,
    woken: Vec<Waker>,
}

impl Waiters {
    /// Returns the id of a new getter. Ids are in the order of arrival.
    pub(super) fn new_waiter(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn wait(&mut self, id: u64, waker: Waker) -> Option<Waker> {
        let index = self.waiting.partition_point(|(other, _)| *other < id);
        match self.waiting.get_mut(index) {
            Some((other, known)) if *other == id => Some(std::mem::replace(known, waker)),
            _ => {
                self.waiting.insert(index, (id, waker));
                None
            }
        }
    }

    fn remove(&mut self, id: u64) -> Option<Waker> {
        let index = self.waiting.iter().position(|(waiting, _)| *waiting == id)?;
        Some(self.waiting.remove(index).1)
    }

    /// Wakes one getter for a key. The getter checks again and, if another one took the key, waits again at its old
    /// position.
    pub(super) fn wake_one(&mut self) {
        if !self.waiting.is_empty() {
            self.woken.push(self.waiting.remove(0).1);
        }
    }

    pub(super) fn wake_all(&mut self) {
        self.woken.extend(self.waiting.drain(..).map(|(_, waker)| waker));
    }

    /// Wakes the getter with the timer, because a key is due before the timer fires.
    pub(super) fn wake_timer_owner(&mut self) {
        match self.timer_owner {
            // A getter that is not waiting has been woken already.
            Some(id) => {
                let waker = self.remove(id);
                self.woken.extend(waker);
            }
            None => self.wake_one(),
        }
    }

    /// Whether this getter must take the timer, because no other has it.
    pub(super) fn take_timer(&mut self, id: u64) -> bool {
        *self.timer_owner.get_or_insert(id) == id
    }

    pub(super) fn has_timer_owner(&self) -> bool {
        self.timer_owner.is_some()
    }

    pub(super) fn leave(&mut self, id: u64) -> Option<Waker> {
        self.timer_owner = self.timer_owner.filter(|timer_owner| *timer_owner != id);
        self.remove(id)
    }

    pub(super) fn take_woken(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.woken)
    }
}

/// Pending call of [`super::WorkQueue::get`].
pub(super) struct Getter<'a, K: Clone + Eq + Hash> {
    queue: &'a Shared<K>,
    id: u64,
    /// Due time of the timer, and the timer.
    timer: Option<(Duration, LocalBoxFuture<'static, ()>)>,
}

impl<'a, K: Clone + Eq + Hash> Getter<'a, K> {
    pub(super) fn new(queue: &'a Shared<K>) -> Self {
        let id = queue.with(|state, _| state.new_waiter());
        Self { queue, id, timer: None }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<K>> {
        loop {
            let (polled, replaced, alarm) = self.queue.with(|state, now| {
                let polled = state.poll_take(now);
                if polled.is_ready() {
                    return (polled, None, None);
                }
                let (replaced, due) = state.wait(self.id, context.waker().clone());
                (polled, replaced, due.map(|due| (due, due.saturating_sub(now))))
            });
            drop(replaced);
            let Some((due, left)) = alarm else {
                self.timer = None;
                return polled;
            };
            let timer = match self.timer.take() {
                Some((for_due, timer)) if for_due == due => timer,
                _ => self.queue.clock.sleep(left.min(HEARTBEAT)),
            };
            let (_, timer) = self.timer.insert((due, timer));
            if timer.poll_unpin(context).is_pending() {
                return Poll::Pending;
            }
            self.timer = None;
        }
    }
}

impl<K: Clone + Eq + Hash> Drop for Getter<'_, K> {
    fn drop(&mut self) {
        drop(self.queue.with(|state, _| state.leave(self.id)));
    }
}
