//! Life cycle of an informer: start, stop, reopen (scenarios SHI, BRW).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::{
    ErrorCode, HandlerOptions, Phase, QueueKind, Registration, ResourceEventHandler, SharedInformer,
    SharedInformerOptions,
};

use crate::backlog::PausableHandler;
use crate::harness::World;
use crate::source::{DeliveryLog, Source, Thing, cached, empty_source, informer, synced};

fn idle(world: &World) -> (SharedInformer<Thing>, Source) {
    (informer(world, SharedInformerOptions::default()), empty_source())
}

/// Handler that owns its informer, as a controller does, and a token that is counted.
#[expect(dead_code, reason = "they are held")]
struct OwnsInformer(SharedInformer<Thing>, Rc<()>);

impl ResourceEventHandler<Thing> for OwnsInformer {}

#[test]
fn shi_11_an_informer_reports_whether_it_was_stopped() {
    let world = World::new();
    let (informer, source) = idle(&world);
    assert_eq!((informer.is_stopped(), informer.status().phase), (false, Phase::Idle));
    source.run(&world, &informer);
    assert_eq!((informer.is_stopped(), informer.status().phase), (false, Phase::Watching));
    informer.stop();
    assert!(informer.is_stopped(), "at once");
    world.settle();
    assert_eq!((informer.is_stopped(), informer.status().phase), (true, Phase::Stopped));
}

#[test]
fn shi_12_shi_13_a_stopped_informer_takes_no_handlers_and_lets_them_go() {
    let world = World::new();
    let (informer, _source) = synced(&world, &["n/a"]);
    let registration = informer.add_event_handler(DeliveryLog::default()).expect("not stopped");
    informer.stop();
    let error = informer.add_event_handler(DeliveryLog::default()).err().expect("stopped");
    assert_eq!(error.code(), ErrorCode::Closed);
    assert!(error.message().contains("cannot add the handler: the informer has been stopped"), "{error}");
    assert_eq!(informer.add_indexers(BTreeMap::new()).expect_err("stopped").code(), ErrorCode::Closed);
    registration.remove();
    world.settle();
    registration.remove();
    assert_eq!(cached(&informer), ["n/a@1"], "what is cached stays readable");
}

#[test]
fn shi_16_nothing_leaks_whenever_it_is_stopped() {
    let alive = Rc::new(());
    for (started, handlers) in [(false, 1), (true, 1), (true, 50)] {
        let world = World::new();
        let (informer, source) = idle(&world);
        let add =
            || informer.add_event_handler(OwnsInformer(informer.clone(), Rc::clone(&alive))).expect("not stopped");
        let registrations: Vec<_> = (0..handlers).map(|_| add()).collect();
        if started {
            source.put("n/a", "");
            source.run(&world, &informer);
        }
        assert_eq!(Rc::strong_count(&alive), 1 + handlers);
        informer.stop();
        world.settle();
        assert_eq!(Rc::strong_count(&alive), 1, "started: {started}, handlers: {handlers}");
        drop((registrations, informer, source, world));
        assert_eq!(Thing::alive(), 0);
    }
}

#[test]
fn shi_16_each_registration_is_synced_for_itself() {
    let world = World::new();
    let (informer, source) = idle(&world);
    let early = informer.add_event_handler(DeliveryLog::default()).expect("not stopped");
    assert!(!early.has_synced());
    source.put("n/a", "");
    source.run(&world, &informer);
    let late = informer.add_event_handler(DeliveryLog::default()).expect("not stopped");
    assert_eq!((early.has_synced(), late.has_synced()), (true, false));
    world.settle();
    assert!(late.has_synced());
}

#[test]
fn shi_23_a_second_run_is_refused_and_the_first_goes_on() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    let other = empty_source();
    other.put("other/x", "");
    other.run(&world, &informer);
    assert!(other.requests().is_empty());
    source.put("n/b", "");
    world.settle();
    assert_eq!(cached(&informer), ["n/a@1", "n/b@2"]);
}

