//! Transform: paths, and objects without what they lead to, also against a naive model.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::error::ErrorCode;

fn without(object: &Value, paths: &[&str]) -> Value {
    let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
    let text = object.to_string();
    let mut written = String::new();
    DroppedFields::parse(&paths).expect("valid").write(Json::new(&text), &mut written);
    serde_json::from_str(&written).expect(&written)
}

fn pod() -> Value {
    json!({
        "metadata": {"name": "a", "annotations": {"example.com/notes": "long", "other": "x"}, "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "env": [{"name": "A"}]}, {"name": "d", "env": []}], "nodeName": "n"},
        "status": {"phase": "Running"},
    })
}

#[test]
fn paths_remove_what_they_lead_to_and_nothing_else() {
    for (path, pointer) in [
        (".status", "/status"),
        ("{.status}", "/status"),
        ("{$.status}", "/status"),
        ("status", "/status"),
        ("['status']", "/status"),
        ("{.status.phase}", "/status/phase"),
        (r"metadata.annotations.example\.com/notes", "/metadata/annotations/example.com~1notes"),
        ("metadata.annotations['example.com/notes']", "/metadata/annotations/example.com~1notes"),
        (r#"{.metadata.annotations["example.com/notes"]}"#, "/metadata/annotations/example.com~1notes"),
        ("metadata.labels", "/metadata/labels"),
    ] {
        let mut expected = pod();
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        let parent = expected.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
        parent.remove(&name.replace("~1", "/")).expect("there");
        assert_eq!(without(&pod(), &[path]), expected, "{path}");
    }
}

#[test]
fn a_star_is_every_element_or_every_value() {
    let containers = json!([{"name": "c"}, {"name": "d"}]);
    assert_eq!(without(&pod(), &["spec.containers[*].env"])["spec"]["containers"], containers);
    assert_eq!(without(&pod(), &["spec.containers[*]"])["spec"]["containers"], json!([]));
    assert_eq!(without(&pod(), &["{.metadata.annotations.*}"])["metadata"]["annotations"], json!({}));
    assert_eq!(without(&pod(), &["spec.containers.env"]), pod(), "a name does not lead into an array");
}

#[test]
fn what_is_not_found_stays_without_an_error() {
    for path in ["spec.nothing", "status.phase.more", "spec.nodeName[*]", "spec.containers[*].env[*].value.x"] {
        assert_eq!(without(&pod(), &[path]), pod(), "{path}");
    }
}

#[test]
fn several_paths_apply_together() {
    let expected = json!({"metadata": {"name": "a", "labels": {"app": "web"}}});
    assert_eq!(without(&pod(), &["spec", "spec.nodeName", "status", "metadata.annotations"]), expected);
}

#[test]
fn fields_that_the_informer_needs_cannot_be_removed() {
    for path in [
        "metadata",
        "kind",
        ".apiVersion",
        "[*]",
        "metadata.name",
        "metadata['uid']",
        "*.name",
        "metadata[*]",
        "metadata.resourceVersion",
        "{.metadata.namespace}",
        "{.*.*}",
    ] {
        let error = DroppedFields::parse(&[path.to_owned()]).expect_err(path);
        assert_eq!(error.code(), ErrorCode::BadRequest);
        assert!(error.message().contains("needs"), "{error}");
    }
    assert!(DroppedFields::parse(&["metadata.name.x".to_owned(), "spec.name".to_owned()]).is_ok());
}

#[test]
fn a_wrong_path_is_an_error_with_its_position() {
    for (path, at, reason) in [
        ("", 0, "it has no field"),
        ("{}", 1, "it has no field"),
        ("{.spec", 6, "the brace is not closed"),
        (".spec[0]", 5, "only a name in quotes or *"),
        (".spec['a", 5, "the name in quotes is not closed"),
        (".spec..a", 6, "a name is missing"),
        ("spec.", 5, "a name is missing"),
        ("{.spec}x", 8, "the brace is not closed"),
        (".spec['a']b", 10, "a dot or a bracket is missing"),
        (".spec[?(@.a)]", 5, "only a name in quotes or *"),
        (".spec]", 5, "a dot or a bracket is missing"),
    ] {
        let message = DroppedFields::parse(&[path.to_owned()]).expect_err(path).message().to_owned();
        assert!(message.contains(&format!("at byte {at}: {reason}")), "{path}: {message}");
        assert!(message.starts_with("invalid path to drop"), "{message}");
    }
    assert!(DroppedFields::parse(&["a".repeat(5000)]).is_err());
}

/// The naive model: on a tree, one path after the other.
fn naive(value: &mut Value, path: &[Step]) {
    let Some((step, rest)) = path.split_first() else { return };
    match value {
        Value::Object(members) if rest.is_empty() => members.retain(|name, _| !step.matches(name)),
        Value::Object(members) => {
            members.iter_mut().filter(|(name, _)| step.matches(name)).for_each(|(_, member)| naive(member, rest));
        }
        Value::Array(items) if *step == Step::All && rest.is_empty() => items.clear(),
        Value::Array(items) if *step == Step::All => items.iter_mut().for_each(|item| naive(item, rest)),
        _ => {}
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), "[a-c\"\\\\é]{0,3}".prop_map(Value::from)];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = "[ab.\"é]{1,2}";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn path() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![3 => "[ab.\"é]{1,2}".prop_map(Step::Field), 1 => Just(Step::All)];
    prop::collection::vec(step, 1..4)
}

/// The text of a path.
fn text(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::All => "[*]".to_owned(),
        Step::Field(name) => format!(".{}", name.replace('.', "\\.")),
    };
    format!("{{{}}}", path.iter().map(step).collect::<String>())
}

proptest! {
    #[test]
    fn objects_are_as_of_the_naive_model(object in value(), paths in prop::collection::vec(path(), 0..4)) {
        let mut expected = object.clone();
        for path in &paths {
            naive(&mut expected, path);
        }
        let mut written = String::new();
        let json = object.to_string();
        DroppedFields { paths, write: write_without }.write(Json::new(&json), &mut written);
        prop_assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), expected);
    }

    #[test]
    fn the_text_of_a_path_is_read_as_the_path(path in path()) {
        prop_assume!(check(&path).is_ok());
        prop_assert_eq!(parse(&text(&path)).expect("valid"), path);
    }

    #[test]
    fn no_text_panics(text in ".{0,20}") {
        drop(parse(&text));
    }
}
