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
    /// By ticket. Few wait at a time.
    waiting: Vec<(u64, Waker)>,
    next: u64,
    timekeeper: Option<u64>,
    woken: Vec<Waker>,
}

impl Waiters {
    /// Position in the queue of getters.
    pub(super) fn new_waiter(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn wait(&mut self, ticket: u64, waker: Waker) -> Option<Waker> {
        let place = self.waiting.partition_point(|(other, _)| *other < ticket);
        match self.waiting.get_mut(place) {
            Some((other, known)) if *other == ticket => Some(std::mem::replace(known, waker)),
            _ => {
                self.waiting.insert(place, (ticket, waker));
                None
            }
        }
    }

    fn remove(&mut self, ticket: u64) -> Option<Waker> {
        let place = self.waiting.iter().position(|(waiting, _)| *waiting == ticket)?;
        Some(self.waiting.remove(place).1)
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

    /// A key is due before the timer fires: wakes the getter with the timer.
    pub(super) fn wake_timekeeper(&mut self) {
        match self.timekeeper {
            // A getter that is not waiting has been woken already.
            Some(ticket) => {
                let waker = self.remove(ticket);
                self.woken.extend(waker);
            }
            None => self.wake_one(),
        }
    }

    /// Whether this getter must take the timer, because no other has it.
    pub(super) fn keep_time(&mut self, ticket: u64) -> bool {
        *self.timekeeper.get_or_insert(ticket) == ticket
    }

    pub(super) fn has_timekeeper(&self) -> bool {
        self.timekeeper.is_some()
    }

    pub(super) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        self.timekeeper = self.timekeeper.filter(|timekeeper| *timekeeper != ticket);
        self.remove(ticket)
    }

    pub(super) fn take_woken(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.woken)
    }
}

/// One call of [`super::WorkQueue::get`].
pub(super) struct Getter<'a, K: Clone + Eq + Hash> {
    queue: &'a Shared<K>,
    ticket: u64,
    /// Due time of the timer, and the timer.
    timer: Option<(Duration, LocalBoxFuture<'static, ()>)>,
}

impl<'a, K: Clone + Eq + Hash> Getter<'a, K> {
    pub(super) fn new(queue: &'a Shared<K>) -> Self {
        let ticket = queue.with(|state, _| state.new_waiter());
        Self { queue, ticket, timer: None }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<K>> {
        loop {
            let (polled, replaced, alarm) = self.queue.with(|state, now| {
                let polled = state.poll_take(now);
                if polled.is_ready() {
                    return (polled, None, None);
                }
                let (replaced, due) = state.wait(self.ticket, context.waker().clone());
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
        drop(self.queue.with(|state, _| state.leave(self.ticket)));
    }
}
