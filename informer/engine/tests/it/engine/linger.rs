//! Linger: an unused informer is kept for a while, then released.

use std::rc::Rc;
use std::time::Duration;

use informer::transport::budget::{Budget, BudgetOptions};
use informer::transport::scripted::Reply;
use informer_engine::engine::LINGER;
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine};

use super::{Page, add_event_handler, deliveries};
use crate::harness::{list, send};

fn connect(page: &Page, url: &str) {
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: url.into(), persist: false });
}

fn informer(page: &Page) {
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
}

#[test]
fn reload_finds_its_informer_running_until_the_linger_ends() {
    let mut page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.received();
    page.session = None;
    page.world.pass(LINGER / 2);
    send(&feed, &["+n/b@11"]);
    page.reload();
    connect(&page, "http://localhost");
    informer(&page);
    page.send(add_event_handler(1, 2));
    assert_eq!(deliveries(page.received(), 2), ["Add n/a", "Add n/b"], "what happened meanwhile is known");
    page.world.pass(LINGER * 2);
    assert!(!feed.is_closed(), "the page that took it over keeps it");
    assert_eq!(page.world.requests().len(), 2, "one list and one watch");

    page.send(ToEngine::Stop { informer: 1 });
    page.world.pass(LINGER * 9 / 10);
    assert!(!feed.is_closed());
    page.world.pass(Duration::from_secs(2));
    assert!(feed.is_closed());
}

#[test]
fn unused_informer_without_a_request_is_released_at_once() {
    let options = BudgetOptions { answers: 1, ..BudgetOptions::default() };
    let page = Page::with_transport(|http, clock| Rc::new(Budget::new(http, None, clock, options)));
    let transport = &page.world.transport;
    // The one connection for lists is taken, as by a large list.
    let (large, reply) = Reply::stream();
    transport.reply(reply);
    let open = |id: u32, namespace: &str| {
        let options = InformerOptions { namespace: Some(namespace.to_owned()), ..InformerOptions::default() };
        page.send(ToEngine::Informer { informer: id, resource: "v1/pods".into(), options });
        page.send(ToEngine::Start);
        page.world.settle();
    };
    open(1, "large");
    // A user clicks through ten places, and stays at the last.
    for id in 2..12 {
        open(id, &format!("place-{id}"));
        if id < 11 {
            page.send(ToEngine::Stop { informer: id });
        }
    }
    transport.reply(Reply::json(list(20, &["place-11/a@1"])));
    drop(large);
    page.received();
    let requests: Vec<String> = transport.paths().into_iter().filter(|path| !path.contains("watch=true")).collect();
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(requests[1].contains("/place-11/"), "{requests:?}");
}

#[test]
fn unused_informer_with_a_list_in_flight_lingers() {
    let page = Page::new();
    let (_list, reply) = Reply::stream();
    page.world.transport.reply(reply);
    informer(&page);
    page.received();
    page.send(ToEngine::Stop { informer: 1 });
    informer(&page);
    page.received();
    assert_eq!(page.world.requests().len(), 1, "the list of before is still the one");
}

#[test]
fn unused_apiserver_is_released() {
    let mut page = Page::new();
    assert_eq!(page.connected.get(), 1);
    page.session = None;
    page.world.pass(LINGER / 2);
    page.reload();
    connect(&page, "http://localhost/");
    assert_eq!(page.connected.get(), 1, "the same one");
    page.session = None;
    page.world.pass(LINGER * 2);
    page.reload();
    connect(&page, "http://localhost");
    assert_eq!(page.connected.get(), 2, "a new one");
}

#[test]
fn many_errors_are_reported_as_one() {
    let page = Page::new();
    let names: Vec<String> = (0..500).map(|number| format!("n/p{number}@1")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    page.world.transport.reply(Reply::json(
        list(10, &names).replace(r#""kind":"Pod","#, &format!(r#""kind":"Pod","deep":{},"#, deep())),
    ));
    let _feed = page.world.watch();
    informer(&page);
    page.received();
    // Everything below everything below everything: each object fails at it.
    let indexers = [("greedy".to_owned(), format!("{{{}}}", "..a".repeat(8)))].into();
    page.send(ToEngine::AddIndexers { request: 9, informer: 1, indexers });
    let error = |message| match message {
        FromEngine::Error { informer: 1, error } => Some(error.message),
        _ => None,
    };
    let deliveries: Vec<String> = page.received().into_iter().filter_map(error).collect();
    assert_eq!(deliveries.len(), 1, "{}", deliveries.len());
    assert!(
        deliveries[0].contains("is missing from index") && deliveries[0].ends_with("(and 499 similar errors)"),
        "{}",
        deliveries[0]
    );
}

fn deep() -> String {
    format!("{}1{}", r#"{"a":"#.repeat(60), "}".repeat(60))
}
