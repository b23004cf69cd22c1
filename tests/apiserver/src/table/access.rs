//! Rows of role bindings.

use serde_json::{Value, json};

use super::cells::{items, text};
use super::{age, name};

pub(super) fn binding(object: &Value) -> Vec<Value> {
    let subjects = |kind: &str, show: fn(&Value) -> String| {
        let of_kind = items(&object["subjects"]).filter(|subject| subject["kind"] == kind);
        json!(of_kind.map(show).collect::<Vec<_>>().join(", "))
    };
    let plain = |subject: &Value| text(&subject["name"]).to_owned();
    let role = &object["roleRef"];
    vec![
        name(object),
        json!(format!("{}/{}", text(&role["kind"]), text(&role["name"]))),
        age(object),
        subjects("User", plain),
        subjects("Group", plain),
        subjects("ServiceAccount", |subject| format!("{}/{}", text(&subject["namespace"]), text(&subject["name"]))),
    ]
}
