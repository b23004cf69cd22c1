//! Recent kinds: first entries of the palette before anything is typed, so that `:` and Enter go to the previous kind.

use informer::GroupVersionResource;
use leptos::prelude::*;

use super::Group;
use super::entry::{Entry, Target};
use crate::navigator::Navigator;
use crate::route::Screen;

/// Maximum number of kinds that are shown.
const MAX_KINDS: usize = 5;

/// The kinds whose tables were opened in this tab, the last one first. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Recent {
    kinds: RwSignal<Vec<GroupVersionResource>>,
    navigator: Navigator,
}

impl Recent {
    /// Creates a list that follows the page.
    pub(super) fn new(navigator: Navigator) -> Self {
        let kinds = RwSignal::new(Vec::new());
        Effect::new(move || {
            if let Some(kind) = current(navigator) {
                kinds.update(|kinds| remember(kinds, kind));
            }
        });
        Self { kinds, navigator }
    }

    /// The group of the palette: entries of the recent kinds except the current one. None without such a kind.
    pub(super) fn group(self, known: &[Entry]) -> Option<Group> {
        let current = current(self.navigator);
        let entry = |kind: &GroupVersionResource| {
            let is_it = |entry: &&Entry| matches!(&entry.target, Target::Kind(known) if known == kind);
            known.iter().find(is_it).cloned()
        };
        let entries: Vec<Entry> = self.kinds.with(|kinds| {
            kinds.iter().filter(|kind| Some(*kind) != current.as_ref()).filter_map(entry).take(MAX_KINDS).collect()
        });
        (!entries.is_empty()).then(|| Group { heading: "Recent".to_owned(), entries })
    }
}

/// The kind of the table. None on another screen.
fn current(navigator: Navigator) -> Option<GroupVersionResource> {
    (navigator.screen.get() == Screen::Table).then(|| navigator.resource.get())
}

/// Puts a kind first. One more than is shown stays, because the current one is not shown.
fn remember(kinds: &mut Vec<GroupVersionResource>, kind: GroupVersionResource) {
    kinds.retain(|other| *other != kind);
    kinds.insert(0, kind);
    kinds.truncate(MAX_KINDS + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_kind_is_first_and_each_is_in_the_list_once() {
        let kind = |name: &str| GroupVersionResource {
            group: String::new(),
            version: "v1".to_owned(),
            resource: name.to_owned(),
        };
        let mut kinds = Vec::new();
        for name in ["pods", "nodes", "pods", "a", "b", "c", "d", "e"] {
            remember(&mut kinds, kind(name));
        }
        let names: Vec<&str> = kinds.iter().map(|kind| kind.resource.as_str()).collect();
        assert_eq!(names, ["e", "d", "c", "b", "a", "pods"]);
    }
}
