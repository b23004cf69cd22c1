//! Deferred message queue: messages that wait until their code is loaded.

use std::rc::Rc;

use futures::FutureExt;

use super::Inner;
use crate::engine::loading::{extras, load, load_extras, loaded};
use crate::message::ToEngine;
use informer::{InformerError, Result};
use informer_packing::Json;

/// Code that a message needs, beyond that of the first file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    Deferred,
    Extras,
}

impl Needed {
    fn is_loaded(self) -> bool {
        match self {
            Self::Deferred => loaded().is_some(),
            Self::Extras => extras().is_some(),
        }
    }

    async fn load(self) -> Result<()> {
        match self {
            Self::Deferred => load().await.map(drop),
            Self::Extras => load_extras().await.map(drop),
        }
    }
}

impl Inner {
    /// Returns the messages that can be processed now. A message that needs unloaded code is queued, and so are all
    /// later ones, to keep the order of the page's messages.
    pub(super) fn unless_deferred(self: &Rc<Self>, message: ToEngine) -> Option<ToEngine> {
        let mut state = self.state.borrow_mut();
        match &mut state.deferred_queue {
            // These do not wait: what the others wait for may need a request, and a request its headers.
            _ if matches!(message, ToEngine::Close | ToEngine::Headers { .. }) || is_answer(&message) => {
                return Some(message);
            }
            Some(deferred_queue) => {
                deferred_queue.push(message);
                return None;
            }
            None => {}
        }
        let Some(needed) = needed_by(&message).filter(|needed| !needed.is_loaded()) else { return Some(message) };
        state.deferred_queue = Some(vec![message]);
        drop(state);
        let session = Rc::downgrade(self);
        let task = async move {
            let loaded = needed.load().await;
            let Some(session) = session.upgrade() else { return };
            let deferred_queue = session.state.borrow_mut().deferred_queue.take();
            for message in deferred_queue.into_iter().flatten() {
                if let Err(error) = &loaded
                    && needed_by(&message) == Some(needed)
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
            | ToEngine::InspectAll { request, .. }
            | ToEngine::AskQueue { request, .. }
            | ToEngine::Search { request, .. } => {
                self.reply(*request, Err(error.clone()));
            }
            ToEngine::OpenQueue { informer, .. } => self.report(*informer, error),
            ToEngine::Connect { .. } => self.refuse(error),
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
            if is_of_type(text, "informer") { self.fail(informer, error) } else { self.report(informer, error) }
        } else if is_of_type(text, "connectAs") {
            self.refuse(error);
        }
    }
}

/// Whether it is an undecoded [`ToEngine::Headers`] that can be decoded now.
fn is_answer(message: &ToEngine) -> bool {
    let ToEngine::Undecoded { text } = message else { return false };
    loaded().is_some() && is_of_type(text, "headers")
}

fn is_of_type(text: &str, kind: &str) -> bool {
    Json::new(text).get("type").and_then(Json::as_str).is_some_and(|found| found == kind)
}

/// Code that a message needs; `None` if that of the first file is enough.
fn needed_by(message: &ToEngine) -> Option<Needed> {
    use ToEngine::{
        AddIndexers, AskQueue, Clear, Connect, Inspect, InspectAll, OpenAggregate, OpenQueue, OpenRecording, OpenView,
        Search, Undecoded,
    };
    match message {
        OpenView { .. } | Clear { .. } | Undecoded { .. } => Some(Needed::Deferred),
        Connect { server, .. } if server.has_headers() => Some(Needed::Deferred),
        OpenAggregate { .. }
        | OpenRecording { .. }
        | AddIndexers { .. }
        | OpenQueue { .. }
        | AskQueue { .. }
        | Inspect { .. }
        | InspectAll { .. }
        | Search { .. } => Some(Needed::Extras),
        _ => None,
    }
}
