//! Fuzz target for row filters.

use informer_engine::Query;

/// A query that parses prints to text that parses to the same query, unless that text is too long or too deeply nested;
/// an error has a valid range.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<Query>() {
        Ok(query) => {
            let printed = query.to_string();
            match printed.parse::<Query>() {
                Ok(again) => {
                    assert_eq!(again, query);
                    assert_eq!(again.to_string(), printed);
                }
                Err(error) => {
                    let limits = ["a filter must not be longer", "too deeply nested"];
                    assert!(limits.iter().any(|limit| error.message.starts_with(limit)), "{printed}: {error}");
                }
            }
        }
        Err(error) => assert!(text.get(error.start..error.end).is_some(), "{error:?}"),
    }
}
