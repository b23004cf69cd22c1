//! Rows of a query, read in portions by a view of their own: the page's task stays short, however many rows there are.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use crate::client;
use crate::cluster::Informer;
use crate::plain;
use crate::rows::Row;
use crate::view::{OpenView, Query};

/// Rows of a portion.
const PORTION: usize = 1_000;

/// Rows that are read again with the next portion: rows may be inserted and removed meanwhile.
const OVERLAP: usize = 64;

/// What a reader gets.
pub(super) enum Portion {
    /// Further rows, and how many there are in all.
    Rows(Vec<Row>, usize),
    /// There are no more.
    End,
    /// The query is invalid.
    Invalid,
}

/// A view that is being read. Dropping it ends that.
pub(super) struct Reading(Rc<RefCell<Option<OpenView>>>);

impl Drop for Reading {
    fn drop(&mut self) {
        close(&self.0);
    }
}

/// Closes a view. Not at once: it drops what may be being called.
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

/// Reads at most `most` rows. Calls back for each portion, then once at the end.
pub(super) fn read(informer: &Informer, query: &Query, most: usize, on: impl Fn(Portion) + 'static) -> Reading {
    let query = Query { counts: Vec::new(), ..query.clone() };
    let open = Rc::new(RefCell::new(None::<OpenView>));
    let held = Rc::clone(&open);
    let progress = RefCell::new(Progress { start: 0, keys: HashSet::new(), is_over: false });
    let view = informer.view(&query, PORTION, move |view| {
        let mut progress = progress.borrow_mut();
        if progress.is_over {
            return;
        }
        if view.error().is_some() {
            progress.is_over = true;
            close(&held);
            return on(Portion::Invalid);
        }
        let snapshot = view.snapshot();
        let (total, start) = (snapshot.total() as usize, progress.start);
        let rows: Vec<client::Row> = snapshot.rows().iter().collect();
        let wanted = (start + PORTION).min(total).saturating_sub(start);
        // The window of fewer rows than before begins earlier.
        let is_here = snapshot.query().is_some() && (snapshot.start() as usize == start || total <= start);
        if !is_here || (total > start && (rows.len() < wanted || rows.iter().any(|row| row.is_undefined()))) {
            return;
        }
        let room = most.saturating_sub(progress.keys.len());
        let new = rows.iter().filter(|row| !row.gone() && progress.keys.insert(row.key())).take(room);
        let new: Vec<Row> = new.enumerate().map(|(at, row)| plain::row(start + at, row)).collect();
        let is_end = start + PORTION >= total || progress.keys.len() >= most;
        progress.start = start + PORTION - OVERLAP;
        progress.is_over = is_end;
        let next = progress.start;
        drop(progress);
        on(Portion::Rows(new, total));
        if is_end {
            close(&held);
            on(Portion::End);
        } else if let Some(view) = held.borrow().as_ref() {
            view.set_window(next, next + PORTION);
        }
    });
    open.replace(view);
    Reading(open)
}
