//! JSONPath subset for printer columns: steps, indexes, wildcards and equality filters.

use serde_json::Value;

/// A parsed path.
#[derive(Debug)]
pub(super) struct JsonPath {
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    /// Counts from the end if negative.
    Index(i64),
    Every,
    /// Elements with a field, given as a path, that equals or differs from a value.
    Filter {
        path: Vec<Step>,
        equal: bool,
        value: String,
    },
}

impl JsonPath {
    /// Parses a path; unknown steps find nothing.
    pub(super) fn parse(text: &str) -> Self {
        Self { steps: steps(text) }
    }

    /// Returns the first value of the path.
    pub(super) fn first<'a>(&self, object: &'a Value) -> Option<&'a Value> {
        walk(&self.steps, object)
    }
}

fn walk<'a>(steps: &[Step], value: &'a Value) -> Option<&'a Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value) };
    match step {
        Step::Field(name) => walk(rest, value.get(name)?),
        Step::Index(index) => {
            let items = value.as_array()?;
            let at = if *index < 0 { i64::try_from(items.len()).ok()? + index } else { *index };
            walk(rest, items.get(usize::try_from(at).ok()?)?)
        }
        Step::Every => elements(value).into_iter().find_map(|element| walk(rest, element)),
        Step::Filter { path, equal, value: wanted } => {
            let fits = |element: &&Value| {
                let found = walk(path, element).map(|found| match found {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                found.is_some_and(|found| (found == *wanted) == *equal)
            };
            elements(value).into_iter().filter(fits).find_map(|element| walk(rest, element))
        }
    }
}

fn elements(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

fn steps(text: &str) -> Vec<Step> {
    let mut found = Vec::new();
    let mut rest = text.trim().trim_start_matches('@');
    while !rest.is_empty() {
        if let Some(bracket) = rest.strip_prefix('[') {
            let end = closing(bracket);
            found.push(bracketed(bracket[..end].trim()));
            rest = bracket.get(end + 1..).unwrap_or_default();
        } else {
            let (name, after) = field(rest.strip_prefix('.').unwrap_or(rest));
            match name.as_str() {
                "" => {}
                "*" => found.push(Step::Every),
                _ => found.push(Step::Field(name)),
            }
            rest = after;
        }
    }
    found
}

/// Parses a field name up to the next step; a backslash escapes the next character.
fn field(text: &str) -> (String, &str) {
    let (mut name, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => {
                name.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '.' | '[' => return (name, &text[at..]),
            _ => name.push(c),
        }
    }
    (name, "")
}

/// Returns the position of the matching closing bracket.
fn closing(text: &str) -> usize {
    let (mut depth, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('[', None) => depth += 1,
            (']', None) if depth == 0 => return at,
            (']', None) => depth -= 1,
            // Also quoted characters.
            _ => {}
        }
    }
    text.len()
}

fn bracketed(inside: &str) -> Step {
    let unquoted = inside.trim_matches(['\'', '"']);
    if let Some(condition) = inside.strip_prefix("?(").and_then(|text| text.strip_suffix(')')) {
        let (path, value, equal) = match (condition.split_once("=="), condition.split_once("!=")) {
            (Some((path, value)), _) => (path, value, true),
            (None, Some((path, value))) => (path, value, false),
            (None, None) => (condition, "true", true),
        };
        let value = value.trim().trim_matches(['\'', '"']).to_owned();
        return Step::Filter { path: steps(path.trim()), equal, value };
    }
    match inside.parse() {
        _ if inside == "*" => Step::Every,
        Ok(index) => Step::Index(index),
        Err(_) => Step::Field(unquoted.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_of_definitions_are_parsed() {
        let object = json!({
            "metadata": {"annotations": {"a.b/c": "dotted"}, "labels": {"x": "quoted"}},
            "spec": {"list": [{"a": 1}, {"a": "two"}], "text": "é"},
            "status": {"conditions": [{"type": "A", "status": "False"}, {"type": "Ready", "status": "True"}]},
        });
        let find = |path: &str| JsonPath::parse(path).first(&object).cloned();
        assert_eq!(find(".spec.list[0].a"), Some(json!(1)));
        assert_eq!(find(".spec.list[-1].a"), Some(json!("two")));
        assert_eq!(find(".spec.list[*].a"), Some(json!(1)));
        assert_eq!(find(".status.conditions[?(@.type==\"Ready\")].status"), Some(json!("True")));
        assert_eq!(find(".status.conditions[?(@.type != 'A')].status"), Some(json!("True")));
        assert_eq!(find(r".metadata.annotations.a\.b/c"), Some(json!("dotted")));
        assert_eq!(find(".metadata.labels['x']"), Some(json!("quoted")));
        assert_eq!(find(".spec.text"), Some(json!("é")));
        for nothing in
            [".none", ".spec.list[7].a", ".spec.list[-3]", ".spec.text.deeper", ".spec[", ".spec.list[?(@.a==9)]"]
        {
            assert_eq!(find(nothing), None, "{nothing}");
        }
    }
}
