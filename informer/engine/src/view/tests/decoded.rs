//! Tests that the cells of a change in the window are decoded once, for table and row.

use super::*;

/// Rows in the window with decoded cells.
fn ready(view: &View) -> Vec<&str> {
    view.window.decoded().map(|row| view.table.name(row)).collect()
}

fn update(view: &mut View, key: &str, version: u32) -> Arc<Object> {
    let new = object(&pod(key), version);
    view.apply(&batch(vec![Change::Update { old: object(&pod(key), version - 1), new: Arc::clone(&new) }]), BEGINNING);
    new
}

#[test]
fn only_changes_in_sight_keep_their_cells_and_only_until_they_are_sent() {
    let mut view = view_of(2, &["n/b", "n/a", "n/c"]);
    view.patch(true, BEGINNING).expect("rows");
    assert!(ready(&view).is_empty());
    update(&mut view, "n/a", 2);
    update(&mut view, "n/c", 2);
    update(&mut view, "n/a", 3);
    assert_eq!(ready(&view), ["a"], "the other one is out of sight");
    assert_eq!(seen(&view.patch(true, BEGINNING).expect("changed")), [(0, "n/a")]);
    assert!(ready(&view).is_empty());
}

#[test]
fn a_row_has_the_decoded_cells_of_its_change() {
    let mut view = view_of(2, &["n/a", "n/b"]);
    view.patch(true, BEGINNING).expect("rows");
    let a = update(&mut view, "n/a", 2);
    let row = view.table.row_of("n/a").expect("a row");
    let cells = vec![Cell::Text("as it was decoded".into())];
    view.window.keep_cells(row, cells.clone());
    let patch = view.patch(true, BEGINNING).expect("changed");
    assert_eq!(patch.rows[0].cells, cells);
    // A replacement has cells of its own.
    view.window.keep_cells(row, cells);
    view.apply(&batch(vec![Change::Delete { object: a, final_state_unknown: false }]), BEGINNING);
    view.apply(&batch(vec![add(&object(&pod("n/aa"), 3))]), BEGINNING);
    assert_eq!(view.table.row_of("n/aa"), Some(row), "the number is used again");
    let patch = view.patch(true, BEGINNING).expect("changed");
    assert_eq!((patch.rows[0].key.as_str(), patch.rows[0].cells.len()), ("n/aa", view.headers().len()));
}

#[test]
fn an_unchanged_object_is_not_decoded_again() {
    let mut view = view_of(2, &["n/a"]);
    view.patch(true, BEGINNING).expect("rows");
    let a = update(&mut view, "n/a", 2);
    view.patch(true, BEGINNING).expect("changed");
    view.apply(&batch(vec![Change::Update { old: Arc::clone(&a), new: a }]), BEGINNING);
    assert!(ready(&view).is_empty());
    assert_eq!(view.patch(true, BEGINNING), None);
}

#[test]
fn rows_that_are_whole_objects_keep_no_cells() {
    let mut view = View::new(cells(), true, None);
    view.set_window(0, 2);
    view.apply(&batch(vec![add(&object(&pod("n/a"), 1))]), BEGINNING);
    view.patch(true, BEGINNING).expect("rows");
    update(&mut view, "n/a", 2);
    assert!(ready(&view).is_empty());
    assert_eq!(seen(&view.patch(true, BEGINNING).expect("changed")), [(0, "n/a")]);
}
