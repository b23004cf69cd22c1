//! Driver: performs the steps of a [`Reflector`]; the only asynchronous code of the protocol.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt};

use super::liveness::sleep::Sleep;
use super::{Command, Input, Reflector, Step, StoreCall};
use crate::clock::{Clock, SLICE};
use crate::deadlines::SLEEP_CHECK;
use crate::error::{ErrorCode, Result};
use crate::list::ListPage;
use crate::list_watch::{ListerWatcher, WatchStream};
use crate::object::Keyed;
use crate::trace::{Span, debug, info_span, warn};
use crate::transport::connection_slot::ConnectionSlot;
use crate::watch::WatchEvent;

/// Remote control of a running reflector: stops or wakes it.
#[derive(Clone, Default)]
pub(crate) struct Control(Rc<ControlState>);

#[derive(Default)]
struct ControlState {
    stop: Cell<bool>,
    wake: Cell<bool>,
    full: Cell<bool>,
    others_refused: Cell<bool>,
    replaced: Cell<Option<(Duration, bool)>>,
    heartbeat: RefCell<Option<Result<()>>>,
    waker: RefCell<Option<Waker>>,
}

impl Control {
    pub(crate) fn stop(&self) {
        self.0.stop.set(true);
        self.notify();
    }

    pub(crate) fn wake(&self) {
        self.0.wake.set(true);
        self.notify();
    }

    /// Reports that the cache exceeds its memory limit.
    pub(crate) fn full(&self) {
        self.0.full.set(true);
        self.notify();
    }

    /// Reports that the server rejects other requests.
    pub(crate) fn others_refused(&self) {
        self.0.others_refused.set(true);
        self.notify();
    }

    pub(crate) fn replaced(&self, since: Duration, certain: bool) {
        self.0.replaced.set(Some((since, certain)));
        self.notify();
    }

    /// Reports the outcome of a heartbeat.
    pub(crate) fn heartbeat(&self, outcome: Result<()>) {
        self.0.heartbeat.replace(Some(outcome));
        self.notify();
    }

    /// Clears all pending requests.
    pub(crate) fn reset(&self) {
        for request in [&self.0.stop, &self.0.wake, &self.0.full, &self.0.others_refused] {
            request.set(false);
        }
        self.0.replaced.set(None);
        self.0.heartbeat.take();
    }

