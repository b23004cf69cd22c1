//! Story: the actions that one seed draws. They are valid in any order, and without any of them.

use std::fmt;
use std::time::Duration;

use informer::{HandlerOptions, QueueKind};
use informer_engine::message::{OrderBy, ViewOptions};

use crate::draw;
use crate::faults::Schedule;
use crate::server::Traits;
use crate::store::Key;

/// Behaviour of an application's handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandlerBehavior {
    /// Only records.
    Plain,
    /// Owns its informer, as a controller does, and reads the cache at each delivery.
    OwnsInformer,
    /// Removes itself at its n-th change.
    RemovesItselfAt(u8),
    /// Adds another handler at its n-th change.
    AddsHandlerAt(u8),
    /// Removes the handler in the slot next to its own at its n-th change.
    RemovesNextAt(u8),
    /// Requests another informer, starts it and releases it at its n-th change.
    RequestsInformerAt(u8),
    /// Stops the informer at its n-th change.
    StopsAt(u8),
}

/// Action. Numbers name slots; an action on an empty slot does nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Only time passes.
    Pass,

    // The cluster.
    Put(Key),
    Relabel(Key),
    Delete(Key),
    /// Deleted and created again at once, with another uid.
    Recreate(Key),
    /// This number of writes to random keys at once.
    Burst(u8),
    /// Two writes to a key per second, for this number of seconds.
    Churn(Key, u8),
    Compact,
    Restart {
        away: Duration,
    },
    Restore {
        away: Duration,
    },
    Replace {
        lower: bool,
        away: Duration,
    },
    Drain(Duration),

    // The network.
    Fault(Schedule),
    LiftFaults,
    CutOpen,
    StallOpen,
    EndOpen,
    Away(Duration),

    // An application with a factory.
    Want {
        user: u8,
        scope: u8,
    },
    Start,
    Release {
        user: u8,
    },
    Stop {
        user: u8,
    },
    Wake {
        user: u8,
    },
    AddIndex {
        user: u8,
    },
    AddHandler {
        handler: u8,
        user: u8,
        behavior: HandlerBehavior,
        options: HandlerOptions,
    },
    RemoveHandler {
        handler: u8,
    },
    /// A handler accepts this number of further batches, and then none until it resumes.
    Hold {
        handler: u8,
        after: u8,
    },
    Resume {
        handler: u8,
    },
    /// An informer that the application runs without a factory is created, run, or reopened after a stop.
    RunOwn {
        own: u8,
        scope: u8,
    },
    DropOwn {
        own: u8,
    },
    ShutDown,

    // Pages on an engine.
    OpenPage {
        page: u8,
    },
    ClosePage {
        page: u8,
        politely: bool,
    },
    PageInformer {
        page: u8,
        informer: u8,
        scope: u8,
    },
    PageStop {
        page: u8,
        informer: u8,
    },
    PageWake {
        page: u8,
    },
    View {
        page: u8,
        view: u8,
        informer: u8,
        options: ViewOptions,
    },
    Window {
        page: u8,
        view: u8,
        start: usize,
        end: usize,
    },
    CloseView {
        page: u8,
        view: u8,
    },
    Follow {
        page: u8,
        follow: u8,
        informer: u8,
        key: Key,
    },
    Unfollow {
        page: u8,
        follow: u8,
    },
    PageHandler {
        page: u8,
        handler: u8,
        informer: u8,
    },
    RemovePageHandler {
        page: u8,
        handler: u8,
    },
    /// A page is busy: it receives messages, but acknowledges none.
    PageHold {
        page: u8,
    },
    PageTake {
        page: u8,
    },

    /// Faults are lifted, and after enough time every client must have the state of the server.
    Quiet,
}

/// Action, and its delay after the previous one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) wait: Duration,
    pub(crate) action: Action,
    /// Seed of this step's random numbers, so that removing another step does not change it.
    pub(crate) random: u64,
}

/// Everything that one seed draws.
#[expect(clippy::struct_excessive_bools, reason = "options that are drawn one by one")]
#[derive(Clone, Debug)]
pub(crate) struct Story {
    pub(crate) seed: u64,
    pub(crate) traits: Traits,
    /// Whether work takes time.
    pub(crate) slow: bool,
    pub(crate) page_size: u32,
    pub(crate) consistent_lists: bool,
    /// The pages of a first list are delivered as they arrive.
    pub(crate) populate_by_page: bool,
    /// Informers of the factory sync with streaming lists.
    pub(crate) watch_list: bool,
    pub(crate) min_watch_timeout: Duration,
    /// Queue of the factory's informers.
    pub(crate) queue: QueueKind,
    /// Resync period of handlers without their own; zero is never.
    pub(crate) resync: Duration,
    pub(crate) pods: Vec<(Key, bool)>,
    pub(crate) steps: Vec<Step>,
}

impl Story {
    pub(crate) fn of(seed: u64) -> Self {
        draw::story(seed)
    }
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            traits,
            slow,
            page_size,
            consistent_lists,
            populate_by_page,
            watch_list,
            min_watch_timeout,
            queue,
            resync,
            ..
        } = self;
        write!(
            f,
            "{traits:?}, slow machine: {slow}, page size {page_size}, consistent lists: {consistent_lists}, populated by page: {populate_by_page}, streaming lists: {watch_list}, watches of \
             {min_watch_timeout:?}, queue {queue:?}, resync {resync:?}, pods:"
        )?;
        self.pods.iter().try_for_each(|(key, web)| write!(f, " {key}{}", if *web { ",web" } else { "" }))
    }
}

/// Rows of a view ordered as drawn.
pub(crate) fn view_options(filter: &str, order_by: OrderBy, start: usize, end: usize) -> ViewOptions {
    ViewOptions { filter: filter.to_owned(), order_by: vec![order_by], start, end, ..ViewOptions::default() }
}
