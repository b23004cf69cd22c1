//! Lists: requested versions, pages, and retries after failures (scenarios LST and PAG).

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use futures::executor::block_on;
use futures::future::LocalBoxFuture;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::Reply;
use informer::{
    ErrorCode, Freshness, ListOptions, ListPage, ListerWatcher, Object, Phase, ReflectorOptions, Result,
    SharedInformer, WatchOptions, WatchStream,
};

use crate::harness::{Feed, Log, World, cached, errors, list, object, page, send, status};

/// Ends a watch with an error that requires a list, and advances the time to that list.
fn relist(world: &World, pods: &SharedInformer<Object>, feed: &Feed) {
    send(feed, &["error@500"]);
    world.settle();
    world.retry(pods);
}

#[test]
fn lst_01_first_list_requests_version_0_and_the_watch_continues_from_it() {
    let world = World::new();
    let (_pods, _feed) = world.synced(10, &["n/a@1"]);
    let paths = world.transport.paths();
    let [list, watch] = paths.as_slice() else { panic!("{paths:?}") };
    assert_eq!(list, "/api/v1/pods?pretty=false&limit=500&resourceVersion=0");
    assert!(watch.contains("watch=true&allowWatchBookmarks=true&timeoutSeconds="), "{watch}");
    assert!(watch.ends_with("&resourceVersion=10"), "{watch}");
    assert!(!watch.contains("sendInitialEvents") && !watch.contains("resourceVersionMatch"), "{watch}");
}

#[test]
fn a_list_in_pages_then_a_watch_from_its_version() {
    let world = World::new();
    world.transport.reply(Reply::json(page(10, &["n/a@1", "n/b@2"], "c1")));
    world.transport.reply(Reply::json(page(10, &["n/c@3"], "")));
    let _feed = world.watch();
    let pods = world.pods();
    world.settle();
    assert_eq!(cached(&pods), ["n/a@1", "n/b@2", "n/c@3"]);
    assert_eq!(
        world.requests(),
        ["list pods limit=500 resourceVersion=0", "list pods limit=2000 continue=c1", "watch pods resourceVersion=10"]
    );
}

#[test]
fn an_open_watch_is_not_live_before_the_first_list_is_in_the_cache() {
    for options in [
        ReflectorOptions::default(),
        ReflectorOptions { populate_by_page: true, ..ReflectorOptions::default() },
        ReflectorOptions { page_size: Some(1), populate_by_page: true, ..ReflectorOptions::default() },
    ] {
        let world = World::new();
        world.transport.reply(Reply::json(page(10, &["n/a@1"], "c1"))).reply(Reply::json(page(10, &["n/b@2"], "")));
        let _feed = world.watch();
        let pods = world.pods_with(options);
        let (looked, live) = (pods.clone(), Rc::<RefCell<Vec<(bool, u64)>>>::default());
        let seen = Rc::clone(&live);
        let _observer = pods.observe(move |_| {
            let status = looked.status();
            if status.freshness == Freshness::Live {
                seen.borrow_mut().push((status.has_synced, status.objects));
            }
        });
        world.settle();
        let live = live.borrow();
        assert!(!live.is_empty() && live.iter().all(|seen| *seen == (true, 2)), "{live:?}");
    }
}

#[test]
fn lst_02_lst_08_relist_requests_at_least_the_last_version_in_full() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    relist(&world, &pods, &feed);
    assert_eq!(world.lists(), ["limit=500 resourceVersion=0", "resourceVersion=10"]);
}

#[test]
fn lst_04_newest_is_requested_once_then_versions_again() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.transport.reply(status(410, "Expired", "too old")).reply(Reply::json(list(11, &["n/a@1"])));
    let feed = (feed, world.watch());
    relist(&world, &pods, &feed.0);
    assert_eq!(pods.status().phase, Phase::Watching, "at once, without another wait");
    relist(&world, &pods, &feed.1);
    assert_eq!(world.lists(), ["limit=500 resourceVersion=0", "resourceVersion=10", "limit=500", "resourceVersion=11"]);
}

