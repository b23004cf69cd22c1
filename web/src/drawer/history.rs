//! History of the open object: states that the watch has shown since the drawer was opened, in bounded memory.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;

/// The most states that are kept.
const STATES: usize = 30;

/// The most bytes of JSON that are kept.
const BYTES: usize = 4 << 20;

/// A state of the object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// Its number, from 0: the state when the drawer was opened.
    pub(super) number: u32,
    /// Time at which the page received it, in milliseconds since the Unix epoch.
    pub(super) at: f64,
    pub(super) json: Arc<str>,
}

/// The states, the oldest first. The first and the last are always kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct States(VecDeque<State>);

impl States {
    fn push(&mut self, json: &str, at: f64) {
        if self.0.back().is_some_and(|last| *last.json == *json) {
            return;
        }
        let number = self.0.back().map_or(0, |last| last.number + 1);
        self.0.push_back(State { number, at, json: json.into() });
        while self.0.len() > 2 && (self.0.len() > STATES || self.bytes() > BYTES) {
            self.0.remove(1);
        }
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|state| state.json.len()).sum()
    }

    /// The states that are not the current one.
    pub(super) fn earlier(&self) -> impl Iterator<Item = &State> {
        self.0.iter().take(self.0.len().saturating_sub(1))
    }

    /// The state with a number, or the oldest one after it if that is no longer kept.
    pub(super) fn get(&self, number: u32) -> Option<&State> {
        self.0.iter().find(|state| state.number >= number)
    }
}

/// Records each state of an object until the owner is cleaned up.
pub(super) fn follow(json: RwSignal<Option<String>>) -> RwSignal<States> {
    let states = RwSignal::new(States::default());
    Effect::new(move || {
        json.with(|json| {
            if let Some(json) = json {
                states.update(|states| states.push(json, js_sys::Date::now()));
            }
        });
    });
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(states: &States) -> Vec<u32> {
        states.0.iter().map(|state| state.number).collect()
    }

    #[test]
    fn the_first_state_and_the_latest_ones_are_kept() {
        let mut states = States::default();
        for at in 0..100_u32 {
            states.push(&format!("{{\"a\":{at}}}"), f64::from(at));
        }
        assert_eq!(states.0.len(), STATES);
        assert_eq!(numbers(&states)[..2], [0, 71]);
        assert_eq!(states.earlier().last().map(|state| state.number), Some(98), "the last one is the current one");
        assert_eq!(states.get(5).map(|state| state.number), Some(71), "the nearest one");
        assert_eq!(states.get(100), None);
        states.push("{\"a\":99}", 100.0);
        assert_eq!(numbers(&states).last(), Some(&99), "the same text is no other state");
    }

    #[test]
    fn large_states_are_bounded_by_their_bytes() {
        let mut states = States::default();
        for at in 0..10 {
            states.push(&format!("{at}{}", "x".repeat(BYTES / 3)), 0.0);
        }
        assert_eq!(numbers(&states), [0, 9]);
        assert_eq!(States::default().earlier().count(), 0);
    }
}
