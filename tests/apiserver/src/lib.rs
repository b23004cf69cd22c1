//! An embedded, in-memory Kubernetes apiserver and cluster simulator, exact about list and watch.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! let server = apiserver::Server::builder().pods(200).churn(20).start().await?;
//! println!("{}/api/v1/pods", server.url());
//! server.stop().await;
//! # Ok(())
//! # }
//! ```

mod accept;
mod access;
mod address;
mod admin;
mod api;
mod body;
mod bookmarks;
mod builder;
mod clock;
mod cluster;
mod continue_token;
mod crd;
mod custom_values;
mod defaults;
mod delete;
mod discovery;
mod ephemeral;
mod event;
mod eviction;
#[cfg(feature = "sockets")]
mod exec;
mod fault;
mod field_selector;
mod field_set;
mod gzip;
mod history;
mod json_patch;
mod kinds;
mod label_selector;
mod labels;
mod list;
mod list_options;
mod log;
mod managed_fields;
mod metrics;
mod names;
mod object;
mod openapi;
mod patch;
mod preconditions;
mod protobuf;
mod pruning;
mod query;
mod rbac;
mod replace;
mod reply;
mod reviews;
mod routes;
mod scale;
mod selection;
#[cfg(feature = "sockets")]
mod server;
mod simulator;
mod status;
mod store;
mod strategic_patch;
mod strategy;
mod syntax;
mod table;
mod tasks;
mod typed;
mod typed_patch;
mod validation;
mod view;
mod watch;
#[cfg(feature = "sockets")]
mod websocket;
mod write;
mod write_options;

pub use access::{Access, AccessRule};
pub use axum;
pub use builder::Builder;
pub use cluster::Cluster;
pub use fault::{ActiveFault, Fault, FaultAction, FaultVerb, Inside};
pub use log::{LogAction, LogCommand, LogStyle};
#[cfg(feature = "sockets")]
pub use server::Server;
pub use status::Status;
