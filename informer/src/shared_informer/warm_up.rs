//! Warm start data: the persisted objects that an informer starts with instead of a list.

use std::sync::Arc;

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

/// Persisted objects of an informer.
pub struct WarmStart<T> {
    /// All objects, in batches that are delivered at once. After an error, all of them are invalid.
    pub batches: LocalBoxStream<'static, Result<Vec<Arc<T>>, ()>>,
    /// Resource version of the objects.
    pub resource_version: String,
    /// Time at which they were current, in milliseconds since the Unix epoch.
    pub taken_at: f64,
    /// Resolves with whether the source is still the one that the objects came from. Until then they are shown as
    /// stale.
    pub verdict: LocalBoxFuture<'static, Verdict>,
}

/// Future of a warm start; `None` without persisted objects. A late result is dropped.
pub type WarmUp<T> = LocalBoxFuture<'static, Option<WarmStart<T>>>;

/// Result of comparing the source with that of the persisted objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same source.
    Same,
    /// Unknown at the moment: a list is necessary.
    Unknown,
    /// Another source.
    Other,
}
