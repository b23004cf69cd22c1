//! Registrations of handlers, indexes and observers: added at any time, removed, and failing (scenarios SHI, BRW-07).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::{
    ChangeBatch, ChangeBatchHandler, ErrorCode, HandlerOptions, IndexFunc, InformerEvent, Observer, Registration,
    ResourceEventHandler, SharedInformer, SharedInformerOptions,
};
use proptest::prelude::*;

use crate::harness::World;
use crate::replica::Replica;
use crate::source::{DeliveryLog, Thing, cached, empty_source, informer, synced};

fn by_tag() -> BTreeMap<String, IndexFunc<Thing>> {
    let func: IndexFunc<Thing> = Rc::new(|thing: &Thing| Ok(vec![thing.tag.clone()]));
    BTreeMap::from([("tag".to_owned(), func)])
}

#[test]
fn shi_01_indexes_are_complete_whenever_they_are_added() {
    let world = World::new();
    let (informer, source) = (informer(&world, SharedInformerOptions::default()), empty_source());
    informer.add_indexers(by_tag()).expect("not stopped");
    for key in ["n/a", "n/b"] {
        source.put(key, "x");
    }
    source.run(&world, &informer);
    let late: IndexFunc<Thing> = Rc::new(|thing: &Thing| Ok(vec![thing.key.clone()]));
    informer.add_indexers(BTreeMap::from([("late".to_owned(), late)])).expect("not stopped");
    let find = |index: &str, value: &str| informer.indexer().index_keys(index, value).expect("added");
    assert_eq!((find("tag", "x").len(), find("late", "n/a").len()), (2, 1));
    source.put("n/c", "x");
    source.remove("n/a");
    world.settle();
    assert_eq!(
        (find("tag", "x"), find("late", "n/c"), find("late", "n/a").len()),
        (vec!["n/b".to_owned(), "n/c".to_owned()], vec!["n/c".to_owned()], 0)
    );
    assert!(informer.add_indexers(by_tag()).is_err(), "the name is taken");
}

#[test]
fn shi_03_observers_receive_list_and_watch_errors() {
    let world = World::new();
    let (informer, source) = (informer(&world, SharedInformerOptions::default()), empty_source());
    let errors = Rc::new(RefCell::new(Vec::new()));
    let reported = Rc::clone(&errors);
    let observer = informer.observe(move |event| {
        if let InformerEvent::Error(error) = event {
            reported.borrow_mut().push(error.code());
        }
    });
    source.set_error(Some(ErrorCode::Forbidden));
    source.run(&world, &informer);
    assert_eq!(errors.take(), [ErrorCode::Forbidden]);
    source.set_error(None);
    informer.wake();
    world.settle();
    source.expire();
    world.settle();
    assert_eq!(errors.take(), [ErrorCode::Expired]);
    drop(observer);
    world.pass(Duration::from_secs(2));
    source.expire();
    world.settle();
    assert!(errors.take().is_empty(), "it does not observe any more");
}

#[test]
fn observers_may_come_and_go_while_they_are_told() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    let (calls, observers_kept) = (Rc::<RefCell<Vec<&str>>>::default(), Rc::<RefCell<Vec<Observer>>>::default());
    let (call_log, watched, observers) = (Rc::clone(&calls), informer.clone(), Rc::clone(&observers_kept));
    let first = informer.observe(move |_| {
        call_log.borrow_mut().push("first");
        // All existing observers are removed, including this one, and another one is added.
        let gone = observers.take();
        let call_log = Rc::clone(&call_log);
        let late = watched.observe(move |_| call_log.borrow_mut().push("late"));
        observers.borrow_mut().push(late);
        drop(gone);
    });
    let call_log = Rc::clone(&calls);
    let second = informer.observe(move |_| call_log.borrow_mut().push("second"));
    observers_kept.borrow_mut().extend([first, second]);
    source.put("n/b", "");
    world.settle();
    assert_eq!(calls.take(), ["first", "second"], "this notification goes to those that were there");
    source.put("n/c", "");
    world.settle();
    assert_eq!(calls.take(), ["late"]);
}

#[test]
fn shi_06_shi_08_shi_09_each_registration_is_a_handler_of_its_own() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    // One handler, registered twice.
    let deliveries = DeliveryLog::default();
    let add = || informer.add_event_handler(deliveries.clone()).expect("not stopped");
    let (first, second) = (add(), add());
    world.settle();
    assert_eq!(deliveries.take(), ["+n/a@1!", "synced", "+n/a@1!", "synced"]);
    assert_eq!(informer.metrics().handlers.len(), 2);
    first.remove();
    first.remove();
    first.clone().remove();
    assert_eq!(informer.metrics().handlers.len(), 1);
    source.put("n/a", "");
    world.settle();
    assert_eq!(deliveries.take(), ["~n/a@1>2"], "the other goes on");
    second.remove();
    source.put("n/a", "");
    world.settle();
    assert_eq!((deliveries.take(), informer.metrics().handlers.len()), (vec![], 0));
}

