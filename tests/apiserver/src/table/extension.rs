//! Rows of webhook configurations and API services.

use serde_json::{Value, json};

use super::cells::{items, text};
use super::{age, name};

pub(super) fn webhooks(object: &Value) -> Vec<Value> {
    vec![name(object), json!(items(&object["webhooks"]).count()), age(object)]
}

pub(super) fn api_service(object: &Value) -> Vec<Value> {
    let service = &object["spec"]["service"];
    let service = if service.is_object() {
        format!("{}/{}", text(&service["namespace"]), text(&service["name"]))
    } else {
        "Local".to_owned()
    };
    let available = items(&object["status"]["conditions"]).find(|condition| condition["type"] == "Available");
    let available = available.map_or_else(
        || "Unknown".to_owned(),
        |condition| match text(&condition["status"]) {
            "True" => "True".to_owned(),
            status => format!("{status} ({})", text(&condition["reason"])),
        },
    );
    vec![name(object), json!(service), json!(available), age(object)]
}
