//! Random faults and their frequency.

use std::time::Duration;

use fastrand::Rng;

use super::one_of;
use crate::faults::{Fault, Schedule, Verb};

pub(super) fn schedule(rng: &mut Rng, kinds: &[Fault]) -> Schedule {
    let fault = kinds[rng.usize(..kinds.len())];
    Schedule {
        fault,
        verb: if fault == Fault::ExpiredToken { Verb::List } else { one_of(rng, [Verb::Any, Verb::List, Verb::Watch]) },
        times: one_of(rng, [1, 1, 2, 5, 1_000]),
        lasting: Duration::from_secs(one_of(rng, [1, 30, 300, 100_000])),
    }
}

pub(super) fn fault(rng: &mut Rng) -> Fault {
    let bytes = |rng: &mut Rng| {
        let max = one_of(rng, [2, 300, 2_000]);
        rng.usize(0..max)
    };
    match rng.u8(..32) {
        0 => Fault::Delay(rng.u64(1..80_000)),
        1..5 => {
            let code = one_of(rng, [400, 401, 403, 404, 410, 410, 429, 429, 500, 503, 504, 504]);
            Fault::Status(code, if code == 429 || rng.u8(..) < 20 { rng.u32(1..=400) } else { 0 })
        }
        5 => Fault::Plain(one_of(rng, [400, 404, 410, 500, 503])),
        6 => Fault::Html(one_of(rng, [400, 403, 502, 504])),
        7 => Fault::SignIn,
        8 => Fault::NotThat(rng.u8(..6)),
        9 => Fault::Refused,
        10 => Fault::Hang,
        11 => Fault::Cut(bytes(rng)),
        12 => Fault::Stall(bytes(rng)),
        13 => Fault::Slow(rng.u64(1..3_000)),
        14 => Fault::CloseEmpty,
        15 => Fault::ErrorEvent(one_of(rng, [410, 410, 429, 500, 504, 0])),
        16 => Fault::BareStatus(one_of(rng, [401, 410, 500])),
        17 => Fault::EndAfter(rng.u32(0..4)),
        18 => Fault::Silence,
        19 => Fault::Gzip,
        20 => Fault::Duplicate,
        21 => Fault::DropBookmarks,
        22 => Fault::NoEndBookmark,
        23 => Fault::Garbage,
        24 => Fault::Stray,
        25 => Fault::Unreadable,
        26..28 => Fault::ExpiredToken,
        28 => Fault::NothingNew,
        29 | 30 => Fault::Broken,
        _ => Fault::DelayEvents(rng.u64(1..3_000)),
    }
}
