//! Requests of a lister-watcher, and the requests in its errors.

use super::*;
use crate::object::Object;
use crate::transport::scripted::{Reply, ScriptedTransport};
use futures::executor::block_on;

fn pods(transport: &ScriptedTransport, labels: Option<&str>) -> ResourceListerWatcher<Object> {
    let pods = "v1/pods".parse().expect("valid");
    let options = InformerOptions {
        namespace: Some("shop".into()),
        label_selector: labels.map(str::to_owned),
        ..InformerOptions::default()
    };
    ResourceListerWatcher::new(Rc::new(transport.clone()), &pods, &options).expect("valid")
}

fn watch_from(version: &str) -> WatchOptions {
    WatchOptions { resource_version: Some(version.into()), timeout: Duration::from_secs(300), initial_events: false }
}

#[test]
fn lst_11_a_following_page_carries_no_version() {
    let transport = ScriptedTransport::new();
    let pods = pods(&transport, Some("app in (a, b)"));
    let options =
        ListOptions { resource_version: Some("0".into()), limit: Some(500), continue_token: Some("c=".into()) };
    drop(pods.list(options));
    assert_eq!(
        transport.paths(),
        ["/api/v1/namespaces/shop/pods?pretty=false&labelSelector=app%20in%20%28a,%20b%29&limit=500&continue=c%3D"]
    );
}

#[test]
fn lst_01_a_watch_asks_for_bookmarks_and_no_compression() {
    let transport = ScriptedTransport::new();
    drop(pods(&transport, None).watch(watch_from("10")));
    let request = transport.requests().remove(0);
    assert_eq!(
        request.path,
        "/api/v1/namespaces/shop/pods?pretty=false&watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=10"
    );
    assert!(request.headers.contains(&("Range", "bytes=0-")));
}

#[test]
fn err_14_errors_name_the_request() {
    let transport = ScriptedTransport::new();
    transport.reply(Reply::status(403, r#"{"kind":"Status","code":403,"reason":"Forbidden","message":"no"}"#));
    transport.reply(Reply::Whole(200, "text/html", b"<html><title>Sign in</title>".to_vec()));
    let error = block_on(pods(&transport, None).list(ListOptions::default())).expect_err("forbidden");
    assert_eq!((error.code(), error.status()), (ErrorCode::Forbidden, Some(403)));
    assert_eq!(error.request(), Some("GET /api/v1/namespaces/shop/pods?pretty=false"));
    let error = block_on(pods(&transport, None).watch(watch_from("1"))).err().expect("html");
    assert_eq!(error.code(), ErrorCode::Decode);
    assert!(error.message().contains("Sign in"), "{error}");
}

/// Responds to each request with a 429 that requests a pause of this number of seconds, and a body.
struct Busy(u32, fn() -> Body);

impl Transport for Busy {
    fn send(&self, _: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let response = Response {
            status: 429,
            content_type: Some("text/plain".into()),
            content_encoding: None,
            retry_after: Some(self.0),
            body: (self.1)(),
        };
        futures::future::ready(Ok(response)).boxed_local()
    }
}

#[test]
fn the_pause_in_the_head_of_a_429_does_not_wait_for_its_body() {
    let stalls: fn() -> Body = || stream::once(async { Ok(b"Too".to_vec()) }).chain(stream::pending()).boxed_local();
    let whole: fn() -> Body = || stream::iter([Ok(b"Too many requests".to_vec())]).boxed_local();
    for (body, message) in [(stalls, "asks for a pause"), (whole, "Too many requests")] {
        let resource = "v1/pods".parse().expect("valid");
        let pods =
            ResourceListerWatcher::<Object>::new(Rc::new(Busy(46, body)), &resource, &InformerOptions::default());
        let pods = pods.expect("valid");
        let listed = pods.list(ListOptions::default()).now_or_never().expect("answered").map(drop);
        let watched = pods.watch(watch_from("1")).now_or_never().expect("answered").map(drop);
        for error in [listed.expect_err("busy"), watched.expect_err("busy")] {
            assert_eq!((error.code(), error.status()), (ErrorCode::Throttled, Some(429)));
            assert_eq!(error.retry_after(), Some(Duration::from_secs(46)));
            assert!(error.message().contains(message) && error.request().is_some(), "{error}");
        }
    }
}

#[test]
fn wat_12_one_event_of_no_use_costs_that_event() {
    let transport = ScriptedTransport::new();
    let (feed, reply) = Reply::stream();
    transport.reply(reply);
    let good = r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#;
    let strange = r#"{"type":"FOO","object":{}}"#;
    feed.unbounded_send(Ok(format!("{good}\n{strange}\n{good}\n{{\"half").into_bytes())).expect("open");
    drop(feed);
    let events = block_on(async {
        let stream = pods(&transport, None).watch(watch_from("1")).await.expect("accepted");
        stream.collect::<Vec<_>>().await
    });
    let read: Vec<bool> = events.into_iter().flat_map(|e| e.expect("chunk")).map(|event| event.is_ok()).collect();
    assert_eq!(read, [true, false, true]);
}

#[test]
fn err_14_errors_in_a_stream_name_its_request() {
    let transport = ScriptedTransport::new();
    let (feed, reply) = Reply::stream();
    transport.reply(reply);
    let lines = [r#"{"type":"FOO","object":{}}"#, r#"{"type":"ERROR","object":{"kind":"Status","code":410}}"#];
    feed.unbounded_send(Ok(format!("{}\n", lines.join("\n")).into_bytes())).expect("open");
    feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    drop(feed);
    let chunks = block_on(async {
        let stream = pods(&transport, None).watch(watch_from("1")).await.expect("accepted");
        stream.collect::<Vec<_>>().await
    });
    let mut errors = Vec::new();
    for chunk in chunks {
        match chunk {
            Ok(events) => errors.extend(events.into_iter().map(|event| match event {
                Ok(WatchEvent::Error(error)) | Err(error) => error,
                Ok(other) => panic!("{other:?}"),
            })),
            Err(error) => errors.push(error),
        }
    }
    let named = |error: &InformerError| error.request().is_some_and(|request| request.contains("watch=true"));
    assert!(errors.len() == 3 && errors.iter().all(named), "{errors:?}");
}