    /// Resolves when it is stopped. Only one task at a time may wait for that, or run with this control.
    pub(crate) async fn stopped(&self) {
        poll_fn(|context| {
            *self.0.waker.borrow_mut() = Some(context.waker().clone());
            if self.0.stop.get() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    fn notify(&self) {
        let waker = self.0.waker.borrow_mut().take();
        // With nothing borrowed: it may run the task at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn is_requested(&self) -> bool {
        self.0.stop.get() || self.0.wake.get() || self.0.others_refused.get()
    }

    fn poll<T>(&self, context: &Context<'_>) -> Poll<Input<T>> {
        if self.0.stop.get() {
            return Poll::Ready(Input::Stop);
        }
        if self.0.wake.take() {
            return Poll::Ready(Input::Wake);
        }
        if self.0.full.take() {
            return Poll::Ready(Input::Full);
        }
        if self.0.others_refused.take() {
            return Poll::Ready(Input::OthersRefused);
        }
        if let Some((since, certain)) = self.0.replaced.take() {
            return Poll::Ready(Input::Replaced { since, certain });
        }
        if let Some(outcome) = self.0.heartbeat.take() {
            return Poll::Ready(outcome.map_or_else(Input::Unreachable, |()| Input::Reachable));
        }
        *self.0.waker.borrow_mut() = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Received data: one input, or all events that one chunk of bytes completed.
enum Received<T> {
    Input(Input<T>),
    Progress,
    /// No data: it is time to compare the clocks.
    SleepCheck,
    Events(Vec<Result<WatchEvent<T>>>),
}

/// Request in flight. Replacing it drops, and so aborts, the previous one.
enum Io<T> {
    Nothing,
    Listing(LocalBoxFuture<'static, Result<ListPage<T>>>),
    Opening(LocalBoxFuture<'static, Result<WatchStream<T>>>),
    Streaming(WatchStream<T>),
}

impl<T> Io<T> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Received<T>> {
        let (next, input) = match self {
            Self::Nothing => return Poll::Pending,
            Self::Listing(page) => match std::task::ready!(page.poll_unpin(context)) {
                Ok(page) => (Self::Nothing, Input::Page(page)),
                Err(error) => (Self::Nothing, Input::Failed(error)),
            },
            Self::Opening(watch) => match std::task::ready!(watch.poll_unpin(context)) {
                Ok(stream) => (Self::Streaming(stream), Input::Opened),
                Err(error) => (Self::Nothing, Input::Failed(error)),
            },
            Self::Streaming(stream) => match std::task::ready!(stream.poll_next_unpin(context)) {
                Some(Ok(events)) => return Poll::Ready(Received::Events(events)),
                Some(Err(error)) => (Self::Nothing, Input::Ended(Some(error))),
                None => (Self::Nothing, Input::Ended(None)),
            },
        };
        *self = next;
        Poll::Ready(Received::Input(input))
    }
}

/// Timer of a reflector. Deadlines move with every event; the timer is set again only if it would be late. Firing early
/// is harmless.
struct Timer {
    clock: Rc<dyn Clock>,
    running: Option<(Duration, LocalBoxFuture<'static, ()>)>,
    fired: bool,
}

impl Timer {
    fn set(&mut self, due: Duration) {
        if self.running.as_ref().is_none_or(|(set, _)| *set > due) {
            self.running = Some((due, self.clock.sleep(due.saturating_sub(self.clock.now()))));
        }
    }

    fn poll_fired(&mut self, context: &mut Context<'_>) -> bool {
        if self.running.as_mut().is_some_and(|(_, sleep)| sleep.poll_unpin(context).is_ready()) {
            self.running = None;
            self.fired = true;
        }
        self.fired
    }

    /// Whether it has fired since the last call.
    fn take_fired(&mut self) -> bool {
        std::mem::take(&mut self.fired)
    }
}

#[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "only traces use it"))]
/// Moves to the span of a command: `list`, `relist` or `watch`. The pages of a list belong to one.
fn trace_command(span: &mut Span, command: &Command, source: &str, relist: bool) {
    *span = match command {
        Command::List(options) if options.continue_token.is_some() => return,
        Command::List(options) if relist => info_span!("relist", source, version = options.resource_version),
        Command::List(options) => info_span!("list", source, version = options.resource_version),
        Command::Watch(options) => {
            let (version, initial_events) = (&options.resource_version, options.initial_events);
            info_span!("watch", source, version, initial_events)
        }
        Command::Probe => info_span!("probe", source),
        Command::Wait | Command::Halt => Span::none(),
    };
}

#[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "only traces use it"))]
/// client-go's default watch-error handler: an expired version is normal, and logged at a lower level.
fn trace_outcome<T>(step: &Step<T>) {
    if let Some(StoreCall::Replace { items, unchanged, resource_version, unread }) = &step.call {
        debug!(objects = items.len() + unchanged.len(), unread = unread.len(), resource_version, "listed");
    }
    match &step.report {
        Some(error) if error.code() == ErrorCode::Expired => debug!(%error, "the version has expired"),
        Some(error) => warn!(%error, "list or watch failed"),
        None => {}
    }
}

/// Runs a reflector until it is stopped. Passes every outcome to `sink`, and whether it is the last one for now: the
/// events of one chunk arrive together.
///
/// The reflector is borrowed only during a step, never while waiting.
pub(crate) async fn run<T, L>(
    reflector: Rc<RefCell<Reflector<T>>>,
    lister_watcher: &L,
    clock: Rc<dyn Clock>,
    control: Control,
    mut sink: impl FnMut(Step<T>, bool),
) where
    T: Keyed,
    L: ListerWatcher<Object = T>,
{
    let mut io = Io::Nothing;
    let mut span = Span::none();
    let mut timer = Timer { clock: clock.clone(), running: None, fired: false };
    let source = lister_watcher.description();
    let mut perform = |input, now, is_last, io: &mut Io<T>, span: &mut Span| {
        let mut step = {
            let _entered = span.enter();
            let step = reflector.borrow_mut().step(input, now);
            trace_outcome(&step);
            step
        };
        let command = step.command.take();
        let relist = command.is_some() && reflector.borrow().has_listed();
        sink(step, is_last || command.is_some());
        if let Some(command) = &command {
            trace_command(span, command, &source, relist);
        }
        if command.is_some() {
            // Drops the request in flight before the next one begins, because connections are few.
            *io = Io::Nothing;
        }
        match &command {
            None | Some(Command::Wait | Command::Halt) => {}
            Some(Command::List(options)) => *io = Io::Listing(lister_watcher.list(options.clone())),
            Some(Command::Probe) => *io = Io::Listing(lister_watcher.probe()),
            Some(Command::Watch(options)) => *io = Io::Opening(lister_watcher.watch(options.clone())),
        }
        command
    };
    let mut sleep = Sleep::new(&*clock);
    reflector.borrow_mut().set_epoch(sleep.epoch());
    perform(Input::Start, clock.now(), true, &mut io, &mut span);
    let (mut slice, mut progress, mut queued) = (clock.now(), 0, false);
    let connection = lister_watcher.connection().cloned();
    loop {
        if clock.now().saturating_sub(slice) >= SLICE {
            clock.sleep(Duration::ZERO).await;
            slice = clock.now();
        }
        let polled_at = clock.now();
        let deadline = reflector.borrow().timer();
        timer.set(deadline.unwrap_or(Duration::MAX).min(polled_at.saturating_add(SLEEP_CHECK)));
        let arrived = poll_fn(|context| {
            // Messages precede deadlines and requests: a message shows that the watch is alive.
            if control.is_requested() || timer.poll_fired(context) {
                let slept = sleep.is_over(&*clock);
                reflector.borrow_mut().set_epoch(sleep.epoch());
                if slept {
                    return Poll::Ready(Received::Input(Input::Slept));
                }
            }
            // Control first: an informer that is being stopped delivers no further event.
            if let Poll::Ready(input) = control.poll(context) {
                return Poll::Ready(Received::Input(input));
            }
            if timer.take_fired() {
                let due = deadline.is_some_and(|deadline| deadline <= clock.now());
                return Poll::Ready(if due { Received::Input(Input::Timer) } else { Received::SleepCheck });
            }
            let _entered = span.enter();
            let arrived = io.poll(context);
            let is_queued = connection.as_ref().is_some_and(ConnectionSlot::is_queued);
            if arrived.is_pending() && std::mem::replace(&mut queued, is_queued) != is_queued {
                return Poll::Ready(Received::Input(Input::Queued(is_queued)));
            }
            if matches!(arrived, Poll::Ready(Received::Input(Input::Ended(None))))
                && connection.as_ref().is_some_and(ConnectionSlot::take_revoked)
            {
                return Poll::Ready(Received::Input(Input::Revoked));
            }
            // A part of a page arrived, and the page is not complete.
            if arrived.is_pending() && std::mem::replace(&mut progress, lister_watcher.progress()) != progress {
                return Poll::Ready(Received::Progress);
            }
            arrived
        })
        .await;
        // A task that has waited for this long was idle.
        if clock.now().saturating_sub(polled_at) >= SLICE {
            slice = clock.now();
        }
        match arrived {
            Received::Input(input) => {
                let command = perform(input, clock.now(), true, &mut io, &mut span);
                // Another request, which is queued on its own.
                queued &= command.is_none();
                if command == Some(Command::Halt) {
                    return;
                }
            }
            Received::SleepCheck => {}
            // Only a deadline moves: the sink need not know.
            Received::Progress => drop(reflector.borrow_mut().step(Input::Progress, clock.now())),
            Received::Events(events) => {
                let (now, mut events) = (clock.now(), events.into_iter());
                while let Some(event) = events.next() {
                    let is_last = events.len() == 0;
                    // A command ends this watch: nothing after an ERROR is applied (WAT-15).
                    if perform(Input::Event(event), now, is_last, &mut io, &mut span).is_some() {
                        queued = false;
                        break;
                    }
                }
            }
        }
    }
}