#[test]
fn shi_14_a_removed_handler_is_not_told_what_waits() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    let deliveries = DeliveryLog::default();
    let registration = informer.add_event_handler(deliveries.clone()).expect("not stopped");
    source.put("n/a", "");
    registration.remove();
    world.settle();
    assert_eq!(deliveries.take(), Vec::<String>::new());
    assert!(!registration.has_synced());
}

/// Handler that removes itself at the first object, and may panic at it.
struct RemovesItself {
    own: Rc<RefCell<Option<Registration<Thing>>>>,
    deliveries: DeliveryLog,
    fails: bool,
}

impl ResourceEventHandler<Thing> for RemovesItself {
    fn on_add(&mut self, object: &Arc<Thing>, is_in_initial_list: bool) {
        if let Some(own) = self.own.take() {
            own.remove();
        }
        // The call that is under way is not cut short.
        self.deliveries.on_add(object, is_in_initial_list);
        assert!(!self.fails, "at the moment of removal");
    }

    fn on_synced(&mut self) {
        self.deliveries.on_synced();
    }
}

impl Drop for RemovesItself {
    fn drop(&mut self) {
        self.deliveries.on_synced();
    }
}

#[test]
fn shi_19_shi_20_shi_21_a_handler_that_leaves_in_a_call_ends_with_that_call() {
    for fails in [false, true] {
        let world = World::new();
        let (informer, source) = synced(&world, &["n/a", "n/b"]);
        let (deliveries, own) = (DeliveryLog::default(), Rc::default());
        let handler = RemovesItself { own: Rc::clone(&own), deliveries: deliveries.clone(), fails };
        *own.borrow_mut() = Some(informer.add_event_handler(handler).expect("not stopped"));
        without_panic_output(|| world.settle());
        let words = deliveries.take();
        assert_eq!(words.len(), 2, "one object, then it was dropped: {words:?}");
        source.put("n/c", "");
        world.settle();
        assert_eq!((deliveries.take(), cached(&informer).len()), (vec![], 3));
    }
}

/// Handler that panics at objects with the tag `bad`.
struct PanicsAtBadTag(DeliveryLog);

impl ResourceEventHandler<Thing> for PanicsAtBadTag {
    fn on_add(&mut self, object: &Arc<Thing>, is_in_initial_list: bool) {
        assert_ne!(object.tag, "bad", "I do not like it");
        self.0.on_add(object, is_in_initial_list);
    }

    fn on_synced(&mut self) {
        self.0.on_synced();
    }
}

impl ChangeBatchHandler<Thing> for PanicsAtBadTag {
    fn on_changes(&mut self, batch: &ChangeBatch<Thing>) {
        assert!(batch.changes.iter().all(|change| change.object().tag != "bad"), "I do not like it");
        self.0.on_synced();
    }
}

/// Runs a function without the output of its panics in the test log.
fn without_panic_output(run: impl FnOnce()) {
    thread_local!(static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                loud(info);
            }
        }));
    });
    QUIET.set(true);
    run();
    QUIET.set(false);
}

fn errors(informer: &SharedInformer<Thing>) -> (Rc<RefCell<Vec<String>>>, informer::Observer) {
    let errors = Rc::new(RefCell::new(Vec::new()));
    let reported = Rc::clone(&errors);
    let observer = informer.observe(move |event| {
        if let InformerEvent::Error(error) = event {
            reported.borrow_mut().push(error.message().to_owned());
        }
    });
    (errors, observer)
}

#[test]
fn shi_17_brw_07_a_call_that_panics_is_lost_and_reported_and_no_other() {
    let world = World::new();
    let (informer, source) = synced(&world, &[]);
    let (deliveries, other) = (DeliveryLog::default(), DeliveryLog::default());
    let registration = informer.add_event_handler(PanicsAtBadTag(deliveries.clone())).expect("not stopped");
    let _other = informer.add_event_handler(other.clone()).expect("not stopped");
    world.settle();
    let (errors, _observer) = errors(&informer);
    for (key, tag) in [("n/a", ""), ("n/b", "bad"), ("n/c", "")] {
        source.put(key, tag);
    }
    without_panic_output(|| world.settle());
    assert_eq!(deliveries.take(), ["synced", "+n/a@1", "+n/c@3"]);
    assert_eq!(other.take(), ["synced", "+n/a@1", "+n/b@2", "+n/c@3"]);
    let reported = errors.take();
    assert_eq!(reported.len(), 1);
    assert!(reported[0].contains("n/b") && reported[0].contains("I do not like it"), "{reported:?}");
    assert_eq!((registration.metrics().failures, registration.metrics().delivered), (1, 3));
}

