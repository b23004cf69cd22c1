//! Entry of the palette: what it shows, and what it does.

use informer::{GroupVersionResource, ResourceInfo};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::ranking::{Fit, Names, fit};
use crate::actions::{Commands, OpaqueAction};
use crate::drawer::{follow, to_object};
use crate::focus;
use crate::kinds;
use crate::namespaces::{joined, names};
use crate::navigation::to_kind;
use crate::navigator::Navigator;
use crate::route::{Route, Screen};
use crate::saved::{self, Kind};
use crate::screen_keys;

/// Groups of entries, in their order.
pub(super) const GROUPS: [&str; 5] = ["Pages", "Actions", "Kinds", "Commands", "Namespaces"];

/// Action of an entry.
#[derive(Clone, PartialEq)]
pub(super) enum Target {
    Screen(Screen),
    Kind(GroupVersionResource),
    /// A kind in namespaces, as the text of `namespaces.rs`.
    KindIn(GroupVersionResource, String),
    /// Namespaces, or all.
    Namespaces(Option<String>),
    /// A saved view, as the hash of an address.
    View(String),
    /// Saves a text under a name that the user enters.
    Save(Kind, String),
    Action(OpaqueAction),
    /// Presses the first element of the page that matches a CSS selector.
    Press(&'static str),
    Object(GroupVersionResource, String),
}

/// One line of the palette.
#[derive(Clone, PartialEq)]
pub(super) struct Entry {
    /// Number of its group.
    pub(super) group: usize,
    pub(super) label: String,
    /// Text beside it: short names, the key, where a word was found.
    pub(super) note: String,
    /// Reason why it cannot be chosen.
    pub(super) reason: Option<String>,
    pub(super) names: Names,
    pub(super) target: Target,
    /// Saved text that the key Delete removes, by its name.
    pub(super) saved: Option<(Kind, String)>,
}

impl Entry {
    /// An object; `note` names where a word was found, if not in its key.
    pub(super) fn object(resource: &GroupVersionResource, key: String, note: String) -> Self {
        let (label, target) = (key.clone(), Target::Object(resource.clone(), key));
        Self { group: GROUPS.len(), label, note, reason: None, names: Names::default(), target, saved: None }
    }

