//! Contact: the times of the last event, the last bookmark, the last data from the server and the next attempt, as a
//! status shows them.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use informer::clock::Clock;
use informer::transport::scripted::Reply;
use informer::{InformerEvent, Object, SharedInformer};

use crate::harness::{World, list, send};

const SECOND: Duration = Duration::from_secs(1);

/// Milliseconds since the informer started, of the last event, bookmark and contact.
fn times(pods: &SharedInformer<Object>, began: f64) -> [Option<f64>; 3] {
    let status = pods.status();
    [status.last_event_at, status.last_bookmark_at, status.last_contact_at].map(|at| at.map(|at| at - began))
}

#[test]
fn events_bookmarks_and_other_contacts_have_their_own_times() {
    let world = World::new();
    let began = world.clock.unix_ms();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = world.watch();
    let pods = world.pods();
    assert_eq!(times(&pods, began), [None; 3]);
    world.settle();
    assert_eq!(times(&pods, began), [None, None, Some(0.0)], "a list and an open watch");
    world.pass(SECOND);
    assert_eq!(times(&pods, began), [None, None, Some(0.0)], "time is no contact");
    send(&feed, &["~n/a@11"]);
    world.settle();
    assert_eq!(times(&pods, began), [Some(1_000.0), None, Some(1_000.0)]);
    world.pass(SECOND);
    send(&feed, &["bookmark@12"]);
    world.settle();
    assert_eq!(times(&pods, began), [Some(1_000.0), Some(2_000.0), Some(2_000.0)]);
    world.pass(SECOND);
    send(&feed, &["bookmark@12"]);
    world.settle();
    assert_eq!(times(&pods, began), [Some(1_000.0), Some(3_000.0), Some(3_000.0)], "one that says nothing new");
    world.pass(SECOND);
    send(&feed, &["~n/a@13"]);
    world.settle();
    assert_eq!(times(&pods, began), [Some(4_000.0), Some(3_000.0), Some(4_000.0)]);
    world.pass(SECOND);
    assert_eq!(times(&pods, began), [Some(4_000.0), Some(3_000.0), Some(4_000.0)]);
}

#[test]
fn a_watch_that_opens_is_a_contact_and_a_refused_one_is_not() {
    let world = World::new();
    let began = world.clock.unix_ms();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(20 * SECOND);
    world.transport.reply(Reply::Refused);
    drop(feed);
    world.settle();
    assert_eq!(times(&pods, began)[2], Some(0.0));
    let due = pods.status().next_retry_at.expect("it waits");
    assert!(due > world.clock.unix_ms());
    world.pass(Duration::from_millis(10));
    assert_eq!(pods.status().next_retry_at, Some(due), "the same attempt is due at the same time");
    world.probe(10);
    let _feed = world.watch();
    world.retry(&pods);
    assert_eq!(pods.status().next_retry_at, None);
    let at = world.clock.unix_ms() - began;
    assert!(at > 20_000.0);
    assert_eq!(times(&pods, began)[2], Some(at));
}

#[test]
fn what_is_cached_is_reported_once_and_a_bookmark_without_news_too() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let notifications = Rc::<Cell<u32>>::default();
    let counted = Rc::clone(&notifications);
    let _observer = pods.observe(move |event| {
        assert_eq!(event, &InformerEvent::Status);
        counted.set(counted.get() + 1);
    });
    send(&feed, &["+n/b@11"]);
    world.settle();
    assert_eq!(notifications.take(), 1, "once it is cached, not before too");
    send(&feed, &["bookmark@11"]);
    world.settle();
    assert_eq!(notifications.take(), 1);
}
