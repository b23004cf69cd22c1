//! Viewer: joins model and screen of the tab. A change of the model requests a frame, which paints it.

use std::time::Duration;

use leptos::html::Div;
use leptos::prelude::*;
use log_lines::{Batch, Filter, Pattern};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::line::{OPEN, Times};
use super::model::{Figures, Model};
use super::screen::{Parts, Screen, id_of};
use crate::frame::{self, Painter};

/// Time budget for the search in a frame, in milliseconds.
const SLICE: f64 = 6.0;
/// More lines than this since the last frame go by faster than they are read: then frames come at this interval, in
/// milliseconds. A screenful that is replaced in each frame takes a third of the time of a core.
const FLOOD: u64 = 100;
const CALM: f64 = 100.0;

/// Viewer. Clones share state.
#[derive(Clone, Copy)]
pub(super) struct Viewer {
    model: StoredValue<Model, LocalStorage>,
    screen: StoredValue<Screen, LocalStorage>,
    pub(super) scroller: NodeRef<Div>,
    pub(super) spacer: NodeRef<Div>,
    pub(super) block: NodeRef<Div>,
    figures: RwSignal<Figures>,
    /// The last frame: its time, and the number of the next line then.
    painted: StoredValue<(f64, u64), LocalStorage>,
    /// Whether a frame is due later.
    is_due: StoredValue<bool, LocalStorage>,
    /// Whether lines are being painted: then the focus moves from an element to the one that replaces it.
    is_painting: StoredValue<bool, LocalStorage>,
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
            painted: StoredValue::new_local((0.0, 0)),
            is_due: StoredValue::new_local(false),
            is_painting: StoredValue::new_local(false),
        }
    }

    /// The figures of the last frame. Tracked.
    pub(super) fn figures(self) -> Figures {
        self.figures.get()
    }

    /// Appends a batch, which may be unreadable.
    pub(super) fn append(self, batch: Option<&Batch<'_>>) {
        let end = self.model.try_update_value(|model| {
            match batch {
                Some(batch) => model.store.append(batch),
                None => model.unreadable += 1,
            }
            model.store.end()
        });
        let Some(((at, before), end)) = self.painted.try_get_value().zip(end) else { return };
        let rest = at + CALM - js_sys::Date::now();
        if end - before <= FLOOD || rest <= 0.0 {
            self.request();
        } else if self.is_due.try_update_value(|is_due| std::mem::replace(is_due, true)) == Some(false) {
            set_timeout(
                move || {
                    self.is_due.try_set_value(false);
                    self.request();
                },
                Duration::from_secs_f64(rest / 1000.0),
            );
        }
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
        self.is_painting.try_set_value(true);
        let painted = self.model.try_update_value(|model| {
            // Text that is being selected must not move away.
            model.follows &= !is_selecting;
            let until = js_sys::Date::now() + SLICE;
            let is_done = model.advance(|| js_sys::Date::now() < until);
            // Only a lack of memory can cause an error here.
            self.screen.try_update_value(|screen| drop(screen.paint(model, &parts)));
            (model.figures(), is_done, model.store.end())
        });
        self.is_painting.try_set_value(false);
        let Some((figures, is_done, end)) = painted else { return };
        self.painted.try_set_value((js_sys::Date::now(), end));
        if self.figures.try_get_untracked() != Some(figures) {
            self.figures.try_set(figures);
        }
        if !is_done {
            self.request();
        }
    }

    /// The view has another size.
    pub(super) fn resized(self) {
        self.screen.try_update_value(Screen::resized);
        self.request();
    }

    /// The view was scrolled, by the user or by the program.
    pub(super) fn scrolled(self) {
        let Some(parts) = self.parts() else { return };
        let moved = self.screen.try_update_value(|screen| screen.scrolled(&parts));
        let Some((up, end)) = moved else { return };
        // Each paint of a followed log scrolls to the new end: a second paint would change nothing.
        if end && self.read(|model| model.follows) == Some(true) {
            return;
        }
        self.change(|model| {
            if up {
                model.follows = false;
            } else if end {
                model.reached_end();
            }
        });
    }

    /// The button of a line took the focus. If it is beyond the edge, the browser has scrolled, or will: by the pixels between, which
    /// are too many where lines wrap. The view goes to the line.
    pub(super) fn focused(self, event: &web_sys::FocusEvent) {
        if self.is_painting.try_get_value() != Some(false) {
            return;
        }
        let line =
            event.target().and_then(|target| target.dyn_into::<Element>().ok()).and_then(|target| id_of(&target));
        let Some((id, parts)) = line.zip(self.parts()) else { return };
        if self.screen.try_with_value(|screen| screen.begins_in_view(id, &parts)) == Some(false) {
            self.change(|model| (model.aim, model.follows) = (Some(id), false));
        }
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
