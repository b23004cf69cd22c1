//! Feed of the inspector: it inspects the engine each second while the screen is open, without a request to the server.

use std::time::Duration;

use leptos::prelude::*;

use super::engine::Engine;
use crate::cluster::Cluster;

/// Interval of the inspections.
const INTERVAL: Duration = Duration::from_secs(1);

/// What the engine says of itself.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    /// `None` before the first response.
    pub(super) engine: RwSignal<Option<Engine>>,
    /// Message of the last inspection, if it failed.
    pub(super) error: RwSignal<Option<String>>,
}

impl Feed {
    /// Inspects the engine until the owner is cleaned up; with the protocol steps while `history` holds.
    pub(super) fn open(cluster: Cluster, history: Memo<bool>) -> Self {
        let feed = Self { engine: RwSignal::new(None), error: RwSignal::new(None) };
        let is_pending = StoredValue::new(false);
        let inspect = move || {
            // A slow engine gets one request after the other.
            if is_pending.try_get_value() != Some(false) {
                return;
            }
            is_pending.set_value(true);
            cluster.inspect(history.get_untracked(), move |answer| {
                let engine = answer.map_err(|error| error.message).and_then(|value| {
                    serde_wasm_bindgen::from_value::<Engine>(value).map_err(|error| error.to_string())
                });
                // The screen may have been left.
                if is_pending.try_set_value(false).is_some() {
                    return;
                }
                match engine {
                    Ok(engine) => {
                        feed.engine.set(Some(engine));
                        feed.error.set(None);
                    }
                    Err(message) => feed.error.set(Some(message)),
                }
            });
        };
        Effect::new(move || {
            history.track();
            inspect();
        });
        if let Ok(timer) = set_interval_with_handle(inspect, INTERVAL) {
            on_cleanup(move || timer.clear());
        }
        feed
    }
}
