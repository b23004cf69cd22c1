//! Delivery to handlers: order and timing (scenarios SHI, CTL-13).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Keyed, Object, ReflectorOptions, Registration, ResourceEventHandler, SharedInformer};

use crate::harness::{Log, World, list, send};

#[test]
fn shi_02_handler_from_the_start_receives_all_changes_in_order() {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = world.watch();
    let pods = world.pods();
    let log = Log::default();
    let registration = pods.add_event_handler(log.clone()).expect("not stopped");
    assert!(!registration.has_synced());
    world.settle();
    assert_eq!(log.take(), ["+n/a@1!", "synced"]);
    assert!(registration.has_synced());
    send(&feed, &["+n/b@11", "~n/b@12", "~n/a@13", "-n/b@14", "+n/b@15"]);
    world.settle();
    // Changes of one key are in order; between keys there is no guarantee, so each key is checked separately.
    let deliveries = log.take();
    let of = |key: &str| -> Vec<String> { deliveries.iter().filter(|word| word.contains(key)).cloned().collect() };
    assert_eq!(of("n/a"), ["~n/a@1>13"]);
    assert_eq!(of("n/b"), ["+n/b@11", "~n/b@11>12", "-n/b@14", "+n/b@15"]);
}

#[test]
fn shi_02_shi_16_late_handler_first_receives_cached_objects() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["+n/b@11"]);
    let log = Log::default();
    let registration = pods.add_event_handler(log.clone()).expect("not stopped");
    assert!(log.take().is_empty(), "never while the caller is on the stack");
    world.settle();
    let deliveries = log.take();
    assert_eq!(deliveries[..2], ["+n/a@1!", "synced"]);
    assert_eq!(deliveries[2..], ["+n/b@11"], "nothing lost and nothing doubled around the join");
    assert!(registration.has_synced());
}

#[test]
fn empty_list_completes_the_sync() {
    let world = World::new();
    let (pods, _feed) = world.synced(10, &[]);
    let log = Log::default();
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    assert_eq!(log.take(), ["synced"]);
}

#[test]
fn rsy_10_unchanged_object_in_a_relist_emits_no_change() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (log, _registration) = world.listen(&pods);
    send(&feed, &["error@410"]);
    world.transport.reply(Reply::json(list(20, &["n/a@1"])));
    world.pass(std::time::Duration::from_secs(2));
    assert_eq!(log.take(), Vec::<String>::new());
}

/// Removes itself at its first change, and adds another handler from inside.
struct OneShot {
    informer: SharedInformer<Object>,
    own: Rc<RefCell<Option<Registration<Object>>>>,
    log: Log,
    other: Log,
}

impl ResourceEventHandler<Object> for OneShot {
    fn on_add(&mut self, object: &Arc<Object>, _: bool) {
        self.log.0.borrow_mut().push(object.name().to_owned());
        if let Some(own) = self.own.take() {
            own.remove();
            let _other = self.informer.add_event_handler(self.other.clone()).expect("not stopped");
        }
    }
}

#[test]
fn shi_14_shi_30_handlers_are_added_and_removed_inside_a_handler() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &[]);
    let (log, other, own) = (Log::default(), Log::default(), Rc::default());
    let handler = OneShot { informer: pods.clone(), own: Rc::clone(&own), log: log.clone(), other: other.clone() };
    *own.borrow_mut() = Some(pods.add_event_handler(handler).expect("not stopped"));
    world.settle();
    send(&feed, &["+n/a@11"]);
    world.settle();
    send(&feed, &["+n/b@12"]);
    world.settle();
    assert_eq!(log.take(), ["a"]);
    assert_eq!(other.take(), ["+n/a@11!", "synced", "+n/b@12"]);
}

#[test]
fn ctl_13_cache_is_updated_before_the_handler_is_called() {
    struct Looks(SharedInformer<Object>, Rc<RefCell<Vec<bool>>>);
    impl ResourceEventHandler<Object> for Looks {
        fn on_add(&mut self, object: &Arc<Object>, _: bool) {
            let there = self.0.indexer().get_by_key(object.key()).is_some();
            self.1.borrow_mut().push(there);
        }
        fn on_delete(&mut self, object: &Arc<Object>, _: bool) {
            let gone = self.0.lister().namespace("n").get(object.name()).is_err();
            self.1.borrow_mut().push(gone);
        }
    }
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let _registration = pods.add_event_handler(Looks(pods.clone(), Rc::clone(&seen))).expect("not stopped");
    world.settle();
    send(&feed, &["-n/a@11"]);
    world.settle();
    assert_eq!(*seen.borrow(), [true, true]);
}

#[test]
fn shi_16_stopped_informer_releases_its_handlers() {
    /// Owns its informer, as a controller does.
    #[expect(dead_code, reason = "they are held")]
    struct OwnsInformer(SharedInformer<Object>, Rc<()>);
    impl ResourceEventHandler<Object> for OwnsInformer {}
    let world = World::new();
    let (pods, _feed) = world.synced(10, &["n/a@1"]);
    let alive = Rc::new(());
    let registration = pods.add_event_handler(OwnsInformer(pods.clone(), Rc::clone(&alive))).expect("not stopped");
    world.settle();
    assert_eq!(Rc::strong_count(&alive), 2);
    registration.remove();
    assert_eq!(Rc::strong_count(&alive), 1, "a removed one at once");
    let _registration = pods.add_event_handler(OwnsInformer(pods.clone(), Rc::clone(&alive))).expect("not stopped");
    world.settle();
    pods.stop();
    world.settle();
    assert_eq!(Rc::strong_count(&alive), 1, "the others with the informer");
    let refused = pods.add_event_handler(OwnsInformer(pods.clone(), Rc::clone(&alive)));
    assert_eq!((refused.err().map(|e| e.code()), Rc::strong_count(&alive)), (Some(ErrorCode::Closed), 1));

    let never_started = SharedInformer::new(Rc::clone(&world.runtime.clock), ReflectorOptions::default());
    let _registration = never_started.add_event_handler(OwnsInformer(never_started.clone(), Rc::clone(&alive)));
    never_started.stop();
    assert_eq!(Rc::strong_count(&alive), 1, "also of one that never ran");
}
