//! Inspection: metrics, traffic and history of an informer as JSON text. Deferred code.

use informer_packing::ObjectWriter;

use informer::{HandlerMetrics, HistoryEntry, InformerMetrics, Object, SharedInformer, Traffic};

/// Returns `{"metrics":{…},"transport":{…},"history":[…]}`. It contains no data of objects, and no server text except
/// versions.
pub(super) fn inspection(informer: &SharedInformer<Object>) -> String {
    let mut json = String::new();
    let mut out = ObjectWriter::new(&mut json);
    write_metrics(&mut out.object("metrics"), &informer.metrics());
    write_traffic(&mut out.object("transport"), informer.traffic());
    let mut history = out.array("history");
    for entry in informer.history() {
        write_entry(&mut history.object(), entry);
    }
    drop(history);
    drop(out);
    json
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

fn write_traffic(out: &mut ObjectWriter<'_>, traffic: Traffic) {
    match traffic.carrier {
        Some(carrier) => out.word("carrier", carrier.as_str()),
        None => out.raw("carrier", "null"),
    };
    out.number("requests", traffic.requests).number("bytes", traffic.bytes);
    out.float("eventsPerSecond", traffic.events_per_second).float("bytesPerSecond", traffic.bytes_per_second);
}

fn write_entry(out: &mut ObjectWriter<'_>, entry: HistoryEntry) {
    out.word("what", entry.what.as_str()).float("at", entry.at).float("until", entry.until);
    out.number("count", entry.count);
    if let Some(code) = entry.code {
        out.word("code", code.as_str());
    }
}
