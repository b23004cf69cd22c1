//! Rows of the table: pages, and requests that fail.

use super::Asked::{At, Newest, Zero};
use super::Does::{List, NextPage, Wait, Watch};
use super::StateKind::{
    Failed, Idle, Listing, ListingOn, OpeningStream, OpeningWatch, PausedToList, PausedToWatch, Polling, Probing,
    Stopped, Streaming, Suspect, Watching,
};
use super::{Cell, ErrorCode, StateKind, Tells, goes, stays};

/// Replaces the cache, and a watch follows from the version of the first page. A probe is a page, too: it verifies the
/// server, and the watch resumes where it was.
pub(super) fn last_page(state: StateKind) -> Cell {
    match state {
        Listing => goes(OpeningWatch, Watch(At(20))).tells(Tells::Replace(1, 20)),
        ListingOn => goes(OpeningWatch, Watch(At(10))).tells(Tells::Replace(2, 10)),
        Probing => goes(OpeningWatch, Watch(At(10))),
        Idle | OpeningStream | Streaming | OpeningWatch | Watching | Suspect | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// Requests the next page. A probe always has further pages, which are not requested.
pub(super) fn page(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn => goes(ListingOn, NextPage),
        Probing => goes(OpeningWatch, Watch(At(10))),
        Idle | OpeningStream | Streaming | OpeningWatch | Watching | Suspect | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// A list may have a lower version, and the cache follows it. A probe with a lower version shows that the cluster was
/// restored: a list of the newest version replaces the watch.
pub(super) fn page_of_the_past(state: StateKind) -> Cell {
    match state {
        Listing => goes(OpeningWatch, Watch(At(9))).tells(Tells::Replace(1, 9)),
        ListingOn => goes(OpeningWatch, Watch(At(10))).tells(Tells::Replace(2, 10)),
        Probing => goes(Listing, List(Newest)),
        Idle | OpeningStream | Streaming | OpeningWatch | Watching | Suspect | PausedToList | PausedToWatch
        | Polling | Stopped | Failed => stays(state),
    }
}

/// A rejected list in its plainest form is final; a later page and a probe may be requested differently. A list replaces a
/// stream, and polling a watch after a list.
pub(super) fn failed_400(state: StateKind) -> Cell {
    match state {
        Listing => goes(Failed, Wait).reports(ErrorCode::BadRequest),
        ListingOn | Probing => goes(PausedToList, Wait).reports(ErrorCode::BadRequest),
        OpeningStream => goes(Listing, List(Zero)),
        OpeningWatch => goes(Polling, Wait).reports(ErrorCode::BadRequest),
        Idle | Streaming | Watching | Suspect | PausedToList | PausedToWatch | Polling | Stopped | Failed => {
            stays(state)
        }
    }
}

/// As 400, but a permission may be granted later.
pub(super) fn failed_403(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn | Probing => goes(PausedToList, Wait).reports(ErrorCode::Forbidden),
        OpeningStream => goes(Listing, List(Zero)),
        OpeningWatch => goes(Polling, Wait).reports(ErrorCode::Forbidden),
        Idle | Streaming | Watching | Suspect | PausedToList | PausedToWatch | Polling | Stopped | Failed => {
            stays(state)
        }
    }
}

/// A version has expired: the list requests the newest or, if a continue token expired, restarts without pages. A list
/// follows a watch.
pub(super) fn failed_410(state: StateKind) -> Cell {
    match state {
        Listing => goes(Listing, List(Newest)),
        ListingOn | OpeningStream => goes(Listing, List(Zero)),
        Probing | OpeningWatch => goes(PausedToList, Wait).reports(ErrorCode::Expired),
        Idle | Streaming | Watching | Suspect | PausedToList | PausedToWatch | Polling | Stopped | Failed => {
            stays(state)
        }
    }
}

/// A busy server is no evidence about the version: the request is repeated after a pause.
pub(super) fn failed_429(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn | OpeningStream => goes(PausedToList, Wait).reports(ErrorCode::Throttled),
        Probing | OpeningWatch => goes(PausedToWatch, Wait).reports(ErrorCode::Throttled),
        Idle | Streaming | Watching | Suspect | PausedToList | PausedToWatch | Polling | Stopped | Failed => {
            stays(state)
        }
    }
}

/// The server has not reached the version: as 410, but a continue token is not the reason.
pub(super) fn failed_504(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn => goes(Listing, List(Newest)),
        OpeningStream => goes(Listing, List(Zero)),
        Probing | OpeningWatch => goes(PausedToList, Wait).reports(ErrorCode::TooLargeResourceVersion),
        Idle | Streaming | Watching | Suspect | PausedToList | PausedToWatch | Polling | Stopped | Failed => {
            stays(state)
        }
    }
}

/// The server is unreachable: the request is repeated after a pause.
pub(super) fn no_answer(state: StateKind) -> Cell {
    match state {
        Listing | ListingOn | OpeningStream => goes(PausedToList, Wait).reports(ErrorCode::Network),
        Probing | OpeningWatch => goes(PausedToWatch, Wait).reports(ErrorCode::Network),
        Idle | Streaming | Watching | Suspect | PausedToList | PausedToWatch | Polling | Stopped | Failed => {
            stays(state)
        }
    }
}
