//! Options of a reflector.

use std::time::Duration;

use crate::backoff::BackoffOptions;
use crate::deadlines as limits;

/// Options of a [`super::Reflector`]. The defaults of time limits are in [`crate::deadlines`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReflectorOptions {
    /// Objects per page. `None`, the default and client-go's, requests pages where they cost the server nothing, and whole
    /// lists beside a version; `Some` always requests pages.
    ///
    /// `None` begins with a page of 500 as client-go does, for the first rows, and continues with pages of 2,000. Between
    /// two pages lies a round trip: for 50,000 objects over a line of 50 ms that is five seconds in pages of 500, and 1.3 in
    /// pages of 2,000. A page costs no memory beyond what the cache keeps of it.
    ///
    /// The next page is requested only when the page is complete, although its token arrives first. An earlier request
    /// would hide the round trip, but occupy a second of a browser's six connections for the whole list, and be useless if
    /// the page breaks off.
    pub page_size: Option<u32>,
    /// Whether lists are streaming lists (client-go's `WatchListClient`, its default since 1.35). `false` by default: a watch
    /// cannot be compressed on the way to a browser, so a streaming list moves ten times the bytes of a paged one, takes
    /// twice as long, and delivers all rows at the end. It needs less memory in the apiserver.
    ///
    /// Without the crate's feature `watch-list` this has no effect.
    pub watch_list: bool,
    /// Timeout of the end bookmark of a streaming list, from its last initial event. After it a list replaces
    /// the stream, and lists are plain for ten minutes, longer after each further miss. 30 s by default.
    pub initial_events_timeout: Duration,
    /// Whether lists request the newest state, in pages, instead of version `"0"` and then the last version seen. `false` by
    /// default, as in client-go.
    ///
    /// A server serves a list at a version from its watch cache, as a whole: it ignores `limit`. Over a slow line such a
    /// list is cut off after a minute, and no row is available before the last. A page takes 0.1 s, and since Kubernetes
    /// 1.31 pages are served from the watch cache too.
    pub consistent_lists: bool,
    /// Whether the pages of the first list fill the cache as they arrive, instead of all at once after the last (as in
    /// client-go). `false` by default. The informer is synced after the last page in any case. A first list that breaks off
    /// leaves its pages in the cache; the list after it is applied at once, like every relist.
    pub populate_by_page: bool,
    /// Maximum memory of a list or of the growing cache, in bytes as [`crate::Keyed::size`] counts them. Beyond it the
    /// informer fails with an error, before the tab crashes: a wasm memory has at most 4 GiB for everything, and once it is
    /// full no error can be shown. 2 GiB by default in wasm, no limit natively.
    pub max_bytes: u64,
    /// Lower bound of a watch's timeout; each is drawn from `[min, 2 * min)`. 5 min by default, as in client-go; a smaller
    /// value counts as that.
    pub min_watch_timeout: Duration,
    /// Silence after which a watch is dead and is resumed. 90 s by default: a server that sends bookmarks does so each
    /// minute, so the bookmark is half an interval late. A half-open connection is found no later than this.
    pub silence_timeout: Duration,
    /// The same for a busy watch, one with changes in at least four of the ten seconds before its last message: then it is
    /// suspect and is resumed, without an error. A steady watch, with changes in nine of them, is suspect after a third of
    /// this. 10 s by default.
    ///
    /// A suspicion costs two small requests. The limit doubles with each false suspicion, up to `silence_timeout`, and is
    /// halved again every ten minutes: a resource that changes in bursts is checked a dozen times in an hour at most. A
    /// value that is not shorter than `silence_timeout` disables it.
    pub busy_silence_timeout: Duration,
    /// How long a suspect watch (the machine slept, or the server refuses other requests) has to send a message before it is
    /// resumed. Each time is drawn from the second half of this, so that not all informers come back at once. 10 s by default.
    pub suspicion_timeout: Duration,
    /// Interval of lists of a resource that cannot be watched. Each interval is drawn from this and a fifth more. 30 s by
    /// default.
    pub poll: Duration,
    /// Delay before the watch of such a resource is retried; doubles each time, up to an hour. 10 min by default.
    pub rewatch: Duration,
    /// Timeout for the response to a watch or a probe. 15 s by default.
    pub open_timeout: Duration,
    /// Timeout of a page that sends nothing; a slow page that keeps arriving may take ten times as long. An apiserver
    /// itself gives up after a minute, but a proxy may take longer to forward its response. 60 s by default.
    pub page_timeout: Duration,
    /// Pauses between attempts.
    pub backoff: BackoffOptions,
}

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            page_size: None,
            watch_list: false,
            initial_events_timeout: limits::INITIAL_EVENTS_TIMEOUT,
            consistent_lists: false,
            populate_by_page: false,
            // Half of the address space, because everything else in memory is small.
            max_bytes: if cfg!(target_arch = "wasm32") { 2 << 30 } else { u64::MAX },
            min_watch_timeout: limits::MIN_WATCH_TIMEOUT,
            silence_timeout: limits::SILENCE_TIMEOUT,
            busy_silence_timeout: limits::BUSY_SILENCE_TIMEOUT,
            suspicion_timeout: limits::SUSPICION_TIMEOUT,
            poll: limits::POLL,
            rewatch: limits::REWATCH,
            open_timeout: limits::OPEN_TIMEOUT,
            page_timeout: limits::PAGE_TIMEOUT,
            backoff: BackoffOptions::default(),
        }
    }
}

impl ReflectorOptions {
    /// Objects in the first page of a paged list.
    pub(super) fn first_limit(&self) -> u32 {
        self.page_size.unwrap_or(500)
    }

    /// Objects in each page after it.
    pub(super) fn limit(&self) -> u32 {
        self.page_size.unwrap_or(2_000)
    }
}
