//! Inspection: metrics, traffic and history of an informer, and the state of all informers, as JSON text. Deferred code.

use informer_packing::ObjectWriter;

use informer::transport::connections::{ConnectionUse, Connections};
use informer::{
    HandlerMetrics, HistoryEntry, InformerKey, InformerMetrics, InformerMode, InformerOptions, Object, SharedInformer,
    Traffic, TransformOptions,
};

use super::cluster::Cluster;
use crate::message::write_status;

/// Returns `{"metrics":{…},"transport":{…},"history":[…]}`. It contains no data of objects, and no server text except
/// versions.
pub(super) fn inspection(informer: &SharedInformer<Object>) -> String {
    let mut json = String::new();
    let mut out = ObjectWriter::new(&mut json);
    write_metrics(&mut out.object("metrics"), &informer.metrics());
    write_traffic(&mut out.object("transport"), &informer.traffic());
    write_history(&mut out, informer);
    drop(out);
    json
}

/// Returns `{"informers":[{"resource":…,"users":…,"status":{…},"metrics":{…},"transport":{…}}],"connections":{…},"memory":…}`,
/// the informers in the order of their names. Like an inspection, it contains no data of objects.
pub(super) fn inspection_of_all(cluster: &Cluster, history: bool) -> String {
    let mut json = String::new();
    let mut out = ObjectWriter::new(&mut json);
    let mut all: Vec<_> = cluster.factory.uses().into_iter().map(|used| (used.0.to_string(), used)).collect();
    all.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let mut informers = out.array("informers");
    for (_, (key, users, informer)) in &all {
        let mut out = informers.object();
        write_key(&mut out, key);
        out.number("users", *users as u64);
        write_status(&mut out.object("status"), &informer.status());
        write_metrics(&mut out.object("metrics"), &informer.metrics());
        write_traffic(&mut out.object("transport"), &informer.traffic());
        if history {
            write_history(&mut out, informer);
        }
    }
    drop(informers);
    match cluster.health_probe.transport.connections() {
        Some(connections) => write_connections(&mut out.object("connections"), connections),
        None => {
            out.raw("connections", "null");
        }
    }
    write_memory(&mut out);
    drop(out);
    json
}

/// Writes the size of the wasm memory in bytes, which never shrinks.
#[cfg(target_arch = "wasm32")]
fn write_memory(out: &mut ObjectWriter<'_>) {
    out.number("memory", core::arch::wasm32::memory_size(0) as u64 * 65_536);
}

#[cfg(not(target_arch = "wasm32"))]
fn write_memory(out: &mut ObjectWriter<'_>) {
    out.raw("memory", "null");
}

fn write_key(out: &mut ObjectWriter<'_>, key: &InformerKey) {
    let InformerOptions { namespace, label_selector, field_selector, mode, transform, .. } = &key.options;
    out.text("resource", &key.resource.to_string());
    if *transform != TransformOptions::default() {
        out.text("transform", &transform.description());
    }
    for (name, value) in
        [("namespace", namespace), ("labelSelector", label_selector), ("fieldSelector", field_selector)]
    {
        if let Some(value) = value {
            out.text(name, value);
        }
    }
    out.word("mode", if *mode == InformerMode::Metadata { "metadata" } else { "object" });
}

fn write_connections(out: &mut ObjectWriter<'_>, connections: Connections) {
    let Connections { multiplexed, streams, requests } = connections;
    out.bool("multiplexed", multiplexed);
    for (name, ConnectionUse { used, limit, queued }) in [("streams", streams), ("requests", requests)] {
        let mut out = out.object(name);
        out.number("used", used as u64).number("limit", limit as u64).number("queued", queued as u64);
    }
}

fn write_metrics(out: &mut ObjectWriter<'_>, metrics: &InformerMetrics) {
    for (name, count) in [
        ("lists", metrics.lists),
        ("watchLists", metrics.watch_lists),
        ("relists", metrics.relists),
        ("watches", metrics.watches),
        ("events", metrics.events),
        ("bookmarks", metrics.bookmarks),
        ("earlyEnds", metrics.early_ends),
        ("suspicions", metrics.suspicions),
        ("falseSuspicions", metrics.false_suspicions),
        ("dropped", metrics.dropped),
        ("indexFailures", metrics.index_failures),
        ("resyncs", metrics.resyncs),
        ("errors", metrics.errors),
        ("queueDepth", metrics.queue_depth),
        ("objects", metrics.objects),
        ("bytes", metrics.bytes),
    ] {
        out.number(name, count);
    }
    out.text("resourceVersion", &metrics.resource_version);
    let mut handlers = out.array("handlers");
    for HandlerMetrics { has_synced, backlog, coalesced, delivered, failures } in &metrics.handlers {
        let mut handler = handlers.object();
        handler.bool("hasSynced", *has_synced).number("backlog", *backlog).number("coalesced", *coalesced);
        handler.number("delivered", *delivered).number("failures", *failures);
    }
}

fn write_traffic(out: &mut ObjectWriter<'_>, traffic: &Traffic) {
    match traffic.carrier {
        Some(carrier) => out.word("carrier", carrier.as_str()),
        None => out.raw("carrier", "null"),
    };
    out.bool("protobuf", traffic.protobuf);
    match &traffic.json_reason {
        Some(reason) => out.text("jsonReason", reason),
        None => out.raw("jsonReason", "null"),
    };
    out.number("requests", traffic.requests).number("bytes", traffic.bytes);
    out.float("eventsPerSecond", traffic.events_per_second).float("bytesPerSecond", traffic.bytes_per_second);
}

fn write_history(out: &mut ObjectWriter<'_>, informer: &SharedInformer<Object>) {
    let mut history = out.array("history");
    for entry in informer.history() {
        write_entry(&mut history.object(), entry);
    }
}

fn write_entry(out: &mut ObjectWriter<'_>, entry: HistoryEntry) {
    out.word("what", entry.what.as_str()).float("at", entry.at).float("until", entry.until);
    out.number("count", entry.count);
    if let Some(code) = entry.code {
        out.word("code", code.as_str());
    }
}
