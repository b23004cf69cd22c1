//! Tests of sorting: rows without a value in the sort column come last, in both directions.

use super::*;

/// A view with its own columns, of pods whose node and creation time may be missing.
fn view() -> View {
    let paths = [("made", ".metadata.creationTimestamp"), ("node", ".spec.nodeName"), ("zone", ".spec.zone")];
    let paths = paths.map(|(name, path)| (name.to_owned(), path.to_owned())).into();
    let mut view = View::new(Cells::of_paths(&paths).expect("paths"), false, None);
    view.set_window(0, 99);
    view
}

fn thing(name: &str, node: &str, zone: &str, created: Option<u8>) -> Change<Object> {
    let created = created.map_or(String::new(), |s| format!(r#","creationTimestamp":"2026-01-01T00:00:{s:02}Z""#));
    let member = |member: &str, value: &str| match value {
        "" => String::new(),
        value => format!(r#""{member}":"{value}""#),
    };
    let members: Vec<String> =
        [member("nodeName", node), member("zone", zone)].into_iter().filter(|member| !member.is_empty()).collect();
    let json = format!(
        r#"{{"metadata":{{"namespace":"n","name":"{name}","uid":"{name}","resourceVersion":"1"{created}}},"spec":{{{}}}}}"#,
        members.join(",")
    );
    add(&Arc::new(Object::from_json(&json, None).expect("valid")))
}

fn things() -> Vec<Change<Object>> {
    vec![
        thing("a", "", "west", Some(30)),
        thing("b", "n-2", "", None),
        thing("c", "n-10", "east", Some(10)),
        thing("d", "", "", None),
        thing("e", "n-2", "west", Some(20)),
    ]
}

/// Names in order, computed twice: sorted as a whole, and inserted one by one. Both must be equal.
fn ordered(by: &[(&str, bool)]) -> String {
    let order_by: Vec<_> =
        by.iter().map(|(column, descending)| OrderBy { column: (*column).into(), descending: *descending }).collect();
    let names = |view: &View| view.ranked.rows().iter().map(|row| view.table.name(*row)).collect::<String>();
    let mut together = view();
    together.apply(&batch(things()), BEGINNING);
    together.change(&ViewQuery { order_by: order_by.clone(), ..ViewQuery::default() }, BEGINNING).expect("applied");
    let mut one_by_one = view();
    one_by_one.change(&ViewQuery { order_by, ..ViewQuery::default() }, BEGINNING).expect("applied");
    for thing in things() {
        one_by_one.apply(&batch(vec![thing]), BEGINNING);
    }
    assert_eq!(names(&one_by_one), names(&together), "{by:?}");
    names(&together)
}

#[test]
fn rows_without_a_value_come_last_in_both_directions() {
    assert_eq!(ordered(&[("node", false)]), "becad");
    assert_eq!(ordered(&[("node", true)]), "cbead");
    assert_eq!(ordered(&[("zone", false)]), "caebd");
    assert_eq!(ordered(&[("zone", true)]), "aecbd");
    assert_eq!(ordered(&[("node", true), ("zone", true)]), "cebad");
    assert_eq!(ordered(&[("zone", true), ("node", false)]), "eacbd");
}

#[test]
fn moments_and_ages_are_ordered_both_ways_with_the_unknown_last() {
    // Both are shown as ages, which ascend from the youngest.
    for column in ["made", "age"] {
        assert_eq!(ordered(&[(column, false)]), "aecbd");
        assert_eq!(ordered(&[(column, true)]), "ceabd");
    }
}

#[test]
fn names_and_namespaces_are_ordered_both_ways() {
    assert_eq!(ordered(&[("name", false)]), "abcde");
    assert_eq!(ordered(&[("name", true)]), "edcba");
    assert_eq!(ordered(&[("namespace", true), ("name", true)]), "edcba");
}
