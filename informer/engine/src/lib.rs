//! Serves pages with informers: from a worker for all tabs, or from a page for one.
//!
//! An [`Engine`](engine::Engine) holds a [`SharedInformerFactory`](informer::SharedInformerFactory) for each apiserver, and
//! a [`Session`](engine::Session) for each page, which speaks the messages of [`message`] over a port. What pages are shown
//! is made here: the [`columns`] of a resource, views of its rows, filtered and sorted by the language of [`Query`], indexes
//! by [`relations`], and [`snapshot`]s, so that a reload is not a relist.

pub mod columns;
pub mod engine;
#[cfg(target_arch = "wasm32")]
pub mod js;
pub mod message;
mod query;
pub mod relations;
pub mod snapshot;
pub mod storage;
mod value;
mod view;

pub use query::{Draft, Query, QueryError};
