//! Frame scheduler: the only place that requests animation frames; each job runs at most once per frame.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::request_animation_frame;

/// Painter of a part of the page. Of several requests in one frame the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Painter {
    /// The rows of the table.
    Table,
    /// The lines of a log.
    Logs,
}

type Job = Rc<dyn Fn()>;

thread_local! {
    static PENDING_JOBS: RefCell<Vec<(Painter, Job)>> = const { RefCell::new(Vec::new()) };
}

/// Runs a job in the next frame. A hidden page has no frames: its jobs wait until it is seen again.
pub(crate) fn request(painter: Painter, job: impl Fn() + 'static) {
    let first = PENDING_JOBS.with_borrow_mut(|waiting| {
        let first = waiting.is_empty();
        waiting.retain(|(other, _)| *other != painter);
        waiting.push((painter, Rc::new(job)));
        first
    });
    if first {
        request_animation_frame(run);
    }
}

/// Runs a job in the current frame, and cancels its painter's job for the next one.
pub(crate) fn run_now(painter: Painter, job: impl FnOnce()) {
    PENDING_JOBS.with_borrow_mut(|waiting| waiting.retain(|(other, _)| *other != painter));
    job();
}

fn run() {
    // Taken out before they run: a job may ask for the next frame.
    for (_, job) in PENDING_JOBS.take() {
        job();
    }
}
