//! Preferences: choices that the browser stores for the next visit.

use leptos::ev;
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

/// Calls `changed` when another tab, or another frame, stores or removes a value whose name starts with this. Ends with the
/// current owner.
pub(crate) fn follow(start: &'static str, changed: impl Fn() + 'static) {
    let listener = window_event_listener(ev::storage, move |event| {
        // Without a key, everything was removed.
        if event.key().is_none_or(|key| key.starts_with(start)) {
            changed();
        }
    });
    on_cleanup(move || listener.remove());
}

/// Error: the storage of the browser is full or forbidden.
#[derive(Debug)]
pub(crate) struct StorageError;

/// Stores a value, or removes it. Reports a failure, for values whose loss the user must know of.
pub(crate) fn try_store(name: &str, value: Option<&str>) -> Result<(), StorageError> {
    let storage = storage().ok_or(StorageError)?;
    let stored = match value {
        Some(value) => storage.set_item(name, value),
        None => storage.remove_item(name),
    };
    stored.map_err(|_| StorageError)
}
