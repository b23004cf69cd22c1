//! Empty kinds: kinds without objects, which the user can hide from the navigation.

use leptos::prelude::*;

use crate::counts::Counts;
use crate::kinds::{Group, Kind};
use crate::preference;

/// Name of the stored choice.
const STORED_AS: &str = "kube-informer.hide-empty-kinds";

/// Name of the stored kinds that were empty, which are hidden before they are counted: nothing moves under the pointer
/// then.
const EMPTY_STORED_AS: &str = "kube-informer.empty-kinds";

/// Whether empty kinds are hidden. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct EmptyKinds {
    hidden: RwSignal<bool>,
    /// The kinds that were empty at the last visit.
    before: RwSignal<Vec<String>>,
    counts: Counts,
}

impl EmptyKinds {
    /// Reads the stored choice: by default all kinds are shown.
    pub(crate) fn new(counts: Counts) -> Self {
        let before = preference::stored(EMPTY_STORED_AS).unwrap_or_default().split(',').map(str::to_owned).collect();
        let hidden = RwSignal::new(preference::stored(STORED_AS).is_some());
        Self { hidden, before: RwSignal::new(before), counts }
    }

    /// Whether a kind has no objects, as far as known. False for the kind of the table, because its entry is the
    /// current one. Tracked.
    fn is_empty_kind(self, kind: &Kind) -> bool {
        let is_empty = self.counts.get(&kind.info).map_or_else(
            || self.before.with_untracked(|before| before.contains(&kind.info.gvr().to_string())),
            |count| count == 0,
        );
        is_empty && !self.counts.is_live(&kind.info)
    }

    /// The empty kinds of the groups that they are hidden from. Tracked.
    pub(crate) fn empty_in(self, groups: &[Group]) -> Vec<String> {
        let kinds =
            groups.iter().filter(|group| !ALWAYS_COMPLETE.contains(&&*group.name)).flat_map(|group| &group.kinds);
        kinds.filter(|kind| self.is_empty_kind(kind)).map(|kind| kind.info.gvr().to_string()).collect()
    }

    /// The groups without the empty kinds, if these are hidden. Tracked.
    pub(crate) fn removed_from(self, mut groups: Vec<Group>) -> Vec<Group> {
        if self.hidden.get() {
            let empty = self.empty_in(&groups);
            for group in &mut groups {
                group.kinds.retain(|kind| !empty.contains(&kind.info.gvr().to_string()));
            }
            groups.retain(|group| !group.kinds.is_empty());
            preference::store(EMPTY_STORED_AS, Some(&empty.join(",")));
        }
        groups
    }

    /// Whether the empty kinds are hidden. Tracked.
    pub(crate) fn is_hidden(self) -> bool {
        self.hidden.get()
    }

    /// Hides the empty kinds, or shows them.
    pub(crate) fn toggle(self) {
        let hides = !self.hidden.get_untracked();
        preference::store(STORED_AS, hides.then_some("1"));
        if !hides {
            preference::store(EMPTY_STORED_AS, None);
        }
        self.hidden.set(hides);
    }
}

/// Groups that are always whole: the other screens, and what the user has put at the top.
const ALWAYS_COMPLETE: [&str; 2] = ["", "Favourites"];
