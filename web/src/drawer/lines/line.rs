//! Element of one line: its text, invisible characters as escapes, and the buttons of a long or secret value.
//!
//! Made by hand, as cells are: a block has a hundred lines, and views of their own would cost more than they show.

use leptos::prelude::document;
use wasm_bindgen::JsValue;
use web_sys::Element;

use crate::age::thousands;
use crate::visible::{Part, parts};
use crate::yaml::{Line, Secret};

/// A value with more characters than this is clipped.
const LONG: usize = 600;

/// So many characters of a clipped value are shown.
const CLIPPED: usize = 400;

/// A word of more bytes than this is cut anywhere, rather than put below its key.
const TOKEN: usize = 32;

/// The attribute of a button that says what it does.
pub(super) const ACT: &str = "data-act";

/// What a button does with the value of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Shows all of it, or less again.
    Unclip,
    /// Reveals it, or hides it again.
    Reveal,
    /// Puts it on the clipboard.
    Copy,
}

impl Act {
    /// The value of [`ACT`].
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unclip => "unclip",
            Self::Reveal => "reveal",
            Self::Copy => "copy",
        }
    }

    /// The act with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Unclip, Self::Reveal, Self::Copy].into_iter().find(|act| act.name() == name)
    }
}

/// The element of a line; marked if it has just `changed`, with all of a long value if it is `whole`.
pub(super) fn element(line: &Line, changed: bool, whole: bool) -> Result<Element, JsValue> {
    let Line { lead, key, value, note, secret } = line;
    let element = span(if changed { "line changed" } else { "line" })?;
    text(&element, lead)?;
    if !key.is_empty() {
        let name = span("key")?;
        shown(&name, key)?;
        element.append_child(&name)?;
        text(&element, if value.is_empty() { "" } else { " " })?;
    }
    let is_masked = secret.as_ref().is_some_and(|secret| secret.content.is_none());
    let has_token = value.split(' ').any(|word| word.len() > TOKEN);
    let held = span(match (is_masked, has_token) {
        (true, _) => "value masked",
        (_, true) => "value token",
        _ => "value",
    })?;
    let clip = clip(value);
    match clip {
        Some((_, clipped)) if !whole => shown(&held, clipped).and_then(|()| text(&held, "…"))?,
        _ => shown(&held, value)?,
    }
    element.append_child(&held)?;
    if !note.is_empty() {
        let comment = span("note")?;
        text(&comment, " # ")?;
        shown(&comment, note)?;
        element.append_child(&comment)?;
    }
    if let Some((count, _)) = clip {
        let all = format!("Show all {} characters", thousands(count as u64));
        let unclip = button(Act::Unclip, if whole { "Show less" } else { &all }, "")?;
        element.append_child(&unclip)?;
    }
    if let Some(Secret { name, content, .. }) = secret {
        let reveal = button(Act::Reveal, if content.is_some() { "Hide" } else { "Reveal" }, name)?;
        element.append_child(&reveal)?;
        if content.is_some() {
            let copy = button(Act::Copy, "", "")?;
            for attribute in ["aria-label", "title"] {
                copy.set_attribute(attribute, &format!("Copy {name} to the clipboard"))?;
            }
            element.append_child(&copy)?;
        }
    }
    Ok(element)
}

/// How many characters a long value has, and the first of them.
fn clip(value: &str) -> Option<(usize, &str)> {
    // Most values are short: their bytes need not be counted as characters.
    let count = (value.len() > LONG).then(|| value.chars().count()).filter(|count| *count > LONG)?;
    let end = value.char_indices().nth(CLIPPED).map_or(value.len(), |(at, _)| at);
    Some((count, &value[..end]))
}

fn span(class: &str) -> Result<Element, JsValue> {
    let element = document().create_element("span")?;
    element.set_class_name(class);
    Ok(element)
}

fn text(into: &Element, text: &str) -> Result<(), JsValue> {
    if !text.is_empty() {
        into.append_child(&document().create_text_node(text))?;
    }
    Ok(())
}

/// A text with its hidden characters as marked escapes.
fn shown(into: &Element, shown: &str) -> Result<(), JsValue> {
    for part in parts(shown) {
        match part {
            Part::Plain(plain) => text(into, plain)?,
            Part::Escape(escape) => {
                let mark = span("escape")?;
                mark.set_attribute("title", "Invisible character")?;
                text(&mark, &escape)?;
                into.append_child(&mark)?;
            }
        }
    }
    Ok(())
}

/// A button. What it is `of` is heard, and seen by its place.
fn button(act: Act, says: &str, of: &str) -> Result<Element, JsValue> {
    let button = document().create_element("button")?;
    button.set_class_name("inline");
    button.set_attribute("type", "button")?;
    button.set_attribute(ACT, act.name())?;
    text(&button, says)?;
    if !of.is_empty() {
        let heard = span("visually-hidden")?;
        text(&heard, &format!(" {of}"))?;
        button.append_child(&heard)?;
    }
    Ok(button)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_clipped_by_its_characters() {
        assert_eq!(clip(&"x".repeat(LONG)), None);
        assert_eq!(clip(&"é".repeat(LONG)), None, "bytes are no characters");
        let long = "é".repeat(LONG + 1);
        assert_eq!(clip(&long), Some((LONG + 1, &long[..2 * CLIPPED])));
    }

    #[test]
    fn acts_have_names() {
        for act in [Act::Unclip, Act::Reveal, Act::Copy] {
            assert_eq!(Act::named(act.name()), Some(act));
        }
        assert_eq!(Act::named("other"), None);
    }
}
