//! Faults on the wire: each is a typed error, loses nothing, and the informer continues.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, Phase};

use crate::harness::{World, cached, list, send};

/// A list with the response `reply` fails with `code`, and the next one succeeds.
fn list_survives(reply: Reply, code: ErrorCode, freshness: Freshness) {
    let world = World::new();
    world.transport.reply(reply);
    let pods = world.pods();
    world.settle();
    let status = pods.status();
    let error = status.last_error.expect("reported");
    assert_eq!((error.code, status.freshness), (code, freshness), "{error:?}");
    assert_eq!(error.request.as_deref(), Some("GET /api/v1/pods?pretty=false&limit=500&resourceVersion=0"));
    assert!(!status.has_synced && status.next_retry_at.is_some());
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = world.watch();
    world.pass(Duration::from_secs(3));
    assert_eq!((cached(&pods), pods.status().freshness), (vec!["n/a@1".to_owned()], Freshness::Live));
    assert!(pods.status().last_error.is_none());
}

#[test]
fn garbage_instead_of_a_list() {
    list_survives(Reply::json("}{"), ErrorCode::Decode, Freshness::Stale);
}

#[test]
fn half_a_list() {
    list_survives(Reply::json(&list(10, &["n/a@1"])[..90]), ErrorCode::Decode, Freshness::Stale);
}

#[test]
fn a_sign_in_page_instead_of_a_list() {
    let html = b"<!doctype html><title>Sign in</title>".to_vec();
    list_survives(Reply::Whole(200, "text/html; charset=utf-8", html), ErrorCode::Decode, Freshness::Stale);
}

#[test]
fn a_bad_gateway() {
    let html = b"<html><title>502 Bad Gateway</title></html>".to_vec();
    list_survives(Reply::Whole(502, "text/html", html), ErrorCode::Network, Freshness::Disconnected);
}

#[test]
fn an_error_of_the_proxy_means_an_unreachable_apiserver() {
    let text = b"dial tcp 127.0.0.1:16443: connect: connection refused\n".to_vec();
    list_survives(Reply::Whole(500, "text/plain", text), ErrorCode::Network, Freshness::Disconnected);
}

#[test]
fn a_status_instead_of_a_list() {
    list_survives(Reply::json(r#"{"kind":"Status","code":500}"#), ErrorCode::Decode, Freshness::Stale);
}

#[test]
fn lst_12_forbidden_and_then_allowed() {
    let body = r#"{"kind":"Status","code":403,"reason":"Forbidden","message":"pods is forbidden"}"#;
    list_survives(Reply::status(403, body), ErrorCode::Forbidden, Freshness::Forbidden);
}

#[test]
fn a_closed_port() {
    list_survives(Reply::Refused, ErrorCode::Network, Freshness::Disconnected);
}

#[test]
fn a_list_that_never_comes() {
    let world = World::new();
    world.transport.reply(Reply::Silence);
    let pods = world.pods();
    world.pass(Duration::from_secs(121));
    let error = pods.status().last_error.expect("timed out");
    assert_eq!(error.code, ErrorCode::Timeout);
}

#[test]
fn a_selector_that_is_wrong_is_not_repeated() {
    let world = World::new();
    let body = r#"{"kind":"Status","code":400,"reason":"BadRequest","message":"unable to parse requirement"}"#;
    world.transport.reply(Reply::status(400, body));
    let pods = world.pods();
    world.pass(Duration::from_secs(600));
    assert_eq!((pods.status().phase, world.requests().len()), (Phase::Failed, 1));
    assert!(!pods.status().last_error.expect("said").retryable);
}

#[test]
fn garbage_in_a_watch_ends_it_and_the_relist_restores_the_hidden_change() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    send(&feed, &["+n/b@11"]);
    feed.unbounded_send(Ok(b"\x00\xff garbage\n".to_vec())).expect("open");
    world.transport.reply(Reply::json(list(20, &["n/a@12", "n/b@11"])));
    let _next = world.watch();
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@11"]);
    assert_eq!(pods.status().last_error.map(|error| error.code), Some(ErrorCode::Decode));
    world.pass(Duration::from_secs(2));
    assert_eq!(
        (cached(&pods), pods.status().freshness),
        (vec!["n/a@12".to_owned(), "n/b@11".to_owned()], Freshness::Live)
    );
}

#[test]
fn half_a_line_before_the_end_is_not_an_event() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(Duration::from_secs(5));
    feed.unbounded_send(Ok(br#"{"type":"DELETED","object":{"metadata":{"na"#.to_vec())).expect("open");
    let next = world.watch();
    drop(feed);
    world.settle();
    send(&next, &["+n/b@11"]);
    world.settle();
    assert_eq!((cached(&pods), pods.status().lists), (vec!["n/a@1".to_owned(), "n/b@11".to_owned()], 1));
}

#[test]
fn wat_05_a_watch_that_closes_at_once_is_not_a_hot_loop() {
    let world = World::new();
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    for _ in 0..50 {
        world.transport.reply(Reply::Whole(200, "application/json", Vec::new()));
        world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    }
    let _pods = world.pods();
    world.pass(Duration::from_secs(60));
    let requests = world.requests().len();
    assert!((4..20).contains(&requests), "{requests} requests in a minute");
}
