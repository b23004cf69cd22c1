//! Fuzz target for list bodies.

use informer::{Keyed, KubeObject, ListPage, Object, meta_namespace_key};
use serde_json::value::RawValue;

/// No list causes a panic, and its decoded objects are complete and have keys.
pub fn run(data: &[u8]) {
    let Ok(page) = ListPage::<Object>::from_json(data) else { return };
    assert!(!page.resource_version.is_empty());
    for item in &page.items {
        assert!(!item.name().is_empty());
        assert_eq!(item.key(), meta_namespace_key(item.namespace(), item.name()));
        assert!(serde_json::from_str::<&RawValue>(&item.json()).is_ok(), "{}", item.json());
        let again = Object::from_json(&item.json(), None);
        assert_eq!(again.as_ref(), Ok(item), "an object that was read can be read again");
    }
}
