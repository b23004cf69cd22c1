//! Block of lines in the document: changed lines are replaced, others keep their elements.

use std::collections::HashMap;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::line::{self, ACT, Act};
use super::marks::Id;
use crate::yaml::Line;

/// A line as a block shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) id: Id,
    pub(super) line: Line,
    /// Whether it has just changed.
    pub(super) changed: bool,
    /// Whether all of a long value is shown.
    pub(super) whole: bool,
}

/// A button that was pressed, by its line: the one that comes in its place takes the focus.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pressed {
    pub(super) act: Act,
    /// A secret value is known by its own id: its line is another one when it is revealed.
    pub(super) secret: Option<String>,
    pub(super) id: Id,
}

impl Pressed {
    fn is_on(&self, placed: &Placed) -> bool {
        match &self.secret {
            Some(secret) => placed.line.secret.as_ref().is_some_and(|other| other.id == *secret),
            None => placed.id == self.id,
        }
    }
}

/// What a block shows: the elements of its lines, in order.
#[derive(Default)]
pub(super) struct Shown(Vec<(Id, bool, Element)>);

impl Shown {
    /// Shows these lines, and no others.
    pub(super) fn show(
        &mut self,
        block: &Element,
        lines: Vec<Placed>,
        pressed: &mut Option<Pressed>,
    ) -> Result<(), JsValue> {
        let mut known: HashMap<(Id, bool), Element> =
            self.0.drain(..).map(|(id, whole, element)| ((id, whole), element)).collect();
        let mut created = None;
        for placed in lines {
            let kept = known.remove(&(placed.id, placed.whole));
            let element = if let Some(element) = kept {
                element
            } else {
                let element = line::element(&placed.line, placed.changed, placed.whole)?;
                let is_pressed = pressed.as_ref().is_some_and(|pressed| pressed.is_on(&placed));
                created = created.or_else(|| pressed.take_if(|_| is_pressed).map(|pressed| (pressed, element.clone())));
                element
            };
            self.0.push((placed.id, placed.whole, element));
        }
        for element in known.into_values() {
            element.remove();
        }
        let mut next = block.first_element_child();
        for (_, _, element) in &self.0 {
            if next.as_ref() == Some(element) {
                next = element.next_element_sibling();
            } else {
                block.insert_before(element, next.as_deref())?;
            }
        }
        if let Some((Pressed { act, .. }, element)) = created {
            let button = element.query_selector(&format!("[{ACT}={}]", act.name()))?;
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                button.focus()?;
            }
        }
        Ok(())
    }

    /// Which line an element of the document is in.
    pub(super) fn line_of(&self, element: &Element) -> Option<Id> {
        self.0.iter().find(|(_, _, line)| line.contains(Some(element))).map(|(id, ..)| *id)
    }
}
