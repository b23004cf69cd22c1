//! Classification of errors, and their backoff (scenarios ERR and BKO).

use std::time::Duration;

use informer::clock::Clock;
use informer::transport::scripted::Reply;
use informer::{BackoffOptions, ErrorCode, Freshness, InformerError, Object, Phase, ReflectorOptions, SharedInformer};

use crate::harness::{Feed, World, cached, errors, list, send, send_line, status};

const MINUTE: Duration = Duration::from_secs(60);

/// A world whose waits are short.
fn with_backoff(initial: u64, max: u64) -> World {
    let (initial, max) = (Duration::from_millis(initial), Duration::from_millis(max));
    World::with(ReflectorOptions {
        backoff: BackoffOptions { initial, max, factor: 2.0 },
        ..ReflectorOptions::default()
    })
}

/// Ends a watch that has lived, so that it is resumed at once.
fn end(world: &World, feed: Feed) {
    world.clock.advance(MINUTE + Duration::from_secs(1));
    world.settle();
    drop(feed);
    world.settle();
}

/// The sum of `times` waits, and the last of them.
fn waits(world: &World, pods: &SharedInformer<Object>, times: usize) -> (Duration, Duration) {
    let waits: Vec<Duration> = (0..times).map(|_| world.retry(pods)).collect();
    (waits.iter().sum(), waits.last().copied().unwrap_or_default())
}

