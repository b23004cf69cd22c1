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
    let _ = try_store(name, value);
}

/// The browser stores nothing: its storage is full or forbidden.
#[derive(Debug)]
pub(crate) struct Refused;

/// The same for values whose loss the user must know of.
pub(crate) fn try_store(name: &str, value: Option<&str>) -> Result<(), Refused> {
    let storage = storage().ok_or(Refused)?;
    let stored = match value {
        Some(value) => storage.set_item(name, value),
        None => storage.remove_item(name),
    };
    stored.map_err(|_| Refused)
}
