//! The numbers of the protocol.

use std::time::Duration;

use crate::backoff::BackoffOptions;

/// Tunes a [`super::Reflector`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReflectorOptions {
    /// Objects in a page, where pages are asked for.
    pub page_size: u32,
    /// Whether the first list asks for the newest state, in pages, instead of version `"0"`.
    ///
    /// client-go asks for `"0"`, which a server answers from its watch cache, whole: `limit` is ignored then. Where
    /// somebody waits for the first rows, pages show them after 0.1 s, and since 1.31 they come from the cache too.
    pub consistent_first_list: bool,
    /// The lower bound of a watch's time; each is drawn from `[min, 2 * min)`. Five minutes as in client-go.
    pub min_watch_timeout: Duration,
    /// A watch on which nothing at all came for so long is cut and resumed. A server that sends bookmarks does so each
    /// minute, so 90 s is half a bookmark late; a half-open connection is found no later than this.
    pub silence: Duration,
    /// How long the server may take to accept a watch.
    pub open_timeout: Duration,
    /// How long one page may take. The apiserver itself gives up after 60 s.
    pub page_timeout: Duration,
    /// Waits between attempts.
    pub backoff: BackoffOptions,
}

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            page_size: 500,
            consistent_first_list: false,
            min_watch_timeout: Duration::from_secs(300),
            silence: Duration::from_secs(90),
            open_timeout: Duration::from_secs(30),
            page_timeout: Duration::from_secs(120),
            backoff: BackoffOptions::default(),
        }
    }
}
