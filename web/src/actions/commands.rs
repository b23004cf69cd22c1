//! Commands: the actions of the page's menus, as entries of the command palette.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;

use super::permission::Permissions;
use super::subject::Subjects;
use super::table::{Action, Item};

/// Chooses an action of a menu: opens its dialog.
pub(super) type Choose = Rc<dyn Fn(Action)>;

/// Menu of the page, as the palette lists it. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Commands {
    pub(super) subjects: Subjects,
    pub(super) disabled: Signal<bool>,
    /// Whether its actions are listed while it is closed.
    pub(super) listed: RwSignal<bool>,
    pub(super) offered: RwSignal<Vec<(Item, Option<String>)>>,
    pub(super) permissions: Permissions,
    /// Whether it is the menu of the marked rows.
    pub(super) is_for_marks: bool,
    /// What a key has requested, until the objects are loaded.
    pub(super) requested: RwSignal<Option<KeyCommand>>,
    pub(super) choose: StoredValue<Choose, LocalStorage>,
}

/// Request of a key, without the menu.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KeyCommand {
    /// Opens the menu.
    Menu,
    /// Opens the editor.
    Edit,
    /// Opens the confirmation of a deletion.
    Delete,
}

thread_local! {
    static MENUS: RefCell<Vec<Commands>> = const { RefCell::new(Vec::new()) };
    /// Request for the menu of the object that is being opened.
    static PENDING: Cell<Option<KeyCommand>> = const { Cell::new(None) };
}

/// Performs a key's request on the marked rows, otherwise on the open object. Returns whether there is a menu for it.
pub(crate) fn perform(command: KeyCommand) -> bool {
    Commands::current().is_some_and(|menu| menu.requested.try_set(Some(command)).is_none())
}

/// Performs a key's request on the object that is opened next.
pub(crate) fn perform_when_opened(command: KeyCommand) {
    PENDING.set(Some(command));
}

/// The requests of keys to a new menu: that of an object begins with what was requested of it before it was opened.
pub(super) fn requests(is_for_marks: bool) -> RwSignal<Option<KeyCommand>> {
    RwSignal::new(if is_for_marks { None } else { PENDING.take() })
}

/// Registers a menu until its owner is cleaned up, and performs what keys request of it; `open` is whether it is open.
pub(super) fn register(menu: Commands, open: RwSignal<bool>) {
    MENUS.with_borrow_mut(|menus| menus.push(menu));
    on_cleanup(move || MENUS.with_borrow_mut(|menus| menus.retain(|known| known.listed != menu.listed)));
    Effect::new(move || {
        let action = match menu.requested.get() {
            None => return,
            Some(KeyCommand::Menu) => {
                menu.requested.set(None);
                return open.set(true);
            }
            Some(KeyCommand::Edit) => Action::Edit,
            Some(KeyCommand::Delete) => Action::Delete,
        };
        menu.listed.set(true);
        // Nothing is offered until the objects are loaded.
        if menu.offered.with(Vec::is_empty) {
            return;
        }
        menu.requested.set(None);
        untrack(|| {
            let is_offered = menu.offered.with(|items| items.iter().any(|(item, _)| item.action == action));
            if is_offered && menu.permissions.reason(action).is_none() {
                menu.choose(OpaqueAction(action));
            } else {
                // The menu has the reason.
                open.set(true);
            }
        });
        menu.listed.set(false);
    });
}

/// An action of a menu.
#[derive(Clone, PartialEq)]
pub(crate) struct Command {
    pub(crate) action: OpaqueAction,
    /// `Scale …`, with the number of objects if it does not apply to all of them.
    pub(crate) label: String,
    /// Reason why it is not allowed.
    pub(crate) reason: Option<String>,
}

/// An action, opaque outside of the actions.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct OpaqueAction(Action);

impl Commands {
    /// The menu that the key `a` opens: that of the marked rows, otherwise that of the open object.
    pub(crate) fn current() -> Option<Self> {
        let menus = MENUS.with_borrow(Clone::clone);
        let mut enabled = menus.into_iter().filter(|menu| !menu.disabled.try_get_untracked().unwrap_or(true));
        let first = enabled.next();
        let marks = first.into_iter().chain(enabled).find(|menu| menu.is_for_marks);
        marks.or(first)
    }

    /// Starts or stops listing the actions.
    pub(crate) fn list(self, listed: bool) {
        self.listed.try_set(listed);
    }

    /// Objects of the actions: `Deployment web`, or `3 Pods`.
    pub(crate) fn about(self) -> String {
        self.subjects.description()
    }

    /// The actions; none until the objects are loaded. Tracked.
    pub(crate) fn all(self) -> Vec<Command> {
        let command = |(item, part): (Item, Option<String>)| Command {
            action: OpaqueAction(item.action),
            label: format!("{}{}", item.label, part.unwrap_or_default()),
            reason: self.permissions.reason(item.action),
        };
        self.offered.try_get().unwrap_or_default().into_iter().map(command).collect()
    }

    /// Opens the dialog of an action, unless it is not allowed. The actions must be listed.
    pub(crate) fn choose(self, OpaqueAction(action): OpaqueAction) {
        if let Some(choose) = self.choose.try_get_value() {
            choose(action);
        }
    }
}
