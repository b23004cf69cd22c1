//! Rewinding: a page's views, aggregates and followed objects show an earlier time.

use std::time::Duration;

use informer::ErrorCode;
use informer_engine::message::{AggregateOptions, FromEngine, RecordingOptions, ToEngine, ViewOptions, ViewRequest};
use serde_json::{Value, json};

use super::recordings::relabelled;
use super::{Page, change};
use crate::harness::{Feed, send, send_line};

/// Page whose view 5, aggregate 6 and followed object 8 are of informer 1, which recording 7 records.
struct Scene {
    page: Page,
    feed: Feed,
    /// Keys of the view's rows.
    rows: Vec<String>,
    total: usize,
    /// Count of the aggregate.
    count: u64,
    /// Label `app` of the followed object, null without one; `None` if it does not exist.
    app: Option<Value>,
    /// Time in the last patch of the recording.
    time: Option<f64>,
}

impl Scene {
    fn new(objects: &[&str]) -> Self {
        Self::with(RecordingOptions::default(), objects)
    }

    fn with(options: RecordingOptions, objects: &[&str]) -> Self {
        let page = Page::new();
        let feed = page.pods(objects);
        page.send(ToEngine::OpenRecording { view: 7, informer: 1, query_id: 1, options });
        page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
        page.send(ToEngine::OpenAggregate { view: 6, informer: 1, query_id: 1, options: AggregateOptions::default() });
        page.send(ToEngine::Follow { follow: 8, informer: 1, key: "n/a".into() });
        let mut scene = Self { page, feed, rows: Vec::new(), total: 0, count: 0, app: None, time: None };
        scene.receive();
        scene.page.world.pass(Duration::from_secs(10));
        scene
    }

    /// Applies the received messages, a frame later; returns their number.
    fn receive(&mut self) -> usize {
        let messages = self.page.received();
        let json = |text: &str| serde_json::from_str::<Value>(text).expect(text);
        for message in &messages {
            match message {
                FromEngine::View { view: 5, total, rows, .. } => {
                    self.total = *total;
                    self.rows.resize(*total, String::new());
                    for row in rows {
                        self.rows[row.index].clone_from(&row.key);
                    }
                }
                FromEngine::Patch { view: 6, patch } => self.count = json(patch)["total"][0].as_u64().expect("a count"),
                FromEngine::Patch { view: 7, patch } => self.time = json(patch)["time"].as_f64(),
                FromEngine::Object { follow: 8, json: text } => {
                    self.app = text.as_deref().map(|text| json(text)["metadata"]["labels"]["app"].clone());
                }
                _ => {}
            }
        }
        messages.len()
    }

    fn rewind(&mut self, time: Option<f64>) {
        self.page.send(ToEngine::AskView { request: 9, view: 7, ask: ViewRequest::Rewind { time } });
        self.receive();
    }

    fn now(&self) -> f64 {
        self.page.world.runtime.clock.unix_ms().floor()
    }

    /// Sends lines of the watch, ten seconds after the last ones; returns the time after them.
    fn events(&mut self, events: &[&str]) -> f64 {
        send(&self.feed, events);
        self.receive();
        let now = self.now();
        self.page.world.pass(Duration::from_secs(10));
        now
    }

    fn shown(&self) -> (Vec<&str>, usize, u64) {
        (self.rows.iter().map(String::as_str).collect(), self.total, self.count)
    }
}

