//! Containers of values with small integer ids: a hash table, an order with ranks (a treap), type-independent sorts.

mod ranked;
mod slots;
mod sorting;

pub use ranked::Ranked;
pub use slots::{Slots, hash};
pub use sorting::{Keys, bucket_sort, mark, sorted_by_number};
