//! Random objects of all kinds: the JSON equals the apiserver's, byte for byte.
//!
//! `golden/objects.tsv` has two small objects of each kind. With Go installed, a test makes as many as one likes:
//!
//!     SEED=7 COUNT=50 cargo test --release -p informer-protobuf --test objects -- --ignored

// The helpers are not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use informer_packing::{Outline, Outlined, Outliner};
use informer_protobuf::{JsonWriter, Schema, Unknown, UnknownFields, encode, encode_unknown};

fn schema() -> Schema {
    Schema::parse(include_str!("../schema.txt")).expect("schema")
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |byte| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("base64"),
    };
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | u32::from(digit(byte));
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

/// Compares all lines of protobuf, its JSON, and the protobuf of that JSON; returns the kinds.
fn compare(lines: &str) -> BTreeSet<(String, String)> {
    let schema = schema();
    let (mut all, mut cut) = (JsonWriter::new(&schema), JsonWriter::new(&schema).without_managed_fields());
    let mut kinds = BTreeSet::new();
    for line in lines.lines() {
        let [protobuf, expected, back] = *line.split('\t').collect::<Vec<_>>() else { panic!("three columns") };
        let bytes = from_base64(protobuf);
        let unknown = Unknown::parse(&bytes).expect("an envelope");
        let type_meta = unknown.type_meta;
        let message = schema.message(type_meta.api_version, type_meta.kind).expect("a kind of the schema");
        let (mut json, mut short) = (Vec::new(), Vec::new());
        let fields = all.write(message, Some(type_meta), unknown.raw, &mut json).expect("JSON");
        assert_eq!(fields, UnknownFields::default(), "{type_meta:?}");
        let json = String::from_utf8(json).expect("UTF-8");
        assert!(json == expected, "{type_meta:?}\n{json}\n{expected}");

        cut.write(message, Some(type_meta), unknown.raw, &mut short).expect("JSON");
        let (mut outliner, mut without) = (Outliner::default(), Vec::new());
        let Outlined::Complete(outline) = outliner.read(expected.as_bytes()) else { panic!("not JSON: {expected}") };
        outline.write_without("metadata", "managedFields", &mut without);
        assert!(short == without, "{type_meta:?} {}", String::from_utf8_lossy(&short));

        let (mut raw, mut encoded) = (Vec::new(), Vec::new());
        encode(&schema, message, expected, &mut raw).expect("protobuf");
        encode_unknown(type_meta, &raw, &mut encoded);
        let back = if back == "=" { bytes.clone() } else { from_base64(back) };
        assert!(encoded == back, "{type_meta:?}\n{expected}\n{encoded:02x?}\n{back:02x?}");
        kinds.insert((type_meta.api_version.to_owned(), type_meta.kind.to_owned()));
    }
    kinds
}

/// Objects with a few damaged bytes are errors or other objects, never a panic or invalid JSON.
#[test]
fn damaged_objects() {
    let schema = schema();
    let mut writer = JsonWriter::new(&schema);
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    let (mut decoded, mut failed) = (0, 0);
    for line in include_str!("golden/objects.tsv").lines() {
        let bytes = from_base64(line.split('\t').next().expect("a column"));
        let unknown = Unknown::parse(&bytes).expect("an envelope");
        let message = schema.message(unknown.type_meta.api_version, unknown.type_meta.kind).expect("a kind");
        let rounds = if unknown.raw.is_empty() { 0 } else { 40 };
        for _ in 0..rounds {
            let mut damaged = unknown.raw.to_vec();
            for _ in 0..=random(3) {
                let (at, byte) = (random(damaged.len()), random(256));
                damaged[at] = u8::try_from(byte).expect("a byte");
            }
            damaged.truncate(damaged.len() - if random(4) == 0 { random(damaged.len()) } else { 0 });
            let mut json = Vec::new();
            if writer.write(message, None, &damaged, &mut json).is_ok() {
                decoded += 1;
                let json = str::from_utf8(&json).expect("UTF-8");
                assert_eq!(Outline::parse(json).map(|_| ()), Ok(()), "{json}");
            } else {
                failed += 1;
                assert!(json.is_empty());
            }
        }
    }
    assert!(decoded > 1_000 && failed > 1_000, "{decoded} {failed}");
}

fn all_kinds() -> BTreeSet<(String, String)> {
    schema().kinds().map(|(api_version, kind, _)| (api_version.to_owned(), kind.to_owned())).collect()
}

#[test]
fn two_objects_of_each_kind() {
    assert_eq!(compare(include_str!("golden/objects.tsv")), all_kinds());
}

#[test]
#[ignore = "requires Go, and the modules of tests/kube"]
fn any_number_of_objects_of_each_kind() {
    let number = |name| std::env::var(name).unwrap_or_else(|_| "20".to_owned());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kube");
    let arguments = ["run", "./schema", "objects", "-seed", &number("SEED"), "-count", &number("COUNT")];
    let output = Command::new("go").args(arguments).current_dir(folder).output().expect("go");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(compare(str::from_utf8(&output.stdout).expect("UTF-8")), all_kinds());
}