#[test]
fn shi_31_queued_changes_are_dropped_after_a_stop() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    let slow = PausableHandler::default();
    slow.pause();
    let registration = informer.add_batch_handler(slow.clone(), HandlerOptions::default()).expect("not stopped");
    for _ in 0..10 {
        source.put("n/a", "");
        world.settle();
    }
    assert!(registration.metrics().backlog > 10);
    informer.stop();
    world.settle();
    slow.unpause(&registration);
    world.settle();
    assert_eq!((slow.take(), registration.has_synced(), registration.metrics().backlog), (vec![], false, 0));
    drop(source);
    assert_eq!(Thing::alive(), 1, "the cached one");
}

/// Handler that stops its informer at the first object.
struct StopsInformer(SharedInformer<Thing>, DeliveryLog);

impl ResourceEventHandler<Thing> for StopsInformer {
    fn on_add(&mut self, object: &Arc<Thing>, is_in_initial_list: bool) {
        self.1.on_add(object, is_in_initial_list);
        self.0.stop();
    }

    fn on_synced(&mut self) {
        self.1.on_synced();
    }
}

#[test]
fn shi_31_no_handler_is_called_after_a_stop_from_inside_a_handler() {
    let world = World::new();
    let (informer, _source) = synced(&world, &["n/a", "n/b", "n/c"]);
    let (first, second) = (DeliveryLog::default(), DeliveryLog::default());
    let registration = informer.add_event_handler(StopsInformer(informer.clone(), first.clone())).expect("not stopped");
    let _other = informer.add_event_handler(second.clone()).expect("not stopped");
    world.settle();
    assert_eq!((first.take().len(), second.take()), (1, vec![]));
    assert!(!registration.has_synced());
    assert_eq!(informer.status().phase, Phase::Stopped);
}

#[test]
fn brw_03_a_stop_aborts_the_request_within_a_turn() {
    let world = World::new();
    let (informer, source) = synced(&world, &[]);
    assert!(source.is_watched());
    informer.stop();
    world.settle();
    assert!(!source.is_watched());
}

/// Drops its informer, and itself, in the middle of a call.
struct Drops(Rc<RefCell<Option<SharedInformer<Thing>>>>, Rc<RefCell<Option<Registration<Thing>>>>);

impl ResourceEventHandler<Thing> for Drops {
    fn on_add(&mut self, _: &Arc<Thing>, _: bool) {
        let (informer, registration) = (self.0.take(), self.1.take());
        if let Some(informer) = informer {
            informer.stop();
            drop(informer);
        }
        if let Some(registration) = registration {
            registration.remove();
        }
    }
}

#[test]
fn brw_08_a_handler_may_drop_its_informer_in_a_call() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a", "n/b"]);
    let (held, own) = (Rc::new(RefCell::new(Some(informer.clone()))), Rc::default());
    let registration = informer.add_event_handler(Drops(Rc::clone(&held), Rc::clone(&own))).expect("not stopped");
    *own.borrow_mut() = Some(registration);
    drop(informer);
    world.settle();
    assert!(held.borrow().is_none() && !source.is_watched());
    drop(source);
    assert_eq!(Thing::alive(), 0, "the cache went with the informer");
}

