//! Resyncs (scenarios RSY, BRW-02).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::{HandlerOptions, QueueKind, Registration, ResourceEventHandler, SharedInformer, SharedInformerOptions};

use crate::harness::World;
use crate::source::{DeliveryLog, Source, Thing, empty_source, informer};

const HOUR: Duration = Duration::from_secs(3_600);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Creates an informer with this resync period, not started, with one object in its source.
fn every(world: &World, resync_period: Duration) -> (SharedInformer<Thing>, Source) {
    let source = empty_source();
    source.put("n/a", "");
    (informer(world, SharedInformerOptions { resync_period, ..SharedInformerOptions::default() }), source)
}

fn add(informer: &SharedInformer<Thing>, requested: Option<Duration>) -> (DeliveryLog, Registration<Thing>) {
    let deliveries = DeliveryLog::default();
    let options = HandlerOptions { resync_period: requested, ..HandlerOptions::default() };
    let registration = informer.add_event_handler_with_options(deliveries.clone(), options).expect("not stopped");
    (deliveries, registration)
}

#[test]
fn rsy_01_rsy_02_without_a_period_there_is_no_resync() {
    let world = World::new();
    for requested in [None, Some(Duration::ZERO)] {
        // No period at all; and one that no handler wants.
        let period = if requested.is_some() { seconds(60) } else { Duration::ZERO };
        let (informer, source) = every(&world, period);
        let (deliveries, _registration) = add(&informer, requested);
        source.run(&world, &informer);
        world.pass(HOUR);
        assert_eq!(deliveries.take(), ["+n/a@1!", "synced"]);
        assert_eq!(informer.metrics().resyncs, 0);
    }
}

#[test]
fn rsy_04_resync_period_is_at_least_one_second() {
    let world = World::new();
    let (informer, source) = every(&world, HOUR);
    let (deliveries, registration) = add(&informer, Some(Duration::from_millis(500)));
    assert_eq!(registration.resync_period(), seconds(1));
    source.run(&world, &informer);
    deliveries.take();
    world.pass(seconds(10));
    assert_eq!(deliveries.take().len(), 10);
}

#[test]
fn rsy_05_before_the_start_a_handler_shortens_the_check_period() {
    let world = World::new();
    let (informer, source) = every(&world, 12 * HOUR);
    let requested = [0, 60, 55, 5].map(|period| Some(seconds(period)));
    let added: Vec<_> = requested.iter().map(|period| add(&informer, *period)).collect();
    let (_, default) = add(&informer, None);
    let given: Vec<_> = added.iter().map(|(_, registration)| Some(registration.resync_period())).collect();
    assert_eq!(given, requested);
    assert_eq!(default.resync_period(), 12 * HOUR);
    source.run(&world, &informer);
    world.pass(seconds(61));
    let resyncs: Vec<_> = added.iter().map(|(deliveries, _)| deliveries.take().len().saturating_sub(2)).collect();
    assert_eq!(resyncs, [0, 1, 1, 12], "each at its own time");
}

#[test]
fn rsy_06_after_the_start_the_check_period_limits_a_handler() {
    let world = World::new();
    let (informer, source) = every(&world, seconds(60));
    source.run(&world, &informer);
    world.pass(seconds(30));
    let (deliveries, registration) = add(&informer, Some(seconds(5)));
    assert_eq!(registration.resync_period(), seconds(60));
    assert_eq!(add(&informer, Some(seconds(90))).1.resync_period(), seconds(90));
    world.pass(seconds(89));
    assert_eq!(deliveries.take(), ["+n/a@1!", "synced"], "a whole period after it was added");
    world.pass(seconds(31));
    assert_eq!(deliveries.take(), ["~n/a@1>1"]);
}

#[test]
fn rsy_07_handler_cannot_enable_resyncs() {
    let world = World::new();
    let (informer, source) = every(&world, Duration::ZERO);
    let (before, first) = add(&informer, Some(seconds(5)));
    source.run(&world, &informer);
    let (after, second) = add(&informer, Some(seconds(5)));
    assert_eq!((first.resync_period(), second.resync_period()), (Duration::ZERO, Duration::ZERO));
    world.pass(seconds(60));
    assert_eq!((before.take().len(), after.take().len()), (2, 2));
}

#[test]
fn rsy_08_each_handler_has_its_own_schedule_after_a_late_start() {
    for late in [0, 17] {
        let world = World::new();
        let (informer, source) = every(&world, seconds(1));
        let requested = [Some(Duration::ZERO), Some(seconds(2)), Some(seconds(3))];
        let added = requested.map(|period| add(&informer, period));
        world.pass(seconds(late));
        source.run(&world, &informer);
        for (deliveries, _) in &added {
            drop(deliveries.take());
        }
        let mut told_at = Vec::new();
        for _ in 0..6 {
            world.pass(seconds(1));
            told_at.push(added.iter().map(|(deliveries, _)| deliveries.take().len()).collect::<Vec<_>>());
        }
        assert_eq!(told_at, [[0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 1, 1]], "started at {late}");
    }
}