#[test]
fn err_01_wat_15_krs_09_expired_version_in_the_stream_relists_and_emits_the_difference() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1", "n/b@2", "n/c@3"]);
    let (log, _registration) = world.listen(&pods);
    send(&feed, &["error@410", "+n/never@99"]);
    world.transport.reply(Reply::json(list(20, &["n/a@1", "n/b@15", "n/d@16"])));
    let _next = world.watch();
    world.settle();
    assert_eq!(pods.status().freshness, Freshness::Stale);
    assert_eq!(cached(&pods), ["n/a@1", "n/b@2", "n/c@3"], "what was cached stays while it is stale");
    world.pass(Duration::from_secs(2));
    assert_eq!(cached(&pods), ["n/a@1", "n/b@15", "n/d@16"]);
    assert_eq!(log.take(), ["-n/c@3?", "~n/b@2>15", "+n/d@16"]);
    assert_eq!(world.requests()[2..], ["list pods resourceVersion=10", "watch pods resourceVersion=20"]);
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
fn err_02_throttling_server_is_retried_without_a_relist() {
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
    world.settle();
    world.retry(&pods);
    send(&last, &["+n/c@12"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@11", "n/c@12"]);
    assert_eq!((pods.status().lists, pods.status().watches), (1, 4));
}

#[test]
fn lost_connection_is_shown_and_recovers_without_a_relist() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(MINUTE);
    world.transport.reply(Reply::Refused).reply(Reply::Refused);
    world.probe(10);
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
fn selector_that_becomes_valid_on_the_server_is_retried_on_demand() {
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

#[test]
fn err_03_server_that_throttles_the_watch_repeatedly_is_not_listed_for_half_a_minute() {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    for _ in 0..4 {
        world.transport.reply(status(429, "TooManyRequests", "later"));
    }
    let _feed = world.watch();
    let pods = world.pods();
    world.settle();
    waits(&world, &pods, 4);
    assert_eq!((pods.status().lists, pods.status().watches), (1, 5));
    assert_eq!(world.requests()[1..], ["watch pods resourceVersion=10"; 5]);
    assert_eq!(pods.status().freshness, Freshness::Live);
}

#[test]
fn err_04_unreachable_server_is_retried_without_a_relist() {
    // Each wait is stretched by a factor in [1, 2).
    for (refusals, total) in [(5, 31), (40, 63 + 34 * 50)] {
        let world = with_backoff(1, 50);
        let (pods, feed) = world.synced(10, &["n/a@1"]);
        for _ in 0..refusals {
            world.transport.reply(Reply::Refused);
        }
        world.probe(10);
        let _next = world.watch();
        end(&world, feed);
        let (waited, last) = waits(&world, &pods, refusals);
        assert!((total..2 * total).contains(&waited.as_millis()), "{refusals}: {waited:?}");
        assert!(last < Duration::from_millis(100), "flat at the cap: {last:?}");
        assert_eq!((pods.status().lists, pods.status().freshness), (1, Freshness::Live));
    }
}

#[test]
fn err_05_a_failing_server_ends_the_watch_and_is_listed() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send_line(&feed, r#"{"type":"ERROR","object":{"kind":"Status","code":500,"reason":"InternalError"}}"#);
    world.settle();
    assert!(feed.is_closed());
    world.retry(&pods);
    assert_eq!(world.requests()[2..], ["list pods resourceVersion=10"]);
}

#[test]
fn err_09_a_watch_that_is_forbidden_begins_a_new_list_after_a_wait() {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    world.transport.reply(status(403, "Forbidden", "Access Denied"));
    let pods = world.pods();
    let (_observer, errors) = errors(&pods);
    world.settle();
    assert_eq!(errors.borrow().iter().map(InformerError::code).collect::<Vec<_>>(), [ErrorCode::Forbidden]);
    world.retry(&pods);
    assert_eq!(world.requests()[1..], ["watch pods resourceVersion=10", "list pods resourceVersion=10"]);
}

#[test]
fn err_13_error_event_without_a_status_is_an_error() {
    for object in ["null", r#""gone""#, r#"{"kind":"Pod","metadata":{"name":"a","namespace":"n"}}"#, "[]", "{}", "410"]
    {
        let world = World::new();
        let (pods, feed) = world.synced(10, &["n/a@1"]);
        send_line(&feed, &format!(r#"{{"type":"ERROR","object":{object}}}"#));
        world.settle();
        assert_eq!(pods.status().last_error.map(|error| error.code), Some(ErrorCode::Internal), "{object}");
        world.transport.reply(Reply::json(list(20, &["n/b@15"])));
        world.retry(&pods);
        assert_eq!(cached(&pods), ["n/b@15"], "{object}");
    }
}

#[test]
fn err_14_observer_receives_each_error_and_no_clean_end() {
    let world = World::new();
    world.transport.reply(status(403, "Forbidden", "Access Denied"));
    let pods = world.pods();
    let (_observer, errors) = errors(&pods);
    let taken_errors = || errors.take().iter().map(|e| (e.code(), e.message().to_owned())).collect::<Vec<_>>();
    world.settle();
    assert_eq!(taken_errors(), [(ErrorCode::Forbidden, "Access Denied".to_owned())]);

    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    world.transport.reply(status(401, "Unauthorized", "who is it?"));
    world.retry(&pods);
    assert_eq!(taken_errors(), [(ErrorCode::Unauthorized, "who is it?".to_owned())]);

    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let (feed, next) = (world.watch(), world.watch());
    world.retry(&pods);
    end(&world, feed);
    assert_eq!((taken_errors(), pods.status().phase), (vec![], Phase::Watching), "a clean end is part of life");

    send_line(
        &next,
        r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}"#,
    );
    world.settle();
    assert_eq!(taken_errors(), [(ErrorCode::Expired, "too old".to_owned())]);
}

#[test]
fn err_15_the_server_may_ask_for_a_longer_wait() {
    let world = World::new();
    let asks = r#"{"kind":"Status","code":429,"reason":"TooManyRequests","details":{"retryAfterSeconds":20}}"#;
    world.transport.reply(Reply::status(429, asks)).reply(Reply::json(list(10, &["n/a@1"])));
    let pods = world.pods();
    world.settle();
    let wait = world.retry(&pods);
    assert!(wait.abs_diff(Duration::from_secs(20)) < Duration::from_millis(1), "{wait:?}");
    assert_eq!(cached(&pods), ["n/a@1"]);
}

#[test]
fn err_16_a_watch_that_is_broken_off_is_resumed_at_once_from_its_last_version() {
    for code in [ErrorCode::Network, ErrorCode::Timeout] {
        let world = World::new();
        let (pods, feed) = world.synced(10, &["n/a@1"]);
        let (_observer, errors) = errors(&pods);
        send(&feed, &["+n/b@11"]);
        feed.unbounded_send(Err(InformerError::new(code, "connection reset"))).expect("open");
        world.probe(11);
        let _next = world.watch();
        world.settle();
        assert_eq!(world.requests()[2..], ["list pods limit=1", "watch pods resourceVersion=11"]);
        assert_eq!((errors.borrow().len(), pods.status().freshness), (0, Freshness::Live));
    }
}

#[test]
fn bko_01_krs_15_the_first_attempt_is_immediate_and_the_waits_double_up_to_the_cap() {
    let world = World::new();
    for _ in 0..9 {
        world.transport.reply(status(500, "InternalError", "broken"));
    }
    let pods = world.pods();
    world.settle();
    assert_eq!(world.requests().len(), 1);
    for base in [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0] {
        let wait = world.retry(&pods).as_secs_f64();
        assert!((base - 0.001..2.0 * base).contains(&wait), "{wait} is not in [{base}, {})", 2.0 * base);
    }
    assert_eq!(world.lists().len(), 9);
}

#[test]
fn bko_02_backoff_is_configurable() {
    let world = with_backoff(10, 100);
    for _ in 0..6 {
        world.transport.reply(Reply::Refused);
    }
    let pods = world.pods();
    world.settle();
    let (total, _) = waits(&world, &pods, 5);
    assert!((Duration::from_millis(250)..Duration::from_millis(500)).contains(&total), "{total:?}");
}

#[test]
fn bko_04_through_a_long_outage_the_wait_stays_at_the_cap() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    for _ in 0..40 {
        world.transport.reply(Reply::Refused);
    }
    end(&world, feed);
    waits(&world, &pods, 6);
    let began = world.clock.now();
    while world.clock.now() < began + MINUTE * 10 {
        let wait = world.retry(&pods);
        assert!((29_999..60_000).contains(&wait.as_millis()), "{wait:?}");
    }
    assert_eq!((pods.status().lists, cached(&pods)), (1, vec!["n/a@1".to_owned()]));
}

#[test]
fn bko_05_stopping_during_a_wait_ends_it_at_once() {
    let world = World::new();
    world.transport.reply(Reply::Refused);
    let pods = world.pods();
    world.settle();
    assert!(pods.status().next_retry_at.is_some());
    pods.stop();
    world.settle();
    assert_eq!((pods.status().phase, pods.status().next_retry_at), (Phase::Stopped, None));
    assert!(pods.reopen(), "the run has ended");
    world.pass(MINUTE);
    assert_eq!(world.requests().len(), 1);
}

#[test]
fn bko_06_relist_backs_off_and_an_ended_watch_does_not() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let next = world.watch();
    end(&world, feed);
    assert_eq!((world.requests().len(), pods.status().phase), (3, Phase::Watching));
    send(&next, &["error@500"]);
    world.settle();
    assert_eq!((world.requests().len(), pods.status().phase), (3, Phase::Reconnecting));
    assert!(world.retry(&pods) >= Duration::from_millis(799));
}

#[test]
fn bko_08_krs_16_healthy_period_resets_backoff() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    for _ in 0..6 {
        world.transport.reply(Reply::Refused);
    }
    world.probe(10);
    let next = world.watch();
    end(&world, feed);
    let (_, last) = waits(&world, &pods, 6);
    assert!(last >= Duration::from_secs(25));
    // An idle cluster: its bookmarks repeat the same version.
    for _ in 0..3 {
        world.pass(Duration::from_secs(45));
        send(&next, &["bookmark@10"]);
        world.settle();
    }
    world.transport.reply(Reply::Refused);
    drop(next);
    world.settle();
    assert!(world.retry(&pods) < Duration::from_millis(1600));
}