    pub(super) fn new(group: usize, label: &str, note: &str, target: Target) -> Self {
        let names = Names::of(&[label]);
        Self { group, label: label.to_owned(), note: note.to_owned(), reason: None, names, target, saved: None }
    }
}

/// Commands that press a control of the page: name, key, and its CSS selector. One that the page does not have now is
/// left out.
const CONTROLS: [(&str, &str, &str); 14] = [
    ("Columns of the table", "C", ".body:not(.other-screen) .table-tools .columns"),
    ("Group rows by a column", "b", ".body:not(.other-screen) .table-tools .group-rows[aria-pressed=false]"),
    ("Show the rows without groups", "b", ".body:not(.other-screen) .table-tools .group-rows[aria-pressed=true]"),
    ("Export rows", "", ".body:not(.other-screen) .table-tools .export"),
    ("Create from YAML", "c", ".bar [aria-label='Create from YAML']"),
    ("Change the theme", "", ".bar [aria-label^='Theme']"),
    ("Help: filter language and keys", "?", ".help-button"),
    ("Status and connection details", "", ".status .freshness"),
    ("Full page, or beside the table", "f", ".drawer [aria-keyshortcuts=f]"),
    ("Close the open object", "Esc", ".drawer header > [aria-label=Close]"),
    ("Logs of the marked rows", "l", ".marks:not([hidden]) [aria-keyshortcuts=l]:not(:disabled)"),
    ("Add the kind to the favourites", "*", ".kinds a[aria-current] ~ .star[aria-pressed=false]"),
    ("Remove the kind from the favourites", "*", ".kinds a[aria-current] ~ .star[aria-pressed=true]"),
    ("Clear the marks", "Esc", ".marks:not([hidden]) > .button:last-of-type"),
];

/// Entries of the page, its kinds and namespaces. `menu` has the actions.
pub(super) fn entries(resources: &[ResourceInfo], namespaces: &[String], menu: Option<Commands>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for screen in Screen::OTHERS {
        if let Some((_, name)) = screen.words() {
            entries.push(Entry::new(0, name, screen_keys::key_of(screen), Target::Screen(screen)));
        }
    }
    if let Some(menu) = menu {
        let about = menu.about();
        for command in menu.all() {
            let mut entry = Entry::new(1, &command.label, &about, Target::Action(command.action));
            entry.reason = command.reason;
            entries.push(entry);
        }
    }
    entries.extend(kinds::grouped(resources).into_iter().flat_map(|group| group.kinds).map(|kind| kind_entry(&kind)));
    for (name, key, selector) in CONTROLS {
        if control(selector).is_some() {
            entries.push(Entry::new(3, name, key, Target::Press(selector)));
        }
    }
    entries.push(Entry::new(4, "All namespaces", "", Target::Namespaces(None)));
    entries.extend(namespaces.iter().map(|name| Entry::new(4, name, "", Target::Namespaces(Some(name.clone())))));
    entries
}

fn kind_entry(kind: &kinds::Kind) -> Entry {
    let info = &kind.info;
    let note = info.short_names.iter().chain(Some(&info.group).filter(|group| !group.is_empty()));
    let note = note.cloned().collect::<Vec<_>>().join(" · ");
    let mut entry = Entry::new(2, &kind.label, &note, Target::Kind(info.gvr()));
    let qualified = format!("{}.{}", info.resource, info.group);
    let own = info.short_names.iter().map(String::as_str).chain([info.resource.as_str(), &info.kind, &qualified]);
    entry.names = Names { shared: vec![info.group.clone()], ..Names::of(&own.collect::<Vec<_>>()) };
    entry
}

/// `pods kube-system`, as in k9s: a kind by its exact name, and a namespace or a saved set of them. Names that are not
/// listed come last, because listing may be forbidden; they may be several, with commas.
pub(super) fn in_namespace(typed: &str, entries: &[Entry]) -> Vec<Entry> {
    let Some((kind, namespace)) = typed.split_once(char::is_whitespace) else { return Vec::new() };
    let namespace = namespace.trim();
    let is_kind =
        |entry: &&Entry| matches!(entry.target, Target::Kind(_)) && fit(kind, &entry.names) == Some(Fit::Exact);
    let Some((kind, Target::Kind(resource))) = entries.iter().find(is_kind).map(|entry| (entry, &entry.target)) else {
        return Vec::new();
    };
    let mut found: Vec<(Fit, &str, String)> = entries
        .iter()
        .filter_map(|entry| match &entry.target {
            Target::Namespaces(Some(text)) => Some((fit(namespace, &entry.names)?, entry.label.as_str(), text.clone())),
            _ => None,
        })
        .collect();
    found.sort_by_key(|(fit, ..)| *fit);
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let is_listed = found.iter().any(|(fit, ..)| *fit == Fit::Exact);
    let typed = joined(names(namespace)).filter(|_| names(namespace).all(is_name) && !is_listed);
    found
        .into_iter()
        .chain(typed.map(|text| (Fit::Shared, namespace, text)))
        .map(|(_, name, text)| {
            let label = format!("{} in {name}", kind.label);
            Entry::new(2, &label, "", Target::KindIn(resource.clone(), text))
        })
        .collect()
}

fn control(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok().flatten()?.dyn_into().ok()
}

/// Performs the action of an entry, after the palette has closed and the focus has returned.
pub(super) fn run(target: Target, navigator: Navigator) {
    let go = |change: &dyn Fn(&mut Route)| {
        navigator.go(|route| change(route));
        focus::table();
    };
    match target {
        Target::Screen(screen) => go(&|route| {
            *route = Route { screen, namespaces: route.namespaces.take(), ..Route::default() };
        }),
        Target::Kind(resource) => go(&to_kind(resource)),
        Target::KindIn(resource, namespaces) => go(&|route| {
            to_kind(resource.clone())(route);
            route.namespaces = Some(namespaces.clone());
        }),
        Target::Namespaces(names) => go(&|route| (route.namespaces, route.object) = (names.clone(), None)),
        Target::View(hash) => go(&|route| {
            if let Ok(view) = Route::parse(&hash) {
                *route = Route { object: None, ..view };
            }
        }),
        Target::Save(kind, text) => saved::open_save_dialog(kind, text),
        // The menu chooses it.
        Target::Action(_) => {}
        Target::Press(selector) => {
            if let Some(control) = control(selector) {
                control.click();
            }
        }
        Target::Object(resource, key) => {
            follow();
            navigator.go(|route| to_object(route, &resource, &key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed() -> Vec<Entry> {
        let info = |group: &str, kind: &str, resource: &str, short: &str| ResourceInfo {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            kind: kind.to_owned(),
            namespaced: true,
            verbs: vec!["list".to_owned(), "watch".to_owned()],
            short_names: vec![short.to_owned()],
            scale: false,
        };
        let resources = [info("", "Pod", "pods", "po"), info("apps", "Deployment", "deployments", "deploy")];
        let mut entries: Vec<Entry> = kinds::grouped(&resources)
            .into_iter()
            .flat_map(|group| group.kinds)
            .map(|kind| kind_entry(&kind))
            .collect();
        for name in ["kube-system", "default", "system"] {
            entries.push(Entry::new(4, name, "", Target::Namespaces(Some(name.to_owned()))));
        }
        entries
    }

    #[test]
    fn a_kind_and_a_namespace_are_found_as_in_k9s() {
        let labels =
            |typed: &str| in_namespace(typed, &listed()).into_iter().map(|entry| entry.label).collect::<Vec<_>>();
        assert_eq!(labels("po system"), ["Pods in system", "Pods in kube-system"]);
        assert_eq!(
            labels("deployments.apps  def"),
            ["Deployments in default", "Deployments in def"],
            "perhaps not listed"
        );
        assert_eq!(labels("pod "), ["Pods in kube-system", "Pods in default", "Pods in system"]);
        assert_eq!(labels("po b, a"), ["Pods in b, a"]);
        let several = in_namespace("po b, a", &listed());
        assert!(matches!(&several[0].target, Target::KindIn(_, text) if text == "a,b"));
        assert!(labels("p default").is_empty() && labels("po").is_empty() && labels("po <b>").is_empty());
    }
}
