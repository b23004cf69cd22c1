//! Connection slot of the request in flight: granted or queued for.

/// Whether the request in flight has a connection. A browser opens six to one host at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// It has one, and has been sent.
    Granted,
    /// It is queued for a connection, so no response can be late.
    Queued,
}
