//! The engine as a page meets it: messages in, messages out.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use informer::columns::Cell;
use informer::engine::{Engine, Session};
use informer::message::{
    FromEngine, InformerOptions, OrderBy, OrderColumn, PROTOCOL_VERSION, Read, Row, ToEngine, ViewOptions,
};
use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, Phase};

use crate::harness::{Feed, World, list, object, send};

struct Page {
    world: World,
    engine: Rc<Engine>,
    session: Option<Session>,
    inbox: Rc<RefCell<Vec<FromEngine>>>,
}

impl Page {
    fn new() -> Self {
        let world = World::new();
        let transport = world.runtime.transport.clone();
        let engine =
            Engine::new(Box::new(move |_| transport.clone()), world.runtime.clock.clone(), world.runtime.spawn.clone());
        let mut page = Self { world, engine, session: None, inbox: Rc::default() };
        page.reload();
        page.say(ToEngine::Connect { version: PROTOCOL_VERSION, url: "http://localhost".into() });
        assert_eq!(page.heard(), [FromEngine::Connected { version: PROTOCOL_VERSION }]);
        page
    }

    /// Another port of the same engine.
    fn reload(&mut self) {
        let inbox = Rc::clone(&self.inbox);
        self.session = Some(Session::new(Rc::clone(&self.engine), move |message| inbox.borrow_mut().push(message)));
    }

    fn say(&self, message: ToEngine) {
        self.session.as_ref().expect("open").receive(message);
    }

    /// What came, a frame later.
    fn heard(&self) -> Vec<FromEngine> {
        self.world.settle();
        self.world.pass(Duration::from_millis(300));
        self.inbox.take()
    }

    /// Informer 1: pods that are watched, started.
    fn pods(&self, objects: &[&str]) -> Feed {
        self.world.transport.reply(Reply::json(list(10, objects)));
        let feed = self.world.watch();
        self.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
        self.say(ToEngine::Start);
        feed
    }

    fn open_view(&self, options: ViewOptions) {
        self.say(ToEngine::OpenView { view: 5, informer: 1, options });
    }
}

/// The view's patches: total and rows as `index key`.
fn patches(messages: Vec<FromEngine>) -> Vec<(usize, Vec<String>)> {
    let row = |row: Row| format!("{} {}", row.index, row.key);
    let patch = |message| match message {
        FromEngine::View { view: 5, total, rows, .. } => Some((total, rows.into_iter().map(row).collect())),
        _ => None,
    };
    messages.into_iter().filter_map(patch).collect()
}

