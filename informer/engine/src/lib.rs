//! Engine that serves pages with informers: from a worker for all tabs, or from a page for itself.
//!
//! An [`Engine`](engine::Engine) holds a [`SharedInformerFactory`](informer::SharedInformerFactory) for each apiserver,
//! and a [`Session`](engine::Session) for each page, which exchanges the messages of [`message`] over a port. This
//! crate computes what pages show: the [`columns`] of a resource, views of its rows, filtered and sorted by the
//! language of [`Query`], aggregates, indexes by [`relations`], and recorded changes ([`change_log`]). It persists [`snapshot`]s, so that a reload is not a relist.

mod aggregate;
pub mod change_log;
pub mod columns;
pub mod engine;
#[cfg(target_arch = "wasm32")]
pub mod js;
pub mod message;
mod order_by;
mod query;
pub mod relations;
mod report_timer;
mod search;
pub mod snapshot;
pub mod storage;
mod value;
mod value_counts;
mod view;

pub use order_by::OrderBy;
pub use query::{Draft, Query, QueryError};
pub use value_counts::{Facet, FacetValue, ValuesOptions};
