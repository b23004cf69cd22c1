//! The rules of the protocol, without any I/O. `table.rs` has every state and every input.

mod activity;
mod catch_up;
mod heartbeat;
mod history;
mod next_request;
mod polling;
mod populate;
mod replacement;
mod second_look;
mod staging;
mod suspicion;
mod table;
mod undecodable;
mod verification;
mod watch;
mod watch_health;
mod watch_list;

use super::*;
use crate::list::ListPage;
use crate::list_watch::{ListOptions, WatchOptions};
use crate::object::Keyed;
use crate::watch::WatchEvent;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Thing(&'static str, &'static str);

impl Keyed for Thing {
    fn size(&self) -> usize {
        10
    }
    fn key(&self) -> &str {
        self.0
    }
    fn resource_version(&self) -> &str {
        self.1
    }
}

const T0: Duration = Duration::from_secs(1_000);

fn seconds(n: u64) -> Duration {
    T0 + Duration::from_secs(n)
}

fn error(code: ErrorCode) -> InformerError {
    InformerError::new(code, "test")
}

fn page(items: &[Thing], version: &str, token: &str) -> Input<Thing> {
    Input::Page(ListPage {
        items: items.to_vec(),
        unchanged: Vec::new(),
        resource_version: version.to_owned(),
        continue_token: token.to_owned(),
        unreadable: Vec::new(),
    })
}

fn replace(items: Vec<Thing>, version: String) -> StoreCall<Thing> {
    StoreCall::Replace { items, unchanged: Vec::new(), resource_version: version, unread: Vec::new() }
}

fn added(key: &'static str, version: &'static str) -> Input<Thing> {
    Input::Event(Ok(WatchEvent::Added(Thing(key, version))))
}

fn bookmark(version: &str) -> Input<Thing> {
    Input::Event(Ok(WatchEvent::Bookmark { resource_version: version.into(), initial_events_end: false }))
}

fn end_bookmark(version: &str) -> Input<Thing> {
    Input::Event(Ok(WatchEvent::Bookmark { resource_version: version.into(), initial_events_end: true }))
}

fn in_stream(code: ErrorCode) -> Input<Thing> {
    Input::Event(Ok(WatchEvent::Error(error(code))))
}

fn new() -> Reflector<Thing> {
    Reflector::new(ReflectorOptions::default(), 3)
}

/// A reflector that has been through the given inputs, all at `T0`.
fn after(inputs: impl IntoIterator<Item = Input<Thing>>) -> Reflector<Thing> {
    let mut reflector = new();
    for input in inputs {
        reflector.step(input, T0);
    }
    reflector
}

fn listing() -> Reflector<Thing> {
    after([Input::Start])
}
fn opening() -> Reflector<Thing> {
    after([Input::Start, page(&[], "10", "")])
}
fn watching() -> Reflector<Thing> {
    after([Input::Start, page(&[], "10", ""), Input::Opened])
}
fn waiting_to_list() -> Reflector<Thing> {
    after([Input::Start, Input::Failed(error(ErrorCode::Forbidden))])
}
fn waiting_to_watch() -> Reflector<Thing> {
    after([Input::Start, page(&[], "10", ""), Input::Failed(error(ErrorCode::Network))])
}
/// The watch broke off, and a probe is in flight.
fn probing() -> Reflector<Thing> {
    after([
        Input::Start,
        page(&[], "10", ""),
        Input::Opened,
        bookmark("10"),
        Input::Ended(Some(error(ErrorCode::Network))),
        Input::Wake,
    ])
}
/// Listed twice, and not to be watched.
fn polling() -> Reflector<Thing> {
    let forbidden = || Input::Failed(error(ErrorCode::Forbidden));
    after([Input::Start, page(&[], "10", ""), forbidden(), Input::Wake, page(&[], "10", ""), forbidden()])
}
fn stopped() -> Reflector<Thing> {
    after([Input::Start, Input::Stop])
}
/// A streaming list was requested.
fn opening_stream() -> Reflector<Thing> {
    streaming([Input::Start])
}
/// A streaming list has begun.
fn staging() -> Reflector<Thing> {
    streaming([Input::Start, Input::Opened])
}
fn streaming(inputs: impl IntoIterator<Item = Input<Thing>>) -> Reflector<Thing> {
    let options = ReflectorOptions { watch_list: true, ..ReflectorOptions::default() };
    let mut reflector = Reflector::new(options, 3);
    for input in inputs {
        reflector.step(input, T0);
    }
    reflector
}
fn failed() -> Reflector<Thing> {
    after([Input::Start, Input::Failed(error(ErrorCode::BadRequest))])
}

/// The command of a step as a word.
fn word(command: Option<&Command>) -> String {
    match command {
        None => "-".into(),
        Some(Command::Wait) => "wait".into(),
        Some(Command::Halt) => "halt".into(),
        Some(Command::Probe) => "probe".into(),
        Some(Command::List(o)) if o.continue_token.is_some() => "page".into(),
        Some(Command::List(o)) => format!("list {}", o.resource_version.as_deref().unwrap_or("newest")),
        Some(Command::Watch(o)) => {
            let kind = if o.initial_events { "stream" } else { "watch" };
            format!("{kind} {}", o.resource_version.as_deref().unwrap_or("newest"))
        }
    }
}

fn commands(reflector: &mut Reflector<Thing>, inputs: impl IntoIterator<Item = Input<Thing>>, at: Duration) -> String {
    let words: Vec<String> = inputs.into_iter().map(|input| word(reflector.step(input, at).command.as_ref())).collect();
    words.join(", ")
}

