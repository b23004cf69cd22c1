//! Fuzz target for row filters.

use informer::GroupVersionResource;
use informer_engine::Query;

/// What can be read prints to what reads the same, and taken apart it still does; what cannot says where.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<Query>() {
        Ok(query) => {
            let again: Query = query.to_string().parse().expect("what was printed can be read");
            assert_eq!(again, query);
            assert_eq!(again.to_string(), query.to_string());
            let pods: GroupVersionResource = "v1/pods".parse().expect("a resource");
            let rest = query.push_down(&pods).rest;
            assert_eq!(rest.to_string().parse::<Query>().as_ref(), Ok(&rest));
        }
        Err(error) => assert!(text.get(error.start..error.end).is_some(), "{error:?}"),
    }
}
