//! Several handlers of one source, and several waits for its cache (scenarios KRS-10, 11, 17 and 22).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use informer::transport::scripted::Reply;
use informer::{
    ChangeBatch, ChangeBatchHandler, ErrorCode, HandlerOptions, Keyed, KubeObject, Object, SharedInformer,
    SharedInformerOptions, TransformFunc, wait_for_cache_sync,
};

use crate::harness::{Log, World, cached, list, send};

#[test]
fn krs_10_subscribers_come_and_go_and_the_others_go_on() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (leaves, stays, late) = (Log::default(), Log::default(), Log::default());
    let leaving = pods.add_event_handler(leaves.clone()).expect("not stopped");
    drop(pods.add_event_handler(stays.clone()).expect("not stopped"));
    world.settle();
    leaving.remove();
    send(&feed, &["+n/b@11"]);
    world.settle();
    drop(pods.add_event_handler(late.clone()).expect("not stopped"));
    world.settle();
    send(&feed, &["-n/a@12"]);
    world.settle();
    assert_eq!(leaves.take(), ["+n/a@1!", "synced"]);
    assert_eq!(stays.take(), ["+n/a@1!", "synced", "+n/b@11", "-n/a@12"]);
    let mut deliveries = late.take();
    deliveries[..2].sort();
    assert_eq!(deliveries, ["+n/a@1!", "+n/b@11!", "synced", "-n/a@12"], "the current state first");
    pods.stop();
    world.settle();
    assert_eq!((stays.take(), cached(&pods)), (Vec::<String>::new(), vec!["n/b@11".to_owned()]));
}

/// Takes one batch and is busy until it is released.
#[derive(Clone, Default)]
struct SlowHandler {
    busy: Rc<Cell<bool>>,
    deliveries: Rc<RefCell<Vec<String>>>,
}

impl ChangeBatchHandler<Object> for SlowHandler {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        self.busy.set(true);
        for change in &batch.changes {
            let object = change.object();
            self.deliveries.borrow_mut().push(format!("{}@{}", object.key(), object.resource_version()));
        }
    }

    fn is_ready(&self) -> bool {
        !self.busy.get()
    }
}

#[test]
fn krs_11_slow_subscriber_delays_no_other_and_loses_no_object() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (slow, quick) = (SlowHandler::default(), Log::default());
    let options = HandlerOptions { backlog_bound: 1, ..HandlerOptions::default() };
    let registration = pods.add_batch_handler(slow.clone(), options).expect("not stopped");
    drop(pods.add_event_handler(quick.clone()).expect("not stopped"));
    world.settle();
    assert_eq!((slow.deliveries.take(), quick.take().len()), (vec!["n/a@1".to_owned()], 2));
    for version in 11..40 {
        send(&feed, &[&format!("~n/a@{version}"), &format!("~n/b@{version}")]);
        world.settle();
    }
    assert_eq!((slow.deliveries.borrow().len(), quick.take().len()), (0, 58), "all other handlers receive everything");
    while slow.busy.take() {
        registration.resume();
        world.settle();
    }
    let deliveries = slow.deliveries.take();
    assert!(deliveries.len() < 58, "changes of one object are told as one: {deliveries:?}");
    for last in ["n/a@39", "n/b@39"] {
        assert_eq!(deliveries.iter().filter(|deliveries| *deliveries == last).count(), 1, "{deliveries:?}");
    }
    // A handler that is removed while it is busy leaves no waiting changes.
    slow.busy.set(true);
    send(&feed, &["~n/a@40"]);
    world.settle();
    registration.remove();
    send(&feed, &["~n/a@41"]);
    world.settle();
    assert_eq!((quick.take().len(), cached(&pods)), (2, vec!["n/a@41".into(), "n/b@39".into()]));
}

/// Result of a wait, once it has ended.
type Outcome = Rc<RefCell<Option<Result<(), ErrorCode>>>>;

/// Waits for the pods.
fn wait(world: &World, pods: &SharedInformer<Object>) -> Outcome {
    let result = Outcome::default();
    let (clock, pods, written) = (Rc::clone(&world.runtime.clock), pods.clone(), Rc::clone(&result));
    (world.runtime.spawn)(Box::pin(async move {
        let sync = wait_for_cache_sync(&*clock, vec![("pods".to_owned(), pods)], None).await;
        *written.borrow_mut() = Some(sync.into_result().map_err(|error| error.code()));
    }));
    world.settle();
    result
}

#[test]
fn krs_17_all_waiting_subscribers_are_notified_at_once_and_a_late_one_does_not_wait() {
    let world = World::new();
    let (body, reply) = Reply::stream();
    world.transport.reply(reply);
    let pods = world.pods();
    let waiting: Vec<_> = (0..10).map(|_| wait(&world, &pods)).collect();
    assert!(waiting.iter().all(|result| result.borrow().is_none()));
    body.unbounded_send(Ok(list(10, &["n/a@1"]).into_bytes())).expect("open");
    drop(body);
    world.settle();
    assert!(waiting.iter().all(|result| *result.borrow() == Some(Ok(()))));
    assert_eq!(*wait(&world, &pods).borrow(), Some(Ok(())));
}

#[test]
fn krs_17_a_subscriber_of_a_stopped_informer_is_notified() {
    let world = World::new();
    let pods = world.pods();
    let waiting = wait(&world, &pods);
    assert_eq!(*waiting.borrow(), None);
    pods.stop();
    world.settle();
    assert_eq!(*waiting.borrow(), Some(Err(ErrorCode::Closed)));
}

#[test]
fn krs_22_a_transform_receives_listed_changed_and_deleted_objects() {
    let world = World::new();
    let transform: TransformFunc<Object> = Rc::new(|object| {
        let shorter = object.json().replace("\"uid\":\"uid-", "\"uid\":\"");
        *object = Object::from_json(&shorter, None)?;
        Ok(())
    });
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = world.watch();
    let options = SharedInformerOptions { transform: Some(transform), ..SharedInformerOptions::default() };
    let pods = world.pods_with(options);
    let uids = Uids::default();
    drop(pods.add_batch_handler(uids.clone(), HandlerOptions::default()).expect("not stopped"));
    world.settle();
    send(&feed, &["+n/b@11", "~n/a@12", "-n/b@13"]);
    world.settle();
    assert_eq!(uids.0.take(), ["a", "b", "a", "b"]);
}

/// Writes down the uid of each change.
#[derive(Clone, Default)]
struct Uids(Rc<RefCell<Vec<String>>>);

impl ChangeBatchHandler<Object> for Uids {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        self.0.borrow_mut().extend(batch.changes.iter().map(|change| change.object().uid().to_owned()));
    }
}
