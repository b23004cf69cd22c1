//! Kind of an event, as faults distinguish them.

/// Annotation of the bookmark that ends the initial events.
pub(super) const INITIAL_END: &[u8] = b"k8s.io/initial-events-end";

/// Kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    Object,
    Bookmark,
    /// Bookmark that ends the initial events.
    InitialEnd,
}

/// Returns the first position of bytes in others.
pub(super) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}
