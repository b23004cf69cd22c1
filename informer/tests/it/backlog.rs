//! Backlog of a slow handler (scenarios SHI-24, SYN-01).

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use informer::{Change, ChangeBatch, ChangeBatchHandler, HandlerOptions, Registration};
use proptest::prelude::*;

use crate::harness::World;
use crate::replica::Replica;
use crate::source::{DeliveryLog, Source, Thing, cached, synced, word};

/// Batch handler that can be paused. Records its changes.
#[derive(Clone, Default)]
pub(crate) struct PausableHandler(Rc<Pause>);

#[derive(Default)]
struct Pause {
    paused: Cell<bool>,
    deliveries: RefCell<Vec<String>>,
}

impl PausableHandler {
    pub(crate) fn pause(&self) {
        self.0.paused.set(true);
    }

    pub(crate) fn unpause(&self, registration: &Registration<Thing>) {
        self.0.paused.set(false);
        registration.resume();
    }

    pub(crate) fn take(&self) -> Vec<String> {
        self.0.deliveries.take()
    }
}

impl ChangeBatchHandler<Thing> for PausableHandler {
    fn on_changes(&mut self, batch: &ChangeBatch<Thing>) {
        let mut deliveries = self.0.deliveries.borrow_mut();
        for change in &batch.changes {
            deliveries.push(match change {
                Change::Add { object, is_in_initial_list } => {
                    format!("+{}{}", word(object), if *is_in_initial_list { "!" } else { "" })
                }
                Change::Update { old, new } => format!("~{}>{}", word(old), new.version),
                Change::Delete { object, final_state_unknown } => {
                    format!("-{}{}", word(object), if *final_state_unknown { "?" } else { "" })
                }
            });
        }
    }

    fn on_synced(&mut self) {
        self.0.deliveries.borrow_mut().push("synced".into());
    }

    fn is_ready(&self) -> bool {
        !self.0.paused.get()
    }
}

fn bounded(backlog_bound: usize) -> HandlerOptions {
    HandlerOptions { backlog_bound, ..HandlerOptions::default() }
}

#[test]
fn shi_24_slow_handler_delays_no_other_and_receives_merged_changes() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/0"]);
    let (slow, fast) = (Replica::default(), DeliveryLog::default());
    slow.pause();
    let waits = informer.add_batch_handler(slow.clone(), bounded(100)).expect("not stopped");
    let _registration = informer.add_event_handler(fast.clone()).expect("not stopped");
    for n in 0..5_000_u32 {
        source.put(&format!("n/{}", n % 50), "");
        world.settle();
        assert_eq!(
            fast.take().last(),
            Some(&if n < 50 && n > 0 {
                format!("+n/{}@{}", n % 50, n + 2)
            } else {
                format!("~n/{}@{}>{}", n % 50, (n + 2).saturating_sub(50).max(1), n + 2)
            }),
            "without delay"
        );
        assert!(waits.metrics().backlog <= 100, "{:?}", waits.metrics());
    }
    world.pass(Duration::from_secs(10));
    assert!(source.is_watched() && slow.deliveries() == 0 && !waits.has_synced());
    slow.unpause(&waits);
    world.settle();
    assert_eq!((slow.words(), slow.violations()), (cached(&informer), vec![]));
    let metrics = waits.metrics();
    assert_eq!((metrics.backlog, metrics.delivered + metrics.coalesced), (0, 5_001), "{metrics:?}");
    assert!(metrics.delivered <= 100 && waits.has_synced());
}

/// `+n/a` or `-n/a`: creates, changes or deletes the object, and notifies all ready handlers.
fn apply_change(world: &World, source: &Source, change: &str) {
    match change.split_at(1) {
        ("+", key) => source.put(key, ""),
        (_, key) => source.remove(key),
    }
    world.settle();
}

