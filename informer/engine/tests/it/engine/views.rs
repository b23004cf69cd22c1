//! Views: the window of a page, and its changes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use informer::ErrorCode;
use informer::clock::Clock;
use informer::transport::scripted::Reply;
use informer_engine::columns::Cell;
use informer_engine::message::{
    FromEngine, InformerOptions, OrderBy, ToEngine, ValuesOptions, ViewOptions, ViewRequest,
};

use serde_json::{Value, json};

use super::{Page, change, patches};
use crate::harness::send;

#[test]
fn page_receives_the_window_then_its_changes_only() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2", "n/c@3"]);
    page.open_view(ViewOptions { end: 2, ..ViewOptions::default() });
    let messages = page.received();
    let columns = messages.iter().find_map(|message| match message {
        FromEngine::Columns { columns, .. } => Some(columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(columns.expect("sent")[..6], ["Namespace", "Name", "Ready", "Status", "Restarts", "Age"]);
    assert_eq!(patches(messages), [(3, vec!["0 n/a".into(), "1 n/b".into()])]);

    send(&feed, &["~n/a@11", "~n/c@12"]);
    assert_eq!(patches(page.received()), [(3, vec!["0 n/a".into()])]);
    send(&feed, &["~n/c@13"]);
    assert!(patches(page.received()).is_empty(), "out of sight");
    page.send(ToEngine::SetWindow { view: 5, start: 1, end: 9 });
    assert_eq!(patches(page.received()), [(3, vec!["2 n/c".into()])]);
    page.send(ToEngine::CloseView { view: 5 });
    send(&feed, &["~n/c@14"]);
    assert!(patches(page.received()).is_empty());
}

#[test]
fn a_view_that_is_closed_before_its_turn_is_never_computed() {
    let page = Page::new();
    let _feed = page.pods(&["n/a@1", "n/b@2"]);
    page.received();
    for view in 20..40 {
        let options = ViewOptions { end: 9, ..ViewOptions::default() };
        page.send(ToEngine::OpenView { view, informer: 1, query_id: 1, options });
        page.send(ToEngine::CloseView { view });
    }
    page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    let opened = |message: &FromEngine| match message {
        FromEngine::Columns { view, .. } => Some(*view),
        _ => None,
    };
    // Columns are sent when the rows are about to be computed.
    assert_eq!(page.received().iter().filter_map(opened).collect::<Vec<_>>(), [5]);
}

/// Clock whose sleeps of length zero end when a test lets a turn of the event loop pass.
pub(super) struct TurnClock {
    pub(super) inner: Rc<dyn Clock>,
    pub(super) waiting: Rc<RefCell<VecDeque<oneshot::Sender<()>>>>,
}

impl Clock for TurnClock {
    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn unix_ms(&self) -> f64 {
        self.inner.unix_ms()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        if !duration.is_zero() {
            return self.inner.sleep(duration);
        }
        let (turn, passed) = oneshot::channel();
        self.waiting.borrow_mut().push_back(turn);
        passed.map(drop).boxed_local()
    }

    fn seed(&self) -> u64 {
        self.inner.seed()
    }
}

#[test]
fn views_open_in_order_one_per_turn() {
    let waiting = Rc::<RefCell<VecDeque<oneshot::Sender<()>>>>::default();
    let turns = Rc::clone(&waiting);
    let page = Page::with_clock(|http, _| http, |inner| Rc::new(TurnClock { inner, waiting }));
    // One turn of the event loop; false if no task waits for one.
    let one_turn = || {
        page.world.settle();
        let next = turns.borrow_mut().pop_front();
        let any = next.is_some();
        if let Some(turn) = next {
            let _ = turn.send(());
        }
        page.world.settle();
        any
    };
    let _feed = page.pods(&["n/a@1", "n/b@2"]);
    while one_turn() {}
    page.inbox.take();
    for view in [5, 6, 7] {
        let options = ViewOptions { end: 9, ..ViewOptions::default() };
        page.send(ToEngine::OpenView { view, informer: 1, query_id: 1, options });
    }
    let opened = |message: &FromEngine| match message {
        FromEngine::Columns { view, .. } => Some(*view),
        _ => None,
    };
    let mut order = Vec::new();
    while one_turn() {
        let now: Vec<u32> = page.inbox.take().iter().filter_map(opened).collect();
        assert!(now.len() <= 1, "{now:?} were opened in one turn");
        if now == [5] {
            page.send(ToEngine::CloseView { view: 6 });
        }
        order.extend(now);
    }
    assert_eq!(order, [5, 7]);
}

#[test]
fn a_view_that_is_opened_again_under_its_id_replaces_the_former_one_at_once() {
    let waiting = Rc::<RefCell<VecDeque<oneshot::Sender<()>>>>::default();
    let turns = Rc::clone(&waiting);
    let page = Page::with_clock(|http, _| http, |inner| Rc::new(TurnClock { inner, waiting }));
    let feed = page.pods(&["n/a@1"]);
    let all_turns = || {
        page.world.settle();
        loop {
            let Some(turn) = turns.borrow_mut().pop_front() else { break };
            let _ = turn.send(());
            page.world.settle();
        }
    };
    let open = || {
        let options = ViewOptions { end: 9, ..ViewOptions::default() };
        page.send(ToEngine::OpenView { view: 5, informer: 1, query_id: 1, options });
    };
    all_turns();
    open();
    all_turns();
    page.world.pass(Duration::from_secs(1));
    page.inbox.take();
    send(&feed, &["+n/b@2"]);
    open();
    // The next frame of the former one is due before the new one has its turn.
    page.world.pass(Duration::from_secs(1));
    all_turns();
    page.world.pass(Duration::from_secs(1));
    let deliveries = page.inbox.take();
    let revision = deliveries.iter().find_map(|message| match message {
        FromEngine::View { revision, .. } => Some(*revision),
        _ => None,
    });
    assert_eq!(revision, Some(1), "{deliveries:?}");
}

#[test]
fn no_view_is_empty_before_the_first_list() {
    let page = Page::new();
    page.world.transport.reply(Reply::Silence);
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    assert!(patches(page.received()).is_empty());
}

#[test]
fn a_thousand_changes_in_a_frame_are_one_message() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    page.received();
    for version in 11..1011 {
        send(&feed, &[&format!("~n/a@{version}")]);
    }
    let messages = page.received();
    assert_eq!(patches(messages.clone()).len(), 1);
    assert!(messages.len() <= 3, "{} messages", messages.len());
}

#[test]
fn first_change_after_a_quiet_frame_is_sent_at_once_and_the_next_with_the_frame() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    page.received();
    page.world.pass(Duration::from_millis(100));
    send(&feed, &["~n/a@11"]);
    assert_eq!(patches(page.received_now()).len(), 1);
    send(&feed, &["~n/a@12"]);
    assert_eq!(patches(page.received_now()).len(), 0);
    page.world.pass(Duration::from_millis(16));
    assert_eq!(patches(page.received_now()).len(), 1);
}

