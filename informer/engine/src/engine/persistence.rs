//! Persistence: snapshots of caches, written while an informer runs and read when the next one starts. A reload is not a
//! relist.
//!
//! Persistence delays nothing and breaks nothing: a storage that is slow, full or broken costs a list, as without a storage. A
//! snapshot is bound to the cluster and, if the server identifies its users, to the user. That prevents it from being
//! *shown* to another user; it does not protect the stored bytes: they lie in the browser's profile, readable by every script
//! of this origin, and by anyone with access to the profile's files. Sensitive resources are therefore never written.

mod keeper;

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, LocalBoxFuture, Shared, ready, select};
use futures::stream::LocalBoxStream;
use futures::{FutureExt, StreamExt, stream};

use super::kept::Kept;
use crate::message::InformerMode;
use crate::snapshot::{Header, Reader, Unusable};
use crate::storage::{Storage, StorageError};
use informer::{
    ClusterIdentity, ErrorCode, InformerError, InformerKey, Object, Runtime, SharedInformer, Verdict, WarmStart, WarmUp,
};

use keeper::{Keeper, part_name};

/// Parts of the names of resources whose objects are never written, in any group and in any mode: annotations of a secret
/// may repeat all of it. Config maps are among them because whole configuration files are in them, and passwords in those.
const SENSITIVE: [&str; 5] = ["secret", "token", "credential", "password", "configmap"];

/// How long the first part has for itself, which fills a screen: to show it, a page needs the processor, too.
const FIRST_PART_ALONE: Duration = Duration::from_millis(50);

/// How long a server may take to say who it is.
const IDENTITY_TIMEOUT: Duration = Duration::from_secs(10);

/// The snapshots of one apiserver, as the engine knows them: their code may have to be loaded.
pub(super) trait Snapshots {
    /// From now on an informer that runs is kept. Gives what it may begin with.
    fn attach(self: Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>) -> WarmUp<Object>;

    /// Somebody has left an informer: if it was the last one, it is written once more.
    fn left(self: Rc<Self>, key: &InformerKey);

    /// What runs now is not written any more.
    fn let_go(&self);

    /// The server may be another one, or take the page for another user: what it said of itself is void.
    fn forget_identity(&self);

    /// Removes everything that was ever written, of all apiservers, then says how that went.
    fn forget(self: Rc<Self>, answer: Box<dyn FnOnce(Result<(), InformerError>)>);
}

impl Snapshots for Persistence {
    fn attach(self: Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>) -> WarmUp<Object> {
        match self.keeper(key, informer) {
            Some(keeper) => self.warm_up(keeper).boxed_local(),
            None => ready(None).boxed_local(),
        }
    }

    fn left(self: Rc<Self>, key: &InformerKey) {
        let mut keepers = self.keepers.borrow_mut();
        let stopped = |keeper: &Keeper| keeper.informer.is_stopped();
        let Some(place) = keepers.iter().position(|(known, keeper)| known == key && stopped(keeper)) else { return };
        let (_, keeper) = keepers.remove(place);
        drop(keepers);
        let spawn = Rc::clone(&self.runtime.spawn);
        spawn(self.write_last(keeper).boxed_local());
    }

    fn let_go(&self) {
        self.keepers.take().iter().for_each(|(_, keeper)| keeper.give_up());
    }

    fn forget_identity(&self) {
        self.identity.take();
    }

    fn forget(self: Rc<Self>, answer: Box<dyn FnOnce(Result<(), InformerError>)>) {
        let spawn = Rc::clone(&self.runtime.spawn);
        let task = async move {
            answer(match self.storage.clear().await {
                // Where nothing can be, nothing is.
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

/// The snapshots of an apiserver.
pub(super) fn new_snapshots(runtime: Runtime, storage: &Kept, url: &str) -> Rc<dyn Snapshots> {
    let storage: Rc<dyn Storage> = match storage {
        Kept::In(storage) => Rc::clone(storage),
        #[cfg(target_arch = "wasm32")]
        Kept::InBrowser => Rc::new(crate::storage::indexed_db::IndexedDb::new()),
        Kept::Nowhere => Rc::new(crate::storage::Nowhere),
    };
    let (url, identity, keepers) = (url.to_owned(), RefCell::default(), RefCell::default());
    Rc::new(Persistence { runtime, storage, url, identity, keepers })
}

/// What a server said of itself; `Err` when it did not say anything.
type Identity = Result<Option<ClusterIdentity>, ()>;

/// The snapshots of one apiserver.
pub(super) struct Persistence {
    runtime: Runtime,
    storage: Rc<dyn Storage>,
    url: String,
    /// When it was asked for last, and what comes of it.
    identity: RefCell<Option<(Duration, Shared<LocalBoxFuture<'static, Identity>>)>>,
    keepers: RefCell<Vec<(InformerKey, Rc<Keeper>)>>,
}

/// Whether objects of a resource may not be written.
fn is_sensitive(resource: &str) -> bool {
    SENSITIVE.iter().any(|part| resource.contains(part))
}

impl Persistence {
    fn keeper(self: &Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>) -> Option<Rc<Keeper>> {
        let known = self.keepers.borrow().iter().any(|(known, _)| known == key);
        if known || informer.is_stopped() || is_sensitive(&key.resource.resource) {
            return None;
        }
        let keeper = Rc::new(Keeper::new(name(&self.url, key), informer.clone()));
        let task = Rc::clone(self).keep(Rc::downgrade(&keeper));
        self.keepers.borrow_mut().push((key.clone(), Rc::clone(&keeper)));
        (self.runtime.spawn)(task.boxed_local());
        Some(keeper)
    }

    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "only traced"))]
    async fn warm_up(self: Rc<Self>, keeper: Rc<Keeper>) -> Option<WarmStart<Object>> {
        let header = match self.header(&keeper.name).await {
            Ok(header) => header?,
            Err(reason) => {
                #[cfg(feature = "tracing")]
                tracing::debug!(name = keeper.name, %reason, "a snapshot is ignored");
                return None;
            }
        };
        // It takes as long as the parts do.
        (self.runtime.spawn)(Rc::clone(&self).identify().boxed_local());
        let (resource_version, taken_at) = (header.resource_version.clone(), header.taken_at);
        let batches = Rc::clone(&self).batches(keeper.name.clone(), header.clone());
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
                keeper.goes_on_from(header);
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

    /// The objects of a snapshot, part by part; the first error is the end. While a part is unpacked, the next one is read.
    fn batches(self: Rc<Self>, name: String, header: Header) -> LocalBoxStream<'static, Result<Vec<Arc<Object>>, ()>> {
        let clock = Rc::clone(&self.runtime.clock);
        let read = move |header: &Header, part: usize| {
            let is_there = part < header.parts.len();
            is_there.then(|| self.storage.get(&part_name(&name, header.generation, part)))
        };
        let first = read(&header, 0);
        stream::unfold((header, Reader::default(), first), move |(header, mut reader, part)| {
            let next = part.as_ref().and_then(|_| read(&header, reader.parts() + 1));
            let pause = (part.is_some() && reader.parts() == 1).then(|| clock.sleep(FIRST_PART_ALONE));
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

    async fn identify(self: Rc<Self>) {
        // The next caller asks again, and is answered at once.
        let _ = self.identity(Duration::MAX).await;
    }

    /// Who the server is, as it said no longer ago than this. Those who ask at the same time share the answer.
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

/// What an informer is called in the storage.
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
    name
}
