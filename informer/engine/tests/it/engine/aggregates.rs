//! Aggregates: the groups that a page has, through all changes of its informer.

use std::collections::BTreeMap;
use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, InformerOptions};
use informer_engine::message::{
    AggregateOp, AggregateOptions, AggregateValue, FromEngine, QueryRejection, ToEngine, ValuesOptions, ViewOptions,
    ViewRequest,
};
use serde_json::{Value, json};

use super::{Page, patches};
use crate::harness::{list, send, status};

fn by_namespace() -> AggregateOptions {
    AggregateOptions { by: vec!["Namespace".into()], ..AggregateOptions::default() }
}

impl Page {
    fn open_aggregate(&self, view: u32, options: AggregateOptions) {
        self.send(ToEngine::OpenAggregate { view, informer: 1, query_id: 1, options });
    }
}

/// Returns the patches of an aggregate.
fn patches_of(messages: &[FromEngine], of: u32) -> Vec<Value> {
    let patch = |message: &FromEngine| match message {
        FromEngine::Patch { view, patch } if *view == of => Some(serde_json::from_str(patch).expect(patch)),
        _ => None,
    };
    messages.iter().filter_map(patch).collect()
}

/// Groups of a page by id, after all patches.
#[derive(Default)]
struct Groups {
    by_id: BTreeMap<u64, (String, Value)>,
    order: Vec<u64>,
    total: Value,
    synced: bool,
}

impl Groups {
    fn receive(&mut self, messages: &[FromEngine], of: u32) -> Vec<String> {
        let ids = |ids: &Value| ids.as_array().expect("ids").iter().filter_map(Value::as_u64).collect::<Vec<_>>();
        for patch in patches_of(messages, of) {
            for id in ids(&patch["gone"]) {
                self.by_id.remove(&id).expect("a known group");
            }
            for group in patch["groups"].as_array().expect("groups") {
                let key = group["key"][0].as_str().expect("a text").to_owned();
                self.by_id.insert(group["id"].as_u64().expect("an id"), (key, group["values"].clone()));
            }
            if patch["order"].is_array() {
                self.order = ids(&patch["order"]);
            }
            (self.total, self.synced) = (patch["total"].clone(), patch["synced"] == json!(true));
        }
        self.order.iter().map(|id| &self.by_id[id]).map(|(key, values)| format!("{key} {values}")).collect()
    }
}

#[test]
fn a_page_receives_the_groups_then_only_changes() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2", "m/c@3"]);
    page.open_aggregate(5, by_namespace());
    let messages = page.received();
    assert!(messages.contains(&FromEngine::QueryResult { view: 5, query_id: 1, rejection: None }));
    let first = json!({"synced": true, "count": 2, "total": [3], "gone": [], "order": [0, 1],
        "groups": [{"id": 0, "key": ["n"], "values": [2]}, {"id": 1, "key": ["m"], "values": [1]}]});
    assert_eq!(patches_of(&messages, 5), [first]);

    send(&feed, &["+n/d@11", "~m/c@12"]);
    let next = json!({"synced": true, "count": 2, "total": [4], "gone": [], "groups": [{"id": 0, "key": ["n"], "values": [3]}]});
    assert_eq!(patches_of(&page.received(), 5), [next]);
    send(&feed, &["~n/d@13"]);
    assert_eq!(patches_of(&page.received(), 5), Vec::<Value>::new(), "the same values");
    send(&feed, &["-m/c@14"]);
    let last = json!({"synced": true, "count": 1, "total": [3], "gone": [1], "groups": [], "order": [0]});
    assert_eq!(patches_of(&page.received(), 5), [last]);
    page.send(ToEngine::CloseView { view: 5 });
    send(&feed, &["+n/e@15"]);
    assert_eq!(patches_of(&page.received(), 5), Vec::<Value>::new());
}

#[test]
fn an_aggregate_that_is_closed_or_replaced_before_its_turn_is_never_computed() {
    let page = Page::new();
    let _feed = page.pods(&["n/a@1"]);
    page.open_aggregate(5, by_namespace());
    page.send(ToEngine::CloseView { view: 5 });
    page.open_aggregate(6, by_namespace());
    page.open_aggregate(6, AggregateOptions::default());
    let messages = page.received();
    assert!(patches_of(&messages, 5).is_empty());
    let total_only = json!({"synced": true, "count": 0, "total": [1], "gone": [], "groups": []});
    assert_eq!(patches_of(&messages, 6), [total_only]);
}