#[test]
fn rsy_10_relist_emits_only_changes() {
    let world = World::new();
    let (informer, source) = every(&world, Duration::ZERO);
    source.put_all((0..1_000).map(|n| format!("n/{n}")));
    source.run(&world, &informer);
    let (deliveries, _registration) = add(&informer, None);
    world.settle();
    assert_eq!(deliveries.take().len(), 1_002);
    source.expire();
    world.settle();
    source.put("n/500", "");
    source.requests();
    world.pass(seconds(2));
    assert_eq!(source.requests(), ["list 1001", "watch 1002"]);
    assert_eq!(deliveries.take(), ["~n/500@502>1002"]);
}

#[test]
fn rsy_11_resync_sends_no_request() {
    let world = World::new();
    let (informer, source) = every(&world, seconds(1));
    let (deliveries, _registration) = add(&informer, None);
    source.run(&world, &informer);
    source.requests();
    world.pass(seconds(60));
    assert_eq!((deliveries.take().len(), informer.metrics().resyncs), (62, 60));
    assert_eq!(source.requests(), Vec::<String>::new());
}

#[test]
fn rsy_12_rsy_13_change_during_a_resync_is_delivered_as_a_change() {
    for queue in [QueueKind::InOrder, QueueKind::ByKey] {
        let world = World::new();
        let source = empty_source();
        for key in ["n/a", "n/b", "n/c"] {
            source.put(key, "");
        }
        let resync_period = seconds(1);
        let informer =
            informer(&world, SharedInformerOptions { queue, resync_period, ..SharedInformerOptions::default() });
        let (deliveries, _registration) = add(&informer, None);
        source.run(&world, &informer);
        deliveries.take();
        source.remove("n/a");
        source.put("n/b", "");
        // Nothing was taken from the source before the resync is due.
        world.clock.advance(seconds(1));
        world.settle();
        let mut words = deliveries.take();
        // Cached objects are delivered again in no order.
        words[2..].sort();
        let expected: &[_] = match queue {
            QueueKind::InOrder => &["-n/a@4", "~n/b@2>5", "~n/b@5>5", "~n/c@3>3"],
            QueueKind::ByKey => &["-n/a@4", "~n/b@2>5", "~n/c@3>3"],
        };
        assert_eq!(words, expected, "{queue:?}");
    }
}

/// Records whether both arguments are the same instance, and the cached one.
struct Same(SharedInformer<Thing>, Rc<RefCell<Vec<bool>>>);

impl ResourceEventHandler<Thing> for Same {
    fn on_update(&mut self, old: &Arc<Thing>, new: &Arc<Thing>) {
        let cached = self.0.indexer().get_by_key(&new.key).cloned();
        self.1.borrow_mut().push(Arc::ptr_eq(old, new) && cached.is_some_and(|cached| Arc::ptr_eq(&cached, new)));
    }
}

#[test]
fn rsy_14_rsy_15_handler_can_distinguish_a_resync() {
    let world = World::new();
    let (informer, source) = every(&world, seconds(1));
    let seen = Rc::new(RefCell::new(Vec::new()));
    let _registration = informer.add_event_handler(Same(informer.clone(), Rc::clone(&seen))).expect("not stopped");
    source.run(&world, &informer);
    world.pass(seconds(1));
    source.put("n/a", "");
    world.settle();
    world.pass(seconds(1));
    assert_eq!(*seen.borrow(), [true, false, true]);
}

#[test]
fn brw_02_throttled_timer_resyncs_once_for_all_missed_periods() {
    let world = World::new();
    let (informer, source) = every(&world, seconds(1));
    let (deliveries, _registration) = add(&informer, None);
    source.run(&world, &informer);
    deliveries.take();
    world.clock.advance(HOUR);
    world.settle();
    assert_eq!(deliveries.take(), ["~n/a@1>1"]);
    world.pass(seconds(3));
    assert_eq!(deliveries.take().len(), 3, "and then as before");
}

#[test]
fn a_resync_that_is_due_before_the_first_list_waits_for_it() {
    let world = World::new();
    let (informer, source) = every(&world, seconds(1));
    let (deliveries, _registration) = add(&informer, None);
    source.set_error(Some(informer::ErrorCode::Network));
    source.run(&world, &informer);
    world.pass(seconds(10));
    assert_eq!((deliveries.take().len(), informer.metrics().resyncs), (0, 0));
    source.set_error(None);
    informer.wake();
    world.settle();
    assert_eq!(deliveries.take(), ["+n/a@1!", "synced"]);
    world.pass(seconds(1));
    assert_eq!(deliveries.take(), ["~n/a@1>1"]);
}

#[test]
fn infinite_period_is_never_due() {
    let world = World::new();
    let (informer, source) = every(&world, Duration::MAX);
    // At zero nothing overflows: the sum is that of now and forever.
    world.pass(seconds(1));
    let (_early, _from_the_start) = add(&informer, Some(Duration::MAX));
    source.run(&world, &informer);
    let (deliveries, _registration) = add(&informer, Some(Duration::MAX));
    world.settle();
    deliveries.take();
    world.pass(HOUR);
    assert_eq!((informer.has_synced(), deliveries.take()), (true, Vec::<String>::new()));
}
