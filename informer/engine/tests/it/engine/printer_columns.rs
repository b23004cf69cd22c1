//! Views of custom resources with printer columns.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer_engine::columns::Cell;
use informer_engine::message::{FromEngine, InformerOptions, OrderBy, ToEngine, ViewOptions};
use serde_json::json;

use super::{Page, patches};
use crate::harness::Feed;

/// Informer 1: two things of a custom kind, listed and watched.
pub(super) fn things(page: &Page) -> Feed {
    let thing = |name: &str, size: u32| json!({"metadata": {"name": name, "namespace": "n", "resourceVersion": "1"}, "spec": {"size": size}});
    let list = json!({"kind": "ThingList", "apiVersion": "example.dev/v1", "metadata": {"resourceVersion": "9"}, "items": [thing("a", 3), thing("b", 1)]});
    page.world.transport.reply(Reply::json(list.to_string()));
    let feed = page.world.watch();
    page.send(ToEngine::Informer {
        informer: 1,
        resource: "example.dev/v1/things".into(),
        options: InformerOptions::default(),
    });
    page.send(ToEngine::Start);
    page.received();
    feed
}

fn definition(version: &str) -> Reply {
    Reply::json(definition_text(version))
}

pub(super) fn definition_text(version: &str) -> String {
    let columns = json!([
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Broken", "type": "string", "jsonPath": ".spec["},
        {"name": "Note", "type": "string", "jsonPath": ".spec.note", "priority": 1},
    ]);
    let other =
        json!({"name": "v0", "additionalPrinterColumns": [{"name": "Old", "type": "string", "jsonPath": ".old"}]});
    json!({"spec": {"scope": "Namespaced", "versions": [other, {"name": version, "additionalPrinterColumns": columns}]}}).to_string()
}

fn columns(messages: &[FromEngine]) -> Vec<String> {
    let names = messages.iter().find_map(|message| match message {
        FromEngine::Columns { columns, .. } => Some(columns.iter().map(|column| {
            format!("{}{}{}", column.name, if column.wide { "*" } else { "" }, if column.numeric { "#" } else { "" })
        })),
        _ => None,
    });
    names.map(Iterator::collect).unwrap_or_default()
}

fn request_count(page: &Page) -> usize {
    page.world.transport.paths().iter().filter(|path| path.contains("customresourcedefinitions")).count()
}

#[test]
fn col_01_definition_names_the_columns_and_is_requested_once() {
    let page = Page::new();
    let _feed = things(&page);
    page.world.transport.reply(definition("v1"));
    let by_size = vec![OrderBy::ascending("size")];
    page.open_view(ViewOptions { order_by: by_size, end: 9, ..ViewOptions::default() });
    let messages = page.received();
    assert_eq!(columns(&messages), ["Namespace", "Name", "Size#", "Note*"]);
    let cells = messages.iter().find_map(|message| match message {
        FromEngine::View { rows, .. } => Some(rows[0].cells.clone()),
        _ => None,
    });
    assert_eq!(cells.expect("rows")[2..], [Cell::Number(1.0), Cell::None], "by the column that was asked for");
    let path = page.world.transport.paths().pop().expect("asked");
    assert_eq!(path, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.dev?pretty=false");
    page.send(ToEngine::CloseView { view: 5 });
    page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    assert_eq!(columns(&page.received()), ["Namespace", "Name", "Size#", "Note*"]);
    assert_eq!(request_count(&page), 1);
}

#[test]
fn col_02_without_a_definition_columns_are_name_and_age_and_it_is_requested_again() {
    let page = Page::new();
    let _feed = things(&page);
    let plain = ["Namespace", "Name", "Age"];
    for reply in [Reply::status(403, "no"), Reply::json("{"), Reply::json("[]"), definition("v2")] {
        page.world.transport.reply(reply);
        page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
        let messages = page.received();
        assert_eq!(columns(&messages), plain);
        assert_eq!(patches(messages), [(2, vec!["0 n/a".into(), "1 n/b".into()])]);
    }
    assert_eq!(request_count(&page), 4);
    page.world.transport.reply(definition("v1"));
    page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    assert_eq!(columns(&page.received()).len(), 4);
}

#[test]
fn col_03_silent_server_delays_a_view_by_two_seconds_and_later_messages_count() {
    let page = Page::new();
    let _feed = things(&page);
    page.world.transport.reply(Reply::Silence);
    page.open_view(ViewOptions { end: 1, ..ViewOptions::default() });
    page.send(ToEngine::SetWindow { view: 5, start: 1, end: 2 });
    assert_eq!(columns(&page.received()), [""; 0], "it waits");
    page.world.pass(Duration::from_secs(2));
    let messages = page.received();
    assert_eq!(columns(&messages), ["Namespace", "Name", "Age"]);
    assert_eq!(patches(messages), [(2, vec!["1 n/b".into()])]);
}

#[test]
fn col_04_a_view_that_is_closed_before_it_opens_never_opens() {
    for close in [ToEngine::CloseView { view: 5 }, ToEngine::Stop { informer: 1 }] {
        let page = Page::new();
        let _feed = things(&page);
        page.world.transport.reply(Reply::Silence);
        page.open_view(ViewOptions { end: 1, ..ViewOptions::default() });
        let stopped = matches!(close, ToEngine::Stop { .. });
        page.send(close);
        // Another informer under the same number is none of the view's.
        let _pods = stopped.then(|| page.pods(&["n/p@1"]));
        page.world.pass(Duration::from_secs(3));
        let messages = page.received();
        assert!(columns(&messages).is_empty() && patches(messages).is_empty());
    }
}

#[test]
fn col_05_known_kinds_and_given_columns_send_no_request() {
    let page = Page::new();
    let _feed = page.pods(&["n/a@1"]);
    page.open_view(ViewOptions { end: 1, ..ViewOptions::default() });
    assert!(!columns(&page.received()).is_empty());
    let page = Page::new();
    let _feed = things(&page);
    let own = [("Mine".to_owned(), "{.spec.size}".to_owned())].into();
    page.open_view(ViewOptions { columns: own, end: 1, ..ViewOptions::default() });
    assert_eq!(columns(&page.received()), ["Mine"]);
    assert_eq!(request_count(&page), 0);
}

#[test]
fn col_07_cluster_scoped_kind_has_no_namespace_column_before_discovery() {
    for (resource, name) in [("v1/nodes", "Node"), ("v1/persistentvolumes", "PersistentVolume")] {
        let page = Page::new();
        let list = json!({"kind": format!("{name}List"), "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": [{"metadata": {"name": "a", "resourceVersion": "1"}}]});
        page.world.transport.reply(Reply::json(list.to_string()));
        let _feed = page.world.watch();
        page.send(ToEngine::Informer { informer: 1, resource: resource.into(), options: InformerOptions::default() });
        page.send(ToEngine::Start);
        page.open_view(ViewOptions { facets: vec!["Status".into()], end: 9, ..ViewOptions::default() });
        let messages = page.received();
        assert_eq!(columns(&messages)[0], "Name", "{resource}");
        assert_eq!(patches(messages), [(1, vec!["0 a".into()])]);
    }
}

#[test]
fn col_08_integer_beyond_double_precision_is_shown_verbatim_and_ordered_by_size() {
    let page = Page::new();
    let thing = |name: &str, size: &str| {
        format!(r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"1"}},"spec":{{"size":{size}}}}}"#)
    };
    let items =
        [thing("a", "9007199254740993"), thing("b", "7"), thing("c", "-18446744073709551616"), thing("d", "2.5e16")];
    let list = format!(r#"{{"kind":"ThingList","metadata":{{"resourceVersion":"1"}},"items":[{}]}}"#, items.join(","));
    page.world.transport.reply(Reply::json(list));
    let _feed = page.world.watch();
    let resource = "example.dev/v1/things".into();
    page.send(ToEngine::Informer { informer: 1, resource, options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    page.world.transport.reply(definition("v1"));
    page.open_view(ViewOptions { order_by: vec![OrderBy::ascending("size")], end: 9, ..ViewOptions::default() });
    let cells = page.received().into_iter().find_map(|message| match message {
        FromEngine::View { rows, .. } => Some(rows.into_iter().map(|row| row.cells[2].clone()).collect::<Vec<_>>()),
        _ => None,
    });
    let text = |text: &str| Cell::Text(text.to_owned());
    let expected = [
        text("-18446744073709551616"),
        Cell::Number(7.0),
        text("9007199254740993"),
        Cell::Number(25_000_000_000_000_000.0),
    ];
    assert_eq!(cells.expect("rows"), expected);
}
