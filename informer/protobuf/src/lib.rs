//! Protobuf of Kubernetes: lists and watch events, cut out of a stream, and objects converted to JSON text.
//!
//! The JSON is what the apiserver itself would have sent for the same object, byte for byte. It has the same members in the
//! same order, with the same escapes. A [`Schema`] maps field numbers to JSON names. It is text, written by reflection
//! over the Go types ([`schema.txt`](https://github.com/kube-informer/kube-informer/blob/main/informer/protobuf/schema.txt)),
//! so no code is generated for the 700 messages.
//!
//! `make schema` writes it, and random objects of all kinds as Go encodes them, for the tests. `tests/kube/compare-protobuf.mjs`
//! compares both forms of each built-in resource on a real apiserver.
//!
//! A separate crate, because it is built for speed and all other code for size, and cargo sets the optimisation level per
//! crate. It does no I/O and accepts any bytes without a panic.
//!
//! ```
//! use std::ops::ControlFlow;
//! use informer_protobuf::{JsonWriter, ListCutter, ListPiece, Schema};
//!
//! let schema = Schema::parse("kubernetes 1.36.3\n= core/v1 v1\nSecretReference+ name=1s namespace=2s\n")?;
//! let body = b"k8s\0\x0a\x19\x0a\x02v1\x12\x13SecretReferenceList\x12\x05\x12\x03\x0a\x01a";
//! let (mut cutter, mut message) = (ListCutter::new(1_000), None);
//! let (mut writer, mut json) = (JsonWriter::new(&schema), Vec::new());
//! for chunk in body.chunks(7) {
//!     cutter.push(chunk, &mut |piece| {
//!         match piece {
//!             ListPiece::Type(list) => message = schema.message(list.api_version, list.item_kind()),
//!             ListPiece::Metadata(_) => {}
//!             ListPiece::Item(item) => {
//!                 let written = message.and_then(|message| writer.write(message, None, item, &mut json).ok());
//!                 assert!(written.is_some());
//!             }
//!         }
//!         ControlFlow::Continue(())
//!     })?;
//! }
//! assert!(cutter.is_complete());
//! assert_eq!(json, br#"{"name":"a"}"#);
//! # Ok::<(), informer_protobuf::Error>(())
//! ```

// The other direction, for test servers.
#[cfg(feature = "encode")]
mod encode;
// What is wrong, and where.
mod error;
// Frames of a watch, from a stream.
mod frame;
// The JSON of a message.
mod json;
// The items of a list, from a stream.
mod list;
// The fields of each message, by number and in the order of JSON.
mod schema;
// The envelope of an object.
mod unknown;
// The event in a frame.
mod watch_event;
// The fields of a message, as the wire has them.
mod wire;

#[cfg(feature = "encode")]
pub use encode::{
    LIST_TAIL, encode, encode_list_head, encode_list_item, encode_unknown, encode_watch_event, list_item_bytes,
};
pub use error::{Error, ErrorKind, Result};
pub use frame::FrameDecoder;
pub use json::{JsonWriter, UnknownFields};
pub use list::{ListCutter, ListMeta, ListPiece};
#[cfg(feature = "encode")]
pub use schema::{Member, MemberCount, MemberType};
pub use schema::{MessageId, Schema};
pub use unknown::{MAGIC, TypeMeta, Unknown};
pub use watch_event::WatchEvent;

/// The text of the schema of all built-in kinds, for [`Schema::parse`].
pub const KUBERNETES: &str = include_str!("../schema.txt");
