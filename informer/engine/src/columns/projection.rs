//! Projections: the functions of the column table, from an object to a cell.

use std::borrow::Cow;

use informer_packing::Json;

use super::ColumnType::{self, Duration, Number, Ratio, Text, Time};
use super::read::{integer, is_true, items, join, minute, moment, ratio, scalar, string, text};
use super::subject::{Subject, condition};
use super::{Cell, batch, event, metrics, network, node, pod, pod_resources, quota, rbac, selector, storage};

/// Computes a cell from an object and the arguments in the column table.
pub(super) type Projection = fn(&Subject<'_, '_>, &str) -> Cell;

/// Looks up a word of the table: its projection, and the type of its cells.
pub(super) fn find(word: &str) -> Option<(Projection, ColumnType)> {
    WORDS.iter().find(|(known, ..)| *known == word).map(|(_, projection, column_type)| (*projection, *column_type))
}

/// Projections by their word in the column table (`table.rs`). Arguments are separated by spaces; those that start with
/// `/` are JSON pointers, others are defaults.
const WORDS: &[(&str, Projection, ColumnType)] = &[
    // For any kind.
    ("text", first_text, Text),
    ("number", first_number, Number),
    ("count", count, Number),
    ("time", time, Time),
    ("minute", first_minute, Number),
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
    // For one or two kinds.
    ("podReady", pod::ready, Ratio),
    ("podStatus", pod::status, Text),
    ("podRestarts", pod::restarts, Number),
    ("podLastRestart", pod::last_restart, Time),
    ("podRestartMinute", pod::restart_minute, Number),
    ("readinessGates", pod::readiness_gates, Text),
    ("podResource", pod_resources::amount, Number),
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

/// First string, number or boolean, unchanged; otherwise the argument that is not a pointer.
fn first_text(object: &Subject<'_, '_>, arguments: &str) -> Cell {
    let either = |at| if str::starts_with(at, '/') { scalar(object.pointer(at)?) } else { Some(Cow::Borrowed(at)) };
    arguments.split(' ').find_map(either).map_or(Cell::None, |text| Cell::Text(text.into_owned()))
}

/// First integer other than 0; otherwise the argument after the pointers, or 0.
fn first_number(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let number = |at: &str| if at.starts_with('/') { integer(object.pointer(at)) } else { at.parse().unwrap_or(0) };
    Cell::Number(pointers.split(' ').map(number).find(|number| *number != 0).unwrap_or(0) as f64)
}

/// Total number of elements or members at these pointers.
fn count(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let size = |value: Json<'_>| value.items().count() + value.members().count();
    Cell::Number(pointers.split(' ').filter_map(|at| object.pointer(at)).map(size).sum::<usize>() as f64)
}

/// First time that is found.
fn time(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    pointers.split(' ').find_map(|at| moment(object.pointer(at))).map_or(Cell::None, Cell::Time)
}

/// Minute of the first time that is found.
fn first_minute(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    minute(pointers.split(' ').find_map(|at| moment(object.pointer(at))))
}

/// Time between two moments; open-ended without the second.
fn span(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let mut ends = pointers.split(' ').map(|at| moment(object.pointer(at)));
    match ends.next().flatten() {
        Some(start) => Cell::Duration(start, ends.next().flatten()),
        None => Cell::None,
    }
}

/// A number of seconds as a duration; empty for 0.
fn seconds(object: &Subject<'_, '_>, at: &str) -> Cell {
    match integer(object.pointer(at)) {
        0 => Cell::None,
        seconds => Cell::Duration(0.0, Some(seconds as f64 * 1000.0)),
    }
}

/// `true` or `false`; if missing, the argument after the pointer, or false.
fn flag(object: &Subject<'_, '_>, arguments: &str) -> Cell {
    let (at, missing) = arguments.split_once(' ').unwrap_or((arguments, ""));
    let value = object.pointer(at).and_then(Json::as_bool).unwrap_or(missing == "true");
    Cell::Text(if value { "true" } else { "false" }.to_owned())
}

/// `True` or `False`, as kubectl writes them; takes no default.
fn title_flag(object: &Subject<'_, '_>, at: &str) -> Cell {
    Cell::Text(if is_true(object.pointer(at)) { "True" } else { "False" }.to_owned())
}

/// Ratio of two integers.
fn two_numbers(object: &Subject<'_, '_>, pointers: &str) -> Cell {
    let (part, all) = pointers.split_once(' ').unwrap_or((pointers, ""));
    ratio(integer(object.pointer(part)), integer(object.pointer(all)))
}

/// Values joined by slashes; if there are none, the argument that is not a pointer.
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

/// One field of each element of an array, or the elements themselves, joined by commas.
fn each(object: &Subject<'_, '_>, arguments: &str) -> Cell {
    let (at, field) = arguments.split_once(' ').unwrap_or((arguments, ""));
    let mut list = String::new();
    for (index, element) in items(object.pointer(at)).enumerate() {
        if index > 0 {
            list.push(',');
        }
        list.push_str(&string(if field.is_empty() { Some(element) } else { element.get(field) }));
    }
    text(list.into())
}
