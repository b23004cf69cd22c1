//! Tables of many things that go by numbers: a hash table, an order with ranks (a treap), sorts that know no types.

mod ranked;
mod slots;
mod sorting;

pub use ranked::Ranked;
pub use slots::{Slots, hash};
pub use sorting::{Keys, bucket_sort, mark, sorted_by_number};
