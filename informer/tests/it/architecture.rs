//! The rules of ARCHITECTURE.md that a test can enforce.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates, by where their sources are below `informer/`.
const CRATES: [&str; 2] = ["src", "engine/src"];

/// The files of one crate: their names below its folder, and their text.
fn sources_of(krate: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(krate);
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
    assert!(files.len() > 20, "the sources are found");
    files
}

/// All of them, as `engine/src/view.rs`.
fn sources() -> Vec<(String, String)> {
    let named = |krate: &str| {
        let name = move |(file, text)| (format!("{krate}/{file}"), text);
        sources_of(krate).into_iter().map(name).collect::<Vec<_>>()
    };
    CRATES.into_iter().flat_map(named).collect()
}

/// The code of a file without its tests and comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn only_the_edges_know_a_browser() {
    for (file, text) in sources() {
        let edges = [
            "src/transport/fetch.rs",
            "src/transport/socket.rs",
            "src/clock/browser.rs",
            "engine/src/storage/indexed_db.rs",
        ];
        let edge = file.starts_with("engine/src/js") || edges.contains(&&*file);
        let code = code(&text);
        for name in ["web_sys", "js_sys", "wasm_bindgen", "gloo_", "JsValue"] {
            assert!(edge || !code.contains(name), "{file} names {name}");
        }
    }
}

#[test]
fn protocol_queue_store_and_views_do_no_io() {
    let pure = [
        "src/reflector.rs",
        "src/reflector/",
        "src/deadlines.rs",
        "src/queue.rs",
        "src/delta_fifo.rs",
        "src/real_fifo.rs",
        "src/indexer.rs",
        "src/rows.rs",
        "src/controller.rs",
        "src/processor.rs",
        "src/processor/",
        "src/metrics.rs",
        "src/workqueue/state.rs",
        "src/workqueue/delaying.rs",
        "src/workqueue/queue.rs",
        "src/workqueue/metrics.rs",
        "src/backoff.rs",
        "src/decoder.rs",
        "src/list.rs",
        "src/watch.rs",
        "src/object.rs",
        "src/object/",
        "src/packer.rs",
        "engine/src/snapshot.rs",
        "src/informer_options.rs",
        "src/cell.rs",
        "src/json_path.rs",
        "src/json_path/",
        "src/syntax_error.rs",
        "src/key.rs",
        "src/label_selector.rs",
        "src/label_selector/",
        "src/field_selector.rs",
        "src/api_status.rs",
        "src/error.rs",
        "src/status.rs",
        "engine/src/message.rs",
        "engine/src/message/",
        "src/resource.rs",
        "src/time.rs",
        "engine/src/columns.rs",
        "engine/src/columns/",
        "engine/src/relations.rs",
        "engine/src/relations/",
        "engine/src/value.rs",
        "engine/src/value/",
        "engine/src/query.rs",
        "engine/src/query/",
        "engine/src/view.rs",
        "engine/src/view/",
    ];
    // The driver performs the protocol, and compares the clocks.
    let edges = ["src/reflector/driver.rs", "src/reflector/liveness/sleep.rs"];
    let is_pure = |file: &str| pure.iter().any(|name| file.starts_with(name)) && !edges.contains(&file);
    for (file, text) in sources().into_iter().filter(|(file, _)| is_pure(file)) {
        let code = code(&text);
        for name in ["async ", ".await", "Transport", "dyn Clock", "spawn", "Instant", "SystemTime"] {
            assert!(!code.contains(name), "{file} uses {name}");
        }
    }
}

/// A call from anywhere else would bring all of it back into the file that every page loads. Types cost nothing.
#[test]
fn deferred_code_is_reached_by_one_door() {
    // Of the engine's crate the modules, with the types that may be named.
    let deferred = ["columns", "query", "relations", "snapshot", "storage", "value", "view"];
    let types =
        ["Cell", "Column", "ColumnHeader", "LiveView", "Refusal", "Storage", "StorageError", "ViewPatch", "Wish"];
    // Of the crate below.
    let below = ["cluster::", "workqueue::", "namespaces::", "ClusterIdentity", "JsonPath", "discover", "carry_cells"];
    let insiders = ["deferred", "key_queue", "persistence", "health_probe", "heartbeat", "definitions"];
    for (file, text) in sources_of("engine/src") {
        let own = file.split(['/', '.']).next().unwrap_or_default();
        let part = file.split(['/', '.']).nth(1).unwrap_or_default();
        if deferred.contains(&own) || insiders.contains(&part) || file == "lib.rs" || file.ends_with("tests.rs") {
            continue;
        }
        let code = code(&text);
        for module in deferred {
            for used in code.split(&format!("crate::{module}::")).skip(1) {
                let end =
                    if used.starts_with('{') { used.find('}') } else { used.find(|c: char| !c.is_alphanumeric()) };
                for name in used[..end.unwrap_or(used.len())].split(['{', ',']).map(str::trim) {
                    assert!(name.is_empty() || types.contains(&name), "{file} uses {name} of {module}");
                }
            }
        }
        let imports = code.split("use informer::").skip(1).filter_map(|rest| rest.split(';').next());
        for import in imports {
            for name in below {
                let names = import.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
                assert!(!names.into_iter().any(|word| word.starts_with(name)), "{file} uses {name}");
            }
        }
    }
    for (file, text) in sources_of("src") {
        let own = file.split(['/', '.']).next().unwrap_or_default();
        let code = code(&text);
        for module in ["cluster", "discovery", "json_path", "workqueue", "list_watch::namespaces"] {
            let is_own = own == module || file.starts_with("list_watch") || file == "lib.rs";
            assert!(is_own || !code.contains(&format!("crate::{module}::")), "{file} uses {module}");
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = fs::read_to_string(root.join("../ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for krate in CRATES {
        for (file, _) in sources_of(krate).iter().filter(|(file, _)| !file.contains('/') && file != "lib.rs") {
            assert!(map.contains(&format!("`{file}`")), "ARCHITECTURE.md does not describe {file} of {krate}");
        }
    }
    // And names none that is gone.
    let names = map
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "rs"));
    let sources = sources();
    for name in names {
        let known = sources.iter().any(|(file, _)| file.ends_with(name))
            || ["tests/it", "engine/tests/it", ".."].iter().any(|folder| root.join(folder).join(name).exists());
        assert!(known, "ARCHITECTURE.md names {name}, which does not exist");
    }
}
