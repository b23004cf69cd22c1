//! Snapshot writer: writes the snapshot of one informer.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use super::Persistence;
use crate::snapshot::{Header, Subject, Writer};
use crate::storage::StorageError;
use informer::{ErrorCode, Freshness, InformerError, InformerStatus, Object, Phase, SharedInformer};

/// Interval between checks whether an unwritten cache can be written.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Minimum time between two writes.
const MIN_WRITE_INTERVAL: Duration = Duration::from_secs(30);

/// Additional time between two writes for each megabyte of the last one.
const EXTRA_INTERVAL_PER_MEGABYTE: Duration = Duration::from_secs(5);

/// Maximum bytes of a persisted cache: a larger one would keep a disk busy for half a minute.
const MAX_BYTES: u64 = 128 << 20;

/// Maximum age of a server's identity when a newer list is written under it.
const MAX_IDENTITY_AGE: Duration = Duration::from_secs(1);

/// Age from which on a snapshot is deleted. One that is in use is written anew at half of it.
const MAX_AGE_MS: f64 = 7.0 * 24.0 * 3_600_000.0;

/// Snapshot writer: one informer and the state of its snapshot.
pub(super) struct SnapshotWriter {
    /// Its name in the storage.
    pub(super) name: String,
    pub(super) informer: SharedInformer<Object>,
    /// Header of the stored snapshot, if it is known.
    written: RefCell<Option<Header>>,
    /// Numbers of events and lists at the last write.
    counts: Cell<Option<(u64, u64)>>,
    /// Number of lists when the server's identity was last requested.
    lists: Cell<u64>,
    /// Whether a write has failed.
    failed: Cell<bool>,
    clears: Rc<Cell<u32>>,
    /// Number of clears when the writer was created.
    clears_at_start: u32,
    /// Whether a write is in progress.
    busy: Cell<bool>,
}

/// Whether a cache is too large for a snapshot.
fn is_too_large(status: &InformerStatus) -> bool {
    status.bytes > MAX_BYTES
}

/// Returns the name of a part in the storage.
pub(super) fn part_name(name: &str, generation: u64, part: usize) -> String {
    format!("{name}#{generation}.{part}")
}

impl SnapshotWriter {
    pub(super) fn new(name: String, informer: SharedInformer<Object>, clears: Rc<Cell<u32>>) -> Self {
        let (written, counts, lists, failed, busy) = Default::default();
        let clears_at_start = clears.get();
        Self { name, informer, written, counts, lists, failed, clears, clears_at_start, busy }
    }

    /// Records that the informer starts with the stored snapshot.
    pub(super) fn continue_from(&self, header: Header) {
        *self.written.borrow_mut() = Some(header);
        self.counts.set(Some((0, 0)));
    }

    /// Whether it writes no more: it failed, or the snapshots were cleared.
    pub(super) fn has_ended(&self) -> bool {
        self.failed.get() || self.clears.get() != self.clears_at_start
    }
}

impl Persistence {
    /// Writes changes from time to time, as long as another owner of the writer exists.
    pub(super) async fn write_periodically(self: Rc<Self>, writer: Weak<SnapshotWriter>) {
        let mut pause = CHECK_INTERVAL;
        loop {
            self.runtime.clock.sleep(pause).await;
            let Some(writer) = writer.upgrade().filter(|writer| !writer.has_ended()) else { return };
            pause = match self.write(&writer).await {
                Ok(Some(bytes)) => {
                    let megabytes = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
                    MIN_WRITE_INTERVAL.saturating_add(EXTRA_INTERVAL_PER_MEGABYTE.saturating_mul(megabytes))
                }
                Ok(None) => CHECK_INTERVAL,
                Err(error) => {
                    self.end_after(&writer, error).await;
                    return;
                }
            };
        }
    }

    /// Writes the changes since the last write.
    pub(super) async fn write_last(self: Rc<Self>, writer: Rc<SnapshotWriter>) {
        // The state may change during the write.
        while writer.busy.get() {
            self.runtime.clock.sleep(CHECK_INTERVAL).await;
        }
        // The informer has been released, so the error has no receiver.
        let _ = self.write(&writer).await;
    }

    /// Ends a writer after an error: reports the error once, and deletes the snapshot to make room for others.
    async fn end_after(&self, writer: &SnapshotWriter, error: StorageError) {
        writer.failed.set(true);
        if error != StorageError::Unavailable {
            let message = format!(
                "snapshots are no longer written: {error}. After a reload everything is listed again; no other data is lost"
            );
            writer.informer.report(InformerError::new(ErrorCode::Internal, message));
        }
        // If that fails too, the rest is deleted with the next write.
        let _ = self.storage.delete(&writer.name).await;
        let _ = self.sweep(&writer.name, None).await;
    }

    /// Writes changes; returns the bytes of the snapshot, or `None` if it is too early.
    async fn write(&self, writer: &SnapshotWriter) -> Result<Option<u64>, StorageError> {
        writer.busy.set(true);
        let written = self.write_changes(writer).await;
        writer.busy.set(false);
        written
    }

