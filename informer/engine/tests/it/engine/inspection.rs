//! Inspections of an informer.

use std::rc::Rc;
use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, InformerError, InformerMetrics, InformerStatus};
use informer_engine::message::{InformerMode, InformerOptions, ToEngine};
use serde_json::{Value, json};

use super::{Page, add_event_handler};
use crate::harness::{Feed, list, object, send, status};

impl Page {
    fn inspect(&self) -> Value {
        self.request(ToEngine::Inspect { request: 9, informer: 1 }).expect("an inspection")
    }
}

/// The steps as words: `page 2`, `broken-off network`, without random values.
fn steps(inspection: &Value) -> String {
    let step = |step: &Value| {
        let what = step["what"].as_str().expect("a name");
        let count = step["count"].as_u64().filter(|count| *count > 0 && what != "pause");
        let count = count.map_or(String::new(), |count| format!(" {count}"));
        let code = step["code"].as_str().map_or(String::new(), |code| format!(" {code}"));
        format!("{what}{count}{code}")
    };
    inspection["history"].as_array().expect("a list").iter().map(step).collect::<Vec<_>>().join(", ")
}

fn rates(inspection: &Value) -> [f64; 2] {
    ["eventsPerSecond", "bytesPerSecond"].map(|name| inspection["transport"][name].as_f64().expect("a number"))
}