#[test]
fn lst_05_too_large_version_is_dropped_in_every_form_of_the_error() {
    let world = World::new();
    let (pods, mut feed) = world.synced(20, &["n/a@1"]);
    let said = [
        r#""details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}"#,
        r#""details":{"causes":[{"message":"Too large resource version"}]}"#,
        r#""message":"Too large resource version: 40, current: 30""#,
    ];
    for (round, words) in (3u32..).zip(said) {
        let body = format!(r#"{{"kind":"Status","code":504,"reason":"Timeout",{words}}}"#);
        world.transport.reply(Reply::status(504, body)).reply(Reply::json(list(round * 10, &["n/a@1"])));
        let next = world.watch();
        relist(&world, &pods, &feed);
        feed = next;
    }
    let versions: Vec<String> = world.lists().iter().map(|request| request.replace("limit=500", "newest")).collect();
    let expected = [
        "newest resourceVersion=0",
        "resourceVersion=20",
        "newest",
        "resourceVersion=30",
        "newest",
        "resourceVersion=40",
        "newest",
    ];
    assert_eq!(versions, expected);
    assert_eq!(pods.status().resource_version, "50");
}

#[test]
fn lst_06_newest_is_requested_until_a_list_succeeds() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.transport.reply(status(410, "Expired", "too old"));
    world.transport.reply(status(503, "ServiceUnavailable", "not now"));
    world.transport.reply(Reply::json(list(30, &["n/b@25"])));
    let _next = world.watch();
    relist(&world, &pods, &feed);
    assert_eq!(pods.status().phase, Phase::Reconnecting);
    world.retry(&pods);
    assert_eq!(world.lists()[1..], ["resourceVersion=10", "limit=500", "limit=500"]);
    assert_eq!(cached(&pods), ["n/b@25"]);
}

#[test]
fn lst_07_configured_page_size_applies_with_a_version_too() {
    let world = World::with(ReflectorOptions { page_size: Some(4), ..ReflectorOptions::default() });
    let (pods, feed) = world.synced(10, &[]);
    let objects: Vec<String> = (0..10).map(|n| format!("n/{n}@{n}")).collect();
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    for (items, token) in objects.chunks(4).zip(["C1", "C2", ""]) {
        world.transport.reply(Reply::json(page(20, items, token)));
    }
    let _next = world.watch();
    relist(&world, &pods, &feed);
    assert_eq!(world.lists()[1..], ["limit=4 resourceVersion=10", "limit=4 continue=C1", "limit=4 continue=C2"]);
    assert_eq!((cached(&pods).len(), pods.status().resource_version.as_str()), (10, "20"));
}

#[test]
fn lst_11_request_of_a_later_page_has_only_limit_and_token() {
    let world = World::new();
    world.transport.reply(Reply::json(page(10, &["n/a@1"], "c=1")));
    let _pods = world.pods();
    world.settle();
    assert_eq!(world.transport.paths()[1], "/api/v1/pods?pretty=false&limit=2000&continue=c%3D1");
}

#[test]
fn lst_12_a_list_that_fails_is_reported_once_and_nothing_else_happens() {
    let world = World::new();
    world.transport.reply(status(403, "Forbidden", "Access Denied"));
    let pods = world.pods();
    let (log, (_observer, errors)) = (Log::default(), errors(&pods));
    let _registration = pods.add_event_handler(log.clone()).expect("not stopped");
    world.settle();
    let said: Vec<String> = errors.borrow().iter().map(|error| error.message().to_owned()).collect();
    assert_eq!((said, world.requests().len()), (vec!["Access Denied".to_owned()], 1));
    assert_eq!((pods.has_synced(), cached(&pods).len(), log.take().len()), (false, 0, 0));
}

