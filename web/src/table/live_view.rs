//! The view behind the table: what was asked of the engine, and how it answered.

use std::collections::VecDeque;
use std::ops::Range;

use informer::message::{OrderBy, Row, ToEngine, ViewOptions};
use leptos::prelude::*;

use crate::engine::{Engine, ViewMessage};
use crate::frame::{self, Painter};
use crate::rows::Totals;
use crate::view_state::{Counted, Refusal, ViewState};

/// What the table wants to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wanted {
    /// In the language of filters.
    pub(super) filter: String,
    /// The usual order, if it is empty.
    pub(super) order_by: Vec<OrderBy>,
    /// Columns whose values are counted.
    pub(super) facets: Vec<String>,
    /// Of all, if it is empty.
    pub(super) namespaces: Vec<String>,
}

/// What the table must act on.
pub(super) enum Answer {
    /// Rows of the window.
    Rows(Totals, Range<usize>, Vec<Row>),
    /// The rows are others now: the first of them is what there is to see.
    FromTheTop,
    /// What was asked was refused, and nothing has changed.
    AsBefore,
}

/// Something asked that the engine has not answered yet.
struct Asked {
    wanted: Wanted,
    refusal: Option<Refusal>,
}

/// The view. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct LiveView {
    engine: Engine,
    pub(super) state: ViewState,
    /// Informer and view.
    id: StoredValue<Option<(u32, u32)>>,
    window: StoredValue<(usize, usize)>,
    last: StoredValue<Wanted>,
    in_force: StoredValue<Wanted>,
    unanswered: StoredValue<VecDeque<Asked>>,
}

impl LiveView {
    /// None yet.
    pub(super) fn new(engine: Engine, state: ViewState) -> Self {
        Self {
            engine,
            state,
            id: StoredValue::new(None),
            window: StoredValue::new((0, 0)),
            last: StoredValue::new(Wanted::default()),
            in_force: StoredValue::new(Wanted::default()),
            unanswered: StoredValue::new(VecDeque::new()),
        }
    }

    /// Opens a view of an informer in place of the one before, of which nothing is true any more.
    pub(super) fn open(self, informer: u32, wanted: Wanted, end: usize, on_answer: impl Fn(Answer) + Copy + 'static) {
        self.close();
        self.window.set_value((0, end));
        let Wanted { filter, order_by, facets, namespaces } = wanted.clone();
        let options = ViewOptions { filter, order_by, facets, namespaces, end, ..ViewOptions::default() };
        let view = self.engine.open_view(informer, options, move |message| match message {
            ViewMessage::Columns(columns) => set_if_new(self.state.columns, columns),
            ViewMessage::Patch { totals, window, rows } => on_answer(Answer::Rows(totals, window, rows)),
            ViewMessage::Facets(facets) => {
                let counted = Counted { filter: self.last.with_value(|last| last.filter.clone()), facets };
                frame::request(Painter::Facets, move || {
                    // The view may have been closed before the frame.
                    if self.id.try_get_value().flatten().is_some_and(|(of, _)| of == informer) {
                        set_if_new(self.state.counted, counted.clone());
                    }
                });
            }
            ViewMessage::Refused { message, place } => self.refused(message, place),
        });
        self.id.set_value(Some((informer, view)));
        self.expect_answer(wanted, on_answer);
    }

    /// Ends the view, and forgets what was said of it.
    pub(super) fn close(self) {
        if let Some((_, view)) = self.id.get_value() {
            self.engine.close_view(view);
        }
        self.id.set_value(None);
        self.unanswered.set_value(VecDeque::new());
        self.in_force.set_value(Wanted::default());
        self.state.columns.set(Vec::new());
        self.state.counted.set(Counted::default());
        self.state.filter.set(String::new());
        set_if_new(self.state.refused, None);
        set_if_new(self.state.held, false);
    }

    /// Asks for something else, if it is something else. Its rows stay in sight until the engine has answered.
    pub(super) fn change(self, wanted: Wanted, on_answer: impl Fn(Answer) + Copy + 'static) {
        let Some((_, view)) = self.id.get_value().filter(|_| self.last.with_value(|last| *last != wanted)) else {
            return;
        };
        // Who asks for another order wants to see it.
        self.hold(false);
        let Wanted { filter, order_by, facets, namespaces } = wanted.clone();
        self.engine.send(&ToEngine::ChangeView { view, filter, order_by, facets, namespaces });
        let (start, end) = self.window.get_value();
        if start > 0 && self.in_force.with_value(|in_force| are_others(in_force, &wanted)) {
            // The first rows come with the answer, so that nobody sees a gap before them.
            self.window.set_value((0, end - start));
            self.engine.send(&ToEngine::SetWindow { view, start: 0, end: end - start });
        }
        self.expect_answer(wanted, on_answer);
    }

    fn expect_answer(self, wanted: Wanted, on_answer: impl Fn(Answer) + Copy + 'static) {
        let Some((informer, view)) = self.id.get_value() else { return };
        self.last.set_value(wanted.clone());
        self.unanswered.update_value(|unanswered| unanswered.push_back(Asked { wanted, refusal: None }));
        self.engine.when_heard(informer, move || {
            if self.id.try_get_value().flatten() != Some((informer, view)) {
                return;
            }
            let asked = self.unanswered.try_update_value(VecDeque::pop_front).flatten();
            let is_last = self.unanswered.with_value(VecDeque::is_empty);
            if let Some(asked) = asked {
                self.answered(asked, is_last, on_answer);
            }
        });
    }

    fn answered(self, asked: Asked, is_last: bool, on_answer: impl Fn(Answer)) {
        let others = asked.refusal.is_none() && self.in_force.with_value(|before| are_others(before, &asked.wanted));
        if asked.refusal.is_none() {
            set_if_new(self.state.filter, asked.wanted.filter.clone());
            self.in_force.set_value(asked.wanted);
        }
        // While somebody types, only what came of the last letter is worth showing.
        if is_last {
            set_if_new(self.state.refused, asked.refusal);
            on_answer(if others { Answer::FromTheTop } else { Answer::AsBefore });
        }
    }

    fn refused(self, message: String, place: Range<usize>) {
        let refusal = |wanted: &Wanted| Refusal { filter: wanted.filter.clone(), place: place.clone(), message };
        self.unanswered.update_value(|unanswered| match unanswered.front_mut() {
            Some(asked) => asked.refusal = Some(refusal(&asked.wanted)),
            None => self.state.refused.set(Some(self.last.with_value(refusal))),
        });
    }

    /// Asks for a part of the rows. While the engine works on an answer the part is not the page's to say.
    pub(super) fn set_window(self, start: usize, end: usize) {
        let Some((_, view)) = self.id.get_value() else { return };
        if self.window.get_value() != (start, end) && self.unanswered.with_value(VecDeque::is_empty) {
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

/// Whether other rows are asked for, and not only another order of them.
fn are_others(before: &Wanted, wanted: &Wanted) -> bool {
    before.filter != wanted.filter || before.namespaces != wanted.namespaces
}

/// Signals wake whoever reads them even when nothing changed; the table must not.
pub(super) fn set_if_new<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.try_with_untracked(|known| *known != value) == Some(true) {
        signal.set(value);
    }
}
