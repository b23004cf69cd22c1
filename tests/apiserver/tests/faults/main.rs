//! Every fault, observed on the wire.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should fail")]

mod address;
mod admin;
mod cluster;
mod events;
mod limits;
mod protobuf;
mod raw;
mod requests;
mod streams;
mod websocket;
