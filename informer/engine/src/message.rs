//! Messages between a page and the engine.
//!
//! The engine may run in a worker, so messages are plain data. Whole objects cross as JSON text: turning each into
//! JavaScript objects through serde costs about forty times as much as `JSON.parse`. Identifiers (`informer`, `view`,
//! `follow`, `request`, `handler`) are chosen by the page and belong to its port.
//!
//! Over a port a message is `{type: "setWindow", view: 1, start: 0, end: 50}`, or the same as JSON text. The engine
//! sends text: a page decodes it with one `JSON.parse`, objects of the cluster included, and text crosses between
//! threads faster than objects. The engine needs no serde: `ToEngine::from_json`, `FromEngine::to_json`. Serde's own
//! form of these enums, `{setWindow: {view: 1, …}}` or `"wake"`, is for tests.

mod aggregate;
mod by_name;
mod change;
mod from_engine;
mod queue;
mod raw;
mod read;
mod recording;
mod search;
mod server;
mod to_engine;
mod view;
mod write;

use crate::columns::ColumnHeader;

pub use crate::order_by::OrderBy;
pub use crate::value_counts::{Facet, FacetValue, ValuesOptions};
pub use aggregate::{AggregateOp, AggregateOptions, AggregateValue};
pub use by_name::TextsByName;
pub use change::{ChangeKind, ChangeMessage, EventHandlerOptions};
pub use from_engine::FromEngine;
pub use informer::{InformerMode, InformerOptions, TransformOptions};
pub use queue::{QueueCall, QueueRequest, WorkQueueOptions};
pub use recording::{ChangesOptions, RecordingOptions, ViewRequest};
pub use search::SearchOptions;
pub use server::{BackoffMs, CredentialsMode, ServerOptions};
pub use to_engine::{Read, ToEngine};
pub use view::{QueryRejection, Row, ViewOptions};
pub(crate) use write::write_status;

/// Version of these messages. If two builds differ in it, the engine rejects the page.
pub const PROTOCOL_VERSION: u32 = 15;
