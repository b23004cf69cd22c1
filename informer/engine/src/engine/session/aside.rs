//! What is put aside until the deferred code is there.

use std::rc::Rc;

use futures::FutureExt;

use super::Inner;
use crate::engine::loading::{load, loaded};
use crate::message::ToEngine;
use informer::InformerError;

impl Inner {
    /// Gives back what can be done now. What needs code that is not loaded yet waits for it, and what comes after it
    /// waits, too: a page counts on the order of its messages.
    pub(super) fn not_aside(self: &Rc<Self>, message: ToEngine) -> Option<ToEngine> {
        let mut state = self.state.borrow_mut();
        match &mut state.aside {
            // Who goes need not wait.
            _ if matches!(message, ToEngine::Close) => return Some(message),
            Some(aside) => {
                aside.push(message);
                return None;
            }
            None if loaded().is_some() || !is_deferred(&message) => return Some(message),
            aside => *aside = Some(vec![message]),
        }
        drop(state);
        let session = Rc::downgrade(self);
        let task = async move {
            let loaded = load().await;
            let Some(session) = session.upgrade() else { return };
            let aside = session.state.borrow_mut().aside.take();
            for message in aside.into_iter().flatten() {
                if let Err(error) = &loaded
                    && is_deferred(&message)
                {
                    session.do_without(&message, error);
                } else if let Err(error) = session.receive(message) {
                    return session.refuse(&error);
                }
            }
        };
        (self.engine.spawn)(task.boxed_local());
        None
    }

    /// One view is refused, or one request; the next one tries again.
    fn do_without(&self, message: &ToEngine, error: &InformerError) {
        match message {
            ToEngine::OpenView { view, wish, .. } => self.refuse_view(*view, *wish, error),
            ToEngine::AddIndexers { request, .. }
            | ToEngine::Forget { request }
            | ToEngine::Inspect { request, .. } => {
                self.reply(*request, Err(error.clone()));
            }
            ToEngine::OpenQueue { informer, .. } => self.report(*informer, error),
            _ => {}
        }
    }
}

fn is_deferred(message: &ToEngine) -> bool {
    use ToEngine::{AddIndexers, Forget, Inspect, OpenQueue, OpenView};
    matches!(message, OpenView { .. } | AddIndexers { .. } | OpenQueue { .. } | Forget { .. } | Inspect { .. })
}
