//! Table model: the view, the received rows, and the slots that show them.

use leptos::html::Div;
use leptos::prelude::*;

use super::dom_order;
use super::order_freeze::OrderFreeze;
use super::pool::Slot;
use super::table_view::{TableView, ViewEvent, set_if_new};
use crate::cluster::Informer;
use crate::frame::{self, Painter};
use crate::layouts::Layouts;
use crate::positions::{self, Position, Positions};
use crate::rows::{Rows, Sight};
use crate::source::Source;
use crate::view::Query;
use crate::view_state::ViewState;

/// State of the table. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    /// State of the view, as reported by the engine.
    pub(crate) state: ViewState,
    order_freeze: StoredValue<OrderFreeze, LocalStorage>,
    /// Number of rows in the whole view, once known, including removed rows in frozen positions.
    pub(crate) row_count: RwSignal<Option<usize>>,
    /// Height of all rows in pixels.
    pub(crate) height: RwSignal<f64>,
    /// The pool.
    pub(crate) slots: RwSignal<Vec<Slot>>,
    /// Whether all rows have the same namespace, or none.
    pub(crate) one_namespace: Memo<bool>,
    /// Whether the server does not have the kind.
    pub(crate) kind_missing: Memo<bool>,
    /// Index of the row with the keyboard focus.
    pub(crate) focused: RwSignal<Option<usize>>,
    /// Its key: the focus belongs to the object and moves with it.
    focused_key: StoredValue<Option<String>>,
    /// Keys of the marked rows, sorted.
    pub(crate) marked: RwSignal<Vec<String>>,
    /// Whether the dialog of the export is open.
    pub(crate) export: RwSignal<bool>,
    rows: StoredValue<Rows>,
    /// The view, and the owner of the signals of the pool.
    fixed: StoredValue<(TableView, Option<Owner>)>,
    sight: StoredValue<Sight>,
    grid: NodeRef<Div>,
}

impl Model {
    /// Creates a model with a view of the source's informer. `query` is tracked.
    pub(super) fn new(
        query: impl Fn() -> Query + 'static,
        source: Source,
        state: ViewState,
        layouts: Layouts,
        grid: NodeRef<Div>,
    ) -> Self {
        let view = TableView::new(state);
        let model = Self {
            state,
            order_freeze: StoredValue::new_local(OrderFreeze::new(view)),
            row_count: RwSignal::new(None),
            height: RwSignal::new(0.0),
            slots: RwSignal::new(Vec::new()),
            one_namespace: source.one_namespace,
            kind_missing: source.kind_missing,
            focused: RwSignal::new(None),
            focused_key: StoredValue::new(None),
            marked: RwSignal::new(Vec::new()),
            export: RwSignal::new(false),
            rows: StoredValue::new(Rows::default()),
            fixed: StoredValue::new((view, Owner::current())),
            sight: StoredValue::new(Sight::default()),
            grid,
        };
        Effect::new(move |previous: Option<Option<Informer>>| {
            let informer = source.informer.get();
            let query = query();
            match &informer {
                Some(informer) => {
                    let stays = previous.flatten().as_ref() == Some(informer);
                    if stays && view.query().custom_columns == query.custom_columns {
                        view.change(query);
                        return Some(informer.clone());
                    }
                    if !stays {
                        // Another kind: the old rows are invalid.
                        model.clear_rows();
                    }
                    let end = model.sight.get_value().slots().max(64);
                    view.open(informer, query, end, stays, move |event| match event {
                        ViewEvent::Invalid(message) => drop(layouts.hide_rejected(&message)),
                        event => model.on_view_event(event),
                    });
                }
                None => view.close(),
            }
            informer
        });
        model
    }

    fn on_view_event(self, event: ViewEvent) {
        match event {
            ViewEvent::Rows(totals, window, rows) => self.rows.update_value(|known| known.patch(totals, &window, rows)),
            ViewEvent::ScrollToTop => self.start_at_top(),
            ViewEvent::Invalid(_) => {}
            // The package calls within a frame: waiting for the next one would delay the rows.
            ViewEvent::Done => frame::run_now(Painter::Table, move || self.paint()),
        }
    }

    fn clear_rows(self) {
        self.marked.set(Vec::new());
        self.rows.set_value(Rows::default());
        self.start_at_top();
        self.paint_soon();
    }

