//! Tools of the navigation: the count and the star beside a kind, and the button for empty kinds. Deferred code.

mod count;
mod star;

use leptos::prelude::*;

use crate::counts::Counts;
use crate::empty_kinds::EmptyKinds;
use crate::favourites::Favourites;
use crate::kinds::{Group, Kind};

pub(crate) use star::toggle;

/// Elements beside the link of a kind: its count and its star.
pub(crate) fn beside(kind: &Kind, favourites: Favourites, counts: Counts) -> AnyView {
    (count::count(kind.info.clone(), counts), star::star(kind, favourites)).into_any()
}

/// The button below the kinds that hides the empty ones, if there are any.
pub(crate) fn empty_button(groups: Memo<Vec<Group>>, empty: EmptyKinds) -> AnyView {
    let text = move || {
        let count = groups.with(|groups| empty.empty_in(groups).len());
        let kinds = if count == 1 { "kind" } else { "kinds" };
        let does = if empty.is_hidden() { "Show" } else { "Hide" };
        (count > 0).then(|| format!("{does} {count} empty {kinds}"))
    };
    let button = move || {
        let text = text()?;
        Some(view! {
            <button class="button empty-kinds" type="button" on:click=move |_| empty.toggle()>
                {text}
            </button>
        })
    };
    button.into_any()
}
