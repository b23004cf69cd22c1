//! Tests of the description of a change.

use serde_json::{Value, json};

use super::*;

fn field(path: &str, before: Value, after: Value) -> ChangedField {
    let some = |value: Value| Some(value).filter(|value| !value.is_null());
    ChangedField { path: path.to_owned(), before: some(before), after: some(after) }
}

fn one(path: &str, before: Value, after: Value) -> (Category, String) {
    describe_change(&[field(path, before, after)])
}

#[test]
fn a_field_is_named_for_what_happened() {
    for (path, before, after, category, line) in [
        (".spec.replicas", json!(3), json!(5), Category::Scale, "replicas 3 → 5"),
        (
            r#".spec.template.spec.containers[?(@.name=="web")].image"#,
            json!("web:1"),
            json!("web:2"),
            Category::Rollout,
            "web: image web:1 → web:2",
        ),
        (
            r#".status.containerStatuses[?(@.name=="web")].restartCount"#,
            json!(0),
            json!(1),
            Category::Restart,
            "web: restarted, 1 time in all",
        ),
        (
            r#".status.conditions[?(@.type=="Ready")].status"#,
            json!("True"),
            json!("False"),
            Category::Status,
            "Ready True → False",
        ),
        (".status.phase", json!("Pending"), json!("Running"), Category::Status, "phase Pending → Running"),
        (".status.reason", Value::Null, json!("Evicted"), Category::Eviction, "evicted set to Evicted"),
        (
            r#".status.conditions[?(@.type=="DisruptionTarget")]"#,
            Value::Null,
            json!({"type": "DisruptionTarget", "status": "True"}),
            Category::Eviction,
            "DisruptionTarget: evicted set to {…}",
        ),
        (".metadata.deletionTimestamp", Value::Null, json!("2026-01-01"), Category::Deleted, "deletion began"),
        (".metadata.labels.team", json!("a"), Value::Null, Category::Metadata, "labels.team removed, was a"),
        (".data.mode", json!(""), json!("fast"), Category::Config, "data.mode \"\" → fast"),
        (".spec.nodeName", Value::Null, json!("n1"), Category::Status, "scheduled on n1"),
        (".spec.paused", Value::Null, json!(true), Category::Config, "paused set to true"),
        (".spec.args", json!(["a"]), json!(["a", "b"]), Category::Config, "args a list of 1 → a list of 2"),
    ] {
        assert_eq!(one(path, before, after), (category, line.to_owned()), "{path}");
    }
}

#[test]
fn a_restart_count_that_falls_is_no_restart() {
    let (category, line) = one(r#".status.containerStatuses[?(@.name=="web")].restartCount"#, json!(3), json!(0));
    assert_eq!((category, line.as_str()), (Category::Status, "web: restartCount 3 → 0"));
}

#[test]
fn of_several_fields_the_most_important_one_is_told() {
    let fields = [
        field(".metadata.labels.a", json!("1"), json!("2")),
        field(".status.phase", json!("a"), json!("b")),
        field(".spec.replicas", json!(1), json!(2)),
    ];
    assert_eq!(describe_change(&fields), (Category::Scale, "replicas 1 → 2, and 2 more fields".to_owned()));
    assert_eq!(describe_change(&fields[..2]), (Category::Status, "phase a → b, and 1 more field".to_owned()));
    let ready = r#".status.conditions[?(@.type=="Ready")]."#;
    let fields = [
        field(&format!("{ready}lastTransitionTime"), json!("1"), json!("2")),
        field(&format!("{ready}status"), json!("True"), json!("False")),
    ];
    assert_eq!(describe_change(&fields).1, "Ready True → False, and 1 more field", "its time goes with it");
    assert_eq!(describe_change(&[]), (Category::Status, String::new()));
}

#[test]
fn long_and_strange_values_and_paths_do_no_harm() {
    let (_, line) = one(".spec.x", json!("é".repeat(1_000)), Value::Null);
    assert_eq!(line, format!("x removed, was {}…", "é".repeat(LONGEST)));
    for path in ["", ".", "[?(@.", r#".a[?(@.name=="x"#, r#".a[?(@.name=="\"].b")].c"#, ".metadata.labels.a\\.b/c"] {
        let _ = one(path, Value::Null, Value::Null);
    }
    assert_eq!(last(r#".a[?(@.name=="x.y")].c"#), "c");
    assert_eq!(last(r".metadata.labels.a\.b"), r"a\.b");
    assert_eq!(list_key(r#".a[?(@.name=="\"].b")].c"#), Some("\"].b".to_owned()));
    assert_eq!(list_key(r".a[?(@.port==80)].c"), Some("80".to_owned()));
}
