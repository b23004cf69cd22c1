//! Screen: puts only the visible lines into the document, for any number and height of lines.
//!
//! A spacer makes the scrollbar as long as all lines would be at one row each. The fraction of it above the view, from 0 to
//! 1, determines an anchor: the line at this fraction of all lines, placed at this fraction of the view's height. So the
//! first line is at the top when the view is scrolled to the top, the last one at the bottom, and a line that wraps or is
//! opened needs only its own element. Few lines are all in the document.

use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::line::{self, Look};
use super::model::Model;

/// Height of a row in pixels; style.css has it as well.
const ROW: f64 = 20.0;
/// Maximum number of lines that are all in the document.
const FEW: usize = 150;
/// Lines beyond the edges of the view.
const BEYOND: usize = 12;
/// Browsers cannot scroll much further, in pixels.
const HIGHEST: f64 = 15e6;

/// The elements.
pub(super) struct Parts {
    pub(super) scroller: HtmlElement,
    pub(super) spacer: HtmlElement,
    pub(super) block: HtmlElement,
}

/// A line in the document.
struct Shown {
    id: u64,
    /// Opened, current.
    state: (bool, bool),
    element: Element,
}

/// Content of the document.
#[derive(Default)]
pub(super) struct Screen {
    shown: Vec<Shown>,
    /// The model's look, whether lines name their origin, and its namespace.
    look: (u32, bool, bool),
    /// Last position of the scrollbar, set or read.
    top: f64,
    /// Whether the view has changed its size since the last paint: the browser may have moved it.
    is_resized: bool,
    /// Line that the view is at, and its place.
    at: Option<(u64, usize)>,
}

impl Screen {
    /// The line that the view is at.
    pub(super) fn at(&self) -> Option<u64> {
        self.at.map(|(id, _)| id)
    }

    /// Paints the model.
    pub(super) fn paint(&mut self, model: &mut Model, parts: &Parts) -> Result<(), JsValue> {
        self.is_resized = false;
        let count = model.len();
        let view = f64::from(parts.scroller.client_height());
        if count <= FEW {
            return self.paint_all(model, parts, count);
        }
        let all = (count as f64 * ROW).min(HIGHEST);
        set(&parts.spacer, "height", &format!("{all}px"))?;
        let most = (all - view).max(1.0);
        let wanted = self.wanted(model, count, most, all);
        self.top = wanted.unwrap_or_else(|| f64::from(parts.scroller.scroll_top()));
        let part = if model.follows { 1.0 } else { (self.top / most).clamp(0.0, 1.0) };
        let meant = part * count as f64;
        let place = floor(meant).min(count - 1);
        let above = floor(part * view / ROW) + BEYOND;
        let below = floor((1.0 - part) * view / ROW) + BEYOND;
        self.show(model, parts, place.saturating_sub(above)..(place + below + 1).min(count))?;
        // After the lines: what follows reads positions, and one layout is enough for all of it.
        if let Some(wanted) = wanted {
            scroll(parts, wanted);
            self.top = f64::from(parts.scroller.scroll_top());
        }
        let id = model.selection.id(&model.store, place);
        self.at = id.map(|id| (id, place));
        let anchor = self.shown.iter().find(|shown| Some(shown.id) == id);
        let Some(anchor) = anchor.and_then(|shown| shown.element.dyn_ref::<HtmlElement>()) else { return Ok(()) };
        let within =
            f64::from(anchor.offset_top()) + (meant - place as f64).min(1.0) * f64::from(anchor.offset_height());
        // The browser rounds the scroll position.
        let top = if model.follows { most } else { self.top };
        set(&parts.block, "transform", &format!("translateY({}px)", (top + part * view - within).round()))
    }

    /// Required position of the scrollbar.
    fn wanted(&self, model: &mut Model, count: usize, most: f64, all: f64) -> Option<f64> {
        if model.follows {
            return Some(most);
        }
        if let Some(aim) = model.aim.take() {
            let place = model.selection.place(&model.store, aim).min(count - 1);
            return Some((place as f64 + 0.5) / count as f64 * most);
        }
        // Lines above were dropped: the visible lines keep their position.
        let (id, before) = self.at?;
        let place = model.selection.place(&model.store, id);
        (place < before).then(|| (self.top - (before - place) as f64 * all / count as f64).max(0.0))
    }

