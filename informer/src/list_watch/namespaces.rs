//! Several namespaces as one source: listed one after the other and watched in parallel.
//!
//! A reflector has one version. Versions of one resource come from one counter of the server for all namespaces, so any
//! of them shows the server's progress. But parallel watches have not progressed equally when they end, and resuming
//! all of them from the latest version would lose events of the others. So each namespace has its own version.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Poll;

use futures::future::{LocalBoxFuture, poll_fn, ready, try_join_all};
use futures::stream::{self, LocalBoxStream, select_all};
use futures::{FutureExt, StreamExt};

use super::{ListOptions, ListerWatcher, ResourceListerWatcher, WatchOptions, WatchStream};
use crate::error::{ErrorCode, InformerError, Result};
use crate::informer_options::{InformerMode, InformerOptions};
use crate::list::ListPage;
use crate::object::KubeObject;
use crate::resource::GroupVersionResource;
use crate::transport::connection_slot::ConnectionSlot;
use crate::watch::WatchEvent;

/// Maximum number of namespaces; a larger cluster gets no requests per namespace.
const MAX_NAMESPACES: usize = 100;

/// Objects in a page.
const PAGE_SIZE: u32 = 500;

/// Maximum number of bookmarks of each other watch since the last data of a watch. Beyond it the watch is half-open.
/// One bookmark comes each minute.
const MAX_MISSED_BOOKMARKS: usize = 2;

type Events<T> = Result<Vec<Result<WatchEvent<T>>>>;

/// Events of one of the watches; `None` at its end.
type Arrival<T> = Option<(Rc<Namespace<T>>, Events<T>)>;

/// Namespaces of a server in which the user may list a resource.
pub struct NamespacesListerWatcher<T: KubeObject>(Rc<Inner<T>>);

struct Inner<T: KubeObject> {
    resource: GroupVersionResource,
    whole: Rc<ResourceListerWatcher<T>>,
    names: ResourceListerWatcher<T>,
    namespaces: RefCell<Vec<Rc<Namespace<T>>>>,
    /// All namespaces at the last list, permitted or not.
    known_names: RefCell<Vec<String>>,
    /// Whether no watch has begun since the last list.
    is_new: Cell<bool>,
}

/// Permitted namespace.
struct Namespace<T: KubeObject> {
    name: String,
    source: ResourceListerWatcher<T>,
    /// Version that it has reached.
    version: RefCell<String>,
    /// Number of bookmarks of other watches since its last data.
    missed_bookmarks: Cell<usize>,
}

impl<T: KubeObject> NamespacesListerWatcher<T> {
    /// Creates the source: the request of `whole` in each namespace.
    ///
    /// # Errors
    /// None in practice, because namespaces are a valid resource.
    pub fn new(resource: &GroupVersionResource, whole: Rc<ResourceListerWatcher<T>>) -> Result<Self> {
        let options = InformerOptions { mode: InformerMode::Metadata, ..InformerOptions::default() };
        let namespaces = "v1/namespaces".parse()?;
        let names = ResourceListerWatcher::new(Rc::clone(whole.transport()), &namespaces, &options)?;
        let (namespaces, known_names, is_new) = Default::default();
        Ok(Self(Rc::new(Inner { resource: resource.clone(), whole, names, namespaces, known_names, is_new })))
    }
}

/// Lists all pages, and adds them to `page`.
async fn list_into<T: KubeObject>(source: &ResourceListerWatcher<T>, page: &mut ListPage<T>) -> Result<()> {
    let mut token = None;
    loop {
        let options = ListOptions { limit: Some(PAGE_SIZE), continue_token: token, resource_version: None };
        let next = source.list(options).await?;
        page.items.extend(next.items);
        page.unchanged.extend(next.unchanged);
        page.unreadable.extend(next.unreadable);
        page.resource_version = next.resource_version;
        if next.continue_token.is_empty() {
            return Ok(());
        }
        token = Some(next.continue_token);
    }
}

fn empty_page<T>() -> ListPage<T> {
    ListPage {
        items: Vec::new(),
        unchanged: Vec::new(),
        resource_version: String::new(),
        continue_token: String::new(),
        unreadable: Vec::new(),
    }
}

impl<T: KubeObject> Inner<T> {
    /// Requests the names of all namespaces.
    async fn names(&self) -> Result<Vec<String>> {
        let mut names = empty_page();
        list_into(&self.names, &mut names).await?;
        Ok(names.items.iter().map(|namespace| namespace.key().to_owned()).collect())
    }

    /// Whether a namespace was created or deleted. Watches of single namespaces do not show it. Checked once per watch,
    /// so every five to ten minutes. A right that is granted in an existing namespace is detected by the next list.
    async fn is_outdated(&self) -> bool {
        if self.is_new.take() {
            return false;
        }
        // Without a response, the known namespaces stay in use.
        self.names().await.is_ok_and(|names| names != *self.known_names.borrow())
    }

