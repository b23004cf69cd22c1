//! Cell functions: text and numbers of an object, selectors and lists as text.

use serde_json::Value;

/// Returns a string; empty if it is missing.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a string, or a default.
pub(super) fn text_or<'a>(value: &'a Value, none: &'a str) -> &'a str {
    value.as_str().filter(|text| !text.is_empty()).unwrap_or(none)
}

/// Returns a number; 0 if it is missing.
pub(super) fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// Returns the elements of a list; none if it is missing.
pub(super) fn items(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// An int-or-string as text.
pub(super) fn either(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `a,b,c`.
pub(super) fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

/// A map of labels as `a=b,c=d`, or `<none>`.
pub(super) fn labels(map: &Value) -> String {
    let pairs = map.as_object().into_iter().flatten().map(|(key, value)| format!("{key}={}", text(value)));
    or_none(pairs.collect::<Vec<_>>().join(","))
}

/// Formats a label selector; empty if it selects everything or nothing.
pub(super) fn selector(selector: &Value) -> String {
    let mut terms: Vec<(String, String)> = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        terms.push((key.clone(), format!("{key}={}", text(value))));
    }
    for expression in items(&selector["matchExpressions"]) {
        let key = text(&expression["key"]);
        let mut values: Vec<&str> = items(&expression["values"]).map(text).collect();
        values.sort_unstable();
        let values = values.join(",");
        let term = match text(&expression["operator"]) {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        terms.push((key.to_owned(), term));
    }
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    terms.into_iter().map(|(_, term)| term).collect::<Vec<_>>().join(",")
}

/// Text, or `<none>`.
pub(super) fn or_none(text: String) -> String {
    if text.is_empty() { "<none>".to_owned() } else { text }
}

/// Returns the first three of a list, and the number of further ones.
pub(super) fn first_three(list: &[String], count: usize) -> String {
    let shown = list.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(",");
    if list.len() > 3 { format!("{shown} + {} more...", count - 3) } else { shown }
}

/// Names and images of the containers of a pod's spec.
pub(super) fn containers(spec: &Value) -> [Value; 2] {
    let column = |field: &str| joined(items(&spec["containers"]).map(|container| text(&container[field])));
    [column("name").into(), column("image").into()]
}