    fn paint_all(&mut self, model: &mut Model, parts: &Parts, count: usize) -> Result<(), JsValue> {
        self.show(model, parts, 0..count)?;
        set(&parts.block, "transform", "none")?;
        set(&parts.spacer, "height", &format!("{}px", parts.block.offset_height()))?;
        if model.follows {
            scroll(parts, f64::from(parts.scroller.scroll_height()));
        } else if let Some(aim) = model.aim.take() {
            let shown = self.shown.iter().find(|shown| shown.id == aim);
            if let Some(element) = shown.and_then(|shown| shown.element.dyn_ref::<HtmlElement>()) {
                let middle = f64::from(parts.scroller.client_height()) / 2.0;
                scroll(parts, f64::from(element.offset_top()) - middle);
            }
        }
        self.top = f64::from(parts.scroller.scroll_top());
        let is_below = |shown: &&Shown| {
            shown
                .element
                .dyn_ref::<HtmlElement>()
                .is_some_and(|line| f64::from(line.offset_top() + line.offset_height()) > self.top)
        };
        let place = self.shown.iter().position(|shown| is_below(&shown));
        self.at = place.map(|place| (self.shown[place].id, place));
        Ok(())
    }

    /// Puts the lines of these places into the document, and no others. Lines that were there keep their elements.
    fn show(&mut self, model: &Model, parts: &Parts, places: std::ops::Range<usize>) -> Result<(), JsValue> {
        let mut known = std::mem::take(&mut self.shown);
        let focused = document().active_element().filter(|element| parts.block.contains(Some(element)));
        let had_focus = focused.as_ref().and_then(id_of);
        let sources = model.store.sources();
        // A second origin changes how all lines look, and so does a second namespace.
        let look = (model.look, sources.len() > 1, model.store.spans_namespaces());
        let is_new = std::mem::replace(&mut self.look, look) != look;
        let look = Look {
            times: model.times,
            sources: Some(sources).filter(|_| look.1),
            with_namespace: look.2,
            pattern: model.selection.pattern(),
        };
        for id in places.filter_map(|place| model.selection.id(&model.store, place)) {
            let state = (model.opened.contains(&id), model.current == Some(id));
            let kept = known.iter().position(|shown| !is_new && shown.id == id && shown.state == state);
            if let Some(at) = kept {
                self.shown.push(known.swap_remove(at));
            } else if let Some(element) =
                model.store.line(id, |line| line::element(line, &look, state.0, state.1)).transpose()?
            {
                self.shown.push(Shown { id, state, element });
            }
        }
        for old in known {
            old.element.remove();
        }
        let mut next = parts.block.first_element_child();
        for Shown { element, .. } in &self.shown {
            if next.as_ref() == Some(element) {
                next = element.next_element_sibling();
            } else {
                parts.block.insert_before(element, next.as_deref())?;
            }
        }
        if focused.is_some_and(|element| !element.is_connected()) {
            // The button of the same line, or the scroll container.
            let line = self.shown.iter().find(|shown| Some(shown.id) == had_focus);
            let button =
                line.and_then(|shown| shown.element.query_selector(&format!("[{}]", line::OPEN)).ok().flatten());
            let button = button.and_then(|button| button.dyn_into::<HtmlElement>().ok());
            // The button of a long line that was opened is far above its end: scrolling to it would end the following, and remove
            // the line from the document.
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            button.as_ref().unwrap_or(&parts.scroller).focus_with_options(&options)?;
        }
        Ok(())
    }

    /// Notes another size of the view.
    pub(super) fn resized(&mut self) {
        self.is_resized = true;
    }

    /// Records a scroll. Returns whether the user scrolled upwards, and whether the end is in view.
    pub(super) fn scrolled(&mut self, parts: &Parts) -> (bool, bool) {
        let before = self.top;
        self.top = f64::from(parts.scroller.scroll_top());
        let rest = f64::from(parts.scroller.scroll_height() - parts.scroller.client_height()) - self.top;
        let is_end = rest < 4.0;
        (!is_end && !self.is_resized && self.top < before - 1.0, is_end && self.top >= before)
    }
}

/// Number of the line that an element is in.
pub(super) fn id_of(element: &Element) -> Option<u64> {
    let line = element.closest(&format!("[{}]", line::ID)).ok().flatten()?;
    line.get_attribute(line::ID)?.parse().ok()
}

fn set(element: &HtmlElement, property: &str, value: &str) -> Result<(), JsValue> {
    element.style().set_property(property, value)
}

#[allow(clippy::cast_possible_truncation, reason = "browsers scroll less far")]
fn scroll(parts: &Parts, top: f64) {
    parts.scroller.set_scroll_top(top.ceil() as i32);
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places of lines")]
fn floor(number: f64) -> usize {
    number.max(0.0) as usize
}
