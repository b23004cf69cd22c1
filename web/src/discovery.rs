//! Asks the server what it has, again and again: kinds come and go with custom resource definitions.

use std::time::Duration;

use informer::{ErrorReport, ResourceInfo};
use leptos::prelude::*;

use crate::engine::Engine;

const AFTER_SUCCESS: Duration = Duration::from_secs(60);
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// What the server has, as far as it is known.
#[derive(Clone, Copy)]
pub(crate) struct Discovery {
    /// The last good answer.
    pub(crate) resources: RwSignal<Vec<ResourceInfo>>,
    /// Why there is no good answer yet.
    pub(crate) error: RwSignal<Option<ErrorReport>>,
}

impl Discovery {
    /// Nothing known yet; [`Discovery::ask`] begins.
    pub(crate) fn new() -> Self {
        Self { resources: RwSignal::new(Vec::new()), error: RwSignal::new(None) }
    }

    /// Asks now, and after each answer again in a while.
    pub(crate) fn ask(self, engine: Engine) {
        engine.resources(move |reply| {
            let answer = reply.and_then(|json| serde_json::from_str(&json).map_err(|error| unreadable(&error)));
            let pause = match answer {
                Ok(resources) => {
                    self.error.set(None);
                    if self.resources.with_untracked(|known| *known != resources) {
                        self.resources.set(resources);
                    }
                    AFTER_SUCCESS
                }
                Err(error) => {
                    // Once kinds are known an outage is told by the freshness line; the list stays of use.
                    self.error.set(Some(error).filter(|_| self.resources.with_untracked(Vec::is_empty)));
                    AFTER_FAILURE
                }
            };
            set_timeout(move || self.ask(engine), pause);
        });
    }
}

fn unreadable(error: &serde_json::Error) -> ErrorReport {
    let message = format!("the list of resources cannot be read: {error}");
    ErrorReport { code: informer::ErrorCode::Decode, message, status: None, request: None, retryable: true }
}
