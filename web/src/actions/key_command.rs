//! Key commands: actions that a key requests of the open object, of the marked rows, or of an object that it opens.
//!
//! The request opens the menu, and its dialog replaces the menu once the objects and the permission are known. Until
//! then Escape, or a press beside the menu, cancels it. A rejected action leaves the menu open, which has the reason.

use std::cell::Cell;

use leptos::prelude::*;

use super::commands::{Commands, OpaqueAction};
use super::permission::Permission;
use super::table::Action;
use crate::focus;

/// Command of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KeyCommand {
    /// Opens the menu.
    Menu,
    /// Opens the editor.
    Edit,
    /// Opens the confirmation of a deletion.
    Delete,
}

impl KeyCommand {
    fn action(self) -> Option<Action> {
        match self {
            Self::Menu => None,
            Self::Edit => Some(Action::Edit),
            Self::Delete => Some(Action::Delete),
        }
    }
}

thread_local! {
    /// Command for the menu of the object that is being opened.
    static PENDING: Cell<Option<KeyCommand>> = const { Cell::new(None) };
}

/// Sends a command to the menu of the marked rows, or to that of the open object. Returns false without such a menu.
pub(crate) fn perform(command: KeyCommand, is_for_marks: bool) -> bool {
    let menu = Commands::enabled().into_iter().find(|menu| menu.is_for_marks == is_for_marks);
    menu.is_some_and(|menu| {
        begin(menu, command);
        true
    })
}

/// Sends a command to the menu of the object that is opened next.
pub(crate) fn perform_when_opened(command: KeyCommand) {
    PENDING.set(Some(command));
}

fn begin(menu: Commands, command: KeyCommand) {
    // Opened first: a closed menu cancels its request.
    menu.open.try_set(true);
    menu.requested.try_set(command.action());
}

/// Follows the requests of a new menu until its owner is cleaned up. The menu of an object takes the pending command.
pub(super) fn follow(menu: Commands) {
    if let Some(command) = PENDING.take().filter(|_| !menu.is_for_marks) {
        begin(menu, command);
    }
    Effect::new(move || {
        let Some(action) = menu.requested.get() else { return };
        if !menu.open.get() {
            return menu.requested.set(None);
        }
        let is_offered = menu.offered.with(|items| items.iter().any(|(item, _)| item.action == action));
        match menu.permissions.of(action) {
            Some(Permission::Allowed) if is_offered => {
                menu.requested.set(None);
                untrack(|| menu.choose(OpaqueAction(action)));
            }
            Some(Permission::Denied(_)) => reject(menu),
            _ if !is_offered && menu.offered.with(|items| !items.is_empty()) => reject(menu),
            // The objects or the permission are still being loaded.
            _ => {}
        }
    });
}

/// Ends a request without its dialog: the menu becomes visible.
fn reject(menu: Commands) {
    menu.requested.set(None);
    let first = format!("{} [role=menuitem]", menu.area);
    request_animation_frame(move || {
        focus::to(&first);
    });
}
