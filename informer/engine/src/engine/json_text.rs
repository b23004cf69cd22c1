//! JSON encoding of strings and lists of strings.

use informer_packing::{ArrayWriter, write_string};

/// Encodes a list of strings.
pub(super) fn texts(texts: &[String]) -> String {
    let mut json = String::new();
    let mut list = ArrayWriter::new(&mut json);
    for text in texts {
        list.text(text);
    }
    drop(list);
    json
}

/// Encodes a string or null.
pub(super) fn text(text: Option<&str>) -> String {
    let mut json = String::new();
    match text {
        Some(text) => write_string(&mut json, text),
        None => json.push_str("null"),
    }
    json
}
