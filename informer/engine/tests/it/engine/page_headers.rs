//! Headers of a user: constant ones, and those that a page provides for each request.

use std::time::Duration;

use informer::ErrorCode;
use informer::transport::scripted::Reply;
use informer::transport::user_headers::UserHeaders;
use informer_engine::engine::Session;
use informer_engine::message::{
    BackoffMs, CredentialsMode, FromEngine, InformerOptions, PROTOCOL_VERSION, ServerOptions, ToEngine,
};

use super::Page;
use crate::harness::list;

fn bearer(token: &str) -> UserHeaders {
    UserHeaders(vec![("Authorization".to_owned(), format!("Bearer {token}"))])
}

/// Options of a page with a function that provides the headers.
fn asked() -> ServerOptions {
    ServerOptions { asks_headers: true, .."http://localhost".into() }
}

fn connect(page: &mut Page, server: ServerOptions) {
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server, persist: false });
    assert_eq!(page.received(), [FromEngine::Connected { version: PROTOCOL_VERSION }]);
}

/// Opens another page, beside the current one, and returns the current one.
fn open_beside(page: &mut Page, server: ServerOptions) -> Option<Session> {
    let first = page.session.take();
    connect(page, server);
    first
}

fn list_pods(page: &Page) {
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
}

/// The requests for headers that the engine has sent.
fn asks(messages: &[FromEngine]) -> Vec<u32> {
    let ask = |message: &FromEngine| match message {
        FromEngine::AskHeaders { request } => Some(*request),
        _ => None,
    };
    messages.iter().filter_map(ask).collect()
}

fn errors(messages: Vec<FromEngine>) -> Vec<(ErrorCode, String)> {
    let error = |message| match message {
        FromEngine::Error { error, .. } => Some((error.code, error.message)),
        _ => None,
    };
    messages.into_iter().filter_map(error).collect()
}

fn answer(page: &Page, request: u32, token: &str) {
    page.send(ToEngine::Headers { request, headers: bearer(token), error: None });
}

/// The tokens of all requests so far.
fn tokens(page: &Page) -> Vec<String> {
    let headers = page.world.transport.requests().into_iter().flat_map(|request| request.user_headers.0);
    headers.map(|(_, value)| value).collect()
}

#[test]
fn a_request_waits_for_the_headers_of_its_page_and_each_asks_anew() {
    let mut page = Page::new();
    connect(&mut page, asked());
    page.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    list_pods(&page);
    let first = asks(&page.received());
    assert_eq!((first.len(), tokens(&page).len()), (1, 0), "asked once, and nothing is sent before the answer");
    answer(&page, first[0], "one");
    let next = asks(&page.received());
    assert_eq!(tokens(&page), ["Bearer one"]);
    assert_eq!(next.len(), 2, "the watch asks again, and so does the request for the cluster's identity");
    for request in next {
        answer(&page, request, "two");
    }
    page.received();
    assert_eq!(tokens(&page), ["Bearer one", "Bearer two"]);
}

#[test]
fn a_401_asks_once_more() {
    let mut page = Page::new();
    connect(&mut page, asked());
    page.world.transport.reply(Reply::status(401, "{}"));
    page.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    list_pods(&page);
    for token in ["expired", "fresh"] {
        let request = asks(&page.received());
        answer(&page, request[0], token);
    }
    assert!(errors(page.received()).is_empty(), "an expired token is no error");
    assert_eq!(tokens(&page)[..2], ["Bearer expired", "Bearer fresh"]);
}

#[test]
fn a_function_that_fails_is_an_error_of_the_informer_and_is_asked_again() {
    let mut page = Page::new();
    connect(&mut page, asked());
    list_pods(&page);
    let request = asks(&page.received())[0];
    let error = Some("logged out".to_owned());
    page.send(ToEngine::Headers { request, headers: UserHeaders::default(), error });
    let told = errors(page.received());
    assert_eq!(told, [(ErrorCode::Unauthorized, "the `headers` function failed: logged out".to_owned())]);
    page.world.pass(Duration::from_secs(2));
    assert_eq!(asks(&page.received()).len(), 1, "after the backoff");
}

#[test]
fn a_function_that_never_answers_is_an_error_after_ten_seconds() {
    let mut page = Page::new();
    connect(&mut page, asked());
    list_pods(&page);
    let request = asks(&page.received())[0];
    page.world.pass(Duration::from_secs(9));
    assert!(errors(page.received()).is_empty());
    page.world.pass(Duration::from_secs(1));
    let told = errors(page.received());
    assert_eq!(told.len(), 1);
    assert!(told[0].0 == ErrorCode::Timeout && told[0].1.contains("`headers` function"), "{told:?}");
    answer(&page, request, "late");
    page.received();
    assert_eq!(tokens(&page).len(), 0, "a late answer has no effect");
}

