//! Work queues of a page.

use std::time::Duration;

use informer::ErrorCode;
use informer_engine::engine::LINGER;
use informer_engine::message::{FromEngine, InformerOptions, QueueCall, QueueRequest, ToEngine, WorkQueueOptions};
use serde_json::{Value, json};

use super::{Page, add_event_handler};
use crate::harness::{Feed, send};

/// Opens a page with pods and work queue 7 over them.
fn queued(objects: &[&str], options: WorkQueueOptions) -> (Page, Feed) {
    let page = Page::new();
    let feed = page.pods(objects);
    page.received();
    page.send(ToEngine::OpenQueue { queue: 7, informer: 1, options });
    page.received();
    (page, feed)
}

impl Page {
    fn call(&self, call: QueueCall) {
        self.send(ToEngine::Queue { queue: 7, call });
    }

    fn request_from_queue(&self, request: u32, ask: QueueRequest) {
        self.send(ToEngine::AskQueue { request, queue: 7, ask });
    }

    /// Returns the next key, if there is one now.
    fn get(&self) -> Option<Value> {
        self.request_from_queue(50, QueueRequest::Get);
        self.world.settle();
        let reply = self.inbox.take().into_iter().find_map(|message| match message {
            FromEngine::Reply { request: 50, json } => Some(serde_json::from_str(&json).expect("JSON")),
            _ => None,
        });
        if reply.is_none() {
            self.send(ToEngine::Cancel { request: 50 });
            self.received();
        }
        reply
    }

    fn done(&self, key: &str) {
        self.call(QueueCall::Done(key.into()));
    }

    fn length(&self) -> Value {
        self.request_from_queue(9, QueueRequest::Length);
        self.responses().remove(&9).expect("answered").expect("a number")
    }
}

#[test]
fn wq_01_queue_starts_with_cached_keys_and_receives_each_change() {
    let (page, feed) = queued(&["n/a@1", "n/b@2"], WorkQueueOptions::default());
    assert_eq!(page.length(), json!(2));
    let mut first = [page.get(), page.get()];
    first.sort_by_key(|key| key.as_ref().map(ToString::to_string));
    assert_eq!(first, [Some(json!("n/a")), Some(json!("n/b"))]);
    assert_eq!(page.get(), None);
    page.done("n/a");
    page.done("n/b");
    send(&feed, &["+n/c@11", "-n/a@12"]);
    page.received();
    assert_eq!([page.get(), page.get(), page.get()], [Some(json!("n/c")), Some(json!("n/a")), None]);
}

#[test]
fn wq_03_a_thousand_changes_cost_a_slow_worker_one_key() {
    let (page, feed) = queued(&["n/a@1"], WorkQueueOptions::default());
    assert_eq!(page.get(), Some(json!("n/a")));
    for version in 11..1_011 {
        send(&feed, &[&format!("~n/a@{version}")]);
    }
    page.received();
    assert_eq!((page.get(), page.length()), (None, json!(0)), "not while it is being processed");
    page.done("n/a");
    assert_eq!((page.get(), page.get()), (Some(json!("n/a")), None), "and then once");
    page.done("n/a");
    assert_eq!(page.get(), None);
}

#[test]
fn wq_06_pending_get_completes_when_a_key_is_added() {
    let (page, feed) = queued(&[], WorkQueueOptions::default());
    page.request_from_queue(20, QueueRequest::Get);
    page.request_from_queue(21, QueueRequest::Get);
    assert!(page.responses().is_empty());
    send(&feed, &["+n/a@11"]);
    assert_eq!(page.responses().into_iter().collect::<Vec<_>>(), [(20, Ok(json!("n/a")))], "in their order");
    page.call(QueueCall::Add("anything".into()));
    assert_eq!(page.responses().into_iter().collect::<Vec<_>>(), [(21, Ok(json!("anything")))]);
}

#[test]
fn aborted_get_takes_no_key() {
    let (page, _feed) = queued(&[], WorkQueueOptions::default());
    page.request_from_queue(20, QueueRequest::Get);
    page.request_from_queue(21, QueueRequest::Get);
    page.received();
    page.send(ToEngine::Cancel { request: 20 });
    page.call(QueueCall::Add("k".into()));
    let mut answers = page.responses();
    assert_eq!(answers.remove(&20).expect("answered").expect_err("given up").code, ErrorCode::Aborted);
    assert_eq!(answers.remove(&21), Some(Ok(json!("k"))));
    // Too late: it has its key.
    page.send(ToEngine::Cancel { request: 21 });
    assert!(page.responses().is_empty());
    page.call(QueueCall::Add("k".into()));
    page.request_from_queue(22, QueueRequest::Get);
    page.call(QueueCall::Add("other".into()));
    page.send(ToEngine::Cancel { request: 22 });
    assert_eq!(page.responses().remove(&22).expect("answered").expect_err("given up").code, ErrorCode::Aborted);
    assert_eq!(page.get(), Some(json!("other")), "it went back to where it was");
}

