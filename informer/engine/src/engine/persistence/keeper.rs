//! Writes the snapshots of one informer.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use super::Persistence;
use crate::snapshot::{Header, Subject, Writer};
use crate::storage::StorageError;
use informer::{ErrorCode, Freshness, InformerError, InformerStatus, Object, Phase, SharedInformer};

/// How often it is looked whether a cache that was not written yet can be.
const SOON: Duration = Duration::from_secs(2);

/// A cache is written no more often than this, and the less often the more there is to be written.
const EVERY: Duration = Duration::from_secs(30);
const MORE_FOR_A_MEGABYTE: Duration = Duration::from_secs(5);

/// A cache with more bytes is not kept: it would be half a minute's work for a disk.
const MOST_BYTES: u64 = 128 << 20;

/// How old what a server said of itself may be when something of a newer list is written under it.
const FRESH: Duration = Duration::from_secs(1);

/// What was not read again for so long is of no use to anybody.
const WEEK_MS: f64 = 7.0 * 24.0 * 3_600_000.0;

/// One informer and what is written of it.
pub(super) struct Keeper {
    /// What it is called in the storage.
    pub(super) name: String,
    pub(super) informer: SharedInformer<Object>,
    /// What is in the storage now, if it is known.
    written: RefCell<Option<Header>>,
    /// The events and lists that its objects follow from.
    counts: Cell<Option<(u64, u64)>>,
    /// The lists that there were when the server was asked last who it is.
    lists: Cell<u64>,
    given_up: Cell<bool>,
    /// It is being written.
    busy: Cell<bool>,
}

/// The key of a part.
pub(super) fn part_name(name: &str, generation: u64, part: usize) -> String {
    format!("{name}#{generation}.{part}")
}

impl Keeper {
    pub(super) fn new(name: String, informer: SharedInformer<Object>) -> Self {
        let (written, counts, lists, given_up, busy) = Default::default();
        Self { name, informer, written, counts, lists, given_up, busy }
    }

    /// The informer begins with what is in the storage.
    pub(super) fn goes_on_from(&self, header: Header) {
        *self.written.borrow_mut() = Some(header);
        self.counts.set(Some((0, 0)));
    }

    /// Nothing is written any more.
    pub(super) fn give_up(&self) {
        self.given_up.set(true);
    }
}

impl Persistence {
    /// Writes what changed, from time to time, as long as somebody else holds the keeper.
    pub(super) async fn keep(self: Rc<Self>, keeper: Weak<Keeper>) {
        let mut pause = SOON;
        loop {
            self.runtime.clock.sleep(pause).await;
            let Some(keeper) = keeper.upgrade().filter(|keeper| !keeper.given_up.get()) else { return };
            pause = match self.write(&keeper).await {
                Ok(Some(bytes)) => {
                    let megabytes = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
                    EVERY.saturating_add(MORE_FOR_A_MEGABYTE.saturating_mul(megabytes))
                }
                Ok(None) => SOON,
                Err(error) => {
                    self.no_more(&keeper, error).await;
                    return;
                }
            };
        }
    }

    /// Writes what changed since it was written last.
    pub(super) async fn write_last(self: Rc<Self>, keeper: Rc<Keeper>) {
        // What goes on now may not be what is there by now.
        while keeper.busy.get() {
            self.runtime.clock.sleep(SOON).await;
        }
        // Nobody is there any more who could be told.
        let _ = self.write(&keeper).await;
    }

    /// It goes on without: said once, and what was written of it makes room for others.
    async fn no_more(&self, keeper: &Keeper, error: StorageError) {
        keeper.give_up();
        if error != StorageError::Unavailable {
            let message = format!("no snapshot is kept any more: {error}. A reload lists anew; nothing else is lost");
            keeper.informer.report(InformerError::new(ErrorCode::Internal, message));
        }
        // If that fails too, what is left is swept away with the next thing that is written.
        let _ = self.storage.delete(&keeper.name).await;
        let _ = self.sweep(&keeper.name, None).await;
    }

    /// Writes what changed; says how many bytes the snapshot has then, or `None` if it is too early.
    async fn write(&self, keeper: &Keeper) -> Result<Option<u64>, StorageError> {
        keeper.busy.set(true);
        let written = self.write_changes(keeper).await;
        keeper.busy.set(false);
        written
    }

