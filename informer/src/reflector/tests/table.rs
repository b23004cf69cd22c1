//! The state × input table: the transition of every input in every state.
//!
//! The expectations are exhaustive matches over [`InputKind`] and [`StateKind`], whose kinds are exhaustive matches
//! over
//! [`Input`] and [`State`]: a state or an input that is added without its cells does not compile. Each cell has the reflector's next state, its command, its call of the queue and its
//! reported error.

mod cell;
mod expectations;
mod kinds;
mod others;
mod requests;
mod watches;

use super::*;

use cell::{Asked, Cell, Does, Tells, goes, stays};
use expectations::expected;
use kinds::{InputKind, StateKind};

#[test]
fn the_state_by_input_table() {
    for (input, state) in InputKind::ALL.into_iter().flat_map(|input| StateKind::ALL.map(|state| (input, state))) {
        let mut reflector = state.reflector();
        assert_eq!(StateKind::of(&reflector), state, "the reflector is in the requested state");
        assert!(InputKind::of(&input.input()).contains(&input), "{input:?}");
        let at = match input {
            InputKind::Deadline => reflector.deadline().unwrap_or(seconds(10)),
            _ => seconds(10),
        };
        let version = reflector.last_sync_resource_version().to_owned();
        let step = reflector.step(input.input(), at);
        let found = Cell {
            to: StateKind::of(&reflector),
            does: Does::of(step.command.as_ref()),
            tells: Tells::of(step.call.as_ref()),
            reports: step.report.as_ref().map(InformerError::code),
        };
        assert_eq!(found, expected(input, state), "{input:?} in {state:?}");
        if input == InputKind::Queued {
            assert_ne!(reflector.state.slot(), Some(Slot::Granted), "{input:?} in {state:?}");
        }
        assert_eq!(
            reflector.deadline().is_some(),
            waits(&reflector),
            "{input:?} in {state:?}: each waiting state has a deadline"
        );
        if found.tells == Tells::Nothing {
            assert_eq!(
                reflector.last_sync_resource_version(),
                version,
                "{input:?} in {state:?}: the version is the cache's"
            );
        }
    }
}

/// Whether the state waits for an input that may never arrive.
fn waits(reflector: &Reflector<Thing>) -> bool {
    let ended = matches!(reflector.state, State::Idle | State::Stopped | State::Failed);
    // A request that is queued for a connection has not been sent.
    let queued =
        reflector.is_queued_for_connection() && !matches!(reflector.state, State::Streaming(_) | State::Watching(_));
    !ended && !queued
}
