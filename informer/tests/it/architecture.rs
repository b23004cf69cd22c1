//! The rules of ARCHITECTURE.md that a test can enforce.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates, by where their sources are below `informer/`.
const CRATES: [&str; 4] = ["src", "engine/src", "packing/src", "protobuf/src"];

/// The crates of the dashboard.
const PAGE: [&str; 3] = ["../web/src", "../web/objects/src", "../web/logs/src"];

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
    assert!(files.len() > 10, "the sources of {krate} are found");
    files
}

/// Those of the informer's crates, as `engine/src/view.rs`.
fn sources() -> Vec<(String, String)> {
    sources_of_all(CRATES)
}

fn sources_of_all(crates: impl IntoIterator<Item = &'static str>) -> Vec<(String, String)> {
    let named = |krate: &str| {
        let name = move |(file, text)| (format!("{krate}/{file}"), text);
        sources_of(krate).into_iter().map(name).collect::<Vec<_>>()
    };
    crates.into_iter().flat_map(named).collect()
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
        "engine/src/order_by.rs",
        "engine/src/value_counts.rs",
        "src/resource.rs",
        "src/time.rs",
        "engine/src/aggregate.rs",
        "engine/src/aggregate/",
        "engine/src/change_log.rs",
        "engine/src/change_log/",
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
        "packing/src/",
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

/// A call from anywhere else would move all of it into the file that every page loads. Types have no code.
#[test]
fn deferred_code_is_reached_by_one_door() {
    // Of the engine's crate the modules, with the types that may be named; `extra` ones are in the third file.
    let extra = ["aggregate", "change_log", "relations", "search"];
    let second = ["columns", "query", "snapshot", "storage", "value", "view"];
    let deferred = [&extra[..], &second[..]].concat();
    let types = [
        "Cell",
        "Column",
        "ColumnHeader",
        "ViewColumns",
        "LiveView",
        "Past",
        "Rejection",
        "Storage",
        "StorageError",
        "ViewPatch",
        "ViewQuery",
    ];
    // Of the crate below.
    let below = ["cluster::", "workqueue::", "namespaces::", "ClusterIdentity", "JsonPath", "discover", "carry_cells"];
    let insiders =
        ["deferred", "extras", "key_queue", "persistence", "health_probe", "heartbeat", "definitions", "resources"];
    for (file, text) in sources_of("engine/src") {
        let own = file.split(['/', '.']).next().unwrap_or_default();
        let part = file.split(['/', '.']).nth(1).unwrap_or_default();
        if !extra.contains(&own) && part != "extras" && file != "lib.rs" && !file.ends_with("tests.rs") {
            let code = code(&text);
            let used = extra.iter().find(|module| code.contains(&format!("crate::{module}")));
            assert_eq!(used, None, "{file} uses extras: they would go into the second file");
        }
        if deferred.contains(&own) || insiders.contains(&part) || file == "lib.rs" || file.ends_with("tests.rs") {
            continue;
        }
        let code = code(&text);
        for module in &deferred {
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

/// A call from anywhere else would move the code into the file that the page waits for. Types have no code.
#[test]
fn deferred_code_of_the_page_is_reached_by_one_door() {
    let deferred = [
        "actions",
        "chips",
        "column_panel",
        "counting",
        "create",
        "definitions",
        "details",
        "drawer",
        "export",
        "figures",
        "flash",
        "groups",
        "help",
        "inspector",
        "kind_tools",
        "map",
        "marks",
        "metrics_api",
        "namespace_list",
        "object_keys",
        "open_aggregate",
        "overview",
        "palette",
        "problems",
        "protection",
        "saved",
        "scoped_informer",
        "screen_keys",
        "timeline",
        "usage",
        "yaml",
    ];
    let files = sources_of("../web/src");
    let door = &files.iter().find(|(file, _)| file == "deferred.rs").expect("the entry").1;
    for module in deferred {
        let inside = files.iter().filter(|(file, _)| deferred.iter().any(|part| is_of(file, part)));
        let reached = |text: &str| text.contains(&format!("crate::{module}"));
        assert!(reached(door) || inside.into_iter().any(|(_, text)| reached(text)), "{module} is deferred no more");
    }
    for (file, text) in &files {
        if file == "deferred.rs" || file.ends_with("tests.rs") || deferred.iter().any(|module| is_of(file, module)) {
            continue;
        }
        let code = code(text);
        for module in deferred {
            assert!(!code.contains(&format!("crate::{module}")), "{file} uses {module}: see deferred.rs");
        }
        // Functions in files of which the page needs the types.
        for (own, call) in [
            ("filter/completion.rs", "Draft::"),
            ("", "completion::offer"),
            ("", "completion::values"),
            ("", "completion::is_half"),
        ] {
            assert!(file == own || !code.contains(call), "{file} calls {call}: see deferred.rs");
        }
    }
}

/// What the page uses of the package is in one file, and it uses the package, not the engine's messages.
#[test]
fn the_page_has_one_client() {
    // An import of `www/boot.js`, and `Date` with the arguments that js-sys does not have.
    let others = ["parts.rs", "drawer/zone.rs"];
    for (file, text) in sources_of("../web/src") {
        let is_binding = file == "client.rs" || others.contains(&&*file);
        assert_eq!(
            code(&text).contains("extern \"C\""),
            is_binding,
            "{file}: bindings of the package are in client.rs"
        );
        assert!(!text.contains("informer_engine::message"), "{file} uses messages of the engine");
    }
}

/// Whether a file belongs to a module, as `drawer.rs` and `drawer/lines.rs` do.
fn is_of(file: &str, module: &str) -> bool {
    file.strip_prefix(module).is_some_and(|rest| rest.starts_with(['.', '/']))
}

/// Imports of a file: other files of its crate.
///
/// A file and the files of its folder are one subject, so imports between them are omitted.
fn arrows(file: &str, text: &str, files: &BTreeSet<String>) -> BTreeSet<String> {
    let own: Vec<&str> = file.split('/').collect();
    let mut found = BTreeSet::new();
    for path in paths(text) {
        let mut names = path.split("::").peekable();
        let mut place: Vec<&str> = own.clone();
        match names.peek() {
            Some(&"crate") => place.clear(),
            Some(&"super") => {}
            Some(&"self") => drop(names.next()),
            _ => continue,
        }
        while let Some(name) = names.peek() {
            match *name {
                "crate" => {}
                "super" => drop(place.pop()),
                name => {
                    place.push(name);
                    if !files.contains(&place.join("/")) {
                        place.pop();
                        break;
                    }
                }
            }
            names.next();
        }
        let target = place.join("/");
        let is_folder_of =
            |folder: &str, file: &str| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if !target.is_empty() && target != file && !is_folder_of(&target, file) && !is_folder_of(file, &target) {
            found.insert(target);
        }
    }
    found
}

/// The paths of a text from `crate`, `super` or `self` on, with import lists expanded.
fn paths(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(root) {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || before == '_' || before == ':' || before == '$' {
                continue;
            }
            let end = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
            let path = text[at..].split(end).next().unwrap_or_default();
            paths.push(path.to_owned());
            // The list of an import, without lists in it: rustfmt writes few of those, and their heads lead to the
            // file.
            let list = path.ends_with("::").then(|| text[at + path.len()..].strip_prefix('{')).flatten();
            for name in list.and_then(|list| list.split('}').next()).unwrap_or_default().split(',') {
                paths.push(format!("{path}{}", name.trim().split(end).next().unwrap_or_default()));
            }
        }
    }
    paths
}

/// The files that are reachable from a file, including itself in a cycle.
fn reached<'a>(from: &'a str, arrows: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        for target in arrows.get(file).into_iter().flatten() {
            if seen.insert(target.as_str()) {
                next.push(target);
            }
        }
    }
    seen
}

/// Between crates the compiler rejects cycles; between files of one crate only this test does.
#[test]
fn no_files_depend_on_each_other_in_a_circle() {
    for krate in CRATES.into_iter().chain(PAGE) {
        let mut texts = BTreeMap::new();
        for (file, text) in sources_of(krate) {
            let name = file.trim_end_matches(".rs").to_owned();
            let is_test = name.split('/').any(|part| part == "tests" || part == "naive");
            if !is_test && name != "lib" && name != "main" {
                texts.insert(name, code(&text));
            }
        }
        let files: BTreeSet<String> = texts.keys().cloned().collect();
        let arrows: BTreeMap<String, BTreeSet<String>> =
            texts.iter().map(|(file, text)| (file.clone(), arrows(file, text, &files))).collect();
        assert!(arrows.values().map(BTreeSet::len).sum::<usize>() > 10, "the arrows of {krate} are found");
        for file in &files {
            let back: Vec<&str> = reached(file, &arrows)
                .into_iter()
                .filter(|other| reached(other, &arrows).contains(file.as_str()))
                .collect();
            assert!(back.is_empty(), "{krate}: {file} is in a circle with {back:?}");
        }
    }
}

/// A session uses the engine, the engine its parts, and the parts the state of an apiserver.
#[test]
fn of_the_engines_parts_only_the_session_knows_the_engine() {
    for (file, text) in sources_of("engine/src").iter().filter(|(file, _)| file.starts_with("engine/")) {
        let paths = paths(&code(text));
        let names_it = |path: &String| path.ends_with("::Engine") && !path.contains("message");
        let is_session = is_of(file, "engine/session");
        assert!(is_session || !paths.iter().any(names_it), "{file} uses the engine");
    }
}

#[test]
fn a_cycle_would_be_found() {
    let files: BTreeSet<String> = ["a", "b", "b/c", "b/d"].map(str::to_owned).into();
    let of = |file: &str, text: &str| arrows(file, text, &files);
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(of("a", "use crate::b::c::Thing;"), set(&["b/c"]));
    assert_eq!(of("b/c", "use super::d::{self, Thing};\nuse super::{Other, d};"), set(&["b/d"]));
    assert_eq!(of("b/c", "crate::a::call(super::Own)"), set(&["a"]), "its own folder's file is its own subject");
    assert_eq!(of("b", "use self::c::Thing;"), set(&[]));
    let arrows = BTreeMap::from([("a".to_owned(), set(&["b"])), ("b".to_owned(), set(&["a"]))]);
    assert!(reached("a", &arrows).contains("a"));
}

#[test]
fn files_stay_small_and_say_what_they_are() {
    for (file, text) in sources_of_all(CRATES.into_iter().chain(PAGE)) {
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
    // And it names no file that does not exist.
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
