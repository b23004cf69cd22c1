//! Normalised observations that must be equal: names stay, versions and times are removed.

use serde_json::Value;

/// `metadata.resourceVersion`; empty if it is missing.
pub(crate) fn version(object: &Value) -> String {
    object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned()
}

/// Names of objects, in their order.
pub(crate) fn names(objects: &[Value]) -> String {
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or("?").to_owned();
    objects.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Versions differ from run to run; other numbers, such as a bad limit's, do not.
fn without_versions(message: &str) -> String {
    if !message.contains("resource version") || message.contains("Invalid value") {
        return message.to_owned();
    }
    let mut plain = String::new();
    for character in message.chars() {
        if !character.is_ascii_digit() {
            plain.push(character);
        } else if !plain.ends_with('#') {
            plain.push('#');
        }
    }
    plain
}

/// A `Status` in one line: `404 NotFound: pods "x" not found {"name":"x","kind":"pods"}`.
pub(crate) fn status(code: u16, status: &Value) -> String {
    let reason = status["reason"].as_str().unwrap_or("-");
    let message = without_versions(status["message"].as_str().unwrap_or("-"));
    let mut line = format!("{code} {reason}: {message}");
    if let Some(details) = status["details"].as_object() {
        // The order of the keys is irrelevant.
        let mut details: Vec<String> =
            details.iter().filter(|(key, _)| *key != "uid").map(|(key, value)| format!("{key}={value}")).collect();
        details.sort_unstable();
        line = format!("{line} {{{}}}", details.join(" "));
    }
    for (what, odd) in [
        ("kind", status["kind"] != "Status"),
        ("code", status["code"] != code),
        ("status", status["status"] != "Failure"),
    ] {
        if odd {
            line = format!("{line} ({what} {})", status[what]);
        }
    }
    line
}

/// Keys of an object, sorted.
pub(crate) fn keys(object: &Value) -> String {
    let mut keys: Vec<&str> = object.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.join(" ")
}

/// A watch event in words: `ADDED a`, `BOOKMARK end`, `ERROR 410 Expired: …`.
pub(crate) fn event(event: &Value) -> String {
    let kind = event["type"].as_str().unwrap_or("?");
    let object = &event["object"];
    let code = object["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(0);
    let what = match kind {
        "ERROR" => status(code, object),
        "BOOKMARK" if ended(object) => "end".to_owned(),
        "BOOKMARK" => String::new(),
        _ => object["metadata"]["name"].as_str().unwrap_or_default().to_owned(),
    };
    format!("{kind} {what}").trim_end().to_owned()
}

/// Whether a bookmark closes the initial events; in a Table the mark is on its only row.
pub(crate) fn ended(object: &Value) -> bool {
    let marked = |object: &Value| object["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true";
    marked(object) || marked(&object["rows"][0]["object"])
}

/// A Table in words: its columns, and each row's first cell and object.
pub(crate) fn table(table: &Value) -> String {
    let columns = match &table["columnDefinitions"] {
        Value::Array(columns) => {
            let names: Vec<&str> = columns.iter().filter_map(|column| column["name"].as_str()).collect();
            format!("[{}]", names.join(","))
        }
        other => other.to_string(),
    };
    let rows: Vec<String> = table["rows"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| {
            format!("{}:{}", row["cells"][0].as_str().unwrap_or("-"), row["object"]["kind"].as_str().unwrap_or("null"))
        })
        .collect();
    format!("{} {columns} {}", table["kind"].as_str().unwrap_or("?"), rows.join(" ")).trim_end().to_owned()
}
