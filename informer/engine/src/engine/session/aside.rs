//! Deferred message queue: messages that wait until the deferred code is loaded.

use std::rc::Rc;

use futures::FutureExt;

use super::Inner;
use crate::engine::loading::{load, loaded};
use crate::message::ToEngine;
use informer::InformerError;

impl Inner {
    /// Returns the messages that can be processed now. A message that needs unloaded code is queued, and so are all
    /// later ones, to keep the order of the page's messages.
    pub(super) fn not_aside(self: &Rc<Self>, message: ToEngine) -> Option<ToEngine> {
        let mut state = self.state.borrow_mut();
        match &mut state.aside {
            // The end of the page need not wait.
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

    /// Rejects one view or request; the next one tries to load the code again.
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
