//! What ARCHITECTURE.md says must never be.

use std::fs;
use std::path::{Path, PathBuf};

fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("readable") {
            let path: PathBuf = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).expect("below").to_string_lossy().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    files.sort();
    assert!(files.len() > 30, "the sources are found");
    files
}

/// The code of a file without its tests and comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn only_the_edges_know_a_browser() {
    for (file, text) in sources() {
        let edge = file.starts_with("js")
            || ["storage/indexed_db.rs", "transport/fetch.rs", "transport/socket.rs"].contains(&&*file)
            || file == "clock/browser.rs";
        let code = code(&text);
        for name in ["web_sys", "js_sys", "wasm_bindgen", "gloo_", "JsValue"] {
            assert!(edge || !code.contains(name), "{file} names {name}");
        }
    }
}

#[test]
fn protocol_queue_store_and_views_do_no_io() {
    let pure = [
        "reflector.rs",
        "reflector/",
        "deadlines.rs",
        "queue.rs",
        "delta_fifo.rs",
        "real_fifo.rs",
        "indexer.rs",
        "rows.rs",
        "controller.rs",
        "processor.rs",
        "processor/",
        "metrics.rs",
        "workqueue/state.rs",
        "workqueue/delaying.rs",
        "workqueue/queue.rs",
        "workqueue/metrics.rs",
        "backoff.rs",
        "decoder.rs",
        "list.rs",
        "watch.rs",
        "object.rs",
        "object/",
        "packer.rs",
        "snapshot.rs",
        "json_path.rs",
        "json_path/",
        "syntax_error.rs",
        "key.rs",
        "label_selector.rs",
        "label_selector/",
        "field_selector.rs",
        "api_status.rs",
        "error.rs",
        "status.rs",
        "message.rs",
        "message/",
        "resource.rs",
        "time.rs",
        "columns.rs",
        "columns/",
        "relations.rs",
        "relations/",
        "value.rs",
        "value/",
        "query.rs",
        "query/",
        "view.rs",
        "view/",
    ];
    // The driver performs the protocol, and compares the clocks.
    let edges = ["reflector/driver.rs", "reflector/liveness/sleep.rs"];
    let is_pure = |file: &str| pure.iter().any(|name| file.starts_with(name)) && !edges.contains(&file);
    for (file, text) in sources().into_iter().filter(|(file, _)| is_pure(file)) {
        let code = code(&text);
        for name in ["async ", ".await", "Transport", "dyn Clock", "spawn", "Instant", "SystemTime"] {
            assert!(!code.contains(name), "{file} uses {name}");
        }
    }
}

#[test]
fn dependencies_point_one_way() {
    // Each layer may name the ones before it, and itself.
    let layers: [&[&str]; 9] = [
        &["deadlines", "error", "sorted", "syntax_error", "time", "trace"],
        &[
            "resource",
            "object",
            "packer",
            "columns",
            "key",
            "label_selector",
            "field_selector",
            "json_path",
            "backoff",
            "decoder",
            "api_status",
            "freshness",
            "phase",
            "status",
            "metrics",
            "clock",
            "storage",
            "transport",
        ],
        &["watch", "list", "value", "query", "message", "snapshot", "workqueue"],
        &["list_watch", "queue", "delta_fifo", "real_fifo", "rows", "indexer", "relations", "discovery", "cluster"],
        &["controller", "reflector"],
        &["processor", "view", "runtime"],
        &["shared_informer", "lister", "cache_sync"],
        &["shared_informer_factory"],
        &["engine", "js"],
    ];
    let layer_of = |name: &str| layers.iter().position(|layer| layer.contains(&name));
    for (file, text) in sources().into_iter().filter(|(file, _)| file != "lib.rs") {
        let own = file.split(['/', '.']).next().unwrap_or_default();
        let own_layer = layer_of(own).unwrap_or_else(|| panic!("{file} belongs to no layer: add it to this test"));
        for used in code(&text).split("crate::").skip(1) {
            assert!(!used.starts_with('{'), "{file}: one `use crate::` a module, so that this test sees it");
            let used: String = used.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if let Some(layer) = layer_of(&used) {
                assert!(layer <= own_layer, "{file} depends on {used}, which stands above it");
            }
        }
    }
}

/// A call from anywhere else would bring all of it back into the file that every page loads. Types cost nothing.
#[test]
fn deferred_code_is_reached_by_one_door() {
    let deferred = [
        "cluster",
        "columns",
        "discovery",
        "json_path",
        "query",
        "relations",
        "snapshot",
        "storage",
        "value",
        "view",
        "workqueue",
    ];
    let types =
        ["Cell", "ColumnHeader", "LiveView", "ReadCells", "Refusal", "Storage", "StorageError", "ViewPatch", "Wish"];
    for (file, text) in sources() {
        let own = file.split(['/', '.']).next().unwrap_or_default();
        if deferred.contains(&own)
            || ["engine/deferred.rs", "engine/key_queue.rs", "lib.rs"].contains(&&*file)
            || file.starts_with("engine/persistence")
            || ["engine/outage.rs", "engine/heartbeat.rs"].contains(&&*file)
            || file.ends_with("tests.rs")
        {
            continue;
        }
        assert!(
            !text.contains("NamespacesListerWatcher") || file.starts_with("list_watch/"),
            "{file} uses several namespaces"
        );
        // The feature `split` leaves this one out.
        let code = code(&text).replace("Some(crate::columns::carried)", "");
        for module in deferred {
            for used in code.split(&format!("crate::{module}::")).skip(1) {
                let end =
                    if used.starts_with('{') { used.find('}') } else { used.find(|c: char| !c.is_alphanumeric()) };
                for name in used[..end.unwrap_or(used.len())].split(['{', ',']).map(str::trim) {
                    assert!(name.is_empty() || types.contains(&name), "{file} uses {name} of {module}");
                }
            }
        }
    }
}

#[test]
fn files_stay_small_and_say_what_they_are() {
    for (file, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= 500, "{file} has {lines} lines");
        assert!(text.starts_with("//!"), "{file} begins with what it is");
        for name in ["util", "helper", "common", "misc"] {
            assert!(!file.contains(name), "{file}: what is it about?");
        }
    }
}

#[test]
fn the_code_map_names_every_module() {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let map = fs::read_to_string(map).expect("ARCHITECTURE.md");
    for (file, _) in sources().iter().filter(|(file, _)| !file.contains('/') && file != "lib.rs") {
        assert!(map.contains(&format!("`{file}`")), "ARCHITECTURE.md does not say what {file} is");
    }
    // And names none that is gone.
    let names = map
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "rs"));
    for name in names {
        let known = sources().iter().any(|(file, _)| file.ends_with(name))
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(name).exists()
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).exists();
        assert!(known, "ARCHITECTURE.md names {name}, which is not there");
    }
}
