//! Listing: a list in progress, page by page.

use std::sync::Arc;
use std::time::Duration;

use super::slot::Slot;
use super::{ReflectorOptions, StoreCall};
use crate::deadlines::LONGEST_PAGE;
use crate::list::ListPage;
use crate::object::Keyed;

/// List in progress. It stages its pages, so that an incomplete list has no effect. The exception is a first list
/// whose pages are delivered as they arrive.
#[derive(Debug)]
pub(super) struct Listing<T> {
    /// Version that the first page requested; `None` is the newest.
    pub(super) requested_version: Option<String>,
    /// Version of the list, from its first page; empty if it has none.
    pub(super) version: String,
    pub(super) delivery: Delivery,
    staged: Vec<T>,
    /// Cached instances of unchanged objects.
    unchanged: Vec<Arc<T>>,
    /// Keys of items that could not be decoded.
    undecodable: Vec<String>,
    /// Size of all pages in the cache, in bytes.
    bytes: u64,
    pub(super) begun: Duration,
    /// Deadline for the next bytes of the page.
    page_due: Duration,
    /// Deadline for the whole page.
    page_end: Duration,
    pub(super) slot: Slot,
    /// The continue token of the page in flight; empty for the first page.
    pub(super) token: String,
    pub(super) restart: Restart,
}

/// How pages reach the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// All together after the last page.
    Whole,
    /// As they arrive ([`ReflectorOptions::populate_by_page`]).
    ByPage {
        /// Objects delivered so far.
        delivered: usize,
    },
}

/// Whether a list may begin again when a continue token expires: once, without pages (client-go's pager does the same).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restart {
    Allowed,
    Used,
}

impl<T: Keyed> Listing<T> {
    pub(super) fn new(
        requested_version: Option<String>,
        delivery: Delivery,
        options: &ReflectorOptions,
        now: Duration,
    ) -> Self {
        let mut listing = Self {
            requested_version,
            version: String::new(),
            delivery,
            staged: Vec::new(),
            unchanged: Vec::new(),
            undecodable: Vec::new(),
            bytes: 0,
            begun: now,
            page_due: now,
            page_end: now,
            slot: Slot::Granted,
            token: String::new(),
            restart: Restart::Allowed,
        };
        listing.request(Slot::Granted, options, now);
        listing
    }

    /// Adds the size of a page. Returns that of all pages, in bytes.
    pub(super) fn add_size(&mut self, page: &ListPage<T>) -> u64 {
        let sizes = page.items.iter().chain(page.unchanged.iter().map(|item| &**item)).map(|item| item.size() as u64);
        self.bytes += sizes.sum::<u64>();
        self.bytes
    }

    /// Adds a page. Returns the resulting call of the queue.
    pub(super) fn take(&mut self, page: ListPage<T>) -> Option<StoreCall<T>> {
        let last = page.continue_token.is_empty();
        // The only page of a list is the whole list.
        let only = last && self.token.is_empty();
        if let Delivery::ByPage { delivered } = &mut self.delivery
            && !only
        {
            // Unchanged objects were delivered with an earlier page.
            *delivered += page.items.len();
            let resource_version = last.then(|| self.version.clone());
            return Some(StoreCall::Populate { items: page.items, resource_version });
        }
        self.staged.extend(page.items);
        self.unchanged.extend(page.unchanged);
        self.undecodable.extend(page.unreadable.iter().filter_map(|error| error.object().map(str::to_owned)));
        last.then(|| StoreCall::Replace {
            items: std::mem::take(&mut self.staged),
            unchanged: std::mem::take(&mut self.unchanged),
            resource_version: self.version.clone(),
            unread: std::mem::take(&mut self.undecodable),
        })
    }

    /// Restarts as one whole list, at the version of the first request. If pages were delivered, no older state may
    /// follow, which `"0"` could return: then the list requests at least the version of those pages.
    pub(super) fn restart(&mut self, options: &ReflectorOptions, now: Duration) {
        let requested_version = match self.delivery {
            Delivery::ByPage { delivered: 1.. } if self.requested_version.is_some() => {
                Some(std::mem::take(&mut self.version))
            }
            _ => self.requested_version.take(),
        };
        let begun = self.begun;
        *self = Self { begun, restart: Restart::Used, ..Self::new(requested_version, Delivery::Whole, options, now) };
    }
}

impl<T> Listing<T> {
    /// Records that a page was requested, or left or joined the queue for a connection: its deadline restarts.
    pub(super) fn request(&mut self, slot: Slot, options: &ReflectorOptions, now: Duration) {
        self.slot = slot;
        self.progress(options, now);
        self.page_end = now.saturating_add(options.page_timeout.saturating_mul(LONGEST_PAGE));
    }

    /// Records that more bytes of the page have arrived.
    pub(super) fn progress(&mut self, options: &ReflectorOptions, now: Duration) {
        self.page_due = now.saturating_add(options.page_timeout);
    }

    /// Deadline of the page.
    pub(super) fn due(&self) -> Duration {
        self.page_due.min(self.page_end)
    }

    /// Objects received so far.
    pub(super) fn len(&self) -> usize {
        let delivered = match self.delivery {
            Delivery::Whole => 0,
            Delivery::ByPage { delivered } => delivered,
        };
        self.staged.len() + self.unchanged.len() + delivered
    }
}
