//! The states and the inputs of the table.

use super::super::*;
use crate::reflector::state::Next;

/// State of the reflector, with the data that determines its transitions. After a list the cache is at version 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateKind {
    Idle,
    /// The first page of the first list has been requested.
    Listing,
    /// The second page has.
    ListingOn,
    OpeningStream,
    Streaming,
    /// A watch broke off.
    Probing,
    /// Right behind the first list.
    OpeningWatch,
    Watching,
    /// The machine has slept.
    Suspect,
    PausedToList,
    PausedToWatch,
    /// Listed twice, and not to be watched.
    Polling,
    Stopped,
    Failed,
}

impl StateKind {
    pub(super) const ALL: [Self; 14] = [
        Self::Idle,
        Self::Listing,
        Self::ListingOn,
        Self::OpeningStream,
        Self::Streaming,
        Self::Probing,
        Self::OpeningWatch,
        Self::Watching,
        Self::Suspect,
        Self::PausedToList,
        Self::PausedToWatch,
        Self::Polling,
        Self::Stopped,
        Self::Failed,
    ];

    pub(super) fn reflector(self) -> Reflector<Thing> {
        match self {
            Self::Idle => new(),
            Self::Listing => listing(),
            Self::ListingOn => after([Input::Start, page(&[Thing("a", "1")], "10", "c")]),
            Self::OpeningStream => opening_stream(),
            Self::Streaming => staging(),
            Self::Probing => probing(),
            Self::OpeningWatch => opening(),
            Self::Watching => watching(),
            Self::Suspect => after([Input::Start, page(&[], "10", ""), Input::Opened, Input::Slept]),
            Self::PausedToList => waiting_to_list(),
            Self::PausedToWatch => waiting_to_watch(),
            Self::Polling => polling(),
            Self::Stopped => stopped(),
            Self::Failed => failed(),
        }
    }

    pub(super) fn of(reflector: &Reflector<Thing>) -> Self {
        match &reflector.state {
            State::Idle => Self::Idle,
            State::Listing(listing) if listing.token.is_empty() => Self::Listing,
            State::Listing(_) => Self::ListingOn,
            State::OpeningStream(_) => Self::OpeningStream,
            State::Streaming(_) => Self::Streaming,
            State::Probing(_) => Self::Probing,
            State::OpeningWatch(..) => Self::OpeningWatch,
            State::Watching(watch) if watch.message_due.is_some() => Self::Suspect,
            State::Watching(_) => Self::Watching,
            State::Paused(_) if reflector.polling.is_some() => Self::Polling,
            State::Paused(Pause { next: Next::Relist, .. }) => Self::PausedToList,
            State::Paused(Pause { next: Next::Watch, .. }) => Self::PausedToWatch,
            State::Stopped => Self::Stopped,
            State::Failed => Self::Failed,
        }
    }
}

/// Input ten seconds later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputKind {
    Start,
    /// A page without a continue token, at 20.
    LastPage,
    /// A page with one, at 20.
    Page,
    /// A last page at 9, a lower version than the cache's.
    PageOfThePast,
    Progress,
    /// The request joins the queue for a connection.
    Queued,
    /// It leaves the queue.
    Sent,
    Opened,
    Added,
    Modified,
    Deleted,
    Bookmark,
    EndBookmark,
    /// An event of an unknown type.
    Undecodable,
    /// An ERROR event with this code, and so on.
    Error410,
    Error429,
    Error500,
    Ended,
    BrokenOff,
    Revoked,
    /// The request is rejected with this code, and so on.
    Failed400,
    Failed403,
    Failed410,
    Failed429,
    /// 504: the version is too large.
    Failed504,
    NoAnswer,
    /// The timer, after ten seconds.
    Timer,
    /// The timer, at the deadline of the state.
    Deadline,
    Full,
    Wake,
    OthersRefused,
    Unreachable,
    Reachable,
    /// Another cluster has the URL.
    Replaced,
    /// Another cluster may have the URL.
    PerhapsReplaced,
    Slept,
    Stop,
}

impl InputKind {
    pub(super) const ALL: [Self; 37] = [
        Self::Start,
        Self::LastPage,
        Self::Page,
        Self::PageOfThePast,
        Self::Progress,
        Self::Queued,
        Self::Sent,
        Self::Opened,
        Self::Added,
        Self::Modified,
        Self::Deleted,
        Self::Bookmark,
        Self::EndBookmark,
        Self::Undecodable,
        Self::Error410,
        Self::Error429,
        Self::Error500,
        Self::Ended,
        Self::BrokenOff,
        Self::Revoked,
        Self::Failed400,
        Self::Failed403,
        Self::Failed410,
        Self::Failed429,
        Self::Failed504,
        Self::NoAnswer,
        Self::Timer,
        Self::Deadline,
        Self::Full,
        Self::Wake,
        Self::OthersRefused,
        Self::Unreachable,
        Self::Reachable,
        Self::Replaced,
        Self::PerhapsReplaced,
        Self::Slept,
        Self::Stop,
    ];

