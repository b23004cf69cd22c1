//! Row of a horizontal pod autoscaler: the current and desired value of each metric.

use serde_json::{Value, json};

use super::cells::{either, items, number, text};
use super::{age, name};

pub(super) fn cells(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let target = &spec["scaleTargetRef"];
    vec![
        name(object),
        json!(format!("{}/{}", text(&target["kind"]), text(&target["name"]))),
        json!(metrics(&spec["metrics"], &status["currentMetrics"])),
        json!(spec["minReplicas"].as_i64().map_or_else(|| "<unset>".to_owned(), |min| min.to_string())),
        json!(number(&spec["maxReplicas"])),
        json!(number(&status["currentReplicas"])),
        age(object),
    ]
}

fn metrics(specs: &Value, statuses: &Value) -> String {
    let shown: Vec<String> = items(specs).enumerate().map(|(at, spec)| metric(spec, &statuses[at])).collect();
    match shown.len() {
        0 => "<none>".to_owned(),
        1 | 2 => shown.join(", "),
        many => format!("{} + {} more...", shown[..2].join(", "), many - 2),
    }
}

fn metric(spec: &Value, status: &Value) -> String {
    let value = |value: &Value| if value.is_null() { "<unknown>".to_owned() } else { either(value) };
    let percent = |value: &Value, none: &str| value.as_i64().map_or_else(|| none.to_owned(), |n| format!("{n}%"));
    let (field, resource) = match text(&spec["type"]) {
        "External" => ("external", false),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        _ => return "<unknown type>".to_owned(),
    };
    let (target, current) = (&spec[field]["target"], &status[field]["current"]);
    let average = target["averageValue"].is_string();
    let shown = match (resource, average) {
        (true, false) => {
            let current = percent(&current["averageUtilization"], "<unknown>");
            format!("{current}/{}", percent(&target["averageUtilization"], "<auto>"))
        }
        (_, true) => format!("{}/{}", value(&current["averageValue"]), value(&target["averageValue"])),
        (false, false) => format!("{}/{}", value(&current["value"]), value(&target["value"])),
    };
    match (resource, average, field) {
        (true, ..) => format!("{}: {shown}", text(&spec[field]["name"])),
        (_, true, "external" | "object") => format!("{shown} (avg)"),
        _ => shown,
    }
}
