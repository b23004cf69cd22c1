//! Recordings: what changed in an informer's objects, and when, as a page requests it.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, ErrorReport, InformerOptions};
use informer_engine::message::{ChangesOptions, FromEngine, RecordingOptions, ToEngine, ValuesOptions, ViewRequest};
use serde_json::{Value, json};

use super::Page;
use crate::harness::{list, send, send_line};

/// Returns a change of a pod's label, as a line of a watch.
pub(super) fn relabelled(name: &str, version: u32, app: &str) -> String {
    let object = json!({
        "kind": "Pod", "apiVersion": "v1",
        "metadata": { "name": name, "namespace": "n", "uid": format!("uid-{name}"), "resourceVersion": version.to_string(), "labels": { "app": app } },
    });
    json!({ "type": "MODIFIED", "object": object }).to_string()
}

/// Returns the last patch of recording 7.
fn patch(messages: &[FromEngine]) -> Option<Value> {
    let patch = |message: &FromEngine| match message {
        FromEngine::Patch { view: 7, patch } => Some(serde_json::from_str(patch).expect(patch)),
        _ => None,
    };
    messages.iter().rev().find_map(patch)
}

impl Page {
    fn record(&self, max_bytes: usize) {
        self.send(ToEngine::OpenRecording {
            view: 7,
            informer: 1,
            query_id: 1,
            options: RecordingOptions { max_bytes },
        });
    }

    fn request_from_recording(&self, ask: ViewRequest) -> Result<Value, ErrorReport> {
        self.request(ToEngine::AskView { request: 9, view: 7, ask })
    }

    /// Returns the newest changes, as `key type paths`.
    fn changes(&self) -> Vec<String> {
        let options = ChangesOptions { limit: 100, ..ChangesOptions::default() };
        let changes = self.request_from_recording(ViewRequest::Changes(options)).expect("answered");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let line = |change: &Value| {
            let fields = change["fields"].as_array().expect("a list").iter();
            let fields =
                fields.map(|field| format!(" {} {} {}", text(&field["path"]), field["before"], field["after"]));
            format!("{} {}{}", text(&change["key"]), text(&change["type"]), fields.collect::<String>())
        };
        changes.as_array().expect("a list").iter().map(line).collect()
    }

    fn object_at(&self, key: &str, time: f64) -> Result<Value, ErrorReport> {
        self.request_from_recording(ViewRequest::ObjectAt { key: key.to_owned(), time })
    }

    fn now(&self) -> f64 {
        self.world.runtime.clock.unix_ms().floor()
    }
}

/// Each message of a recording costs the page a frame, in which it cannot paint a row.
#[test]
fn of_many_changes_a_recording_reports_four_times_a_second() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.record(0);
    page.received();
    page.world.pass(Duration::from_secs(1));
    page.received();
    let mut reports = Vec::new();
    for version in 11..73_u32 {
        send_line(&feed, &relabelled("a", version, &version.to_string()));
        reports.extend(patch(&page.received_now()));
        page.world.pass(Duration::from_millis(16));
    }
    assert_eq!(reports.first().map(|report| &report["count"]), Some(&json!(1)), "the first change at once");
    assert!((4..=5).contains(&reports.len()), "{} reports of 62 changes in a second", reports.len());
    assert_eq!(patch(&page.received()).expect("the last one")["count"], 62);
}

#[test]
fn changes_are_recorded_from_the_request_on_and_any_state_since_then_is_found() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2"]);
    send(&feed, &["~n/a@11"]);
    page.received();
    page.record(0);
    let messages = page.received();
    assert!(messages.contains(&FromEngine::QueryResult { view: 7, query_id: 1, rejection: None }));
    let begun = patch(&messages).expect("it has begun");
    assert_eq!((&begun["count"], &begun["bytes"]), (&json!(0), &json!(0)));
    let since = begun["keptSince"].as_f64().expect("a time");
    assert_eq!(page.changes(), [""; 0]);

    page.world.pass(Duration::from_secs(10));
    send_line(&feed, &relabelled("a", 12, "web"));
    page.received();
    let labelled = page.now();
    page.world.pass(Duration::from_secs(10));
    send_line(&feed, &relabelled("a", 13, "shop"));
    send(&feed, &["-n/b@14", "+n/c@15"]);
    let news = patch(&page.received()).expect("news");
    assert_eq!((&news["count"], &news["keptSince"]), (&json!(4), &begun["keptSince"]));
    assert!(patch(&page.received()).is_none(), "nothing has changed");
    assert_eq!(
        page.changes(),
        [
            "n/c added",
            "n/b deleted",
            r#"n/a changed .metadata.labels.app "web" "shop""#,
            r#"n/a changed .metadata.labels null {"app":"web"}"#,
        ]
    );
    let label = |time: f64| page.object_at("n/a", time).expect("kept")["metadata"]["labels"]["app"].clone();
    assert_eq!([label(since), label(labelled), label(page.now())], [Value::Null, json!("web"), json!("shop")]);
    assert_eq!(page.object_at("n/c", labelled), Ok(Value::Null));
    assert_eq!(page.object_at("n/b", labelled).expect("kept")["metadata"]["name"], "b");
    assert_eq!(page.object_at("n/a", since - 1.0).expect_err("too early").code, ErrorCode::Expired);
    let other = page.request_from_recording(ViewRequest::Values(ValuesOptions::default())).expect_err("it has no rows");
    assert_eq!(other.code, ErrorCode::BadRequest);
    page.send(ToEngine::CloseView { view: 7 });
    assert_eq!(page.object_at("n/a", labelled).expect_err("closed").code, ErrorCode::Closed);
}

#[test]
fn a_relist_is_recorded_as_its_difference() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2"]);
    page.record(0);
    page.received();
    page.world.transport.reply(Reply::json(list(20, &["n/b@2", "n/c@9"])));
    let _next = page.world.watch();
    send_line(&feed, r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}"#);
    page.world.pass(Duration::from_secs(10));
    let mut changes = page.changes();
    changes.sort();
    assert_eq!(changes, ["n/a deleted", "n/c added"]);
}

#[test]
fn recording_begins_with_the_first_complete_list_and_is_bounded() {
    let page = Page::new();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.record(1_000);
    assert!(patch(&page.received()).is_none());
    assert_eq!(page.object_at("n/a", page.now()).expect_err("not begun").code, ErrorCode::Expired);
    page.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = page.world.watch();
    page.send(ToEngine::Start);
    assert!(patch(&page.received()).is_some());
    for version in 11..60 {
        send_line(&feed, &relabelled("a", version, &format!("app-{version}")));
    }
    let news = patch(&page.received()).expect("news");
    let (count, bytes) = (news["count"].as_u64().expect("a number"), news["bytes"].as_u64().expect("a number"));
    assert!(count > 0 && count < 40 && bytes <= 1_000, "{news}");
    assert_eq!(page.changes().len() as u64, count);
}

#[test]
fn of_secrets_only_that_they_changed_is_recorded() {
    let page = Page::new();
    page.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = page.world.watch();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/secrets".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.record(0);
    page.received();
    send_line(&feed, &relabelled("a", 11, "hush"));
    page.received();
    assert_eq!(page.changes(), ["n/a changed"]);
    let error = page.object_at("n/a", page.now()).expect_err("not recorded");
    assert_eq!(error.code, ErrorCode::BadRequest);
    assert!(!error.message.contains("hush"));
}
