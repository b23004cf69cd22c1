//! Odd input: arbitrary JSON in place of any part of an object never leads to a panic.

use std::sync::OnceLock;

use kube_objects::{Link, diagnose, edges, needs, picture, summary};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures::{Fixture, all, with_answers};

/// Any JSON.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-zé0-9/:.,{}%* -]{0,20}".prop_map(Value::from),
        Just(json!("-9223372036854775808")),
        Just(json!("2026-11-22T12:00:00Z")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z.]{0,12}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// The fixtures, read once.
fn fixtures() -> &'static [Fixture] {
    static FIXTURES: OnceLock<Vec<Fixture>> = OnceLock::new();
    FIXTURES.get_or_init(all)
}

/// The paths of all values in a tree.
fn places(tree: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match tree {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            places(value, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
        }),
        Value::Array(items) => {
            for (n, value) in items.iter().enumerate() {
                places(value, &format!("{at}/{n}"), found);
            }
        }
        _ => {}
    }
}

fn read_all(object: &Value, related: &[Value], now: f64) {
    with_answers(object, related, now, |subject| {
        drop(needs(subject));
        drop(diagnose(subject));
        drop(summary(subject));
        drop(picture(&Link::of(subject.object), &edges(subject)));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_field_may_be_anything(which in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(), odd in any_json(), of_related in any::<bool>(), now in any::<f64>()) {
        let fixture = which.get(fixtures());
        let mut json = fixture.json.clone();
        let part = if of_related { "related" } else { "object" };
        let mut all_places = Vec::new();
        places(&json[part], "", &mut all_places);
        let place = place.get(&all_places).clone();
        if let Some(value) = json[part].pointer_mut(&place) {
            *value = odd;
        }
        let related = json["related"].as_array().cloned().unwrap_or_default();
        read_all(&json["object"], &related, fixture.now());
        read_all(&json["object"], &related, now);
    }

    #[test]
    fn an_object_may_be_anything(odd in any_json(), which in any::<prop::sample::Index>()) {
        let fixture = which.get(fixtures());
        let mut object = json!({"apiVersion": fixture.json["object"]["apiVersion"], "kind": fixture.json["object"]["kind"]});
        object["metadata"] = json!({"name": "a", "namespace": "b", "uid": "c", "creationTimestamp": "2020-01-01T00:00:00Z"});
        object["spec"] = odd.clone();
        object["status"] = odd;
        read_all(&object, &[], fixture.now());
    }
}
