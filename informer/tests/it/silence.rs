//! Silent watches: half-open, asleep, without progress, dropped repeatedly (WAT-26 to WAT-28).

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};
use informer::{Freshness, Keyed, Phase, ReflectorOptions, Result};

use crate::harness::{Feed, World, cached, errors, list, object, send, status};

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn wat_26_krs_03_a_half_open_watch_is_found_and_resumed() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["bookmark@11"]);
    world.settle();
    world.probe(12);
    let next = world.watch();
    world.pass(Duration::from_secs(91));
    assert!(feed.is_closed(), "the silent request was aborted");
    send(&next, &["+n/b@12"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@12"]);
    assert_eq!(world.requests().last().map(String::as_str), Some("watch pods resourceVersion=11"));
}

#[test]
fn a_busy_cluster_that_is_half_open_is_not_shown_as_live_for_longer_than_eleven_seconds() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (_observer, errors) = errors(&pods);
    for version in 11..31 {
        world.pass(Duration::from_secs(1));
        // For a steady watch, three seconds would suffice.
        if version % 4 != 0 {
            send(&feed, &[&format!("~n/a@{version}")]);
        }
        world.settle();
    }
    world.pass(Duration::from_millis(9_900));
    assert_eq!(pods.status().freshness, Freshness::Live);
    world.pass(Duration::from_millis(200));
    assert!(feed.is_closed(), "the silent request was aborted");
    assert_eq!(pods.status().freshness, Freshness::Live, "for a second more, in which it may be refuted");
    world.pass(Duration::from_secs(1));
    let status = pods.status();
    assert_eq!((status.freshness, status.last_error, errors.borrow().len()), (Freshness::CatchingUp, None, 0));
    // No response: that is an error, as always.
    world.pass(Duration::from_secs(14));
    assert_eq!((pods.status().freshness, errors.borrow().len()), (Freshness::Disconnected, 1));
    world.probe(40);
    let next = world.watch();
    world.retry(&pods);
    send(&next, &["+n/b@35"]);
    world.settle();
    assert_eq!(pods.status().freshness, Freshness::CatchingUp, "more may follow");
    send(&next, &["bookmark@40"]);
    world.settle();
    assert_eq!((pods.status().freshness, cached(&pods)), (Freshness::Live, vec!["n/a@30".into(), "n/b@35".into()]));
    let requests = ["list pods limit=1", "list pods limit=1", "watch pods resourceVersion=30"];
    assert_eq!(world.requests()[2..], requests, "and nothing is listed");
}

/// Server whose watches send the lines of a test.
#[derive(Clone, Default)]
struct StreamingServer {
    feeds: Rc<RefCell<Vec<Feed>>>,
    requests: Rc<RefCell<Vec<String>>>,
}

impl Transport for StreamingServer {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        self.requests.borrow_mut().push(request.path.clone());
        let reply = if request.stream {
            let (feed, reply) = Reply::stream();
            self.feeds.borrow_mut().push(feed);
            reply
        } else {
            // Of the first list, and of later probes.
            let version = if self.feeds.borrow().is_empty() { 10 } else { 9_999 };
            Reply::json(list(version, &["n/a@1"]))
        };
        ScriptedTransport::new().reply(reply).send(request)
    }
}

#[test]
fn an_hour_of_bursts_costs_a_few_checks() {
    let (mut world, server) = (World::new(), StreamingServer::default());
    world.runtime.transport = Rc::new(server.clone());
    let pods = world.pods_with(ReflectorOptions::default());
    for second in 0..3_600 {
        world.pass(Duration::from_secs(1));
        let feeds = server.feeds.borrow();
        let open = feeds.last().expect("watched");
        // Six seconds of events in two minutes, and a bookmark each minute.
        match second % 120 {
            0..6 => send(open, &[&format!("~n/a@{}", 100 + second)]),
            50 | 110 => send(open, &[&format!("bookmark@{}", 100 + second)]),
            _ => {}
        }
        drop(feeds);
        world.settle();
        assert_eq!(pods.status().freshness, Freshness::Live, "after {second} s");
    }
    let requests = server.requests.borrow();
    let checks = requests.iter().filter(|path| path.ends_with("limit=1")).count();
    assert!((4..=12).contains(&checks), "{checks} checks");
    assert_eq!(pods.status().lists, 1);
    assert!(requests.len() <= 1 + 2 * checks + 12, "{} requests", requests.len());
}

#[test]
fn half_an_hour_of_bookmarks_is_one_list_and_a_few_watches() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let mut feeds: std::collections::VecDeque<_> = (0..9).map(|_| world.watch()).collect();
    feeds.push_front(feed);
    for minute in 0..30 {
        world.pass(MINUTE);
        while feeds.front().is_some_and(Feed::is_closed) {
            feeds.pop_front();
        }
        send(&feeds[0], &[&format!("bookmark@{}", 100 + minute)]);
        world.settle();
        assert_eq!(pods.status().freshness, Freshness::Live, "minute {minute}");
    }
    let status = pods.status();
    assert_eq!((status.lists, status.resource_version.as_str()), (1, "129"));
    assert!((4..=7).contains(&status.watches), "each lives five to ten minutes: {}", status.watches);
}