#[test]
fn views_aggregates_and_followed_objects_show_an_earlier_time_and_then_the_present() {
    let mut scene = Scene::new(&["n/a@1", "n/b@2"]);
    let first = scene.now();
    scene.page.world.pass(Duration::from_secs(10));
    send_line(&scene.feed, &relabelled("a", 11, "web"));
    let second = scene.events(&["+n/c@12"]);
    let third = scene.events(&["-n/a@13", "-n/c@14", "+n/d@15"]);
    let present = (vec!["n/b", "n/d"], 2, 2);
    assert_eq!((scene.shown(), &scene.app), (present.clone(), &None));

    scene.rewind(Some(second));
    assert_eq!((scene.shown(), &scene.app), ((vec!["n/a", "n/b", "n/c"], 3, 3), &Some(json!("web"))));
    assert_eq!(scene.time, Some(second));
    scene.rewind(Some(first));
    assert_eq!((scene.shown(), &scene.app), ((vec!["n/a", "n/b"], 2, 2), &Some(Value::Null)));
    scene.rewind(Some(third));
    assert_eq!((scene.shown(), &scene.app), (present, &None));

    // What happens meanwhile is not shown, until the page returns to the present.
    scene.rewind(Some(second));
    scene.events(&["-n/b@16", "+n/e@17"]);
    assert_eq!(scene.shown(), (vec!["n/a", "n/b", "n/c"], 3, 3));
    scene.rewind(None);
    assert_eq!((scene.shown(), &scene.app), ((vec!["n/d", "n/e"], 2, 2), &None));
    assert_eq!(scene.time, None);
    scene.events(&["+n/a@18"]);
    assert_eq!((scene.shown(), &scene.app), ((vec!["n/a", "n/d", "n/e"], 3, 3), &Some(Value::Null)));
}

#[test]
fn a_rewound_view_is_filtered_and_a_later_one_shows_the_same_time() {
    let mut scene = Scene::new(&["n/a@1"]);
    let first = scene.now();
    scene.page.world.pass(Duration::from_secs(10));
    scene.events(&["-n/a@11", "+n/b@12"]);
    scene.rewind(Some(first));
    scene.page.send(change(2, "b"));
    scene.receive();
    assert_eq!(scene.total, 0, "only n/a existed");
    scene.page.send(change(3, "a"));
    scene.receive();
    assert_eq!((scene.rows.as_slice(), scene.total), (["n/a".to_owned()].as_slice(), 1));
    scene.rows.clear();
    scene.page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    scene.receive();
    assert_eq!((scene.rows.as_slice(), scene.total), (["n/a".to_owned()].as_slice(), 1));
}

#[test]
fn without_the_recording_the_present_is_shown() {
    let mut scene = Scene::new(&["n/a@1"]);
    let first = scene.now();
    scene.page.world.pass(Duration::from_secs(10));
    scene.events(&["-n/a@11", "+n/b@12"]);
    scene.rewind(Some(first));
    assert_eq!(scene.shown(), (vec!["n/a"], 1, 1));
    scene.page.send(ToEngine::CloseView { view: 7 });
    scene.receive();
    assert_eq!(scene.shown(), (vec!["n/b"], 1, 1));
}

#[test]
fn an_unrecorded_time_is_rejected_and_a_later_one_is_the_last_millisecond() {
    let mut scene = Scene::new(&["n/a@1"]);
    let ask = |scene: &Scene, view: u32, time: f64| {
        scene.page.request(ToEngine::AskView { request: 9, view, ask: ViewRequest::Rewind { time: Some(time) } })
    };
    assert_eq!(ask(&scene, 7, 1.0).expect_err("too early").code, ErrorCode::Expired);
    assert_eq!(ask(&scene, 5, scene.now()).expect_err("a view").code, ErrorCode::BadRequest);
    let now = scene.now();
    scene.rewind(Some(f64::INFINITY));
    assert_eq!(scene.time, Some(now - 1.0));
}

#[test]
fn a_paused_page_stands_still_while_the_changes_after_its_time_are_dropped() {
    let mut scene = Scene::with(RecordingOptions { max_bytes: 2_000 }, &["n/a@1", "n/b@2"]);
    scene.rewind(Some(scene.now()));
    let paused = scene.time;
    for version in 11..80 {
        send_line(&scene.feed, &relabelled("a", version, &format!("app-{version}")));
    }
    scene.events(&["-n/b@80", "+n/c@81"]);
    assert_eq!((scene.shown(), &scene.app), ((vec!["n/a", "n/b"], 2, 2), &Some(Value::Null)));
    assert_eq!(scene.time, paused, "the time does not move");
    scene.rewind(None);
    assert_eq!((scene.shown(), &scene.app), ((vec!["n/a", "n/c"], 2, 2), &Some(json!("app-79"))));
}
