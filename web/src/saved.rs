//! Saved texts: what the user has saved under a name in this browser, sets of namespaces and views of the page.
//! Deferred code.
//!
//! All tabs of the browser have the same; each server has its own.

mod naming;

use std::cell::OnceCell;

use leptos::ev;
use leptos::prelude::*;

use crate::preference::{self, StorageError};
pub(crate) use naming::{dialog, open_save_dialog};

/// Kind of a saved text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A set of namespaces, as the text of `namespaces.rs`.
    Set,
    /// A view of the page, as the hash of its address.
    View,
}

/// Saved texts by their names, in the order of the names.
pub(crate) type Entries = Vec<(String, String)>;

impl Kind {
    /// Name of the stored value. The page may show another server than that of its own origin.
    fn stored_as(self) -> String {
        let name = match self {
            Self::Set => "kube-informer.namespace-sets",
            Self::View => "kube-informer.views",
        };
        let search = window().location().search().unwrap_or_default();
        let other = search.trim_start_matches('?').split('&').find_map(|pair| pair.strip_prefix("api="));
        other.map_or_else(|| name.to_owned(), |other| format!("{name} {other}"))
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::View => "view",
        }
    }
}

thread_local! {
    static SETS: OnceCell<ArcRwSignal<Entries>> = const { OnceCell::new() };
    static VIEWS: OnceCell<ArcRwSignal<Entries>> = const { OnceCell::new() };
}

/// The entries of this tab, which follow changes of other tabs for as long as the tab is open.
fn entries_signal(kind: Kind) -> ArcRwSignal<Entries> {
    let start = || {
        let entries = ArcRwSignal::new(stored(kind));
        let (name, updated) = (kind.stored_as(), entries.clone());
        let _for_the_tab = window_event_listener(ev::storage, move |event| {
            // Without a key, everything was removed.
            if event.key().is_none_or(|key| key == name) {
                updated.set(stored(kind));
            }
        });
        entries
    };
    match kind {
        Kind::Set => SETS.with(|cell| cell.get_or_init(start).clone()),
        Kind::View => VIEWS.with(|cell| cell.get_or_init(start).clone()),
    }
}

/// All saved entries. Tracked.
pub(crate) fn all(kind: Kind) -> Entries {
    entries_signal(kind).get()
}

/// Saves a text under a name, and replaces one of the same name.
pub(crate) fn save(kind: Kind, name: &str, text: &str) -> Result<(), StorageError> {
    write(kind, inserted(stored(kind), name, text))
}

/// Removes a saved text.
pub(crate) fn remove(kind: Kind, name: &str) {
    let mut entries = stored(kind);
    entries.retain(|(known, _)| known != name);
    // A storage that is full has room for less; one that is forbidden has nothing to remove.
    let _ = write(kind, entries);
}

/// Writes to the storage, and then to this tab. What other tabs have saved was read before.
fn write(kind: Kind, entries: Entries) -> Result<(), StorageError> {
    let text = (!entries.is_empty()).then(|| serde_json::to_string(&entries).unwrap_or_default());
    preference::try_store(&kind.stored_as(), text.as_deref())?;
    entries_signal(kind).set(entries);
    Ok(())
}

fn stored(kind: Kind) -> Entries {
    parse(&preference::stored(&kind.stored_as()).unwrap_or_default())
}

/// Reads stored entries. A text of another form has none.
fn parse(text: &str) -> Entries {
    let entries: Entries = serde_json::from_str(text).unwrap_or_default();
    entries.into_iter().fold(Vec::new(), |known, (name, text)| inserted(known, &name, &text))
}

fn inserted(mut entries: Entries, name: &str, text: &str) -> Entries {
    entries.retain(|(known, _)| known != name);
    let at = entries.partition_point(|(known, _)| known.as_str() < name);
    entries.insert(at, (name.to_owned(), text.to_owned()));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_order() {
        let entries = ["b", "a", "c", "a"].iter().enumerate().fold(Vec::new(), |all, (at, name)| {
            let text = format!("text {at}");
            inserted(all, name, &text)
        });
        let shown: Vec<String> = entries.iter().map(|(name, text)| format!("{name}={text}")).collect();
        assert_eq!(shown, ["a=text 3", "b=text 0", "c=text 2"]);
        assert_eq!(parse(&serde_json::to_string(&entries).unwrap_or_default()), entries);
    }

    #[test]
    fn a_text_of_another_form_has_no_entries() {
        for text in ["", "null", "{}", "[", r#"["a"]"#, r#"[["a"]]"#, r#"[["a", 1]]"#, r#"[["a","b","c"]]"#] {
            assert!(parse(text).is_empty(), "{text}");
        }
        assert_eq!(parse(r#"[["\u202e<b>",""]]"#), [("\u{202e}<b>".to_owned(), String::new())]);
        assert_eq!(parse(r#"[["b","1"],["a","2"],["b","3"]]"#).len(), 2);
    }
}