#[test]
fn a_view_filters_and_orders() {
    let page = Page::new();
    let _feed = page.pods(&["a/web-10@1", "b/web-9@2", "b/db@3"]);
    let order_by = vec![OrderBy { column: "name".into(), descending: true }];
    page.open_view(ViewOptions { filter: "WEB".into(), order_by, end: 9, ..ViewOptions::default() });
    assert_eq!(patches(page.received()), [(2, vec!["0 a/web-10".into(), "1 b/web-9".into()])]);
}

#[test]
fn hostile_text_stays_text() {
    let page = Page::new();
    let item = r#"{"metadata":{"name":"<img src=x onerror=alert(1)>","namespace":"n","resourceVersion":"1"},"status":{"phase":"<b>"}}"#;
    page.world
        .transport
        .reply(Reply::json(format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"1"}},"items":[{item}]}}"#)));
    let _feed = page.world.watch();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    let rows = page.received().into_iter().find_map(|message| match message {
        FromEngine::View { rows, .. } => Some(rows),
        _ => None,
    });
    let cells = &rows.expect("sent")[0].cells;
    assert_eq!(cells[1], Cell::Text("<img src=x onerror=alert(1)>".into()));
    assert_eq!(cells[3], Cell::Text("<b>".into()));
}

#[test]
fn another_filter_replaces_the_window_and_the_counts() {
    let page = Page::new();
    let _feed = page.pods(&["a/web@1", "b/web@2", "b/db@3"]);
    page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    page.received();
    page.send(change(2, "web"));
    let messages = page.received();
    let facets = messages.iter().find_map(|message| match message {
        FromEngine::Facets { view: 5, query_id: 2, facets } => Some(facets.clone()),
        _ => None,
    });
    let values = facets.expect("counted").remove(0).values;
    assert_eq!(values.iter().map(|v| (v.value.as_str(), v.count)).collect::<Vec<_>>(), [("a", 1), ("b", 1)]);
    assert_eq!(patches(messages), [(2, vec!["1 b/web".into()])], "only what differs from what is there");
}

