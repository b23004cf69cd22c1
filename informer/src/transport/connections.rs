//! Connections: how many connections to a host are in use, and how many requests wait for one.

/// Use of the connections to one host, by all informers and pages of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// Whether requests share one connection (HTTP/2 and later); then the limits do not apply.
    pub multiplexed: bool,
    /// Streams over HTTP. Those over WebSockets are not counted, because they have connections of their own.
    pub streams: ConnectionUse,
    /// Requests with a finite response: pages of lists and probes.
    pub requests: ConnectionUse,
}

/// Use of one share of the connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionUse {
    /// Connections in use.
    pub used: usize,
    /// Maximum number of connections.
    pub limit: usize,
    /// Requests that wait for a connection.
    pub queued: usize,
}
