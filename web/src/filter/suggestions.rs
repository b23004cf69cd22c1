//! Suggestions of the filter box, and their keyboard control.

use informer_engine::ValuesOptions;
use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::bytes;
use super::completion::{Completion, Offer};
use crate::focus;
use crate::loading;
use crate::navigator::Navigator;
use crate::view_state::ViewState;

/// Suggestions of a filter box. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Suggestions {
    navigator: Navigator,
    state: ViewState,
    input: NodeRef<Input>,
    pub(super) offered: RwSignal<Vec<Completion>>,
    /// Completion that Enter and Tab accept.
    pub(super) active: RwSignal<Option<usize>>,
    /// Number of the last request for values: only its reply is shown.
    request_number: StoredValue<u32>,
}

impl Suggestions {
    pub(super) fn new(navigator: Navigator, state: ViewState, input: NodeRef<Input>) -> Self {
        let (offered, active) = (RwSignal::new(Vec::new()), RwSignal::new(None));
        Self { navigator, state, input, offered, active, request_number: StoredValue::new(0) }
    }

    pub(super) fn is_open(self) -> bool {
        self.offered.with(|offered| !offered.is_empty())
    }

    pub(super) fn close(self) {
        self.request_number.update_value(|request_number| *request_number += 1);
        self.show(Vec::new());
    }

    /// Reads the box, whose text becomes the filter, and updates the suggestions.
    pub(super) fn update(self) {
        let Some(input) = self.input.get_untracked() else { return };
        let text = input.value();
        let caret = bytes(&text, input.selection_start().ok().flatten().unwrap_or(0) as usize);
        self.request_number.update_value(|request_number| *request_number += 1);
        let offer = untrack(loading::loaded).map_or(Offer::Names(Vec::new()), |code| {
            self.state.columns.with_untracked(|columns| code.offer(&text, caret, columns))
        });
        let request = match (offer, self.state.view.get_value()) {
            (Offer::Value(request), Some(view)) => Some((request, view)),
            (Offer::Value(_), None) => None,
            (Offer::Names(names), _) => {
                self.state.incomplete_value.set(None);
                self.navigator.amend(|route| route.filter = text);
                return self.show(names);
            }
        };
        // Until the response arrives, the value may be incomplete.
        let incomplete =
            request.as_ref().filter(|(request, _)| !request.typed.is_empty()).map(|_| (text.clone(), caret));
        self.state.incomplete_value.set(incomplete);
        self.navigator.amend(|route| route.filter = text);
        // Suggestions for another word have another range.
        self.show(Vec::new());
        let Some((request, view)) = request else { return };
        let (column, containing, filter) = (request.column.clone(), request.typed.clone(), request.context.clone());
        let number = self.request_number.get_value();
        view.count_values(&ValuesOptions { filter, column, containing }, move |facet| {
            if self.request_number.try_get_value() != Some(number) {
                return;
            }
            // Values are not offered while another term is invalid: the line below the box shows the error.
            let found = facet.zip(untrack(loading::loaded));
            if found.as_ref().is_none_or(|(facet, code)| !code.is_half(&request, facet)) {
                self.state.incomplete_value.set(None);
            }
            self.show(found.map(|(facet, code)| code.values(&request, &facet)).unwrap_or_default());
        });
    }

    /// Puts a completion into the box, with the caret after it. If the text has changed since, suggests again.
    pub(super) fn accept(self, completion: &Completion) {
        let Some(input) = self.input.get_untracked() else { return };
        if let Some((filled, caret)) = completion.complete(&input.value()) {
            input.set_value(&filled);
            place_caret(&input, caret);
        }
        self.update();
    }

    pub(super) fn on_key(self, event: &KeyboardEvent) {
        let count = self.offered.with_untracked(Vec::len);
        match event.key().as_str() {
            "Escape" if count > 0 => {
                // By default the browser empties the box.
                event.prevent_default();
                self.state.incomplete_value.set(None);
                self.close();
            }
            "Escape" => {
                event.prevent_default();
                focus::table();
            }
            "ArrowDown" if count == 0 => {
                event.prevent_default();
                self.update();
            }
            "ArrowDown" => self.step(event, |at| at.map_or(0, |at| (at + 1) % count)),
            "ArrowUp" if count > 0 => self.step(event, |at| (at.unwrap_or(0) + count - 1) % count),
            // Without a suggestion, Tab moves the focus as usual.
            "Enter" | "Tab" if !event.shift_key() => {
                let at = self.active.get_untracked();
                match at.and_then(|at| self.offered.with_untracked(|offered| offered.get(at).cloned())) {
                    Some(completion) => {
                        event.prevent_default();
                        self.accept(&completion);
                    }
                    None => self.close(),
                }
            }
            _ => {}
        }
    }

    fn show(self, completions: Vec<Completion>) {
        // Enter accepts the first one.
        self.active.set((!completions.is_empty()).then_some(0));
        self.offered.set(completions);
    }

    /// Moves the selection; the caret stays.
    fn step(self, event: &KeyboardEvent, next: impl FnOnce(Option<usize>) -> usize) {
        event.prevent_default();
        self.active.update(|at| *at = Some(next(*at)));
    }
}

/// Places the caret; a failure is ignored.
fn place_caret(input: &HtmlInputElement, caret: u32) {
    let _ = input.set_selection_range(caret, caret);
}
