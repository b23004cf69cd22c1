//! The view behind the table: what was asked of the engine, and how it answered.

use std::ops::Range;

use informer_engine::message::{Facet, Row, ToEngine, ViewOptions, WishRefusal};
use leptos::prelude::*;

use super::wishes::{Wanted, Wishes};
use crate::engine::{Engine, ViewMessage};
use crate::frame::{self, Painter};
use crate::rows::Totals;
use crate::view_state::{Counted, Refusal, ViewState};

/// What the table must act on.
pub(super) enum Answer {
    /// Rows of the window.
    Rows(Totals, Range<usize>, Vec<Row>),
    /// The rows are others now: the first of them is what there is to see.
    FromTheTop,
    /// The engine has judged what was asked: the window is the table's to move again.
    Judged,
}

/// The view. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct LiveView {
    engine: Engine,
    pub(super) state: ViewState,
    /// Informer and view.
    id: StoredValue<Option<(u32, u32)>>,
    window: StoredValue<(usize, usize)>,
    wishes: StoredValue<Wishes>,
}

impl LiveView {
    /// None yet.
    pub(super) fn new(engine: Engine, state: ViewState) -> Self {
        Self {
            engine,
            state,
            id: StoredValue::new(None),
            window: StoredValue::new((0, 0)),
            wishes: StoredValue::new(Wishes::default()),
        }
    }

    /// Opens a view of an informer in place of the one before, of which nothing is true any more.
    pub(super) fn open(self, informer: u32, wanted: Wanted, end: usize, on_answer: impl Fn(Answer) + 'static) {
        self.close();
        self.window.set_value((0, end));
        self.wishes.set_value(Wishes::of_view(wanted.clone()));
        let Wanted { filter, order_by, facets, namespaces } = wanted;
        let options = ViewOptions { filter, order_by, facets, namespaces, end, ..ViewOptions::default() };
        let view = self.engine.open_view(informer, options, move |message| match message {
            ViewMessage::Columns(columns) => set_if_new(self.state.columns, columns),
            ViewMessage::Patch { wish, totals, window, rows } => {
                self.granted(wish, &on_answer);
                on_answer(Answer::Rows(totals, window, rows));
            }
            ViewMessage::Facets { wish, facets } => {
                self.granted(wish, &on_answer);
                self.counted(informer, facets);
            }
            ViewMessage::Answered { wish, refusal } => {
                if refusal.is_none() {
                    self.granted(wish, &on_answer);
                }
                self.judged(wish, refusal);
                on_answer(Answer::Judged);
            }
        });
        self.id.set_value(Some((informer, view)));
        self.state.view.set(Some(view));
    }

    /// Ends the view, and forgets what was said of it.
    pub(super) fn close(self) {
        if let Some((_, view)) = self.id.get_value() {
            self.engine.close_view(view);
        }
        self.id.set_value(None);
        self.wishes.set_value(Wishes::default());
        self.state.view.set(None);
        self.state.columns.set(Vec::new());
        self.state.counted.set(Counted::default());
        self.state.filter.set(String::new());
        set_if_new(self.state.refused, None);
        set_if_new(self.state.held, false);
    }

    /// Asks for something else, if it is something else. Its rows stay in sight until the engine has answered, and if it
    /// refuses.
    pub(super) fn change(self, wanted: Wanted) {
        let Some((_, view)) = self.id.get_value().filter(|_| self.wishes.with_value(|wishes| *wishes.last() != wanted))
        else {
            return;
        };
        let (start, end) = self.window.get_value();
        let window = self.wishes.with_value(|wishes| wishes.are_others(&wanted)).then_some(0..end - start);
        let wish = self.wishes.try_update_value(|wishes| wishes.wish(wanted.clone(), window.clone()));
        let Some(wish) = wish else { return };
        let Wanted { filter, order_by, facets, namespaces } = wanted;
        self.engine.send(&ToEngine::ChangeView { view, wish, filter, order_by, facets, namespaces, window });
    }

    /// Something came that is as this wish has it: if that is news, the wish is in force from here on. The table goes to
    /// the top before it takes the rows, both before the next frame, so that nobody sees a gap before the first of them.
    fn granted(self, wish: u32, on_answer: &impl Fn(Answer)) {
        let Some(granted) = self.wishes.try_update_value(|wishes| wishes.granted(wish)).flatten() else { return };
        set_if_new(self.state.filter, self.wishes.with_value(|wishes| wishes.in_force().filter.clone()));
        if let Some(Range { start, end }) = granted.window {
            self.window.set_value((start, end));
        }
        // Who asks for another order wants to see it.
        self.hold(false);
        if granted.others {
            on_answer(Answer::FromTheTop);
        }
    }

    /// Shows what came of a wish. While somebody types, only what came of the last letter is worth showing.
    fn judged(self, wish: u32, refusal: Option<WishRefusal>) {
        let refused = refusal.and_then(|WishRefusal { error, start, end }| {
            let Wanted { filter, .. } = self.wishes.try_update_value(|wishes| wishes.refused(wish)).flatten()?;
            Some(Refusal { filter, place: start..end, message: error.message })
        });
        if self.wishes.with_value(Wishes::are_answered) {
            set_if_new(self.state.refused, refused);
        }
    }

    /// Shows what columns hold, over the rows of the filter that is in force.
    fn counted(self, informer: u32, facets: Vec<Facet>) {
        let counted = Counted { filter: self.wishes.with_value(|wishes| wishes.in_force().filter.clone()), facets };
        frame::request(Painter::Facets, move || {
            // The view may have been closed before the frame.
            if self.id.try_get_value().flatten().is_some_and(|(of, _)| of == informer) {
                set_if_new(self.state.counted, counted.clone());
            }
        });
    }

    /// Asks for a part of the rows. While the engine works on an answer the part is not the page's to say.
    pub(super) fn set_window(self, start: usize, end: usize) {
        let Some((_, view)) = self.id.get_value() else { return };
        if self.window.get_value() != (start, end) && self.wishes.with_value(Wishes::are_answered) {
            self.window.set_value((start, end));
            self.engine.send(&ToEngine::SetWindow { view, start, end });
        }
    }

    /// Holds the rows where they are, or lets them go.
    pub(super) fn hold(self, hold: bool) {
        let Some((_, view)) = self.id.get_value() else { return };
        if self.state.held.get_untracked() != hold {
            self.state.held.set(hold);
            self.engine.send(&ToEngine::HoldView { view, hold });
        }
    }
}

/// Signals wake whoever reads them even when nothing changed; the table must not.
pub(super) fn set_if_new<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.try_with_untracked(|known| *known != value) == Some(true) {
        signal.set(value);
    }
}
