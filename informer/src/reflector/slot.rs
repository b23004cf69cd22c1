//! Connection slot: whether the request in flight has one of the few connections.

/// Whether the request in flight has a connection. A browser opens six to one host at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// It has been sent.
    Held,
    /// It is queued for a connection, so no response can be late.
    Queued,
}
