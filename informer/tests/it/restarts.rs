//! Cache and handlers equal the server after resumed and expired watches (scenarios KRS: from kube-rs, see SPEC.md).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{Keyed, Object, ReflectorOptions, ResourceEventHandler};
use proptest::prelude::*;

use crate::harness::{World, cached, list, object, send, send_line};

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn krs_13_duplicate_event_is_dropped_but_a_recreated_object_is_delivered() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (log, _registration) = world.listen(&pods);
    send(&feed, &["+n/a@1", "~n/a@1"]);
    world.settle();
    assert_eq!(log.take(), Vec::<String>::new());
    let recreated = object("n/a@1").replace("uid-a", "uid-of-another");
    send_line(&feed, &format!(r#"{{"type":"ADDED","object":{recreated}}}"#));
    world.settle();
    assert_eq!(log.take(), ["~n/a@1>1"]);
}

#[test]
fn krs_06_the_store_follows_through_a_restart() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &[]);
    let next = world.watch();
    for (event, expected) in
        [("+n/a@11", vec!["n/a@11"]), ("~n/a@12", vec!["n/a@12"]), ("+n/b@13", vec!["n/a@12", "n/b@13"])]
    {
        send(&feed, &[event]);
        world.settle();
        assert_eq!(cached(&pods), expected);
    }
    world.pass(Duration::from_secs(2));
    drop(feed);
    world.settle();
    send(&next, &["-n/a@14", "error@410"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/b@13"]);
    world.transport.reply(Reply::json(list(20, &["n/c@18"])));
    world.retry(&pods);
    assert_eq!(cached(&pods), ["n/c@18"], "only what the new list holds");
}

/// A handler's copy of the store, from its changes.
#[derive(Clone, Default)]
struct Mirror(Rc<RefCell<BTreeMap<String, String>>>);

impl ResourceEventHandler<Object> for Mirror {
    fn on_add(&mut self, object: &Arc<Object>, _: bool) {
        let known = self.0.borrow_mut().insert(object.key().to_owned(), object.resource_version().to_owned());
        assert_eq!(known, None, "{} was added twice", object.key());
    }

    fn on_update(&mut self, old: &Arc<Object>, new: &Arc<Object>) {
        let known = self.0.borrow_mut().insert(new.key().to_owned(), new.resource_version().to_owned());
        assert_eq!(known.as_deref(), Some(old.resource_version()), "{}", new.key());
    }

    fn on_delete(&mut self, object: &Arc<Object>, _: bool) {
        assert!(self.0.borrow_mut().remove(object.key()).is_some(), "{} was not there", object.key());
    }
}

#[derive(Clone, Debug)]
enum Op {
    Apply(u8),
    Delete(u8),
    /// The watch ends and is resumed.
    Resume,
    /// The version expires after these missed changes: name, and whether the object still exists.
    Expire(Vec<(u8, bool)>),
}

fn op() -> impl Strategy<Value = Op> {
    let name = 0u8..5;
    prop_oneof![
        4 => name.clone().prop_map(Op::Apply),
        2 => name.clone().prop_map(Op::Delete),
        1 => Just(Op::Resume),
        1 => prop::collection::vec((name, any::<bool>()), 0..6).prop_map(Op::Expire),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn krs_07_cache_and_handlers_converge_to_the_server(
        ops in prop::collection::vec(op(), 0..40),
        settle in any::<bool>(),
    ) {
        // Disables the silence timeout.
        let world = World::with(ReflectorOptions { busy_silence_timeout: Duration::MAX, ..ReflectorOptions::default() });
        let (pods, mut feed) = world.synced(1, &[]);
        let mirror = Mirror::default();
        let _registration = pods.add_event_handler(mirror.clone()).expect("not stopped");
        let mut server = BTreeMap::<String, u32>::new();
        let mut version = 1;
        for op in ops {
            version += 1;
            match op {
                Op::Apply(name) => {
                    let key = format!("n/{name}");
                    let kind = if server.insert(key.clone(), version).is_some() { '~' } else { '+' };
                    send(&feed, &[&format!("{kind}{key}@{version}")]);
                }
                Op::Delete(name) => {
                    server.remove(&format!("n/{name}"));
                    send(&feed, &[&format!("-n/{name}@{version}")]);
                }
                Op::Resume => {
                    send(&feed, &[&format!("bookmark@{version}")]);
                    world.settle();
                    world.clock.advance(MINUTE + Duration::from_secs(1));
                    let next = world.watch();
                    drop(std::mem::replace(&mut feed, next));
                    world.settle();
                }
                Op::Expire(missed) => {
                    // The bookmark keeps the watch from counting as failing: repeated ERROR-only watches switch to polling.
                    send(&feed, &[&format!("bookmark@{version}"), "error@410"]);
                    for (name, alive) in missed {
                        version += 1;
                        if alive {
                            server.insert(format!("n/{name}"), version);
                        } else {
                            server.remove(&format!("n/{name}"));
                        }
                    }
                    let objects: Vec<String> = server.iter().map(|(key, at)| format!("{key}@{at}")).collect();
                    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
                    world.transport.reply(Reply::json(list(version, &objects)));
                    feed = world.watch();
                    world.settle();
                    world.retry(&pods);
                }
            }
            if settle {
                world.settle();
            }
        }
        world.settle();
        let expected: Vec<String> = server.iter().map(|(key, at)| format!("{key}@{at}")).collect();
        let mirrored: Vec<String> = mirror.0.borrow().iter().map(|(key, at)| format!("{key}@{at}")).collect();
        prop_assert_eq!(cached(&pods), expected.clone());
        prop_assert_eq!(mirrored, expected);
    }
}