#[test]
fn a_reopened_informer_tells_what_it_missed_and_leaks_nothing() {
    let alive = Rc::new(());
    for queue in [QueueKind::InOrder, QueueKind::ByKey] {
        let world = World::new();
        let source = empty_source();
        let informer = informer(&world, SharedInformerOptions { queue, ..SharedInformerOptions::default() });
        for key in ["n/a", "n/b", "n/c"] {
            source.put(key, "");
        }
        source.run(&world, &informer);
        for round in 0..3 {
            let holds =
                informer.add_event_handler(OwnsInformer(informer.clone(), Rc::clone(&alive))).expect("not stopped");
            world.settle();
            let at = source.version();
            informer.stop();
            world.settle();
            assert_eq!(Rc::strong_count(&alive), 1, "round {round}");
            assert!(!holds.has_synced() || holds.metrics().backlog == 0);
            // No handler receives this.
            source.remove("n/b");
            source.put("n/b2", "");
            source.put("n/a", "");
            source.expire();
            assert!(informer.reopen(), "round {round}");
            assert!(!informer.is_stopped());
            let deliveries = DeliveryLog::default();
            let registration = informer.add_event_handler(deliveries.clone()).expect("reopened");
            assert!(source.requests().iter().all(|request| request != &format!("list {at}")), "not before it runs");
            source.run(&world, &informer);
            let words = deliveries.take();
            let synced = words.iter().position(|word| word == "synced").expect("told");
            assert_eq!(synced, 3, "first what was cached, then what was missed: {words:?}");
            assert!(words[synced..].contains(&"-n/b@2?".to_owned()) || round > 0, "{words:?}");
            assert!(registration.has_synced());
            assert_eq!(cached(&informer), source.words());
            assert_eq!(source.requests(), [format!("list {at}"), format!("watch {}", source.version())]);
            // Back to where it was, so that the next round misses the same again.
            source.remove("n/b2");
            source.put("n/b", "");
            source.put("n/a", "");
            world.settle();
            registration.remove();
            assert_eq!(cached(&informer), source.words());
        }
        assert_eq!(Thing::alive(), 2 * 3 + source.history_len(), "the source's, the cache's and nothing else");
    }
}

#[test]
fn a_reopened_informer_syncs_if_it_never_did_before() {
    let world = World::new();
    let (informer, source) = idle(&world);
    source.put("n/a", "");
    source.set_error(Some(ErrorCode::Network));
    source.run(&world, &informer);
    informer.stop();
    world.settle();
    assert!(informer.reopen() && !informer.has_synced());
    let deliveries = DeliveryLog::default();
    let registration = informer.add_event_handler(deliveries.clone()).expect("reopened");
    source.set_error(None);
    source.run(&world, &informer);
    assert_eq!(deliveries.take(), ["+n/a@1!", "synced"]);
    assert!(registration.has_synced());
}

#[test]
fn only_what_has_ended_can_be_reopened() {
    let world = World::new();
    let (informer, source) = idle(&world);
    assert!(!informer.reopen(), "never ran");
    source.run(&world, &informer);
    assert!(!informer.reopen(), "runs");
    informer.stop();
    assert!(!informer.reopen(), "has not ended yet");
    world.settle();
    assert!(informer.reopen());
    assert!(!informer.reopen(), "is open");
}

#[test]
fn a_run_that_is_dropped_is_a_stop() {
    let world = World::new();
    let (informer, source) = idle(&world);
    let alive = Rc::new(());
    let mut run = Box::pin(informer.run(source.clone()));
    assert!(run.as_mut().now_or_never().is_none());
    let _registration =
        informer.add_event_handler(OwnsInformer(informer.clone(), Rc::clone(&alive))).expect("not stopped");
    drop(run);
    assert_eq!((informer.status().phase, Rc::strong_count(&alive)), (Phase::Stopped, 1));
    assert!(informer.reopen());
    source.run(&world, &informer);
    assert!(informer.has_synced());
}

#[test]
fn stopped_before_its_run_it_never_lists_and_can_be_reopened_without_its_handlers() {
    let world = World::new();
    let (informer, source) = idle(&world);
    let deliveries = DeliveryLog::default();
    let _registration = informer.add_event_handler(deliveries.clone()).expect("not stopped");
    informer.stop();
    source.run(&world, &informer);
    assert!(source.requests().is_empty());
    assert!(informer.reopen());
    source.run(&world, &informer);
    assert!(informer.has_synced());
    assert_eq!(deliveries.take(), Vec::<String>::new(), "handlers went with the stop");
}

