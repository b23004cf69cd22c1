//! Viewer: joins model and screen of the tab. A change of the model requests a frame, which paints it.

use std::time::Duration;

use leptos::html::Div;
use leptos::prelude::*;
use log_lines::{Batch, Filter, Pattern};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::line::{OPEN, Times};
use super::model::{Figures, Model};
use super::screen::{Elements, Screen, id_of};
use crate::frame::{self, Painter};

/// Pixels of a press of an arrow key, as browsers scroll.
const ARROW_STEP: i32 = 40;

/// Time budget for the search in a frame, in milliseconds.
const SEARCH_BUDGET: f64 = 6.0;
/// Number of new lines in a frame above which the view cannot be read: then frames come at this interval, in milliseconds. A
/// screenful that is replaced in each frame takes a third of the time of a core.
const FLOOD_LINES: u64 = 100;
const FLOOD_INTERVAL: f64 = 100.0;

/// Model and screen of the log tab. Clones share their state.
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
        let rest = at + FLOOD_INTERVAL - js_sys::Date::now();
        if end - before <= FLOOD_LINES || rest <= 0.0 {
            self.request_paint();
        } else if self.is_due.try_update_value(|is_due| std::mem::replace(is_due, true)) == Some(false) {
            set_timeout(
                move || {
                    self.is_due.try_set_value(false);
                    self.request_paint();
                },
                Duration::from_secs_f64(rest / 1000.0),
            );
        }
    }

    /// Changes the model, and paints in the next frame. No effect after the tab was closed.
    pub(super) fn change(self, change: impl FnOnce(&mut Model)) {
        if self.model.try_update_value(change).is_some() {
            self.request_paint();
        }
    }

    /// Reads the model.
    pub(super) fn read<T>(self, read: impl FnOnce(&Model) -> T) -> Option<T> {
        self.model.try_with_value(read)
    }

    pub(super) fn request_paint(self) {
        frame::request(Painter::Logs, move || self.paint());
    }

    fn anchor_line(self) -> Option<u64> {
        self.screen.try_with_value(Screen::anchor_line).flatten()
    }

    pub(super) fn select(self, pattern: Option<Pattern>, filter: Filter) {
        let at = self.anchor_line();
        self.change(|model| model.select(pattern, filter, at));
    }

    pub(super) fn jump(self, forward: bool) {
        let at = self.anchor_line();
        self.change(|model| model.jump(forward, at));
    }

    pub(super) fn set_times(self, times: Times) {
        self.change(|model| {
            model.times = times;
            model.style_version += 1;
        });
    }

    fn elements(self) -> Option<Elements> {
        let (scroller, spacer, block) =
            (self.scroller.get_untracked()?, self.spacer.get_untracked()?, self.block.get_untracked()?);
        Some(Elements { scroller: scroller.into(), spacer: spacer.into(), block: block.into() })
    }

    fn paint(self) {
        // The tab may be closed by now.
        if self.model.is_disposed() {
            return;
        }
        let Some(elements) = self.elements() else { return };
        let is_selecting = selects_in(&elements.block);
        self.is_painting.try_set_value(true);
        let painted = self.model.try_update_value(|model| {
            // Text that is being selected must not move away.
            model.follows &= !is_selecting;
            let until = js_sys::Date::now() + SEARCH_BUDGET;
            let is_done = model.advance(|| js_sys::Date::now() < until);
            // Only a lack of memory can cause an error here.
            self.screen.try_update_value(|screen| drop(screen.paint(model, &elements)));
            (model.figures(), is_done, model.store.end())
        });
        self.is_painting.try_set_value(false);
        let Some((figures, is_done, end)) = painted else { return };
        self.painted.try_set_value((js_sys::Date::now(), end));
        if self.figures.try_get_untracked() != Some(figures) {
            self.figures.try_set(figures);
        }
        if !is_done {
            self.request_paint();
        }
    }

    /// Paints after the view was resized.
    pub(super) fn resized(self) {
        self.screen.try_update_value(Screen::resized);
        self.request_paint();
    }

    /// Handles a scroll of the view, by the user or by the program.
    pub(super) fn scrolled(self) {
        let Some(elements) = self.elements() else { return };
        let moved = self.screen.try_update_value(|screen| screen.scrolled(&elements));
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

    /// Whether the view stays at the newest line.
    pub(super) fn follows(self) -> bool {
        self.read(|model| model.follows) == Some(true)
    }

    /// Leaves the end of a followed log by a key, at once: a line that arrives during the browser's own scroll, which takes
    /// some frames, would pull the view back.
    pub(super) fn leave_end(self, key: &str) {
        let Some(Elements { scroller, .. }) = self.elements() else { return };
        let top = match key {
            "Home" => 0,
            "PageUp" => scroller.scroll_top() - scroller.client_height() * 9 / 10,
            _ => scroller.scroll_top() - ARROW_STEP,
        };
        self.change(|model| model.follows = false);
        scroller.set_scroll_top(top.max(0));
    }

    /// Handles the focus on the button of a line. If it is beyond the edge, the browser has scrolled, or will: by the
    /// pixels between, which are too many where lines wrap. The view goes to the line.
    pub(super) fn focused(self, event: &web_sys::FocusEvent) {
        if self.is_painting.try_get_value() != Some(false) {
            return;
        }
        let line =
            event.target().and_then(|target| target.dyn_into::<Element>().ok()).and_then(|target| id_of(&target));
        let Some((id, elements)) = line.zip(self.elements()) else { return };
        if self.screen.try_with_value(|screen| screen.begins_in_view(id, &elements)) == Some(false) {
            self.change(|model| (model.scroll_target, model.follows) = (Some(id), false));
        }
    }

    /// Handles a press on the button of a line, which opens the line.
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