    /// Starts with other rows: at the top, unless Back or Forward returned to them.
    fn start_at_top(self) {
        self.focus(None);
        positions::with(Positions::start_rows);
        if let Some(grid) = self.grid.get_untracked() {
            grid.set_scroll_top(0);
        }
    }

    /// Reads the sizes after the grid was resized.
    pub(crate) fn measure(self, grid: &web_sys::HtmlElement) {
        let row = window()
            .get_computed_style(grid)
            .ok()
            .flatten()
            .and_then(|style| style.get_property_value("--row-height").ok())
            .map(|height| js_sys::parse_float(&height))
            .filter(|height| height.is_finite())
            .unwrap_or(32.0);
        self.sight.update_value(|sight| {
            sight.row = row;
            sight.height = f64::from(grid.client_height());
        });
        self.paint_soon();
    }

    /// Reads the height of the rows again, which has changed. The first visible row stays in its place.
    pub(crate) fn resize_rows(self) {
        let Some(grid) = self.grid.get_untracked() else { return };
        let first = f64::from(grid.scroll_top()) / self.sight.get_value().row;
        self.measure(&grid);
        // After the next paint, which gives the canvas its height.
        request_animation_frame(move || {
            if let Some(sight) = self.sight.try_get_value() {
                #[expect(clippy::cast_possible_truncation, reason = "a position in pixels")]
                grid.set_scroll_top((first * sight.row).round() as i32);
            }
        });
    }

    /// Returns the freeze state of the rows.
    pub(crate) fn order_freeze(self) -> OrderFreeze {
        self.order_freeze.get_value()
    }

    /// Paints changes in the next frame.
    pub(crate) fn paint_soon(self) {
        frame::request(Painter::Table, move || self.paint());
    }

    fn paint(self) {
        let Some(grid) = self.grid.get_untracked() else { return };
        // Layout is read before anything is written, so the browser computes it once.
        self.sight.update_value(|sight| sight.top = f64::from(grid.scroll_top()));
        let sight = self.sight.get_value();
        let (totals, row_count) = self.rows.with_value(|rows| (rows.totals(), rows.row_count()));
        let window = sight.window(row_count.unwrap_or(usize::MAX / 2));
        self.resize_pool(sight.slots());
        set_if_new(self.state.totals, totals);
        set_if_new(self.row_count, row_count);
        // The canvas gets its height after this paint: until then it has the previous height.
        let height = row_count.map_or(sight.height, |row_count| row_count as f64 * sight.row);
        let has_height = self.height.get_untracked().to_bits() == height.to_bits();
        set_if_new(self.height, height);
        self.set_window(row_count, window.start, window.end);
        self.follow_focus();
        self.restore(&grid, has_height && row_count.is_some());
        let slots = self.slots.get_untracked();
        let count = slots.len().max(1);
        if let Some(canvas) = grid.last_element_child()
            && !dom_order::establish(&canvas, &slots, window.start % count)
        {
            self.paint_soon();
        }
        self.rows.with_value(|rows| {
            for slot in slots {
                // The one index in the window for this slot: rows keep their slots while scrolling.
                let first = window.start + (slot.number + count - window.start % count) % count;
                let index = Some(first).filter(|index| *index < window.end);
                let row = index.and_then(|index| rows.get(index)).cloned();
                set_if_new(slot.index, index);
                set_if_new(slot.row, row);
            }
        });
    }

    /// Records the position of the table.
    fn record(self, grid: &web_sys::HtmlElement) {
        let row = self.focused.get_untracked().map(|index| (index, self.focused_key.get_value()));
        positions::with(|positions| positions.record(Position { top: grid.scroll_top(), row }));
    }

    /// Restores the position of this entry of the history once its rows are laid out, or records it.
    fn restore(self, grid: &web_sys::HtmlElement, is_laid_out: bool) {
        let position_to_restore = positions::with(|positions| positions.to_restore()).flatten();
        let Some(Position { top, row }) = position_to_restore else { return self.record(grid) };
        // The user may have moved on meanwhile.
        let moved = grid.scroll_top() > 0 || self.focused.get_untracked().is_some();
        if !moved && !is_laid_out {
            // Without rows, the next message of the engine paints.
            if self.row_count.get_untracked().is_some() {
                self.paint_soon();
            }
            return;
        }
        let synced = self.state.totals.get_untracked().is_some_and(|totals| totals.synced);
        if !moved && !synced && grid.scroll_height() - grid.client_height() < top {
            return;
        }
        positions::with(Positions::mark_restored);
        if !moved {
            grid.set_scroll_top(top);
            if let Some((index, key)) = row {
                self.focused_key.set_value(key);
                set_if_new(self.focused, Some(index));
            }
            self.paint_soon();
        }
        // At once: the next history step may come before the next paint.
        self.record(grid);
    }

