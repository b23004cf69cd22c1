//! Ports: sharing, release and rejection.

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, Phase};
use informer_engine::engine::LINGER;
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, Read, ToEngine, ViewOptions};

use super::{Page, add_event_handler, patches};
use crate::harness::{list, send};

#[test]
fn two_pages_share_one_watch_and_the_last_one_closes_it() {
    let mut page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.received();
    let first = page.session.take();
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost/".into(), persist: false });
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    assert_eq!(patches(page.received()), [(1, vec!["0 n/a".into()])]);
    assert_eq!(page.world.requests().len(), 2, "one list and one watch for both");
    first.expect("open").receive(ToEngine::Close);
    page.received();
    assert!(!feed.is_closed());
    page.session = None;
    page.world.pass(LINGER * 2);
    assert!(feed.is_closed(), "a port that is gone releases it too");
}

#[test]
fn one_informer_starts_without_the_others() {
    let page = Page::new();
    page.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = page.world.watch();
    let named = |namespace: &str| InformerOptions { namespace: Some(namespace.into()), ..InformerOptions::default() };
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: named("waits") });
    page.send(ToEngine::Informer { informer: 2, resource: "v1/pods".into(), options: named("n") });
    page.send(ToEngine::StartOne { informer: 2 });
    let synced = |messages: Vec<FromEngine>| {
        let of = |message| match message {
            FromEngine::Status { informer, status } if status.has_synced => Some(informer),
            _ => None,
        };
        messages.into_iter().filter_map(of).next_back()
    };
    assert_eq!(synced(page.received()), Some(2));
    assert_eq!(page.world.requests().len(), 2, "one list and one watch");
    assert!(!feed.is_closed());
}

#[test]
fn the_status_and_the_error_event_have_the_error() {
    let page = Page::new();
    page.world.transport.reply(Reply::Refused);
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    let messages = page.received();
    let errors = messages.iter().filter(|m| matches!(m, FromEngine::Error { informer: 1, .. })).count();
    let status = messages.iter().rev().find_map(|message| match message {
        FromEngine::Status { status, .. } => Some(status.clone()),
        _ => None,
    });
    assert_eq!((errors, status.expect("sent").freshness), (1, Freshness::Disconnected));
    page.world.transport.reply(Reply::json(list(10, &[])));
    let _feed = page.world.watch();
    page.send(ToEngine::Wake);
    let live = |m: &FromEngine| matches!(m, FromEngine::Status { status, .. } if status.freshness == Freshness::Live);
    assert!(page.received().iter().any(live));
}

#[test]
fn invalid_requests_are_rejected_with_a_reason() {
    let refusal = |message: ToEngine| {
        let mut page = Page::new();
        page.reload();
        page.send(message);
        match page.received().pop() {
            Some(FromEngine::Refused { error }) => error.message,
            other => panic!("{other:?}"),
        }
    };
    assert!(refusal(ToEngine::Connect { version: 999, server: "".into(), persist: false }).contains("reload"));
    assert!(refusal(ToEngine::Start).contains("connect"));
    let mut page = Page::new();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://elsewhere".into(), persist: false });
    assert!(matches!(page.received()[..], [FromEngine::Refused { .. }]));
    page.session = None;
}

#[test]
fn invalid_option_rejects_its_informer_only() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    page.received();
    let namespaced =
        |namespace: &str| InformerOptions { namespace: Some(namespace.into()), ..InformerOptions::default() };
    for (resource, options) in [("nonsense", InformerOptions::default()), ("v1/pods", namespaced("../x"))] {
        page.send(ToEngine::Informer { informer: 2, resource: resource.into(), options });
        match &page.received()[..] {
            [FromEngine::Error { informer: 2, error }, FromEngine::Status { informer: 2, status }] => {
                assert_eq!((error.code, status.phase), (ErrorCode::BadRequest, Phase::Failed));
            }
            other => panic!("{other:?}"),
        }
    }
    send(&feed, &["+n/b@11"]);
    assert_eq!(patches(page.received()), [(2, vec!["1 n/b".into()])]);
}

#[test]
fn reused_id_releases_its_former_informer() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.send(add_event_handler(1, 2));
    page.send(add_event_handler(1, 2));
    page.received();
    send(&feed, &["+n/b@11"]);
    let changes =
        |messages: Vec<FromEngine>| messages.iter().filter(|m| matches!(m, FromEngine::Changes { .. })).count();
    assert_eq!(changes(page.received()), 1);
    page.world.transport.reply(Reply::json(list(20, &["n/z@1"])));
    let _other = page.world.watch();
    let options = InformerOptions { namespace: Some("n".into()), ..InformerOptions::default() };
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
    page.send(ToEngine::Start);
    page.world.pass(LINGER * 2);
    assert!(feed.is_closed(), "the first informer was released");
}

#[test]
fn each_page_starts_its_own_informers() {
    let mut page = Page::new();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    let first = page.session.take();
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost".into(), persist: false });
    page.send(ToEngine::Informer { informer: 1, resource: "v1/nodes".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    assert_eq!(page.world.requests(), ["list nodes limit=500"]);
    drop(first);
}

#[test]
fn messages_about_unknown_ids_have_no_effect() {
    let page = Page::new();
    for message in [
        ToEngine::Stop { informer: 8 },
        ToEngine::SetWindow { view: 8, start: 5, end: 1 },
        ToEngine::CloseView { view: 8 },
        ToEngine::Unfollow { follow: 8 },
        ToEngine::RemoveEventHandler { handler: 8 },
        add_event_handler(8, 1),
        ToEngine::OpenView { view: 1, informer: 8, query_id: 1, options: ViewOptions::default() },
        ToEngine::Wake,
    ] {
        page.send(message);
    }
    assert!(page.received().is_empty());
    page.send(ToEngine::Read { request: 1, informer: 8, read: Read::ListKeys });
    assert!(matches!(page.received()[..], [FromEngine::Failed { request: 1, .. }]));
}