#[test]
fn shi_18_a_handler_that_fails_at_an_initial_object_becomes_synced() {
    let world = World::new();
    let (informer, source) = (informer(&world, SharedInformerOptions::default()), empty_source());
    source.put("n/a", "bad");
    source.put("n/b", "");
    let (deliveries, batches) = (DeliveryLog::default(), DeliveryLog::default());
    let each = informer.add_event_handler(PanicsAtBadTag(deliveries.clone())).expect("not stopped");
    let batch =
        informer.add_batch_handler(PanicsAtBadTag(batches.clone()), HandlerOptions::default()).expect("not stopped");
    without_panic_output(|| source.run(&world, &informer));
    assert_eq!(deliveries.take(), ["+n/b@2!", "synced"]);
    assert!(each.has_synced() && batch.has_synced());
    assert_eq!((each.metrics().failures, batch.metrics().failures), (1, 1));
    source.put("n/c", "");
    world.settle();
    assert_eq!(batches.take(), ["synced"], "the next batch is told");
}

/// Handler that reads the cache at each object.
struct ReadsCache(SharedInformer<Thing>, Rc<RefCell<Vec<usize>>>);

impl ResourceEventHandler<Thing> for ReadsCache {
    fn on_add(&mut self, _: &Arc<Thing>, _: bool) {
        self.1.borrow_mut().push(self.0.indexer().len());
    }
}

#[test]
fn shi_32_the_whole_list_is_visible_at_its_first_object() {
    let world = World::new();
    let (informer, source) = (informer(&world, SharedInformerOptions::default()), empty_source());
    for key in ["n/a", "n/b", "n/c"] {
        source.put(key, "");
    }
    let seen = Rc::new(RefCell::new(Vec::new()));
    let _registration =
        informer.add_event_handler(ReadsCache(informer.clone(), Rc::clone(&seen))).expect("not stopped");
    source.run(&world, &informer);
    assert_eq!(seen.take(), [3, 3, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn shi_10_shi_22_handlers_come_and_go_while_events_flow(
        seed in any::<[u8; 32]>(),
        comings in prop::collection::vec((0..10_u8, 0..1_000_usize, 0..6_u64), 100),
    ) {
        let world = World::new();
        let options = SharedInformerOptions {
            resync_period: Duration::from_secs(2),
            ..SharedInformerOptions::default()
        };
        let (informer, source) = (informer(&world, options), empty_source());
        let mut here: Vec<(Replica, Registration<Thing>)> = Vec::new();
        let mut gone: Vec<(Replica, usize)> = Vec::new();
        let add = |here: &mut Vec<_>, period| {
            let (replica, resync_period) = (Replica::default(), Some(Duration::from_secs(period)));
            let options = HandlerOptions { resync_period, ..HandlerOptions::default() };
            let registration = informer.add_event_handler_with_options(replica.clone(), options).expect("not stopped");
            here.push((replica, registration));
        };
        for (_, _, period) in &comings[..10] {
            add(&mut here, *period);
        }
        source.run(&world, &informer);
        for (n, (what, which, period)) in comings.iter().enumerate() {
            for event in 0..100 {
                let key = format!("n/{}", (usize::from(seed[(n + event) % 32]) + event * 7) % 20);
                if event % 3 == 2 { source.remove(&key) } else { source.put(&key, "") }
                // Some objects exist before the handler is added, some appear later, and some wait in the queue.
                if event % 40 == 39 { world.settle() }
            }
            if *what < 5 {
                add(&mut here, *period);
            } else if !here.is_empty() {
                let (replica, registration) = here.swap_remove(which % here.len());
                registration.remove();
                gone.push((replica.clone(), replica.deliveries()));
            }
            world.pass(Duration::from_millis(100));
        }
        world.settle();
        for (replica, registration) in &here {
            prop_assert_eq!(replica.violations(), Vec::<String>::new());
            prop_assert_eq!(replica.words(), source.words());
            prop_assert!(registration.has_synced());
        }
        for (replica, deliveries) in &gone {
            prop_assert_eq!(replica.violations(), Vec::<String>::new());
            prop_assert_eq!(replica.deliveries(), *deliveries, "nothing after it was removed");
        }
        prop_assert_eq!(informer.metrics().handlers.len(), here.len());
        informer.stop();
        world.settle();
        drop((here, gone));
        prop_assert_eq!(Thing::alive(), 2 * source.words().len() + source.history_len());
    }
}
