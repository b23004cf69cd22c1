//! The list: which version it asks for, its pages, and what follows when it fails.

use std::time::Duration;

use super::state::{Listing, State, Then, Told};
use super::{Command, Reflector, ReflectorOptions, Step, StoreCall};
use crate::error::{ErrorCode, InformerError};
use crate::list::ListPage;
use crate::list_watch::ListOptions;
use crate::object::Keyed;

/// So many times the patience with a silent page may a page take that keeps coming: trickling for ever is no way to
/// answer either.
const LONGEST_PAGE: u32 = 10;

impl<T: Keyed> Reflector<T> {
    /// The version that a list asks for (client-go: `relistResourceVersion`).
    pub(super) fn list_version(&self) -> Option<String> {
        match (self.version_unavailable, self.last_version.as_str()) {
            (true, _) => None,
            _ if self.unversioned => None,
            // A page beside a version is one of exactly that version, at which nothing is ever new.
            (false, _) if self.options.page_size.is_some() && self.polling.is_some() => None,
            // In pages, relists too: a whole list over a slow line would be cut off by the server after a minute.
            (false, _) if self.options.consistent_lists => None,
            // At "0" a server may answer with an older state than that of the pages that were handed on.
            (false, "") if !self.pages_version.is_empty() => Some(self.pages_version.clone()),
            (false, "") => Some("0".to_owned()),
            (false, version) => Some(version.to_owned()),
        }
    }

    pub(super) fn list(&mut self, now: Duration) -> Step<T> {
        self.metrics.lists += 1;
        self.lost_events.relist(now);
        self.metrics.relists += u64::from(self.has_listed());
        let version = self.list_version();
        // Beside a version other than "0" a limit would mean exactly that version, read from etcd. Who asks for pages by
        // their size means it.
        let paged = self.options.page_size.is_some()
            || self.pages_at_zero
            || version.as_deref().is_none_or(|version| version == "0");
        let mut listing = Listing {
            version: version.clone(),
            list_version: String::new(),
            staged: Vec::new(),
            unchanged: Vec::new(),
            unread: Vec::new(),
            token: String::new(),
            by_page: self.options.populate_by_page && self.told == Told::Nothing,
            handed_on: 0,
            bytes: 0,
            begun: now,
            page_due: now,
            page_end: now,
            unpaged: false,
        };
        listing.ask(&self.options, now);
        self.state = State::Listing(listing);
        let limit = paged.then(|| self.options.first_limit());
        Step::command(Command::List(ListOptions { resource_version: version, limit, continue_token: None }))
    }

    pub(super) fn page(&mut self, page: ListPage<T>, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        self.metrics.dropped += page.unreadable.len() as u64;
        if listing.token.is_empty() {
            listing.list_version =
                Some(page.resource_version).filter(|version| is_version(version)).unwrap_or_default();
        }
        // A source that has versions does not lose them: what stands before it answered in its place.
        if listing.list_version.is_empty() && !self.last_version.is_empty() {
            let why = "the list carries no resourceVersion, although lists before it did";
            return self.list_failed(InformerError::new(ErrorCode::Decode, why), now);
        }
        let last = page.continue_token.is_empty();
        if !last && page.continue_token == listing.token {
            let error = InformerError::new(ErrorCode::Decode, "the list leads from a page to the same page again");
            return self.list_failed(error, now);
        }
        let sizes = page.items.iter().chain(page.unchanged.iter().map(|item| &**item)).map(|item| item.size() as u64);
        listing.bytes += sizes.sum::<u64>();
        if listing.bytes > self.options.max_bytes {
            return self.too_large();
        }
        // The watch would have told of what is newer than its beginning: this server does not save its bookmarks.
        if self.was_silent && page.items.iter().any(|item| went_back(item.resource_version(), &self.last_version)) {
            self.silence = self.options.silence;
        }
        let report = page.unreadable.first().cloned();
        // The only page of a list is all of it.
        if listing.by_page || last {
            self.told = Told::Something;
        }
        if listing.by_page {
            self.pages_version.clone_from(&listing.list_version);
        }
        let call = if listing.by_page && !(last && listing.token.is_empty()) {
            // What is unchanged came with a page before.
            listing.handed_on += page.items.len();
            let resource_version = last.then(|| listing.list_version.clone());
            Some(StoreCall::Populate { items: page.items, resource_version })
        } else {
            listing.staged.extend(page.items);
            listing.unchanged.extend(page.unchanged);
            listing.unread.extend(page.unreadable.iter().filter_map(|error| error.object().map(str::to_owned)));
            last.then(|| StoreCall::Replace {
                items: std::mem::take(&mut listing.staged),
                unchanged: std::mem::take(&mut listing.unchanged),
                resource_version: listing.list_version.clone(),
                unread: std::mem::take(&mut listing.unread),
            })
        };
        if !last {
            listing.token.clone_from(&page.continue_token);
            // Only "0" says something about the server: the newest state comes in pages everywhere (LST-18).
            self.pages_at_zero |= listing.version.as_deref() == Some("0");
            listing.ask(&self.options, now);
            let options = ListOptions {
                resource_version: None,
                limit: Some(self.options.limit()),
                continue_token: Some(page.continue_token),
            };
            return Step { call, report, ..Step::command(Command::List(options)) };
        }
        self.listed_at = listing.begun;
        self.catch_up.listed(listing.version.as_deref(), &listing.list_version);
        let version = std::mem::take(&mut listing.list_version);
        if went_back(&self.last_version, &version) {
            // The silence was not that of a server without bookmarks.
            self.silence = self.options.silence;
        }
        self.was_silent = false;
        self.unversioned = version.is_empty();
        self.last_version = version;
        self.version_unavailable = false;
        self.streams.listed();
        self.prove(now);
        let step = self.after_list(now);
        Step { call, report, ..step }
    }

