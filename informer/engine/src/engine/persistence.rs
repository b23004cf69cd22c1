//! Persistence: snapshots of caches, written while an informer runs and read when the next one starts. A reload is not
//! a relist.
//!
//! Persistence never delays an informer or makes it fail: with a slow, full or broken storage, it lists as if there
//! were none. A snapshot is bound to the cluster and, if the server identifies its users, to the user. That prevents
//! the snapshot from being *shown* to another user. It does not protect the stored bytes, which are in the browser's
//! profile: every script of this origin can read them, and anyone with access to the profile's files. Sensitive
//! resources are therefore never written.

mod snapshot_writer;

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, LocalBoxFuture, Shared, ready, select};
use futures::stream::LocalBoxStream;
use futures::{FutureExt, StreamExt, stream};

use super::snapshot_storage::{SnapshotBackend, SnapshotStorage};
use crate::message::InformerMode;
use crate::snapshot::{Header, Reader, Unusable};
use crate::storage::{Storage, StorageError};
use informer::{
    ClusterIdentity, ErrorCode, InformerError, InformerKey, Object, Runtime, SharedInformer, TransformOptions, Verdict,
    WarmStart, WarmUp,
};

use snapshot_writer::{SnapshotWriter, part_name};

/// Parts of the names of resources whose objects are never written, in any group and mode, because a secret's
/// annotations may repeat its data. Config maps are included, because whole configuration files, with passwords, are
/// stored in them.
const SENSITIVE: [&str; 5] = ["secret", "token", "credential", "password", "configmap"];

/// Pause after the first part, which fills a screen: the page needs the CPU to show it.
const FIRST_PART_PAUSE: Duration = Duration::from_millis(50);

/// Deadline of the request for the server's identity.
const IDENTITY_TIMEOUT: Duration = Duration::from_secs(10);

/// Interface of the snapshots of one apiserver; their code is deferred.
pub(super) trait Snapshots {
    /// Persists an informer from now on. Returns the objects that it starts with, if there is a snapshot.
    fn attach(self: Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>) -> WarmUp<Object>;

    /// Records that an informer was released. After its last release, it is written once more.
    fn released(self: Rc<Self>, key: &InformerKey);

    /// Clears the server's identity: the server or the user may be another one.
    fn clear_identity(&self);

    /// Deletes the snapshots of all apiservers, then reports the result.
    fn clear(self: Rc<Self>, reply: Box<dyn FnOnce(Result<(), InformerError>)>);
}

impl Snapshots for Persistence {
    fn attach(self: Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>) -> WarmUp<Object> {
        match self.writer(key, informer) {
            Some(writer) => self.warm_up(writer).boxed_local(),
            None => ready(None).boxed_local(),
        }
    }

    fn released(self: Rc<Self>, key: &InformerKey) {
        let mut writers = self.writers.borrow_mut();
        let stopped = |writer: &SnapshotWriter| writer.informer.is_stopped();
        let Some(index) = writers.iter().position(|(known, writer)| known == key && stopped(writer)) else { return };
        let (_, writer) = writers.remove(index);
        drop(writers);
        let spawn = Rc::clone(&self.runtime.spawn);
        spawn(self.write_last(writer).boxed_local());
    }

    fn clear_identity(&self) {
        self.identity.take();
    }

    fn clear(self: Rc<Self>, reply: Box<dyn FnOnce(Result<(), InformerError>)>) {
        let spawn = Rc::clone(&self.runtime.spawn);
        let task = async move {
            reply(match self.storage.clear().await {
                // Without a storage there are no snapshots.
                Ok(()) | Err(StorageError::Unavailable) => Ok(()),
                Err(error) => {
                    let message =
                        format!("cannot delete the snapshots: {error}. Clear this site's data in the browser");
                    Err(InformerError::new(ErrorCode::Internal, message))
                }
            });
        };
        spawn(task.boxed_local());
    }
}

/// Creates the snapshots of an apiserver.
pub(super) fn new_snapshots(runtime: Runtime, storage: &SnapshotStorage, url: &str) -> Rc<dyn Snapshots> {
    let clears = Rc::clone(&storage.clears);
    let storage: Rc<dyn Storage> = match &storage.backend {
        SnapshotBackend::Custom(storage) => Rc::clone(storage),
        #[cfg(target_arch = "wasm32")]
        SnapshotBackend::Browser => Rc::new(crate::storage::indexed_db::IndexedDb::new()),
        SnapshotBackend::None => Rc::new(crate::storage::Nowhere),
    };
    let (url, identity, writers) = (url.to_owned(), RefCell::default(), RefCell::default());
    Rc::new(Persistence { runtime, storage, clears, url, identity, writers })
}

/// The identity that a server reported; `Err` if the request failed.
type Identity = Result<Option<ClusterIdentity>, ()>;

