//! Sharing between ports, also after earlier users have left, and the requests to the server.

use informer::transport::scripted::Reply;
use informer_engine::engine::LINGER;
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine, ViewOptions};

use super::printer_columns::{definition_text, things};
use super::{Page, patches};
use crate::harness::{list, page as list_page};

fn connect(page: &mut Page) {
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost".into(), persist: false });
}

fn pods(page: &Page) {
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
}

#[test]
fn ports_share_a_server_and_informers_after_others_have_left() {
    let mut page = Page::new();
    let _feed = page.pods(&["n/a@1"]);
    page.received();
    page.session = None;
    page.world.pass(LINGER * 2);
    // No part of the first one remains.
    page.world.transport.reply(Reply::json(list(20, &["n/a@1"])));
    let _next = page.world.watch();
    connect(&mut page);
    let before = (page.connected.get(), page.world.requests().len());
    pods(&page);
    page.received();
    let second = page.session.take();
    connect(&mut page);
    pods(&page);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    assert_eq!(patches(page.received()), [(1, vec!["0 n/a".into()])]);
    assert_eq!((page.connected.get(), page.world.requests().len()), (before.0, before.1 + 2), "one list and one watch");
    drop(second);
}

#[test]
fn indexes_are_shared_after_others_have_left() {
    let mut page = Page::new();
    let by_node = || ToEngine::AddIndexers {
        request: 9,
        informer: 1,
        indexers: [("node".to_owned(), "{.spec.nodeName}".to_owned())].into(),
    };
    let _feed = page.pods(&["n/a@1"]);
    assert!(page.request(by_node()).is_ok());
    let first = page.session.take();
    connect(&mut page);
    pods(&page);
    assert!(page.request(by_node()).is_ok(), "the same index of the same informer");
    drop(first);
    page.received();
    let second = page.session.take();
    connect(&mut page);
    pods(&page);
    assert!(page.request(by_node()).is_ok());
    drop(second);
    page.received();
    assert!(page.request(by_node()).is_ok());
}

#[test]
fn pages_of_the_first_list_appear_in_a_view_on_arrival() {
    let page = Page::new();
    page.world.transport.reply(Reply::json(list_page(10, &["n/a@1"], "more")));
    let second = page.world.watch();
    page.world.watch();
    pods(&page);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    assert_eq!(patches(page.received()), [(1, vec!["0 n/a".into()])], "before the second page is there");
    second.unbounded_send(Ok(list_page(10, &["n/b@2"], "").into_bytes())).expect("open");
    drop(second);
    assert_eq!(patches(page.received()).last(), Some(&(2, vec!["1 n/b".into()])));
    assert!(page.world.transport.paths()[0].contains("limit="), "{:?}", page.world.transport.paths());
}

#[test]
fn definition_is_cached_per_resource() {
    let page = Page::new();
    let _feed = things(&page);
    page.world.transport.reply(Reply::json(list(10, &[])));
    let _other = page.world.watch();
    let resource = "example.dev/v1/others".to_owned();
    page.send(ToEngine::Informer { informer: 2, resource, options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    let requests = || page.world.transport.paths().iter().filter(|path| path.contains("definitions")).count();
    let open = |informer| {
        page.send(ToEngine::OpenView { view: 5, informer, query_id: 1, options: ViewOptions::default() });
        assert!(page.received().iter().any(|message| matches!(message, FromEngine::Columns { .. })));
        page.send(ToEngine::CloseView { view: 5 });
        requests()
    };
    page.world.transport.reply(Reply::json(definition_text("v1")));
    assert_eq!(open(1), 1);
    page.world.transport.reply(Reply::json(definition_text("v1")));
    assert_eq!(open(2), 2);
    assert_eq!((open(1), open(2)), (2, 2));
}
