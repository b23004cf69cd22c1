//! Object keys: one key, as in k9s, from the current row or the open object to a tab or a dialog. Deferred code.
//!
//! `d` the summary, `y` the YAML, `l` the logs, `s` the shell; `e` edits, Delete deletes after a confirmation, `a` opens
//! the actions. Marked rows have `a`, `l` and Delete for all of them (`marks/input.rs`).

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::actions::{self, KeyCommand};
use crate::drawer::{choose_tab, focus_shell, follow, has_tab};
use crate::keys::is_shortcut;
use crate::navigator::Navigator;
use crate::route::Screen;
use crate::table::model::Model;
use crate::{focus, layers};

/// Parts of the page in which these keys have no meaning.
const OTHER_KEY_AREAS: &str = ".bar, .navigation";

const SHELL: &str = "shell";

/// Meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// Name of a tab.
    Tab(&'static str),
    Command(KeyCommand),
}

fn meaning(key: &str) -> Option<Meaning> {
    Some(match key {
        "d" => Meaning::Tab("summary"),
        "y" => Meaning::Tab("yaml"),
        "l" => Meaning::Tab("logs"),
        "s" => Meaning::Tab(SHELL),
        "a" => Meaning::Command(KeyCommand::Menu),
        "e" => Meaning::Command(KeyCommand::Edit),
        "Delete" => Meaning::Command(KeyCommand::Delete),
        _ => return None,
    })
}

/// Handles these keys until the owner is cleaned up.
pub(crate) fn listen(model: Model, navigator: Navigator) {
    let on_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let Some(meaning) = meaning(&event.key()) else { return };
        if is_shortcut(&event)
            && !layers::is_any_open()
            && !focus::is_in(OTHER_KEY_AREAS)
            && perform(meaning, model, navigator)
        {
            event.prevent_default();
        }
    });
    on_cleanup(move || on_key.remove());
}

/// Performs a key. Returns false if nothing has this tab or these actions.
///
/// The open object comes before the current row. A command is for the marked rows instead, if the table is in sight and
/// the focus is not in the panel of the object.
fn perform(meaning: Meaning, model: Model, navigator: Navigator) -> bool {
    let is_table = navigator.screen.get_untracked() == Screen::Table;
    let (is_open, is_full) = (navigator.object.with_untracked(Option::is_some), navigator.full.get_untracked());
    let has_marks = || model.marked.with_untracked(|marked| !marked.is_empty());
    match meaning {
        Meaning::Command(command) if is_table && !is_full && !focus::is_in(".drawer") && has_marks() => {
            actions::perform(command, true)
        }
        Meaning::Command(command) if is_open => actions::perform(command, false),
        Meaning::Tab(name) if is_open => show_tab(name, navigator),
        _ if is_table => open_row(meaning, model, navigator),
        _ => false,
    }
}

/// Shows a tab of the open object, and moves the focus to it.
fn show_tab(name: &'static str, navigator: Navigator) -> bool {
    if name == SHELL && focus::to(".drawer .shell-tools .primary") {
        return true;
    }
    // Focused first: a tab chooses itself when it gets the focus, unless it has it already.
    let has_tab = focus::to(&format!("#tab-{name}"));
    if has_tab {
        if let (SHELL, Some(key)) = (name, navigator.object.get_untracked()) {
            focus_shell(key);
        }
        choose_tab(navigator, name);
    }
    has_tab
}

/// Opens the object of the current row.
fn open_row(meaning: Meaning, model: Model, navigator: Navigator) -> bool {
    let Some(key) = model.focused.get_untracked().and_then(|at| model.openable(at)) else { return false };
    let tab = match meaning {
        Meaning::Tab(name) if !navigator.resource.with_untracked(|resource| has_tab(name, resource)) => return false,
        Meaning::Tab(name) => {
            follow();
            if name == SHELL {
                focus_shell(key.clone());
            }
            Some(name.to_owned())
        }
        Meaning::Command(command) => {
            actions::perform_when_opened(command);
            None
        }
    };
    navigator.go(|route| (route.object, route.tab) = (Some(key), tab));
    true
}
