//! Tab owner: the reactive owner of signals that live as long as the tab, not only as long as the part of the page that
//! created them.

use leptos::prelude::*;

/// Creates an owner below that of the whole page.
pub(crate) fn new() -> Owner {
    let mut root = Owner::current().unwrap_or_default();
    while let Some(parent) = root.parent() {
        root = parent;
    }
    root.child()
}
