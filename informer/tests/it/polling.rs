//! Polling of resources that can be listed but not watched.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, InformerOptions, Phase};

use crate::harness::{World, cached, list, send, status};

/// The list is allowed and the watch forbidden, twice: from now on it is polled.
fn polled() -> (World, informer::SharedInformer<informer::Object>) {
    let world = World::new();
    for _ in 0..2 {
        world.transport.reply(Reply::json(list(10, &["n/a@1", "n/b@2"])));
        world.transport.reply(status(403, "Forbidden", "cannot watch resource"));
    }
    let pods = world.pods();
    world.pass(Duration::from_secs(2));
    assert_eq!(world.requests().len(), 4);
    (world, pods)
}

#[test]
fn what_may_not_be_watched_is_listed_each_half_a_minute_and_tells_differences_only() {
    let (world, pods) = polled();
    let (log, _registration) = world.listen(&pods);
    let began = pods.status();
    assert_eq!((began.freshness, began.phase), (Freshness::Polling, Phase::Reconnecting));
    // The reason is reported, and does not make a listable resource forbidden.
    assert_eq!(began.last_error.map(|error| error.code), Some(ErrorCode::Forbidden));
    world.transport.reply(Reply::json(list(20, &["n/b@15", "n/c@16"])));
    world.transport.reply(Reply::json(list(20, &["n/b@15", "n/c@16"])));
    world.pass(Duration::from_secs(75));
    assert_eq!(world.requests()[4..], ["list pods resourceVersion=10", "list pods resourceVersion=20"]);
    assert_eq!(
        (cached(&pods), log.take()),
        (
            vec!["n/b@15".to_owned(), "n/c@16".to_owned()],
            vec!["-n/a@1?".to_owned(), "~n/b@2>15".to_owned(), "+n/c@16".to_owned()]
        )
    );
    let now = pods.status();
    assert_eq!(now.freshness, Freshness::Polling);
    assert!(now.last_contact_at.expect("listed") >= began.last_contact_at.expect("listed") + 60_000.0);
}

#[test]
fn failed_poll_shows_its_own_error_and_a_visible_page_does_not_wait_for_the_next() {
    let (world, pods) = polled();
    world.transport.reply(Reply::Refused);
    for _ in 0..37 {
        if pods.status().freshness == Freshness::Polling {
            world.pass(Duration::from_secs(1));
        }
    }
    assert_eq!(pods.status().freshness, Freshness::Disconnected);
    world.transport.reply(Reply::json(list(20, &["n/c@16"])));
    world.pass(Duration::from_secs(4));
    assert_eq!((pods.status().freshness, cached(&pods)), (Freshness::Polling, vec!["n/c@16".to_owned()]));
    // The role was mended, and a user retries.
    world.transport.reply(Reply::json(list(21, &["n/c@16"])));
    let feed = world.watch();
    pods.wake();
    world.settle();
    let status = pods.status();
    assert_eq!((status.freshness, status.last_error), (Freshness::Live, None));
    send(&feed, &["+n/d@22"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/c@16", "n/d@22"]);
}

#[test]
fn a_watch_that_is_tried_again_by_itself_ends_the_polling() {
    let (world, _pods) = polled();
    for _ in 0..25 {
        world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    }
    let mut minutes = 0;
    while world.requests().iter().filter(|request| request.starts_with("watch")).count() == 2 {
        world.pass(Duration::from_secs(60));
        minutes += 1;
        assert!(minutes <= 12, "{:?}", world.requests());
    }
    assert!((9..=11).contains(&minutes), "{minutes}");
}

/// Response of metrics-server: neither the list nor its items have a version.
fn usage(time: &str, pods: &[&str]) -> Reply {
    let items: Vec<String> = pods
        .iter()
        .map(|name| {
            format!(
                r#"{{"metadata":{{"name":"{name}","namespace":"n","creationTimestamp":"{time}"}},"timestamp":"{time}","window":"15s","containers":[]}}"#
            )
        })
        .collect();
    let items = items.join(",");
    Reply::json(format!(
        r#"{{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{{}},"items":[{items}]}}"#
    ))
}

#[test]
fn a_list_without_a_version_is_polled_and_never_watched() {
    let world = World::new();
    let resource = "metrics.k8s.io/v1beta1/pods".parse().expect("valid");
    let (_, usages) = world.factory.for_resource(resource, InformerOptions::default()).expect("valid");
    world.transport.reply(usage("2026-11-22T10:00:00Z", &["a", "b"]));
    world.factory.start();
    world.settle();
    let status = usages.status();
    assert!(status.has_synced && status.resource_version.is_empty());
    assert_eq!((status.freshness, status.objects), (Freshness::Polling, 2));
    assert_eq!(status.last_error.map(|error| error.code), Some(ErrorCode::Decode));
    assert_eq!(cached(&usages), ["n/a@", "n/b@"]);
    let (log, _registration) = world.listen(&usages);
    world.transport.reply(usage("2026-11-22T10:00:30Z", &["b", "c"]));
    world.pass(Duration::from_secs(37));
    assert_eq!(log.take(), ["-n/a@?", "~n/b@>", "+n/c@"]);
    assert_eq!((cached(&usages), usages.status().freshness), (vec!["n/b@".into(), "n/c@".into()], Freshness::Polling));
    assert_eq!(world.requests(), ["list pods limit=500 resourceVersion=0", "list pods limit=500"]);
}

#[test]
fn polling_in_pages_requests_the_newest_version() {
    // A page with a version is of exactly that version, so it would never contain changes.
    let options = informer::ReflectorOptions { page_size: Some(50), ..Default::default() };
    let world = World::with(options);
    for _ in 0..2 {
        world.transport.reply(Reply::json(list(10, &["n/a@1"])));
        world.transport.reply(status(405, "MethodNotAllowed", "no watch here"));
    }
    let _pods = world.pods();
    world.pass(Duration::from_secs(39));
    assert_eq!(world.lists()[1..], ["limit=50", "limit=50"]);
}
