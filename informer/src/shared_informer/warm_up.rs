//! What an informer may begin with instead of a list.

use std::sync::Arc;

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

/// What an informer begins with.
pub struct WarmStart<T> {
    /// All that there was, in batches that are told of at once. With an error nothing of it counts.
    pub batches: LocalBoxStream<'static, Result<Vec<Arc<T>>, ()>>,
    /// At this version.
    pub resource_version: String,
    /// As of this moment, in milliseconds since the Unix epoch.
    pub taken_at: f64,
    /// Whether it was there, where the informer's source is. Meanwhile the objects are shown as old ones.
    pub verdict: LocalBoxFuture<'static, Verdict>,
}

/// With nothing if there is nothing to begin with. What comes too late is dropped.
pub type WarmUp<T> = LocalBoxFuture<'static, Option<WarmStart<T>>>;

/// Whether what is known of a source is about the source that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Same,
    /// It cannot be found out now: only a list tells.
    Unknown,
    /// It is not.
    Other,
}
