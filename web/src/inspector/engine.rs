//! Engine as the package inspects it: its informers, its connections and its memory.

use std::sync::Arc;

use informer::{InformerKey, InformerMetrics, InformerMode, InformerOptions, InformerStatus};
use serde::{Deserialize, Deserializer};

use crate::details::inspection::{Step, Transport};

/// The package's `FactoryInspection`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Engine {
    #[serde(deserialize_with = "shared")]
    pub(super) informers: Vec<Arc<Inspected>>,
    pub(super) connections: Option<Connections>,
    /// Size of the wasm memory in bytes.
    pub(super) memory: Option<u64>,
}

/// The package's `InspectedInformer`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inspected {
    pub(super) resource: String,
    pub(super) namespace: Option<String>,
    pub(super) label_selector: Option<String>,
    pub(super) field_selector: Option<String>,
    pub(super) mode: InformerMode,
    /// Number of pages that use it.
    pub(super) users: u64,
    pub(super) status: InformerStatus,
    pub(super) metrics: InformerMetrics,
    pub(super) transport: Transport,
    /// The last protocol steps, if they were requested.
    #[serde(default)]
    pub(super) history: Vec<Step>,
}

fn shared<'d, D: Deserializer<'d>>(informers: D) -> Result<Vec<Arc<Inspected>>, D::Error> {
    Ok(Vec::<Inspected>::deserialize(informers)?.into_iter().map(Arc::new).collect())
}

/// The package's `ConnectionBudget`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Connections {
    pub(super) multiplexed: bool,
    pub(super) streams: Use,
    pub(super) requests: Use,
}

/// The package's `ConnectionUse`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Use {
    pub(super) used: u64,
    pub(super) limit: u64,
    pub(super) queued: u64,
}

/// Figures of all informers together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    pub(super) events_per_second: f64,
    pub(super) bytes_per_second: f64,
    /// Number of watches over WebSockets.
    pub(super) sockets: u64,
}

impl Engine {
    pub(super) fn totals(&self) -> Totals {
        self.informers.iter().fold(Totals::default(), |sum, informer| Totals {
            objects: sum.objects + informer.metrics.objects,
            bytes: sum.bytes + informer.metrics.bytes,
            events_per_second: sum.events_per_second + informer.transport.events_per_second,
            bytes_per_second: sum.bytes_per_second + informer.transport.bytes_per_second,
            sockets: sum.sockets + u64::from(informer.transport.carrier.as_deref() == Some("websocket")),
        })
    }

    /// The informer of a name.
    pub(super) fn named(&self, name: &str) -> Option<&Arc<Inspected>> {
        self.informers.iter().find(|informer| informer.name() == name)
    }
}

impl Inspected {
    /// The name of the informer, as in the engine's messages: its resource, with its restrictions in brackets.
    pub(super) fn name(&self) -> String {
        let options = InformerOptions {
            namespace: self.namespace.clone(),
            label_selector: self.label_selector.clone(),
            field_selector: self.field_selector.clone(),
            mode: self.mode,
            ..InformerOptions::default()
        };
        let resource = self.resource.parse();
        resource.map_or_else(|_| self.resource.clone(), |resource| InformerKey { resource, options }.to_string())
    }

    /// Number of changes that wait: for the cache, and for a handler.
    pub(super) fn waiting(&self) -> u64 {
        self.metrics.queue_depth + self.metrics.handlers.iter().map(|handler| handler.backlog).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn informer(fields: &serde_json::Value) -> Inspected {
        let mut whole = json!({
            "resource": "v1/pods", "mode": "object", "users": 1,
            "status": InformerStatus::default(), "metrics": InformerMetrics::default(),
            "transport": { "carrier": null, "requests": 0, "bytes": 0, "eventsPerSecond": 0.0, "bytesPerSecond": 0.0 },
        });
        for (name, value) in fields.as_object().into_iter().flatten() {
            whole[name] = value.clone();
        }
        serde_json::from_value(whole).expect("an informer")
    }

    #[test]
    fn a_name_has_all_restrictions() {
        assert_eq!(informer(&json!({})).name(), "v1/pods");
        let narrow = json!({
            "namespace": "shop", "labelSelector": "a=b", "fieldSelector": "c=d", "mode": "metadata",
        });
        assert_eq!(informer(&narrow).name(), "v1/pods (namespace shop, labels a=b, fields c=d, metadata)");
    }

    #[test]
    fn figures_are_added() {
        let transport = json!({
            "carrier": "websocket", "requests": 2, "bytes": 9, "eventsPerSecond": 1.5, "bytesPerSecond": 10.0,
        });
        let metrics = InformerMetrics { objects: 3, bytes: 100, ..InformerMetrics::default() };
        let one = informer(&json!({ "transport": transport, "metrics": metrics }));
        let engine = Engine { informers: vec![Arc::new(one), Arc::new(informer(&json!({})))], ..Engine::default() };
        let expected = Totals { objects: 3, bytes: 100, events_per_second: 1.5, bytes_per_second: 10.0, sockets: 1 };
        assert_eq!(engine.totals(), expected);
        assert!(engine.named("v1/pods").is_some() && engine.named("v1/nodes").is_none());
    }

    #[test]
    fn changes_wait_in_the_queue_and_for_handlers() {
        let handler = informer::HandlerMetrics { backlog: 4, ..informer::HandlerMetrics::default() };
        let metrics =
            InformerMetrics { queue_depth: 2, handlers: vec![handler, handler], ..InformerMetrics::default() };
        assert_eq!(informer(&json!({ "metrics": metrics })).waiting(), 10);
    }
}
