//! Element of one line: time, origin, text in its colours with matches marked, and its details.
//!
//! Created through the DOM, as cells are. Text from a container only becomes text nodes.

use leptos::prelude::document;
use log_lines::{Field, Line, Pattern, Source, fields, may_open, pieces};
use wasm_bindgen::JsValue;
use web_sys::Element;

use crate::age::thousands;
use crate::visible::{Part, parts};

/// A line with more characters than this is clipped until it is opened.
const MAX_UNCLIPPED_CHARS: usize = 2_000;
/// Colours of origins; style.css has as many.
const COLOURS: usize = 8;

/// The attribute of the button that opens a line.
pub(super) const OPEN: &str = "data-open";
/// The attribute of a line that has its number.
pub(super) const ID: &str = "data-id";

/// Format of timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Times {
    #[default]
    None,
    Utc,
    Local,
}

/// Appearance of lines.
pub(super) struct LineStyle<'a> {
    pub(super) times: Times,
    /// All origins, if lines have several.
    pub(super) sources: Option<&'a [Source]>,
    /// Whether an origin names its namespace.
    pub(super) with_namespace: bool,
    pub(super) pattern: Option<&'a Pattern>,
}

/// The element of a line.
pub(super) fn element(
    line: &Line<'_>,
    style: &LineStyle<'_>,
    is_open: bool,
    is_current: bool,
) -> Result<Element, JsValue> {
    let element = create("div", if is_current { "log-line current" } else { "log-line" })?;
    element.set_attribute(ID, &line.id.to_string())?;
    if let Some(level) = level(line.level) {
        element.set_attribute("data-level", level)?;
    }
    let clipped = clip(line.text);
    let opens = may_open(line.text);
    if opens || clipped.is_some() {
        let label = match (opens, is_open) {
            (true, false) => "Show the fields of this line",
            (true, true) => "Hide the fields of this line",
            (false, false) => "Show the whole line",
            (false, true) => "Show less of this line",
        };
        let button = create("button", "log-open")?;
        button.set_attribute("type", "button")?;
        button.set_attribute(OPEN, "")?;
        button.set_attribute("aria-expanded", if is_open { "true" } else { "false" })?;
        button.set_attribute("aria-label", label)?;
        button.set_attribute("title", label)?;
        element.append_child(&button)?;
    }
    if let Some(time) = time(line, style.times) {
        let span = child(&element, "span", "log-time")?;
        span.set_text_content(Some(&format!("{time} ")));
    }
    if let Some(source) = style.sources.and_then(|sources| sources.get(usize::from(line.source))) {
        let span = child(&element, "span", &format!("log-pod p{}", usize::from(line.source) % COLOURS))?;
        append_visible(&span, &source.label(style.with_namespace))?;
        span.append_with_str_1(" ")?;
    }
    let text = child(&element, "span", "log-text")?;
    let is_whole = is_open || clipped.is_none();
    let visible = if is_whole { line.text } else { clipped.unwrap_or_default() };
    for piece in pieces(visible, style.pattern) {
        let classes = piece.style.classes();
        let run = if piece.is_match || !classes.is_empty() {
            child(&text, if piece.is_match { "mark" } else { "span" }, &classes)?
        } else {
            text.clone()
        };
        append_visible(&run, &piece.text)?;
    }
    if !is_whole {
        note(&element, &format!("… {} bytes in all", thousands(line.text.len() as u64)))?;
    }
    if line.cut > 0 {
        note(&element, &format!("… {} more bytes were cut", thousands(u64::from(line.cut))))?;
    }
    if let Some(fields) = fields(line.text).filter(|_| is_open && opens) {
        let list = list(&fields)?;
        element.append_child(&list)?;
    }
    Ok(element)
}

fn level(level: log_lines::Level) -> Option<&'static str> {
    match level {
        log_lines::Level::Unknown => None,
        log_lines::Level::Debug => Some("debug"),
        log_lines::Level::Info => Some("info"),
        log_lines::Level::Warn => Some("warn"),
        log_lines::Level::Error => Some("error"),
    }
}

fn time(line: &Line<'_>, times: Times) -> Option<String> {
    let time = line.time?;
    let offset = match times {
        Times::None => return None,
        Times::Utc => None,
        Times::Local => {
            let at = js_sys::Date::new(&JsValue::from_f64((time.0 / 1_000_000) as f64));
            #[allow(clippy::cast_possible_truncation, reason = "minutes of a day")]
            let minutes = -at.get_timezone_offset() as i64;
            Some(minutes)
        }
    };
    Some(time.format(3, offset))
}

fn clip(text: &str) -> Option<&str> {
    let end =
        text.char_indices().nth(MAX_UNCLIPPED_CHARS).map(|(at, _)| at).filter(|_| text.len() > MAX_UNCLIPPED_CHARS)?;
    Some(&text[..end])
}

fn list(fields: &[Field]) -> Result<Element, JsValue> {
    let list = create("dl", "log-fields")?;
    for field in fields {
        let name = child(&list, "dt", "")?;
        append_visible(&name, &field.path)?;
        let value = child(&list, "dd", if field.is_text { "" } else { "raw" })?;
        append_visible(&value, &field.value)?;
    }
    Ok(list)
}

fn note(element: &Element, text: &str) -> Result<(), JsValue> {
    child(element, "span", "log-note")?.set_text_content(Some(text));
    Ok(())
}

fn create(tag: &str, classes: &str) -> Result<Element, JsValue> {
    let element = document().create_element(tag)?;
    if !classes.is_empty() {
        element.set_class_name(classes);
    }
    Ok(element)
}

fn child(parent: &Element, tag: &str, classes: &str) -> Result<Element, JsValue> {
    let element = create(tag, classes)?;
    parent.append_child(&element)?;
    Ok(element)
}

/// Text with its invisible characters as escapes.
fn append_visible(element: &Element, text: &str) -> Result<(), JsValue> {
    for part in parts(text) {
        match part {
            Part::Plain(text) => element.append_with_str_1(text)?,
            Part::Escape(escape) => child(element, "span", "escape")?.set_text_content(Some(&escape)),
        }
    }
    Ok(())
}