    /// There is more than may be kept: what no retry mends.
    pub(super) fn too_large(&mut self) -> Step<T> {
        let message = format!(
            "the objects take more than {} bytes: ask for a namespace or by a selector, or for metadata only",
            self.options.max_bytes
        );
        self.fail(InformerError::new(ErrorCode::BadRequest, message))
    }

    /// What no retry mends.
    fn fail(&mut self, error: InformerError) -> Step<T> {
        self.state = State::Failed;
        // An answer to a heartbeat clears the error of a heartbeat, not this one.
        self.unreachable = false;
        self.last_error = Some(error.clone());
        Step { report: Some(error), ..Step::command(Command::Wait) }
    }

    pub(super) fn list_failed(&mut self, error: InformerError, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        let first_page = listing.token.is_empty();
        match error.code() {
            // A page token that expired: the whole list at once, at the version first asked for.
            ErrorCode::Expired if !first_page && !listing.unpaged => {
                // What was handed on must not be followed by an older state, which "0" may bring.
                if listing.handed_on > 0 && listing.version.is_some() {
                    listing.version = Some(std::mem::take(&mut listing.list_version));
                }
                let version = listing.version.clone();
                listing.ask(&self.options, now);
                (listing.unpaged, listing.by_page) = (true, false);
                (listing.list_version, listing.token, listing.unread) = (String::new(), String::new(), Vec::new());
                (listing.staged, listing.unchanged) = (Vec::new(), Vec::new());
                (listing.handed_on, listing.bytes) = (0, 0);
                Step::command(Command::List(ListOptions {
                    resource_version: version,
                    limit: None,
                    continue_token: None,
                }))
            }
            // At once, without backoff: the server is well, only the version cannot be had.
            ErrorCode::Expired | ErrorCode::TooLargeResourceVersion if listing.version.is_some() => {
                self.version_unavailable = true;
                self.list(now)
            }
            // Too much for one answer (a limit beside "0" is ignored): the next attempt asks for pages of the newest.
            ErrorCode::Timeout if first_page && listing.version.is_some() => {
                self.version_unavailable = true;
                self.back_off(error, Then::Relist, now)
            }
            // Asked for in the plainest form and still wrong: a selector or a path that no retry mends.
            ErrorCode::BadRequest if first_page && listing.version.as_deref().is_none_or(|v| v == "0") => {
                self.fail(error)
            }
            ErrorCode::BadRequest => {
                self.version_unavailable = true;
                self.back_off(error, Then::Relist, now)
            }
            _ => self.back_off(error, Then::Relist, now),
        }
    }
}

impl<T> Listing<T> {
    /// A page has been asked for.
    pub(super) fn ask(&mut self, options: &ReflectorOptions, now: Duration) {
        self.page_due = now.saturating_add(options.page_timeout);
        self.page_end = now.saturating_add(options.page_timeout.saturating_mul(LONGEST_PAGE));
    }
}

/// Whether a version is one of a state. `""` asks for the newest and `"0"` for any state at hand: a watch from either begins
/// with an ADDED for everything there is, and never tells what was deleted before.
pub(super) fn is_version(version: &str) -> bool {
    !matches!(version, "" | "0")
}

/// Whether a version looks as if the cluster had been restored or replaced. Only a hint, for patience and for lists that
/// might not be needed: nothing that must be right follows from it. (Kubernetes promises this order for decimal versions
/// of any length since 1.35.)
pub(super) fn went_back(from: &str, to: &str) -> bool {
    let decimal = |version: &str| is_version(version) && version.bytes().all(|byte| byte.is_ascii_digit());
    decimal(from) && decimal(to) && (to.len(), to) < (from.len(), from)
}
