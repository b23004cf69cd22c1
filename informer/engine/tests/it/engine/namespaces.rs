//! Namespace fallback: if a cluster-wide list is forbidden, the engine lists and watches each permitted namespace.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, InformerStatus};
use informer_engine::message::{FromEngine, InformerOptions, Read, ToEngine};
use serde_json::json;

use super::Page;
use crate::harness::{Feed, list, page as list_page, send, send_line, status};

fn forbidden(page: &Page) {
    page.world.transport.reply(status(403, "Forbidden", "pods is forbidden: cannot list at the cluster scope"));
}

/// Replies with the names of namespaces, in pages separated by bars.
fn namespaces(page: &Page, pages: &str) {
    let pages: Vec<&str> = pages.split('|').collect();
    for (number, names) in pages.iter().enumerate() {
        let token = if number + 1 < pages.len() { "more" } else { "" };
        let items: Vec<_> = names.split_whitespace().map(|name| json!({ "metadata": { "name": name } })).collect();
        let kind = "PartialObjectMetadataList";
        let list = json!({ "kind": kind, "metadata": { "resourceVersion": "9", "continue": token }, "items": items });
        page.world.transport.reply(Reply::json(list.to_string()));
    }
}

fn start(page: &Page, options: InformerOptions) {
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
    page.send(ToEngine::Start);
}

fn last_status(page: &Page) -> InformerStatus {
    let status = |message| match message {
        FromEngine::Status { informer: 1, status } => Some(status),
        _ => None,
    };
    page.received().into_iter().rev().find_map(status).expect("a status")
}

fn keys(page: &Page) -> serde_json::Value {
    page.world.settle();
    page.read(Read::ListKeys).expect("read")
}

/// Three namespaces; shop and bank are permitted, with one pod each, and are watched.
fn two_of_three() -> (Page, [Feed; 2]) {
    let page = Page::new();
    forbidden(&page);
    namespaces(&page, "shop bank|mill");
    page.world.transport.reply(Reply::json(list(10, &["shop/a@1"])));
    page.world.transport.reply(Reply::json(list(12, &["bank/b@2"])));
    forbidden(&page);
    let feeds = [page.world.watch(), page.world.watch()];
    start(&page, InformerOptions::default());
    (page, feeds)
}

#[test]
fn permitted_namespaces_are_live_and_named() {
    let (page, feeds) = two_of_three();
    let status = last_status(&page);
    assert_eq!((status.freshness, status.last_error), (Freshness::Live, None));
    assert_eq!(status.namespaces, ["shop", "bank"]);
    assert_eq!(keys(&page), json!(["bank/b", "shop/a"]));
    assert_eq!(
        page.world.requests(),
        [
            "list pods limit=500",
            "list namespaces limit=500",
            "list namespaces limit=500 continue=more",
            "list pods limit=500",
            "list pods limit=500",
            "list pods limit=500",
            "watch pods resourceVersion=10",
            "watch pods resourceVersion=12"
        ]
    );
    send(&feeds[0], &["+shop/c@20"]);
    send(&feeds[1], &["-bank/b@21"]);
    assert_eq!(keys(&page), json!(["shop/a", "shop/c"]));
}

#[test]
fn after_the_end_of_one_watch_all_resume_from_their_own_versions() {
    let (page, [shop, bank]) = two_of_three();
    last_status(&page);
    // The newer version of bank must not be used for shop.
    send(&bank, &["+bank/c@50"]);
    page.world.settle();
    namespaces(&page, "shop bank mill");
    let _resumed = [page.world.watch(), page.world.watch()];
    drop(shop);
    page.world.pass(Duration::from_secs(2));
    let requests = page.world.requests();
    assert_eq!(requests[9..], ["watch pods resourceVersion=10", "watch pods resourceVersion=50"]);
    assert!(bank.is_closed());
}

#[test]
fn undelivered_events_are_requested_again() {
    let (page, [shop, bank]) = two_of_three();
    last_status(&page);
    namespaces(&page, "shop bank mill");
    let _resumed = [page.world.watch(), page.world.watch()];
    // The server ends the watch with 429, and a bookmark follows in the same chunk.
    send_line(
        &shop,
        concat!(
            r#"{"type":"ERROR","object":{"kind":"Status","code":429,"reason":"TooManyRequests"}}"#,
            "\n",
            r#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"99"}}}"#
        ),
    );
    page.world.pass(Duration::from_secs(5));
    assert_eq!(page.world.requests()[9..], ["watch pods resourceVersion=10", "watch pods resourceVersion=12"]);
    drop(bank);
}

