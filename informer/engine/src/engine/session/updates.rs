//! Updates of views and followed objects: messages with their present state or, while a recording of their informer is
//! rewound, an earlier one.

use std::rc::Rc;

use super::State;
use super::subscriptions::SharedView;
use crate::message::FromEngine;

/// Returns the messages that bring the page's views and followed objects up to date.
pub(super) fn updates(state: &mut State, now: f64) -> Vec<FromEngine> {
    let mut messages = Vec::new();
    let mut rewound: Vec<(u32, SharedView)> = Vec::new();
    for entry in state.views.values() {
        if entry.view.borrow().past().is_some() {
            rewound.push((entry.informer, Rc::clone(&entry.view)));
        }
    }
    let recording_of = |informer: u32| rewound.iter().find(|(of, _)| *of == informer).map(|(_, recording)| recording);
    for (id, entry) in &state.views {
        match recording_of(entry.informer) {
            Some(recording) if Rc::ptr_eq(recording, &entry.view) => {}
            // The view has only some of the present objects so far, so it cannot be rewound.
            Some(_) if !entry.registration.has_synced() => continue,
            recording => {
                let recording = recording.map(|recording| recording.borrow());
                let past = recording.as_ref().and_then(|recording| recording.past());
                entry.view.borrow_mut().show(past.as_deref(), now);
            }
        }
        messages.extend(entry.updates(*id, now));
    }
    for (id, follow) in &mut state.follows {
        let recording = recording_of(follow.informer).map(|recording| recording.borrow());
        let past = recording.as_ref().and_then(|recording| recording.past());
        let entry = state.informers.get(&follow.informer);
        messages.extend(entry.and_then(|entry| follow.update(*id, &entry.informer, past.as_deref())));
    }
    messages
}
