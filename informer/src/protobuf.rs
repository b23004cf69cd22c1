//! Protobuf: access to the converter of responses in that format, whose code may have to be loaded first.

mod body;
mod converter;
mod list;
mod object;
mod watch;

use std::cell::Cell;

use futures::future::LocalBoxFuture;

use crate::transport::Body;

pub(crate) use body::{BodyKind, Conversion};

/// Converts the body of a response to JSON.
type Convert = fn(Body, Conversion) -> Body;

/// Loads the code and then calls [`provide_protobuf`]. Without success its end means that responses stay JSON.
pub type LoadProtobuf = fn() -> LocalBoxFuture<'static, ()>;

#[cfg(feature = "protobuf")]
const BY_DEFAULT: Option<Convert> = Some(body::json_body);

#[cfg(not(feature = "protobuf"))]
const BY_DEFAULT: Option<Convert> = None;

thread_local! {
    /// `None` while it is not loaded.
    static LOADED: Cell<Option<Convert>> = const { Cell::new(BY_DEFAULT) };
    /// `None` after the first call.
    static LOAD: Cell<Option<LoadProtobuf>> = const { Cell::new(None) };
}

/// Enables protobuf on this thread. Only for builds without the feature `protobuf`, whose code for it is loaded on demand.
pub fn provide_protobuf() {
    LOADED.set(Some(body::json_body));
}

/// Sets the function that loads the code, for one attempt: when a list of a built-in kind has more than one page; the second page
/// is requested when it has ended. For a short list JSON is cheaper than the code.
pub fn load_protobuf_with(load: LoadProtobuf) {
    LOAD.set(Some(load));
}

/// Returns the converter, if it is loaded.
pub(crate) fn loaded() -> Option<Convert> {
    LOADED.get()
}

/// Loads the code; `None` if it is loaded, being loaded, or cannot be loaded. A failure is not repeated: it would delay each list.
pub(crate) fn load() -> Option<LocalBoxFuture<'static, ()>> {
    if loaded().is_some() { None } else { LOAD.take().map(|load| load()) }
}

/// Whether a path is of a group of Kubernetes itself: core, a group without a dot (apps, batch), or one of k8s.io. The schema lacks some
/// of them (definitions of resources, aggregated metrics): their first response says so, and JSON is requested again.
pub(crate) fn is_builtin(path: &str) -> bool {
    let group = path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    !group.contains('.') || group.ends_with(".k8s.io")
}

/// Removes the code, as if it had not been loaded.
#[cfg(test)]
pub(crate) fn unload() {
    LOADED.set(None);
}
