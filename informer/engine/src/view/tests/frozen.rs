//! Tests of a frozen order: its effect, and its end.

use super::*;

#[test]
fn an_empty_view_has_nothing_to_freeze() {
    let mut view = view_of(3, &[]);
    view.patch(true, BEGINNING).expect("it says that it is empty");
    view.freeze_order(true);
    view.apply(&batch(vec![add(&object(&pod("n/b"), 1))]), BEGINNING);
    assert_eq!(seen(&view.patch(true, BEGINNING).expect("a row")), [(0, "n/b")]);
    view.apply(&batch(vec![add(&object(&pod("n/a"), 1))]), BEGINNING);
    assert_eq!(view.patch(true, BEGINNING).map(|patch| (patch.rows.len(), patch.total)), Some((0, 2)));
}

#[test]
fn another_filter_releases_the_places_once() {
    let mut view = view_of(3, &["n/a", "n/b"]);
    view.patch(true, BEGINNING).expect("rows");
    view.freeze_order(true);
    view.change(&view_query("b"), BEGINNING).expect("applied");
    let patch = view.patch(true, BEGINNING).expect("other rows");
    assert_eq!((seen(&patch), patch.end), (vec![(0, "n/b")], 1));
    view.apply(&batch(vec![add(&object(&pod("n/ab"), 1))]), BEGINNING);
    let patch = view.patch(true, BEGINNING).expect("another total");
    assert_eq!((patch.rows.len(), patch.total, patch.end), (0, 2, 1), "and holds those");
}

#[test]
fn another_window_releases_them_too() {
    let mut view = view_of(1, &["n/b", "n/c"]);
    view.patch(true, BEGINNING).expect("rows");
    view.freeze_order(true);
    view.apply(&batch(vec![add(&object(&pod("n/a"), 1))]), BEGINNING);
    view.set_window(0, 2);
    assert_eq!(seen(&view.patch(true, BEGINNING).expect("other rows")), [(0, "n/a"), (1, "n/b")]);
}
