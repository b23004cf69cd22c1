//! Rows of a query, read in portions by a view of their own: the page's task stays short, however many rows there are.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use crate::client;
use crate::cluster::Informer;
use crate::plain;
use crate::rows::Row;
use crate::view::{OpenView, Query};

/// Number of rows of a portion.
const PORTION: usize = 1_000;

/// Number of rows that are read again with the next portion: rows may be inserted and removed meanwhile.
const OVERLAP: usize = 64;

/// Result of a read.
pub(super) enum Portion {
    /// Further rows, and how many there are in all.
    Rows(Vec<Row>, usize),
    /// No further rows.
    End,
    /// The query is invalid.
    Invalid,
}

/// View that is being read. Dropping it ends the read.
pub(super) struct RowReader(Rc<RefCell<Option<OpenView>>>);

impl Drop for RowReader {
    fn drop(&mut self) {
        close(&self.0);
    }
}

/// Closes a view in a later task, because a callback that is running must not be dropped.
fn close(view: &RefCell<Option<OpenView>>) {
    let view = view.take();
    wasm_bindgen_futures::spawn_local(async move { drop(view) });
}

struct Progress {
    /// First row of the requested window.
    start: usize,
    keys: HashSet<String>,
    is_over: bool,
}

/// Reads at most `limit` rows. Calls back for each portion, then once at the end.
pub(super) fn read(
    informer: &Informer,
    query: &Query,
    limit: usize,
    on_portion: impl Fn(Portion) + 'static,
) -> RowReader {
    let query = Query { counts: Vec::new(), ..query.clone() };
    let open = Rc::new(RefCell::new(None::<OpenView>));
    let open_view = Rc::clone(&open);
    let progress = RefCell::new(Progress { start: 0, keys: HashSet::new(), is_over: false });
    let view = informer.view(&query, PORTION, move |view| {
        let mut progress = progress.borrow_mut();
        if progress.is_over {
            return;
        }
        if view.error().is_some() {
            progress.is_over = true;
            close(&open_view);
            return on_portion(Portion::Invalid);
        }
        let snapshot = view.snapshot();
        let (total, start) = (snapshot.total() as usize, progress.start);
        let rows: Vec<client::Row> = snapshot.rows().iter().collect();
        let expected = (start + PORTION).min(total).saturating_sub(start);
        // The window of fewer rows than before begins earlier.
        let is_requested_window = snapshot.query().is_some() && (snapshot.start() as usize == start || total <= start);
        if !is_requested_window
            || (total > start && (rows.len() < expected || rows.iter().any(|row| row.is_undefined())))
        {
            return;
        }
        let room = limit.saturating_sub(progress.keys.len());
        let new = rows.iter().filter(|row| !row.gone() && progress.keys.insert(row.key())).take(room);
        let new: Vec<Row> = new.enumerate().map(|(at, row)| plain::row(start + at, row)).collect();
        let is_end = start + PORTION >= total || progress.keys.len() >= limit;
        progress.start = start + PORTION - OVERLAP;
        progress.is_over = is_end;
        let next = progress.start;
        drop(progress);
        on_portion(Portion::Rows(new, total));
        if is_end {
            close(&open_view);
            on_portion(Portion::End);
        } else if let Some(view) = open_view.borrow().as_ref() {
            view.set_window(next, next + PORTION);
        }
    });
    open.replace(view);
    RowReader(open)
}