#[test]
fn rows_are_frozen_and_released() {
    let page = Page::new();
    let feed = page.pods(&["n/b@1", "n/c@2"]);
    page.open_view(ViewOptions { end: 2, ..ViewOptions::default() });
    page.received();
    page.send(ToEngine::Freeze { view: 5, frozen: true });
    send(&feed, &["+n/a@3", "-n/b@4"]);
    let gone = page.received().into_iter().find_map(|message| match message {
        FromEngine::View { total: 2, rows, .. } => {
            Some(rows.iter().map(|row| (row.index, row.gone)).collect::<Vec<_>>())
        }
        _ => None,
    });
    assert_eq!(gone, Some(vec![(0, true)]));
    page.send(ToEngine::Freeze { view: 5, frozen: false });
    assert_eq!(patches(page.received()), [(2, vec!["0 n/a".into()])]);
}

#[test]
fn row_appears_when_it_is_old_enough() {
    let page = Page::new();
    // Created ten seconds after the clock's beginning.
    let item =
        r#"{"metadata":{"name":"a","namespace":"n","resourceVersion":"1","creationTimestamp":"1970-01-01T00:00:10Z"}}"#;
    page.world
        .transport
        .reply(Reply::json(format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"1"}},"items":[{item}]}}"#)));
    let _feed = page.world.watch();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.open_view(ViewOptions { filter: "age>=5s".into(), end: 5, ..ViewOptions::default() });
    assert_eq!(patches(page.received()), [(0, vec![])]);
    let rest = 15_000.0 - page.world.runtime.clock.unix_ms();
    page.world.pass(Duration::from_secs_f64((rest - 10.0) / 1_000.0));
    assert!(patches(page.inbox.take()).is_empty(), "too young");
    // Up to the frame: no status is sent that would flush it earlier.
    page.world.pass(Duration::from_millis(12));
    page.world.pass(Duration::from_millis(17));
    assert_eq!(patches(page.inbox.take()), [(1, vec!["0 n/a".into()])]);
}

#[test]
fn values_of_a_column_are_counted_over_rows_that_match_the_other_terms() {
    let page = Page::new();
    let _feed = page.pods(&["n/a@1", "n/b@2", "m/a@3"]);
    page.open_view(ViewOptions { filter: "name=b".into(), end: 9, ..ViewOptions::default() });
    page.received();
    let values = |view: u32, filter: &str, column: &str| {
        let [filter, column, containing] = [filter, column, ""].map(str::to_owned);
        page.request(ToEngine::AskView {
            request: 9,
            view,
            ask: ViewRequest::Values(ValuesOptions { filter, column, containing }),
        })
    };
    let facet = |values: Value| json!({"column": "namespace", "more": 0, "values": values});
    let both = json!([{"value": "n", "count": 2}, {"value": "m", "count": 1}]);
    assert_eq!(values(5, "", "namespace").expect("counted"), facet(both));
    assert_eq!(values(5, "name=b", "namespace").expect("counted"), facet(json!([{"value": "n", "count": 1}])));
    assert_eq!(values(5, "(", "namespace").expect_err("unreadable").code, ErrorCode::BadRequest);
    assert_eq!(values(7, "", "namespace").expect_err("no such view").code, ErrorCode::Closed);
}
