//! Controller: from the queue into the cache and to the handlers (scenarios CTL, DF-10, RF-08, RF-26).

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::{
    ErrorCode, InformerError, InformerEvent, QueueKind, ResourceEventHandler, SharedInformer, SharedInformerOptions,
    TransformFunc,
};

use crate::harness::World;
use crate::source::{DeliveryLog, Source, Thing, cached, empty_source, informer};

const QUEUES: [QueueKind; 2] = [QueueKind::InOrder, QueueKind::ByKey];

/// Starts an informer on a source with these objects. Returns also the changes of a handler from the start.
fn started(
    world: &World,
    options: SharedInformerOptions<Thing>,
    keys: &[&str],
) -> (SharedInformer<Thing>, Source, DeliveryLog) {
    let (informer, source, deliveries) = (informer(world, options), empty_source(), DeliveryLog::default());
    for key in keys {
        source.put(key, "");
    }
    let _registration = informer.add_event_handler(deliveries.clone()).expect("not stopped");
    source.run(world, &informer);
    (informer, source, deliveries)
}

fn of_kind(queue: QueueKind) -> SharedInformerOptions<Thing> {
    SharedInformerOptions { queue, ..SharedInformerOptions::default() }
}

fn transforming(queue: QueueKind, transform: TransformFunc<Thing>) -> SharedInformerOptions<Thing> {
    SharedInformerOptions { transform: Some(transform), ..of_kind(queue) }
}

/// Makes the informer list again, after an unobserved `change` of the source.
fn relist(world: &World, source: &Source, change: impl FnOnce()) {
    source.expire();
    world.settle();
    change();
    // One 410 after the other is a cycle that fails: the waits grow.
    world.pass(Duration::from_secs(15));
}

/// Handler that reads the cache at each call.
struct CacheReader(SharedInformer<Thing>, Seen);

/// Received changes with their version, and the cached objects at that time.
type Seen = Rc<RefCell<Vec<(String, Vec<String>)>>>;

impl CacheReader {
    fn record_cache(&self, what: &str) {
        let version = self.0.indexer().resource_version().to_owned();
        self.1.borrow_mut().push((format!("{what} at {version}"), cached(&self.0)));
    }
}

impl ResourceEventHandler<Thing> for CacheReader {
    fn on_add(&mut self, object: &Arc<Thing>, _: bool) {
        self.record_cache(&format!("+{}", object.key));
    }
    fn on_update(&mut self, _: &Arc<Thing>, new: &Arc<Thing>) {
        self.record_cache(&format!("~{}", new.key));
    }
    fn on_delete(&mut self, object: &Arc<Thing>, _: bool) {
        self.record_cache(&format!("-{}", object.key));
    }
}

#[test]
fn ctl_07_a_relist_is_delivered_as_a_difference_once_it_is_cached() {
    for queue in QUEUES {
        let world = World::new();
        let (informer, source, deliveries) = started(&world, of_kind(queue), &["n/1", "n/2", "n/3"]);
        let seen = Seen::default();
        let _registration =
            informer.add_event_handler(CacheReader(informer.clone(), Rc::clone(&seen))).expect("not stopped");
        world.settle();
        deliveries.take();
        seen.take();
        relist(&world, &source, || {
            source.remove("n/3");
            for key in ["n/1", "n/2", "n/4"] {
                source.put(key, "");
            }
        });
        assert_eq!(deliveries.take(), ["-n/3@3?", "~n/1@1>5", "~n/2@2>6", "+n/4@7"], "{queue:?}");
        let all = ["n/1@5", "n/2@6", "n/4@7"].map(str::to_owned).to_vec();
        let expected = ["-n/3", "~n/1", "~n/2", "+n/4"].map(|what| (format!("{what} at 7"), all.clone()));
        assert_eq!(seen.take(), expected, "{queue:?}");
    }
}

