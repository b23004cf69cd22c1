//! Deferred message queue: messages that wait until the deferred code is loaded.

use std::rc::Rc;

use futures::FutureExt;

use super::Inner;
use crate::engine::loading::{load, loaded};
use crate::message::ToEngine;
use informer::InformerError;
use informer_packing::Json;

impl Inner {
    /// Returns the messages that can be processed now. A message that needs unloaded code is queued, and so are all
    /// later ones, to keep the order of the page's messages.
    pub(super) fn unless_deferred(self: &Rc<Self>, message: ToEngine) -> Option<ToEngine> {
        let mut state = self.state.borrow_mut();
        match &mut state.deferred_queue {
            // Closing need not wait.
            _ if matches!(message, ToEngine::Close) => return Some(message),
            Some(deferred_queue) => {
                deferred_queue.push(message);
                return None;
            }
            None if loaded().is_some() || !is_deferred(&message) => return Some(message),
            deferred_queue => *deferred_queue = Some(vec![message]),
        }
        drop(state);
        let session = Rc::downgrade(self);
        let task = async move {
            let loaded = load().await;
            let Some(session) = session.upgrade() else { return };
            let deferred_queue = session.state.borrow_mut().deferred_queue.take();
            for message in deferred_queue.into_iter().flatten() {
                if let Err(error) = &loaded
                    && is_deferred(&message)
                {
                    session.reject_deferred(&message, error);
                } else if let Err(error) = session.receive(message) {
                    return session.refuse(&error);
                }
            }
        };
        (self.engine.spawn)(task.boxed_local());
        None
    }

    /// Rejects one view or request; the next one tries to load the code again.
    fn reject_deferred(&self, message: &ToEngine, error: &InformerError) {
        match message {
            ToEngine::OpenView { view, query_id, .. }
            | ToEngine::OpenAggregate { view, query_id, .. }
            | ToEngine::OpenRecording { view, query_id, .. } => {
                self.reject_view(*view, *query_id, error);
            }
            ToEngine::AddIndexers { request, .. }
            | ToEngine::Clear { request }
            | ToEngine::Inspect { request, .. }
            | ToEngine::Search { request, .. } => {
                self.reply(*request, Err(error.clone()));
            }
            ToEngine::OpenQueue { informer, .. } => self.report(*informer, error),
            ToEngine::Undecoded { text } => self.reply_undecoded(text, error),
            _ => {}
        }
    }

    /// Rejects what an undecoded message requests, or reports its informer's error.
    fn reply_undecoded(&self, text: &str, error: &InformerError) {
        let number = |name| Json::new(text).get(name).and_then(Json::as_u64).and_then(|number| number.try_into().ok());
        if let Some(request) = number("request") {
            self.reply(request, Err(error.clone()));
        } else if let (Some(view), Some(query_id)) = (number("view"), number("queryId")) {
            self.reject_view(view, query_id, error);
        } else if let Some(informer) = number("informer") {
            self.report(informer, error);
        }
    }
}

fn is_deferred(message: &ToEngine) -> bool {
    use ToEngine::{AddIndexers, Clear, Inspect, OpenAggregate, OpenQueue, OpenRecording, OpenView, Search, Undecoded};
    matches!(
        message,
        OpenView { .. }
            | OpenAggregate { .. }
            | OpenRecording { .. }
            | AddIndexers { .. }
            | OpenQueue { .. }
            | Clear { .. }
            | Inspect { .. }
            | Search { .. }
            | Undecoded { .. }
    )
}
