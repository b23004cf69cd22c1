//! Fuzz target for row filters.

use informer_engine::Query;

/// A query that parses prints to text that parses to the same query; an error has a valid range.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<Query>() {
        Ok(query) => {
            let again: Query = query.to_string().parse().expect("what was printed can be read");
            assert_eq!(again, query);
            assert_eq!(again.to_string(), query.to_string());
        }
        Err(error) => assert!(text.get(error.start..error.end).is_some(), "{error:?}"),
    }
}
