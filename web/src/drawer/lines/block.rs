//! Block of lines in the document: changed lines are replaced, others keep their elements.

use std::collections::HashMap;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use super::line::{self, ACTION_ATTRIBUTE, Action};
use super::marks::Id;
use super::shown_line::{ElementKey, ShownLine};

/// Pressed button, by its line: its replacement takes the focus.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PressedButton {
    pub(super) action: Action,
    /// Id of the secret value, if there is one: its line gets another id when it is revealed.
    pub(super) secret: Option<String>,
    pub(super) id: Id,
}

impl PressedButton {
    fn is_on(&self, shown_line: &ShownLine) -> bool {
        match &self.secret {
            Some(secret) => shown_line.line.secret.as_ref().is_some_and(|other| other.id == *secret),
            None => shown_line.id == self.id,
        }
    }
}

/// Content of a block: the elements of its lines, in order.
#[derive(Default)]
pub(super) struct BlockContent(Vec<(ElementKey, Element)>);

impl BlockContent {
    /// Shows these lines, and no others.
    pub(super) fn show(
        &mut self,
        block: &Element,
        lines: Vec<ShownLine>,
        pressed: &mut Option<PressedButton>,
    ) -> Result<(), JsValue> {
        let mut previous: HashMap<ElementKey, Element> = self.0.drain(..).collect();
        let mut created = None;
        for shown_line in lines {
            let element_key = shown_line.element_key();
            let kept = previous.remove(&element_key);
            let element = if let Some(element) = kept {
                element
            } else {
                let element = line::element(&shown_line)?;
                let is_pressed = pressed.as_ref().is_some_and(|pressed| pressed.is_on(&shown_line));
                created = created.or_else(|| pressed.take_if(|_| is_pressed).map(|pressed| (pressed, element.clone())));
                element
            };
            self.0.push((element_key, element));
        }
        for element in previous.into_values() {
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
        if let Some((PressedButton { action, .. }, element)) = created {
            let button = element.query_selector(&format!("[{ACTION_ATTRIBUTE}={}]", action.name()))?;
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

    /// Line that an element of the document is in.
    pub(super) fn line_of(&self, element: &Element) -> Option<Id> {
        self.0.iter().find(|(_, line)| line.contains(Some(element))).map(|((id, _), _)| *id)
    }
}
