//! Verification: a live informer is really live after an outage, a restore, a sleep, and before a shutdown of the
//! server.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::{LocalBoxFuture, ready};
use futures::{FutureExt, StreamExt, stream};
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::Reply;
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, Freshness, InformerError, Object, ProtocolStep, ReflectorOptions, Result, SharedInformer};

use crate::harness::{World, cached, list, send};

const HALF_A_MINUTE: Duration = Duration::from_secs(30);

/// Monotonic clock that stops during a sleep of the machine, with a wall clock that does not.
struct SleepingClock {
    clock: VirtualClock,
    slept_ms: Rc<Cell<f64>>,
}

impl Clock for SleepingClock {
    fn now(&self) -> Duration {
        self.clock.now()
    }
    fn unix_ms(&self) -> f64 {
        self.clock.unix_ms() + self.slept_ms.get()
    }
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.clock.sleep(duration)
    }
    fn seed(&self) -> u64 {
        self.clock.seed()
    }
}

/// Creates a world whose machine can sleep.
fn world_that_sleeps() -> (World, Rc<Cell<f64>>) {
    let (mut world, slept_ms) = (World::new(), Rc::new(Cell::new(0.0)));
    world.runtime.clock = Rc::new(SleepingClock { clock: world.clock.clone(), slept_ms: Rc::clone(&slept_ms) });
    (world, slept_ms)
}

fn freshness(informer: &SharedInformer<Object>) -> Freshness {
    informer.status().freshness
}

#[test]
fn a_restored_cluster_is_not_live_for_a_moment() {
    let world = World::new();
    let (pods, feed) = world.synced(1000, &["n/a@1", "n/b@999"]);
    world.pass(HALF_A_MINUTE);
    // The server returns after an outage with an older state: it would accept a watch from 1000 and be silent forever.
    world.transport.reply(Reply::Refused);
    world.probe(5);
    world.transport.reply(Reply::json(list(5, &["n/a@1"])));
    let _next = world.watch();
    feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    for _ in 0..100 {
        world.pass(Duration::from_millis(50));
        assert!(freshness(&pods) != Freshness::Live || cached(&pods) == ["n/a@1"], "{:?}", pods.status());
    }
    assert_eq!(freshness(&pods), Freshness::Live);
    assert_eq!(
        world.requests()[2..],
        ["list pods limit=1", "list pods limit=1", "list pods limit=500", "watch pods resourceVersion=5"]
    );
}

#[test]
fn on_a_slow_line_an_informer_is_not_live_before_its_watch_has_come_as_far_as_the_probe_showed() {
    let world = World::new();
    let (pods, feed) = world.synced(50_001, &["n/a@50001"]);
    world.pass(HALF_A_MINUTE);
    // Another cluster with higher versions, whose rejection of the old version arrives slowly.
    world.probe(60_026);
    let slow = world.watch();
    feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    world.settle();
    for byte in br#"{"type":"ER"# {
        drop(slow.unbounded_send(Ok(vec![*byte])));
        world.pass(Duration::from_secs(1));
        assert_eq!(freshness(&pods), Freshness::CatchingUp);
    }
    // The informer does not wait for it: a list follows.
    world.transport.reply(Reply::json(list(60_030, &["n/a@60027"])));
    let _next = world.watch();
    world.pass(Duration::from_secs(3));
    assert_eq!((freshness(&pods), cached(&pods)), (Freshness::Live, vec!["n/a@60027".to_owned()]));
    assert_eq!(world.lists(), ["limit=500 resourceVersion=0", "limit=1", "limit=500"]);
}

#[test]
fn a_draining_server_is_found_by_what_it_says_to_others() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    pods.others_refused();
    world.settle();
    assert_eq!(freshness(&pods), Freshness::Live, "it has just been accepted");
    world.pass(HALF_A_MINUTE + Duration::from_millis(100));
    pods.others_refused();
    world.settle();
    assert_eq!(freshness(&pods), Freshness::Live, "for a second, in which it may be refuted");
    world.pass(Duration::from_secs(1));
    assert_eq!(freshness(&pods), Freshness::CatchingUp);
    send(&feed, &["bookmark@11"]);
    world.settle();
    assert_eq!(freshness(&pods), Freshness::Live, "a sign of life");
    assert_eq!((pods.metrics().suspicions, pods.metrics().false_suspicions), (1, 1));
    pods.others_refused();
    let away = b"dial tcp 127.0.0.1:16443: connect: connection refused\n".to_vec();
    world.transport.reply(Reply::Whole(500, "text/plain", away));
    world.pass(Duration::from_secs(10));
    assert!(feed.is_closed());
    assert_eq!(freshness(&pods), Freshness::Disconnected);
}

