//! Virtual list of log lines: only the lines near the viewport are in the document. Lines may differ in height.
//!
//! A spacer makes the scrollbar as long as all lines are (`heights`). The fraction of it above the view, from 0 to 1,
//! determines an anchor: the line at this fraction of the height of all lines, placed at this fraction of the view's
//! height. So the first line is at the top when the view is scrolled to the top, the last one at the bottom, and lines
//! that wrap, which are taken for a row each, need no measurement. Few lines are all in the document.

use std::collections::HashMap;

use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::heights::{Heights, ROW, floor};
use super::line::{self, LineStyle};
use super::model::Model;

/// Maximum number of lines that are all in the document.
const VIRTUALIZE_ABOVE: usize = 150;
/// Lines beyond the edges of the view.
const OVERSCAN: usize = 12;
/// Maximum number of times that lines are placed, until a line that was opened or closed is where it was.
const MAX_PLACEMENTS: usize = 4;

/// Elements of the list.
pub(super) struct Elements {
    pub(super) scroller: HtmlElement,
    pub(super) spacer: HtmlElement,
    pub(super) block: HtmlElement,
}

/// A line in the document.
struct ShownLine {
    id: u64,
    /// Opened, current.
    state: (bool, bool),
    element: Element,
}

impl ShownLine {
    fn line(&self) -> Option<&HtmlElement> {
        self.element.dyn_ref()
    }
}

/// Content of the document.
#[derive(Default)]
pub(super) struct Screen {
    shown: Vec<ShownLine>,
    /// Render inputs: the model's style version, whether lines show their source, and whether its namespace.
    render_inputs: (u32, bool, bool),
    /// Last position of the scrollbar, set or read.
    top: f64,
    /// Whether the view has changed its size since the last paint: the browser may have moved it.
    is_resized: bool,
    /// Anchor line: its id, its index, and its distance from the top of all lines.
    anchor: Option<(u64, usize, f64)>,
    /// Heights of opened lines beyond a row, as measured.
    opened: HashMap<u64, f64>,
    /// Distance from the top of the scroll container to that of the lines in the document.
    shift: f64,
}

impl Screen {
    /// The line that the view is at.
    pub(super) fn anchor_line(&self) -> Option<u64> {
        self.anchor.map(|(id, ..)| id)
    }

    /// Paints the model.
    pub(super) fn paint(&mut self, model: &mut Model, elements: &Elements) -> Result<(), JsValue> {
        self.is_resized = false;
        let count = model.len();
        let view = f64::from(elements.scroller.client_height());
        let toggled = model.toggled.take();
        if count <= VIRTUALIZE_ABOVE {
            return self.paint_all(model, elements, count);
        }
        // A line that is opened or closed stays where it is. Its neighbours may wrap, so this takes more than one
        // attempt.
        let kept = toggled.and_then(|id| Some((id, self.position(id)?)));
        let mut heights = self.heights(model, count);
        let keep = |heights: &Heights, model: &Model| {
            kept.map(|(id, position)| heights.top(model.selection.place(&model.store, id)) - position)
        };
        let mut required_top = match keep(&heights, model) {
            Some(required_top) => Some(required_top),
            None => self.required_top(model, &heights, count, view),
        };
        for _ in 0..MAX_PLACEMENTS {
            self.place_lines(model, elements, &heights, count, view, required_top)?;
            let is_measured = self.measure(model);
            let offset = kept
                .and_then(|(id, position)| Some(self.position(id)? - position))
                .filter(|offset| offset.abs() >= 2.0);
            if !is_measured && offset.is_none() {
                break;
            }
            heights = self.heights(model, count);
            required_top = match offset {
                _ if model.follows => Some(heights.all() - view),
                Some(offset) if !is_measured => Some(self.top + offset),
                _ => keep(&heights, model).or(required_top),
            };
        }
        Ok(())
    }

