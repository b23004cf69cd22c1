//! Element of one line: its text, invisible characters as escapes, and the buttons of a long or secret value.
//!
//! Created through the DOM, as cells are: a block has a hundred lines, and a Leptos view for each would be too slow.

use std::ops::Range;

use leptos::prelude::document;
use wasm_bindgen::JsValue;
use web_sys::Element;

use super::shown_line::{FoldState, ShownLine};
use crate::age::thousands;
use crate::visible::{Part, parts, visible};
use crate::yaml::{Line, Secret};

/// A value with more characters than this is clipped.
const MAX_UNCLIPPED_CHARS: usize = 600;

/// Number of shown characters of a clipped value.
const CLIPPED_CHARS: usize = 400;

/// Length in bytes above which a word may break anywhere, instead of moving below its key.
const LONG_WORD_BYTES: usize = 32;

/// Attribute of a button that names its action.
pub(super) const ACTION_ATTRIBUTE: &str = "data-act";

/// Action of a button on the value of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Shows all of a long value, or less again.
    Unclip,
    /// Reveals a secret value, or hides it again.
    Reveal,
    /// Puts the value on the clipboard.
    Copy,
    /// Folds the block that begins on the line, or opens it.
    Fold,
}

impl Action {
    /// The value of [`ACTION_ATTRIBUTE`].
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unclip => "unclip",
            Self::Reveal => "reveal",
            Self::Copy => "copy",
            Self::Fold => "fold",
        }
    }

    /// Looks up an action by its name.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Unclip, Self::Reveal, Self::Copy, Self::Fold].into_iter().find(|action| action.name() == name)
    }
}

/// The element of a line; marked if it has just changed.
pub(super) fn element(shown_line: &ShownLine) -> Result<Element, JsValue> {
    let ShownLine { line, changed, unclipped, fold, level, found, .. } = shown_line;
    let Line { lead, key, value, note, secret } = line;
    let element = span(if *changed { "line changed" } else { "line" })?;
    element.set_attribute("role", "treeitem")?;
    element.set_attribute("aria-level", &level.to_string())?;
    element.set_attribute("aria-selected", "false")?;
    if let Some(fold) = fold {
        let button = fold_button(*fold, if key.is_empty() { "this block" } else { key.trim_end_matches(':') })?;
        element.set_attribute("aria-expanded", if fold.hidden == 0 { "true" } else { "false" })?;
        element.append_child(&button)?;
    }
    let mut painter = Painter { found, at: 0 };
    painter.paint(&element, lead)?;
    if !key.is_empty() {
        let name = span("key")?;
        painter.paint(&name, key)?;
        element.append_child(&name)?;
        painter.paint(&element, if value.is_empty() { "" } else { " " })?;
    }
    let is_masked = secret.as_ref().is_some_and(|secret| secret.content.is_none());
    let has_token = value.split(' ').any(|word| word.len() > LONG_WORD_BYTES);
    let value_element = span(match (is_masked, has_token) {
        (true, _) => "value masked",
        (_, true) => "value token",
        _ if line.is_literal() => "value literal",
        _ => "value",
    })?;
    let clip = clip(value);
    let end = painter.at + value.len();
    match clip {
        // Matches must be visible.
        Some((_, clipped)) if !unclipped && !found.iter().any(|found| found.end > painter.at + clipped.len()) => {
            painter.paint(&value_element, clipped).and_then(|()| text(&value_element, "…"))?;
        }
        _ => painter.paint(&value_element, value)?,
    }
    painter.at = end;
    element.append_child(&value_element)?;
    if !note.is_empty() {
        let comment = span("note")?;
        painter.paint(&comment, " # ")?;
        painter.paint(&comment, note)?;
        element.append_child(&comment)?;
    }
    if let Some((count, _)) = clip {
        let all = format!("Show all {} characters", thousands(count as u64));
        let unclip = button(Action::Unclip, if *unclipped { "Show less" } else { &all }, "")?;
        element.append_child(&unclip)?;
    }
    if let Some(Secret { name, content, .. }) = secret {
        let reveal = button(Action::Reveal, if content.is_some() { "Hide" } else { "Reveal" }, name)?;
        element.append_child(&reveal)?;
        if content.is_some() {
            let copy = button(Action::Copy, "", "")?;
            for attribute in ["aria-label", "title"] {
                copy.set_attribute(attribute, &format!("Copy {name} to the clipboard"))?;
            }
            element.append_child(&copy)?;
        }
    }
    if let Some(FoldState { hidden }) = fold.filter(|fold| fold.hidden > 0) {
        // Shown by the style sheet, so that it is not copied with the text of the object.
        element.set_attribute(
            "data-hidden",
            &if hidden == 1 { "1 line".to_owned() } else { format!("{} lines", thousands(hidden as u64)) },
        )?;
    }
    Ok(element)
}

