//! Lines of container logs, as a log viewer shows them: a bounded store, levels, ANSI colours, search and filter.
//!
//! ```
//! use log_lines::{Batch, Filter, Limits, Pattern, Selection, Store};
//!
//! let mut store = Store::new(Limits::default());
//! let times = "2026-01-02T03:04:05.6Z\n2026-01-02T03:04:05.7Z";
//! store.append(&Batch::new("level=warn slow\nlevel=info fast", times, "[2,[],[]]").expect("two of each"));
//! let mut selection = Selection::new(Pattern::text("SLOW", false), Filter::default());
//! assert!(selection.advance(&store, || true));
//! assert_eq!(selection.matches(), 1);
//! ```
//!
//! The crate is pure: no browser, no clock. Text from a container is untrusted: [`pieces`] returns text with classes, and
//! control characters as pictures.

mod ansi;
mod batch;
mod block;
mod fields;
mod level;
mod packing;
mod pattern;
mod pieces;
mod selection;
mod store;
mod time;

pub use ansi::{Style, plain};
pub use batch::Batch;
pub use fields::{Field, fields, may_open};
pub use level::{Level, level_of};
pub use pattern::{Pattern, PatternError};
pub use pieces::{Piece, pieces};
pub use selection::{Filter, Selection};
pub use store::{Limits, Line, Source, Store};
pub use time::{Time, parse};