#[test]
fn lst_13_lst_20_table_and_relist_without_a_version_are_rejected() {
    let whole = list(10, &["n/b@2"]);
    for body in [
        r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"columnDefinitions":[],"rows":[]}"#.to_owned(),
        whole.replace(r#""resourceVersion":"10","#, r#""resourceVersion":"0","#),
        whole.replace(r#""resourceVersion":"10","#, ""),
    ] {
        let world = World::new();
        let (pods, feed) = world.synced(5, &["n/a@1"]);
        world.transport.reply(Reply::json(body.clone()));
        relist(&world, &pods, &feed);
        assert_eq!(pods.status().last_error.map(|error| error.code), Some(ErrorCode::Decode), "{body}");
        assert_eq!((cached(&pods), world.requests().len()), (vec!["n/a@1".to_owned()], 3), "{body}");
        assert_eq!(pods.status().resource_version, "5");
    }
}

#[test]
fn lst_14_list_in_flight_at_a_stop_is_discarded() {
    let world = World::new();
    let (body, reply) = Reply::stream();
    world.transport.reply(reply);
    let pods = world.pods();
    let (_observer, errors) = errors(&pods);
    let text = list(10, &["n/a@1"]).into_bytes();
    body.unbounded_send(Ok(text[..40].to_vec())).expect("open");
    world.settle();
    pods.stop();
    world.settle();
    assert!(body.unbounded_send(Ok(text[40..].to_vec())).is_err(), "the answer is not waited for any more");
    assert_eq!((pods.status().phase, cached(&pods).len(), errors.borrow().len()), (Phase::Stopped, 0, 0));
}

#[test]
fn lst_14_stopping_between_two_pages_discards_both() {
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
fn lst_15_panic_of_a_source_reaches_its_executor() {
    struct Panics;
    impl ListerWatcher for Panics {
        type Object = Object;
        fn list(&self, _: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<Object>>> {
            Box::pin(async { panic!("out of order") })
        }
        fn watch(&self, _: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<Object>>> {
            Box::pin(async { panic!("out of order") })
        }
    }
    let informer = SharedInformer::new(Rc::new(VirtualClock::new()), ReflectorOptions::default());
    let panic = catch_unwind(AssertUnwindSafe(|| block_on(informer.run(Panics)))).expect_err("it surfaces");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"out of order"));
}

#[test]
fn lst_18_pages_of_the_newest_do_not_affect_lists_at_a_version() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1"]);
    world.transport.reply(status(410, "Expired", "too old"));
    world.transport.reply(Reply::json(page(20, &["n/a@1"], "c"))).reply(Reply::json(page(20, &["n/b@2"], "")));
    let next = world.watch();
    relist(&world, &pods, &feed);
    relist(&world, &pods, &next);
    assert_eq!(world.lists()[1..], ["resourceVersion=10", "limit=500", "limit=2000 continue=c", "resourceVersion=20"]);
}

#[test]
fn lst_19_expired_first_page_is_requested_at_the_newest_version() {
    let world = World::new();
    world.transport.reply(status(410, "Expired", "too old")).reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = world.watch();
    let pods = world.pods();
    world.settle();
    assert_eq!(world.lists(), ["limit=500 resourceVersion=0", "limit=500"]);
    assert_eq!(cached(&pods), ["n/a@1"]);
}

#[test]
fn lst_21_items_of_a_list_are_of_the_kind_of_the_list() {
    let world = World::new();
    let bare = list(10, &["n/a@1"]).replace(r#"{"kind":"Pod","apiVersion":"v1","metadata""#, r#"{"metadata""#);
    world.transport.reply(Reply::json(bare));
    let pods = world.pods();
    world.settle();
    let indexer = pods.indexer();
    assert_eq!(indexer.get_by_key("n/a").expect("cached").json(), object("n/a@1"));
}

/// Scripts the responses of a server with ten objects per page.
fn in_tens(world: &World, objects: usize) {
    let specs: Vec<String> = (0..objects).map(|n| format!("n/{n}@{n}")).collect();
    let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
    let mut pages: Vec<&[&str]> = specs.chunks(10).collect();
    if pages.is_empty() {
        pages.push(&[]);
    }
    for (number, items) in (0..).zip(&pages) {
        let token = if number + 1 == pages.len() { String::new() } else { format!("c{number}") };
        // Each page has a later version than the previous one.
        let version = 10 + u32::try_from(number).expect("few");
        world.transport.reply(Reply::json(page(version, items, &token)));
    }
}

#[test]
fn pag_01_pages_have_the_version_of_the_first_and_reveal_a_paging_server() {
    for (objects, pages) in [(0, 1), (9, 1), (10, 1), (11, 2), (21, 3)] {
        let world = World::new();
        in_tens(&world, objects);
        let feed = world.watch();
        let pods = world.pods();
        world.settle();
        assert_eq!((cached(&pods).len(), world.lists().len()), (objects, pages));
        assert_eq!(world.requests().last().map(String::as_str), Some("watch pods resourceVersion=10"));
        // A server that pages at version "0" has no watch cache, so pages at a version are not more expensive.
        relist(&world, &pods, &feed);
        let expected = if pages > 1 { "limit=500 resourceVersion=10" } else { "resourceVersion=10" };
        assert_eq!(world.lists().last().map(String::as_str), Some(expected), "{objects} objects");
    }
}

#[test]
fn pag_02_expired_page_token_falls_back_to_one_full_list() {
    let world = World::new();
    world.transport.reply(Reply::json(page(10, &["n/a@1", "n/b@2"], "c")));
    world.transport.reply(status(410, "Expired", "the token is too old"));
    world.transport.reply(Reply::json(list(12, &["n/a@1", "n/c@11"])));
    let _feed = world.watch();
    let pods = world.pods();
    world.settle();
    assert_eq!(world.lists(), ["limit=500 resourceVersion=0", "limit=2000 continue=c", "resourceVersion=0"]);
    assert_eq!((cached(&pods), pods.status().resource_version.as_str()), (vec!["n/a@1".into(), "n/c@11".into()], "12"));
}

#[test]
fn pag_03_server_that_ignores_the_limit_returns_a_complete_list() {
    let world = World::with(ReflectorOptions { page_size: Some(2), ..ReflectorOptions::default() });
    let (pods, _feed) = world.synced(10, &["n/a@1", "n/b@2", "n/c@3"]);
    assert_eq!((cached(&pods).len(), world.lists()), (3, vec!["limit=2 resourceVersion=0".to_owned()]));
}

#[test]
fn krs_23_undecodable_item_is_skipped_and_reported() {
    let world = World::new();
    let body = list(10, &["n/a@1", "n/b@2", "n/c@3"]).replace(r#""resourceVersion":"2""#, r#""resourceVersion":2"#);
    world.transport.reply(Reply::json(body));
    let _feed = world.watch();
    let pods = world.pods();
    let (_observer, errors) = errors(&pods);
    world.settle();
    assert_eq!((cached(&pods), pods.status().dropped_events), (vec!["n/a@1".into(), "n/c@3".into()], 1));
    let said: Vec<String> = errors.borrow().iter().map(|error| error.message().to_owned()).collect();
    assert!(said.len() == 1 && said[0].contains("n/b"), "{said:?}");
}

#[test]
fn cached_object_stays_if_a_relist_cannot_decode_it() {
    let world = World::new();
    let (pods, feed) = world.synced(10, &["n/a@1", "n/b@2", "n/c@3"]);
    let (log, _registration) = world.listen(&pods);
    let half_read = r#"{"metadata":{"name":"a","namespace":"n","resourceVersion":5}}"#;
    let readable = list(20, &["n/b@2"]);
    let start = readable.strip_suffix("]}").expect("a list");
    world.transport.reply(Reply::json(format!("{start},{half_read}]}}")));
    let next = world.watch();
    relist(&world, &pods, &feed);
    assert_eq!((cached(&pods), log.take()), (vec!["n/a@1".into(), "n/b@2".into()], vec!["-n/c@3?".into()]));
    assert_eq!(pods.status().dropped_events, 1);
    send(&next, &["~n/a@21"]);
    world.settle();
    assert_eq!(log.take(), ["~n/a@1>21"]);
}
