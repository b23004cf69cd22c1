//! Text: natural sort order, and case-insensitive search.

mod collation;
mod fold;

pub use collation::collate;
pub use fold::contains_ignore_ascii_case;
