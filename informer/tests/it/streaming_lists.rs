//! Streaming list: a watch that begins with all objects (scenarios WL).

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{
    InformerOptions, KubeObject, Object, Phase, ReflectorOptions, ResourceEventHandler, SharedInformer,
    SharedInformerOptions, TransformFunc,
};

use crate::harness::{Feed, Log, World, cached, errors, list, send, send_line, status};

/// Pods that were synced by a stream with these events, and that stream.
fn synced(world: &World, events: &[&str]) -> (SharedInformer<Object>, Feed) {
    let feed = world.watch();
    let pods = world.pods();
    world.settle();
    send(&feed, events);
    world.settle();
    assert!(pods.has_synced(), "{:?}", pods.status());
    (pods, feed)
}

#[test]
fn wl_01_one_request_lists_and_continues_as_a_watch() {
    let world = World::streaming();
    let (pods, feed) = synced(&world, &["+n/p1@1", "end@2"]);
    let paths = world.transport.paths();
    let [path] = paths.as_slice() else { panic!("{paths:?}") };
    for part in
        ["watch=true", "allowWatchBookmarks=true", "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan"]
    {
        assert!(path.contains(part), "{path}");
    }
    assert!(
        path.contains("timeoutSeconds=") && !path.contains("resourceVersion=") && !path.contains("limit="),
        "{path}"
    );
    assert_eq!((cached(&pods), pods.status().resource_version.as_str()), (vec!["n/p1@1".to_owned()], "2"));
    send(&feed, &["+n/p2@3"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/p1@1", "n/p2@3"]);
    let metrics = pods.metrics();
    assert_eq!((metrics.lists, metrics.watch_lists, metrics.watches), (0, 1, 0));
    pods.stop();
    world.settle();
    assert!(feed.is_closed() && world.requests().len() == 1);
}

#[test]
fn wl_02_without_an_end_bookmark_the_cache_stays_empty() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    let (log, (_observer, errors)) = (Log::default(), errors(&pods));
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    send(&feed, &["+n/a@1", "bookmark@1", "+n/b@2"]);
    // The value counts, not the key.
    send_line(
        &feed,
        r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"false"}}}}"#,
    );
    world.settle();
    assert_eq!((pods.status().listed, pods.status().phase), (2, Phase::Listing));
    pods.stop();
    world.settle();
    assert_eq!((cached(&pods).len(), pods.has_synced(), errors.borrow().len()), (0, false, 0));
    assert_eq!(log.take(), Vec::<String>::new());
}

#[test]
fn wl_03_wl_04_wl_24_any_other_rejection_falls_back_to_one_list() {
    let refusals = [
        ("invalid", status(422, "Invalid", "sendInitialEvents is forbidden for watch")),
        ("only tables are offered", status(406, "NotAcceptable", "only Table")),
        ("forbidden", status(403, "Forbidden", "Access Denied")),
        ("unknown", status(500, "Novel", "who knows")),
    ];
    for (what, refusal) in refusals {
        let world = World::streaming();
        world.transport.reply(refusal).reply(Reply::json(list(9, &["n/a@1"])));
        let _feed = world.watch();
        let pods = world.pods();
        world.settle();
        let expected = ["stream pods", "list pods limit=500 resourceVersion=0", "watch pods resourceVersion=9"];
        assert_eq!(world.requests(), expected, "{what}");
        assert_eq!(cached(&pods), ["n/a@1"], "{what}");
    }
}

#[test]
fn wl_05_wl_17_throttled_or_unreachable_server_retries_the_stream() {
    let busy = || Reply::Whole(429, "text/plain", b"Too many requests".to_vec());
    let refusals: [fn() -> Reply; 2] = [busy, || Reply::Refused];
    for refusal in refusals {
        let world = World::streaming();
        world.transport.reply(refusal()).reply(refusal());
        let feed = world.watch();
        let pods = world.pods();
        world.settle();
        for base in [0.8, 1.6] {
            let wait = world.retry(&pods).as_secs_f64();
            assert!((base..2.0 * base).contains(&wait), "{wait}");
        }
        send(&feed, &["+n/a@1", "end@2"]);
        world.settle();
        assert_eq!((world.requests(), cached(&pods)), (vec!["stream pods".to_owned(); 3], vec!["n/a@1".to_owned()]));
    }
}