#[test]
fn lst_01_first_list_requests_version_0() {
    let step = new().step(Input::Start, T0);
    let expected = ListOptions { resource_version: Some("0".into()), limit: Some(500), continue_token: None };
    assert_eq!(step.command, Some(Command::List(expected)));
}

#[test]
fn consistent_list_requests_the_newest_in_pages() {
    let options = ReflectorOptions { consistent_lists: true, ..ReflectorOptions::default() };
    let step = Reflector::<Thing>::new(options, 1).step(Input::Start, T0);
    let expected = ListOptions { resource_version: None, limit: Some(500), continue_token: None };
    assert_eq!(step.command, Some(Command::List(expected)));
}

#[test]
fn lst_02_lst_08_relist_requests_at_least_the_last_version_without_a_limit() {
    let mut reflector = watching();
    reflector.step(in_stream(ErrorCode::Expired), seconds(10));
    let step = reflector.step(Input::Timer, seconds(12));
    let expected = ListOptions { resource_version: Some("10".into()), limit: None, continue_token: None };
    assert_eq!(step.command, Some(Command::List(expected)));
}

#[test]
fn lst_06_newest_is_requested_until_a_list_succeeds() {
    let mut reflector = watching();
    reflector.step(in_stream(ErrorCode::Expired), seconds(10));
    let mut words = vec![word(reflector.step(Input::Timer, seconds(12)).command.as_ref())];
    for input in [
        Input::Failed(error(ErrorCode::Expired)),
        Input::Failed(error(ErrorCode::Internal)),
        Input::Wake,
        page(&[], "30", ""),
        Input::Opened,
        in_stream(ErrorCode::Expired),
        Input::Wake,
    ] {
        words.push(word(reflector.step(input, seconds(20)).command.as_ref()));
    }
    assert_eq!(words, ["list 10", "list newest", "wait", "list newest", "watch 30", "-", "wait", "list 30"]);
}

#[test]
fn pag_01_pages_are_staged_and_replace_the_cache_at_once() {
    let mut reflector = listing();
    let step = reflector.step(page(&[Thing("a", "1")], "10", "c"), T0);
    assert_eq!((step.call, reflector.staged()), (None, 1));
    // The version of the first page is that of the list.
    let step = reflector.step(page(&[Thing("b", "2")], "11", ""), T0);
    assert_eq!(step.call, Some(replace(vec![Thing("a", "1"), Thing("b", "2")], "10".into())));
    assert_eq!(word(step.command.as_ref()), "watch 10");
}

#[test]
fn pag_02_expired_page_token_falls_back_to_one_full_list() {
    let mut reflector = listing();
    reflector.step(page(&[Thing("a", "1")], "10", "c"), T0);
    let step = reflector.step(Input::Failed(error(ErrorCode::Expired)), T0);
    let expected = ListOptions { resource_version: Some("0".into()), limit: None, continue_token: None };
    assert_eq!(step.command, Some(Command::List(expected)));
    let step = reflector.step(page(&[Thing("a", "1")], "12", ""), T0);
    assert_eq!(step.call, Some(replace(vec![Thing("a", "1")], "12".into())));
}

#[test]
fn full_list_that_times_out_is_requested_in_pages() {
    let mut reflector = watching();
    reflector.step(in_stream(ErrorCode::Expired), seconds(10));
    assert_eq!(word(reflector.step(Input::Wake, seconds(10)).command.as_ref()), "list 10");
    let due = reflector.deadline().expect("a list is in flight");
    reflector.step(Input::Timer, due);
    let step = reflector.step(Input::Wake, seconds(141));
    let expected = ListOptions { resource_version: None, limit: Some(500), continue_token: None };
    assert_eq!(step.command, Some(Command::List(expected)));
}

#[test]
fn request_without_a_response_times_out() {
    assert_eq!(word(listing().step(Input::Timer, seconds(60)).command.as_ref()), "wait");
    assert_eq!(word(opening().step(Input::Timer, seconds(15)).command.as_ref()), "wait");
}

#[test]
fn the_last_error_stays_until_a_watch_opens() {
    let mut reflector = waiting_to_watch();
    assert!(reflector.last_error().is_some());
    reflector.step(Input::Wake, T0);
    reflector.step(page(&[], "10", ""), T0);
    assert!(reflector.last_error().is_some());
    reflector.step(Input::Opened, T0);
    assert!(reflector.last_error().is_none());
}

#[test]
fn list_with_circular_page_tokens_is_aborted() {
    let mut reflector = listing();
    assert_eq!(word(reflector.step(page(&[], "10", "c"), T0).command.as_ref()), "page");
    assert_eq!(word(reflector.step(page(&[], "10", "c"), T0).command.as_ref()), "wait");
    assert_eq!(reflector.last_error().map(InformerError::code), Some(ErrorCode::Decode));
}

#[test]
fn first_list_that_times_out_is_requested_in_pages() {
    // A limit beside "0" is ignored by servers with a watch cache.
    let mut reflector = listing();
    reflector.step(Input::Timer, seconds(60));
    assert_eq!(word(reflector.step(Input::Wake, seconds(61)).command.as_ref()), "list newest");
}

#[test]
fn full_list_after_an_expired_token_omits_it() {
    let mut reflector = listing();
    reflector.step(page(&[], "10", "c"), T0);
    assert_eq!(word(reflector.step(Input::Failed(error(ErrorCode::Expired)), T0).command.as_ref()), "list 0");
    // A server that pages nevertheless may return the same token: it leads to the second page, not in a circle.
    assert_eq!(word(reflector.step(page(&[], "12", "c"), T0).command.as_ref()), "page");
}