#[test]
fn invalid_options_are_a_rejection_with_the_place_in_the_filter() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    let rejected = |options: AggregateOptions| {
        page.open_aggregate(5, options);
        let messages = page.received();
        assert!(patches_of(&messages, 5).is_empty());
        let rejection = messages.into_iter().find_map(|message| match message {
            FromEngine::QueryResult { view: 5, query_id: 1, rejection } => rejection,
            _ => None,
        });
        let QueryRejection { error, start, end } = rejection.expect("rejected");
        assert_eq!(error.code, ErrorCode::BadRequest);
        (error.message, start, end)
    };
    let (message, start, end) = rejected(AggregateOptions { filter: "a colour=red".into(), ..by_namespace() });
    assert_eq!((message.starts_with("no column is named \"colour\""), start, end), (true, 2, 8), "{message}");
    let sum = vec![AggregateValue { op: AggregateOp::Sum, column: "age".into() }];
    let (message, start, end) = rejected(AggregateOptions { of: sum, ..by_namespace() });
    assert_eq!((message.contains("its values are times"), start, end), (true, 0, 0), "{message}");
    let columns = [("cpu".to_owned(), "{.a[".to_owned())].into();
    let (message, ..) = rejected(AggregateOptions { columns, ..by_namespace() });
    assert!(message.contains("column \"cpu\""), "{message}");
    let (message, ..) = rejected(AggregateOptions { label_selector: Some("((".into()), ..by_namespace() });
    assert!(!message.is_empty());
    // Another one works under the same id.
    page.open_aggregate(5, by_namespace());
    send(&feed, &["+n/b@11"]);
    assert_eq!(Groups::default().receive(&page.received(), 5), ["n [2]"]);
}

#[test]
fn a_relist_replaces_what_was_missed() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2", "m/c@3"]);
    page.open_aggregate(5, by_namespace());
    let mut groups = Groups::default();
    assert_eq!(groups.receive(&page.received(), 5), ["n [2]", "m [1]"]);
    page.world.transport.reply(Reply::json(list(20, &["m/c@3", "m/d@15", "o/e@16", "n/a@17"])));
    let _next = page.world.watch();
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_secs(60));
    assert_eq!(groups.receive(&page.received(), 5), ["m [2]", "n [1]", "o [1]"]);
    assert_eq!((groups.total, groups.synced), (json!([4]), true));
}

#[test]
fn groups_stay_while_the_server_rejects_and_the_status_has_the_reason() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "m/c@3"]);
    page.open_aggregate(5, by_namespace());
    let mut groups = Groups::default();
    groups.receive(&page.received(), 5);
    for _ in 0..20 {
        page.world.transport.reply(status(403, "Forbidden", "pods is forbidden"));
    }
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_secs(30));
    let messages = page.received();
    assert_eq!(groups.receive(&messages, 5), ["m [1]", "n [1]"], "as cached");
    let last = messages.iter().rev().find_map(|message| match message {
        FromEngine::Status { status, .. } => Some(status.clone()),
        _ => None,
    });
    let last = last.expect("a status");
    assert_ne!(last.freshness, Freshness::Live);
    assert_eq!(last.last_error.map(|error| error.code), Some(ErrorCode::Forbidden));
}

#[test]
fn an_aggregate_before_the_first_list_reports_when_it_is_complete() {
    let page = Page::new();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.open_aggregate(5, by_namespace());
    assert!(patches_of(&page.received(), 5).is_empty());
    page.world.transport.reply(Reply::json(list(10, &[])));
    let _feed = page.world.watch();
    page.send(ToEngine::Start);
    assert_eq!(
        patches_of(&page.received(), 5),
        [json!({"synced": true, "count": 0, "total": [0], "gone": [], "groups": []})]
    );
}

#[test]
fn a_stopped_informer_ends_its_aggregates_and_messages_for_rows_have_no_effect() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.open_aggregate(5, AggregateOptions { namespaces: vec!["n".into()], ..by_namespace() });
    page.open_aggregate(6, AggregateOptions { namespaces: vec!["m".into()], ..by_namespace() });
    let messages = page.received();
    assert_eq!(Groups::default().receive(&messages, 5), ["n [1]"]);
    assert_eq!(Groups::default().receive(&messages, 6), Vec::<String>::new());
    page.send(ToEngine::SetWindow { view: 5, start: 0, end: 9 });
    page.send(ToEngine::Freeze { view: 5, frozen: true });
    let error = page
        .request(ToEngine::AskView { request: 9, view: 5, ask: ViewRequest::Values(ValuesOptions::default()) })
        .expect_err("no rows");
    assert_eq!(error.code, ErrorCode::BadRequest);
    page.open_view_beside();
    page.send(ToEngine::Stop { informer: 1 });
    assert!(page.received().iter().all(|message| !matches!(message, FromEngine::Patch { .. })));
    drop(feed);
}

impl Page {
    /// A view on the same informer is not disturbed.
    fn open_view_beside(&self) {
        let options = ViewOptions { end: 9, ..ViewOptions::default() };
        self.send(ToEngine::OpenView { view: 7, informer: 1, query_id: 1, options });
        let rows = self.received().iter().filter(|message| matches!(message, FromEngine::View { view: 7, .. })).count();
        assert_eq!((rows, patches(self.received()).len()), (1, 0));
    }
}