#[test]
fn a_page_sees_the_window_and_then_only_what_changes_in_it() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2", "n/c@3"]);
    page.open_view(ViewOptions { end: 2, ..ViewOptions::default() });
    let messages = page.heard();
    let columns = messages.iter().find_map(|message| match message {
        FromEngine::Columns { columns, .. } => Some(columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(columns.expect("sent")[..6], ["Namespace", "Name", "Ready", "Status", "Restarts", "Age"]);
    assert_eq!(patches(messages), [(3, vec!["0 n/a".into(), "1 n/b".into()])]);

    send(&feed, &["~n/a@11", "~n/c@12"]);
    assert_eq!(patches(page.heard()), [(3, vec!["0 n/a".into()])]);
    send(&feed, &["~n/c@13"]);
    assert!(patches(page.heard()).is_empty(), "out of sight");
    page.say(ToEngine::SetWindow { view: 5, start: 1, end: 9 });
    assert_eq!(patches(page.heard()), [(3, vec!["2 n/c".into()])]);
    page.say(ToEngine::CloseView { view: 5 });
    send(&feed, &["~n/c@14"]);
    assert!(patches(page.heard()).is_empty());
}

#[test]
fn nothing_is_shown_as_empty_before_the_list_is_there() {
    let page = Page::new();
    page.world.transport.reply(Reply::Silence);
    page.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.say(ToEngine::Start);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    assert!(patches(page.heard()).is_empty());
}

#[test]
fn a_thousand_changes_in_a_frame_are_one_message() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    page.heard();
    for version in 11..1011 {
        send(&feed, &[&format!("~n/a@{version}")]);
    }
    let messages = page.heard();
    assert_eq!(patches(messages.clone()).len(), 1);
    assert!(messages.len() <= 3, "{} messages", messages.len());
}

#[test]
fn a_view_filters_and_orders() {
    let page = Page::new();
    let _feed = page.pods(&["a/web-10@1", "b/web-9@2", "b/db@3"]);
    let order_by = OrderBy { column: OrderColumn::Name, descending: true };
    page.open_view(ViewOptions { filter: "WEB".into(), order_by, start: 0, end: 9 });
    assert_eq!(patches(page.heard()), [(2, vec!["0 a/web-10".into(), "1 b/web-9".into()])]);
}

#[test]
fn reads_answer_from_the_cache() {
    let page = Page::new();
    let _feed = page.pods(&["a/x@1", "b/y@2"]);
    page.heard();
    let ask = |read: Read| {
        page.say(ToEngine::Read { request: 9, informer: 1, read });
        match page.heard().remove(0) {
            FromEngine::Reply { request: 9, json } => {
                Ok(serde_json::from_str::<serde_json::Value>(&json).expect("JSON"))
            }
            FromEngine::Failed { request: 9, error } => Err(error.code),
            other => panic!("{other:?}"),
        }
    };
    let index = || "namespace".to_owned();
    assert_eq!(ask(Read::ListKeys).expect("keys"), serde_json::json!(["a/x", "b/y"]));
    assert_eq!(ask(Read::GetByKey { key: "a/x".into() }).expect("object")["metadata"]["name"], "x");
    assert!(ask(Read::GetByKey { key: "a/z".into() }).expect("null").is_null());
    assert_eq!(ask(Read::List).expect("objects").as_array().map(Vec::len), Some(2));
    assert_eq!(ask(Read::ByIndex { index: index(), value: "b".into() }).expect("one")[0]["metadata"]["name"], "y");
    assert_eq!(ask(Read::IndexKeys { index: index(), value: "b".into() }).expect("one"), serde_json::json!(["b/y"]));
    assert_eq!(ask(Read::ListIndexFuncValues { index: index() }).expect("values"), serde_json::json!(["a", "b"]));
    assert_eq!(ask(Read::ListIndexFuncValues { index: "no".into() }), Err(ErrorCode::BadRequest));
}

#[test]
fn a_followed_object_comes_with_each_change_and_its_end() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(ToEngine::Follow { follow: 3, informer: 1, key: "n/a".into() });
    let followed = |messages: Vec<FromEngine>| -> Vec<Option<String>> {
        let json = |message| match message {
            FromEngine::Object { follow: 3, json } => Some(json),
            _ => None,
        };
        messages.into_iter().filter_map(json).collect()
    };
    assert!(followed(page.heard())[0].as_deref().is_some_and(|json| json.contains(r#""resourceVersion":"1""#)));
    send(&feed, &["~n/a@11"]);
    assert!(followed(page.heard())[0].as_deref().is_some_and(|json| json.contains(r#""resourceVersion":"11""#)));
    send(&feed, &["-n/a@12"]);
    assert_eq!(followed(page.heard()), [None]);
    page.say(ToEngine::Unfollow { follow: 3 });
    send(&feed, &["+n/a@13"]);
    assert!(followed(page.heard()).is_empty());
}

#[test]
fn handlers_get_every_change_as_json() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 2 });
    let kinds = |messages: Vec<FromEngine>| -> Vec<String> {
        let word = |message| match message {
            FromEngine::Changes { handler: 2, changes, resource_version, .. } => {
                Some(format!("{} changes at {resource_version}", changes.len()))
            }
            FromEngine::HandlerSynced { handler: 2 } => Some("synced".into()),
            _ => None,
        };
        messages.into_iter().filter_map(word).collect()
    };
    assert_eq!(kinds(page.heard()), ["1 changes at 10", "synced"]);
    send(&feed, &["~n/a@11", "-n/a@12"]);
    assert_eq!(kinds(page.heard()), ["2 changes at 12"]);
    page.say(ToEngine::RemoveEventHandler { handler: 2 });
    send(&feed, &["+n/b@13"]);
    assert!(kinds(page.heard()).is_empty());
}

#[test]
fn shi_24_a_page_that_is_slow_is_told_less_and_holds_up_nobody() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 2 });
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 3 });
    let told = |messages: Vec<FromEngine>, of: u32| -> usize {
        messages.iter().filter(|m| matches!(m, FromEngine::Changes { handler, .. } if *handler == of)).count()
    };
    let (mut slow, mut fast) = (0, 0);
    for round in 1..200 {
        let words: Vec<String> = (0..10).map(|event| format!("~n/a@{}", round * 10 + event)).collect();
        send(&feed, &words.iter().map(String::as_str).collect::<Vec<_>>());
        let heard = page.heard();
        slow += told(heard.clone(), 2);
        for _ in 0..told(heard.clone(), 3) {
            fast += 1;
            page.say(ToEngine::Took { handler: 3 });
        }
    }
    assert_eq!((slow, fast), (4, 200), "each batch for the one, the first few for the other");
    // 1,024 changes may wait as they are; those beyond become one for each object.
    let (mut changes_told, mut last) = (0, String::new());
    for _ in 0..200 {
        page.say(ToEngine::Took { handler: 2 });
        for message in page.heard() {
            if let FromEngine::Changes { handler: 2, changes, resource_version, .. } = message {
                (changes_told, last) = (changes_told + changes.len(), resource_version);
            }
        }
    }
    assert!(changes_told < 1_100, "{changes_told} of some 2,000");
    assert_eq!(last, "1999");
}

