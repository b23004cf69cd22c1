//! Actions on one object or several: the menu, and the dialog of the chosen action. Deferred code.
//!
//! `table`, `rights`, `request` and `body` are pure: which kinds have which action, the rights it needs, and the
//! request it makes. `Subjects` are the objects; `Run` sends one request for each of them and waits until the watch
//! confirms it.

mod action;
mod body;
mod commands;
mod confirm;
mod debug;
mod delete;
mod dependents;
mod key_command;
mod labels;
mod menu;
mod outcome;
mod owned;
mod part;
pub(crate) mod permission;
mod progress;
mod replicas;
mod request;
mod revision;
mod rights;
mod roll_back;
mod run;
mod scale;
mod subject;
mod table;
mod typed;

pub(crate) use commands::{Commands, OpaqueAction};
pub(crate) use debug::{DebugContainer, added_container};
pub(crate) use key_command::{KeyCommand, perform, perform_when_opened};
pub(crate) use menu::Menu;
pub(crate) use request::Target;
pub(crate) use run::Replacements;
pub(crate) use subject::{Subject, Subjects, parsed};

use leptos::prelude::*;

use confirm::Plan;
use table::Action;

/// The dialog of an action.
fn dialog_of(subjects: Subjects, action: Action, close: Callback<()>) -> AnyView {
    let confirm = |plan: Plan| confirm::confirm(subjects, action, plan, close).into_any();
    match action {
        Action::Edit => part::edit(subjects, close).into_any(),
        Action::Drain => part::drain(subjects, close).into_any(),
        Action::Debug => debug::debug(subjects, close).into_any(),
        Action::Delete => delete::delete(subjects, close).into_any(),
        Action::Scale => scale::scale(subjects, close).into_any(),
        Action::RollBack => roll_back::roll_back(subjects, close).into_any(),
        Action::Labels => labels::labels(subjects, close).into_any(),
        Action::Pause => confirm(Plan::pause()),
        Action::Resume => confirm(Plan::resume()),
        Action::Suspend => confirm(Plan::suspend()),
        Action::Unsuspend => confirm(Plan::unsuspend()),
        Action::Cordon => confirm(Plan::cordon()),
        Action::Uncordon => confirm(Plan::uncordon()),
        Action::Restart => confirm(Plan::restart()),
        Action::Trigger => confirm(Plan::trigger()),
        Action::Evict => confirm(Plan::evict()),
    }
}