#[test]
fn silent_watch_is_detected_by_the_bookmarks_of_the_others() {
    let (page, [shop, bank]) = two_of_three();
    last_status(&page);
    namespaces(&page, "shop bank mill");
    let resumed = [page.world.watch(), page.world.watch()];
    for minute in 0..8 {
        send(&bank, &[&format!("bookmark@{}", 20 + minute)]);
        page.world.pass(Duration::from_secs(1));
        if shop.is_closed() {
            assert!((2..5).contains(&minute), "{minute}");
            send(&resumed[0], &["+shop/c@90"]);
            return assert_eq!(keys(&page), json!(["bank/b", "shop/a", "shop/c"]));
        }
    }
    panic!("the silent watch was not suspected");
}

#[test]
fn time_shared_namespaces_are_polled_without_delaying_others() {
    let page = Page::with_transport(|http, clock| Rc::new(Budget::new(http, None, clock, BudgetOptions::default())));
    let mut feeds = Vec::new();
    for _ in 0..3 {
        forbidden(&page);
        namespaces(&page, "a b c d e");
        for name in ["a", "b", "c", "d", "e"] {
            page.world.transport.reply(Reply::json(list(10, &[&format!("{name}/p@1")])));
        }
        feeds.extend((0..4).map(|_| page.world.watch()));
    }
    start(&page, InformerOptions::default());
    page.world.pass(Duration::from_secs(10));
    let status = last_status(&page);
    assert_eq!((status.freshness, status.objects), (Freshness::Polling, 5));
    assert!(status.last_error.expect("an error").message.contains("not enough connections to watch 5 namespaces"));
    assert!(feeds[..8].iter().all(Feed::is_closed), "none of them holds a connection");
}

#[test]
fn event_without_a_version_resets_no_watch() {
    let (page, [shop, _bank]) = two_of_three();
    last_status(&page);
    send_line(&shop, r#"{"type":"ADDED","object":{"metadata":{"name":"x","namespace":"shop"}}}"#);
    page.world.pass(Duration::from_secs(2));
    namespaces(&page, "shop bank mill");
    let _resumed = [page.world.watch(), page.world.watch()];
    drop(shop);
    page.world.pass(Duration::from_secs(2));
    assert_eq!(page.world.requests()[9..], ["watch pods resourceVersion=10", "watch pods resourceVersion=12"]);
}

#[test]
fn permitted_namespaces_are_searched_again_after_a_temporary_error() {
    let page = Page::new();
    for _ in 0..3 {
        forbidden(&page);
        page.world.transport.reply(status(429, "TooManyRequests", "later"));
    }
    forbidden(&page);
    namespaces(&page, "shop");
    page.world.transport.reply(Reply::json(list(10, &["shop/a@1"])));
    let _feed = page.world.watch();
    start(&page, InformerOptions::default());
    page.world.pass(Duration::from_secs(30));
    assert_eq!(last_status(&page).namespaces, ["shop"], "{:?}", page.world.requests());
    assert_eq!(page.world.requests()[..8], ["list pods limit=500", "list namespaces limit=500"].repeat(4), "each time");
}

#[test]
fn new_namespace_is_found_when_the_watches_resume() {
    let (page, [shop, _bank]) = two_of_three();
    last_status(&page);
    namespaces(&page, "bank mill moor shop");
    // The list contains a new namespace, so permissions are probed again.
    forbidden(&page);
    namespaces(&page, "bank mill moor shop");
    page.world.transport.reply(Reply::json(list(20, &["bank/b@2"])));
    forbidden(&page);
    page.world.transport.reply(Reply::json(list(20, &["moor/m@15"])));
    page.world.transport.reply(Reply::json(list(20, &["shop/a@1"])));
    let _watches = [page.world.watch(), page.world.watch(), page.world.watch()];
    page.world.pass(Duration::from_secs(2));
    drop(shop);
    page.world.pass(Duration::from_secs(5));
    let status = last_status(&page);
    assert_eq!(
        (status.freshness, status.namespaces),
        (Freshness::Live, ["bank", "moor", "shop"].map(Into::into).to_vec())
    );
    assert_eq!(keys(&page), json!(["bank/b", "moor/m", "shop/a"]));
}

#[test]
fn forbidden_list_of_namespaces_keeps_the_known_ones() {
    let (page, [shop, _bank]) = two_of_three();
    last_status(&page);
    forbidden(&page);
    let _resumed = [page.world.watch(), page.world.watch()];
    page.world.pass(Duration::from_secs(2));
    drop(shop);
    page.world.pass(Duration::from_secs(5));
    assert_eq!(last_status(&page).freshness, Freshness::Live);
    assert_eq!(page.world.requests()[9..], ["watch pods resourceVersion=10", "watch pods resourceVersion=12"]);
}

#[test]
fn granted_or_revoked_permission_takes_effect_at_the_next_list() {
    let (page, [shop, bank]) = two_of_three();
    last_status(&page);
    page.world.transport.reply(Reply::json(list(60, &["shop/a@1", "mill/m@3"])));
    let feed = page.world.watch();
    send(&shop, &["error@410"]);
    page.world.pass(Duration::from_secs(3));
    assert_eq!((last_status(&page).namespaces, keys(&page)), (Vec::<String>::new(), json!(["mill/m", "shop/a"])));
    forbidden(&page);
    namespaces(&page, "shop bank mill");
    forbidden(&page);
    forbidden(&page);
    page.world.transport.reply(Reply::json(list(70, &["mill/m@3"])));
    let _mill = page.world.watch();
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_secs(5));
    assert_eq!((last_status(&page).namespaces, keys(&page)), (vec!["mill".to_owned()], json!(["mill/m"])));
    drop(bank);
}