    async fn write_changes(&self, keeper: &Keeper) -> Result<Option<u64>, StorageError> {
        let mut status = keeper.informer.status();
        // With an empty queue the cache is at one version, and follows from what was received. What holds some namespaces
        // only is nothing to begin with: a watch of all of them, which may be allowed by then, would not bring the others.
        let settled =
            |status: &InformerStatus| status.has_synced && status.queue_depth == 0 && status.namespaces.is_empty();
        if keeper.given_up.get() || !settled(&status) {
            return Ok(None);
        }
        if status.bytes > MOST_BYTES {
            return Err(StorageError::Unavailable);
        }
        let lists = status.lists;
        // Before a list has succeeded, what is cached is of the one before it, and may be of another user or cluster than the
        // one that would be asked now.
        let is_newer = lists > keeper.lists.get();
        if is_newer && !matches!(status.freshness, Freshness::Live | Freshness::Polling) {
            return Ok(None);
        }
        let age = if is_newer { FRESH } else { Duration::MAX };
        // Who it was may be known since long, and what was listed since be another's.
        let identity = match self.identity(age).await {
            Ok(Some(identity)) => identity,
            Ok(None) => return Err(StorageError::Unavailable),
            // It may be in trouble: not asked again at once.
            Err(()) => return Ok(Some(0)),
        };
        keeper.lists.set(lists);
        // Something may have come while the server was asked.
        status = keeper.informer.status();
        if status.lists != lists || !settled(&status) {
            return Ok(None);
        }
        let subject = Subject { cluster: identity.cluster, user: identity.user, informer: keeper.name.clone() };
        let taken_at = status.last_contact_at.unwrap_or_else(|| self.runtime.clock.unix_ms());
        let resource_version = keeper.informer.indexer().resource_version().to_owned();
        let counts = (status.events, lists);
        let known =
            keeper.written.take().filter(|known| known.subject == subject && keeper.counts.get() == Some(counts));
        let Some(known) = known else {
            // A list that is under way may have changed nothing yet.
            keeper.counts.set((status.phase == Phase::Watching).then_some(counts));
            let objects = keeper.informer.indexer().list().cloned().collect();
            let (generation, parts) = (self.generation(), Vec::new());
            let header = Header { subject, resource_version, taken_at, generation, objects: 0, parts };
            self.write_all(keeper, header, objects).await?;
            return Ok(Some(status.bytes));
        };
        // No object has changed. A newer version is one that a server knows for longer.
        let header = Header { resource_version, taken_at, ..known.clone() };
        if header.resource_version != known.resource_version {
            self.storage.put(&keeper.name, header.to_bytes()).await?;
        }
        *keeper.written.borrow_mut() = Some(header);
        Ok(Some(0))
    }

    /// The parts first: until the header names them, the snapshot before counts.
    async fn write_all(&self, keeper: &Keeper, header: Header, objects: Vec<Arc<Object>>) -> Result<(), StorageError> {
        let Keeper { name, .. } = keeper;
        let count = objects.len();
        let mut writer = Writer::new(objects);
        let mut part = 0;
        while let Some(bytes) = writer.part() {
            if keeper.given_up.get() {
                return Ok(());
            }
            self.storage.put(&part_name(name, header.generation, part), bytes).await?;
            part += 1;
            // A megabyte was copied: messages and bytes get their turn.
            self.runtime.clock.sleep(Duration::ZERO).await;
        }
        let parts = writer.finish().ok_or(StorageError::Unavailable)?;
        let header = Header { objects: count, parts, ..header };
        if keeper.given_up.get() {
            return Ok(());
        }
        self.storage.put(name, header.to_bytes()).await?;
        self.sweep(name, Some(header.generation)).await?;
        *keeper.written.borrow_mut() = Some(header);
        Ok(())
    }

    /// Milliseconds since the Unix epoch, as a number that no snapshot before has.
    fn generation(&self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a moment in milliseconds")]
        let now = self.runtime.clock.unix_ms() as u64;
        now
    }

    /// Removes the parts of a name, but for those of one generation, and everything that is old.
    async fn sweep(&self, name: &str, but: Option<u64>) -> Result<(), StorageError> {
        let old = self.runtime.clock.unix_ms() - WEEK_MS;
        for key in self.storage.keys().await? {
            let part = key.rsplit_once('#').and_then(|(of, part)| Some((of, part.split_once('.')?.0.parse().ok()?)));
            if let Some((of, generation)) = part
                && ((of == name && Some(generation) != but) || (generation as f64) < old)
            {
                self.storage.delete(&key).await?;
            }
        }
        Ok(())
    }
}
