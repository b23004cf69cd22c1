//! Cell of the table.

use super::super::*;
use super::StateKind;

use self::Asked::{At, Newest, Zero};
use self::Does::{Halt, List, NextPage, Probe, Stream, Wait, Watch};

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Nothing,
    List(Asked),
    NextPage,
    /// A streaming list.
    Stream(Asked),
    Probe,
    Watch(Asked),
    Wait,
    Halt,
}

/// The version that a list or a watch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Newest,
    Zero,
    At(u64),
}

impl Asked {
    pub(super) fn of(version: Option<&str>) -> Self {
        match version {
            None => Newest,
            Some("0") => Zero,
            Some(version) => At(version.parse().expect("a number")),
        }
    }
}

impl Does {
    pub(super) fn of(command: Option<&Command>) -> Self {
        match command {
            None => Self::Nothing,
            Some(Command::List(options)) if options.continue_token.is_some() => NextPage,
            Some(Command::List(options)) => List(Asked::of(options.resource_version.as_deref())),
            Some(Command::Watch(options)) if options.initial_events => {
                Stream(Asked::of(options.resource_version.as_deref()))
            }
            Some(Command::Watch(options)) => Watch(Asked::of(options.resource_version.as_deref())),
            Some(Command::Probe) => Probe,
            Some(Command::Wait) => Wait,
            Some(Command::Halt) => Halt,
        }
    }
}

/// A call of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    Nothing,
    Add,
    Update,
    Delete,
    Bookmark,
    /// A list of this many objects, at this version.
    Replace(usize, u64),
    /// Everything is deleted: the cluster was replaced.
    Clear,
}

impl Tells {
    pub(super) fn of(call: Option<&StoreCall<Thing>>) -> Self {
        match call {
            None => Self::Nothing,
            Some(StoreCall::Add(_)) => Self::Add,
            Some(StoreCall::Update(_)) => Self::Update,
            Some(StoreCall::Delete(_)) => Self::Delete,
            Some(StoreCall::Bookmark(_)) => Self::Bookmark,
            Some(StoreCall::Replace { resource_version, .. }) if resource_version.is_empty() => Self::Clear,
            Some(StoreCall::Replace { items, resource_version, .. }) => {
                Self::Replace(items.len(), resource_version.parse().expect("a number"))
            }
            Some(StoreCall::Populate { .. }) => unreachable!("no pages are delivered as they come"),
        }
    }
}

/// Expectations of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) to: StateKind,
    pub(super) does: Does,
    pub(super) tells: Tells,
    pub(super) reports: Option<ErrorCode>,
}

/// The state does not change, without a command, a call or a report: the input does not fit the state, or only moves a
/// deadline.
pub(super) fn stays(state: StateKind) -> Cell {
    Cell { to: state, does: Does::Nothing, tells: Tells::Nothing, reports: None }
}

pub(super) fn goes(to: StateKind, does: Does) -> Cell {
    Cell { does, ..stays(to) }
}

impl Cell {
    pub(super) fn tells(self, tells: Tells) -> Self {
        Self { tells, ..self }
    }

    pub(super) fn reports(self, code: ErrorCode) -> Self {
        Self { reports: Some(code), ..self }
    }
}
