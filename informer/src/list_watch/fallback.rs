//! Fallback to permitted namespaces: a resource of all namespaces or, if they cannot be listed together, of those that
//! the user may list.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::{Cached, ListOptions, ListerWatcher, ResourceListerWatcher, WatchOptions, WatchStream};
use crate::error::{ErrorCode, Result};
use crate::list::ListPage;
use crate::object::KubeObject;
use crate::transport::connection_slot::ConnectionSlot;

/// Source of a part of the objects of another source.
pub type Part<T> = Rc<dyn ListerWatcher<Object = T>>;

/// Creates the source of the namespaces that a user may list, if a list of all namespaces is forbidden.
pub type Fallback<T> = Rc<dyn Fn(Rc<ResourceListerWatcher<T>>) -> LocalBoxFuture<'static, Result<Part<T>>>>;

/// Lister-watcher that falls back to the permitted namespaces if a list of all is forbidden.
///
/// Each list requests all objects first, so that a granted right is detected by the next list.
pub(crate) struct FallbackListerWatcher<T: KubeObject>(Rc<Inner<T>>);

struct Inner<T: KubeObject> {
    whole: Rc<ResourceListerWatcher<T>>,
    fallback: Option<Fallback<T>>,
    /// The fallback in use.
    part: RefCell<Option<Part<T>>>,
    /// Consecutive forbidden lists without a fallback.
    failed_searches: Cell<u32>,
}

impl<T: KubeObject> FallbackListerWatcher<T> {
    pub(crate) fn new(whole: ResourceListerWatcher<T>, fallback: Option<Fallback<T>>) -> Self {
        Self(Rc::new(Inner {
            whole: Rc::new(whole),
            fallback,
            part: RefCell::default(),
            failed_searches: Cell::default(),
        }))
    }

    fn part(&self) -> Option<Part<T>> {
        self.0.part.borrow().clone()
    }
}

impl<T: KubeObject> Inner<T> {
    /// Whether to search for permitted namespaces. A search without a result costs a request for each namespace, so it
    /// is done after the 1st, 2nd, 4th, 8th refusal, and so on.
    fn should_search(&self) -> bool {
        let before = self.failed_searches.get();
        self.failed_searches.set(before.saturating_add(1));
        (before + 1).is_power_of_two()
    }

    /// Lists a part; `None` if no part may be listed.
    async fn list_part(&self) -> Option<Result<ListPage<T>>> {
        let known = self.part.borrow().clone();
        let part = match (known, &self.fallback) {
            (Some(part), _) => part,
            (None, Some(fallback)) if self.should_search() => match fallback(Rc::clone(&self.whole)).await {
                Ok(part) => part,
                Err(error) => {
                    self.failed_searches.set(0);
                    return Some(Err(error));
                }
            },
            _ => return None,
        };
        let response = part.list(ListOptions::default()).await;
        let is_forbidden = response.as_ref().is_err_and(|error| error.code() == ErrorCode::Forbidden);
        if is_forbidden {
            self.part.take();
            return None;
        }
        // The error is not about permissions: the search does not count as failed.
        self.failed_searches.set(0);
        if response.is_ok() {
            *self.part.borrow_mut() = Some(part);
        }
        Some(response)
    }
}

impl<T: KubeObject> ListerWatcher for FallbackListerWatcher<T> {
    type Object = T;

    fn description(&self) -> String {
        self.0.whole.description()
    }

    fn see_cache(&self, cached: Cached<T>) {
        self.0.whole.see_cache(cached);
    }

    fn progress(&self) -> u64 {
        self.0.whole.progress()
    }

    fn connection(&self) -> Option<&ConnectionSlot> {
        self.0.whole.connection()
    }

    fn namespaces(&self) -> Vec<String> {
        self.part().map_or_else(Vec::new, |part| part.namespaces())
    }

    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        let is_first = options.continue_token.is_none();
        let whole = self.0.whole.list(options);
        let inner = Rc::clone(&self.0);
        async move {
            let response = whole.await;
            match &response {
                Err(error) if is_first && error.code() == ErrorCode::Forbidden => {
                    // The error names the whole request, not the part that was listed.
                    inner.list_part().await.unwrap_or(response)
                }
                Ok(_) => {
                    inner.part.take();
                    inner.failed_searches.set(0);
                    response
                }
                Err(_) => response,
            }
        }
        .boxed_local()
    }

    fn probe(&self) -> LocalBoxFuture<'static, Result<ListPage<T>>> {
        self.part().map_or_else(|| self.0.whole.probe(), |part| part.probe())
    }

    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<T>>> {
        match self.part() {
            Some(part) => part.watch(options),
            None => self.0.whole.watch(options),
        }
    }
}
