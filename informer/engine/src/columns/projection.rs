//! Projections: the functions of the column table, from an object to a cell.

use std::borrow::Cow;

use informer_packing::Json;

use super::Measure::{self, Duration, Number, Ratio, Text, Time};
use super::read::{is_true, items, join, moment, ratio, string, text, whole};
use super::subject::{Subject, condition};
use super::{Cell, batch, event, metrics, network, node, pod, quota, rbac, selector, storage};

/// Takes a cell from an object, given the arguments that the table has for it.
pub(super) type Projection = fn(&Subject<'_, '_>, &str) -> Cell;

/// A word of the table: what it does, and what it gives.
pub(super) fn find(word: &str) -> Option<(Projection, Measure)> {
    WORDS.iter().find(|(known, ..)| *known == word).map(|(_, projection, measure)| (*projection, *measure))
}

const WORDS: &[(&str, Projection, Measure)] = &[
    // Of any kind. Where several pointers are named, the first that leads to something counts.
    ("text", first_text, Text),
    ("number", first_number, Number),
    ("count", count, Number),
    ("time", time, Time),
    ("span", span, Duration),
    ("seconds", seconds, Duration),
    ("flag", flag, Text),
    ("Flag", title_flag, Text),
    ("ratio", two_numbers, Ratio),
    ("path", path, Text),
    ("each", each, Text),
    ("pairs", selector::pairs, Text),
    ("selector", selector::selector, Text),
    ("condition", |object, kind| text(condition(object, kind)), Text),
    // Of one or two.
    ("podReady", pod::ready, Ratio),
    ("podStatus", pod::status, Text),
    ("podRestarts", pod::restarts, Number),
    ("readinessGates", pod::readiness_gates, Text),
    ("jobStatus", batch::status, Text),
    ("completions", batch::completions, Text),
    ("controller", batch::controller, Text),
    ("targets", metrics::targets, Text),
    ("nodeStatus", node::status, Text),
    ("nodeRoles", node::roles, Text),
    ("nodeAddress", node::address, Text),
    ("kernel", node::kernel, Text),
    ("involved", event::involved, Text),
    ("source", event::source, Text),
    ("message", |object, at| text(string(object.pointer(at)).trim().into()), Text),
    ("externalIP", network::external_ip, Text),
    ("ports", network::ports, Text),
    ("endpoints", network::endpoints, Text),
    ("slicePorts", network::slice_ports, Text),
    ("sliceEndpoints", network::slice_endpoints, Text),
    ("hosts", network::hosts, Text),
    ("balancer", |object, _| text(network::balancer(object).into()), Text),
    ("tlsPorts", network::tls_ports, Text),
    ("parameters", network::parameters, Text),
    ("accessModes", storage::access_modes, Text),
    ("phase", storage::phase, Text),
    ("storageClass", storage::class, Text),
    ("defaultName", storage::default_name, Text),
    ("quota", quota::used, Text),
    ("subjects", rbac::subjects, Text),
    ("requestStatus", rbac::request_status, Text),
    ("available", rbac::available, Text),
];

/// A string, number or boolean, as it is written; else the word that is no pointer.
fn first_text(object: &Subject<'_, '_>, arguments: &str) -> Cell {
    let either = |at| if str::starts_with(at, '/') { scalar(object.pointer(at)?) } else { Some(Cow::Borrowed(at)) };
    arguments.split(' ').find_map(either).map_or(Cell::None, |text| Cell::Text(text.into_owned()))
}

/// What can be written in a cell as it is; nothing of what is empty.
pub(super) fn scalar(value: Json<'_>) -> Option<Cow<'_, str>> {
    let text = value.as_str().unwrap_or(Cow::Borrowed(value.text()));
    (!text.is_empty() && !value.is_null() && !value.text().starts_with(['{', '['])).then_some(text)
}

/// The first whole number that is not 0; else what stands behind the pointers, or 0.
fn first_number(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let number = |at: &str| if at.starts_with('/') { whole(object.pointer(at)) } else { at.parse().unwrap_or(0) };
    Cell::Number(pointers.split(' ').map(number).find(|number| *number != 0).unwrap_or(0) as f64)
}

/// How many elements or members there are, together.
fn count(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let size = |value: Json<'_>| value.items().count() + value.members().count();
    Cell::Number(pointers.split(' ').filter_map(|at| object.pointer(at)).map(size).sum::<usize>() as f64)
}

fn time(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    pointers.split(' ').find_map(|at| moment(object.pointer(at))).map_or(Cell::None, Cell::Time)
}

fn span(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let mut ends = pointers.split(' ').map(|at| moment(object.pointer(at)));
    match ends.next().flatten() {
        Some(start) => Cell::Duration(start, ends.next().flatten()),
        None => Cell::None,
    }
}

fn seconds(object: &Subject<'_, '_>, at: &str) -> Cell {
    match whole(object.pointer(at)) {
        0 => Cell::None,
        seconds => Cell::Duration(0.0, Some(seconds as f64 * 1000.0)),
    }
}

/// `true` or `false`; what is missing is what stands behind the pointer, or false.
fn flag(object: &Subject<'_, '_>, arguments: &str) -> Cell {
    let (at, missing) = arguments.split_once(' ').unwrap_or((arguments, ""));
    let value = object.pointer(at).and_then(Json::as_bool).unwrap_or(missing == "true");
    Cell::Text(if value { "true" } else { "false" }.to_owned())
}

/// The same, as kubectl writes it where it was asked to.
fn title_flag(object: &Subject<'_, '_>, at: &str) -> Cell {
    Cell::Text(if is_true(object.pointer(at)) { "True" } else { "False" }.to_owned())
}

fn two_numbers(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let (part, all) = pointers.split_once(' ').unwrap_or((pointers, ""));
    ratio(whole(object.pointer(part)), whole(object.pointer(all)))
}

/// What is there, with slashes between; if nothing is, the word that is no pointer.
fn path(object: &Subject<'_, '_>, arguments: &str) -> Cell {
    let mut path = String::new();
    for argument in arguments.split(' ') {
        if argument.starts_with('/') {
            let part = string(object.pointer(argument));
            if !part.is_empty() {
                join(&mut path, "/", &part);
            }
        } else if path.is_empty() {
            path.push_str(argument);
        }
    }
    text(path.into())
}

/// A field of each element of an array, or the elements themselves, with commas between.
fn each(object: &Subject<'_, '_>, arguments: &str) -> Cell {
    let (at, field) = arguments.split_once(' ').unwrap_or((arguments, ""));
    let mut list = String::new();
    for (place, element) in items(object.pointer(at)).enumerate() {
        if place > 0 {
            list.push(',');
        }
        list.push_str(&string(if field.is_empty() { Some(element) } else { element.get(field) }));
    }
    text(list.into())
}
