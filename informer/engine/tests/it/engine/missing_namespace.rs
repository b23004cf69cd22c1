//! Missing namespace of an empty informer: the list does not show whether it exists.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use informer::transport::scripted::Reply;
use informer::transport::{Request, Response, Transport};
use informer_engine::message::{FromEngine, InformerOptions, ToEngine};

use super::Page;
use crate::harness::{list, send, status};

/// Returns whether the last status of the page reports a missing namespace.
fn is_missing(page: &Page) -> Option<bool> {
    page.received().into_iter().rev().find_map(|message| match message {
        FromEngine::Status { informer: 1, status } => Some(status.namespace_missing),
        _ => None,
    })
}

fn request_count(page: &Page) -> usize {
    page.world.transport.paths().iter().filter(|path| path.starts_with("/api/v1/namespaces/shpo?")).count()
}

fn not_found() -> Reply {
    let body = r#"{"kind":"Status","reason":"NotFound","code":404,"details":{"name":"shpo","kind":"namespaces"}}"#;
    Reply::status(404, body)
}

fn open(page: &Page, namespace: Option<&str>, objects: &[&str]) -> crate::harness::Feed {
    page.world.transport.reply(Reply::json(list(10, objects)));
    let feed = page.world.watch();
    let options = InformerOptions { namespace: namespace.map(str::to_owned), ..InformerOptions::default() };
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
    page.send(ToEngine::Start);
    feed
}

#[test]
fn missing_namespace_is_reported_and_checked_until_it_exists() {
    let page = Page::new();
    let _feed = open(&page, Some("shpo"), &[]);
    page.world.settle();
    page.world.transport.reply(not_found());
    assert_eq!((is_missing(&page), request_count(&page)), (Some(true), 1));
    page.world.transport.reply(not_found());
    page.world.pass(Duration::from_secs(31));
    assert_eq!(request_count(&page), 2);
    page.world.transport.reply(Reply::json(r#"{"kind":"Namespace","metadata":{"name":"shpo"}}"#));
    page.world.pass(Duration::from_secs(31));
    assert_eq!((is_missing(&page), request_count(&page)), (Some(false), 3));
    page.world.pass(Duration::from_secs(300));
    assert_eq!(request_count(&page), 3, "one that exists is not asked for again");
}

#[test]
fn a_namespace_whose_objects_come_and_go_is_checked_by_one_task() {
    let page = Page::new();
    let feed = open(&page, Some("shpo"), &[]);
    page.world.settle();
    // The user may not read it, so the check goes on.
    let forbidden = || status(403, "Forbidden", "namespaces \\\"shpo\\\" is forbidden");
    page.world.transport.reply(forbidden());
    for version in 0..20 {
        send(&feed, &[&format!("+shpo/a@{}", 11 + 2 * version)]);
        page.world.pass(Duration::from_millis(100));
        page.world.transport.reply(forbidden());
        send(&feed, &[&format!("-shpo/a@{}", 12 + 2 * version)]);
        page.world.pass(Duration::from_millis(100));
    }
    let before = request_count(&page);
    page.world.pass(Duration::from_secs(31));
    assert!(request_count(&page) <= before + 1, "{} requests in half a minute", request_count(&page) - before);
}

#[test]
fn namespace_with_objects_exists() {
    let page = Page::new();
    let feed = open(&page, Some("shpo"), &[]);
    page.world.settle();
    page.world.transport.reply(not_found());
    assert_eq!(is_missing(&page), Some(true));
    send(&feed, &["+shpo/a@11"]);
    assert_eq!(is_missing(&page), Some(false));
    page.world.pass(Duration::from_secs(60));
    assert_eq!(request_count(&page), 1);
}

#[test]
fn failed_check_reports_nothing_and_other_scopes_are_not_checked() {
    for reply in [
        status(403, "Forbidden", "namespaces \\\"shpo\\\" is forbidden"),
        Reply::status(404, "404 page not found"),
        Reply::Refused,
    ] {
        let page = Page::new();
        let _feed = open(&page, Some("shpo"), &[]);
        page.world.settle();
        page.world.transport.reply(reply);
        assert_eq!((is_missing(&page), request_count(&page)), (Some(false), 1));
    }
    for (namespace, objects) in [(None, [].as_slice()), (Some("shpo"), &["shpo/a@1"])] {
        let page = Page::new();
        let _feed = open(&page, namespace, objects);
        assert_eq!((is_missing(&page), request_count(&page)), (Some(false), 0));
    }
}

/// Counts the requests for the cluster's identity.
struct CountingTransport(Rc<dyn Transport>, Rc<Cell<usize>>);

impl Transport for CountingTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, informer::Result<Response>> {
        self.1.set(self.1.get() + usize::from(request.path.contains("/kube-system")));
        self.0.send(request)
    }
}

#[test]
fn rejected_check_of_a_namespace_suspects_no_watch() {
    let questions = Rc::<Cell<usize>>::default();
    let count = Rc::clone(&questions);
    let page = Page::with_transport(move |http, _| Rc::new(CountingTransport(http, count)));
    let _feed = open(&page, Some("shpo"), &[]);
    page.world.settle();
    let before = questions.get();
    page.world.transport.reply(status(503, "ServiceUnavailable", "no"));
    page.world.pass(Duration::from_secs(25));
    assert_eq!((request_count(&page), questions.get()), (1, before));
}
