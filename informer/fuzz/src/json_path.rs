//! Fuzz target for JSONPath: a template in the first line, then the JSON that it is evaluated on.

use informer::{ErrorCode, JsonPath};
use serde_json::Value;

/// Checks that no template and text panics, and that on valid JSON the values equal those of the reference evaluator
/// (`values_in_tree`).
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (template, json) = text.split_once('\n').unwrap_or((text, ""));
    if let Ok(path) = JsonPath::relaxed(template) {
        let _ = path.values(json);
        if let Ok(tree) = serde_json::from_str(json) {
            equals_reference(&path, &tree);
        }
    }
    let Ok(path) = JsonPath::parse(template) else { return };
    assert_eq!(JsonPath::parse(path.text()).as_ref(), Ok(&path));
    let found = path.values(json);
    let _ = path.print(json);

    let Ok(tree) = serde_json::from_str::<Value>(json) else { return };
    if !equals_reference(&path, &tree) {
        return;
    }
    let canonical = tree.to_string();
    assert!(path.print(&canonical).is_ok() || json.len() > 1000);
    // serde_json rounds large numbers, so filters may compare them differently.
    if !template.contains('?') {
        assert_eq!(found.map(|values| values.len()), path.values(&canonical).map(|values| values.len()));
    }
}

/// Asserts that the values of a path equal the reference evaluator's; false if they exceed the limits.
fn equals_reference(path: &JsonPath, tree: &Value) -> bool {
    let canonical = tree.to_string();
    match path.values(&canonical) {
        Ok(values) => {
            assert_eq!(values, path.values_in_tree(tree), "{} of {canonical}", path.text());
            true
        }
        // The reference evaluator has no limits, so it is not called.
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::BadRequest);
            false
        }
    }
}
