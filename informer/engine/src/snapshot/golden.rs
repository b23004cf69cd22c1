//! Golden snapshots: `tests/golden/<version>.txt` contains the objects of `objects.txt` as the build of a format version
//! wrote them.
//!
//! If these tests fail, a reload could show old cells below new headers, or read nonsense: raise
//! [`VERSION`](super::VERSION) and record its file with
//! `RECORD=1 cargo test -p informer-engine --lib snapshot::golden`. A recorded file is never changed. A line can be added
//! to `objects.txt` at any time; it is part of the next version's file.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use informer::{GroupVersionResource, KubeObject, PackerOptions, carry_cells};
use informer_packing::{Json, Outline};

use super::*;
use crate::columns::{carried, columns_of};

/// Snapshot of the objects of one resource.
#[derive(Debug, Default, PartialEq)]
struct Section {
    resource: String,
    columns: String,
    header: Vec<u8>,
    parts: Vec<Vec<u8>>,
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn golden(version: u64) -> Vec<Section> {
    let path = file(&format!("{version}.txt"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "version {version} has no golden file, {}: {error}. If the version is new, record it: \
             RECORD=1 cargo test -p informer-engine --lib snapshot::golden",
            path.display()
        )
    });
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').expect("a word and what it says");
        if word == "resource" {
            sections.push(Section { resource: rest.to_owned(), ..Section::default() });
            continue;
        }
        let section = sections.last_mut().expect("a resource comes first");
        match word {
            "columns" => rest.clone_into(&mut section.columns),
            "header" => section.header = from_base64(rest),
            "part" => section.parts.push(from_base64(rest)),
            _ => panic!("{word} is no word of a golden file"),
        }
    }
    sections
}

/// The digits of base64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 without padding.
fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0, |word, at| (word << 8) | u32::from(chunk.get(at).copied().unwrap_or(0)));
        let digits = (0..=chunk.len()).map(|at| char::from(DIGITS[((word >> (18 - 6 * at)) & 63) as usize]));
        text.extend(digits);
    }
    text
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |digit: &u8| (0..).zip(DIGITS).find(|(_, known)| *known == digit).expect("a digit of base64").0;
    let bytes = |digits: &[u8]| {
        let word = (0..4).fold(0_u32, |word, at| (word << 6) | digits.get(at).map_or(0, value));
        word.to_be_bytes()[1..digits.len()].to_vec()
    };
    text.as_bytes().chunks(4).flat_map(bytes).collect()
}

/// The objects of `objects.txt` as today's code caches them, by resource.
fn objects() -> Vec<(String, Vec<Arc<Object>>)> {
    carry_cells(carried);
    let text = fs::read_to_string(file("objects.txt")).expect("objects.txt");
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        let (resource, json) = line.split_once(' ').expect("a resource and an object");
        match all.iter_mut().find(|(known, _)| known == resource) {
            Some((_, objects)) => objects.push(json),
            None => all.push((resource.to_owned(), vec![json])),
        }
    }
    let read = |(resource, texts): (String, Vec<&str>)| {
        let packer = Object::packer(&resource.parse().expect("a resource"), PackerOptions::default());
        let read = |json: &&str| Object::read(&Outline::of(Json::new(json)), None, &packer, &|_| None);
        let objects = texts.iter().map(|json| read(json).expect("an object").into_arc()).collect();
        (resource, objects)
    };
    all.into_iter().map(read).collect()
}

/// Headers of the carried cells: `Name|Ready #|IP *`, with a mark for a number and for a wide column.
fn columns(resource: &str) -> String {
    let resource: GroupVersionResource = resource.parse().expect("a resource");
    let mark = |set: bool, mark: &str| if set { mark.to_owned() } else { String::new() };
    let heads = columns_of(&resource, false).iter().map(|column| column.header()).collect::<Vec<_>>();
    let text = |head: &crate::columns::ColumnHeader| {
        format!("{}{}{}", head.name, mark(head.numeric, " #"), mark(head.wide, " *"))
    };
    heads.iter().map(text).collect::<Vec<_>>().join("|")
}

fn written(resource: &str, objects: &[Arc<Object>]) -> Section {
    let mut writer = Writer::new(objects.to_vec());
    let parts: Vec<_> = std::iter::from_fn(|| writer.part()).collect();
    let header = Header {
        subject: Subject { cluster: "c-1".into(), user: "jane".into(), informer: resource.into() },
        resource_version: "100200".into(),
        taken_at: 1_795_235_495_123.0,
        generation: 7,
        objects: objects.len(),
        parts: writer.finish().expect("few dictionaries"),
    };
    Section { resource: resource.into(), columns: columns(resource), header: header.to_bytes(), parts }
}

/// Writes the golden file of a new version.
fn record() {
    let path = file(&format!("{VERSION}.txt"));
    assert!(!path.exists(), "{} exists, and a recorded file is never changed: raise VERSION", path.display());
    let mut text = String::new();
    for (resource, objects) in objects() {
        let Section { resource, columns, header, parts } = written(&resource, &objects);
        let _ = write!(text, "resource {resource}\ncolumns {columns}\nheader {}\n", to_base64(&header));
        for part in parts {
            let _ = writeln!(text, "part {}", to_base64(&part));
        }
    }
    fs::write(path, text).expect("written");
}

