//! Faults of streams: applied to a response while it is sent, by byte or by event.

use std::collections::VecDeque;
use std::future::pending;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use axum::body::BodyDataStream;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{Stream, StreamExt as _, stream};

use super::event::{self, EventForm};
use super::event_kind::EventKind;
use super::open::{OpenStream, StreamCommand};
use super::request::InFlightGuard;
use super::request_target::RequestTarget;
use super::{FaultAction, Faults, Inside};

use crate::clock::{Instant, sleep, sleep_until};

/// Number of bytes that fit into the buffers of a socket with a reader.
const SOCKET_BUFFER: u64 = 64 * 1024;

/// Faults of one response.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    cut: Option<(u64, Option<Inside>)>,
    stall: Option<u64>,
    /// Remaining events before the clean end.
    events: Option<u64>,
    close: bool,
    silence: bool,
    pub(super) gzip: bool,
    /// The Status of an ERROR event, which is the whole response.
    pub(super) error_event: Option<String>,
}

impl Plan {
    pub(super) fn add(&mut self, action: &FaultAction) {
        match *action {
            FaultAction::Cut { bytes, inside } => self.cut = Some((bytes, inside)),
            FaultAction::Stall { bytes } => self.stall = Some(bytes),
            FaultAction::SlowReader { events } => self.events = Some(events),
            FaultAction::Close => self.close = true,
            FaultAction::Silence => self.silence = true,
            FaultAction::GzipMembers => self.gzip = true,
            _ => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Early end of a response.
#[derive(Debug, Clone, Copy)]
enum End {
    Clean,
    Abrupt,
    /// No end: no further data.
    Never,
}

/// Stream of a response, with its faults.
pub(super) struct FaultyStream {
    inner: BodyDataStream,
    faults: Arc<Faults>,
    target: RequestTarget,
    plan: Plan,
    form: EventForm,
    open: Option<OpenStream>,
    deadline: Option<Instant>,
    /// Dropped after the last byte.
    _guard: Option<InFlightGuard>,
    queue: VecDeque<Bytes>,
    sent: u64,
    /// Newest version that is sent; newer events are dropped.
    newest_version: Option<u64>,
    end: Option<End>,
}

impl FaultyStream {
    pub(super) fn new(
        inner: BodyDataStream,
        faults: Arc<Faults>,
        target: RequestTarget,
        form: EventForm,
        mut plan: Plan,
    ) -> Self {
        let mut queue = VecDeque::new();
        let mut end = plan.close.then_some(End::Clean);
        if let Some(status) = plan.error_event.take() {
            queue.push_back(form.error(&status));
            end = Some(End::Clean);
        }
        let (deadline, open, guard) = (None, None, None);
        Self {
            inner,
            faults,
            target,
            plan,
            form,
            open,
            deadline,
            _guard: guard,
            queue,
            sent: 0,
            newest_version: None,
            end,
        }
    }

    /// Sets the open watch, which accepts commands.
    pub(super) fn with_open(self, open: Option<OpenStream>) -> Self {
        Self { open, ..self }
    }

    /// Sets the deadline and the in-flight guard of another response.
    pub(super) fn with_limits(self, deadline: Option<Instant>, guard: Option<InFlightGuard>) -> Self {
        Self { deadline, _guard: guard, ..self }
    }

    pub(super) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        stream::unfold(self, |mut this| async move { this.next().await.map(|frame| (frame, this)) })
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            match self.command() {
                StreamCommand::None => {}
                StreamCommand::Quiet(version) => self.newest_version = Some(version),
                StreamCommand::Stall => {
                    self.command_received().await;
                    continue;
                }
                StreamCommand::Cut => return self.abrupt().await,
                StreamCommand::End => return None,
            }
            if let Some(frame) = self.queue.pop_front() {
                if let Some(frame) = self.apply_byte_faults(frame) {
                    return Some(Ok(frame));
                }
                continue;
            }
            match self.end {
                Some(End::Clean) => return None,
                Some(End::Abrupt) => return self.abrupt().await,
                Some(End::Never) => {
                    self.command_received().await;
                    continue;
                }
                None => {}
            }
            // Also before the first byte, if not even that may arrive.
            if self.reached(0) {
                continue;
            }
            if self.plan.events == Some(0) {
                return None;
            }
            let item = tokio::select! {
                biased;
                () = command_received(self.open.as_mut()) => continue,
                () = deadline_passed(self.deadline) => return self.abrupt().await,
                item = self.inner.next() => item,
            };
            match item {
                Some(Ok(frame)) if self.target.is_watch() => self.queue_event(frame).await,
                Some(Ok(frame)) => self.queue.push_back(frame),
                Some(Err(error)) => return Some(Err(io::Error::other(error))),
                None => self.end = Some(End::Clean),
            }
        }
    }

    fn command(&mut self) -> StreamCommand {
        self.open.as_mut().map_or(StreamCommand::None, |open| *open.command.borrow_and_update())
    }

    async fn command_received(&mut self) {
        command_received(self.open.as_mut()).await;
    }

    /// Ends the response without a last chunk. Earlier data must be sent first: an error drops buffered data.
    async fn abrupt(&mut self) -> Option<io::Result<Bytes>> {
        self.end = Some(End::Clean);
        self.queue.clear();
        sleep(Duration::from_millis(if self.sent > SOCKET_BUFFER { 50 } else { 2 })).await;
        Some(Err(io::Error::other("cut off on command")))
    }

    /// Whether the next `coming` bytes reach the position of a cut or stall; with 0, whether it is reached.
    fn reached(&mut self, coming: u64) -> bool {
        let here = self.sent + coming;
        match (self.plan.cut, self.plan.stall) {
            (Some((bytes, None)), _) if bytes <= here => self.end = Some(End::Abrupt),
            (_, Some(bytes)) if bytes <= here => self.end = Some(End::Never),
            _ => return false,
        }
        true
    }

    /// Applies faults to a frame. Returns the part of it that is sent.
    fn apply_byte_faults(&mut self, frame: Bytes) -> Option<Bytes> {
        let frame = if self.plan.gzip { gzip_member(&frame) } else { frame };
        let sent = self.sent;
        let left = |bytes: u64| usize::try_from(bytes.saturating_sub(sent)).unwrap_or(usize::MAX).min(frame.len());
        let mut pass = frame.len();
        if self.reached(frame.len() as u64) {
            let bytes = self.plan.cut.map(|(bytes, _)| bytes).into_iter().chain(self.plan.stall).min();
            pass = left(bytes.unwrap_or_default());
        } else if let Some((bytes, Some(inside))) = self.plan.cut
            && let Some(position) = cut_position(&frame, left(bytes), inside)
        {
            pass = position;
            self.end = Some(End::Abrupt);
        }
        if self.end.is_some_and(|end| !matches!(end, End::Clean)) {
            self.queue.clear();
        }
        self.sent += pass as u64;
        let frame = frame.slice(..pass);
        (!frame.is_empty()).then_some(frame)
    }

    /// Applies faults to an event, and queues the result.
    async fn queue_event(&mut self, event: Bytes) {
        if self.plan.silence {
            return;
        }
        let (mut event, form) = (event, self.form);
        if let Some(newest) = self.newest_version
            && form.version(&event).is_some_and(|version| version > newest)
        {
            if form.kind_of(&event) == EventKind::Object {
                return;
            }
            event = form.with_version(&event, newest);
        }
        let (mut times, mut garbage) = (1, false);
        // The event is parsed only if a fault needs it, because parsing takes time.
        let actions = if self.faults.has_active() {
            self.faults.on_event(&self.target, form.kind_of(&event))
        } else {
            Vec::new()
        };
        for action in actions {
            match action {
                FaultAction::Duplicate => times += 1,
                FaultAction::DropBookmarks | FaultAction::NoEndBookmark => times = 0,
                FaultAction::Garbage => garbage = true,
                FaultAction::Oversized { bytes } => event = form.oversized(&event, bytes),
                FaultAction::UnknownType => event = form.with_unknown_type(&event),
                FaultAction::WrongKind => event = form.with_wrong_kind(&event),
                FaultAction::DelayEvents { ms } => sleep(Duration::from_millis(ms)).await,
                _ => {}
            }
        }
        if let Some(left) = &mut self.plan.events {
            *left = left.saturating_sub(1);
        }
        if garbage {
            self.queue.push_back(event::garbage());
        }
        self.queue.extend(std::iter::repeat_n(event, times));
    }
}

/// Resolves when a command arrives; never for a response without commands.
async fn command_received(open: Option<&mut OpenStream>) {
    let changed = match open {
        Some(open) => open.command.changed().await.is_ok(),
        None => false,
    };
    if !changed {
        pending::<()>().await;
    }
}

async fn deadline_passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

/// Returns the position of a cut in a frame, at `from` or later.
fn cut_position(frame: &[u8], from: usize, inside: Inside) -> Option<usize> {
    let rest = frame.get(from..)?;
    match inside {
        Inside::Line => (rest.len() > 1).then_some(from + rest.len() / 2),
        Inside::Utf8 => {
            let begins = |pair: &[u8]| pair[0] >= 0xc0 && pair[1] & 0xc0 == 0x80;
            rest.windows(2).position(begins).map(|at| from + at + 1)
        }
    }
}

/// Compresses a frame as a gzip stream of its own.
fn gzip_member(frame: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let written = encoder.write_all(frame).and_then(|()| encoder.finish());
    written.unwrap_or_default().into()
}
