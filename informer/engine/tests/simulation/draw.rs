//! Random stories: each has its own mix of probabilities, so that rare events coincide in some of them.

mod faults;
mod outage;

use std::time::Duration;

use fastrand::Rng;
use informer::{HandlerOptions, QueueKind};
use informer_engine::message::OrderBy;

use crate::faults::Fault;
use crate::own_informers::FIRST_OWN;
use crate::scope::SCOPES;
use crate::server::Traits;
use crate::store::Key;
use crate::story::{Action, HandlerBehavior, Step, Story, view_options};

/// Frequencies of a story's kinds of actions.
struct Probabilities {
    writes: u32,
    cluster: u32,
    faults: u32,
    network: u32,
    users: u32,
    handlers: u32,
    pages: u32,
    owns: u32,
    /// Maximum wait, as a power of two of milliseconds.
    pace: u32,
    /// The faults of this story.
    kinds: Vec<Fault>,
    /// Its keys: few, so that several changes concern the same key.
    keys: Vec<Key>,
}

pub(crate) fn story(seed: u64) -> Story {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let often = |rng: &mut Rng, max| if rng.bool() { rng.u32(1..=max) } else { 0 };
    let probabilities = Probabilities {
        writes: rng.u32(2..=12),
        cluster: often(rng, 3),
        faults: often(rng, 6),
        network: often(rng, 3),
        users: rng.u32(1..=5),
        handlers: often(rng, 5),
        pages: often(rng, 8),
        owns: often(rng, 5),
        pace: rng.u32(4..=18),
        kinds: (0..rng.usize(1..=4)).map(|_| faults::fault(rng)).collect(),
        keys: (0..rng.usize(1..=8)).map(|_| key(rng)).collect(),
    };
    let traits = Traits {
        bookmarks: rng.u8(..) > 25,
        pages_at_zero: rng.u8(..) < 50,
        chunk: one_of(rng, [0, 0, 7, 60, 400]),
        lag: one_of(rng, [0, 0, 2, 9]),
    };
    let length = rng.usize(4..=40);
    let mut steps = first_steps(rng, &probabilities);
    for _ in 0..length {
        let action = action(rng, &probabilities);
        let stopped = match action {
            Action::Stop { user } => user.checked_sub(FIRST_OWN),
            _ => None,
        };
        let hangs = matches!(action, Action::Churn(..)) && rng.bool();
        steps.push(step(rng, &probabilities, action));
        if hangs {
            // A busy watch falls silent without an end.
            let wait = Duration::from_secs(13);
            steps.push(Step { wait: Duration::ZERO, action: Action::StallOpen, random: rng.u64(..) });
            steps.push(Step { wait, action: Action::Pass, random: rng.u64(..) });
        }
        for action in stopped.map_or_else(Vec::new, |own| missed(rng, &probabilities, own)) {
            steps.push(step(rng, &probabilities, action));
        }
    }
    steps.push(step(rng, &probabilities, Action::Quiet));
    outage::insert(seed, &probabilities, &mut steps);
    Story {
        seed,
        traits,
        slow: rng.u8(..) < 40,
        page_size: one_of(rng, [1, 2, 3, 500]),
        consistent_lists: rng.u8(..) < 60,
        watch_list: rng.u8(..) < 90,
        min_watch_timeout: Duration::from_secs(one_of(rng, [300, 300, 20, 61])),
        queue: if rng.u8(..) < 70 { QueueKind::ByKey } else { QueueKind::InOrder },
        resync: Duration::from_millis(one_of(rng, [0, 0, 0, 0, 1_000, 7_500, 60_000, 600_000])),
        pods: (0..rng.usize(..6))
            .map(|_| (key(rng), rng.bool()))
            .collect::<std::collections::BTreeMap<_, _>>()
            .into_iter()
            .collect(),
        populate_by_page: rng.u8(..) < 110,
        steps,
    }
}

