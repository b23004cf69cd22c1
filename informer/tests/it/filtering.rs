//! Filtering handlers and predicates (scenarios HND, KRS-13).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{
    FilteringResourceEventHandler, KubeObject, Object, PredicateResourceEventHandler, ResourceEventHandler,
    SharedInformerOptions,
};

use crate::harness::{Log, World, list, send};
use crate::source::{DeliveryLog, Thing, empty_source, informer};

/// An object of a generation; zero is none.
fn state(uid: &str, version: u32, generation: u32) -> Arc<Object> {
    let generation = if generation == 0 { String::new() } else { format!(r#","generation":{generation}"#) };
    let json = format!(
        r#"{{"kind":"X","metadata":{{"name":"a","namespace":"n","uid":"{uid}","resourceVersion":"{version}"{generation}}}}}"#
    );
    Arc::new(Object::from_json(&json, None).expect("valid"))
}

#[test]
fn hnd_01_filter_turns_updates_into_additions_and_deletions() {
    let log = Log::default();
    // To it, there are objects with an even generation.
    let even = |object: &Object| ["\"generation\":2", "\"generation\":4"].iter().any(|g| object.json().contains(g));
    let mut handler = FilteringResourceEventHandler::new(even, log.clone());
    for (old, new, expected) in [(2, 4, "~n/a@1>2"), (1, 2, "+n/a@2"), (2, 3, "-n/a@1"), (1, 3, "")] {
        handler.on_update(&state("u", 1, old), &state("u", 2, new));
        assert_eq!(log.take().join(" "), expected, "{old} to {new}");
    }
}

#[test]
fn hnd_02_hnd_03_additions_and_deletions_keep_their_flags() {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &["n/a@1", "n/b@2"])));
    let feed = world.watch();
    let pods = world.pods();
    let log = Log::default();
    let not_b = |object: &Object| !object.json().contains(r#""name":"b""#);
    let _registration =
        pods.add_event_handler(FilteringResourceEventHandler::new(not_b, log.clone())).expect("not stopped");
    world.settle();
    assert_eq!(log.take(), ["+n/a@1!", "synced"], "the handler is synced also where nothing passed");
    send(&feed, &["+n/c@11", "-n/b@12", "-n/c@13", "error@410"]);
    world.transport.reply(Reply::json(list(20, &[])));
    world.pass(Duration::from_secs(2));
    assert_eq!(log.take(), ["+n/c@11", "-n/c@13", "-n/a@1?"], "a missed deletion is still said to be one");
}

#[test]
fn krs_13_an_update_passes_with_its_generation_or_its_uid() {
    let log = Log::default();
    let mut handler = PredicateResourceEventHandler::generation(log.clone());
    handler.on_add(&state("u", 1, 1), true);
    handler.on_update(&state("u", 1, 1), &state("u", 2, 1));
    handler.on_update(&state("u", 2, 1), &state("u", 3, 2));
    handler.on_update(&state("u", 3, 2), &state("other", 4, 2));
    let resynced = state("other", 4, 2);
    handler.on_update(&resynced, &resynced);
    handler.on_delete(&state("other", 5, 2), false);
    handler.on_synced();
    assert_eq!(log.take(), ["+n/a@1!", "~n/a@2>3", "~n/a@3>4", "-n/a@5", "synced"]);
}

#[test]
fn krs_13_updates_without_a_predicate_value_pass() {
    let log = Log::default();
    let mut handler = PredicateResourceEventHandler::generation(log.clone());
    for (old, new) in [(0, 0), (0, 1), (1, 0)] {
        handler.on_update(&state("u", 1, old), &state("u", 2, new));
        assert_eq!(log.take(), ["~n/a@1>2"], "{old} to {new}");
    }
}

#[test]
fn krs_13_any_value_can_be_a_predicate_behind_any_filter() {
    let (world, source) = (World::new(), empty_source());
    source.put("n/a", "x");
    let informer = informer(&world, SharedInformerOptions::default());
    let (deliveries, tags) = (DeliveryLog::default(), Rc::new(RefCell::new(0)));
    let predicate_calls = Rc::clone(&tags);
    let by_tag = move |thing: &Thing| {
        *predicate_calls.borrow_mut() += 1;
        Some(thing.tag.clone())
    };
    let handler = FilteringResourceEventHandler::new(
        |thing: &Thing| thing.tag != "hidden",
        PredicateResourceEventHandler::new(by_tag, deliveries.clone()),
    );
    let _registration = informer.add_event_handler(handler).expect("not stopped");
    source.run(&world, &informer);
    for tag in ["x", "y", "hidden", "hidden", "y", "y"] {
        source.put("n/a", tag);
        world.settle();
    }
    assert_eq!(deliveries.take(), ["+n/a@1!", "synced", "~n/a@2>3", "-n/a@3", "+n/a@6"]);
    assert_eq!(*tags.borrow(), 6, "the predicate is asked about updates only");
}
