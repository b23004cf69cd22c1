//! Tests of filters: matches of a text, and terms that no value of a column satisfies.

use super::*;

#[test]
fn a_duration_is_compared_with_a_duration() {
    let jobs = "batch/v1/jobs".parse().expect("a resource");
    let mut view = View::new(Cells::of_table(columns_of(&jobs, true), &jobs), false, None);
    for filter in ["duration<5m", "duration=", "duration!=<none>"] {
        view.change(&view_query(filter), BEGINNING).expect(filter);
    }
    for filter in ["duration=5m", "duration>3", "duration~5"] {
        let rejection = view.change(&view_query(filter), BEGINNING).expect_err(filter);
        assert!(rejection.message.starts_with("\"duration\" is a duration; compare it with"), "{}", rejection.message);
    }
}

/// The keys that match a filter, both if all rows are tested at once and if each is tested at its arrival.
fn left(filter: &str, pods: &[Pod]) -> Vec<String> {
    let objects: Vec<_> = pods.iter().map(|pod| add(&object(pod, 1))).collect();
    let shown = |mut view: View| {
        view.set_window(0, 99);
        let patch = view.patch(true, BEGINNING).expect("rows");
        assert_eq!((patch.rows.len(), patch.of), (patch.total, pods.len()), "{filter}");
        patch.rows.into_iter().map(|row| row.key).collect::<Vec<_>>()
    };
    let (mut scanned, mut each) = (View::new(cells(), false, None), View::new(cells(), false, None));
    scanned.apply(&batch(objects.clone()), BEGINNING);
    scanned.change(&view_query(filter), BEGINNING).expect(filter);
    each.change(&view_query(filter), BEGINNING).expect(filter);
    each.apply(&batch(objects), BEGINNING);
    let (scanned, each) = (shown(scanned), shown(each));
    assert_eq!(scanned, each, "{filter}");
    scanned
}

#[test]
fn texts_and_patterns_are_found_in_cells_and_keys() {
    let pending = Pod { phase: "Pending", restarts: 7, ..pod("n/b") };
    let pods = [pod("n/a"), pending, pod("m/running")];
    for (filter, expected) in [
        ("running", vec!["m/running", "n/a"]),
        ("/^run/", vec!["m/running", "n/a"]),
        ("/^pend|^m/", vec!["m/running", "n/b"]),
        ("node-7", vec!["n/b"]),
        ("/^node-7$/", vec!["n/b"]),
        // No cell without a value is found by a pattern that an empty text has.
        ("/^$/", vec![]),
        ("-/^$/", vec!["m/running", "n/a", "n/b"]),
        ("running OR -status=Running", vec!["m/running", "n/a", "n/b"]),
        ("n/a OR -node-7", vec!["m/running", "n/a"]),
        ("-(n/a OR -node-7)", vec!["n/b"]),
        ("-n/a -node-7", vec!["m/running"]),
    ] {
        assert_eq!(left(filter, &pods), expected, "{filter}");
    }
}

#[test]
fn ages_turn_beneath_a_negation_and_in_columns() {
    let mut view = view_of(5, &["n/a"]);
    view.change(&view_query("-age<30s"), BEGINNING).expect("applied");
    assert_eq!(view.patch(true, BEGINNING).map(|patch| patch.total), Some(0));
    assert_eq!(view.retests.next(), Some(BEGINNING + 30_000.0));
    assert_eq!(view.patch(true, BEGINNING + 30_000.0).map(|patch| patch.total), Some(1));

    let paths = [("when".to_owned(), ".metadata.creationTimestamp".to_owned())].into_iter().collect();
    let mut view = View::new(Cells::of_paths(&paths).expect("a path"), false, None);
    view.set_window(0, 5);
    view.apply(&batch(vec![add(&object(&pod("n/a"), 1))]), BEGINNING);
    view.change(&view_query("when<30s"), BEGINNING).expect("applied");
    assert_eq!(view.retests.next(), Some(BEGINNING + 30_000.0));
    let rejection = view.change(&view_query("colour=red"), BEGINNING).expect_err("no such column");
    assert!(rejection.message.contains("The columns are namespace, name, age, when."), "{}", rejection.message);
}
