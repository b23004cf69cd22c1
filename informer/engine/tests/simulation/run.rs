//! Runner of stories, many or one; reports the first that fails.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::shrink::shrink;
use crate::story::Story;
use crate::world::{Outcome, play};

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a story; a panic in it is a failure like any other.
pub(crate) fn attempt(story: &Story, with_log: bool) -> Outcome {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name().is_some_and(|name| name.starts_with("story")) {
                PANIC.with_borrow_mut(|panic| *panic = Some(info.to_string()));
            } else {
                before(info);
            }
        }));
    });
    panic::catch_unwind(AssertUnwindSafe(|| play(story, with_log))).unwrap_or_else(|_| {
        let message = PANIC.take().unwrap_or_default();
        Outcome { failure: Some(format!("panic: {message}")), log: Vec::new() }
    })
}

/// Returns the first seed from `first` on, among `count`, whose story fails, and how. All threads end soon after it is
/// found.
pub(crate) fn first_failure(first: u64, count: u64, threads: usize) -> Option<(u64, String)> {
    let (next, stop) = (AtomicU64::new(0), AtomicU64::new(count));
    let mut failures: Vec<(u64, String)> = Vec::new();
    thread::scope(|scope| {
        let work = || {
            let mut found = None;
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= stop.load(Ordering::Relaxed) {
                    return found;
                }
                if let Some(failure) = attempt(&Story::of(first + at), false).failure {
                    stop.fetch_min(at, Ordering::Relaxed);
                    found = Some((first + at, failure));
                }
            }
        };
        let spawn = |_| thread::Builder::new().name("story".to_owned()).spawn_scoped(scope, work).expect("a thread");
        let threads: Vec<_> = (0..threads).map(spawn).collect();
        failures.extend(threads.into_iter().filter_map(|thread| thread.join().expect("no panic outside of stories")));
    });
    failures.into_iter().min()
}

/// Describes a failing story in its shortest form.
pub(crate) fn describe_failure(seed: u64, failure: &str, whole: bool) -> String {
    let describe = move |failure: String| {
        let story = Story::of(seed);
        let shortest = if whole { story.clone() } else { shrink(&story, &failure) };
        let outcome = attempt(&shortest, true);
        let mut text = String::new();
        let _ = writeln!(text, "seed {seed}: {failure}");
        let _ =
            writeln!(text, "its shortest story ({} of {} steps): {shortest}", shortest.steps.len(), story.steps.len());
        for line in &outcome.log {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "so: {}", outcome.failure.as_deref().unwrap_or("it ends well"));
        let _ = write!(text, "replay it with: make simulate SEED={seed}");
        text
    };
    let failure = failure.to_owned();
    let thread = thread::Builder::new().name("story".to_owned()).spawn(move || describe(failure)).expect("a thread");
    thread.join().expect("no panic outside of stories")
}
