//! Metrics, and the memory of a long run (scenarios MET, BRW).

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use informer::transport::connection_slot::Carrier;
use informer::transport::scripted::Reply;
use informer::{
    ErrorCode, HandlerMetrics, HandlerOptions, InformerOptions, Object, ResourceListerWatcher, SharedInformer,
    SharedInformerOptions,
};

use crate::backlog::PausableHandler;
use crate::harness::{World, list};
use crate::shared_informer::WorkClock;
use crate::source::{DeliveryLog, Thing, cached, empty_source, informer, synced};

#[test]
fn met_02_an_informer_counts_what_it_does() {
    let world = World::new();
    let resync_period = Duration::from_secs(10);
    let (informer, source) =
        (informer(&world, SharedInformerOptions { resync_period, ..SharedInformerOptions::default() }), empty_source());
    assert_eq!(informer.metrics(), informer::InformerMetrics::default());
    source.put("n/a", "12345");
    let slow = PausableHandler::default();
    let registration = informer.add_batch_handler(slow.clone(), HandlerOptions::default()).expect("not stopped");
    source.run(&world, &informer);
    slow.pause();
    source.put("n/b", "123");
    source.remove("n/a");
    source.bookmark();
    world.settle();
    world.pass(Duration::from_secs(10));
    source.expire();
    world.settle();
    source.put("n/c", "");
    world.pass(Duration::from_secs(2));
    let metrics = informer.metrics();
    assert_eq!((metrics.lists, metrics.relists, metrics.watch_lists, metrics.watches), (2, 1, 0, 2));
    assert_eq!((metrics.events, metrics.bookmarks, metrics.dropped, metrics.errors), (2, 1, 0, 1));
    assert_eq!((metrics.resyncs, metrics.index_failures, metrics.queue_depth), (1, 0, 0));
    assert_eq!((metrics.objects, metrics.bytes, metrics.resource_version.as_str()), (2, 3, "4"));
    let of_handler = HandlerMetrics { has_synced: true, backlog: 4, coalesced: 0, delivered: 1, failures: 0 };
    assert_eq!((&metrics.handlers[..], registration.metrics()), (&[of_handler][..], of_handler));
    slow.unpause(&registration);
    world.settle();
    assert_eq!((registration.metrics().backlog, registration.metrics().delivered), (0, 5));
}

#[test]
fn met_02_a_factory_counts_its_informers() {
    let world = World::new();
    let (_pods, _feed) = world.synced(10, &["n/a@1", "n/b@2"]);
    let nodes = "v1/nodes".parse().expect("valid");
    let _nodes = world.factory.for_resource(nodes, InformerOptions::default()).expect("valid");
    let metrics = world.factory.metrics();
    let names: Vec<_> = metrics.informers.iter().map(|(name, one)| (name.as_str(), one.objects)).collect();
    assert_eq!(names, [("v1/nodes", 0), ("v1/pods", 2)]);
    assert_eq!((metrics.running, metrics.synced, metrics.objects), (1, 1, 2));
    assert_eq!(metrics.bytes, metrics.informers[1].1.bytes);
}

#[test]
fn met_02_traffic_is_counted_on_in_the_next_run() {
    let world = World::new();
    let resource = "v1/pods".parse().expect("valid");
    let pods = SharedInformer::<Object>::new(Rc::clone(&world.runtime.clock), SharedInformerOptions::default());
    let run = || {
        let transport = Rc::clone(&world.runtime.transport);
        let source = ResourceListerWatcher::new(transport, &resource, &InformerOptions::default()).expect("valid");
        let pods = pods.clone();
        (world.runtime.spawn)(Box::pin(async move { pods.run(source).await }));
        world.settle();
    };
    let mut bytes = 0;
    for round in 1..=3 {
        let body = list(10 * round, &["n/a@1"]);
        bytes += body.len() as u64;
        world.transport.reply(Reply::json(body));
        let _feed = world.watch();
        run();
        let traffic = pods.traffic();
        assert_eq!(
            (traffic.requests, traffic.bytes, traffic.carrier),
            (2 * u64::from(round), bytes, Some(Carrier::Fetch))
        );
        pods.stop();
        world.settle();
        assert_eq!((pods.traffic().bytes, pods.traffic().carrier), (bytes, None));
        assert!(pods.reopen());
    }
}

#[test]
fn brw_01_a_burst_is_applied_in_slices_and_others_get_their_turn() {
    let world = World::new();
    let clock = WorkClock::new(&world);
    let (informer, source) =
        (SharedInformer::new(Rc::new(clock.clone()), SharedInformerOptions::default()), empty_source());
    let deliveries = DeliveryLog::default();
    let _registration = informer.add_event_handler(deliveries.clone()).expect("not stopped");
    source.run(&world, &informer);
    // A millisecond per reading of the clock, and therefore per batch of a hundred.
    clock.cost.set(Duration::from_millis(1));
    source.put_all((0..20_000).map(|n| format!("n/{n}")));
    deliveries.take();
    let (mut turns, mut most) = (0, 0);
    while informer.indexer().len() < 20_000 {
        turns += 1;
        assert!(turns < 1_000, "it gets nowhere: {:?}", informer.metrics());
        world.settle();
        most = most.max(deliveries.take().len());
        world.clock.advance(Duration::from_millis(1));
    }
    assert!(turns > 10 && most <= 2_000, "{most} changes in one of {turns} turns");
    assert_eq!(cached(&informer), source.words());
}