#[test]
fn two_pages_share_one_watch_and_the_last_one_closes_it() {
    let mut page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.heard();
    let first = page.session.take();
    page.reload();
    page.say(ToEngine::Connect { version: PROTOCOL_VERSION, url: "http://localhost/".into() });
    page.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.say(ToEngine::Start);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    assert_eq!(patches(page.heard()), [(1, vec!["0 n/a".into()])]);
    assert_eq!(page.world.asked().len(), 2, "one list and one watch for both");
    first.expect("open").receive(ToEngine::Close);
    page.heard();
    assert!(!feed.is_closed());
    page.session = None;
    page.heard();
    assert!(feed.is_closed(), "a port that is gone lets go too");
}

#[test]
fn the_status_says_what_is_wrong_and_the_error_event_too() {
    let page = Page::new();
    page.world.transport.reply(Reply::Refused);
    page.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.say(ToEngine::Start);
    let messages = page.heard();
    let errors = messages.iter().filter(|m| matches!(m, FromEngine::Error { informer: 1, .. })).count();
    let status = messages.iter().rev().find_map(|message| match message {
        FromEngine::Status { status, .. } => Some(status.clone()),
        _ => None,
    });
    assert_eq!((errors, status.expect("sent").freshness), (1, Freshness::Disconnected));
    page.world.transport.reply(Reply::json(list(10, &[])));
    let _feed = page.world.watch();
    page.say(ToEngine::Wake);
    let live = |m: &FromEngine| matches!(m, FromEngine::Status { status, .. } if status.freshness == Freshness::Live);
    assert!(page.heard().iter().any(live));
}

#[test]
fn what_cannot_be_served_is_refused_in_words() {
    let refusal = |message: ToEngine| {
        let mut page = Page::new();
        page.reload();
        page.say(message);
        match page.heard().pop() {
            Some(FromEngine::Refused { error }) => error.message,
            other => panic!("{other:?}"),
        }
    };
    assert!(refusal(ToEngine::Connect { version: 999, url: String::new() }).contains("reload"));
    assert!(refusal(ToEngine::Start).contains("connect"));
    let mut page = Page::new();
    page.say(ToEngine::Connect { version: PROTOCOL_VERSION, url: "http://elsewhere".into() });
    assert!(matches!(page.heard()[..], [FromEngine::Refused { .. }]));
    page.session = None;
}

#[test]
fn one_bad_word_costs_its_informer_only() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    page.heard();
    let namespaced =
        |namespace: &str| InformerOptions { namespace: Some(namespace.into()), ..InformerOptions::default() };
    for (resource, options) in [("nonsense", InformerOptions::default()), ("v1/pods", namespaced("../x"))] {
        page.say(ToEngine::Informer { informer: 2, resource: resource.into(), options });
        match &page.heard()[..] {
            [FromEngine::Error { informer: 2, error }, FromEngine::Status { informer: 2, status }] => {
                assert_eq!((error.code, status.phase), (ErrorCode::BadRequest, Phase::Failed));
            }
            other => panic!("{other:?}"),
        }
    }
    send(&feed, &["+n/b@11"]);
    assert_eq!(patches(page.heard()), [(2, vec!["1 n/b".into()])]);
}