#[test]
fn shi_24_object_added_and_deleted_in_the_backlog_is_not_delivered() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a", "n/b"]);
    let slow = PausableHandler::default();
    let registration = informer.add_batch_handler(slow.clone(), bounded(1)).expect("not stopped");
    world.settle();
    assert_eq!(slow.take().len(), 3);
    slow.pause();
    for change in ["+n/x", "+n/a", "-n/x", "-n/b", "+n/a", "+n/y", "-n/a", "+n/a"] {
        apply_change(&world, &source, change);
    }
    slow.unpause(&registration);
    world.settle();
    assert_eq!(slow.take(), ["~n/a@1>10", "-n/b@6", "+n/y@8"]);
}

#[test]
fn shi_24_handler_of_one_batch_at_a_time_syncs_under_constant_changes() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    let slow = Replica::default();
    slow.one_at_a_time(true);
    slow.pause();
    let registration = informer.add_batch_handler(slow.clone(), bounded(1)).expect("not stopped");
    for _ in 0..4 {
        for key in ["n/a", "n/b", "n/c"] {
            source.put(key, "");
            world.settle();
        }
        slow.unpause(&registration);
        world.settle();
    }
    assert!(registration.has_synced(), "it has taken {} changes", slow.deliveries());
}

#[test]
fn shi_24_backlog_of_an_occasional_reader_is_bounded() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    let slow = Replica::default();
    slow.one_at_a_time(true);
    let registration = informer.add_batch_handler(slow.clone(), bounded(10)).expect("not stopped");
    world.settle();
    for n in 0..200 {
        source.put("n/a", "");
        world.settle();
        if n % 2 == 0 {
            slow.unpause(&registration);
            world.settle();
        }
        assert!(registration.metrics().backlog <= 10, "{:?}", registration.metrics());
    }
    assert_eq!(slow.violations(), Vec::<String>::new());
}

#[test]
fn shi_24_deletion_and_recreation_stay_two_changes() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a", "n/b", "n/c"]);
    let slow = PausableHandler::default();
    let registration = informer.add_batch_handler(slow.clone(), bounded(1)).expect("not stopped");
    world.settle();
    slow.take();
    slow.pause();
    for change in ["-n/a", "+n/a", "+n/a", "+n/b", "-n/b", "+n/b", "-n/c", "+n/c", "-n/c"] {
        apply_change(&world, &source, change);
    }
    slow.unpause(&registration);
    world.settle();
    assert_eq!(slow.take(), ["-n/a@4", "+n/a@6", "-n/b@8", "+n/b@9", "-n/c@10"]);
    assert_eq!(registration.metrics().coalesced, 4);
}

/// A batch handler that accepts batches only on demand, and records each batch: its changes, its version, and whether
/// it is of a list.
#[derive(Clone, Default)]
struct Batches(PausableHandler, Rc<RefCell<Vec<(usize, String, bool)>>>);

impl ChangeBatchHandler<Thing> for Batches {
    fn on_changes(&mut self, batch: &ChangeBatch<Thing>) {
        self.0.on_changes(batch);
        self.1.borrow_mut().push((batch.changes.len(), batch.resource_version.clone(), batch.relist));
    }

    fn on_synced(&mut self) {
        self.0.on_synced();
    }

    fn is_ready(&self) -> bool {
        self.0.is_ready()
    }
}

#[test]
fn shi_24_initial_object_changed_in_the_backlog_stays_initial() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a", "n/b"]);
    let slow = PausableHandler::default();
    slow.pause();
    let registration = informer.add_batch_handler(slow.clone(), bounded(1)).expect("not stopped");
    for change in ["+n/a", "+n/x", "+n/x", "+n/b"] {
        apply_change(&world, &source, change);
    }
    slow.unpause(&registration);
    world.settle();
    assert_eq!(slow.take(), ["+n/a@3!", "+n/b@6!", "+n/x@5", "synced"]);
}

