//! The server as its clients see it: through HTTP.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should fail")]

mod access;
mod apply;
mod client;
mod cluster;
mod crd;
mod errors;
mod eviction;
mod forms;
mod list;
mod log_commands;
mod logs;
mod openapi;
mod program;
mod protobuf;
mod reviews;
mod serving;
mod shell;
mod watch;
mod writes;
