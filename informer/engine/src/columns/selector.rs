//! Labels and label selectors, as `kubectl get` writes them.

use std::fmt::Write;

use informer_packing::Keys;

use super::Cell;
use super::read::{Sorted, items, join, members, string, text};
use super::subject::Subject;

/// Formats labels as `app=web,tier=front`. The apiserver writes members sorted by name.
pub(super) fn pairs(object: &Subject<'_, '_>, at: &str) -> Cell {
    let mut list = String::new();
    for (key, value) in members(object.pointer(at)) {
        join(&mut list, ",", &key);
        list.push('=');
        list.push_str(&string(Some(value)));
    }
    text(list.into())
}

/// Formats a selector as `app=web,tier in (back,front),!canary`, sorted by key.
pub(super) fn selector(object: &Subject<'_, '_>, at: &str) -> Cell {
    let Some(selector) = object.pointer(at) else { return Cell::None };
    // Keys are stored beside the texts, because requirements are sorted by key alone.
    let (mut keys, mut requirements) = (Keys::default(), Vec::new());
    let mut push = |key: &str, requirement: String| {
        keys.push(&mut |into| into.extend_from_slice(key.as_bytes()));
        requirements.push(requirement);
    };
    for (key, value) in members(selector.get("matchLabels")) {
        let requirement = format!("{key}={}", string(Some(value)));
        push(&key, requirement);
    }
    for expression in items(selector.get("matchExpressions")) {
        let key = string(expression.get("key"));
        let operator = string(expression.get("operator"));
        let mut requirement = if operator == "DoesNotExist" { format!("!{key}") } else { key.to_string() };
        let word = match &*operator {
            "In" => "in",
            "NotIn" => "notin",
            _ => "",
        };
        if !word.is_empty() {
            let mut values = Sorted::default();
            items(expression.get("values")).for_each(|value| values.insert(&string(Some(value))));
            // Writing to a string cannot fail.
            let _ = write!(requirement, " {word} ({})", values.joined());
        }
        push(&key, requirement);
    }
    let mut list = String::new();
    for number in keys.sorted() {
        join(&mut list, ",", &requirements[number as usize]);
    }
    text(list.into())
}