#[test]
fn shi_24_coalesced_batch_is_a_relist_if_one_of_its_batches_was() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a", "n/b"]);
    let slow = Batches::default();
    let registration = informer.add_batch_handler(slow.clone(), bounded(1)).expect("not stopped");
    world.settle();
    slow.1.take();
    // A list, and changes after it.
    slow.0.pause();
    source.expire();
    world.settle();
    source.put("n/a", "");
    informer.wake();
    world.settle();
    for _ in 0..6 {
        apply_change(&world, &source, "+n/b");
    }
    slow.0.unpause(&registration);
    world.settle();
    assert_eq!(slow.1.take(), [(2, "7".to_owned(), true), (1, "8".to_owned(), false), (1, "9".to_owned(), false)]);
    // Objects that were created and deleted meanwhile produce no batch.
    slow.0.pause();
    for change in ["+n/x", "-n/x", "+n/y", "-n/y"] {
        apply_change(&world, &source, change);
    }
    slow.0.unpause(&registration);
    world.settle();
    assert_eq!(slow.1.take(), []);
    // Changes alone.
    slow.0.pause();
    for change in ["+n/b", "+n/a", "+n/b"] {
        apply_change(&world, &source, change);
    }
    slow.0.unpause(&registration);
    world.settle();
    assert_eq!(slow.1.take(), [(2, "15".to_owned(), false), (1, "16".to_owned(), false)]);
}

const KEYS: usize = 6;

#[derive(Clone, Debug)]
enum Op {
    Put(usize),
    Remove(usize),
    Relist(Vec<usize>),
    Pause,
    Resume,
    OneAtATime(bool),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (0..KEYS).prop_map(Op::Put),
        5 => (0..KEYS).prop_map(Op::Remove),
        1 => prop::collection::vec(0..KEYS, 0..KEYS).prop_map(Op::Relist),
        1 => Just(Op::Pause),
        2 => Just(Op::Resume),
        1 => any::<bool>().prop_map(Op::OneAtATime),
    ]
}

proptest! {
    #[test]
    fn shi_24_changes_of_a_slow_handler_are_a_valid_history(
        first in prop::collection::btree_set(0..KEYS, 0..KEYS),
        bound in 0..2 * KEYS,
        ops in prop::collection::vec(op(), 0..200),
    ) {
        let world = World::new();
        let (informer, source) = synced(&world, &[]);
        let key = |n: &usize| format!("n/{n}");
        for n in &first {
            source.put(&key(n), "");
        }
        world.settle();
        let slow = Replica::default();
        let registration = informer.add_batch_handler(slow.clone(), bounded(bound)).expect("not stopped");
        for op in &ops {
            match op {
                Op::Put(n) => source.put(&key(n), ""),
                Op::Remove(n) => source.remove(&key(n)),
                Op::Relist(changed) => {
                    source.expire();
                    world.settle();
                    for n in changed {
                        if n % 2 == 0 { source.put(&key(n), "") } else { source.remove(&key(n)) }
                    }
                    informer.wake();
                }
                Op::Pause => slow.pause(),
                Op::Resume => slow.unpause(&registration),
                Op::OneAtATime(yes) => slow.one_at_a_time(*yes),
            }
            world.settle();
            let metrics = registration.metrics();
            prop_assert!(metrics.backlog <= bound.max(4 * KEYS) as u64, "{:?}", metrics);
            prop_assert_eq!(slow.violations(), Vec::<String>::new());
        }
        slow.one_at_a_time(false);
        slow.unpause(&registration);
        world.settle();
        prop_assert_eq!(slow.violations(), Vec::<String>::new());
        prop_assert_eq!(cached(&informer), source.words());
        prop_assert_eq!(slow.words(), source.words());
        prop_assert!(slow.is_synced() && registration.has_synced());
        let metrics = registration.metrics();
        prop_assert_eq!((metrics.backlog, metrics.delivered), (0, slow.deliveries() as u64));
    }
}
