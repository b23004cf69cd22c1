//! View queries: their replies, applied or rejected.

use informer::transport::scripted::Reply;
use informer_engine::columns::Cell;
use informer_engine::message::{FromEngine, OrderBy, Read, ToEngine, ViewOptions};

use super::printer_columns::{definition_text, things};
use super::{Page, change, patches};
use crate::harness::send;

/// Returns the messages of the view, in order, each with its query id.
fn view_messages(messages: &[FromEngine]) -> Vec<String> {
    let word = |message: &FromEngine| match message {
        FromEngine::Columns { .. } => Some("columns".to_owned()),
        FromEngine::View { query_id, .. } => Some(format!("rows of {query_id}")),
        FromEngine::Facets { query_id, .. } => Some(format!("counts of {query_id}")),
        FromEngine::QueryResult { view: 5, query_id, rejection: None } => Some(format!("{query_id} applied")),
        FromEngine::QueryResult { view: 5, query_id, rejection: Some(_) } => Some(format!("{query_id} rejected")),
        _ => None,
    };
    messages.iter().filter_map(word).collect()
}

/// Returns a view query with another order and window.
fn reorder(query_id: u32, column: &str, filter: &str) -> ToEngine {
    let order_by = vec![OrderBy { column: column.into(), descending: true }];
    let (filter, facets, namespaces) = (filter.to_owned(), Vec::new(), Vec::new());
    ToEngine::ChangeView { view: 5, query_id, filter, order_by, facets, namespaces, window: Some(0..1) }
}

#[test]
fn each_view_query_has_one_result_after_its_rows() {
    let page = Page::new();
    let feed = page.pods(&["a/web@1", "b/web@2", "b/db@3"]);
    page.open_view(ViewOptions { end: 9, ..ViewOptions::default() });
    assert_eq!(view_messages(&page.received()), ["columns", "1 applied", "rows of 1"]);
    for (query_id, filter) in [(2, "web"), (3, "web ("), (4, "w"), (5, "colour=red"), (6, "b/")] {
        page.send(change(query_id, filter));
    }
    let messages = page.received();
    let expected = [
        ["rows of 2", "counts of 2", "2 applied", "3 rejected"].as_slice(),
        // The same rows are in sight.
        &["counts of 4", "4 applied", "5 rejected", "rows of 6", "counts of 6", "6 applied"],
    ];
    assert_eq!(view_messages(&messages), expected.concat());
    send(&feed, &["-b/db@4"]);
    assert_eq!(view_messages(&page.received()), ["rows of 6", "counts of 6"]);
}

#[test]
fn an_invalid_filter_is_rejected_and_the_last_one_stays() {
    let page = Page::new();
    let feed = page.pods(&["n/web@1", "n/db@2"]);
    page.open_view(ViewOptions { filter: "web".into(), end: 9, ..ViewOptions::default() });
    page.received();
    page.send(change(2, "😀 (web"));
    let messages = page.received();
    let [FromEngine::QueryResult { view: 5, query_id: 2, rejection: Some(rejection) }] = messages.as_slice() else {
        panic!("{messages:?}");
    };
    assert_eq!((rejection.start, rejection.end), (3, 4));
    assert!(rejection.error.message.contains("unclosed bracket"), "{}", rejection.error.message);
    send(&feed, &["+n/web-2@3", "+n/db-2@4"]);
    assert_eq!(patches(page.received()), [(2, vec!["1 n/web-2".into()])]);
}

#[test]
fn a_view_query_sets_its_window_and_a_rejected_one_changes_neither_window_nor_order() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2", "n/c@3"]);
    page.open_view(ViewOptions { start: 1, end: 3, ..ViewOptions::default() });
    page.received();
    for rejected in [reorder(2, "name", "("), reorder(3, "colour", "n/")] {
        page.send(rejected);
    }
    assert_eq!(view_messages(&page.received()), ["2 rejected", "3 rejected"]);
    send(&feed, &["~n/a@11", "~n/c@12"]);
    let messages = page.received();
    assert_eq!(view_messages(&messages), ["rows of 1"]);
    assert_eq!(patches(messages), [(3, vec!["2 n/c".into()])], "the window is where it was, and the order");
    page.send(reorder(4, "name", "n/"));
    let messages = page.received();
    assert_eq!(view_messages(&messages), ["rows of 4", "4 applied"]);
    assert_eq!(patches(messages), [(3, vec!["0 n/c".into()])], "at once, and nothing of another window before");
}

#[test]
fn an_invalid_view_is_rejected() {
    let page = Page::new();
    let _feed = page.pods(&["n/web@1"]);
    let columns = || [("x".to_owned(), "{".to_owned())].into();
    for (options, received) in [
        (ViewOptions { columns: columns(), ..ViewOptions::default() }, ["1 rejected"].as_slice()),
        (ViewOptions { label_selector: Some("a=!".into()), ..ViewOptions::default() }, &["1 rejected"]),
        // An invalid query leaves the view open: it shows every row.
        (
            ViewOptions { order_by: vec![OrderBy::ascending("colour")], end: 1, ..ViewOptions::default() },
            &["columns", "1 rejected", "rows of 0"],
        ),
    ] {
        page.open_view(options);
        assert_eq!(view_messages(&page.received()), received);
    }
    page.send(change(2, "web"));
    assert_eq!(view_messages(&page.received()), ["counts of 2", "2 applied"], "of the last one, and with the same row");
}

#[test]
fn col_06_view_queries_are_decided_once_the_columns_are_known() {
    let page = Page::new();
    let _feed = things(&page);
    let (server, slow) = Reply::stream();
    page.world.transport.reply(slow);
    page.open_view(ViewOptions { filter: "size>1".into(), end: 9, ..ViewOptions::default() });
    for message in [change(2, "size>"), reorder(3, "note", ""), reorder(4, "size", "size<9")] {
        page.send(message);
    }
    // The cache responds to reads meanwhile, independently of the view.
    assert!(page.read(Read::ListKeys).is_ok());
    assert_eq!(view_messages(&page.received()), [""; 0], "the columns are not known yet");
    server.unbounded_send(Ok(definition_text("v1").into_bytes())).expect("open");
    drop(server);
    let messages = page.received();
    let results = ["columns", "1 applied", "2 rejected", "3 applied", "4 applied"];
    let answers: Vec<_> =
        view_messages(&messages).into_iter().filter(|word| results.contains(&word.as_str())).collect();
    assert_eq!(answers, results);
    let shown = messages.iter().rev().find_map(|message| match message {
        FromEngine::View { query_id: 4, start: 0, end: 1, total: 2, rows, .. } => rows.first(),
        _ => None,
    });
    assert_eq!(shown.map(|row| &row.cells[2]), Some(&Cell::Number(3.0)), "in the last order and window");
}
