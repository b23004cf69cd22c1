//! Preferences: choices that the browser stores for the next visit.

use leptos::prelude::*;

fn storage() -> Option<web_sys::Storage> {
    // A browser that forbids storage throws here: then nothing is stored.
    window().local_storage().ok().flatten()
}

/// The stored value of a name.
pub(crate) fn stored(name: &str) -> Option<String> {
    storage()?.get_item(name).ok().flatten()
}

/// Stores a value, or removes it.
pub(crate) fn store(name: &str, value: Option<&str>) {
    let Some(storage) = storage() else { return };
    let _ = match value {
        Some(value) => storage.set_item(name, value),
        None => storage.remove_item(name),
    };
}
