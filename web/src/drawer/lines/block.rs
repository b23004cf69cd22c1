//! Block of lines in the document: changed lines are replaced, others keep their elements.

use std::collections::HashMap;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::line::{self, ACT, Act};
use super::marks::Id;
use super::placed::{Look, Placed};

/// Pressed button, by its line: its replacement takes the focus.
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

/// Content of a block: the elements of its lines, in order.
#[derive(Default)]
pub(super) struct Shown(Vec<(Look, Element)>);

impl Shown {
    /// Shows these lines, and no others.
    pub(super) fn show(
        &mut self,
        block: &Element,
        lines: Vec<Placed>,
        pressed: &mut Option<Pressed>,
    ) -> Result<(), JsValue> {
        let mut known: HashMap<Look, Element> = self.0.drain(..).collect();
        let mut created = None;
        for placed in lines {
            let look = placed.look();
            let kept = known.remove(&look);
            let element = if let Some(element) = kept {
                element
            } else {
                let element = line::element(&placed)?;
                let is_pressed = pressed.as_ref().is_some_and(|pressed| pressed.is_on(&placed));
                created = created.or_else(|| pressed.take_if(|_| is_pressed).map(|pressed| (pressed, element.clone())));
                element
            };
            self.0.push((look, element));
        }
        for element in known.into_values() {
            element.remove();
        }
        let mut next = block.first_element_child();
        for (_, element) in &self.0 {
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

    /// Marks the current line, which gets an id.
    pub(super) fn set_current(&self, current: Option<Id>, element_id: &str) {
        for ((id, _), element) in &self.0 {
            let is_current = current == Some(*id);
            if element.has_attribute("id") == is_current {
                continue;
            }
            // A name without blanks is a class.
            let _ = if is_current {
                element.class_list().add_1("current")
            } else {
                element.class_list().remove_1("current")
            };
            let _ = if is_current { element.set_attribute("id", element_id) } else { element.remove_attribute("id") };
            let _ = element.set_attribute("aria-selected", if is_current { "true" } else { "false" });
        }
    }

    /// Which line an element of the document is in.
    pub(super) fn line_of(&self, element: &Element) -> Option<Id> {
        self.0.iter().find(|(_, line)| line.contains(Some(element))).map(|((id, _), _)| *id)
    }
}