#[test]
fn an_hour_asleep_on_a_clock_that_stood_still_is_noticed_and_costs_one_reconnect() {
    let (world, slept_ms) = world_that_sleeps();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = world.watch();
    let pods = world.pods_with(ReflectorOptions::default());
    world.pass(Duration::from_secs(5));
    send(&feed, &["bookmark@11"]);
    world.settle();
    world.probe(12);
    let next = world.watch();
    slept_ms.set(3_600_000.0);
    world.pass(Duration::from_secs(15));
    assert_eq!(freshness(&pods), Freshness::CatchingUp, "noticed without a retry by a user");
    world.pass(Duration::from_secs(10));
    assert_eq!(world.requests()[2..], ["list pods limit=1", "watch pods resourceVersion=11"]);
    assert_eq!(freshness(&pods), Freshness::CatchingUp, "an hour is missing");
    send(&next, &["bookmark@12"]);
    world.settle();
    assert_eq!(freshness(&pods), Freshness::Live);
    let steps: Vec<_> = pods.history().iter().map(|entry| entry.what).collect();
    assert!(steps.windows(2).any(|two| two == [ProtocolStep::Slept, ProtocolStep::Suspected]), "{steps:?}");
    // Steps before the sleep were an hour ago.
    let (first, last) = (pods.history()[0].at, pods.history().last().expect("steps").at);
    assert!(last - first > 3_600_000.0, "{first} {last}");
}

#[test]
fn a_look_after_a_sleep_shows_the_suspicion_at_once_and_occasional_looks_cost_nothing() {
    let (world, slept_ms) = world_that_sleeps();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = world.watch();
    let pods = world.pods_with(ReflectorOptions::default());
    world.pass(Duration::from_secs(5));
    for _ in 0..3 {
        pods.wake();
        world.pass(Duration::from_secs(1));
        assert_eq!(freshness(&pods), Freshness::Live);
    }
    slept_ms.set(60_000.0);
    pods.wake();
    world.settle();
    assert_eq!(freshness(&pods), Freshness::CatchingUp);
    assert_eq!(world.requests().len(), 2, "it has ten seconds");
}

/// Server with empty lists and silent watches that records the times of requests.
#[derive(Clone)]
struct QuietServer {
    clock: VirtualClock,
    requests: Rc<RefCell<Vec<(Duration, bool)>>>,
}

impl Transport for QuietServer {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        self.requests.borrow_mut().push((self.clock.now(), request.stream));
        let list = Ok(list(10, &[]).into_bytes());
        let body = if request.stream { stream::pending().boxed_local() } else { stream::iter([list]).boxed_local() };
        let content_type = Some("application/json".to_owned());
        ready(Ok(Response { status: 200, content_type, content_encoding: None, retry_after: None, body })).boxed_local()
    }
}

#[test]
fn forty_informers_wake_from_a_sleep_one_after_the_other_and_once() {
    // Each has a different random seed.
    struct SeededClock(SleepingClock, Cell<u64>);
    impl Clock for SeededClock {
        fn now(&self) -> Duration {
            self.0.now()
        }
        fn unix_ms(&self) -> f64 {
            self.0.unix_ms()
        }
        fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
            self.0.sleep(duration)
        }
        fn seed(&self) -> u64 {
            self.1.set(self.1.get() + 1);
            self.1.get()
        }
    }
    let (mut world, slept_ms) = (World::new(), Rc::new(Cell::new(0.0)));
    let server = QuietServer { clock: world.clock.clone(), requests: Rc::default() };
    let world_that_sleeps = SleepingClock { clock: world.clock.clone(), slept_ms: Rc::clone(&slept_ms) };
    (world.runtime.clock, world.runtime.transport) =
        (Rc::new(SeededClock(world_that_sleeps, Cell::new(0))), Rc::new(server.clone()));
    let informers: Vec<_> = (0..40).map(|_| world.pods_with(ReflectorOptions::default())).collect();
    world.pass(Duration::from_secs(20));
    assert_eq!(server.requests.take().len(), 80);
    slept_ms.set(3_600_000.0);
    world.pass(Duration::from_secs(30));
    assert!(informers.iter().all(|informer| freshness(informer) == Freshness::Live));
    let requests = server.requests.take();
    assert_eq!(
        (requests.len(), requests.iter().filter(|(_, stream)| *stream).count()),
        (80, 40),
        "a probe and a watch each"
    );
    for (at, _) in &requests {
        let together =
            requests.iter().filter(|(other, _)| other.saturating_sub(*at) < Duration::from_millis(500)).count();
        let before = requests.iter().filter(|(other, _)| other < at).count();
        assert!(together - before <= 24, "{} within half a second", together - before);
    }
}

#[test]
fn a_watch_that_is_cut_off_early_is_counted() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["+n/b@11"]);
    world.pass(Duration::from_secs(9));
    let _next = world.watch();
    drop(feed);
    world.settle();
    assert_eq!((pods.metrics().early_ends, freshness(&pods)), (1, Freshness::Live));
    let steps: Vec<_> = pods.history().iter().map(|entry| (entry.what.as_str(), entry.count)).collect();
    let expected = [
        ("list", 0),
        ("page", 1),
        ("watch", 0),
        ("opened", 0),
        ("events", 1),
        ("ended-early", 0),
        ("watch", 0),
        ("opened", 0),
    ];
    assert_eq!(steps, expected);
}