#[test]
fn ctl_08_an_empty_relist_deletes_everything_with_its_last_known_state() {
    for queue in QUEUES {
        let world = World::new();
        let (informer, source, deliveries) = started(&world, of_kind(queue), &["n/1", "n/2"]);
        source.put("n/1", "");
        world.settle();
        deliveries.take();
        relist(&world, &source, || {
            for key in ["n/1", "n/2"] {
                source.remove(key);
            }
        });
        assert_eq!(deliveries.take(), ["-n/1@3?", "-n/2@2?"]);
        assert!(informer.has_synced() && informer.indexer().is_empty());
    }
}

#[test]
fn ctl_10_ctl_13_a_handler_finds_the_cache_at_what_it_is_told() {
    for queue in QUEUES {
        let world = World::new();
        let (informer, source, _told) = started(&world, of_kind(queue), &["n/a"]);
        let seen = Seen::default();
        let _registration =
            informer.add_event_handler(CacheReader(informer.clone(), Rc::clone(&seen))).expect("not stopped");
        world.settle();
        let take = || {
            let (what, cached) = seen.borrow_mut().pop().expect("told");
            format!("{what}: {}", cached.join(" "))
        };
        assert_eq!(take(), "+n/a at 1: n/a@1");
        source.put("n/a", "");
        world.settle();
        assert_eq!(take(), "~n/a at 2: n/a@2");
        source.put("n/b", "");
        world.settle();
        assert_eq!(take(), "+n/b at 3: n/a@2 n/b@3");
        source.remove("n/a");
        world.settle();
        assert_eq!(take(), "-n/a at 4: n/b@3");
    }
}

#[test]
fn ctl_04_ctl_05_df_10_rf_08_each_state_is_transformed_once() {
    for queue in QUEUES {
        let world = World::new();
        let transformed = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&transformed);
        let transform: TransformFunc<Thing> = Rc::new(move |thing: &mut Thing| {
            seen.borrow_mut().push(crate::source::word(thing));
            thing.tag.push('!');
            Ok(())
        });
        let resync_period = Duration::from_secs(1);
        let options = SharedInformerOptions { resync_period, ..transforming(queue, transform) };
        let (informer, source, deliveries) = started(&world, options, &["n/a", "n/b"]);
        source.put("n/a", "");
        source.put("n/c", "");
        world.settle();
        world.pass(Duration::from_secs(10));
        source.remove("n/c");
        world.settle();
        assert_eq!(transformed.take(), ["n/a@1", "n/b@2", "n/a@3", "n/c@4", "n/c@5"], "resyncs transform nothing");
        deliveries.take();
        relist(&world, &source, || source.remove("n/b"));
        assert_eq!(transformed.take(), ["n/a@3"], "what is found to be gone was transformed when it came");
        assert!(deliveries.take().contains(&"-n/b@2?".to_owned()));
        let tags: Vec<_> = informer.indexer().list().map(|thing| thing.tag.clone()).collect();
        assert_eq!(tags, ["!"], "never twice");
    }
}

#[test]
fn ctl_06_rf_26_what_the_transform_refuses_is_reported_and_the_rest_is_told() {
    for queue in QUEUES {
        let world = World::new();
        let transform: TransformFunc<Thing> = Rc::new(|thing: &mut Thing| match thing.tag.as_str() {
            "bad" => Err(InformerError::new(ErrorCode::Decode, "not this one")),
            _ => Ok(()),
        });
        let (informer, source, deliveries) = started(&world, transforming(queue, transform), &["n/a"]);
        deliveries.take();
        let errors = Rc::new(RefCell::new(Vec::new()));
        let reported = Rc::clone(&errors);
        let _observer = informer.observe(move |event| {
            if let InformerEvent::Error(error) = event {
                reported.borrow_mut().push(error.message().to_owned());
            }
        });
        source.put("n/x", "bad");
        source.put("n/b", "");
        source.put("n/a", "bad");
        source.put("n/c", "");
        world.settle();
        assert_eq!(deliveries.take(), ["+n/b@3", "+n/c@5"]);
        assert_eq!(
            errors.take(),
            ["the transform rejected n/x: not this one", "the transform rejected n/a: not this one"]
        );
        assert_eq!(cached(&informer), ["n/a@1", "n/b@3", "n/c@5"], "the state before stays");
        assert_eq!(informer.metrics().dropped, 2);
        // A deletion takes effect, regardless of the transform.
        source.remove("n/a");
        world.settle();
        assert_eq!(deliveries.take(), ["-n/a@6"]);
    }
}

