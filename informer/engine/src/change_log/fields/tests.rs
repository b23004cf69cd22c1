//! Tests of field changes: examples, and a model that applies them.

use informer::JsonPath;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::path::json_path;
use super::*;

/// The fields of a change: path, before, after.
fn lines(before: &Value, after: &Value) -> Vec<String> {
    let (before, after) = (before.to_string(), after.to_string());
    let text = |json: Option<Json<'_>>| json.map_or("-".to_owned(), |json| json.text().to_owned());
    let fields = field_changes(&before, &after);
    assert_eq!(has_field_changes(&before, &after), !fields.is_empty());
    fields
        .iter()
        .map(|field| format!("{} {} {}", json_path(&field.path), text(field.before), text(field.after)))
        .collect()
}

#[test]
fn lists_are_compared_by_their_merge_key() {
    let pod = |image: &str, ready: &str, env: &Value| {
        json!({
            "metadata": { "name": "web", "resourceVersion": image },
            "spec": { "containers": [{ "name": "log", "image": "l" }, { "name": "web", "image": image, "env": env }] },
            "status": { "conditions": [{ "type": "Ready", "status": ready, "lastProbeTime": image }] },
        })
    };
    let env = json!([{ "name": "A", "value": "1" }, { "name": "B", "value": "2" }]);
    assert_eq!(lines(&pod("v1", "True", &env), &pod("v1", "True", &env)), [""; 0]);
    assert_eq!(
        lines(&pod("v1", "False", &env), &pod("v2", "True", &json!([{ "name": "B", "value": "3" }]))),
        [
            r#".spec.containers[?(@.name=="web")].env[?(@.name=="A")] {"name":"A","value":"1"} -"#,
            r#".spec.containers[?(@.name=="web")].env[?(@.name=="B")].value "2" "3""#,
            r#".spec.containers[?(@.name=="web")].image "v1" "v2""#,
            r#".status.conditions[?(@.type=="Ready")].status "False" "True""#,
        ]
    );
    // Another order is a change of the list.
    let reversed = json!([{ "name": "B", "value": "2" }, { "name": "A", "value": "1" }]);
    let [line] = &lines(&pod("v1", "True", &env), &pod("v1", "True", &reversed))[..] else { panic!("one field") };
    assert!(line.starts_with(r#".spec.containers[?(@.name=="web")].env [{"name":"A""#), "{line}");
}

#[test]
fn other_lists_are_compared_by_place() {
    let args = |args: &[&str]| json!({ "args": args });
    assert_eq!(lines(&args(&["a", "b"]), &args(&["a", "c", "d"])), [r#".args[1] "b" "c""#, r#".args[2] - "d""#]);
    // A key that identifies no element: two ports with one number, elements without a name.
    let ports =
        |protocol: &str| json!({ "ports": [{ "port": 53, "protocol": "TCP" }, { "port": 53, "protocol": protocol }] });
    assert_eq!(lines(&ports("UDP"), &ports("SCTP")), [r#".ports[1].protocol "UDP" "SCTP""#]);
    let port = |name: &str| json!({ "ports": [{ "port": 53, "name": name }, { "port": 80 }] });
    assert_eq!(lines(&port("a"), &port("b")), [r#".ports[?(@.port==53)].name "a" "b""#]);
    assert_eq!(lines(&json!({ "env": [1] }), &json!({ "env": [{ "name": "a" }] })), [r#".env[0] 1 {"name":"a"}"#]);
}

#[test]
fn versions_and_heartbeats_are_left_out() {
    let object = |kind: &str, text: &str| {
        json!({
            "kind": kind,
            "metadata": { "resourceVersion": text, "managedFields": [{ "time": text }] },
            "spec": { "renewTime": text },
            "status": { "conditions": [{ "type": "Ready", "lastHeartbeatTime": text, "lastProbeTime": text }] },
        })
    };
    assert_eq!(lines(&object("Lease", "1"), &object("Lease", "2")), [""; 0]);
    assert_eq!(lines(&object("Pod", "1"), &object("Pod", "2")), [r#".spec.renewTime "1" "2""#]);
    // Also if they appear or disappear, and in no other place.
    assert_eq!(lines(&json!({ "metadata": {} }), &json!({ "metadata": { "managedFields": [] } })), [""; 0]);
    let other = |text: &str| json!({ "spec": { "resourceVersion": text } });
    assert_eq!(lines(&other("1"), &other("2")), [r#".spec.resourceVersion "1" "2""#]);
}

#[test]
fn members_are_compared_in_any_order() {
    let fields = |before, after| {
        let found = field_changes(before, after);
        found.iter().map(|field| json_path(&field.path)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(fields(r#"{"a":1,"b":[2]}"#, r#"{ "b" : [ 2 ] , "a" : 1 }"#), "");
    assert_eq!(fields(r#"{"a":"\u0041"}"#, r#"{"a":"A"}"#), "");
    assert_eq!(fields(r#"{"a":null,"b":1,"c":{}}"#, r#"{"c":[],"a":1}"#), ".a .b .c");
    // No JSON, no panic.
    for text in ["", "{", "[1,", "{\"a\":", "nul"] {
        field_changes(text, "{\"a\":[1]}");
        field_changes("{\"a\":[1]}", text);
    }
    let deep = |leaf: &str| format!("{}{leaf}{}", "[".repeat(4_000), "]".repeat(4_000));
    assert_eq!(field_changes(&deep("1"), &deep("2")).len(), 1);
}

/// Applies a field change to a value, as the documentation describes it.
fn apply(value: &mut Value, path: &[Step<'_>], after: Option<Json<'_>>) {
    let parse = |json: Json<'_>| serde_json::from_str::<Value>(json.text()).expect("JSON");
    let Some((step, rest)) = path.split_first() else {
        *value = parse(after.expect("a root"));
        return;
    };
    match (step, value) {
        (Step::Name(name), Value::Object(members)) => match (rest, after) {
            ([], None) => drop(members.remove(&**name)),
            ([], Some(after)) => drop(members.insert(name.clone().into_owned(), parse(after))),
            _ => apply(members.get_mut(&**name).expect("a member"), rest, after),
        },
        (Step::Index(index), Value::Array(items)) => match (rest, after) {
            // Elements are removed from the end: a later path has a higher index.
            ([], None) => items[*index] = Value::String("removed".into()),
            ([], Some(after)) if *index == items.len() => items.push(parse(after)),
            ([], Some(after)) => items[*index] = parse(after),
            _ => apply(&mut items[*index], rest, after),
        },
        (Step::Key(name, key), Value::Array(items)) => {
            let key = parse(*key);
            let place = items.iter().position(|item| item[name] == key);
            match (rest, after, place) {
                ([], None, Some(place)) => drop(items.remove(place)),
                ([], Some(after), None) => items.push(parse(after)),
                ([], Some(after), Some(place)) => items[place] = parse(after),
                (_, _, Some(place)) => apply(&mut items[place], rest, after),
                (_, _, None) => panic!("no element {key}"),
            }
        }
        (step, value) => panic!("{step:?} of {value}"),
    }
}

/// A value without what a comparison ignores: removed elements, versions, and the places of elements that have a merge
/// key.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> =
                items.iter().filter(|item| *item != &Value::String("removed".into())).map(canonical).collect();
            if items.iter().all(|item| item["name"].is_string()) {
                items.sort_by_key(|item| item["name"].to_string());
            }
            items.into()
        }
        Value::Object(members) => {
            let members = members.iter().filter(|(name, _)| *name != "resourceVersion");
            members.map(|(name, value)| (name.clone(), canonical(value))).collect::<serde_json::Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// Values in which names, keys and lists meet often.
fn value() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["env", "args", "containers", "a.b/c", "*", "@x [y]", "résumé \"q\"", "spec"]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3u8).prop_map(Value::from),
        "[a-c\"\\\\é]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        let key = prop::sample::select(vec!["x", "y", "z \"1\"\\"]);
        let item = (key, inner.clone()).prop_map(|(name, value)| json!({ "name": name, "value": value }));
        prop_oneof![
            2 => prop::collection::btree_map(name.clone(), inner.clone(), 0..5).prop_map(|members| {
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<_, _>>().into()
            }),
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            2 => prop::collection::vec(item, 0..4).prop_map(Value::from),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    (value(), value(), value()).prop_map(|(env, containers, spec)| {
        json!({ "metadata": { "resourceVersion": spec.to_string() }, "env": env, "containers": containers, "spec": spec })
    })
}

proptest! {
    #[test]
    fn the_fields_applied_to_before_give_after(before in object(), after in object()) {
        let (earlier, later) = (before.to_string(), after.to_string());
        let mut applied = before.clone();
        for field in field_changes(&earlier, &later) {
            apply(&mut applied, &field.path, field.after);
        }
        prop_assert_eq!(canonical(&applied), canonical(&after));
    }

    #[test]
    fn a_path_finds_the_values_of_its_field(before in object(), after in object()) {
        let (earlier, later) = (before.to_string(), after.to_string());
        for field in field_changes(&earlier, &later) {
            let path = format!("{{{}}}", json_path(&field.path));
            let path = JsonPath::parse(&path).map_err(|error| TestCaseError::fail(error.to_string()))?;
            for (text, value) in [(&earlier, field.before), (&later, field.after)] {
                let expected: Vec<String> = match value {
                    // Null is not a value of a path.
                    Some(value) if !value.is_null() => vec![value.as_str().map_or_else(|| value.text().to_owned(), Into::into)],
                    _ => Vec::new(),
                };
                // Of a missing element, the path finds nothing.
                prop_assert_eq!(path.values(text).expect("JSON"), expected, "{:?}", path);
            }
        }
    }
}
