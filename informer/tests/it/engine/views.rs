//! Views: the window of a page, and what changes in it.

use informer::columns::Cell;
use informer::message::{FromEngine, InformerOptions, OrderBy, ToEngine, ViewOptions};
use informer::transport::scripted::Reply;

use super::{Page, patches};
use crate::harness::send;

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
    let order_by = vec![OrderBy { column: "name".into(), descending: true }];
    page.open_view(ViewOptions { filter: "WEB".into(), order_by, end: 9, ..ViewOptions::default() });
    assert_eq!(patches(page.heard()), [(2, vec!["0 a/web-10".into(), "1 b/web-9".into()])]);
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
