//! Counters of a reflector.

/// Counters of a [`super::Reflector`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReflectorMetrics {
    /// Lists begun.
    pub lists: u64,
    /// Streaming lists begun: watches that begin with the whole state.
    pub watch_lists: u64,
    /// Lists of either kind begun after one had succeeded.
    pub relists: u64,
    /// Plain watches begun.
    pub watches: u64,
    /// Requests for the newest version, sent because the server had been unreachable or a watch was suspect.
    pub probes: u64,
    /// Watches that ended cleanly after messages, long before their timeout: an apiserver ends the watch of a client that
    /// reads too slowly without giving a reason. (A server that shuts down, or a proxy, may end watches the same way.)
    pub early_ends: u64,
    /// Times that an open watch was suspected to be dead.
    pub suspicions: u64,
    /// Suspicions that were refuted: the watch sent a message, or its successor showed that nothing had been missed.
    pub false_suspicions: u64,
    /// Events applied.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    /// Events and items left out because they could not be decoded.
    pub dropped: u64,
}