#[test]
fn brw_05_back_online_is_one_attempt_at_once() {
    let world = World::new();
    let (informer, source) = (informer(&world, SharedInformerOptions::default()), empty_source());
    source.set_error(Some(ErrorCode::Network));
    source.run(&world, &informer);
    world.pass(Duration::from_secs(60));
    assert!(informer.status().next_retry_at.is_some());
    source.requests();
    for _ in 0..3 {
        informer.wake();
    }
    world.settle();
    assert_eq!(source.requests(), ["list 0"]);
}

#[test]
fn brw_09_minutes_of_two_hundred_events_a_second_leave_nothing_behind() {
    let world = World::new();
    let (informer, source) = (informer(&world, SharedInformerOptions::default()), empty_source());
    let (delivered, slow) = (Rc::new(Cell::new(0_u64)), PausableHandler::default());
    slow.pause();
    let _registration = informer.add_event_handler(CountingHandler(Rc::clone(&delivered))).expect("not stopped");
    let paused = informer.add_batch_handler(slow, HandlerOptions::default()).expect("not stopped");
    let by_tag: informer::IndexFunc<Thing> = Rc::new(|thing: &Thing| Ok(vec![thing.tag.clone()]));
    informer.add_indexers([("tag".to_owned(), by_tag)].into()).expect("not stopped");
    source.put_all((0..5_000).map(|n| format!("n/{n}")));
    source.run(&world, &informer);
    let mut worst = 0;
    for second in 0..360_u32 {
        for event in 0..200 {
            let key = format!("n/{}", (second * 211 + event * 17) % 5_000);
            // Unique values, and new objects.
            if event % 10 == 0 { source.remove(&key) } else { source.put(&key, &format!("{second}-{event}")) }
        }
        if second % 60 == 59 {
            source.expire();
            informer.wake();
        }
        world.clock.advance(Duration::from_secs(1));
        world.settle();
        worst = worst.max(Thing::alive());
    }
    source.expire();
    world.settle();
    informer.wake();
    world.settle();
    assert_eq!(cached(&informer), source.words());
    let metrics = informer.metrics();
    assert!(metrics.queue_depth == 0 && delivered.get() > 40_000, "{delivered:?} {metrics:?}");
    assert!(paused.metrics().backlog <= 20_000, "{:?}", paused.metrics());
    // The source's, the cache's, the source's history, and two states at most of each change that waits.
    assert!(worst <= 2 * 5_000 + 500 + 2 * 20_000, "{worst} objects at once");
    let values = informer.indexer().list_index_func_values("tag").expect("added").len();
    assert!(values <= informer.indexer().len(), "{values} values");
    paused.remove();
    world.settle();
    assert_eq!(Thing::alive(), 2 * informer.indexer().len() + source.history_len());
}

/// Only counts, because a log would grow itself.
struct CountingHandler(Rc<Cell<u64>>);

impl informer::ResourceEventHandler<Thing> for CountingHandler {
    fn on_add(&mut self, _: &std::sync::Arc<Thing>, _: bool) {
        self.0.set(self.0.get() + 1);
    }
    fn on_update(&mut self, _: &std::sync::Arc<Thing>, _: &std::sync::Arc<Thing>) {
        self.0.set(self.0.get() + 1);
    }
    fn on_delete(&mut self, _: &std::sync::Arc<Thing>, _: bool) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn brw_10_an_expired_token_is_one_error_an_attempt_and_costs_nothing_that_is_cached() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a"]);
    let errors = Rc::new(Cell::new(0));
    let count = Rc::clone(&errors);
    let _observer = informer.observe(move |event| {
        if let informer::InformerEvent::Error(error) = event {
            assert_eq!(error.code(), ErrorCode::Unauthorized);
            count.set(count.get() + 1);
        }
    });
    world.pass(Duration::from_secs(10));
    source.requests();
    source.put("n/a", "");
    world.settle();
    source.set_error(Some(ErrorCode::Unauthorized));
    source.close();
    world.pass(Duration::from_secs(30));
    let attempts = source.requests().len();
    assert!((3..10).contains(&attempts), "{attempts}");
    assert_eq!((errors.get(), cached(&informer)), (attempts, vec!["n/a@2".to_owned()]));
    source.set_error(None);
    source.put("n/b", "");
    informer.wake();
    world.settle();
    assert_eq!((cached(&informer), errors.get()), (source.words(), attempts));
}