#[test]
fn wl_06_object_deleted_before_the_end_bookmark_is_never_delivered() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    let log = Log::default();
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    send(&feed, &["+n/p1@1", "+n/p2@2", "~n/p1@3", "+n/p3@4", "-n/p3@5", "end@5"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/p1@3", "n/p2@2"]);
    assert_eq!(log.take(), ["+n/p1@3!", "+n/p2@2!", "synced"]);
    assert_eq!(pods.status().resource_version, "5");
}

#[test]
fn wl_08_krs_01_synced_stream_resumes_as_a_plain_watch() {
    let world = World::streaming();
    let (pods, feed) = synced(&world, &["+n/p1@1", "+n/p2@2", "end@3"]);
    world.pass(Duration::from_secs(2));
    let next = world.watch();
    drop(feed);
    world.settle();
    assert_eq!(world.requests(), ["stream pods", "watch pods resourceVersion=3"]);
    assert!(!world.transport.paths()[1].contains("resourceVersionMatch"));
    send(&next, &["+n/p4@4"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/p1@1", "n/p2@2", "n/p4@4"]);
}

#[test]
fn wl_11_version_is_that_of_the_end_bookmark() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    world.settle();
    send(&feed, &["+n/a@7", "+n/b@3", "+n/c@12"]);
    world.settle();
    assert_eq!(pods.status().resource_version, "");
    send(&feed, &["end@15"]);
    world.settle();
    assert_eq!((pods.status().resource_version.as_str(), pods.indexer().resource_version()), ("15", "15"));
}

#[test]
fn wl_14_every_state_is_transformed_once() {
    let world = World::new();
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    let transform: TransformFunc<Object> = Rc::new(move |object| {
        counted.set(counted.get() + 1);
        let shorter = object.json().replace(r#","uid":"uid-a""#, "");
        *object = Object::from_json(&shorter, None)?;
        Ok(())
    });
    let options = ReflectorOptions { watch_list: true, ..ReflectorOptions::default() };
    let feed = world.watch();
    let pods = world.pods_with(SharedInformerOptions { transform: Some(transform), ..options.into() });
    world.settle();
    send(&feed, &["+n/a@1", "+n/b@2", "end@3", "+n/c@4"]);
    world.settle();
    assert_eq!((calls.get(), cached(&pods).len()), (3, 3));
    assert!(!pods.indexer().get_by_key("n/a").expect("cached").json().contains("uid"));
}

#[test]
fn wl_15_wl_16_unavailable_version_is_dropped() {
    let too_large = || status(504, "Timeout", "Too large resource version: 3, current: 2");
    let refusals: [fn() -> Reply; 2] = [|| status(410, "Expired", "too old"), too_large];
    for refusal in refusals {
        let world = World::streaming();
        let (pods, feed) = synced(&world, &["+n/a@1", "end@3"]);
        send(&feed, &["error@410"]);
        world.settle();
        world.transport.reply(refusal());
        let next = world.watch();
        world.retry(&pods);
        assert_eq!(world.requests(), ["stream pods", "stream pods resourceVersion=3", "stream pods"]);
        send(&next, &["+n/b@2", "end@2"]);
        world.settle();
        assert_eq!(cached(&pods), ["n/b@2"]);
    }
}

#[test]
fn wl_18_stop_ends_a_long_wait_at_once() {
    let world = World::streaming();
    for _ in 0..7 {
        world.transport.reply(Reply::Refused);
    }
    let pods = world.pods();
    world.settle();
    for _ in 0..6 {
        world.retry(&pods);
    }
    pods.stop();
    world.settle();
    assert_eq!((pods.status().phase, pods.status().next_retry_at), (Phase::Stopped, None));
    assert!(pods.reopen(), "the run has ended");
}

#[test]
fn wl_20_empty_collection_syncs() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    let log = Log::default();
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    send(&feed, &["end@3"]);
    world.settle();
    assert_eq!((pods.has_synced(), pods.status().objects, pods.status().resource_version.as_str()), (true, 0, "3"));
    assert_eq!((log.take(), world.requests().len()), (vec!["synced".to_owned()], 1));
}

/// Handler that records the number of cached objects at each delivery.
struct CacheSizes {
    pods: SharedInformer<Object>,
    seen: Rc<RefCell<Vec<(usize, bool)>>>,
}

impl ResourceEventHandler<Object> for CacheSizes {
    fn on_add(&mut self, _: &Arc<Object>, is_in_initial_list: bool) {
        self.seen.borrow_mut().push((self.pods.indexer().len(), is_in_initial_list));
    }
}

#[test]
fn wl_25_thousand_objects_appear_atomically() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    let seen = Rc::default();
    let handler = CacheSizes { pods: pods.clone(), seen: Rc::clone(&seen) };
    let _registration = pods.add_event_handler(handler).expect("not stopped");
    world.settle();
    for n in 0..1000 {
        send(&feed, &[&format!("+n/{n}@{n}")]);
        if n % 100 == 99 {
            world.settle();
            assert_eq!((pods.indexer().len(), pods.status().listed), (0, n + 1));
        }
    }
    send(&feed, &["end@1000"]);
    world.settle();
    assert_eq!(*seen.borrow(), vec![(1000, true); 1000]);
}

#[test]
fn wl_27_modification_of_an_unsent_object_is_an_addition() {
    let world = World::streaming();
    let (pods, _feed) = synced(&world, &["~n/a@1", "-n/unknown@2", "end@3"]);
    assert_eq!(cached(&pods), ["n/a@1"]);
}

#[test]
fn wl_28_error_before_the_end_bookmark_discards_only_staged_objects() {
    let world = World::streaming();
    let (pods, feed) = synced(&world, &["+n/a@1", "end@3"]);
    let (second, third) = (world.watch(), world.watch());
    send(&feed, &["error@410"]);
    world.settle();
    world.retry(&pods);
    send(&second, &["+n/b@5"]);
    world.settle();
    assert_eq!(pods.status().listed, 1);
    send(&second, &["error@410", "+n/never@6"]);
    world.settle();
    assert_eq!(world.requests(), ["stream pods", "stream pods resourceVersion=3", "stream pods"]);
    assert_eq!((pods.status().listed, cached(&pods)), (0, vec!["n/a@1".to_owned()]));
    send(&third, &["+n/c@7", "end@8"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/c@7"]);
}

#[test]
fn wl_29_server_that_never_sends_an_end_bookmark_falls_back_to_list() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    for n in 0..12 {
        send(&feed, &[&format!("+n/{n}@{n}")]);
        world.pass(Duration::from_secs(20));
    }
    world.transport.reply(Reply::json(list(20, &["n/a@1"])));
    let next = world.watch();
    drop(feed);
    world.settle();
    assert_eq!((cached(&pods), pods.has_synced()), (vec!["n/a@1".to_owned()], true));
    send(&next, &["error@410"]);
    world.settle();
    world.retry(&pods);
    let expected = [
        "stream pods",
        "list pods limit=500 resourceVersion=0",
        "watch pods resourceVersion=20",
        "list pods resourceVersion=20",
    ];
    assert_eq!(world.requests(), expected);
}

#[test]
fn stream_that_ends_cleanly_before_its_end_bookmark_is_retried_also_by_later_informers() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    world.settle();
    send(&feed, &["+n/a@1", "+n/b@2"]);
    world.settle();
    // As a graceful shutdown does.
    drop(feed);
    world.settle();
    assert_eq!((pods.status().listed, cached(&pods).len()), (0, 0), "nothing of it is left");
    let next = world.watch();
    world.retry(&pods);
    send(&next, &["+n/b@2", "end@3"]);
    world.settle();
    assert_eq!((world.requests(), cached(&pods)), (vec!["stream pods".to_owned(); 2], vec!["n/b@2".to_owned()]));
    // Nor do others of the resource do without.
    let options = InformerOptions { namespace: Some("n".into()), ..InformerOptions::default() };
    let (_, others) = world.factory.for_resource("v1/pods".parse().expect("valid"), options).expect("valid");
    let other = world.watch();
    world.factory.start();
    world.settle();
    send(&other, &["+n/b@2", "end@3"]);
    world.settle();
    assert!(others.has_synced());
    assert_eq!(world.requests()[2..], ["stream pods"]);
}

#[test]
fn krs_21_broken_stream_leaves_no_objects() {
    let world = World::streaming();
    let feed = world.watch();
    let pods = world.pods();
    let log = Log::default();
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    send(&feed, &["+n/a@1", "+n/b@2"]);
    let reset = informer::InformerError::new(informer::ErrorCode::Network, "reset");
    feed.unbounded_send(Err(reset)).expect("open");
    let next = world.watch();
    world.settle();
    world.retry(&pods);
    send(&next, &["+n/b@2", "end@3"]);
    world.settle();
    assert_eq!((log.take(), cached(&pods)), (vec!["+n/b@2!".into(), "synced".into()], vec!["n/b@2".to_owned()]));
}
