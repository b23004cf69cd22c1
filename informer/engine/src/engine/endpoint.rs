//! Endpoint: an apiserver as one user reaches it. Equal ones share a [`Cluster`](super::cluster::Cluster).

use std::rc::Rc;

use informer::clock::Clock;
use informer::transport::Transport;
use informer::transport::user_headers::UserHeaders;

use super::header_pages::HeaderPages;
use super::loading::loaded;
use crate::message::{CredentialsMode, ServerOptions};

/// Apiserver as one user reaches it.
pub struct Endpoint {
    /// The options of the page that was the first to connect to it.
    pub server: ServerOptions,
    /// Number of the page's own `fetch`, if it has one.
    pub fetch: Option<u32>,
    pub(super) clock: Rc<dyn Clock>,
    /// The pages that provide the headers, if it has any.
    pub(super) header_pages: Option<Rc<dyn HeaderPages>>,
}

impl Endpoint {
    /// Adds the headers of the user to the requests of a transport.
    #[must_use]
    pub fn authenticated(&self, transport: Rc<dyn Transport>) -> Rc<dyn Transport> {
        match loaded().filter(|_| self.server.has_headers()) {
            Some(deferred) => deferred.authenticated(&self.server, self.header_pages.as_ref(), transport, &self.clock),
            None => transport,
        }
    }

    /// Name of its snapshots: no user is shown what another one's browser has stored. `None` if the user is unknown: then nothing
    /// is stored. Headers are not in the name, because a storage must not contain them.
    pub(super) fn snapshot_name(&self) -> Option<String> {
        let ServerOptions { url, headers, asks_headers, user, .. } = &self.server;
        let url = url.trim_end_matches('/');
        match (user, asks_headers) {
            (Some(user), _) => Some(format!("{url}\nuser {user}")),
            (None, false) if headers.0.is_empty() => Some(url.to_owned()),
            (None, _) => None,
        }
    }

    /// Whether watches may use WebSockets. Scripts can neither add headers to them nor keep cookies from them.
    pub fn allows_sockets(&self) -> bool {
        !self.server.has_headers() && self.fetch.is_none() && self.server.credentials != CredentialsMode::Omit
    }
}

/// What two pages must have in common to share informers.
#[derive(PartialEq, Eq)]
pub(super) struct EndpointKey {
    url: String,
    credentials: CredentialsMode,
    json: bool,
    fetch: Option<u32>,
    user: User,
}

#[derive(PartialEq, Eq)]
enum User {
    /// Pages with a function, and the same name.
    Asked(String),
    Constant(UserHeaders, Option<String>),
    /// Each page with a function of its own may be another user.
    OfSession(u32),
}

impl EndpointKey {
    /// Key of the endpoint that a session uses.
    pub(super) fn new(server: &ServerOptions, fetch: Option<u32>, session: u32) -> Self {
        let user = match (&server.user, server.asks_headers) {
            (Some(name), true) => User::Asked(name.clone()),
            (None, true) => User::OfSession(session),
            (name, false) => User::Constant(server.headers.clone(), name.clone()),
        };
        let url = server.url.trim_end_matches('/').to_owned();
        Self { url, credentials: server.credentials, json: server.json, fetch, user }
    }
}
