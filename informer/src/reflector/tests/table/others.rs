//! Rows of the table: start and stop, deadlines, and signals from the engine or the page.

use super::Asked::{At, Newest, Zero};
use super::Does::{Halt, List, Probe, Stream, Wait};
use super::StateKind::{
    Failed, Idle, Listing, ListingOn, OpeningStream, OpeningWatch, PausedToList, PausedToWatch, Polling, Probing,
    Stopped, Streaming, Suspect, Watching,
};
use super::{Cell, Does, ErrorCode, StateKind, Tells, goes, stays};

/// Lists at "0", any available version.
pub(super) fn start(state: StateKind) -> Cell {
    match state {
        Idle | Stopped => goes(Listing, List(Zero)),
        Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | Watching | Suspect
        | PausedToList | PausedToWatch | Polling | Failed => stays(state),
    }
}

/// Ends the request in flight. A stopped reflector restarts with `Start`.
pub(super) fn stop(state: StateKind) -> Cell {
    match state {
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | Watching | Suspect
        | PausedToList | PausedToWatch | Polling | Failed => goes(Stopped, Halt),
        Stopped => stays(state),
    }
}

/// A pause of some seconds is over, and so is the time that a suspect watch had. No other deadline is due after ten
/// seconds.
pub(super) fn timer(state: StateKind) -> Cell {
    match state {
        Suspect | PausedToWatch => goes(Probing, Probe),
        PausedToList => goes(Listing, List(Zero)),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | Watching | Polling
        | Stopped | Failed => stays(state),
    }
}

/// The request failed. A list follows a watch that never sent a message; a suspect watch is resumed.
pub(super) fn deadline(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn => goes(PausedToList, Wait).reports(ErrorCode::Timeout),
        OpeningStream | PausedToList => goes(Listing, List(Zero)),
        Streaming => goes(Listing, List(Zero)).reports(ErrorCode::Timeout),
        Probing | OpeningWatch => goes(PausedToWatch, Wait).reports(ErrorCode::Timeout),
        Watching => goes(Listing, List(At(10))).reports(ErrorCode::Timeout),
        Suspect | PausedToWatch => goes(Probing, Probe),
        Polling => goes(Listing, List(At(10))),
        Idle | Stopped | Failed => stays(state),
    }
}

/// More than the cache may take fails for good. A list in flight is measured itself.
pub(super) fn full(state: StateKind) -> Cell {
    match state {
        Probing | OpeningWatch | Watching | Suspect | PausedToWatch => {
            goes(Failed, Wait).reports(ErrorCode::BadRequest)
        }
        Idle | Listing | ListingOn | OpeningStream | Streaming | PausedToList | Polling | Stopped | Failed => {
            stays(state)
        }
    }
}

/// Cuts a pause short, even the last one.
pub(super) fn wake(state: StateKind) -> Cell {
    match state {
        PausedToList | Failed => goes(Listing, List(Zero)),
        PausedToWatch => goes(Probing, Probe),
        Polling => goes(Listing, List(At(10))),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | Watching | Suspect
        | Stopped => stays(state),
    }
}

/// The error is shown, and an open watch is suspect. The error of a failed attempt has more detail.
pub(super) fn unreachable(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | Suspect | Polling => {
            stays(state).reports(ErrorCode::Timeout)
        }
        Watching => goes(Suspect, Does::Nothing).reports(ErrorCode::Timeout),
        Idle | PausedToList | PausedToWatch | Stopped | Failed => stays(state),
    }
}

/// An attempt that failed because the server was away is made again at once. A refusal is not.
pub(super) fn reachable(state: StateKind) -> Cell {
    match state {
        PausedToWatch => goes(Probing, Probe),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | Watching | Suspect
        | PausedToList | Polling | Stopped | Failed => stays(state),
    }
}

/// The resource is listed again. Objects listed before are deleted at once; before the first list there are none. A pause
/// after a failure does not end early.
pub(super) fn replaced(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn => goes(Listing, List(Newest)),
        OpeningStream | Streaming => goes(OpeningStream, Stream(Newest)),
        Probing | OpeningWatch | Watching | Suspect | Polling => goes(Listing, List(Newest)).tells(Tells::Clear),
        PausedToWatch => goes(PausedToList, Does::Nothing).tells(Tells::Clear),
        Idle | PausedToList | Stopped | Failed => stays(state),
    }
}

/// The same, but no object is deleted before the list has shown it.
pub(super) fn perhaps_replaced(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn | OpeningStream | Streaming | Idle | PausedToList | Stopped | Failed => replaced(state),
        Probing | OpeningWatch | Watching | Suspect | Polling => goes(Listing, List(Newest)),
        PausedToWatch => goes(PausedToList, Does::Nothing),
    }
}

/// A watch is suspect. (A pause is shortened to some seconds.)
pub(super) fn slept(state: StateKind) -> Cell {
    match state {
        Watching => goes(Suspect, Does::Nothing),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | Suspect | PausedToList
        | PausedToWatch | Polling | Stopped | Failed => stays(state),
    }
}
