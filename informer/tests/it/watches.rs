//! Watches: the meaning of events, and the requests after the end (scenarios WAT).

use std::rc::Rc;
use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{
    ErrorCode, Freshness, InformerError, Keyed, Object, Phase, ReflectorOptions, SharedInformerOptions, TransformFunc,
};

use crate::harness::{World, cached, errors, list, object, send, send_line};

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn wat_18_wat_19_a_watch_that_ends_is_resumed_at_once_from_its_last_version() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.pass(MINUTE);
    send(&feed, &["~n/a@11", "-n/a@12"]);
    let next = world.watch();
    drop(feed);
    world.settle();
    assert_eq!(world.requests().last().map(String::as_str), Some("watch pods resourceVersion=12"));
    send(&next, &["+n/a@13"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@13"]);
    assert_eq!(pods.status().relists, 0);
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
    assert_eq!(world.requests().len(), 2);
}

#[test]
fn wat_02_stopped_before_it_started() {
    let world = World::new();
    world.transport.reply(Reply::json(list(1, &[])));
    let pods = world.pods();
    pods.stop();
    world.settle();
    assert!(world.requests().is_empty());
}

#[test]
fn the_four_kinds_of_events() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1", "n/b@2"]);
    send(&feed, &["+n/d@11", "~n/a@12", "-n/b@13", "bookmark@14"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@12", "n/d@11"]);
    let status = pods.status();
    assert_eq!(
        (status.phase, status.freshness, status.resource_version.as_str()),
        (Phase::Watching, Freshness::Live, "14")
    );
    assert_eq!((status.events, status.objects, status.lists, status.watches), (3, 2, 1, 1));
}

#[test]
fn wat_04_whenever_it_is_stopped_the_watch_is_closed_and_nothing_is_an_error() {
    for read in [false, true] {
        for ended in [false, true] {
            let world = World::new();
            let (pods, feed) = world.synced(10, &["n/a@1"]);
            let (_observer, errors) = errors(&pods);
            world.pass(Duration::from_secs(2));
            send(&feed, &["+n/b@11"]);
            if read {
                world.settle();
            }
            let feed = (!ended).then_some(feed);
            pods.stop();
            world.settle();
            assert!(feed.is_none_or(|feed| feed.is_closed()));
            assert_eq!((pods.status().phase, errors.borrow().len()), (Phase::Stopped, 0));
            assert_eq!(world.requests().len(), 2, "nothing is asked for any more");
        }
    }
}

#[test]
fn wat_05_a_watch_that_ends_at_once_without_an_event_is_a_failure() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (_observer, errors) = errors(&pods);
    world.clock.advance(Duration::from_millis(999));
    drop(feed);
    world.settle();
    assert_eq!(errors.borrow().len(), 1);
    world.retry(&pods);
    assert_eq!(world.requests()[2..], ["list pods resourceVersion=10"]);
}

#[test]
fn wat_07_a_quiet_watch_that_ends_is_resumed_where_it_was() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (_observer, errors) = errors(&pods);
    world.clock.advance(Duration::from_secs(1));
    let _next = world.watch();
    drop(feed);
    world.settle();
    assert_eq!(world.requests()[2..], ["watch pods resourceVersion=10"]);
    assert_eq!((errors.borrow().len(), pods.status().freshness), (0, Freshness::Live));
}

#[test]
fn wat_08_bookmark_sets_the_version_only() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (log, _registration) = world.listen(&pods);
    send(&feed, &["bookmark@40"]);
    world.settle();
    assert_eq!((pods.status().resource_version.as_str(), pods.indexer().resource_version()), ("40", "40"));
    assert_eq!((cached(&pods), log.take()), (vec!["n/a@1".to_owned()], Vec::<String>::new()));
}

#[test]
fn wat_09_cache_reaches_every_version_in_order() {
    let world = World::new();
    let (pods, feed) = world.synced(5, &[]);
    let mut versions = Vec::new();
    for event in ["+n/a@10", "~n/a@20", "bookmark@30", "-n/a@40"] {
        send(&feed, &[event]);
        world.settle();
        versions.push(pods.indexer().resource_version().to_owned());
    }
    assert_eq!(versions, ["10", "20", "30", "40"]);
    assert_eq!(pods.metrics().events + pods.metrics().bookmarks, 4);
}

