//! The table: which row an input has.

use super::{Cell, InputKind, StateKind, others, requests, stays, watches};

/// Expected transition of an input in a state.
pub(super) fn expected(input: InputKind, state: StateKind) -> Cell {
    match input {
        InputKind::LastPage => requests::last_page(state),
        InputKind::Page => requests::page(state),
        InputKind::PageOfThePast => requests::page_of_the_past(state),
        InputKind::Failed400 => requests::failed_400(state),
        InputKind::Failed403 => requests::failed_403(state),
        InputKind::Failed410 => requests::failed_410(state),
        InputKind::Failed429 => requests::failed_429(state),
        InputKind::Failed504 => requests::failed_504(state),
        InputKind::NoAnswer => requests::no_answer(state),
        InputKind::Opened => watches::opened(state),
        InputKind::Added => watches::added(state),
        InputKind::Modified => watches::modified(state),
        InputKind::Deleted => watches::deleted(state),
        InputKind::Bookmark => watches::bookmark(state),
        InputKind::EndBookmark => watches::end_bookmark(state),
        InputKind::Undecodable => watches::undecodable(state),
        InputKind::Error410 => watches::error_410(state),
        InputKind::Error429 => watches::error_429(state),
        InputKind::Error500 => watches::error_500(state),
        InputKind::Ended => watches::ended(state),
        InputKind::BrokenOff => watches::broken_off(state),
        InputKind::Revoked => watches::revoked(state),
        InputKind::Start => others::start(state),
        InputKind::Stop => others::stop(state),
        InputKind::Timer => others::timer(state),
        InputKind::Deadline => others::deadline(state),
        InputKind::Full => others::full(state),
        InputKind::Wake => others::wake(state),
        InputKind::Unreachable => others::unreachable(state),
        InputKind::Reachable => others::reachable(state),
        InputKind::Replaced => others::replaced(state),
        InputKind::PerhapsReplaced => others::perhaps_replaced(state),
        InputKind::Slept => others::slept(state),
        // These only move a deadline, or put one off while nothing has been sent. A watch that was accepted ten seconds ago is
        // not suspect because other requests are rejected.
        InputKind::Progress | InputKind::Queued | InputKind::Sent | InputKind::OthersRefused => stays(state),
    }
}
