//! Summaries of config maps, secrets and events: never a value of a Secret.

use serde_json::Value;

use super::general::{MOST, cut};
use crate::event;
use crate::field::Fields;
use crate::link::Link;
use crate::quantity::amount;
use crate::section::{Cell, Facts, Sections, Tone};
use crate::subject::Subject;

/// Keys and sizes.
pub(super) fn config_map(subject: &Subject<'_>, sections: &mut Sections) {
    let map = subject.object;
    facts(map, "ConfigMap", sections);
    let texts = map.members("data").map(|(key, value)| row(key, "text", value.as_str().unwrap_or_default().len()));
    let binary = map.members("binaryData").map(|(key, value)| row(key, "binary", decoded(value)));
    sections.table("Keys", &["Key", "Contents", "Size"], texts.chain(binary).take(MOST).collect());
}

/// Keys and sizes; the values are not read.
pub(super) fn secret(subject: &Subject<'_>, sections: &mut Sections) {
    let secret = subject.object;
    facts(secret, "Secret", sections);
    let keys = secret.members("data").map(|(key, value)| row(key, "secret", decoded(value)));
    sections.table("Keys", &["Key", "Contents", "Size"], keys.take(MOST).collect());
}

fn facts(object: &Value, title: &str, sections: &mut Sections) {
    let mut facts = Facts::default();
    facts.field("Type", object, "type");
    let keys = object.members("data").count() + object.members("binaryData").count();
    facts.text("Keys", keys.to_string());
    if object.is("immutable") {
        facts.text("Immutable", "yes");
    }
    sections.facts(title, facts);
}

fn row(key: &str, what: &str, size: usize) -> Vec<Cell> {
    let size = if size < 1024 { format!("{size} B") } else { amount("memory", size as f64) };
    vec![Cell::text(cut(key)), Cell::text(what), Cell::text(size)]
}

/// Number of bytes of a decoded Base64 text.
fn decoded(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    let padding = text.bytes().rev().take(2).filter(|byte| *byte == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding)
}

pub(super) fn event(subject: &Subject<'_>, sections: &mut Sections) {
    let event = subject.object;
    let mut facts = Facts::default();
    let kind = event.text("type");
    facts.cell("Type", Cell::text(cut(kind)).with_tone((kind == "Warning").then_some(Tone::Warn)));
    facts.field("Reason", event, "reason");
    facts.text("Message", cut(event::message(event)));
    let about = event::about(event);
    if !about.text("name").is_empty() {
        let group = crate::field::group_of(about.text("apiVersion"));
        facts.cell(
            "About",
            Cell::kind_link(Link::new(group, about.text("kind"), about.text("namespace"), about.text("name"))),
        );
    }
    facts.text("Part", cut(about.text("fieldPath")));
    facts.text("Count", event::count(event).to_string());
    facts.cell("Last seen", Cell::time(event::last_seen(event)));
    facts.time("First seen", event, "firstTimestamp");
    facts.field("Reported by", event, "reportingComponent");
    facts.field("Source", event, "source.component");
    facts.field("Host", event, "source.host");
    sections.facts("Event", facts);
}