#[test]
fn wat_27_an_hour_asleep_costs_one_reconnect() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["bookmark@11"]);
    world.settle();
    world.probe(12);
    let next = world.watch();
    world.clock.advance(Duration::from_secs(3600));
    world.settle();
    // Data that arrived while the page was hidden is read first.
    assert_eq!((world.requests().len(), pods.status().freshness), (2, Freshness::CatchingUp));
    world.pass(Duration::from_secs(10));
    assert_eq!(world.requests()[2..], ["list pods limit=1", "watch pods resourceVersion=11"]);
    send(&next, &["bookmark@12"]);
    world.settle();
    assert_eq!(pods.status().freshness, Freshness::Live);
}

#[test]
fn wat_27_what_expired_in_an_hour_asleep_is_listed_once() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["bookmark@11"]);
    world.settle();
    world.probe(99);
    world.transport.reply(status(410, "Expired", "too old")).reply(Reply::json(list(99, &["n/b@98"])));
    let _next = world.watch();
    world.clock.advance(Duration::from_secs(3600));
    world.pass(Duration::from_secs(12));
    assert_eq!(
        world.requests()[3..],
        ["watch pods resourceVersion=11", "list pods resourceVersion=11", "watch pods resourceVersion=99"]
    );
    assert_eq!(cached(&pods), ["n/b@98"]);
}

#[test]
fn a_dead_connection_is_reported_as_soon_as_it_is_detected() {
    let world = World::new();
    let (pods, _feed) = world.synced(10, &["n/a@1"]);
    world.pass(Duration::from_secs(89));
    assert_eq!(pods.status().freshness, Freshness::Live);
    // No request gets a response any more, not even the verifying list.
    world.pass(Duration::from_secs(2));
    let status = pods.status();
    assert_eq!((status.freshness, status.phase), (Freshness::Disconnected, Phase::Listing));
    assert_eq!(status.last_contact_at, Some(0.0));
    assert_eq!(cached(&pods), ["n/a@1"]);
}

#[test]
fn a_replaced_cluster_is_found() {
    let world = World::new();
    let (pods, _silent) = world.synced(1000, &["n/a@1", "n/b@999"]);
    let too_large = r#"{"kind":"Status","code":504,"reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#;
    world.transport.reply(Reply::status(504, too_large));
    // The same key and version, but another object.
    let other = object("n/a@1").replace("uid-a", "uid-of-the-new-cluster");
    let list = list(5, &["n/a@1"]).replace(&object("n/a@1"), &other);
    world.transport.reply(Reply::json(list));
    let _next = world.watch();
    world.pass(Duration::from_secs(91));
    assert_eq!(cached(&pods), ["n/a@1"]);
    assert_eq!(pods.indexer().get_by_key("n/a").map(|a| a.uid().to_owned()).as_deref(), Some("uid-of-the-new-cluster"));
    assert_eq!(pods.status().freshness, Freshness::Live);
}

#[test]
fn wake_does_not_change_the_time_of_the_last_contact() {
    let world = World::new();
    let (pods, _feed) = world.synced(10, &["n/a@1"]);
    let contact = pods.status().last_contact_at;
    world.pass(Duration::from_secs(30));
    pods.wake();
    world.settle();
    assert_eq!(pods.status().last_contact_at, contact);
}

#[test]
fn wat_28_a_server_that_drops_every_watch_at_once_is_listed_after_longer_and_longer_waits() {
    let world = World::new();
    let (pods, mut feed) = world.synced(10, &["n/a@1"]);
    let mut waits = Vec::new();
    for _ in 0..4 {
        world.transport.reply(Reply::json(list(10, &["n/a@1"])));
        let next = world.watch();
        drop(std::mem::replace(&mut feed, next));
        world.settle();
        waits.push(world.retry(&pods));
    }
    assert_eq!(world.lists().len(), 5);
    assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
}

#[test]
fn wat_28_watches_that_bring_nothing_new_end_in_a_list() {
    let world = World::new();
    let (pods, mut feed) = world.synced(10, &["n/a@1"]);
    for _ in 0..6 {
        send(&feed, &["bookmark@10"]);
        world.pass(Duration::from_secs(2));
        let next = world.watch();
        drop(std::mem::replace(&mut feed, next));
        world.settle();
    }
    assert_eq!((pods.status().watches, pods.status().lists), (6, 1));
    world.retry(&pods);
    assert_eq!(world.lists()[1..], ["resourceVersion=10"]);
}

#[test]
fn short_watch_timeout_does_not_shorten_the_silence_timeout() {
    // Watch timeouts below five minutes are ignored, also for a server without bookmarks.
    let options = ReflectorOptions { min_watch_timeout: Duration::from_secs(1), ..ReflectorOptions::default() };
    let world = World::with(options);
    let (_pods, feed) = world.synced(10, &["n/a@1"]);
    let mut feeds = vec![feed];
    for _ in 0..40 {
        world.transport.reply(Reply::json(list(10, &["n/a@1"])));
        feeds.push(world.watch());
    }
    world.pass(MINUTE * 30);
    let lists = world.lists().len();
    assert!((4..=7).contains(&lists), "{lists} lists in half an hour of silence");
}