#[test]
fn wat_11_wat_12_wat_14_unidentifiable_event_leads_to_a_list() {
    for line in [
        r#"{"type":"FOO","object":{"metadata":{"name":"x"}}}"#,
        r#"{"type":"ADDED","object":{"kind":"Status","code":500,"metadata":{"name":"x"}}}"#,
        r#"{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"name":"x"},"rows":[]}}"#,
        r#"{"type":"ADDED","object":{"spec":{}}}"#,
    ] {
        let world = World::new();
        let (pods, feed) = world.synced(10, &["n/a@1"]);
        let (_observer, errors) = errors(&pods);
        world.transport.reply(Reply::json(list(12, &["n/a@1", "n/b@11"])));
        let _next = world.watch();
        send_line(&feed, line);
        world.settle();
        assert_eq!(world.requests()[2..], ["list pods resourceVersion=10", "watch pods resourceVersion=12"], "{line}");
        assert_eq!(cached(&pods), ["n/a@1", "n/b@11"]);
        assert_eq!((pods.status().dropped_events, errors.borrow().len()), (1, 1));
        assert_eq!(pods.status().freshness, Freshness::Live);
    }
}

#[test]
fn informer_is_not_live_before_the_list_for_an_undecodable_event() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.transport.reply(Reply::json(list(12, &["n/a@1"])));
    let next = world.watch();
    let foo = r#"{"type":"FOO","object":{}}"#;
    send_line(&feed, foo);
    world.settle();
    send_line(&next, foo);
    send(&next, &["+n/b@13"]);
    world.settle();
    let status = pods.status();
    assert_eq!((cached(&pods), status.freshness), (vec!["n/a@1".into(), "n/b@13".into()], Freshness::Stale));
    assert_eq!(status.last_error.map(|error| error.code), Some(ErrorCode::Decode));
    world.transport.reply(Reply::json(list(14, &["n/a@14", "n/b@13"])));
    let _last = world.watch();
    world.pass(Duration::from_secs(10));
    assert_eq!((cached(&pods), pods.status().freshness), (vec!["n/a@14".into(), "n/b@13".into()], Freshness::Live));
    assert_eq!(pods.status().lists, 3);
}

#[test]
fn undecodable_event_of_a_named_object_is_skipped() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (_observer, errors) = errors(&pods);
    send_line(&feed, r#"{"type":"MODIFIED","object":{"metadata":{"namespace":"n","name":"a","uid":5}}}"#);
    send(&feed, &["+n/b@11"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@11"]);
    assert_eq!((pods.status().dropped_events, pods.status().lists, errors.borrow().len()), (1, 1, 1));
    assert_eq!(pods.status().freshness, Freshness::Live);
}

#[test]
fn wat_17_event_with_a_failing_transform_is_skipped() {
    let world = World::new();
    let transform: TransformFunc<Object> = Rc::new(|object| match object.name() {
        "b" => Err(InformerError::new(ErrorCode::Internal, "b is not wanted")),
        _ => Ok(()),
    });
    world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = world.watch();
    let options = SharedInformerOptions { transform: Some(transform), ..SharedInformerOptions::default() };
    let pods = world.pods_with(options);
    let (_observer, errors) = errors(&pods);
    world.settle();
    send(&feed, &["+n/b@11", "+n/c@12"]);
    world.settle();
    assert_eq!((cached(&pods), errors.borrow().len()), (vec!["n/a@1".into(), "n/c@12".into()], 1));
    assert_eq!(pods.status().lists, 1);
}

#[test]
fn wat_24_blank_lines_and_all_line_ends_are_ignored() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &[]);
    for line in ["", "   ", "\r", "\t\r"] {
        send_line(&feed, line);
    }
    send_line(&feed, &format!("{{\"type\":\"ADDED\",\"object\":{}}}\r", object("n/a@11")));
    world.settle();
    assert_eq!((cached(&pods), pods.status().dropped_events), (vec!["n/a@11".to_owned()], 0));
}

#[test]
fn wat_25_cache_decides_the_kind_of_a_change() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    let (log, _registration) = world.listen(&pods);
    send(&feed, &["~n/b@11", "+n/a@12", "-n/unknown@13", "-n/b@14"]);
    world.settle();
    assert_eq!(log.take(), ["+n/b@11", "~n/a@1>12", "-n/b@14"]);
    assert_eq!(pods.status().resource_version, "14");
}

#[test]
fn cache_above_the_byte_limit_fails_and_keeps_its_objects() {
    let three = World::new().synced(3, &["n/a@1", "n/b@2", "n/c@3"]).0.status().bytes;
    let world = World::with(ReflectorOptions { max_bytes: three + three / 6, ..ReflectorOptions::default() });
    let (pods, feed) = world.synced(2, &["n/a@1", "n/b@2"]);
    send(&feed, &["+n/c@3", "-n/b@4", "+n/d@5"]);
    world.settle();
    assert_eq!(pods.status().phase, Phase::Watching, "as much as there may be");
    send(&feed, &["+n/e@6"]);
    world.settle();
    let status = pods.status();
    assert_eq!((status.phase, feed.is_closed()), (Phase::Failed, true));
    assert_eq!(status.last_error.map(|error| error.code), Some(ErrorCode::BadRequest));
    assert_eq!(cached(&pods).len(), 4, "what is cached is shown still");
}
