//! Keys of rows that the page has not loaded, by a second view with the same query.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use crate::cluster::Informer;
use crate::view::{OpenView, Query};

/// Number of rows that are requested above and below a range: both of its ends may have moved meanwhile.
pub(super) const MARGIN: usize = 64;

/// Pending request for keys. Dropping it ends it.
pub(super) struct Collection(Rc<RefCell<Option<OpenView>>>);

impl Drop for Collection {
    fn drop(&mut self) {
        close(&self.0);
    }
}

/// Closes a view in a later task, because a callback that is running must not be dropped.
fn close(view: &RefCell<Option<OpenView>>) {
    let view = view.take();
    wasm_bindgen_futures::spawn_local(async move { drop(view) });
}

/// Calls back once with the keys of the rows of a window, as far as there are rows; with none if the query is rejected.
pub(super) fn keys(
    informer: &Informer,
    query: &Query,
    window: Range<usize>,
    then: impl FnOnce(Option<Vec<String>>) + 'static,
) -> Collection {
    let query = Query { counts: Vec::new(), ..query.clone() };
    // The view, until its rows have arrived.
    let open = Rc::new(RefCell::new(None::<OpenView>));
    let (pending_view, Range { start, end }) = (Rc::clone(&open), window);
    let then = RefCell::new(Some(then));
    let view = informer.view(&query, end, move |view| {
        let snapshot = view.snapshot();
        let rows = snapshot.rows();
        let expected_rows = end.min(snapshot.total() as usize).saturating_sub(start);
        let is_here = snapshot.query().is_some() && snapshot.start() as usize == start;
        let is_short =
            !is_here || (rows.length() as usize) < expected_rows || rows.iter().any(|row| row.is_undefined());
        let is_rejected = view.error().is_some();
        if is_short && !is_rejected {
            return;
        }
        let keys = (!is_rejected).then(|| rows.iter().map(|row| row.key()).collect());
        if let Some(then) = then.take() {
            then(keys);
        }
        close(&pending_view);
    });
    if let Some(view) = view.as_ref().filter(|_| start > 0) {
        view.set_window(start, end);
    }
    open.replace(view);
    Collection(open)
}