/// Draws the first steps: most stories begin with an informer and a handler.
fn first_steps(rng: &mut Rng, probabilities: &Probabilities) -> Vec<Step> {
    let mut actions = Vec::new();
    if rng.u8(..) < 230 {
        actions.push(Action::Want { user: 0, scope: scope(rng) });
        if probabilities.handlers > 0 {
            actions.push(Action::AddHandler {
                handler: 0,
                user: 0,
                behavior: HandlerBehavior::Plain,
                options: handler_options(rng),
            });
        }
        actions.push(Action::Start);
    }
    if probabilities.pages > 0 {
        actions.push(Action::OpenPage { page: 0 });
        actions.push(Action::PageInformer { page: 0, informer: 0, scope: scope(rng) });
        actions.push(view(rng, 0, 0, 0));
    }
    actions.into_iter().map(|action| Step { wait: Duration::ZERO, action, random: rng.u64(..) }).collect()
}

fn step(rng: &mut Rng, probabilities: &Probabilities, action: Action) -> Step {
    // Half of the steps follow at once or nearly.
    let power = if rng.bool() { 0 } else { rng.u32(0..=probabilities.pace) };
    let wait = Duration::from_millis(if power == 0 { 0 } else { rng.u64(0..1 << power) });
    Step { wait, action, random: rng.u64(..) }
}

fn action(rng: &mut Rng, probabilities: &Probabilities) -> Action {
    let weights = [
        probabilities.writes,
        probabilities.cluster,
        probabilities.faults,
        probabilities.network,
        probabilities.users,
        probabilities.handlers,
        probabilities.pages,
        probabilities.owns,
        1,
    ];
    let mut at = rng.u32(0..weights.iter().sum());
    let kind = weights.iter().position(|weight| {
        let here = at < *weight;
        at = at.saturating_sub(*weight);
        here
    });
    match kind {
        Some(0) => write(rng, probabilities),
        Some(1) => cluster(rng),
        Some(2) => Action::Fault(faults::schedule(rng, &probabilities.kinds)),
        Some(3) => network(rng),
        Some(4) => user(rng),
        Some(5) => handler(rng),
        Some(6) => page(rng, probabilities),
        Some(7) => own(rng),
        _ if rng.bool() => Action::Quiet,
        _ => Action::Pass,
    }
}

fn one_of<T: Copy, const N: usize>(rng: &mut Rng, choices: [T; N]) -> T {
    choices[rng.usize(..N)]
}

fn key(rng: &mut Rng) -> Key {
    Key { namespace: rng.u8(..3), number: one_of(rng, [1, 2, 9, 10]) }
}

fn scope(rng: &mut Rng) -> u8 {
    rng.u8(..u8::try_from(SCOPES.len()).unwrap_or(1))
}

fn seconds(rng: &mut Rng, max: u32) -> Duration {
    Duration::from_millis(u64::from(rng.u32(0..max * 1_000)))
}

fn write(rng: &mut Rng, probabilities: &Probabilities) -> Action {
    let key = probabilities.keys[rng.usize(..probabilities.keys.len())];
    match rng.u8(..16) {
        0..8 => Action::Put(key),
        8..10 => Action::Relabel(key),
        10..13 => Action::Delete(key),
        13..15 => Action::Recreate(key),
        _ if rng.bool() => Action::Churn(key, rng.u8(3..20)),
        _ => Action::Burst(rng.u8(2..12)),
    }
}

fn cluster(rng: &mut Rng) -> Action {
    let away = if rng.bool() { Duration::ZERO } else { seconds(rng, 120) };
    match rng.u8(..8) {
        0..2 => Action::Compact,
        2..4 => Action::Restart { away },
        4 => Action::Restore { away },
        5 => Action::Replace { lower: true, away },
        6 => Action::Replace { lower: false, away },
        _ => Action::Drain(seconds(rng, 60)),
    }
}

fn network(rng: &mut Rng) -> Action {
    match rng.u8(..6) {
        0 => Action::CutOpen,
        1 => Action::StallOpen,
        2 => Action::EndOpen,
        3 => Action::Away(seconds(rng, 300)),
        4 => Action::LiftFaults,
        _ => Action::Pass,
    }
}

fn user(rng: &mut Rng) -> Action {
    let user = rng.u8(..4);
    match rng.u8(..16) {
        0..5 => Action::Want { user, scope: scope(rng) },
        5..9 => Action::Start,
        9..12 => Action::Release { user },
        12 => Action::Stop { user },
        13 => Action::Wake { user },
        14 => Action::AddIndex { user },
        _ if rng.u8(..) < 80 => Action::ShutDown,
        _ => Action::Pass,
    }
}

