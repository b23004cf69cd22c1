//! Rows of the table: watches and streaming lists.

use super::Asked::{At, Newest, Zero};
use super::Does::{List, Probe, Stream, Wait, Watch};
use super::StateKind::{
    Failed, Idle, Listing, ListingOn, OpeningStream, OpeningWatch, PausedToList, PausedToWatch, Polling, Probing,
    Stopped, Streaming, Suspect, Watching,
};
use super::{Cell, Does, ErrorCode, StateKind, Tells, goes, stays};

/// The requested stream is open.
pub(super) fn opened(state: StateKind) -> Cell {
    match state {
        OpeningStream => goes(Streaming, Does::Nothing),
        OpeningWatch => goes(Watching, Does::Nothing),
        Idle | Listing | ListingOn | Streaming | Probing | Watching | Suspect | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// The queue receives the change, and a suspicion is refuted. A streaming list stages the object.
pub(super) fn added(state: StateKind) -> Cell {
    match state {
        Watching => stays(state).tells(Tells::Add),
        Suspect => goes(Watching, Does::Nothing).tells(Tells::Add),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | PausedToList
        | PausedToWatch | Polling | Stopped | Failed => stays(state),
    }
}

/// The same for a change of an object.
pub(super) fn modified(state: StateKind) -> Cell {
    match state {
        Watching => stays(state).tells(Tells::Update),
        Suspect => goes(Watching, Does::Nothing).tells(Tells::Update),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | PausedToList
        | PausedToWatch | Polling | Stopped | Failed => stays(state),
    }
}

/// The same for a deletion.
pub(super) fn deleted(state: StateKind) -> Cell {
    match state {
        Watching => stays(state).tells(Tells::Delete),
        Suspect => goes(Watching, Does::Nothing).tells(Tells::Delete),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | PausedToList
        | PausedToWatch | Polling | Stopped | Failed => stays(state),
    }
}

/// The version moves, and a suspect watch is refuted.
pub(super) fn bookmark(state: StateKind) -> Cell {
    match state {
        Watching => stays(state).tells(Tells::Bookmark),
        Suspect => goes(Watching, Does::Nothing).tells(Tells::Bookmark),
        Idle | Listing | ListingOn | OpeningStream | Streaming | Probing | OpeningWatch | PausedToList
        | PausedToWatch | Polling | Stopped | Failed => stays(state),
    }
}

/// Ends the initial events of a streaming list; in a watch it is a bookmark.
pub(super) fn end_bookmark(state: StateKind) -> Cell {
    match state {
        Streaming => goes(Watching, Does::Nothing).tells(Tells::Replace(0, 11)),
        Watching => stays(state).tells(Tells::Bookmark),
        Suspect => goes(Watching, Does::Nothing).tells(Tells::Bookmark),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// The event is reported, and a list follows soon. The message refutes a suspicion all the same.
pub(super) fn undecodable(state: StateKind) -> Cell {
    match state {
        Streaming | Watching => stays(state).reports(ErrorCode::Decode),
        Suspect => goes(Watching, Does::Nothing).reports(ErrorCode::Decode),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// The version has expired: a list of at least the cache's version follows a watch (client-go: `relistResourceVersion`).
pub(super) fn error_410(state: StateKind) -> Cell {
    match state {
        Streaming => goes(Listing, List(Zero)),
        Watching | Suspect => goes(PausedToList, Wait).reports(ErrorCode::Expired),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// The server ends a watch because it is busy; the watch is resumed after a pause.
pub(super) fn error_429(state: StateKind) -> Cell {
    match state {
        Streaming => goes(PausedToList, Wait).reports(ErrorCode::Throttled),
        Watching | Suspect => goes(PausedToWatch, Wait).reports(ErrorCode::Throttled),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// Any other error begins a new cycle.
pub(super) fn error_500(state: StateKind) -> Cell {
    match state {
        Streaming => goes(Listing, List(Zero)),
        Watching | Suspect => goes(PausedToList, Wait).reports(ErrorCode::Internal),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// A watch that has lived is resumed, a suspect one behind a probe. A stream without its end bookmark has failed.
pub(super) fn ended(state: StateKind) -> Cell {
    match state {
        Streaming => goes(PausedToList, Wait).reports(ErrorCode::Network),
        Watching => goes(OpeningWatch, Watch(At(10))),
        Suspect => goes(Probing, Probe),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// The server may be away, so a probe precedes the next watch.
pub(super) fn broken_off(state: StateKind) -> Cell {
    match state {
        Streaming => goes(PausedToList, Wait).reports(ErrorCode::Network),
        Watching | Suspect => goes(Probing, Probe),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// Another informer has the connection slot now. The request is queued again, without a pause and without an error.
pub(super) fn revoked(state: StateKind) -> Cell {
    match state {
        Streaming => goes(OpeningStream, Stream(Newest)),
        Watching => goes(OpeningWatch, Watch(At(10))),
        Suspect => goes(Probing, Probe),
        Idle | Listing | ListingOn | OpeningStream | Probing | OpeningWatch | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}