/// The button that folds a block. It is not in the order of tabs: the arrow keys do the same.
fn fold_button(fold: FoldState, block_name: &str) -> Result<Element, JsValue> {
    let button = document().create_element("button")?;
    button.set_class_name("fold");
    button.set_attribute("type", "button")?;
    button.set_attribute("tabindex", "-1")?;
    button.set_attribute(ACTION_ATTRIBUTE, Action::Fold.name())?;
    let label = format!("{} {}", if fold.hidden == 0 { "Fold" } else { "Unfold" }, visible(block_name));
    button.set_attribute("aria-label", &label)?;
    Ok(button)
}

/// Painter of the text of a line, in which matches are marked.
struct Painter<'a> {
    found: &'a [Range<usize>],
    /// Number of painted bytes.
    at: usize,
}

impl Painter<'_> {
    fn paint(&mut self, into: &Element, content: &str) -> Result<(), JsValue> {
        for (piece, is_found) in pieces(content, self.at, self.found) {
            if is_found {
                let mark = document().create_element("mark")?;
                append_visible(&mark, piece)?;
                into.append_child(&mark)?;
            } else {
                append_visible(into, piece)?;
            }
        }
        self.at += content.len();
        Ok(())
    }
}

/// Pieces of a part of a text, cut where matches begin and end; the part begins at `at`.
fn pieces<'a>(text: &'a str, at: usize, found: &[Range<usize>]) -> Vec<(&'a str, bool)> {
    let (mut pieces, mut done) = (Vec::new(), 0);
    for found in found.iter().filter(|found| found.end > at && found.start < at + text.len()) {
        let (start, end) = (found.start.saturating_sub(at), (found.end - at).min(text.len()));
        for (range, is_found) in [(done..start, false), (start..end, true)] {
            pieces.extend(text.get(range).filter(|piece| !piece.is_empty()).map(|piece| (piece, is_found)));
        }
        done = end;
    }
    pieces.extend(text.get(done..).filter(|piece| !piece.is_empty()).map(|piece| (piece, false)));
    pieces
}

/// Number of characters of a long value, and the first of them.
fn clip(value: &str) -> Option<(usize, &str)> {
    // Most values are short: their bytes need not be counted as characters.
    let count = (value.len() > MAX_UNCLIPPED_CHARS)
        .then(|| value.chars().count())
        .filter(|count| *count > MAX_UNCLIPPED_CHARS)?;
    let end = value.char_indices().nth(CLIPPED_CHARS).map_or(value.len(), |(at, _)| at);
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
fn append_visible(into: &Element, shown: &str) -> Result<(), JsValue> {
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

/// Button. `value` is in the label for screen readers only.
fn button(action: Action, label: &str, value: &str) -> Result<Element, JsValue> {
    let button = document().create_element("button")?;
    button.set_class_name("inline");
    button.set_attribute("type", "button")?;
    button.set_attribute(ACTION_ATTRIBUTE, action.name())?;
    text(&button, label)?;
    if !value.is_empty() {
        let hidden_label = span("visually-hidden")?;
        text(&hidden_label, &format!(" {value}"))?;
        button.append_child(&hidden_label)?;
    }
    Ok(button)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_clipped_by_its_characters() {
        assert_eq!(clip(&"x".repeat(MAX_UNCLIPPED_CHARS)), None);
        assert_eq!(clip(&"é".repeat(MAX_UNCLIPPED_CHARS)), None, "bytes are no characters");
        let long = "é".repeat(MAX_UNCLIPPED_CHARS + 1);
        assert_eq!(clip(&long), Some((MAX_UNCLIPPED_CHARS + 1, &long[..2 * CLIPPED_CHARS])));
    }

    #[test]
    fn a_text_is_split_at_matches() {
        let found = [2..4, 6..9];
        assert_eq!(pieces("abcd", 0, &found), [("ab", false), ("cd", true)]);
        assert_eq!(pieces("efgh", 4, &found), [("ef", false), ("gh", true)], "it goes on in the next part");
        assert_eq!(pieces("ij", 8, &found), [("i", true), ("j", false)]);
        assert_eq!(pieces("", 4, &found), []);
        assert_eq!(pieces("é", 0, std::slice::from_ref(&(1..2))), [], "no text is cut within a character");
    }

    #[test]
    fn actions_have_names() {
        for action in [Action::Unclip, Action::Reveal, Action::Copy, Action::Fold] {
            assert_eq!(Action::named(action.name()), Some(action));
        }
        assert_eq!(Action::named("other"), None);
    }
}