    async fn write_changes(&self, writer: &SnapshotWriter) -> Result<Option<u64>, StorageError> {
        let mut status = writer.informer.status();
        // With an empty queue the cache is at one version, and equals the received data. A cache of some
        // namespaces only cannot be resumed: a watch of all of them, which may be allowed by then, would not deliver
        // the others.
        let settled =
            |status: &InformerStatus| status.has_synced && status.queue_depth == 0 && status.namespaces.is_empty();
        if writer.has_ended() || !settled(&status) {
            return Ok(None);
        }
        if is_too_large(&status) {
            return Err(StorageError::Unavailable);
        }
        let lists = status.lists;
        // Before a list has succeeded, the cache comes from the previous one, possibly of another user or cluster
        // than the current identity.
        let is_newer = lists > writer.lists.get();
        if is_newer && !matches!(status.freshness, Freshness::Live | Freshness::Polling) {
            return Ok(None);
        }
        let age = if is_newer { MAX_IDENTITY_AGE } else { Duration::MAX };
        // The identity may be old, and later lists may belong to another one.
        let identity = match self.identity(age).await {
            Ok(Some(identity)) => identity,
            Ok(None) => return Err(StorageError::Unavailable),
            // The server may be failing: its identity is not requested again at once.
            Err(()) => return Ok(Some(0)),
        };
        writer.lists.set(lists);
        // Changes may have arrived during the request.
        status = writer.informer.status();
        if writer.has_ended() || status.lists != lists || !settled(&status) {
            return Ok(None);
        }
        let subject = Subject { cluster: identity.cluster, user: identity.user, informer: writer.name.clone() };
        let taken_at = status.last_contact_at.unwrap_or_else(|| self.runtime.clock.unix_ms());
        let resource_version = writer.informer.indexer().resource_version().to_owned();
        let counts = (status.events, lists);
        // Parts that are too old are deleted with those of other snapshots.
        let oldest = self.runtime.clock.unix_ms() - MAX_AGE_MS / 2.0;
        let is_current = |known: &Header| {
            known.subject == subject && writer.counts.get() == Some(counts) && known.generation as f64 > oldest
        };
        let known = writer.written.take().filter(is_current);
        let Some(known) = known else {
            // A list in flight may have changed nothing yet.
            writer.counts.set((status.phase == Phase::Watching).then_some(counts));
            let objects = writer.informer.indexer().list().cloned().collect();
            let (generation, parts) = (self.generation(), Vec::new());
            let header = Header { subject, resource_version, taken_at, generation, objects: 0, parts };
            self.write_all(writer, header, objects).await?;
            return Ok(Some(status.bytes));
        };
        // No object has changed. A server keeps a newer version longer.
        let header = Header { resource_version, taken_at, ..known.clone() };
        if header.resource_version != known.resource_version {
            self.storage.put(&writer.name, header.to_bytes()).await?;
        }
        *writer.written.borrow_mut() = Some(header);
        Ok(Some(0))
    }

    /// Writes all parts, then the header. Until then the previous snapshot is valid.
    async fn write_all(
        &self,
        writer: &SnapshotWriter,
        header: Header,
        objects: Vec<Arc<Object>>,
    ) -> Result<(), StorageError> {
        let SnapshotWriter { name, .. } = writer;
        let count = objects.len();
        let mut encoder = Writer::new(objects);
        let mut part = 0;
        while let Some(bytes) = encoder.part() {
            if writer.has_ended() {
                return Ok(());
            }
            self.storage.put(&part_name(name, header.generation, part), bytes).await?;
            part += 1;
            // A megabyte was copied: yields to messages and bytes.
            self.runtime.clock.sleep(Duration::ZERO).await;
        }
        let parts = encoder.finish().ok_or(StorageError::Unavailable)?;
        let header = Header { objects: count, parts, ..header };
        if writer.has_ended() {
            return Ok(());
        }
        self.storage.put(name, header.to_bytes()).await?;
        self.sweep(name, Some(header.generation)).await?;
        *writer.written.borrow_mut() = Some(header);
        Ok(())
    }

    /// Returns a generation: the milliseconds since the Unix epoch. Unique for a browser while its clock does not go
    /// back.
    fn generation(&self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a moment in milliseconds")]
        let now = self.runtime.clock.unix_ms() as u64;
        now
    }

    /// Deletes the parts of a snapshot except for those of one generation, and outdated snapshots of all names.
    async fn sweep(&self, name: &str, but: Option<u64>) -> Result<(), StorageError> {
        let old = self.runtime.clock.unix_ms() - MAX_AGE_MS;
        for key in self.storage.keys().await? {
            let part = key.rsplit_once('#').and_then(|(of, part)| Some((of, part.split_once('.')?.0.parse().ok()?)));
            let Some((of, generation)) = part else { continue };
            let is_outdated = (generation as f64) < old;
            if is_outdated && of != name {
                self.storage.delete(of).await?;
            }
            if is_outdated || (of == name && Some(generation) != but) {
                self.storage.delete(&key).await?;
            }
        }
        Ok(())
    }
}