#[test]
fn without_permitted_namespaces_the_search_backs_off() {
    let page = Page::new();
    let names = (0..30).map(|number| format!("n{number}")).collect::<Vec<_>>().join(" ");
    for refusal in 1..=16_u32 {
        forbidden(&page);
        if refusal.is_power_of_two() {
            namespaces(&page, &names);
            (0..30).for_each(|_| forbidden(&page));
        }
    }
    start(&page, InformerOptions::default());
    page.world.pass(Duration::from_secs(60));
    let status = last_status(&page);
    assert_eq!(status.last_error.expect("an error").message, "pods is forbidden: cannot list at the cluster scope");
    assert_eq!((status.freshness, status.namespaces), (Freshness::Forbidden, Vec::new()));
    let of_namespaces = page.world.requests().iter().filter(|request| request.starts_with("list namespaces")).count();
    let of_all = page.world.requests().len() - 31 * of_namespaces;
    assert_eq!(of_namespaces, of_all.ilog2() as usize + 1, "of {of_all}");
    assert!(of_all > 4);
}

#[test]
fn without_any_remaining_permission_the_search_restarts() {
    let (page, [shop, _bank]) = two_of_three();
    last_status(&page);
    for refusal in 0..=16_u32 {
        forbidden(&page);
        if refusal == 0 || refusal.is_power_of_two() {
            namespaces(&page, "shop bank mill");
            (0..3).for_each(|_| forbidden(&page));
        }
    }
    send(&shop, &["error@410"]);
    page.world.pass(Duration::from_secs(60));
    assert_eq!(last_status(&page).freshness, Freshness::Forbidden);
    let requests = &page.world.requests()[8..];
    let of_namespaces = requests.iter().filter(|request| request.starts_with("list namespaces")).count();
    let of_all = requests.len() - 4 * of_namespaces;
    assert!(of_all > 4, "{requests:?}");
    assert_eq!(of_namespaces, (of_all - 1).ilog2() as usize + 2, "of {of_all}");
}

#[test]
fn cluster_scoped_resources_and_single_namespaces_are_forbidden_at_once() {
    let page = Page::new();
    forbidden(&page);
    namespaces(&page, "shop bank");
    page.world.transport.reply(status(404, "NotFound", "the server could not find the requested resource"));
    start(&page, InformerOptions::default());
    assert_eq!(last_status(&page).last_error.expect("an error").code, ErrorCode::Forbidden);
    assert_eq!(page.world.requests().len(), 3);

    let page = Page::new();
    forbidden(&page);
    start(&page, InformerOptions { namespace: Some("shop".into()), ..InformerOptions::default() });
    assert_eq!(last_status(&page).freshness, Freshness::Forbidden);
    assert_eq!(page.world.requests(), ["list pods limit=500"]);
}

#[test]
fn too_many_namespaces_are_not_listed_one_by_one() {
    let page = Page::new();
    let names: Vec<String> = (0..101).map(|number| format!("n{number}")).collect();
    forbidden(&page);
    namespaces(&page, &names.join(" "));
    start(&page, InformerOptions::default());
    assert_eq!(last_status(&page).freshness, Freshness::Forbidden);
    assert_eq!(page.world.requests().len(), 2);
}

#[test]
fn selectors_and_pages_apply_to_each_namespace() {
    let page = Page::new();
    forbidden(&page);
    namespaces(&page, "shop");
    page.world.transport.reply(Reply::json(list_page(10, &["shop/a@1"], "next")));
    page.world.transport.reply(Reply::json(list_page(10, &["shop/b@2"], "")));
    let _feed = page.world.watch();
    start(&page, InformerOptions { label_selector: Some("app=web".into()), ..InformerOptions::default() });
    assert_eq!(last_status(&page).namespaces, ["shop"]);
    assert_eq!(keys(&page), json!(["shop/a", "shop/b"]));
    let paths = page.world.transport.paths();
    let of_pods: BTreeSet<&str> = paths[2..].iter().filter_map(|path| path.split('?').next()).collect();
    assert_eq!(of_pods.into_iter().collect::<Vec<_>>(), ["/api/v1/namespaces/shop/pods"]);
    assert!(paths[2..].iter().all(|path| path.contains("labelSelector=app%3Dweb")), "{paths:?}");
}
