//! Text: the order in which people expect it, and a search that does not mind case.

mod collation;
mod fold;

pub use collation::collate;
pub use fold::contains_ignore_ascii_case;
