//! Saved views and sets of namespaces in the palette: entries that show them, and commands that save what the page
//! shows.

use leptos::prelude::*;

use super::entry::{Entry, Target};
use super::ranking::Names;
use crate::namespaces::{are_several, short};
use crate::navigator::Navigator;
use crate::route::Route;
use crate::saved::{Entries, Kind};

/// Numbers of the groups of entries.
const PAGES: usize = 0;
const COMMANDS: usize = 3;
const NAMESPACES: usize = 4;

/// Entries of saved views.
pub(super) fn views(saved: Entries) -> Vec<Entry> {
    let entry = |(name, hash): (String, String)| {
        let route = Route::parse(&hash);
        let mut entry = Entry::new(PAGES, &format!("View: {name}"), "", Target::View(hash));
        entry.names = Names::of(&[&name, &entry.label]);
        match route {
            Ok(route) => entry.note = describe(&route),
            Err(message) => entry.reason = Some(format!("The saved address is invalid: {message}.")),
        }
        entry.saved = Some((Kind::View, name));
        entry
    };
    saved.into_iter().map(entry).collect()
}

/// Entries of saved sets.
pub(super) fn sets(saved: Entries) -> Vec<Entry> {
    let entry = |(name, text): (String, String)| {
        let mut entry = Entry::new(NAMESPACES, &name, &short(&text), Target::Namespaces(Some(text)));
        entry.saved = Some((Kind::Set, name));
        entry
    };
    saved.into_iter().map(entry).collect()
}

/// Commands that save the view, and several chosen namespaces as a set.
pub(super) fn commands(navigator: Navigator) -> Vec<Entry> {
    let mut commands = vec![Entry::new(COMMANDS, "Save this view…", "", Target::Save(Kind::View, view(navigator)))];
    let chosen = navigator.namespaces.get_untracked();
    if let Some(text) = chosen.filter(|text| are_several(Some(text))) {
        let note = short(&text);
        commands.push(Entry::new(COMMANDS, "Save the namespaces as a set…", &note, Target::Save(Kind::Set, text)));
    }
    commands
}

/// The page as a view: its address without an open object.
fn view(navigator: Navigator) -> String {
    untrack(|| navigator.hash_with(|route| route.object = None))
}

/// Summary of a view: `pods · bank, shop · status=Failed`.
fn describe(route: &Route) -> String {
    let subject = match route.screen.words() {
        Some((_, name)) => name.to_owned(),
        None => route.resource.resource.clone(),
    };
    let namespaces = route.namespaces.as_deref().map(short);
    let filter = Some(route.filter.clone()).filter(|filter| !filter.is_empty());
    [Some(subject), namespaces, filter].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_its_name_and_a_summary() {
        let saved = |name: &str, hash: &str| (name.to_owned(), hash.to_owned());
        let entries = views(vec![
            saved("Crashing", "#/v1/pods?namespace=bank,shop&filter=status%3DFailed&sort=age"),
            saved("all", "#/problems"),
            saved("<b>", "#/../nonsense"),
        ]);
        let shown: Vec<(&str, &str)> = entries.iter().map(|entry| (&*entry.label, &*entry.note)).collect();
        assert_eq!(
            shown,
            [("View: Crashing", "pods · bank, shop · status=Failed"), ("View: all", "Problems"), ("View: <b>", "")]
        );
        assert_eq!(entries[0].names.own, ["crashing", "view: crashing"]);
        assert!(entries[0].reason.is_none() && entries[2].reason.is_some(), "an invalid address cannot be chosen");
    }
}
