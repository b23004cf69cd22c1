//! Benchmark: reading and compressing the items of a list, natively:
//! `cargo run --profile native --example speed -- LIST.json`.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use informer_packing::lz4::{Compressor, Dictionary, PreparedDictionary, decompress};
use informer_packing::{DictionaryCompressor, Json, Outlined, Outliner};

/// Number of times that each measurement is repeated; the best time counts.
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which list? give the file of one")?;
    let list = std::fs::read_to_string(path)?;
    let items: Vec<&str> = Json::new(&list).get("items").ok_or("no list")?.items().map(Json::text).collect();
    let bytes: usize = items.iter().map(|item| item.len()).sum();
    println!("{} items, {} bytes each", items.len(), bytes / items.len().max(1));

    time("serde_json IgnoredAny", bytes, || {
        for item in &items {
            let _ = black_box(serde_json::from_str::<serde::de::IgnoredAny>(item));
        }
    });
    let mut outliner = Outliner::default();
    time("outline", bytes, || {
        for item in &items {
            black_box(matches!(outliner.read(item.as_bytes()), Outlined::Complete(_)));
        }
    });
    let mut body = Vec::new();
    time("outline and cut", bytes, || {
        for item in &items {
            body.clear();
            if let Outlined::Complete(outline) = outliner.read(item.as_bytes()) {
                outline.write_without("metadata", "managedFields", &mut body);
            }
            black_box(&body);
        }
    });

    let bodies: Vec<Vec<u8>> = items
        .iter()
        .map(|item| {
            let mut body = Vec::new();
            if let Outlined::Complete(outline) = outliner.read(item.as_bytes()) {
                outline.write_without("metadata", "managedFields", &mut body);
            }
            body
        })
        .collect();
    let kept: usize = bodies.iter().map(Vec::len).sum();
    println!("without managedFields {} bytes each", kept / items.len());
    let exemplars: Vec<u8> = bodies.iter().step_by(bodies.len() / 15).take(15).flatten().copied().collect();
    let dictionary = PreparedDictionary::new(Arc::new(Dictionary::new(&exemplars)));
    let mut compressor = Compressor::default();
    let mut packed = 0;
    time("compress", kept, || {
        packed = bodies.iter().map(|body| compressor.compress(&dictionary, body, 0).len()).sum();
    });
    println!("    {} bytes each", packed / items.len());
    let blocks: Vec<Vec<u8>> = bodies.iter().map(|body| compressor.compress(&dictionary, body, 0).to_vec()).collect();
    let mut text = Vec::new();
    time("decompress", kept, || {
        for (block, body) in blocks.iter().zip(&bodies) {
            text.clear();
            let _ = black_box(decompress(block, dictionary.dictionary().bytes(), &[], body.len(), &mut text));
        }
    });
    time("lz4_flex compress", kept, || {
        packed = bodies
            .iter()
            .map(|body| lz4_flex::block::compress_with_dict(body, dictionary.dictionary().bytes()).len())
            .sum();
    });
    println!("    {} bytes each", packed / items.len());
    time("lz4_flex decompress", kept, || {
        for (block, body) in blocks.iter().zip(&bodies) {
            let _ =
                black_box(lz4_flex::block::decompress_with_dict(block, body.len(), dictionary.dictionary().bytes()));
        }
    });
    let mut compressor = DictionaryCompressor::default();
    let mut dictionaries = 0;
    let mut newest = Arc::clone(compressor.dictionary());
    let mut sizes = Vec::new();
    time("compressor", kept, || {
        compressor = DictionaryCompressor::default();
        dictionaries = 0;
        sizes.clear();
        for body in &bodies {
            sizes.push(compressor.pack(body, 0).block.len());
            if !Arc::ptr_eq(&newest, compressor.dictionary()) {
                newest = Arc::clone(compressor.dictionary());
                dictionaries += 1;
            }
        }
    });
    let at_the_end = sizes.iter().rev().take(1000).sum::<usize>() / sizes.len().clamp(1, 1000);
    println!(
        "    {} bytes each, {at_the_end} at the end, {dictionaries} dictionaries, the last of {} bytes",
        sizes.iter().sum::<usize>() / items.len(),
        newest.bytes().len()
    );
    Ok(())
}

fn time(what: &str, bytes: usize, mut work: impl FnMut()) {
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    println!("{what:24} {:8.1} MB/s", bytes as f64 / 1e6 / best.as_secs_f64());
}