/// The snapshots of one apiserver.
pub(super) struct Persistence {
    runtime: Runtime,
    storage: Rc<dyn Storage>,
    /// See [`SnapshotStorage`].
    clears: Rc<Cell<u32>>,
    url: String,
    /// Time of the last request for the identity, and its result.
    identity: RefCell<Option<(Duration, Shared<LocalBoxFuture<'static, Identity>>)>>,
    writers: RefCell<Vec<(InformerKey, Rc<SnapshotWriter>)>>,
}

/// Whether objects of a resource must not be written.
fn is_sensitive(resource: &str) -> bool {
    SENSITIVE.iter().any(|part| resource.contains(part))
}

impl Persistence {
    fn writer(self: &Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>) -> Option<Rc<SnapshotWriter>> {
        self.writers.borrow_mut().retain(|(_, writer)| !writer.has_ended());
        let known = self.writers.borrow().iter().any(|(known, _)| known == key);
        if known || informer.is_stopped() || is_sensitive(&key.resource.resource) {
            return None;
        }
        let writer = Rc::new(SnapshotWriter::new(name(&self.url, key), informer.clone(), Rc::clone(&self.clears)));
        let task = Rc::clone(self).write_periodically(Rc::downgrade(&writer));
        self.writers.borrow_mut().push((key.clone(), Rc::clone(&writer)));
        (self.runtime.spawn)(task.boxed_local());
        Some(writer)
    }

    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "only traced"))]
    async fn warm_up(self: Rc<Self>, writer: Rc<SnapshotWriter>) -> Option<WarmStart<Object>> {
        let header = match self.header(&writer.name).await {
            Ok(header) => header?,
            Err(reason) => {
                #[cfg(feature = "tracing")]
                tracing::debug!(name = writer.name, %reason, "a snapshot is ignored");
                return None;
            }
        };
        // The request takes about as long as reading the parts: both start now.
        (self.runtime.spawn)(Rc::clone(&self).identify().boxed_local());
        let (resource_version, taken_at) = (header.resource_version.clone(), header.taken_at);
        let batches = Rc::clone(&self).batches(writer.name.clone(), header.clone());
        let verdict = async move {
            let subject = &header.subject;
            let identity = self.identity(Duration::MAX).await;
            let verdict = match identity {
                Err(()) => Verdict::Unknown,
                Ok(Some(ClusterIdentity { cluster, user })) if cluster == subject.cluster && user == subject.user => {
                    Verdict::Same
                }
                Ok(_) => Verdict::Other,
            };
            if verdict == Verdict::Same {
                writer.continue_from(header);
            }
            verdict
        };
        Some(WarmStart { batches, resource_version, taken_at, verdict: verdict.boxed_local() })
    }

    async fn header(&self, name: &str) -> Result<Option<Header>, Unusable> {
        let Ok(Some(header)) = self.storage.get(name).await else { return Ok(None) };
        let header = Header::from_bytes(&header)?;
        if header.subject.informer == name { Ok(Some(header)) } else { Err(Unusable::Foreign) }
    }

    /// Reads the objects of a snapshot, part by part, up to the first error. While a part is decoded, the next one is
    /// read.
    fn batches(self: Rc<Self>, name: String, header: Header) -> LocalBoxStream<'static, Result<Vec<Arc<Object>>, ()>> {
        let clock = Rc::clone(&self.runtime.clock);
        let read = move |header: &Header, part: usize| {
            let exists = part < header.parts.len();
            exists.then(|| self.storage.get(&part_name(&name, header.generation, part)))
        };
        let first = read(&header, 0);
        stream::unfold((header, Reader::default(), first), move |(header, mut reader, part)| {
            let next = part.as_ref().and_then(|_| read(&header, reader.parts() + 1));
            let pause = (part.is_some() && reader.parts() == 1).then(|| clock.sleep(FIRST_PART_PAUSE));
            async move {
                if let Some(pause) = pause {
                    pause.await;
                }
                let part = part?.await.ok().flatten();
                let batch = part.and_then(|part| reader.part(&header, &part).ok()).ok_or(());
                let next = next.filter(|_| batch.is_ok());
                Some((batch, (header, reader, next)))
            }
        })
        .boxed_local()
    }

    /// Requests the identity in advance.
    async fn identify(self: Rc<Self>) {
        // The result is shared with the next caller.
        let _ = self.identity(Duration::MAX).await;
    }

    /// Returns the server's identity, at most this old. Concurrent callers share a request.
    async fn identity(&self, no_older_than: Duration) -> Identity {
        let now = self.runtime.clock.now();
        let known = self.identity.borrow().clone();
        let known = known.filter(|(at, identity)| {
            now.saturating_sub(*at) <= no_older_than && !matches!(identity.peek(), Some(Err(())))
        });
        if let Some((_, identity)) = known {
            return identity.await;
        }
        let Runtime { transport, clock, .. } = self.runtime.clone();
        let identity = async move {
            match select(pin!(ClusterIdentity::ask(&transport)), clock.sleep(IDENTITY_TIMEOUT)).await {
                Either::Left((identity, _)) => identity.map_err(drop),
                Either::Right(_) => Err(()),
            }
        };
        let identity = identity.boxed_local().shared();
        *self.identity.borrow_mut() = Some((now, identity.clone()));
        identity.await
    }
}

/// Name of an informer's snapshot in the storage.
fn name(url: &str, key: &InformerKey) -> String {
    let options = &key.options;
    let mode = if options.mode == InformerMode::Metadata { "metadata" } else { "object" };
    let mut name = format!("{url}\n{}", key.resource);
    for text in [&options.namespace, &options.label_selector, &options.field_selector] {
        name.push('\n');
        name.push_str(text.as_deref().unwrap_or_default());
    }
    name.push('\n');
    name.push_str(mode);
    // Without a transform, the name is that of earlier versions.
    if options.transform != TransformOptions::default() {
        name.push('\n');
        name.push_str(&options.transform.description());
    }
    name
}
