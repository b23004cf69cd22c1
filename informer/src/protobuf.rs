//! Protobuf: access to the converter of responses in that format, whose code may have to be loaded first.

mod body;
mod converter;
mod list;
mod object;
mod watch;

use std::cell::Cell;

use futures::future::LocalBoxFuture;

use crate::transport::Body;

pub(crate) use body::{Conversion, Shape};

/// The code, as functions.
pub(crate) struct Code {
    /// Converts the body of a response to JSON.
    pub(crate) convert: fn(Body, Conversion) -> Body,
    /// Whether the kind at this path of the apiserver may have protobuf that can be converted.
    pub(crate) is_builtin: fn(&str) -> bool,
}

/// Loads the code and then calls [`provide_protobuf`]. Without success its end means that responses stay JSON.
pub type LoadProtobuf = fn() -> LocalBoxFuture<'static, ()>;

const CODE: &Code = &Code { convert: body::json_body, is_builtin };

thread_local! {
    /// `None` while it is not loaded.
    static LOADED: Cell<Option<&'static Code>> = const { Cell::new(if cfg!(feature = "protobuf") { Some(CODE) } else { None }) };
    static LOAD: Cell<Option<LoadProtobuf>> = const { Cell::new(None) };
}

/// Enables protobuf on this thread. Only for builds without the feature `protobuf`, whose code for it is loaded on demand.
pub fn provide_protobuf() {
    LOADED.set(Some(CODE));
}

/// Sets the function that loads the code. It is called when a list has more than one page, and the second page is requested when it
/// ends: for a short list JSON is cheaper than the code.
pub fn load_protobuf_with(load: LoadProtobuf) {
    LOAD.set(Some(load));
}

/// Returns the code, if it is loaded.
pub(crate) fn loaded() -> Option<&'static Code> {
    LOADED.get()
}

/// Loads the code; `None` if it is there or cannot be loaded.
pub(crate) fn load() -> Option<LocalBoxFuture<'static, ()>> {
    if loaded().is_some() { None } else { LOAD.get().map(|load| load()) }
}

/// Whether a path is of a group of Kubernetes itself: core, a group without a dot (apps, batch), or one of k8s.io. Of those, aggregated
/// metrics and the definitions of resources and APIs are not in the schema.
fn is_builtin(path: &str) -> bool {
    let group = path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let is_kubernetes = !group.contains('.') || group.ends_with(".k8s.io");
    is_kubernetes && !group.ends_with("metrics.k8s.io") && !group.starts_with("api")
}
