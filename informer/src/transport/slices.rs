//! Time slices: yields to other tasks while a body is read.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::{StreamExt, stream};

use super::Body;
use crate::clock::{Clock, SLICE};

/// Time slices for the bodies of one transport.
///
/// Bytes that a browser has already buffered arrive as consecutive microtasks: reading a list of some 60 MB would block
/// messages and timers until its end. A chunk is processed before the next one is requested. All that work can
/// therefore be measured here, between chunks, where no processing is half done.
pub struct Slices {
    clock: Rc<dyn Clock>,
    began: Cell<Duration>,
    /// Time of the last request for a chunk, or of its arrival.
    last_activity: Cell<Duration>,
    /// Number of bodies that are yielding. Bodies that resume together share a slice.
    yielding: Cell<u32>,
}

impl Slices {
    /// Creates slices with a clock whose sleep of zero yields to all other tasks.
    pub fn new(clock: Rc<dyn Clock>) -> Rc<Self> {
        let now = clock.now();
        Rc::new(Self { clock, began: Cell::new(now), last_activity: Cell::new(now), yielding: Cell::default() })
    }

    /// Wraps a body, which yields when its slice is used up.
    pub fn of(self: &Rc<Self>, body: Body) -> Body {
        let state = (Rc::clone(self), body);
        stream::unfold(state, |(slices, mut body)| async move {
            slices.yield_if_used_up().await;
            let chunk = body.next().await;
            slices.chunk_received();
            Some((chunk?, (slices, body)))
        })
        .boxed_local()
    }

    async fn yield_if_used_up(&self) {
        let used = self.clock.now().saturating_sub(self.began.get());
        if used >= SLICE / (1 + self.yielding.get()) {
            self.yielding.set(self.yielding.get() + 1);
            let yielding = YieldGuard(&self.yielding);
            self.clock.sleep(Duration::ZERO).await;
            drop(yielding);
            self.began.set(self.clock.now());
        }
        self.last_activity.set(self.clock.now());
    }

    fn chunk_received(&self) {
        let now = self.clock.now();
        // After such a long wait, the thread was idle.
        if now.saturating_sub(self.last_activity.get()) >= SLICE {
            self.began.set(now);
        }
        self.last_activity.set(now);
    }
}

/// Guard that counts a yielding body, also if it is dropped meanwhile.
struct YieldGuard<'a>(&'a Cell<u32>);

impl Drop for YieldGuard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::virtual_time::VirtualClock;
    use std::cell::RefCell;
    use std::collections::VecDeque;

    use futures::FutureExt;
    use futures::channel::oneshot;
    use futures::future::LocalBoxFuture;

    /// Clock that counts its yields.
    struct CountingClock(VirtualClock, Rc<Cell<u32>>);

    impl Clock for CountingClock {
        fn now(&self) -> Duration {
            self.0.now()
        }
        fn unix_ms(&self) -> f64 {
            self.0.unix_ms()
        }
        fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
            self.1.set(self.1.get() + 1);
            self.0.sleep(duration)
        }
        fn seed(&self) -> u64 {
            self.0.seed()
        }
    }

    fn scene() -> (VirtualClock, Rc<Cell<u32>>, Rc<Slices>) {
        let (time, turns) = (VirtualClock::new(), Rc::<Cell<u32>>::default());
        let slices = Slices::new(Rc::new(CountingClock(time.clone(), Rc::clone(&turns))));
        (time, turns, slices)
    }

    /// A hundred chunks, each after a wait.
    fn body(time: &VirtualClock, wait: Duration) -> Body {
        let time = time.clone();
        stream::iter(0..100_u8)
            .map(move |n| {
                time.advance(wait);
                Ok(vec![n])
            })
            .boxed_local()
    }

    fn next(body: &mut Body) -> Option<u8> {
        let chunk = body.next().now_or_never().expect("a sleep of no length is over at once");
        chunk.map(|chunk| chunk.expect("no errors here")[0])
    }

    #[test]
    fn a_busy_stream_gives_others_a_turn_every_eight_milliseconds() {
        let (time, turns, slices) = scene();
        let mut body = slices.of(body(&time, Duration::ZERO));
        for n in 0..100 {
            assert_eq!(next(&mut body), Some(n));
            time.advance(Duration::from_millis(1));
        }
        assert_eq!((next(&mut body), turns.get()), (None, 12));
    }

    #[test]
    fn two_bodies_share_one_slice() {
        let (time, turns, slices) = scene();
        let mut bodies = [slices.of(body(&time, Duration::ZERO)), slices.of(body(&time, Duration::ZERO))];
        for n in 0..100 {
            for body in &mut bodies {
                assert_eq!(next(body), Some(n));
                time.advance(Duration::from_millis(1));
            }
        }
        assert_eq!(turns.get(), 24);
    }

    /// Clock whose yields end when the test says so.
    struct ManualClock(VirtualClock, Rc<RefCell<VecDeque<oneshot::Sender<()>>>>);

    impl Clock for ManualClock {
        fn now(&self) -> Duration {
            self.0.now()
        }
        fn unix_ms(&self) -> f64 {
            self.0.unix_ms()
        }
        fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
            let (over, turn) = oneshot::channel();
            self.1.borrow_mut().push_back(over);
            turn.map(drop).boxed_local()
        }
        fn seed(&self) -> u64 {
            self.0.seed()
        }
    }

    #[test]
    fn a_returning_stream_shares_the_slice_with_those_that_still_rest() {
        let (time, turns) = (VirtualClock::new(), Rc::<RefCell<VecDeque<_>>>::default());
        let slices = Slices::new(Rc::new(ManualClock(time.clone(), Rc::clone(&turns))));
        let [mut first, mut second] = [(); 2].map(|()| slices.of(body(&time, Duration::ZERO)));
        let rests = |body: &mut Body| body.next().now_or_never().is_none();
        let is_over = || turns.borrow_mut().pop_front().expect("a reader sleeps").send(()).expect("it waits");
        assert_eq!(next(&mut first), Some(0));
        time.advance(SLICE);
        assert!(rests(&mut first) && rests(&mut second));
        is_over();
        assert_eq!(next(&mut first), Some(1));
        time.advance(SLICE / 2);
        assert!(rests(&mut first), "half of the slice is the other's");
        // A dropped body no longer counts.
        drop(second);
        turns.borrow_mut().pop_front();
        is_over();
        assert_eq!(next(&mut first), Some(2));
        time.advance(SLICE / 2);
        assert_eq!(next(&mut first), Some(3));
    }

    #[test]
    fn a_stream_that_waits_for_bytes_is_not_busy() {
        let (time, turns, slices) = scene();
        let mut body = slices.of(body(&time, Duration::from_millis(10)));
        while next(&mut body).is_some() {
            time.advance(Duration::from_millis(5));
        }
        assert_eq!(turns.get(), 0);
    }
}
