//! Lists: the requested version, and the transitions after a page and after a failure.

use std::time::Duration;

use super::current_error::CurrentError;
use super::listing::{Delivery, Listing, Restart};
use super::slot::Slot;
use super::state::{Baseline, Next, State};
use super::version::{is_version, went_back};
use super::{Command, Reflector, Step};
use crate::error::{ErrorCode, InformerError};
use crate::list::ListPage;
use crate::list_watch::ListOptions;
use crate::object::Keyed;

impl<T: Keyed> Reflector<T> {
    /// Returns the version that a list requests; `None` is the newest.
    pub(super) fn list_version(&self) -> Option<String> {
        // A page with a version is of exactly that version, so it never contains newer objects.
        let polls_by_page = self.options.page_size.is_some() && self.polling.is_some();
        // In pages, also for relists: the server would cut off a whole list over a slow line after a minute.
        if polls_by_page || self.options.consistent_lists { None } else { self.version.for_list() }
    }

    /// Begins a list.
    pub(super) fn list(&mut self, now: Duration) -> Step<T> {
        self.metrics.lists += 1;
        self.liveness.undecodable.relist(now);
        self.metrics.relists += u64::from(self.version.has_listed());
        let requested_version = self.list_version();
        // An explicit page size always requests pages.
        let paged = self.options.page_size.is_some() || self.version.wants_pages(requested_version.as_deref());
        let by_page = self.options.populate_by_page && self.baseline == Baseline::Empty;
        let delivery = if by_page { Delivery::ByPage { delivered: 0 } } else { Delivery::Whole };
        self.state = State::Listing(Listing::new(requested_version.clone(), delivery, &self.options, now));
        let limit = paged.then(|| self.options.first_limit());
        Step::command(Command::List(ListOptions { resource_version: requested_version, limit, continue_token: None }))
    }

    /// Takes a page: requests the next one, or ends the list.
    pub(super) fn page(&mut self, page: ListPage<T>, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        self.metrics.dropped += page.unreadable.len() as u64;
        if listing.token.is_empty() {
            listing.version =
                Some(&page.resource_version).filter(|version| is_version(version)).cloned().unwrap_or_default();
        }
        // A source with versions does not lose them: a proxy responded in its place.
        if listing.version.is_empty() && !self.version.as_str().is_empty() {
            let why = "the list has no resourceVersion, although earlier lists had one";
            return self.list_failed(InformerError::new(ErrorCode::Decode, why), now);
        }
        let last = page.continue_token.is_empty();
        if !last && page.continue_token == listing.token {
            let error = InformerError::new(ErrorCode::Decode, "a page of the list refers to itself as the next page");
            return self.list_failed(error, now);
        }
        if listing.add_size(&page) > self.options.max_bytes {
            return self.too_large();
        }
        // A live watch would have delivered the newer changes, so it was dead: this server does send bookmarks.
        let reached = self.version.as_str();
        let is_newer = |item: &T| went_back(item.resource_version(), reached);
        if self.liveness.silence.is_unchecked() && page.items.iter().any(is_newer) {
            self.liveness.silence.reset(self.options.silence_timeout);
        }
        let report = page.unreadable.first().cloned();
        let token = page.continue_token.clone();
        if matches!(listing.delivery, Delivery::ByPage { .. }) {
            self.version.partially_listed(&listing.version);
        }
        let call = listing.take(page);
        if call.is_some() && self.baseline == Baseline::Empty {
            self.baseline = Baseline::UNLISTED;
        }
        let step = if last { self.list_ended(now) } else { self.next_page(token, now) };
        Step { call, report, ..step }
    }

    /// Requests the next page by its continue token.
    fn next_page(&mut self, token: String, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        listing.token.clone_from(&token);
        // Only a list at "0" shows something about the server: every server pages a list of the newest state (LST-18).
        if listing.requested_version.as_deref() == Some("0") {
            self.version.pages_at_zero();
        }
        listing.request(Slot::Granted, &self.options, now);
        let limit = Some(self.options.limit());
        Step::command(Command::List(ListOptions { resource_version: None, limit, continue_token: Some(token) }))
    }

    /// Ends a list after its last page: the server is verified, and a watch follows.
    fn list_ended(&mut self, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        self.baseline = Baseline::Cached { listed_at: listing.begun, list_ended: now };
        self.liveness.catch_up.listed(listing.requested_version.as_deref(), &listing.version);
        let version = std::mem::take(&mut listing.version);
        if went_back(self.version.as_str(), &version) {
            // The watch was dead: its silence was not that of a server without bookmarks.
            self.liveness.silence.reset(self.options.silence_timeout);
        }
        self.liveness.silence.listed();
        self.version.listed(version);
        self.streams.listed();
        self.liveness.verify(now);
        self.after_list(now)
    }

    /// Returns the step after a page that was rejected, broke off, or timed out.
    pub(super) fn list_failed(&mut self, error: InformerError, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        let first_page = listing.token.is_empty();
        match error.code() {
            // An expired continue token: requests the whole list at once, at the originally requested version
            // (client-go's pager).
            ErrorCode::Expired if !first_page && listing.restart == Restart::Allowed => {
                listing.restart(&self.options, now);
                let resource_version = listing.requested_version.clone();
                Step::command(Command::List(ListOptions { resource_version, limit: None, continue_token: None }))
            }
            // At once, without backoff: the server is healthy, only the version has expired.
            ErrorCode::Expired | ErrorCode::TooLargeResourceVersion if listing.requested_version.is_some() => {
                self.version.request_newest();
                self.list(now)
            }
            // Too large for one response (the server ignores a limit at "0"): the next attempt requests pages of the
            // newest version.
            ErrorCode::Timeout if first_page && listing.requested_version.is_some() => {
                self.version.request_newest();
                self.back_off(error, Next::Relist, now)
            }
            // Rejected in its plainest form: a selector or path that no retry can correct.
            ErrorCode::BadRequest if first_page && listing.requested_version.as_deref().is_none_or(|v| v == "0") => {
                self.fail(error)
            }
            ErrorCode::BadRequest => {
                self.version.request_newest();
                self.back_off(error, Next::Relist, now)
            }
            _ => self.back_off(error, Next::Relist, now),
        }
    }

    /// Fails because the objects exceed the memory limit, which no retry can correct.
    pub(super) fn too_large(&mut self) -> Step<T> {
        let message = format!(
            "the objects take more than {} bytes: request one namespace, use a selector, or request metadata only",
            self.options.max_bytes
        );
        self.fail(InformerError::new(ErrorCode::BadRequest, message))
    }

    /// Ends with an error that no retry can correct.
    fn fail(&mut self, error: InformerError) -> Step<T> {
        self.state = State::Failed;
        self.current_error = CurrentError::Failed(error.clone());
        Step { report: Some(error), ..Step::command(Command::Wait) }
    }

    /// Requests the newest version, because pages at a version are of exactly that version.
    pub(super) fn want_newer(&mut self) {
        if self.options.page_size.is_some() {
            self.version.request_newest();
        }
    }
}