#[test]
fn an_id_that_is_used_again_lets_go_of_what_it_named() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 2 });
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 2 });
    page.heard();
    send(&feed, &["+n/b@11"]);
    let changes =
        |messages: Vec<FromEngine>| messages.iter().filter(|m| matches!(m, FromEngine::Changes { .. })).count();
    assert_eq!(changes(page.heard()), 1);
    page.world.transport.reply(Reply::json(list(20, &["n/z@1"])));
    let _other = page.world.watch();
    let options = InformerOptions { namespace: Some("n".into()), ..InformerOptions::default() };
    page.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
    page.say(ToEngine::Start);
    page.heard();
    assert!(feed.is_closed(), "the first informer was released");
}

#[test]
fn a_burst_over_many_keys_is_one_message() {
    let page = Page::new();
    let feed = page.pods(&[]);
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 2 });
    page.heard();
    let line = |i: u32| format!(r#"{{"type":"ADDED","object":{}}}"#, object(&format!("n/p{i}@{}", 11 + i)));
    let burst = (0..500).map(line).collect::<Vec<_>>().join("\n") + "\n";
    feed.unbounded_send(Ok(burst.into_bytes())).expect("open");
    let batches: Vec<usize> = page
        .heard()
        .into_iter()
        .filter_map(|message| match message {
            FromEngine::Changes { changes, resource_version, .. } => {
                assert_eq!(resource_version, "510");
                Some(changes.len())
            }
            _ => None,
        })
        .collect();
    assert_eq!(batches, [500]);
}

#[test]
fn a_status_is_never_older_than_the_changes_it_comes_with() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 2 });
    page.heard();
    for version in 11..20 {
        send(&feed, &[&format!("~n/a@{version}")]);
        page.world.settle();
    }
    let mut known = String::new();
    for message in page.heard() {
        match message {
            FromEngine::Status { status, .. } => known = status.resource_version,
            FromEngine::Changes { resource_version, .. } => assert_eq!(known, resource_version),
            _ => {}
        }
    }
    assert_eq!(known, "19");
}

#[test]
fn starting_is_each_pages_own() {
    let mut page = Page::new();
    page.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    let first = page.session.take();
    page.reload();
    page.say(ToEngine::Connect { version: PROTOCOL_VERSION, url: "http://localhost".into() });
    page.say(ToEngine::Informer { informer: 1, resource: "v1/nodes".into(), options: InformerOptions::default() });
    page.say(ToEngine::Start);
    page.heard();
    assert_eq!(page.world.asked(), ["list nodes limit=500"]);
    drop(first);
}

#[test]
fn discovery_that_is_not_answered_is_given_up() {
    let page = Page::new();
    page.say(ToEngine::Resources { request: 4 });
    assert!(page.heard().is_empty());
    page.world.pass(Duration::from_secs(31));
    match page.heard().pop() {
        Some(FromEngine::Failed { request: 4, error }) => assert_eq!(error.code, ErrorCode::Timeout),
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_about_what_is_not_there_change_nothing() {
    let page = Page::new();
    for message in [
        ToEngine::Stop { informer: 8 },
        ToEngine::SetWindow { view: 8, start: 5, end: 1 },
        ToEngine::CloseView { view: 8 },
        ToEngine::Unfollow { follow: 8 },
        ToEngine::RemoveEventHandler { handler: 8 },
        ToEngine::AddEventHandler { informer: 8, handler: 1 },
        ToEngine::OpenView { view: 1, informer: 8, options: ViewOptions::default() },
        ToEngine::Wake,
    ] {
        page.say(message);
    }
    assert!(page.heard().is_empty());
    page.say(ToEngine::Read { request: 1, informer: 8, read: Read::List });
    assert!(matches!(page.heard()[..], [FromEngine::Failed { request: 1, .. }]));
}

#[test]
fn hostile_text_stays_text() {
    let page = Page::new();
    let item = r#"{"metadata":{"name":"<img src=x onerror=alert(1)>","namespace":"n","resourceVersion":"1"},"status":{"phase":"<b>"}}"#;
    page.world
        .transport
        .reply(Reply::json(format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"1"}},"items":[{item}]}}"#)));
    let _feed = page.world.watch();
    page.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.say(ToEngine::Start);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    let rows = page.heard().into_iter().find_map(|message| match message {
        FromEngine::View { rows, .. } => Some(rows),
        _ => None,
    });
    let cells = &rows.expect("sent")[0].cells;
    assert_eq!(cells[1], Cell::Text("<img src=x onerror=alert(1)>".into()));
    assert_eq!(cells[3], Cell::Text("<b>".into()));
}
