//! Object keys: one key, as in k9s, from the current row or the open object to a tab or a dialog. Deferred code.
//!
//! `d` the summary, `y` the YAML, `l` the logs, `s` the shell; `e` edits, Delete deletes after a confirmation, `a` opens
//! the actions. Marked rows have `a`, `l` and Delete for all of them (`marks/input.rs`).

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::actions::{self, KeyCommand};
use crate::drawer::{focus_shell, follow, has_tab};
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

/// Performs it on the open object, otherwise on the current row. Returns whether there is one that it applies to.
fn perform(meaning: Meaning, model: Model, navigator: Navigator) -> bool {
    if navigator.object.with_untracked(Option::is_some) {
        return match meaning {
            Meaning::Tab(SHELL) if focus::to(".drawer .shell-tools .primary") => true,
            // A tab that gets the focus is chosen.
            Meaning::Tab(name) => focus::to(&format!("#tab-{name}")) && prepare(name),
            Meaning::Command(command) => actions::perform(command),
        };
    }
    if let Meaning::Command(command) = meaning
        && model.marked.with_untracked(|marked| !marked.is_empty())
    {
        return actions::perform(command);
    }
    let row = || model.focused.get_untracked().and_then(|at| model.openable(at));
    let Some(key) = row().filter(|_| navigator.screen.get_untracked() == Screen::Table) else { return false };
    let tab = match meaning {
        Meaning::Tab(name) if !navigator.resource.with_untracked(|resource| has_tab(name, resource)) => return false,
        Meaning::Tab(name) => {
            follow();
            prepare(name);
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

/// Prepares a tab that will be shown: in that of the shells, the next Enter opens one.
fn prepare(name: &str) -> bool {
    if name == SHELL {
        focus_shell();
    }
    true
}
