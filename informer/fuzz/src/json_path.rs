//! Fuzz target for JSONPath: a template in the first line, then the JSON that it is evaluated on.

use informer::{ErrorCode, JsonPath};
use serde_json::Value;

/// Any template can be asked of any text; on JSON it finds what the naive evaluator finds in the tree.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (template, json) = text.split_once('\n').unwrap_or((text, ""));
    if let Ok(path) = JsonPath::relaxed(template) {
        assert!(path.values(json).is_ok_and(|values| values.len() <= json.len()) || json.len() < 1_000_000);
    }
    let Ok(path) = JsonPath::parse(template) else { return };
    assert_eq!(JsonPath::parse(path.text()).as_ref(), Ok(&path));
    let found = path.values(json);
    let _ = path.print(json);

    let Ok(tree) = serde_json::from_str::<Value>(json) else { return };
    let canonical = tree.to_string();
    match path.values(&canonical) {
        Ok(values) => assert_eq!(values, path.values_in_tree(&tree), "{template} of {canonical}"),
        // Too much for the bounds, and so too much for the naive evaluator.
        Err(error) => return assert_eq!(error.code(), ErrorCode::BadRequest),
    }
    assert!(path.print(&canonical).is_ok() || json.len() > 1000);
    // Numbers too large for a tree compare otherwise there.
    if !template.contains('?') {
        assert_eq!(found.map(|values| values.len()), path.values(&canonical).map(|values| values.len()));
    }
}