fn read(section: &Section) -> Result<(Header, Vec<Arc<Object>>), Unusable> {
    let header = Header::from_bytes(&section.header)?;
    let (mut reader, mut objects) = (Reader::default(), Vec::new());
    for part in &section.parts {
        objects.extend(reader.part(&header, part)?);
    }
    Ok((header, objects))
}

/// Fields of an object that can be read without its dictionary.
fn described(object: &Object) -> String {
    let owners: Vec<_> = object.owners().map(|owner| format!("{owner:?}")).collect();
    let meta = (object.key(), object.uid(), object.resource_version(), object.created().to_bits());
    format!("{meta:?} {:?} {owners:?} {:?} {}", object.labels(), object.cells(), object.json())
}

/// Returns the differences between a golden snapshot and the snapshot of the same objects by the current code.
fn difference(section: &Section, fresh: &[Arc<Object>]) -> Option<String> {
    let resource = &section.resource;
    let (header, kept) = match read(section) {
        Ok(read) => read,
        Err(error) => return Some(format!("the snapshot of {resource} is rejected: {error}")),
    };
    let today = columns(resource);
    if section.columns != today {
        return Some(format!("the columns of {resource} were {:?} and are {today:?}", section.columns));
    }
    for object in &kept {
        let Some(fresh) = fresh.iter().find(|fresh| fresh.key() == object.key()) else {
            return Some(format!("{resource} {} is cached under another key now, or left objects.txt", object.key()));
        };
        let (was, is) = (described(object), described(fresh));
        if was != is {
            return Some(format!(
                "{resource} {} reads\n  {was}\nfrom the snapshot, and today is\n  {is}",
                object.key()
            ));
        }
    }
    let again = written(resource, &kept);
    let same = again.parts == section.parts && header.to_bytes() == section.header;
    (!same || kept.is_empty()).then(|| format!("the same objects of {resource} are written as other bytes"))
}

#[test]
fn the_golden_snapshot_of_this_version_reads_as_today_s_objects() {
    if std::env::var_os("RECORD").is_some() {
        record();
    }
    let (golden, objects) = (golden(VERSION), objects());
    for section in &golden {
        let fresh = objects.iter().find(|(resource, _)| *resource == section.resource);
        let fresh = fresh.map(|(_, objects)| &**objects).unwrap_or_default();
        if let Some(difference) = difference(section, fresh) {
            panic!(
                "{difference}\n\nCaches that were written before this change would be read wrongly. If the change is meant, \
                 raise VERSION in snapshot.rs from {VERSION} to {next} (users' caches are then loaded anew once) and record \
                 tests/golden/{next}.txt: RECORD=1 cargo test -p informer-engine --lib snapshot::golden",
                next = VERSION + 1,
            );
        }
    }
    let kept: Vec<_> = golden.iter().flat_map(|section| read(section).expect("read above").1).collect();
    assert!(kept.len() > 60, "{} objects", kept.len());
    assert!(kept.iter().any(|object| object.parts().2.is_some()), "bodies with a dictionary");
    assert!(kept.iter().any(|object| !object.labels().is_empty()), "shared labels");
}

#[test]
fn each_version_up_to_this_one_has_its_golden_file_and_only_this_one_is_read() {
    let mut versions: Vec<u64> = fs::read_dir(file(""))
        .expect("readable")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".txt")?.parse().ok())
        .collect();
    versions.sort_unstable();
    assert_eq!(versions, (1..=VERSION).collect::<Vec<_>>());
    for section in (1..VERSION).flat_map(golden) {
        assert_eq!(Header::from_bytes(&section.header), Err(Unusable::Format));
    }
}

#[test]
fn a_golden_file_notices_each_kind_of_change() {
    let (golden, objects) = (golden(VERSION), objects());
    let pods = || golden.iter().find(|section| section.resource == "v1/pods").expect("pods");
    let fresh = &objects.iter().find(|(resource, _)| resource == "v1/pods").expect("pods").1;
    let copy = |change: &dyn Fn(&mut Section)| {
        let Section { resource, columns, header, parts } = pods();
        let mut copy = Section {
            resource: resource.clone(),
            columns: columns.clone(),
            header: header.clone(),
            parts: parts.clone(),
        };
        change(&mut copy);
        difference(&copy, fresh).unwrap_or_default()
    };
    assert_eq!(copy(&|_| ()), "");
    assert!(copy(&|pods| pods.columns = pods.columns.replace("Ready", "Up")).contains("the columns of v1/pods"));
    assert!(copy(&|pods| pods.header[MAGIC.len() + 1] ^= 1).contains("not a snapshot of this version"));
    assert!(copy(&|pods| pods.parts[0][9] ^= 1).contains("incomplete or damaged"));
    // Cells of another build: the same pods, as a custom resource's objects carry them.
    let packer = Object::packer(&"example.dev/v1/pods".parse().expect("a resource"), PackerOptions::default());
    let read = |json: &str| Object::read(&Outline::of(Json::new(json)), None, &packer, &|_| None).expect("an object");
    let others: Vec<_> = fresh.iter().map(|pod| read(&pod.json()).into_arc()).collect();
    assert!(difference(pods(), &others).is_some_and(|described| described.contains("from the snapshot, and today is")));
    assert!(difference(pods(), &[]).is_some_and(|described| described.contains("left objects.txt")));
}