#[test]
fn wq_20_failures_back_off_until_they_are_reset() {
    let options = WorkQueueOptions { base_delay_ms: 1_000.0, max_delay_ms: 3_000.0, ..WorkQueueOptions::default() };
    let (page, _feed) = queued(&[], options);
    let key = || "k".to_owned();
    let requeues = || page.request(ToEngine::AskQueue { request: 9, queue: 7, ask: QueueRequest::NumRequeues(key()) });
    let mut waits = Vec::new();
    for failures in 1..=4 {
        page.call(QueueCall::AddRateLimited(key()));
        let began = page.world.runtime.clock.now();
        assert_eq!(requeues(), Ok(json!(failures)));
        let came = (0..50).any(|_| {
            let came = page.get().is_some();
            if !came {
                page.world.pass(Duration::from_millis(100));
            }
            came
        });
        assert!(came, "within a few seconds");
        waits.push(page.world.runtime.clock.now().saturating_sub(began).as_millis() / 1_000);
        page.done("k");
    }
    assert_eq!(waits, [1, 2, 3, 3]);
    page.call(QueueCall::Forget(key()));
    assert_eq!(requeues(), Ok(json!(0)));
    page.call(QueueCall::AddAfter { key: key(), ms: 2_000.0 });
    assert_eq!(page.get(), None);
    page.world.pass(Duration::from_secs(2));
    assert_eq!(page.get(), Some(json!("k")));
}

#[test]
fn any_number_is_a_valid_delay() {
    let (page, _feed) = queued(&[], WorkQueueOptions::default());
    for ms in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        page.call(QueueCall::AddAfter { key: "now".into(), ms });
        assert_eq!(page.get(), Some(json!("now")), "{ms}");
        page.done("now");
    }
    for ms in [f64::INFINITY, f64::MAX, 1e300] {
        page.call(QueueCall::AddAfter { key: "never".into(), ms });
        assert_eq!(page.get(), None);
    }
    let strange = WorkQueueOptions {
        base_delay_ms: f64::NAN,
        max_delay_ms: f64::INFINITY,
        qps: f64::INFINITY,
        burst: 0,
        resync_period: None,
    };
    let (page, _feed) = queued(&[], strange);
    page.call(QueueCall::AddRateLimited("k".into()));
    assert_eq!(page.get(), Some(json!("k")));
}

#[test]
fn wq_10_queued_keys_are_handed_out_after_a_shutdown_then_workers_end() {
    let (page, feed) = queued(&["n/a@1"], WorkQueueOptions::default());
    page.request_from_queue(20, QueueRequest::Get);
    page.request_from_queue(21, QueueRequest::Get);
    assert_eq!(page.responses().remove(&20), Some(Ok(json!("n/a"))));
    page.call(QueueCall::Add("last".into()));
    page.call(QueueCall::Add("very-last".into()));
    page.call(QueueCall::ShutDown);
    send(&feed, &["+n/b@11"]);
    assert_eq!(page.responses().remove(&21), Some(Ok(json!("last"))));
    assert_eq!((page.get(), page.get()), (Some(json!("very-last")), Some(Value::Null)));
    assert_eq!(page.get(), Some(Value::Null), "as often as it is asked");
}

#[test]
fn wq_11_drain_waits_for_keys_in_progress() {
    let (page, _feed) = queued(&["n/a@1"], WorkQueueOptions::default());
    assert_eq!(page.get(), Some(json!("n/a")));
    page.request_from_queue(30, QueueRequest::ShutDownWithDrain);
    page.request_from_queue(31, QueueRequest::Get);
    assert_eq!(page.responses().into_iter().collect::<Vec<_>>(), [(31, Ok(Value::Null))]);
    page.done("n/a");
    assert_eq!(page.responses().into_iter().collect::<Vec<_>>(), [(30, Ok(Value::Null))]);
}

#[test]
fn resync_adds_all_keys() {
    let page = Page::new();
    let _feed = page.pods_with(InformerOptions { resync: Some(5_000), ..InformerOptions::default() }, &["n/a@1"]);
    page.send(ToEngine::OpenQueue { queue: 7, informer: 1, options: WorkQueueOptions::default() });
    page.received();
    assert_eq!(page.get(), Some(json!("n/a")));
    page.done("n/a");
    page.world.pass(Duration::from_secs(6));
    assert_eq!(page.get(), Some(json!("n/a")));
}

#[test]
fn queue_can_disable_resyncs() {
    let page = Page::new();
    let _feed = page.pods_with(InformerOptions { resync: Some(5_000), ..InformerOptions::default() }, &["n/a@1"]);
    let options = WorkQueueOptions { resync_period: Some(0), ..WorkQueueOptions::default() };
    page.send(ToEngine::OpenQueue { queue: 7, informer: 1, options });
    page.received();
    assert_eq!(page.get(), Some(json!("n/a")));
    page.done("n/a");
    page.world.pass(Duration::from_secs(20));
    assert_eq!(page.get(), None);
}

#[test]
fn queue_ends_with_its_informer() {
    let (page, feed) = queued(&["n/a@1"], WorkQueueOptions::default());
    page.send(add_event_handler(1, 2));
    assert_eq!(page.get(), Some(json!("n/a")));
    page.request_from_queue(20, QueueRequest::Get);
    page.received();
    page.send(ToEngine::Stop { informer: 1 });
    assert_eq!(page.responses().remove(&20), Some(Ok(Value::Null)), "no request waits forever");
    page.world.pass(LINGER * 2);
    assert!(feed.is_closed());
    page.call(QueueCall::Add("k".into()));
    page.request_from_queue(21, QueueRequest::Get);
    assert_eq!(page.responses().remove(&21).expect("answered").expect_err("gone").code, ErrorCode::Closed);
    // Neither has closed the port.
    page.send(ToEngine::OpenQueue { queue: 8, informer: 1, options: WorkQueueOptions::default() });
    page.send(ToEngine::Cancel { request: 99 });
    assert!(page.received().is_empty());
}
