//! List, watch, resume, relist.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, InformerError, Keyed, Phase};

use crate::harness::{Feed, Log, World, cached, list, object, page, send};

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn a_list_in_pages_then_a_watch_from_its_version() {
    let world = World::new();
    world.transport.reply(Reply::json(page(10, &["n/a@1", "n/b@2"], "c1"))).reply(Reply::json(page(
        10,
        &["n/c@3"],
        "",
    )));
    let feed = world.watch();
    let pods = world.pods();
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@2", "n/c@3"]);
    send(&feed, &["+n/d@11", "~n/a@12", "-n/b@13", "bookmark@14"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@12", "n/c@3", "n/d@11"]);
    assert_eq!(
        world.asked(),
        ["list pods limit=500 resourceVersion=0", "list pods limit=500 continue=c1", "watch pods resourceVersion=10"]
    );
    let status = pods.status();
    assert_eq!(
        (status.phase, status.freshness, status.resource_version.as_str()),
        (Phase::Watching, Freshness::Live, "14")
    );
    assert_eq!((status.events, status.objects, status.lists, status.watches), (3, 3, 1, 1));
}

#[test]
fn a_watch_that_ends_is_resumed_at_once_from_its_last_version() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(MINUTE);
    send(&feed, &["~n/a@11", "-n/a@12"]);
    let next = world.watch();
    drop(feed);
    world.settle();
    assert_eq!(world.asked().last().map(String::as_str), Some("watch pods resourceVersion=12"));
    send(&next, &["+n/a@13"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@13"]);
    assert_eq!(pods.status().relists, 0);
}

#[test]
fn err_01_an_expired_version_in_the_stream_relists_and_tells_the_difference() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1", "n/b@2", "n/c@3"]);
    let log = Log::default();
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    log.take();
    send(&feed, &["error@410", "+n/never@99"]);
    world.transport.reply(Reply::json(list(20, &["n/a@1", "n/b@15", "n/d@16"])));
    let _next = world.watch();
    world.settle();
    assert_eq!(pods.status().freshness, Freshness::Stale);
    assert_eq!(cached(&pods), ["n/a@1", "n/b@2", "n/c@3"], "what was cached stays while it is stale");
    world.pass(Duration::from_secs(2));
    assert_eq!(cached(&pods), ["n/a@1", "n/b@15", "n/d@16"]);
    assert_eq!(log.take(), ["-n/c@3?", "~n/b@2>15", "+n/d@16"]);
    assert_eq!(world.asked()[2..], ["list pods resourceVersion=10", "watch pods resourceVersion=20"]);
    assert_eq!(pods.status().freshness, Freshness::Live);
}

#[test]
fn an_expired_version_as_http_status_relists_too() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(MINUTE);
    world.transport.reply(Reply::status(410, "too old"));
    world.transport.reply(Reply::json(list(20, &["n/b@15"])));
    let _next = world.watch();
    drop(feed);
    world.pass(Duration::from_secs(2));
    assert_eq!(cached(&pods), ["n/b@15"]);
}

#[test]
fn err_02_a_busy_server_is_waited_for_without_a_relist() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(MINUTE);
    world.transport.reply(Reply::Whole(429, "text/plain", b"Too many requests, please try again later.".to_vec()));
    let next = world.watch();
    drop(feed);
    world.settle();
    assert_eq!(pods.status().last_error.map(|error| error.code), Some(ErrorCode::Throttled));
    world.pass(Duration::from_secs(2));
    send(&next, &["+n/b@11", "error@429"]);
    let last = world.watch();
    world.pass(Duration::from_secs(2));
    send(&last, &["+n/c@12"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@11", "n/c@12"]);
    assert_eq!((pods.status().lists, pods.status().watches), (1, 4));
}

#[test]
fn a_lost_connection_shows_and_heals_without_a_relist() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(MINUTE);
    world.transport.reply(Reply::Refused).reply(Reply::Refused);
    let next = world.watch();
    feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    drop(feed);
    world.settle();
    let status = pods.status();
    assert_eq!((status.freshness, status.phase), (Freshness::Disconnected, Phase::Reconnecting));
    assert!(status.next_retry_at.is_some());
    assert_eq!(cached(&pods), ["n/a@1"]);
    world.pass(Duration::from_secs(6));
    assert_eq!(pods.status().freshness, Freshness::Live);
    send(&next, &["+n/b@11"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@11"]);
    assert_eq!(pods.status().lists, 1);
}

#[test]
fn waking_skips_the_wait() {
    let world = World::new();
    world.transport.reply(Reply::Refused);
    let pods = world.pods();
    world.settle();
    assert!(pods.status().next_retry_at.is_some());
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    pods.wake();
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1"]);
}

#[test]
fn wat_26_a_half_open_watch_is_found_and_resumed() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["bookmark@11"]);
    world.settle();
    let next = world.watch();
    world.pass(Duration::from_secs(91));
    assert!(feed.is_closed(), "the silent request was aborted");
    send(&next, &["+n/b@12"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@12"]);
    assert_eq!(world.asked().last().map(String::as_str), Some("watch pods resourceVersion=11"));
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
fn wat_27_an_hour_asleep_costs_one_request() {
    let world = World::new();
    let (pods, _feed) = world.synced(10, &["n/a@1"]);
    let _next = world.watch();
    world.clock.advance(Duration::from_secs(3600));
    world.settle();
    assert_eq!(world.asked().len(), 3);
    assert_eq!(pods.status().freshness, Freshness::Live);
}

#[test]
fn lines_may_be_cut_anywhere() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &[]);
    let line = format!(r#"{{"type":"ADDED","object":{}}}"#, object("n/café-😀@11")) + "\n";
    for byte in line.into_bytes() {
        feed.unbounded_send(Ok(vec![byte])).expect("open");
    }
    world.settle();
    assert_eq!(cached(&pods), ["n/café-😀@11"]);
}

#[test]
fn wat_03_stopping_aborts_the_watch_and_keeps_the_cache() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    pods.stop();
    pods.stop();
    world.settle();
    assert!(feed.is_closed());
    assert_eq!((pods.status().phase, cached(&pods)), (Phase::Stopped, vec!["n/a@1".to_owned()]));
    world.pass(MINUTE * 30);
    assert_eq!(world.asked().len(), 2);
}

#[test]
fn lst_14_stopping_in_the_middle_of_a_list_discards_it() {
    let world = World::new();
    world.transport.reply(Reply::json(page(10, &["n/a@1"], "c"))).reply(Reply::Silence);
    let pods = world.pods();
    world.settle();
    assert_eq!(pods.status().listed, 1);
    pods.stop();
    world.settle();
    assert_eq!((pods.status().phase, cached(&pods).len()), (Phase::Stopped, 0));
}

#[test]
fn wat_02_stopped_before_it_started() {
    let world = World::new();
    world.transport.reply(Reply::json(list(1, &[])));
    let pods = world.pods();
    pods.stop();
    world.settle();
    assert!(world.asked().is_empty());
}

#[test]
fn a_dead_connection_is_shown_as_soon_as_it_is_found() {
    let world = World::new();
    let (pods, _feed) = world.synced(10, &["n/a@1"]);
    world.pass(Duration::from_secs(89));
    assert_eq!(pods.status().freshness, Freshness::Live);
    // Nothing is answered any more, not even the list that checks.
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
fn a_tab_that_looks_is_no_sign_of_life() {
    let world = World::new();
    let (pods, _feed) = world.synced(10, &["n/a@1"]);
    let contact = pods.status().last_contact_at;
    world.pass(Duration::from_secs(30));
    pods.wake();
    world.settle();
    assert_eq!(pods.status().last_contact_at, contact);
}

#[test]
fn a_wrong_selector_that_is_mended_on_the_server_is_asked_for_again_on_demand() {
    let world = World::new();
    world.transport.reply(Reply::status(400, r#"{"kind":"Status","code":400,"reason":"BadRequest"}"#));
    let pods = world.pods();
    world.settle();
    assert_eq!(pods.status().phase, Phase::Failed);
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = world.watch();
    pods.wake();
    world.settle();
    assert_eq!((pods.status().phase, cached(&pods).len()), (Phase::Watching, 1));
}
