//! Outages followed by a slow connection: missed events, or an expired version, are reported late or never.
//!
//! Drawn separately from the story, with its own random numbers, so that the stories of all other seeds do not change.

use std::time::Duration;

use fastrand::Rng;

use super::{Probabilities, one_of, write};
use crate::faults::{Fault, Schedule, Verb};
use crate::story::{Action, Step};

/// Mixed into the seed.
const SALT: u64 = 0x6f75_7461_6765;

/// Number of stories with an outage, of 256.
const OUTAGES_OF_256: u8 = 48;

/// Inserts an outage at a random position of some stories.
pub(super) fn insert(seed: u64, probabilities: &Probabilities, steps: &mut Vec<Step>) {
    let mut rng = Rng::with_seed(seed.rotate_left(17) ^ SALT);
    if rng.u8(..) >= OUTAGES_OF_256 {
        return;
    }
    // Before the last step, which is quiet.
    let at = rng.usize(..steps.len());
    steps.splice(at..at, outage(&mut rng, probabilities));
}

fn outage(rng: &mut Rng, probabilities: &Probabilities) -> Vec<Step> {
    let fault = match rng.u8(..8) {
        0..4 => Fault::Slow(rng.u64(200..3_000)),
        4 => Fault::DelayEvents(rng.u64(200..3_000)),
        5 => Fault::Delay(rng.u64(1..20_000)),
        6 => Fault::Stall(rng.usize(0..300)),
        _ => Fault::EndAfter(rng.u32(0..3)),
    };
    let lasting = Duration::from_secs(one_of(rng, [30, 300, 1_000]));
    let times = one_of(rng, [1, 1, 2, 5, 50]);
    let schedule = Schedule { fault, verb: one_of(rng, [Verb::Watch, Verb::Watch, Verb::Any]), times, lasting };
    let away = Duration::from_millis(rng.u64(0..120_000));
    let outage = match rng.u8(..8) {
        0..3 => Action::Replace { lower: false, away },
        3 => Action::Replace { lower: true, away },
        4 => Action::Restore { away },
        5 => Action::Restart { away },
        6 => Action::Away(away),
        _ => Action::Drain(away),
    };
    let cut = if rng.bool() { Action::CutOpen } else { Action::StallOpen };
    let mut actions =
        vec![(0, Action::Fault(schedule)), (rng.u64(0..100), write(rng, probabilities)), (0, outage), (0, cut)];
    for _ in 0..rng.usize(0..4) {
        actions.push((rng.u64(0..60_000), write(rng, probabilities)));
    }
    // Steps at which the state is checked, until the connection must have been closed.
    for _ in 0..rng.usize(3..12) {
        actions.push((rng.u64(500..30_000), Action::Pass));
    }
    let step = |(wait, action)| Step { wait: Duration::from_millis(wait), action, random: rng.u64(..) };
    actions.into_iter().map(step).collect()
}