#[test]
fn pages_with_the_same_named_user_share_informers_and_answer_for_each_other() {
    let mut page = Page::new();
    let named = ServerOptions { user: Some("zoe".to_owned()), ..asked() };
    connect(&mut page, named.clone());
    let connected = page.connected.get();
    let first = open_beside(&mut page, named);
    assert_eq!(page.connected.get(), connected, "one transport for both");
    list_pods(&page);
    assert_eq!(asks(&page.received()).len(), 1, "one of them is asked");

    // The page that was asked ends; its informer lingers.
    page.session = first;
    let asked_now = asks(&page.received());
    assert_eq!(asked_now.len(), 1, "then the other one is asked the same");
    answer(&page, asked_now[0], "other");
    page.received();
    assert_eq!(tokens(&page), ["Bearer other"]);
}

#[test]
fn a_silent_page_is_passed_over_for_another_of_the_same_user() {
    let mut page = Page::new();
    let named = ServerOptions { user: Some("zoe".to_owned()), ..asked() };
    connect(&mut page, named.clone());
    let first = open_beside(&mut page, named).expect("open");
    list_pods(&page);
    assert_eq!(asks(&page.received()).len(), 1);
    page.world.pass(Duration::from_secs(10));
    let second = asks(&page.received());
    assert_eq!(second.len(), 1, "the first one has not answered");
    first.receive(ToEngine::Headers { request: second[0], headers: bearer("first"), error: None });
    page.received();
    assert_eq!(tokens(&page), ["Bearer first"]);
}

#[test]
fn a_page_that_has_logged_out_does_not_speak_for_another_one() {
    let mut page = Page::new();
    let named = ServerOptions { user: Some("zoe".to_owned()), ..asked() };
    connect(&mut page, named.clone());
    let first = open_beside(&mut page, named).expect("open");
    list_pods(&page);
    let request = asks(&page.received())[0];
    page.send(ToEngine::Headers { request, headers: UserHeaders::default(), error: Some("logged out".to_owned()) });
    let next = asks(&page.received());
    assert_eq!(next.len(), 1, "the other page is asked");
    first.receive(ToEngine::Headers { request: next[0], headers: bearer("first"), error: None });
    assert!(errors(page.received()).is_empty());
    assert_eq!(tokens(&page), ["Bearer first"]);
}

#[test]
fn pages_share_informers_only_if_they_are_certainly_the_same_user() {
    let constant = |token: &str| ServerOptions { headers: bearer(token), ..ServerOptions::from("http://shared") };
    let function = || ServerOptions { asks_headers: true, ..ServerOptions::from("http://shared") };
    let named = |user: &str| ServerOptions { user: Some(user.to_owned()), ..function() };
    let with = |credentials| ServerOptions { credentials, ..ServerOptions::from("http://shared") };
    let anonymous = || ServerOptions::from("http://shared");
    for (one, other, shared) in [
        (anonymous(), ServerOptions::from("http://shared/"), true),
        (anonymous(), constant("a"), false),
        (constant("a"), constant("a"), true),
        (constant("a"), constant("b"), false),
        (function(), function(), false),
        (function(), anonymous(), false),
        (named("a"), named("a"), true),
        (named("a"), named("b"), false),
        (named("a"), ServerOptions { user: Some("a".to_owned()), ..constant("t") }, false),
        (
            ServerOptions { user: Some("a".to_owned()), ..constant("t") },
            ServerOptions { user: Some("a".to_owned()), ..constant("new") },
            false,
        ),
        (anonymous(), with(CredentialsMode::Include), false),
        (with(CredentialsMode::Omit), with(CredentialsMode::Omit), true),
        (anonymous(), ServerOptions { max_streams: Some(2), ..anonymous() }, true),
    ] {
        let mut page = Page::new();
        let case = format!("{one:?}, {other:?}");
        let _first = page.session.take();
        connect(&mut page, one);
        let connected = page.connected.get();
        let _second = open_beside(&mut page, other);
        assert_eq!(page.connected.get() == connected, shared, "{case}");
    }
}

#[test]
fn constant_headers_are_added_to_each_request() {
    let mut page = Page::new();
    let server = ServerOptions { headers: bearer("x"), ..ServerOptions::from("http://localhost") };
    connect(&mut page, server);
    page.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    list_pods(&page);
    assert!(asks(&page.received()).is_empty());
    assert_eq!(tokens(&page), ["Bearer x", "Bearer x"], "a list and a watch");
}

#[test]
fn the_backoff_is_the_pages() {
    let mut page = Page::new();
    let backoff = Some(BackoffMs { initial_ms: 10_000, max_ms: 20_000, factor: 2.0 });
    connect(&mut page, ServerOptions { backoff, ..ServerOptions::from("http://other") });
    let lists = |page: &Page| page.world.transport.paths().iter().filter(|path| path.contains("/pods")).count();
    for _ in 0..3 {
        page.world.transport.reply(Reply::status(500, "{}"));
    }
    list_pods(&page);
    page.received();
    assert_eq!(lists(&page), 1);
    page.world.pass(Duration::from_secs(9));
    assert_eq!(lists(&page), 1, "by default there would be three more");
    page.world.pass(Duration::from_secs(11));
    assert_eq!(lists(&page), 2);
}