    fn set_window(self, row_count: Option<usize>, start: usize, end: usize) {
        if row_count.is_some() {
            // A short view may grow: its window is as large as the pool.
            self.fixed
                .with_value(|(view, _)| *view)
                .set_window(start, end.max(start + self.slots.with_untracked(Vec::len)));
        }
    }

    fn resize_pool(self, count: usize) {
        if self.slots.with_untracked(Vec::len) == count {
            return;
        }
        // The table owns the signals, rather than the running effect, which would dispose of them.
        let Some(owner) = self.fixed.with_value(|(_, owner)| owner.clone()) else { return };
        owner.with(|| {
            self.slots.update(|slots| {
                while slots.len() < count {
                    let number = slots.len();
                    slots.push(Slot { number, index: RwSignal::new(None), row: RwSignal::new(None) });
                }
                for slot in slots.drain(count..) {
                    slot.index.dispose();
                    slot.row.dispose();
                }
            });
        });
    }

    /// Moves the focus with its object when rows are inserted before it.
    fn follow_focus(self) {
        let Some(focused) = self.focused.get_untracked() else { return };
        let last = self.rows.with_value(Rows::row_count).unwrap_or(0).saturating_sub(1);
        let key = self.focused_key.get_value();
        let index = self.rows.with_value(|rows| key.as_ref().and_then(|key| rows.index_of(key)));
        let index = index.unwrap_or_else(|| focused.min(last));
        if key.is_none() {
            self.focused_key.set_value(self.key_at(index));
        }
        set_if_new(self.focused, Some(index));
    }

    /// Moves the focus to an index, or removes it.
    pub(crate) fn focus(self, index: Option<usize>) {
        self.focused_key.set_value(index.and_then(|index| self.key_at(index)));
        set_if_new(self.focused, index);
        // At once: the next key may leave this entry of the history. A position to restore is not overwritten.
        if let (Some(_), Some(grid)) = (index, self.grid.get_untracked()) {
            positions::with(Positions::mark_restored);
            self.record(&grid);
        }
    }

    /// Returns the key of a row, if it is loaded.
    fn key_at(self, index: usize) -> Option<String> {
        self.rows.with_value(|rows| rows.get(index).map(|row| row.key.clone()))
    }

    /// Returns the index of a key, if its row is loaded.
    pub(crate) fn index_of(self, key: &str) -> Option<usize> {
        self.rows.with_value(|rows| rows.index_of(key))
    }

    /// Returns the query of the rows.
    pub(crate) fn query(self) -> Query {
        self.fixed.with_value(|(view, _)| view.query())
    }

    /// Returns the key of a row that can be opened: it is loaded, and its object exists.
    pub(crate) fn openable(self, index: usize) -> Option<String> {
        self.rows.with_value(|rows| rows.get(index).filter(|row| !row.gone).map(|row| row.key.clone()))
    }

    /// Moves the focus to the row of a key, if it is loaded.
    pub(crate) fn focus_key(self, key: &str) {
        if let Some(index) = self.index_of(key) {
            self.focus(Some(index));
        }
    }

    /// Returns the indexes that are completely visible.
    pub(crate) fn in_sight(self) -> std::ops::Range<usize> {
        let top = self.grid.get_untracked().map_or(0, |grid| grid.scroll_top());
        Sight { top: f64::from(top), ..self.sight.get_value() }.whole_rows()
    }

    /// Scrolls until a row is visible.
    pub(crate) fn reveal(self, index: usize) {
        let Some(grid) = self.grid.get_untracked() else { return };
        let sight = self.sight.get_value();
        let top = index as f64 * sight.row;
        // The header covers the first row height of the grid.
        let room = sight.height - 2.0 * sight.row;
        let scrolled = f64::from(grid.scroll_top());
        let target = if top < scrolled { top } else { scrolled.max(top - room) };
        #[allow(clippy::cast_possible_truncation)]
        grid.set_scroll_top(target.ceil() as i32);
    }

    /// Returns the number of rows per page.
    pub(crate) fn page(self) -> usize {
        self.sight.get_value().rows().saturating_sub(3).max(1)
    }
}