    /// Heights of the lines, with those of the opened lines as far as they were measured.
    fn heights(&self, model: &Model, count: usize) -> Heights {
        let opened = self.opened.iter().filter_map(|(id, beyond)| {
            let index = model.selection.place(&model.store, *id);
            let is_there = model.opened.contains(id) && model.selection.id(&model.store, index) == Some(*id);
            (is_there && index < count).then_some((index, *beyond))
        });
        Heights::new(count, opened)
    }

    /// Measures the opened lines in the document. Returns whether a height is new.
    fn measure(&mut self, model: &Model) -> bool {
        self.opened.retain(|id, _| model.opened.contains(id));
        let mut is_new = false;
        for shown in self.shown.iter().filter(|shown| shown.state.0) {
            let beyond = shown.line().map_or(0.0, |line| (f64::from(line.offset_height()) - ROW).max(0.0));
            is_new |= self.opened.insert(shown.id, beyond) != Some(beyond);
        }
        is_new
    }

    /// Distance from the top of the view to that of a line in the document.
    fn position(&self, id: u64) -> Option<f64> {
        let line = self.shown.iter().find(|shown| shown.id == id)?.line()?;
        Some(self.shift + f64::from(line.offset_top()) - self.top)
    }

    /// Whether the first row of a line was in the view when the lines were painted.
    pub(super) fn begins_in_view(&self, id: u64, elements: &Elements) -> bool {
        let view = f64::from(elements.scroller.client_height());
        self.position(id).is_some_and(|position| (0.0..=view - ROW).contains(&position))
    }

    /// Scrolls, and places the lines around the view.
    fn place_lines(
        &mut self,
        model: &Model,
        elements: &Elements,
        heights: &Heights,
        count: usize,
        view: f64,
        required_top: Option<f64>,
    ) -> Result<(), JsValue> {
        let all = heights.all();
        set(&elements.spacer, "height", &format!("{all}px"))?;
        let max_top = (all - view).max(1.0);
        let required_top = required_top.map(|required_top| required_top.clamp(0.0, max_top));
        self.top = required_top.unwrap_or_else(|| f64::from(elements.scroller.scroll_top()));
        let fraction = if model.follows { 1.0 } else { (self.top / max_top).clamp(0.0, 1.0) };
        let (index, above_view) = heights.line_at(fraction * all);
        let above = floor(fraction * view / ROW) + OVERSCAN;
        let below = floor((1.0 - fraction) * view / ROW) + OVERSCAN;
        self.show(model, elements, index.saturating_sub(above)..(index + below + 1).min(count))?;
        // After the lines: what follows reads positions, and one layout is enough for all of it.
        if let Some(required_top) = required_top {
            scroll(elements, required_top);
            self.top = f64::from(elements.scroller.scroll_top());
        }
        let id = model.selection.id(&model.store, index);
        self.anchor = id.map(|id| (id, index, heights.top(index)));
        let anchor = self.shown.iter().find(|shown| Some(shown.id) == id).and_then(ShownLine::line);
        let Some(anchor) = anchor else { return Ok(()) };
        let within = f64::from(anchor.offset_top()) + above_view * f64::from(anchor.offset_height());
        // The browser rounds the scroll position.
        let top = if model.follows { max_top } else { self.top };
        self.shift = (top + fraction * view - within).round();
        set(&elements.block, "transform", &format!("translateY({}px)", self.shift))
    }

    /// Required position of the scrollbar.
    fn required_top(&self, model: &mut Model, heights: &Heights, count: usize, view: f64) -> Option<f64> {
        let max_top = heights.all() - view;
        if model.follows {
            return Some(max_top);
        }
        if let Some(target) = model.scroll_target.take() {
            let index = model.selection.place(&model.store, target).min(count - 1);
            return Some((heights.top(index) + ROW / 2.0) / heights.all() * max_top);
        }
        // Lines above were dropped: the visible lines keep their position.
        let (id, before, top) = self.anchor?;
        let index = model.selection.place(&model.store, id);
        (index < before).then(|| self.top - (top - heights.top(index)))
    }

