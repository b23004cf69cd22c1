//! Faults between a server and its client: those of the embedded apiserver (`tests/apiserver/src/fault.rs`), and those
//! that only a network or a proxy can cause.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::server::RequestSource;

/// Fault of a request, of its response, or of one event of a watch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// The head of the response is late by this number of milliseconds.
    Delay(u64),
    /// Error of an apiserver, with `Retry-After` in seconds.
    Status(u16, u32),
    /// A status of something before the apiserver, as plain text.
    Plain(u16),
    /// The page of a gateway.
    Html(u16),
    /// A sign-in page with status 200.
    SignIn,
    /// A 200 with JSON, or nearly, but not the requested resource; by number.
    NotThat(u8),
    /// The connection is rejected.
    Refused,
    /// The connection opens, and no data follows.
    Hang,
    /// The body breaks off after this number of bytes.
    Cut(usize),
    /// The body stops after this number of bytes, and the connection stays open.
    Stall(usize),
    /// Two chunks are this number of milliseconds apart.
    Slow(u64),
    /// A clean end without data.
    CloseEmpty,
    /// The token of a following page has expired; the server responds late.
    ExpiredToken,
    /// A watch begins with an ERROR event.
    ErrorEvent(u16),
    /// A watch begins with a line that is a Status and no event.
    BareStatus(u16),
    /// A watch ends cleanly after this number of events, as for a slow reader.
    EndAfter(u32),
    /// A watch sends a false bookmark and ends cleanly.
    NothingNew,
    /// A watch is silent until its timeout.
    Silence,
    /// A watch is compressed.
    Gzip,
    /// An event is sent twice.
    Duplicate,
    /// No bookmarks are sent, except for the end bookmark.
    DropBookmarks,
    /// The end bookmark is not sent.
    NoEndBookmark,
    /// A line that is neither JSON nor UTF-8 replaces an event.
    Garbage,
    /// An event of an unknown type precedes an event.
    Stray,
    /// The object of an event or item is undecodable and unidentifiable.
    Unreadable,
    /// The object of an event or item is undecodable but identifiable.
    Broken,
    /// An event and all later ones are delayed by this number of milliseconds.
    DelayEvents(u64),
}

impl Fault {
    /// Whether it applies to single events instead of requests.
    pub(crate) fn is_of_events(self) -> bool {
        matches!(
            self,
            Self::Duplicate
                | Self::DropBookmarks
                | Self::NoEndBookmark
                | Self::Garbage
                | Self::Stray
                | Self::Unreadable
                | Self::Broken
                | Self::DelayEvents(_)
        )
    }

    fn is_of_watches(self) -> bool {
        matches!(
            self,
            Self::ErrorEvent(_)
                | Self::BareStatus(_)
                | Self::EndAfter(_)
                | Self::NothingNew
                | Self::Silence
                | Self::Gzip
        )
    }
}

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    List,
    /// A following page of a list.
    Page,
    Watch,
}

/// Requests that a fault applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Any,
    List,
    Watch,
}

/// Fault with its target: verb, number and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) fault: Fault,
    pub(crate) verb: Verb,
    /// Number of affected requests, or events, of each request source.
    pub(crate) times: u32,
    /// Duration.
    pub(crate) lasting: Duration,
}

/// Active faults. They count separately for each request source: which of two sources sends a request first is not
/// guaranteed, so it must not decide a story.
#[derive(Default)]
pub(crate) struct Faults(Vec<Active>);

struct Active {
    schedule: Schedule,
    until: Duration,
    counts: BTreeMap<RequestSource, u32>,
}

impl Faults {
    pub(crate) fn add(&mut self, schedule: Schedule, now: Duration) {
        self.0.push(Active { schedule, until: now + schedule.lasting, counts: BTreeMap::new() });
    }

    pub(crate) fn lift(&mut self) {
        self.0.clear();
    }

    /// Whether requests hang at present.
    pub(crate) fn requests_hang(&self, now: Duration) -> bool {
        self.0.iter().any(|active| active.schedule.fault == Fault::Hang && now <= active.until)
    }

    /// Returns the fault of a request.
    pub(crate) fn on_request(&mut self, source: RequestSource, kind: Kind, now: Duration) -> Option<Fault> {
        self.apply(source, now, |schedule| {
            let verb_matches = match schedule.verb {
                Verb::Any => true,
                Verb::List => kind != Kind::Watch,
                Verb::Watch => kind == Kind::Watch,
            };
            let kind_matches = match schedule.fault {
                Fault::ExpiredToken => kind == Kind::Page,
                fault => !fault.is_of_events() && (kind == Kind::Watch || !fault.is_of_watches()),
            };
            verb_matches && kind_matches
        })
    }

    /// Returns the fault of an event or an item.
    pub(crate) fn on_event(
        &mut self,
        source: RequestSource,
        now: Duration,
        is: impl Fn(Fault) -> bool,
    ) -> Option<Fault> {
        self.apply(source, now, |schedule| schedule.fault.is_of_events() && is(schedule.fault))
    }

    fn apply(&mut self, source: RequestSource, now: Duration, is: impl Fn(&Schedule) -> bool) -> Option<Fault> {
        for active in self.0.iter_mut().filter(|active| now <= active.until && is(&active.schedule)) {
            let counts = active.counts.entry(source).or_default();
            if *counts < active.schedule.times {
                *counts += 1;
                return Some(active.schedule.fault);
            }
        }
        None
    }
}
