//! Empty kinds: the choice to hide kinds without objects from the navigation.

use leptos::prelude::*;

use crate::counts::Counts;
use crate::kinds::{Group, Kind};
use crate::preference;

/// Name of the stored choice.
const STORED_AS: &str = "kube-informer.hide-empty-kinds";

/// Name of the stored kinds that were empty, which are hidden before they are counted: nothing moves under the pointer then.
const EMPTY_AS: &str = "kube-informer.empty-kinds";

/// The choice. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Empty {
    hidden: RwSignal<bool>,
    /// The kinds that were empty at the last visit.
    before: RwSignal<Vec<String>>,
    counts: Counts,
}

impl Empty {
    /// The stored choice: by default all kinds are shown.
    pub(super) fn new(counts: Counts) -> Self {
        let before = preference::stored(EMPTY_AS).unwrap_or_default().split(',').map(str::to_owned).collect();
        let hidden = RwSignal::new(preference::stored(STORED_AS).is_some());
        Self { hidden, before: RwSignal::new(before), counts }
    }

    /// Whether a kind has no objects, as far as known. Not the kind of the table: its entry is where the user is. Tracked.
    fn is(self, kind: &Kind) -> bool {
        let is_empty = self.counts.of(&kind.info).map_or_else(
            || self.before.with_untracked(|before| before.contains(&kind.info.gvr().to_string())),
            |count| count == 0,
        );
        is_empty && !self.counts.is_live(&kind.info)
    }

    /// The empty kinds of the groups that they are hidden from. Tracked.
    fn of(self, groups: &[Group]) -> Vec<String> {
        let kinds = groups.iter().filter(|group| !KEPT.contains(&&*group.name)).flat_map(|group| &group.kinds);
        kinds.filter(|kind| self.is(kind)).map(|kind| kind.info.gvr().to_string()).collect()
    }

    /// The groups without the empty kinds, if these are hidden. Tracked.
    pub(super) fn removed_from(self, mut groups: Vec<Group>) -> Vec<Group> {
        if self.hidden.get() {
            let empty = self.of(&groups);
            for group in &mut groups {
                group.kinds.retain(|kind| !empty.contains(&kind.info.gvr().to_string()));
            }
            groups.retain(|group| !group.kinds.is_empty());
            preference::store(EMPTY_AS, Some(&empty.join(",")));
        }
        groups
    }

    /// The button below the kinds, if any of them is empty.
    pub(super) fn button(self, groups: Memo<Vec<Group>>) -> impl IntoView {
        let choose = move |_| {
            let hides = !self.hidden.get_untracked();
            preference::store(STORED_AS, hides.then_some("1"));
            if !hides {
                preference::store(EMPTY_AS, None);
            }
            self.hidden.set(hides);
        };
        move || {
            let count = groups.with(|groups| self.of(groups).len());
            let kinds = if count == 1 { "kind" } else { "kinds" };
            let does = if self.hidden.get() { "Show" } else { "Hide" };
            (count > 0).then(|| {
                view! {
                    <button class="button empty-kinds" type="button" on:click=choose>
                        {format!("{does} {count} empty {kinds}")}
                    </button>
                }
            })
        }
    }
}

/// Groups that are always whole: the other screens, and what the user has put at the top.
const KEPT: [&str; 2] = ["", "Favourites"];
