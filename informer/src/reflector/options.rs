//! Options of a reflector.

use std::time::Duration;

use crate::backoff::BackoffOptions;
use crate::deadlines as limits;

/// Tunes a [`super::Reflector`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReflectorOptions {
    /// Objects in a page. `None`, as in client-go, asks for pages where that costs the server nothing, and for whole lists
    /// beside a version; `Some` asks for pages always.
    ///
    /// `None` begins with a page of 500 as client-go does, for the first rows, and goes on in pages of 2,000: nothing
    /// comes between a page and the next for as long as a round trip takes, which for 50,000 objects over a line of 50 ms
    /// adds up to five seconds in pages of 500 and to 1.3 in these. A page costs no memory here beyond what is kept of it.
    ///
    /// To ask for the next page as soon as its token is there, which in a typed list is before the items, would hide the
    /// round trip altogether. It would also take a second of the six connections that a browser has for one host, for all
    /// of the list, and leave a request behind that a page which breaks off makes useless: not done.
    pub page_size: Option<u32>,
    /// Whether to sync with streaming lists (client-go's `WatchListClient`, on there since 1.35).
    ///
    /// Off here: a watch cannot be compressed on the way to a browser, so a streaming list moves ten times the bytes of
    /// a paged one and takes twice as long, and its rows come all at the end. It is easier on an apiserver's memory.
    ///
    /// Without the crate's feature `watch-list` this counts for nothing.
    pub watch_list: bool,
    /// How long after the last initial event of a streaming list its end bookmark may take to come. A server that is
    /// slower than that is taken to send none.
    pub initial_events_timeout: Duration,
    /// Whether lists ask for the newest state, in pages, instead of version `"0"` and then the last version seen.
    ///
    /// client-go asks for versions, which a server answers from its watch cache, whole: `limit` is ignored then. Over
    /// a slow line a whole list is cut off by the server after a minute, and who waits for rows waits for all of them.
    /// Pages are there after 0.1 s each, and since Kubernetes 1.31 they come from the watch cache too.
    pub consistent_lists: bool,
    /// Whether the pages of the first list fill the cache as they come, instead of all at once after the last (which is
    /// client-go's way): for who would rather show what is there than wait. Synced comes with the last page in any case.
    /// A first list that breaks off leaves what came of it; the list after it is applied at once, like every relist.
    pub populate_by_page: bool,
    /// The most that a list, of either kind, or the cache as it grows by the watch, may come to, in bytes as
    /// [`crate::Keyed::size`] counts them. What goes beyond that ends the informer with an error that says so, before it
    /// ends the tab: a wasm memory has 4 GiB at most for everything, and where it is full there is nobody left to say why.
    pub max_bytes: u64,
    /// The lower bound of a watch's time; each is drawn from `[min, 2 * min)`. Five minutes as in client-go, where too
    /// less than that counts as that.
    pub min_watch_timeout: Duration,
    /// How long a watch may be silent before it is dead and is resumed. 90 s by default: a server that sends bookmarks does so
    /// each minute, so that is half a bookmark late; a half-open connection is found no later than this.
    pub silence_timeout: Duration,
    /// The same for a busy watch, one with news in at least four of the ten seconds before its last message: then it is suspect
    /// and is resumed, without an error. A steady watch, with news in nine of them, is suspect after a third of this. 10 s by
    /// default.
    ///
    /// That costs two small requests. The limit doubles with each needless suspicion, up to `silence_timeout`, and is halved
    /// again every ten minutes: a resource whose news come in bursts is checked a dozen times in an hour at most. A value that
    /// is no shorter than `silence_timeout` turns it off.
    pub busy_silence_timeout: Duration,
    /// How long a suspect watch (the machine slept, or the server refuses other requests) has to send a message before it is
    /// resumed. Each time is drawn from the second half of this, so that not all informers come back at once. 10 s by default.
    pub suspicion_timeout: Duration,
    /// How often a resource is listed that may be listed and not watched. Each time is drawn from this and a fifth more. 30 s
    /// by default.
    pub poll: Duration,
    /// When the watch of such a resource is tried again; twice as long later each time, up to an hour. 10 min by default.
    pub rewatch: Duration,
    /// How long the server may take to accept a watch or to answer a probe. 15 s by default.
    pub open_timeout: Duration,
    /// How long nothing may come of a page: a slow line is no reason to begin anew. The whole of it may take ten times as
    /// long. An apiserver itself gives up after a minute, but a proxy may take longer to pass its response on. 60 s by default.
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
            // As much as half of what there can be, for what is beside the objects is small.
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
    /// Objects in the first page, where pages are asked for.
    pub(super) fn first_limit(&self) -> u32 {
        self.page_size.unwrap_or(500)
    }

    /// Objects in each page after it.
    pub(super) fn limit(&self) -> u32 {
        self.page_size.unwrap_or(2_000)
    }
}