fn handler(rng: &mut Rng) -> Action {
    let (handler, user, at) = (rng.u8(..5), rng.u8(..4), rng.u8(1..6));
    let behavior = match rng.u8(..12) {
        0..4 => HandlerBehavior::Plain,
        4..7 => HandlerBehavior::OwnsInformer,
        7 => HandlerBehavior::RemovesItselfAt(at),
        8 => HandlerBehavior::AddsHandlerAt(at),
        9 => HandlerBehavior::RemovesNextAt(at),
        10 => HandlerBehavior::RequestsInformerAt(at),
        _ => HandlerBehavior::StopsAt(at),
    };
    match rng.u8(..8) {
        0 | 1 => Action::RemoveHandler { handler },
        2 => Action::Hold { handler, after: rng.u8(..4) },
        3 => Action::Resume { handler },
        _ => Action::AddHandler { handler, user, behavior, options: handler_options(rng) },
    }
}

/// Changes that a stopped informer misses, and a handler that receives them.
fn missed(rng: &mut Rng, probabilities: &Probabilities, own: u8) -> Vec<Action> {
    let (key, run) = (probabilities.keys[rng.usize(..probabilities.keys.len())], Action::RunOwn { own, scope: 0 });
    let (handler, user, behavior) = (rng.u8(..5), FIRST_OWN + own, HandlerBehavior::Plain);
    let add = Action::AddHandler { handler, user, behavior, options: handler_options(rng) };
    vec![Action::Delete(key), run.clone(), add, run]
}

fn own(rng: &mut Rng) -> Action {
    let own = u8::from(rng.u8(..8) == 0);
    let user = FIRST_OWN + own;
    match rng.u8(..12) {
        0..6 => Action::RunOwn { own, scope: scope(rng) },
        6..8 => Action::Stop { user },
        8..11 => {
            let (handler, behavior) = (
                rng.u8(..5),
                one_of(rng, [HandlerBehavior::Plain, HandlerBehavior::Plain, HandlerBehavior::OwnsInformer]),
            );
            Action::AddHandler { handler, user, behavior, options: handler_options(rng) }
        }
        _ => Action::DropOwn { own },
    }
}

fn handler_options(rng: &mut Rng) -> HandlerOptions {
    let usual = HandlerOptions::default();
    HandlerOptions {
        resync_period: if rng.u8(..) < 60 { Some(Duration::from_secs(one_of(rng, [0, 1, 5, 90]))) } else { None },
        backlog_bound: one_of(rng, [usual.backlog_bound, usual.backlog_bound, 0, 3]),
    }
}

fn view(rng: &mut Rng, page: u8, view: u8, informer: u8) -> Action {
    let column = one_of(rng, ["", "Namespace", "Name", "Age"]);
    let start = rng.usize(0..4);
    let (filter, end) = (one_of(rng, ["", "", "POD-1", "b/", "zzz"]), start + rng.usize(0..9));
    let order_by = OrderBy { column: column.to_owned(), descending: rng.bool() };
    Action::View { page, view, informer, options: view_options(filter, order_by, start, end) }
}

fn page(rng: &mut Rng, probabilities: &Probabilities) -> Action {
    let (page, informer, thing) = (rng.u8(..2), rng.u8(..2), rng.u8(..3));
    let start = rng.usize(0..6);
    match rng.u8(..22) {
        20 => Action::PageHold { page },
        21 => Action::PageTake { page },
        0..2 => Action::OpenPage { page },
        2 => Action::ClosePage { page, politely: rng.bool() },
        3..7 => Action::PageInformer { page, informer, scope: scope(rng) },
        7 => Action::PageStop { page, informer },
        8 => Action::PageWake { page },
        9..12 => view(rng, page, thing, informer),
        12..14 => Action::Window { page, view: thing, start, end: start + rng.usize(0..9) },
        14 => Action::CloseView { page, view: thing },
        15..17 => Action::Follow {
            page,
            follow: thing,
            informer,
            key: probabilities.keys[rng.usize(..probabilities.keys.len())],
        },
        17 => Action::Unfollow { page, follow: thing },
        18 => Action::PageHandler { page, handler: thing, informer },
        _ => Action::RemovePageHandler { page, handler: thing },
    }
}
