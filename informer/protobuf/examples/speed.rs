//! Benchmark: protobuf of a list of pods to JSON, natively: `cargo run --profile native --example speed [-- LIST]`.
//!
//! LIST is the body of a list in protobuf or JSON. Without one, two recorded pods are repeated to 5,000.

use std::error::Error;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use informer_packing::{Json, Outliner};
use informer_protobuf::{
    JsonWriter, ListCutter, ListMeta, ListPiece, Schema, TypeMeta, encode, encode_list_head, encode_list_item,
};

/// Number of times that each measurement is repeated; the best time counts.
const ROUNDS: usize = 9;

/// Size of a chunk of a response.
const CHUNK_BYTES: usize = 16_384;

fn main() -> Result<(), Box<dyn Error>> {
    let text = include_str!("../schema.txt");
    let parse = shortest(|| {
        black_box(Schema::parse(text).is_ok());
    });
    print("parse the schema", text.len(), parse);
    let schema = Schema::parse(text)?;
    let pod = schema.message("v1", "Pod").ok_or("no pods")?;
    let body = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => include_bytes!("../tests/wire/pods-list.bin").to_vec(),
    };
    let mut items = Vec::new();
    if body.starts_with(b"{") {
        for item in Json::new(str::from_utf8(&body)?).get("items").ok_or("no list")?.items() {
            let mut message = Vec::new();
            encode(&schema, pod, item.text(), &mut message)?;
            items.push(message);
        }
    } else {
        ListCutter::new(usize::MAX).push(&body, &mut |piece| {
            if let ListPiece::Item(item) = piece {
                items.push(item.to_vec());
            }
            ControlFlow::Continue(())
        })?;
    }
    let items: Vec<Vec<u8>> = items.iter().cycle().take(5_000).cloned().collect();
    let bytes: usize = items.iter().map(Vec::len).sum();
    println!("{} pods, {} bytes each", items.len(), bytes / items.len());

    for (name, mut writer) in [
        ("with managedFields", JsonWriter::new(&schema)),
        ("without managedFields", JsonWriter::new(&schema).without_managed_fields()),
    ] {
        let mut json = Vec::new();
        let mut written = 0;
        for item in &items {
            json.clear();
            writer.write(pod, None, item, &mut json)?;
            written += json.len();
        }
        println!("{name}: {} bytes of JSON each", written / items.len());
        let seconds = best(&items, |items| {
            for item in items {
                json.clear();
                black_box(writer.write(pod, None, item, &mut json).is_ok());
            }
        });
        print("    of protobuf", bytes, seconds);
        print("    of JSON", written, seconds);
        let mut outliner = Outliner::default();
        let seconds = best(&items, |items| {
            for item in items {
                json.clear();
                black_box(writer.write(pod, None, item, &mut json).is_ok());
                black_box(&outliner.read(&json));
            }
        });
        print("    of JSON, with an outline of it", written, seconds);
    }
    let (mut fields, mut body) = (Vec::new(), Vec::new());
    for item in &items {
        encode_list_item(item, &mut fields);
    }
    let list = TypeMeta { api_version: "v1", kind: "PodList" };
    encode_list_head(list, &ListMeta::default(), fields.len(), &mut body);
    body.extend_from_slice(&fields);
    let cut = shortest(|| {
        let mut cutter = ListCutter::new(usize::MAX);
        for chunk in body.chunks(CHUNK_BYTES) {
            let cut = cutter.push(chunk, &mut |piece| {
                black_box(piece);
                ControlFlow::Continue(())
            });
            black_box(cut.is_ok());
        }
    });
    print("cut", bytes, cut);
    Ok(())
}

/// Returns the seconds that the work takes: the sum of the best times of short parts, which other processes interrupt less.
fn best(items: &[Vec<u8>], mut work: impl FnMut(&[Vec<u8>])) -> f64 {
    items.chunks(100).map(|part| shortest(|| work(part))).sum()
}

fn shortest(mut work: impl FnMut()) -> f64 {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    rounds.fold(f64::INFINITY, f64::min)
}

fn print(what: &str, bytes: usize, seconds: f64) {
    println!("{what}: {:.2} ms, {:.0} MB/s", seconds * 1e3, bytes as f64 / seconds / 1e6);
}