    pub(super) fn input(self) -> Input<Thing> {
        let failed = |code| Input::Failed(error(code));
        match self {
            Self::Start => Input::Start,
            Self::LastPage => page(&[Thing("b", "11")], "20", ""),
            Self::Page => page(&[Thing("b", "11")], "20", "d"),
            Self::PageOfThePast => page(&[Thing("b", "8")], "9", ""),
            Self::Progress => Input::Progress,
            Self::Queued => Input::Queued(true),
            Self::Sent => Input::Queued(false),
            Self::Opened => Input::Opened,
            Self::Added => added("a", "11"),
            Self::Modified => Input::Event(Ok(WatchEvent::Modified(Thing("a", "11")))),
            Self::Deleted => Input::Event(Ok(WatchEvent::Deleted(Thing("a", "11")))),
            Self::Bookmark => bookmark("11"),
            Self::EndBookmark => end_bookmark("11"),
            Self::Undecodable => Input::Event(Err(error(ErrorCode::Decode))),
            Self::Error410 => in_stream(ErrorCode::Expired),
            Self::Error429 => in_stream(ErrorCode::Throttled),
            Self::Error500 => in_stream(ErrorCode::Internal),
            Self::Ended => Input::Ended(None),
            Self::BrokenOff => Input::Ended(Some(error(ErrorCode::Network))),
            Self::Revoked => Input::Revoked,
            Self::Failed400 => failed(ErrorCode::BadRequest),
            Self::Failed403 => failed(ErrorCode::Forbidden),
            Self::Failed410 => failed(ErrorCode::Expired),
            Self::Failed429 => failed(ErrorCode::Throttled),
            Self::Failed504 => failed(ErrorCode::TooLargeResourceVersion),
            Self::NoAnswer => failed(ErrorCode::Network),
            Self::Timer | Self::Deadline => Input::Timer,
            Self::Full => Input::Full,
            Self::Wake => Input::Wake,
            Self::OthersRefused => Input::OthersRefused,
            Self::Unreachable => Input::Unreachable(error(ErrorCode::Timeout)),
            Self::Reachable => Input::Reachable,
            Self::Replaced => Input::Replaced { since: seconds(5), certain: true },
            Self::PerhapsReplaced => Input::Replaced { since: seconds(5), certain: false },
            Self::Slept => Input::Slept,
            Self::Stop => Input::Stop,
        }
    }

    /// The kinds that are this variant of an input. A variant that is added without a kind does not compile.
    pub(super) fn of(input: &Input<Thing>) -> &'static [Self] {
        match input {
            Input::Start => &[Self::Start],
            Input::Page(_) => &[Self::LastPage, Self::Page, Self::PageOfThePast],
            Input::Progress => &[Self::Progress],
            Input::Queued(true) => &[Self::Queued],
            Input::Queued(false) => &[Self::Sent],
            Input::Opened => &[Self::Opened],
            Input::Event(Ok(WatchEvent::Added(_))) => &[Self::Added],
            Input::Event(Ok(WatchEvent::Modified(_))) => &[Self::Modified],
            Input::Event(Ok(WatchEvent::Deleted(_))) => &[Self::Deleted],
            Input::Event(Ok(WatchEvent::Bookmark { initial_events_end: false, .. })) => &[Self::Bookmark],
            Input::Event(Ok(WatchEvent::Bookmark { initial_events_end: true, .. })) => &[Self::EndBookmark],
            Input::Event(Ok(WatchEvent::Error(_))) => &[Self::Error410, Self::Error429, Self::Error500],
            Input::Event(Err(_)) => &[Self::Undecodable],
            Input::Ended(None) => &[Self::Ended],
            Input::Ended(Some(_)) => &[Self::BrokenOff],
            Input::Revoked => &[Self::Revoked],
            Input::Failed(_) => {
                &[Self::Failed400, Self::Failed403, Self::Failed410, Self::Failed429, Self::Failed504, Self::NoAnswer]
            }
            Input::Timer => &[Self::Timer, Self::Deadline],
            Input::Full => &[Self::Full],
            Input::Wake => &[Self::Wake],
            Input::OthersRefused => &[Self::OthersRefused],
            Input::Unreachable(_) => &[Self::Unreachable],
            Input::Reachable => &[Self::Reachable],
            Input::Replaced { certain: true, .. } => &[Self::Replaced],
            Input::Replaced { certain: false, .. } => &[Self::PerhapsReplaced],
            Input::Slept => &[Self::Slept],
            Input::Stop => &[Self::Stop],
        }
    }
}
