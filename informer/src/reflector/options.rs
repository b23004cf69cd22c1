//! The numbers of the protocol.

use std::time::Duration;

use crate::backoff::BackoffOptions;

/// Tunes a [`super::Reflector`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReflectorOptions {
    /// Objects in a page, where pages are asked for.
    pub page_size: u32,
    /// Whether lists ask for the newest state, in pages, instead of version `"0"` and then the last version seen.
    ///
    /// client-go asks for versions, which a server answers from its watch cache, whole: `limit` is ignored then. Over
    /// a slow line a whole list is cut off by the server after a minute, and who waits for rows waits for all of them.
    /// Pages are there after 0.1 s each, and since Kubernetes 1.31 they come from the watch cache too.
    pub consistent_lists: bool,
    /// The lower bound of a watch's time; each is drawn from `[min, 2 * min)`. Five minutes as in client-go.
    pub min_watch_timeout: Duration,
    /// A watch on which nothing at all came for so long is cut and resumed. A server that sends bookmarks does so each
    /// minute, so 90 s is half a bookmark late; a half-open connection is found no later than this.
    pub silence: Duration,
    /// How long the server may take to accept a watch.
    pub open_timeout: Duration,
    /// How long one page may take. The apiserver itself gives up after a minute.
    pub page_timeout: Duration,
    /// Waits between attempts.
    pub backoff: BackoffOptions,
}

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            page_size: 500,
            consistent_lists: false,
            min_watch_timeout: Duration::from_secs(300),
            silence: Duration::from_secs(90),
            open_timeout: Duration::from_secs(15),
            page_timeout: Duration::from_secs(60),
            backoff: BackoffOptions::default(),
        }
    }
}