/// A clock on which work takes time, and on which a turn is not over at once.
#[derive(Clone)]
pub(crate) struct WorkClock {
    world: informer::clock::virtual_time::VirtualClock,
    pub(crate) cost: Rc<Cell<Duration>>,
}

impl WorkClock {
    pub(crate) fn new(world: &World) -> Self {
        Self { world: world.clock.clone(), cost: Rc::default() }
    }
}

impl Clock for WorkClock {
    fn now(&self) -> Duration {
        self.world.advance(self.cost.get());
        self.world.now()
    }
    fn unix_ms(&self) -> f64 {
        self.world.unix_ms()
    }
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.world.sleep(duration.max(Duration::from_millis(1)))
    }
    fn seed(&self) -> u64 {
        7
    }
}

#[test]
fn a_run_that_is_still_ending_is_not_reopened() {
    let world = World::new();
    let clock = WorkClock::new(&world);
    let (informer, source) =
        (SharedInformer::new(Rc::new(clock.clone()), SharedInformerOptions::default()), empty_source());
    source.run(&world, &informer);
    clock.cost.set(Duration::from_millis(1));
    source.put_all((0..3_000).map(|n| format!("n/{n}")));
    world.settle();
    clock.cost.set(Duration::ZERO);
    assert!(informer.metrics().queue_depth > 1_000, "it is in the middle of its work");
    informer.stop();
    world.settle();
    assert!(!informer.reopen(), "its run waits for its next turn still");
    world.pass(Duration::from_secs(1));
    assert!(informer.reopen());
    let deliveries = DeliveryLog::default();
    let registration = informer.add_event_handler(deliveries.clone()).expect("reopened");
    source.run(&world, &informer);
    world.pass(Duration::from_secs(1));
    assert_eq!(cached(&informer), source.words(), "what was queued was not lost");
    source.put("n/new", "");
    world.pass(Duration::from_secs(1));
    assert!(registration.has_synced());
    assert_eq!(deliveries.take().last().map(String::as_str), Some("+n/new@3001"), "the handler is there still");
}

#[test]
fn an_empty_informer_requests_its_namespace_once_and_again_after_it_had_objects() {
    let world = World::new();
    let (informer, source) = idle(&world);
    assert!(!informer.is_synced_and_empty() && !informer.take_namespace_due(), "it has not synced");
    source.run(&world, &informer);
    assert!(informer.is_synced_and_empty());
    assert_eq!((informer.take_namespace_due(), informer.take_namespace_due()), (true, false));
    informer.end_namespace_check(true);
    source.put("n/a", "");
    world.settle();
    assert!(!informer.take_namespace_due(), "it has an object");
    source.remove("n/a");
    world.settle();
    assert_eq!((informer.take_namespace_due(), informer.take_namespace_due()), (true, false));
    informer.set_namespace_missing(true);
    assert_eq!((informer.take_namespace_due(), informer.status().namespace_missing), (false, true));
    informer.set_namespace_missing(false);
    assert_eq!((informer.take_namespace_due(), informer.status().namespace_missing), (false, false));
    informer.end_namespace_check(true);
    assert!(!informer.take_namespace_due(), "it exists");
    informer.end_namespace_check(false);
    assert!(informer.take_namespace_due(), "the check had ended because of objects");
}

#[test]
fn an_observer_that_is_dropped_takes_no_other_with_it() {
    let world = World::new();
    let (informer, source) = idle(&world);
    let heard: [Rc<Cell<u32>>; 3] = Default::default();
    let observe = |count: &Rc<Cell<u32>>| {
        let count = Rc::clone(count);
        informer.observe(move |_| count.set(count.get() + 1))
    };
    let [_first, second, _third] = heard.each_ref().map(observe);
    source.run(&world, &informer);
    drop(second);
    let counts = || heard.each_ref().map(|count| count.get());
    let before = counts();
    source.put("n/a", "");
    world.settle();
    let after = counts();
    assert_eq!([0, 1, 2].map(|at| after[at] > before[at]), [true, false, true]);
}
