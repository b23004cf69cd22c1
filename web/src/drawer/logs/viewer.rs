//! Viewer: joins model and screen of the tab. A change of the model requests a frame, which paints it.

use leptos::html::Div;
use leptos::prelude::*;
use log_lines::{Filter, Pattern};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::line::{OPEN, Times};
use super::model::{Figures, Model};
use super::screen::{Parts, Screen, id_of};
use crate::frame::{self, Painter};

/// So long a frame may search, in milliseconds.
const SLICE: f64 = 6.0;

/// The viewer. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Viewer {
    model: StoredValue<Model, LocalStorage>,
    screen: StoredValue<Screen, LocalStorage>,
    pub(super) scroller: NodeRef<Div>,
    pub(super) spacer: NodeRef<Div>,
    pub(super) block: NodeRef<Div>,
    figures: RwSignal<Figures>,
}

impl Viewer {
    pub(super) fn new() -> Self {
        Self {
            model: StoredValue::new_local(Model::default()),
            screen: StoredValue::new_local(Screen::default()),
            scroller: NodeRef::new(),
            spacer: NodeRef::new(),
            block: NodeRef::new(),
            figures: RwSignal::new(Figures::default()),
        }
    }

    /// The figures of the last frame. Tracked.
    pub(super) fn figures(self) -> Figures {
        self.figures.get()
    }

    /// Appends a batch in JSON.
    pub(super) fn append(self, batch: &str) {
        self.change(|model| {
            if model.store.append(batch).is_err() {
                model.unreadable += 1;
            }
        });
    }

    /// Changes the model, and paints in the next frame. No effect after the tab was closed.
    pub(super) fn change(self, change: impl FnOnce(&mut Model)) {
        if self.model.try_update_value(change).is_some() {
            self.request();
        }
    }

    /// Reads the model.
    pub(super) fn read<T>(self, read: impl FnOnce(&Model) -> T) -> Option<T> {
        self.model.try_with_value(read)
    }

    pub(super) fn request(self) {
        frame::request(Painter::Logs, move || self.paint());
    }

    fn at(self) -> Option<u64> {
        self.screen.try_with_value(Screen::at).flatten()
    }

    pub(super) fn select(self, pattern: Option<Pattern>, filter: Filter) {
        let at = self.at();
        self.change(|model| model.select(pattern, filter, at));
    }

    pub(super) fn jump(self, forward: bool) {
        let at = self.at();
        self.change(|model| model.jump(forward, at));
    }

    pub(super) fn set_times(self, times: Times) {
        self.change(|model| {
            model.times = times;
            model.look += 1;
        });
    }

    fn parts(self) -> Option<Parts> {
        let (scroller, spacer, block) =
            (self.scroller.get_untracked()?, self.spacer.get_untracked()?, self.block.get_untracked()?);
        Some(Parts { scroller: scroller.into(), spacer: spacer.into(), block: block.into() })
    }

    fn paint(self) {
        // The tab may be closed by now.
        if self.model.is_disposed() {
            return;
        }
        let Some(parts) = self.parts() else { return };
        let is_selecting = selects_in(&parts.block);
        let painted = self.model.try_update_value(|model| {
            // Text that is being selected must not move away.
            model.follows &= !is_selecting;
            let until = js_sys::Date::now() + SLICE;
            let is_done = model.advance(|| js_sys::Date::now() < until);
            // Only a lack of memory can cause an error here.
            self.screen.try_update_value(|screen| drop(screen.paint(model, &parts)));
            (model.figures(), is_done)
        });
        let Some((figures, is_done)) = painted else { return };
        if self.figures.try_get_untracked() != Some(figures) {
            self.figures.try_set(figures);
        }
        if !is_done {
            self.request();
        }
    }

    /// The view was scrolled, by the user or by the program.
    pub(super) fn scrolled(self) {
        let Some(parts) = self.parts() else { return };
        let moved = self.screen.try_update_value(|screen| screen.scrolled(&parts));
        let Some((up, end)) = moved else { return };
        self.change(|model| {
            if up {
                model.follows = false;
            } else if end {
                model.reached_end();
            }
        });
    }

    /// A press on the button of a line opens it.
    pub(super) fn pressed(self, event: &web_sys::MouseEvent) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let button = target.and_then(|target| target.closest(&format!("[{OPEN}]")).ok().flatten());
        if let Some(id) = button.and_then(|button| id_of(&button)) {
            self.change(|model| model.toggle(id));
        }
    }
}

/// Whether text is selected within an element.
fn selects_in(element: &Element) -> bool {
    let selection = window().get_selection().ok().flatten();
    selection.is_some_and(|selection| {
        !selection.is_collapsed() && selection.anchor_node().is_some_and(|node| element.contains(Some(&node)))
    })
}
