//! The server as its clients see it: through HTTP.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should fail")]

mod access;
mod apply;
mod client;
mod cluster;
mod crd;
mod errors;
mod forms;
mod list;
mod logs;
mod program;
mod protobuf;
mod serving;
mod watch;
mod writes;