    fn paint_all(&mut self, model: &mut Model, elements: &Elements, count: usize) -> Result<(), JsValue> {
        self.show(model, elements, 0..count)?;
        set(&elements.block, "transform", "none")?;
        self.shift = 0.0;
        set(&elements.spacer, "height", &format!("{}px", elements.block.offset_height()))?;
        if model.follows {
            scroll(elements, f64::from(elements.scroller.scroll_height()));
        } else if let Some(target) = model.scroll_target.take() {
            let shown = self.shown.iter().find(|shown| shown.id == target);
            if let Some(element) = shown.and_then(ShownLine::line) {
                let middle = f64::from(elements.scroller.client_height()) / 2.0;
                scroll(elements, f64::from(element.offset_top()) - middle);
            }
        }
        self.top = f64::from(elements.scroller.scroll_top());
        let is_below = |shown: &ShownLine| {
            shown.line().is_some_and(|line| f64::from(line.offset_top() + line.offset_height()) > self.top)
        };
        let index = self.shown.iter().position(is_below);
        self.anchor = index.map(|index| (self.shown[index].id, index, index as f64 * ROW));
        Ok(())
    }

    /// Puts the lines of these indexes into the document, and no others. Lines that were there keep their elements.
    fn show(&mut self, model: &Model, elements: &Elements, indexes: std::ops::Range<usize>) -> Result<(), JsValue> {
        let mut known = std::mem::take(&mut self.shown);
        let focused = document().active_element().filter(|element| elements.block.contains(Some(element)));
        let had_focus = focused.as_ref().and_then(id_of);
        let sources = model.store.sources();
        // A second origin changes how all lines look, and so does a second namespace.
        let render_inputs = (model.style_version, sources.len() > 1, model.store.spans_namespaces());
        let is_new = std::mem::replace(&mut self.render_inputs, render_inputs) != render_inputs;
        let style = LineStyle {
            times: model.times,
            sources: Some(sources).filter(|_| render_inputs.1),
            with_namespace: render_inputs.2,
            pattern: model.selection.pattern(),
        };
        for id in indexes.filter_map(|index| model.selection.id(&model.store, index)) {
            let state = (model.opened.contains(&id), model.current == Some(id));
            let kept = known.iter().position(|shown| !is_new && shown.id == id && shown.state == state);
            if let Some(at) = kept {
                self.shown.push(known.swap_remove(at));
            } else if let Some(element) =
                model.store.line(id, |line| line::element(line, &style, state.0, state.1)).transpose()?
            {
                self.shown.push(ShownLine { id, state, element });
            }
        }
        for old in known {
            old.element.remove();
        }
        let mut next = elements.block.first_element_child();
        for ShownLine { element, .. } in &self.shown {
            if next.as_ref() == Some(element) {
                next = element.next_element_sibling();
            } else {
                elements.block.insert_before(element, next.as_deref())?;
            }
        }
        if focused.is_some_and(|element| !element.is_connected()) {
            // The button of the same line, or the scroll container.
            let line = self.shown.iter().find(|shown| Some(shown.id) == had_focus);
            let button =
                line.and_then(|shown| shown.element.query_selector(&format!("[{}]", line::OPEN)).ok().flatten());
            let button = button.and_then(|button| button.dyn_into::<HtmlElement>().ok());
            // The button of a long line that was opened is far above its end: scrolling to it would turn off follow
            // mode and unmount the line.
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            button.as_ref().unwrap_or(&elements.scroller).focus_with_options(&options)?;
        }
        Ok(())
    }

    /// Records that the viewport was resized.
    pub(super) fn resized(&mut self) {
        self.is_resized = true;
    }

    /// Records a scroll. Returns whether the user scrolled upwards, and whether the end is in view.
    pub(super) fn scrolled(&mut self, elements: &Elements) -> (bool, bool) {
        let before = self.top;
        self.top = f64::from(elements.scroller.scroll_top());
        let rest = f64::from(elements.scroller.scroll_height() - elements.scroller.client_height()) - self.top;
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
fn scroll(elements: &Elements, top: f64) {
    elements.scroller.set_scroll_top(top.ceil() as i32);
}
