//! Commands: the actions of the page's menus, as entries of the command palette.

use std::cell::RefCell;
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
    /// Whether it is open.
    pub(super) open: RwSignal<bool>,
    /// CSS selector of the menu with its button.
    pub(super) area: &'static str,
    /// Action that a key has requested, until its dialog opens (`key_command.rs`).
    pub(super) requested: RwSignal<Option<Action>>,
    pub(super) choose: StoredValue<Choose, LocalStorage>,
}

thread_local! {
    static MENUS: RefCell<Vec<Commands>> = const { RefCell::new(Vec::new()) };
}

/// Registers a menu until its owner is cleaned up.
pub(super) fn register(menu: Commands) {
    MENUS.with_borrow_mut(|menus| menus.push(menu));
    on_cleanup(move || MENUS.with_borrow_mut(|menus| menus.retain(|known| known.listed != menu.listed)));
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
pub(crate) struct OpaqueAction(pub(super) Action);

impl Commands {
    /// The menus whose button is enabled.
    pub(super) fn enabled() -> Vec<Self> {
        let mut menus = MENUS.with_borrow(Clone::clone);
        menus.retain(|menu| !menu.disabled.try_get_untracked().unwrap_or(true));
        menus
    }

    /// The menu whose actions the palette lists: that of the marked rows, otherwise that of the open object.
    pub(crate) fn current() -> Option<Self> {
        let menus = Self::enabled();
        menus.iter().find(|menu| menu.is_for_marks).or(menus.first()).copied()
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
