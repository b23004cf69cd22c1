//! Faults of streams: applied to a response on its way out, by byte or by event.

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
use tokio::time::{Instant, sleep, sleep_until};

use super::asked::Asked;
use super::event::{self, Line};
use super::open::{OpenStream, Order};
use super::request::Seat;
use super::{FaultAction, Faults, Inside};

/// Bytes that fit into the buffers of a socket with a reader.
const BUFFERED: u64 = 64 * 1024;

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

/// Response that is being sent.
pub(super) struct Tampered {
    inner: BodyDataStream,
    faults: Arc<Faults>,
    asked: Asked,
    plan: Plan,
    open: Option<OpenStream>,
    deadline: Option<Instant>,
    /// Kept until the last byte.
    _seat: Option<Seat>,
    queue: VecDeque<Bytes>,
    sent: u64,
    /// Newest version that is sent.
    quiet: Option<u64>,
    end: Option<End>,
}

impl Tampered {
    pub(super) fn new(inner: BodyDataStream, faults: Arc<Faults>, asked: Asked, mut plan: Plan) -> Self {
        let mut queue = VecDeque::new();
        let mut end = plan.close.then_some(End::Clean);
        if let Some(status) = plan.error_event.take() {
            queue.push_back(Bytes::from(format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n")));
            end = Some(End::Clean);
        }
        let (deadline, open, seat) = (None, None, None);
        Self { inner, faults, asked, plan, open, deadline, _seat: seat, queue, sent: 0, quiet: None, end }
    }

    /// For a watch, which accepts orders.
    pub(super) fn with_open(self, open: Option<OpenStream>) -> Self {
        Self { open, ..self }
    }

    /// For other responses, which have a deadline.
    pub(super) fn with_limits(self, deadline: Option<Instant>, seat: Option<Seat>) -> Self {
        Self { deadline, _seat: seat, ..self }
    }

    pub(super) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        stream::unfold(self, |mut this| async move { this.next().await.map(|frame| (frame, this)) })
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            match self.order() {
                Order::None => {}
                Order::Quiet(version) => self.quiet = Some(version),
                Order::Stall => {
                    self.ordered().await;
                    continue;
                }
                Order::Cut => return self.abrupt().await,
                Order::End => return None,
            }
            if let Some(frame) = self.queue.pop_front() {
                if let Some(frame) = self.through_bytes(frame) {
                    return Some(Ok(frame));
                }
                continue;
            }
            match self.end {
                Some(End::Clean) => return None,
                Some(End::Abrupt) => return self.abrupt().await,
                Some(End::Never) => {
                    self.ordered().await;
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
                () = ordered(self.open.as_mut()) => continue,
                () = at(self.deadline) => return self.abrupt().await,
                item = self.inner.next() => item,
            };
            match item {
                Some(Ok(frame)) if self.asked.is_watch() => self.through_events(frame).await,
                Some(Ok(frame)) => self.queue.push_back(frame),
                Some(Err(error)) => return Some(Err(io::Error::other(error))),
                None => self.end = Some(End::Clean),
            }
        }
    }

    fn order(&mut self) -> Order {
        self.open.as_mut().map_or(Order::None, |open| *open.order.borrow_and_update())
    }

    async fn ordered(&mut self) {
        ordered(self.open.as_mut()).await;
    }

    /// Ends without a last chunk. Earlier data must be sent first: an error drops buffered data.
    async fn abrupt(&mut self) -> Option<io::Result<Bytes>> {
        self.end = Some(End::Clean);
        self.queue.clear();
        sleep(Duration::from_millis(if self.sent > BUFFERED { 50 } else { 2 })).await;
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

    /// Returns the part of a frame that may pass.
    fn through_bytes(&mut self, frame: Bytes) -> Option<Bytes> {
        let frame = if self.plan.gzip { gzip_member(&frame) } else { frame };
        let sent = self.sent;
        let left = |bytes: u64| usize::try_from(bytes.saturating_sub(sent)).unwrap_or(usize::MAX).min(frame.len());
        let mut pass = frame.len();
        if self.reached(frame.len() as u64) {
            let bytes = self.plan.cut.map(|(bytes, _)| bytes).into_iter().chain(self.plan.stall).min();
            pass = left(bytes.unwrap_or_default());
        } else if let Some((bytes, Some(inside))) = self.plan.cut
            && let Some(at) = place(&frame, left(bytes), inside)
        {
            pass = at;
            self.end = Some(End::Abrupt);
        }
        if self.end.is_some_and(|end| !matches!(end, End::Clean)) {
            self.queue.clear();
        }
        self.sent += pass as u64;
        let frame = frame.slice(..pass);
        (!frame.is_empty()).then_some(frame)
    }

    /// Applies faults to an event.
    async fn through_events(&mut self, line: Bytes) {
        if self.plan.silence {
            return;
        }
        let mut line = line;
        if let Some(newest) = self.quiet
            && event::version(&line).is_some_and(|version| version > newest)
        {
            if Line::of(&line) == Line::Object {
                return;
            }
            line = event::with_version(&line, newest);
        }
        let (mut times, mut garbage) = (1, false);
        // The line is parsed only if a fault needs it, because parsing takes time.
        let actions = if self.faults.any() { self.faults.on_event(&self.asked, Line::of(&line)) } else { Vec::new() };
        for action in actions {
            match action {
                FaultAction::Duplicate => times += 1,
                FaultAction::DropBookmarks | FaultAction::NoEndBookmark => times = 0,
                FaultAction::Garbage => garbage = true,
                FaultAction::Oversized { bytes } => line = event::oversized(&line, bytes),
                FaultAction::UnknownType => line = event::with_unknown_type(&line),
                FaultAction::WrongKind => line = event::with_wrong_kind(&line),
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
        self.queue.extend(std::iter::repeat_n(line, times));
    }
}

/// Resolves when an order arrives; never for a response without orders.
async fn ordered(open: Option<&mut OpenStream>) {
    let changed = match open {
        Some(open) => open.order.changed().await.is_ok(),
        None => false,
    };
    if !changed {
        pending::<()>().await;
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

/// Returns the position of a cut in a frame, at `from` or later.
fn place(frame: &[u8], from: usize, inside: Inside) -> Option<usize> {
    let rest = frame.get(from..)?;
    match inside {
        Inside::Line => (rest.len() > 1).then_some(from + rest.len() / 2),
        Inside::Utf8 => rest.iter().position(|byte| *byte >= 0xc0).map(|at| from + at + 1),
    }
}

/// Compresses a frame as a gzip stream of its own.
fn gzip_member(frame: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let written = encoder.write_all(frame).and_then(|()| encoder.finish());
    written.unwrap_or_default().into()
}
