//! Speed of the store: `cargo test --profile native -p log-lines --test speed -- --nocapture` prints the figures.

use std::time::Instant;

use log_lines::{Batch, Filter, Level, Limits, Pattern, Selection, Store};

/// Lines per second that a fast container writes. Measured on a busy machine with two cores: 640,000 appended.
const LEAST: f64 = 50_000.0;

#[test]
fn fifty_thousand_lines_a_second_are_cheap() {
    let mut store = Store::new(Limits::default());
    let texts: Vec<_> = (0..5000)
        .map(|at| {
            format!(r#"{{"ts":{at},"level":"info","line":{at},"msg":"GET /v1/items","status":200,"took_ms":12}}"#)
        })
        .collect();
    let times: Vec<_> = (0..5000).map(|at| format!("2026-01-02T03:04:05.{at:09}Z")).collect();
    let origins: Vec<_> = (0..5000)
        .map(|at| format!(r#"{{"from":{at},"namespace":"shop","pod":"web-{}","container":"app"}}"#, at % 5))
        .collect();
    let (texts, times) = (texts.join("\n"), times.join("\n"));
    let rest = format!("[5000,[],[{}]]", origins.join(","));
    let batches = if cfg!(debug_assertions) { 3 } else { 240 };
    let start = Instant::now();
    for _ in 0..batches {
        store.append(&Batch::new(&texts, &times, &rest).expect("valid"));
    }
    let pace = |from: Instant, lines: usize| lines as f64 / from.elapsed().as_secs_f64();
    let appended = pace(start, batches * 5000);
    println!("append: {appended:.0} lines/s; {} lines held in {:.1} MB", store.len(), store.bytes() as f64 / 1e6);
    assert!(store.len() <= 1_000_000 && store.bytes() <= 96 << 20);
    assert!(cfg!(debug_assertions) || appended > 4.0 * LEAST, "{appended} lines/s");
    // Lines of 80 bytes, compressed: none is dropped for its bytes.
    assert!(cfg!(debug_assertions) || store.len() > 1_000_000 - 2048, "{} lines", store.len());
    let patterns = [
        ("text", Pattern::text("status\":500", true)),
        ("any case", Pattern::text("Status\":500", false)),
        ("expression", Pattern::regex(r#"status":5\d\d"#, true).expect("valid")),
    ];
    for (name, pattern) in patterns {
        let mut selection = Selection::new(pattern, Filter { least: Level::Unknown, matches_only: true });
        let start = Instant::now();
        assert!(selection.advance(&store, || true));
        println!("search, {name}: {:.0} lines/s", pace(start, store.len()));
    }
}