/// Sends an event and returns its size in bytes.
fn event(feed: &Feed, version: u32) -> u64 {
    send(feed, &[&format!("~n/a@{version}")]);
    let line = format!(r#"{{"type":"MODIFIED","object":{}}}"#, object(&format!("n/a@{version}")));
    line.len() as u64 + 1
}

#[test]
fn inspection_lists_steps_and_outcomes_without_requests() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2"]);
    page.send(add_event_handler(1, 4));
    page.received();
    let mut bytes = list(10, &["n/a@1", "n/b@2"]).len() as u64 + event(&feed, 11) + event(&feed, 12);
    // A version is any text.
    send(&feed, &[r#"bookmark@13\"<b>"#]);
    bytes += r#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"13\"<b>"}}}"#.len() as u64 + 1;
    page.received();
    let live = page.inspect();
    assert_eq!(steps(&live), "list, page 2, watch, opened, events 2, bookmarks 1");
    let transport = &live["transport"];
    assert_eq!(
        (&transport["carrier"], &transport["requests"], &transport["bytes"]),
        (&json!("fetch"), &json!(2), &json!(bytes))
    );
    // The metrics are those of the crate, all of them and by the same names.
    let metrics: InformerMetrics = serde_json::from_value(live["metrics"].clone()).expect("metrics");
    assert_eq!(serde_json::to_value(&metrics).expect("plain"), live["metrics"]);
    assert_eq!((metrics.lists, metrics.watches, metrics.events, metrics.bookmarks), (1, 1, 2, 1));
    assert_eq!((metrics.objects, metrics.resource_version.as_str(), metrics.handlers.len()), (2, "13\"<b>", 1));
    assert!(metrics.handlers[0].has_synced && metrics.handlers[0].delivered == 4, "{metrics:?}");
    let requests = page.world.requests();
    let again = page.inspect();
    assert_eq!(
        (page.world.requests(), &again["metrics"], &again["history"]),
        (requests, &live["metrics"], &live["history"])
    );

    // The server becomes unreachable, and comes back.
    let error = InformerError::new(ErrorCode::Network, "broken off");
    feed.unbounded_send(Err(error)).expect("the watch is open");
    page.world.transport.reply(status(503, "ServiceUnavailable", "<b>not now</b>"));
    page.received();
    let away = page.inspect();
    assert_eq!(away["transport"]["carrier"], Value::Null);
    page.world.probe(14);
    let feed = page.world.watch();
    send(&feed, &["bookmark@14"]);
    page.world.pass(Duration::from_secs(5));
    let back = page.inspect();
    let story = "list, page 2, watch, opened, events 2, bookmarks 1, broken-off network, \
                 probe, refused internal, pause internal, probe, page, watch, opened, bookmarks 1";
    assert_eq!(steps(&back), story);
    assert_eq!((&back["transport"]["carrier"], &back["transport"]["requests"]), (&json!("fetch"), &json!(5)));
    for inspections in [[&live, &away], [&away, &back]] {
        for name in ["lists", "watches", "events", "bookmarks", "errors"] {
            let [before, after] = inspections.map(|inspection| inspection["metrics"][name].as_u64().expect("a count"));
            assert!(before <= after, "{name} went from {before} to {after}");
        }
        let [before, after] = inspections.map(|inspection| inspection["transport"]["bytes"].as_u64().expect("a count"));
        assert!(before < after, "the refusal has a body, the page another one: {before} {after}");
    }
    let times = |name: &str| {
        back["history"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|step| step[name].as_f64().expect("a time"))
            .collect::<Vec<_>>()
    };
    assert!(times("at").is_sorted() && times("at").iter().zip(times("until")).all(|(at, until)| *at <= until));
}

#[test]
fn rates_are_those_of_the_last_ten_seconds() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.received();
    let mut version = 10;
    let mut flow = |seconds: u32, events: u32| {
        let mut bytes = 0;
        for _ in 0..seconds * events {
            version += 1;
            bytes += event(&feed, version);
            page.world.pass(Duration::from_secs(1) / events);
        }
        bytes as f64 / f64::from(seconds)
    };
    let per_second = flow(30, 20);
    let [events, bytes] = rates(&page.inspect());
    assert!((events - 20.0).abs() < 1.0 && (bytes - per_second).abs() < per_second / 20.0, "{events} {bytes}");
    // The rate contains no old traffic.
    let per_second = flow(12, 2);
    let [events, bytes] = rates(&page.inspect());
    assert!((events - 2.0).abs() < 0.3 && (bytes - per_second).abs() < per_second / 6.0, "{events} {bytes}");
    page.world.pass(Duration::from_secs(11));
    let quiet = page.inspect();
    assert_eq!((rates(&quiet), &quiet["metrics"]["events"]), ([0.0, 0.0], &json!(624)));
}

#[test]
fn inspection_of_an_idle_informer_and_of_a_stopped_one() {
    let page = Page::new();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    let idle = page.inspect();
    assert_eq!((&idle["history"], &idle["transport"]["requests"]), (&json!([]), &json!(0)));
    page.world.transport.reply(Reply::Silence);
    page.send(ToEngine::Start);
    page.received();
    assert_eq!(steps(&page.inspect()), "list");
    page.send(ToEngine::Stop { informer: 1 });
    let stopped = page.request(ToEngine::Inspect { request: 9, informer: 1 }).expect_err("stopped");
    assert_eq!(stopped.code, ErrorCode::Closed);
}

#[test]
fn all_informers_are_inspected_with_their_users_and_connections_without_a_request() {
    use informer::transport::budget::{Budget, BudgetOptions};
    let page = Page::with_transport(|http, clock| Rc::new(Budget::new(http, None, clock, BudgetOptions::default())));
    let all = |history| page.request(ToEngine::InspectAll { request: 9, history }).expect("an inspection");
    assert_eq!(all(false)["informers"], json!([]));
    let _feed = page.pods(&["n/a@1"]);
    page.received();
    let options = InformerOptions {
        namespace: Some("n".into()),
        label_selector: Some("a=b".into()),
        mode: InformerMode::Metadata,
        ..InformerOptions::default()
    };
    page.send(ToEngine::Informer { informer: 2, resource: "v1/events".into(), options });
    page.send(ToEngine::Informer { informer: 3, resource: "v1/pods".into(), options: InformerOptions::default() });
    let requests = page.world.requests();
    let inspection = all(false);
    assert_eq!(page.world.requests(), requests);
    let [events, pods] = inspection["informers"].as_array().expect("a list").as_slice() else {
        panic!("two informers: {inspection}")
    };
    let names = ["resource", "namespace", "labelSelector", "mode", "users"];
    assert_eq!(
        names.map(|name| &events[name]),
        [&json!("v1/events"), &json!("n"), &json!("a=b"), &json!("metadata"), &json!(1)]
    );
    assert_eq!(
        names.map(|name| &pods[name]),
        [&json!("v1/pods"), &Value::Null, &Value::Null, &json!("object"), &json!(2)]
    );
    assert_eq!((&pods["status"]["freshness"], &pods["metrics"]["objects"]), (&json!("live"), &json!(1)));
    assert!(serde_json::from_value::<InformerStatus>(pods["status"].clone()).is_ok(), "{}", pods["status"]);
    assert_eq!(
        (&pods["history"], steps(&all(true)["informers"][1]).as_str()),
        (&Value::Null, "list, page 1, watch, opened")
    );
    assert_eq!((&events["status"]["phase"], &pods["transport"]["carrier"]), (&json!("idle"), &json!("fetch")));
    let expected = json!({
        "multiplexed": false,
        "streams": { "used": 1, "limit": 4, "queued": 0 },
        "requests": { "used": 0, "limit": 2, "queued": 0 },
    });
    assert_eq!(inspection["connections"], expected);
}
