//! Early mark: a row that is marked while the code of the marks is still being loaded.

use leptos::prelude::*;

use super::model::Model;
use crate::loading;

/// Marks a row, or removes its mark. The code of the marks takes over once it has loaded.
pub(super) fn mark_early(model: Model, key: String) {
    loading::load_now();
    model.marked.update(|marked| match marked.binary_search(&key) {
        Ok(at) => drop(marked.remove(at)),
        Err(at) => marked.insert(at, key),
    });
}
