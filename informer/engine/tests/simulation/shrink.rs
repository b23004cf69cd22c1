//! Shrinking: the shortest story that fails in the same way.

use std::time::Duration;

use informer::{HandlerOptions, QueueKind};

use crate::run::attempt;
use crate::story::{Action, HandlerBehavior, Story};

/// Kind of a failure: its text without numbers and names.
fn kind(failure: &str) -> String {
    failure.split([':', '@']).next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).take(60).collect()
}

/// Removes the actions that a failing story does not need.
pub(crate) fn shrink(story: &Story, failure: &str) -> Story {
    let wanted = kind(failure);
    let fails = |story: &Story| attempt(story, false).failure.is_some_and(|failure| kind(&failure) == wanted);
    let mut best = story.clone();
    loop {
        let before = (best.steps.len(), total(&best));
        drop_steps(&mut best, &fails);
        simplify(&mut best, &fails);
        if (best.steps.len(), total(&best)) == before {
            return best;
        }
    }
}

fn total(story: &Story) -> Duration {
    story.steps.iter().map(|step| step.wait).sum()
}

fn drop_steps(best: &mut Story, fails: &impl Fn(&Story) -> bool) {
    let mut size = best.steps.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < best.steps.len() {
            let mut shorter = best.clone();
            shorter.steps.drain(at..(at + size).min(best.steps.len()));
            if fails(&shorter) {
                *best = shorter;
            } else {
                at += size;
            }
        }
        if size == 1 {
            return;
        }
        size = size.div_ceil(2);
    }
}

/// Plainer server, fewer pods, shorter waits, tamer handlers.
fn simplify(best: &mut Story, fails: &impl Fn(&Story) -> bool) {
    let plainer: [fn(&mut Story); 11] = [
        |story| story.slow = false,
        |story| story.traits.chunk = 0,
        |story| story.traits.lag = 0,
        |story| story.traits.bookmarks = true,
        |story| story.traits.pages_at_zero = false,
        |story| story.page_size = 500,
        |story| story.consistent_lists = false,
        |story| story.populate_by_page = false,
        |story| story.watch_list = false,
        |story| story.queue = QueueKind::InOrder,
        |story| story.resync = Duration::ZERO,
    ];
    let steps = best.steps.len();
    let mut attempt = |change: &dyn Fn(&mut Story)| {
        let mut simpler = best.clone();
        change(&mut simpler);
        if fails(&simpler) {
            *best = simpler;
        }
    };
    for change in &plainer {
        attempt(change);
    }
    for pod in (0..12).rev() {
        attempt(&|story| {
            if pod < story.pods.len() {
                story.pods.remove(pod);
            }
        });
    }
    for at in 0..steps {
        attempt(&|story| story.steps[at].wait = Duration::ZERO);
        attempt(&|story| story.steps[at].wait = Duration::from_secs(story.steps[at].wait.as_secs()));
        attempt(&|story| {
            if let Action::AddHandler { behavior, .. } = &mut story.steps[at].action {
                *behavior = HandlerBehavior::Plain;
            }
        });
        attempt(&|story| {
            if let Action::AddHandler { options, .. } = &mut story.steps[at].action {
                options.resync_period = None;
            }
        });
        attempt(&|story| {
            if let Action::AddHandler { options, .. } = &mut story.steps[at].action {
                options.backlog_bound = HandlerOptions::default().backlog_bound;
            }
        });
    }
}