#[test]
fn ctl_06_an_object_that_the_transform_refuses_in_a_relist_stays_as_it_was_cached() {
    for queue in QUEUES {
        let world = World::new();
        let transform: TransformFunc<Thing> = Rc::new(|thing: &mut Thing| match thing.tag.as_str() {
            "bad" => Err(InformerError::new(ErrorCode::Decode, "not this one")),
            _ => Ok(()),
        });
        let (informer, source, deliveries) = started(&world, transforming(queue, transform), &["n/a", "n/b", "n/c"]);
        deliveries.take();
        relist(&world, &source, || {
            source.put("n/a", "bad");
            source.put("n/b", "");
            source.put("n/x", "bad");
            source.remove("n/c");
        });
        assert_eq!(deliveries.take(), ["-n/c@3?", "~n/b@2>5"], "only what is not in the list is gone");
        assert_eq!(cached(&informer), ["n/a@1", "n/b@5"], "the state before stays");
        assert_eq!(informer.metrics().dropped, 2);
        // The next list is transformed again: the object may be valid by then, or deleted.
        relist(&world, &source, || source.put("n/a", "good"));
        assert_eq!(deliveries.take(), ["~n/a@1>8"]);
        source.put("n/a", "bad");
        relist(&world, &source, || source.remove("n/a"));
        assert_eq!(deliveries.take(), ["-n/a@8?"]);
    }
}

#[test]
fn ctl_03_panic_while_processing_reaches_the_caller_of_run() {
    let world = World::new();
    let (informer, source, deliveries) = started(&world, SharedInformerOptions::default(), &["n/a"]);
    let by_tag: informer::IndexFunc<Thing> = Rc::new(|thing: &Thing| {
        assert_ne!(thing.tag, "bad", "an index function fails");
        Ok(Vec::new())
    });
    informer.add_indexers([("tag".to_owned(), by_tag)].into()).expect("not stopped");
    world.settle();
    deliveries.take();
    source.put("n/a", "bad");
    let panicked = catch_unwind(AssertUnwindSafe(|| world.settle()));
    assert!(panicked.is_err(), "it is not lost");
    // A reader finds the last valid state, without a lock.
    assert_eq!((cached(&informer), deliveries.take()), (vec!["n/a@1".to_owned()], vec![]));
    informer.stop();
}

#[test]
fn a_failing_index_function_is_reported_once_for_each_state() {
    let world = World::new();
    let (informer, source, deliveries) = started(&world, SharedInformerOptions::default(), &["n/a"]);
    let by_tag: informer::IndexFunc<Thing> = Rc::new(|thing: &Thing| match thing.tag.as_str() {
        "bad" => Err(InformerError::new(ErrorCode::Decode, "no tag")),
        tag => Ok(vec![tag.to_owned()]),
    });
    informer.add_indexers([("tag".to_owned(), by_tag)].into()).expect("not stopped");
    let failed = Rc::new(Cell::new(0));
    let count = Rc::clone(&failed);
    let _observer = informer.observe(move |event| {
        count.set(count.get() + u32::from(matches!(event, InformerEvent::Error(_))));
    });
    for (tag, failures, found) in [("bad", 1, 0), ("bad", 2, 0), ("good", 2, 1), ("bad", 3, 0)] {
        source.put("n/a", tag);
        world.settle();
        assert_eq!(failed.get(), failures);
        assert_eq!(informer.indexer().by_index("tag", "good").map(|things| things.len()), Ok(found));
    }
    assert_eq!(
        (informer.metrics().index_failures, deliveries.take().len(), cached(&informer)),
        (3, 6, vec!["n/a@5".to_owned()])
    );
}