    async fn list(&self) -> Result<ListPage<T>> {
        let names = self.names().await?;
        if names.len() > MAX_NAMESPACES {
            let message = format!(
                "cannot list all namespaces together, and more than {MAX_NAMESPACES} are too many to list one by one; choose a namespace"
            );
            return Err(InformerError::new(ErrorCode::Forbidden, message));
        }
        let (mut page, mut namespaces) = (empty_page(), Vec::new());
        for name in &names {
            let source = self.whole.in_namespace(&self.resource, name);
            match list_into(&source, &mut page).await {
                Ok(()) => {
                    let version = RefCell::new(page.resource_version.clone());
                    let name = name.clone();
                    namespaces.push(Rc::new(Namespace { name, source, version, missed_bookmarks: Cell::default() }));
                }
                Err(error) if error.code() == ErrorCode::Forbidden => {}
                // The resource is cluster-scoped.
                Err(error) if error.code() == ErrorCode::NotFound => break,
                Err(error) => return Err(error),
            }
        }
        if namespaces.is_empty() {
            return Err(InformerError::new(ErrorCode::Forbidden, "cannot list any namespace"));
        }
        *self.namespaces.borrow_mut() = namespaces;
        *self.known_names.borrow_mut() = names;
        self.is_new.set(true);
        Ok(page)
    }
}

impl<T: KubeObject> Namespace<T> {
    /// Records the reached version, and counts bookmarks. Events after an error in the same chunk are not applied.
    fn record(&self, events: &Events<T>) -> usize {
        self.missed_bookmarks.set(0);
        let mut bookmarks = 0;
        for event in events.iter().flatten() {
            let version = match event {
                Ok(WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object)) => {
                    object.resource_version()
                }
                Ok(WatchEvent::Bookmark { resource_version, .. }) => {
                    bookmarks += 1;
                    resource_version
                }
                Ok(WatchEvent::Error(_)) => break,
                Err(_) => continue,
            };
            // A watch from no version would begin with all objects, and never report deletions.
            if !matches!(version, "" | "0") {
                version.clone_into(&mut self.version.borrow_mut());
            }
        }
        bookmarks
    }

    /// Returns its watch, followed by `None` at its end.
    async fn watch(self: Rc<Self>, options: WatchOptions) -> Result<LocalBoxStream<'static, Arrival<T>>> {
        let version = self.version.borrow().clone();
        let events = self.source.watch(WatchOptions { resource_version: Some(version), ..options }).await?;
        self.missed_bookmarks.set(0);
        let arrivals = events.map(move |events| Some((Rc::clone(&self), events)));
        Ok(arrivals.chain(stream::once(ready(None))).boxed_local())
    }
}

impl<T: KubeObject> ListerWatcher for NamespacesListerWatcher<T> {
    type Object = T;

    fn namespaces(&self) -> Vec<String> {
        self.0.namespaces.borrow().iter().map(|namespace| namespace.name.clone()).collect()
    }

    /// Lists all namespaces as one page, regardless of the options.
    fn list(&self, _: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        let inner = Rc::clone(&self.0);
        async move { inner.list().await }.boxed_local()
    }

    fn probe(&self) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        self.0.namespaces.borrow().first().map_or_else(|| self.0.names.probe(), |namespace| namespace.source.probe())
    }

    /// Ends when one watch ends, or is silent while the others are not. All of them are then resumed together, each
    /// from its own version. If a namespace was created or deleted, the version is reported as expired, so that
    /// everything is listed again.
    ///
    /// Time-shared streams cannot be open together: the open ones would wait for the others, and the others for their
    /// connections, forever. This is reported as a permanent error, so the namespaces are polled.
    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<T>>> {
        let inner = Rc::clone(&self.0);
        async move {
            if inner.is_outdated().await {
                let message = "a namespace was added or removed; the permitted namespaces are determined again";
                return Err(InformerError::new(ErrorCode::Expired, message));
            }
            let namespaces = inner.namespaces.borrow().clone();
            let opened = namespaces.iter().map(|namespace| Rc::clone(namespace).watch(options.clone()));
            let mut opening = try_join_all(opened);
            let others = namespaces.len().saturating_sub(1);
            let opened = poll_fn(|context| match opening.poll_unpin(context) {
                Poll::Pending if others > 0 && inner.whole.connection().is_some_and(ConnectionSlot::is_queued) => {
                    let message = format!("not enough connections to watch {} namespaces", others + 1);
                    Poll::Ready(Err(InformerError::new(ErrorCode::BadRequest, message)))
                }
                polled => polled,
            });
            let arrivals = select_all(opened.await?);
            let bookmark_limit = MAX_MISSED_BOOKMARKS * others;
            let mut take = move |(namespace, events): (Rc<Namespace<T>>, Events<T>)| {
                // Before its version is recorded: an event that is not delivered must be sent again.
                if namespaces.iter().any(|namespace| namespace.missed_bookmarks.get() > bookmark_limit) {
                    return None;
                }
                let bookmarks = namespace.record(&events);
                for other in namespaces.iter().filter(|other| !Rc::ptr_eq(other, &namespace)) {
                    other.missed_bookmarks.set(other.missed_bookmarks.get() + bookmarks);
                }
                Some(events)
            };
            Ok(arrivals.scan((), move |(), arrival| ready(arrival.and_then(&mut take))).boxed_local())
        }
        .boxed_local()
    }
}
