//! Staging: sizes, and objects that could not be decoded.

use super::super::staging::Staging;
use super::*;

#[test]
fn the_size_is_that_of_the_staged_objects() {
    let mut staging = Staging::new(Duration::ZERO);
    staging.put(Thing("a", "1"));
    let one = staging.bytes;
    staging.put(Thing("b", "1"));
    staging.put(Thing("b", "2"));
    assert_eq!((staging.bytes, staging.len()), (2 * one, 2));
    staging.remove("a");
    staging.remove("a");
    assert_eq!((staging.bytes, staging.len()), (one, 1));
}

#[test]
fn each_undecodable_key_is_kept_once() {
    let mut staging = Staging::<Thing>::new(Duration::ZERO);
    for key in ["a", "b", "a", "c"] {
        staging.put_undecodable(key);
    }
    staging.remove("b");
    assert_eq!(staging.take_parts(), (vec![], vec!["a".to_owned(), "c".to_owned()]));
}
