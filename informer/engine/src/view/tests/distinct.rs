//! Tests of columns with many distinct values, and of names that are added after a sort.

use super::*;

/// A view whose only column is the name, with these pods.
fn named(names: &[String]) -> View {
    let paths = [("called".to_owned(), ".metadata.name".to_owned())].into_iter().collect();
    let mut view = View::new(Cells::of_paths(&paths).expect("a path"), false, None);
    view.set_window(0, 2_000);
    view.apply(&batch(names.iter().map(|name| add(&object(&pod(&format!("n/{name}")), 1))).collect()), BEGINNING);
    view
}

fn by(column: &str, descending: bool) -> ViewQuery {
    ViewQuery { order_by: vec![OrderBy { column: column.to_owned(), descending }], ..ViewQuery::default() }
}

fn names_in(patch: Option<ViewPatch>) -> Vec<String> {
    let name = |row: Row| row.key.trim_start_matches("n/").to_owned();
    patch.expect("rows").rows.into_iter().map(name).collect()
}

#[test]
fn a_column_may_have_any_number_of_values() {
    let mut names: Vec<String> = (0..1_500).map(|n| format!("p-{}", n * 7 % 1_500)).collect();
    let mut view = named(&names);
    names.sort_by(|a, b| natural(b, a));
    view.change(&by("called", true), BEGINNING).expect("applied");
    assert_eq!(names_in(view.patch(true, BEGINNING)), names);
}

#[test]
fn values_that_no_row_has_any_more_are_released() {
    let mut view = view_of(5, &["n/a"]);
    let values = |view: &View| view.table.columns.iter().map(|column| column.values.len()).collect::<Vec<_>>();
    for version in 0..200u8 {
        let pod = Pod { restarts: version, ..pod("n/a") };
        view.apply(&batch(vec![add(&object(&pod, u32::from(version)))]), BEGINNING);
    }
    // The missing value, and those of the last two versions.
    assert!(values(&view).iter().all(|count| *count <= 3), "{:?}", values(&view));
    let last = object(&pod("n/a"), 201);
    view.apply(&batch(vec![Change::Delete { object: last, final_state_unknown: false }]), BEGINNING);
    let used = view.table.columns.iter().map(|column| column.values.used_ids().count()).sum::<usize>();
    assert_eq!(used, 0);
}

#[test]
fn names_added_after_a_sort_are_merged() {
    let mut names: Vec<String> = (0..60).map(|n| format!("p-{}", n * 2)).collect();
    let mut view = named(&names);
    view.change(&by("name", false), BEGINNING).expect("applied");
    for name in ["p-31", "p-7", "a", "z", "p-118-x"] {
        names.push(name.to_owned());
        view.apply(&batch(vec![add(&object(&pod(&format!("n/{name}")), 1))]), BEGINNING);
    }
    names.sort_by(|a, b| natural(a, b));
    view.change(&by("called", false), BEGINNING).expect("applied");
    assert_eq!(names_in(view.patch(true, BEGINNING)), names);
    names.reverse();
    view.change(&by("name", true), BEGINNING).expect("applied");
    view.set_window(0, 0);
    view.patch(true, BEGINNING);
    view.set_window(0, 99);
    assert_eq!(names_in(view.patch(true, BEGINNING)), names);
}
