//! History of the open object: its states since the drawer was opened, at most 30 and about 4 MiB.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;

/// Maximum number of revisions.
const MAX_REVISIONS: usize = 30;

/// Maximum bytes of JSON, except that the first and the last revision are always kept.
const MAX_BYTES: usize = 4 << 20;

/// A state of the object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Revision {
    /// Sequence number; 0 is the state at opening.
    pub(super) number: u32,
    /// Time at which the page received it, in milliseconds since the Unix epoch.
    pub(super) at: f64,
    pub(super) json: Arc<str>,
}

/// Revisions, the oldest first. The first and the last are always kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Revisions(VecDeque<Revision>);

impl Revisions {
    /// Appends a state, unless it is identical to the last one.
    fn push(&mut self, json: &str, at: f64) {
        if self.0.back().is_some_and(|last| *last.json == *json) {
            return;
        }
        let number = self.0.back().map_or(0, |last| last.number + 1);
        self.0.push_back(Revision { number, at, json: json.into() });
        while self.0.len() > 2 && (self.0.len() > MAX_REVISIONS || self.bytes() > MAX_BYTES) {
            self.0.remove(1);
        }
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|revision| revision.json.len()).sum()
    }

    /// All revisions but the current one.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &Revision> {
        self.0.iter().take(self.0.len().saturating_sub(1))
    }

    /// The revision with a number, or the oldest one after it if that is no longer kept.
    pub(super) fn get(&self, number: u32) -> Option<&Revision> {
        self.0.iter().find(|revision| revision.number >= number)
    }
}

/// Records the states of an object until the owner is cleaned up. Of several in one tick, the effect sees only the
/// last.
pub(super) fn follow(json: RwSignal<Option<String>>) -> RwSignal<Revisions> {
    let revisions = RwSignal::new(Revisions::default());
    Effect::new(move || {
        json.with(|json| {
            if let Some(json) = json {
                revisions.update(|revisions| revisions.push(json, js_sys::Date::now()));
            }
        });
    });
    revisions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(revisions: &Revisions) -> Vec<u32> {
        revisions.0.iter().map(|revision| revision.number).collect()
    }

    #[test]
    fn first_and_latest_revisions_are_kept() {
        let mut revisions = Revisions::default();
        for at in 0..100_u32 {
            revisions.push(&format!("{{\"a\":{at}}}"), f64::from(at));
        }
        assert_eq!(revisions.0.len(), MAX_REVISIONS);
        assert_eq!(numbers(&revisions)[..2], [0, 71]);
        assert_eq!(
            revisions.earlier().last().map(|revision| revision.number),
            Some(98),
            "the last one is the current one"
        );
        assert_eq!(revisions.get(5).map(|revision| revision.number), Some(71), "the nearest one");
        assert_eq!(revisions.get(100), None);
        revisions.push("{\"a\":99}", 100.0);
        assert_eq!(numbers(&revisions).last(), Some(&99), "an identical state is not recorded");
    }

    #[test]
    fn large_revisions_are_bounded_by_bytes() {
        let mut revisions = Revisions::default();
        for at in 0..10 {
            revisions.push(&format!("{at}{}", "x".repeat(MAX_BYTES / 3)), 0.0);
        }
        assert_eq!(numbers(&revisions), [0, 9]);
        assert_eq!(Revisions::default().earlier().count(), 0);
    }
}
