//! Actions on one object or several: the menu, and the dialog of the chosen action. Deferred code.
//!
//! `table`, `request` and `body` are pure: which kinds have which action, the right it needs, and the request it makes.
//! `Subjects` are the objects; `Run` sends one request for each of them and waits until the watch confirms it.

mod body;
mod confirm;
mod debug;
mod delete;
mod dependents;
mod labels;
mod menu;
mod outcome;
mod part;
mod permission;
mod request;
mod roll_back;
mod run;
mod scale;
mod subject;
mod table;
mod typed;

pub(crate) use debug::{Added, added};
pub(crate) use menu::{Menu, on_shortcut};
pub(crate) use request::Target;
pub(crate) use run::Replaced;
pub(crate) use subject::{Subject, Subjects, parsed};

use leptos::prelude::*;

use table::Action;

/// The dialog of an action.
fn dialog_of(subjects: Subjects, action: Action, close: Callback<()>) -> AnyView {
    match action {
        Action::Edit => part::edit(subjects, close).into_any(),
        Action::Drain => part::drain(subjects, close).into_any(),
        Action::Debug => debug::debug(subjects, close).into_any(),
        Action::Delete => delete::delete(subjects, close).into_any(),
        Action::Scale => scale::scale(subjects, close).into_any(),
        Action::RollBack => roll_back::roll_back(subjects, close).into_any(),
        Action::Labels => labels::labels(subjects, close).into_any(),
        other => confirm::confirm(subjects, other, close).into_any(),
    }
}
