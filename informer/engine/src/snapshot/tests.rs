//! Snapshots: restored exactly, or rejected.

use informer_packing::{Json, Outline};
use proptest::prelude::*;

use super::*;
use informer::{Keyed, KubeObject, PackerOptions, Reading};

/// Pods that share labels and dictionaries, and one that was decoded on its own.
fn pods(count: usize) -> Vec<Arc<Object>> {
    let packer = Object::packer(&"v1/pods".parse().expect("valid"), PackerOptions::default());
    let read = |n: usize| {
        let labels =
            if n.is_multiple_of(7) { String::new() } else { format!(r#","labels":{{"app":"web-{}"}}"#, n % 50) };
        let json = format!(
            r#"{{"kind":"Pod","metadata":{{"name":"web-{n}","namespace":"shop","uid":"u{n}","resourceVersion":"{n}"{labels}}},"status":{{"phase":"{:x}"}}}}"#,
            n * n
        );
        match Object::read(&Outline::of(Json::new(&json)), None, &packer, &|_| None).expect("a pod") {
            Reading::New(object) => Arc::new(object),
            Reading::Known(known) => known,
        }
    };
    let mut pods: Vec<_> = (0..count).map(read).collect();
    pods.push(Arc::new(Object::from_json(r#"{"metadata":{"name":"alone"}}"#, None).expect("an object")));
    pods
}

fn subject() -> Subject {
    Subject { cluster: "c-1".into(), user: "jane".into(), informer: "v1/pods".into() }
}

fn write(objects: &[Arc<Object>]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut writer = Writer::new(objects.to_vec());
    let parts: Vec<_> = std::iter::from_fn(|| writer.part()).collect();
    let header = Header {
        subject: subject(),
        resource_version: "12".into(),
        taken_at: 1_795_235_495_123.0,
        generation: 7,
        objects: objects.len(),
        parts: writer.finish().expect("few dictionaries"),
    };
    (header.to_bytes(), parts)
}

fn read(header: &[u8], parts: &[Vec<u8>]) -> Result<(Header, Vec<Arc<Object>>), Unusable> {
    let header = Header::from_bytes(header)?;
    let (mut reader, mut objects) = (Reader::default(), Vec::new());
    while reader.parts() < header.parts.len() {
        let part = parts.get(reader.parts()).ok_or(Unusable::Torn)?;
        objects.extend(reader.part(&header, part)?);
    }
    Ok((header, objects))
}

#[test]
fn a_cache_comes_back_as_it_was() {
    let objects = pods(20_000);
    let (header, parts) = write(&objects);
    assert!(parts.len() > 1, "in parts");
    assert!(parts.iter().all(|part| part.len() < 2 * PART_BYTES), "of about a megabyte");
    let bytes: usize = parts.iter().map(Vec::len).sum();
    let cached: usize = objects.iter().map(|object| object.size()).sum();
    assert!(bytes < cached + cached / 10, "{bytes} bytes of {cached}: nothing is there twice");

    let (header, back) = read(&header, &parts).expect("whole");
    assert_eq!((header.subject, &*header.resource_version), (subject(), "12"));
    assert_eq!((header.taken_at.to_bits(), header.generation), (1_795_235_495_123.0_f64.to_bits(), 7));
    assert_eq!(back.len(), objects.len());
    let (mut objects, mut back) = (objects, back);
    for objects in [&mut objects, &mut back] {
        objects.sort_by(|a, b| a.key().cmp(b.key()));
    }
    for (object, back) in objects.iter().zip(&back) {
        assert_eq!(object.parts().0, back.parts().0);
        assert_eq!((object.labels(), object.cells(), object.json()), (back.labels(), back.cells(), back.json()));
    }
    assert!(Arc::ptr_eq(back[100].parts().2.expect("packed"), back[101].parts().2.expect("packed")), "shared");
}

#[test]
fn the_first_part_is_small_and_fills_a_screen() {
    let mut objects = pods(20_000);
    let (header, parts) = write(&objects);
    assert!(parts[0].len() < 2 * FIRST_PART_BYTES, "{} bytes", parts[0].len());
    let header = Header::from_bytes(&header).expect("whole");
    let first = Reader::default().part(&header, &parts[0]).expect("whole");
    objects.sort_by(|a, b| a.key().cmp(b.key()));
    for object in &objects[..FIRST_PART_OBJECTS] {
        assert!(first.iter().any(|first| first.key() == object.key()), "{} is not in it", object.key());
    }
}

#[test]
fn an_empty_cache_is_a_snapshot_too() {
    let (header, parts) = write(&[]);
    assert_eq!(parts.len(), 0);
    assert_eq!(read(&header, &parts).expect("whole").1.len(), 0);
}

#[test]
fn a_snapshot_of_another_version_is_rejected() {
    let (mut header, parts) = write(&pods(3));
    header[MAGIC.len() + 1] ^= 1;
    assert_eq!(read(&header, &parts).unwrap_err(), Unusable::Format);
    assert_eq!(Header::from_bytes(b""), Err(Unusable::Format));
}

#[test]
fn a_wrong_number_of_objects_is_rejected() {
    let objects = pods(9_000);
    let (bytes, parts) = write(&objects);
    assert!(parts.len() > 1, "{} parts", parts.len());
    for (says, torn) in [(objects.len() - 1, true), (objects.len(), false), (objects.len() + 1, true)] {
        let header = Header { objects: says, ..Header::from_bytes(&bytes).expect("whole") };
        assert_eq!(header.objects, says);
        let mut reader = Reader::default();
        for (at, part) in parts.iter().enumerate() {
            assert_eq!(reader.parts(), at);
            let is_last = at + 1 == parts.len();
            let read = reader.part(&header, part);
            // Before the last part the number of objects is unknown.
            assert_eq!(read.err(), (is_last && torn).then_some(Unusable::Torn), "part {at}, {says} objects");
        }
        assert_eq!(reader.part(&header, &parts[0]).err(), Some(Unusable::Torn), "there is no such part");
    }
}

#[test]
fn labels_that_many_objects_share_are_written_once() {
    let packer = Object::packer(&"v1/pods".parse().expect("valid"), PackerOptions::default());
    let objects: Vec<_> = (0..300)
        .map(|n| {
            let app = "x".repeat(500);
            let json = format!(
                r#"{{"metadata":{{"name":"p{n}","resourceVersion":"{n}","labels":{{"app":"{app}","half":"{}"}}}}}}"#,
                n % 2
            );
            match Object::read(&Outline::of(Json::new(&json)), None, &packer, &|_| None).expect("a pod") {
                Reading::New(object) => Arc::new(object),
                Reading::Known(known) => known,
            }
        })
        .collect();
    let (header, parts) = write(&objects);
    let bytes: usize = parts.iter().map(Vec::len).sum();
    assert!(bytes < 100_000, "{bytes} bytes: the labels alone are 150,000");
    let (_, back) = read(&header, &parts).expect("whole");
    let half =
        |object: &Arc<Object>| object.labels().iter().find(|(name, _)| *name == "half").map(|(_, v)| v.to_owned());
    for object in &objects {
        let found = back.iter().find(|back| back.key() == object.key()).expect("there");
        assert_eq!(half(found), half(object), "{}", object.key());
    }
}

#[test]
fn a_header_round_trips_and_an_invalid_one_reports_the_reason() {
    let (bytes, _) = write(&pods(3));
    let header = Header::from_bytes(&bytes).expect("whole");
    assert_eq!((header.subject.clone(), &*header.resource_version), (subject(), "12"));
    assert_eq!((header.taken_at.to_bits(), header.generation), (1_795_235_495_123.0_f64.to_bits(), 7));
    assert_eq!((header.objects, header.parts.len()), (4, 1));
    assert_eq!(Header::from_bytes(&header.to_bytes()), Ok(header.clone()));
    for other in [
        Header { generation: 8, ..header.clone() },
        Header { objects: 5, ..header.clone() },
        Header { taken_at: 1.0, ..header.clone() },
        Header { resource_version: "13".into(), ..header.clone() },
        Header { subject: Subject { user: "joe".into(), ..subject() }, ..header.clone() },
        Header { parts: Vec::new(), ..header.clone() },
    ] {
        assert_eq!(Header::from_bytes(&other.to_bytes()), Ok(other.clone()));
        assert_ne!(other.to_bytes(), bytes);
    }
    // A header of another format version is distinguished from a truncated one.
    let magic = MAGIC.len() + 1;
    assert_eq!(Header::from_bytes(&bytes[..magic]), Err(Unusable::Format));
    assert_eq!(Header::from_bytes(&bytes[1..]), Err(Unusable::Format));
    let other_magic = [&[bytes[0], bytes[1] ^ 1], &bytes[2..]].concat();
    assert_eq!(Header::from_bytes(&other_magic), Err(Unusable::Format));
    for length in [magic + 8, magic + 9, bytes.len() - 20] {
        let short = &bytes[..length];
        assert_eq!(Header::from_bytes(short), Err(Unusable::Torn), "{length} bytes");
        let header = [short, &checksum(short).to_le_bytes()].concat();
        assert_eq!(Header::from_bytes(&header), Err(Unusable::Torn), "{length} bytes, with a checksum");
    }
    let messages = [Unusable::Format, Unusable::Torn, Unusable::Foreign].map(|reason| reason.to_string());
    assert_eq!(
        messages,
        [
            "it is not a snapshot of this version",
            "it is incomplete or damaged",
            "it belongs to another resource, cluster or user"
        ]
    );
}

#[test]
fn dictionaries_of_earlier_sessions_are_dropped() {
    let sessions: Vec<_> = (0..=MAX_DICTIONARIES).map(|_| pods(1).remove(0)).collect();
    let mut writer = Writer::new(sessions);
    while writer.part().is_some() {}
    assert_eq!(writer.finish(), None);
}

proptest! {
    #[test]
    fn a_bit_that_turned_anywhere_makes_it_useless(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let (mut header, mut parts) = write(&pods(40));
        let length = header.len() + parts[0].len();
        let at = at.index(length);
        match at.checked_sub(header.len()) {
            None => header[at] ^= 1 << bit,
            Some(at) => parts[0][at] ^= 1 << bit,
        }
        prop_assert!(read(&header, &parts).is_err());
    }

    #[test]
    fn a_truncated_or_incomplete_snapshot_is_rejected(at in any::<prop::sample::Index>()) {
        let (header, mut parts) = write(&pods(40));
        prop_assert!(read(&header[..at.index(header.len())], &parts).is_err());
        prop_assert!(read(&header, &[]).is_err());
        let at = at.index(parts[0].len());
        parts[0].truncate(at);
        prop_assert!(read(&header, &parts).is_err());
    }

    /// With a valid checksum, as another program could write it.
    #[test]
    fn any_bytes_are_read_without_a_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300), from in any::<prop::sample::Index>()) {
        let (_, mut parts) = write(&pods(40));
        for part in [&mut bytes, &mut parts[0]] {
            let header = |part: &[u8]| {
                let parts = vec![StoredPart { length: part.len(), checksum: checksum(part) }; 2];
                let (resource_version, subject) = (String::new(), subject());
                Header { subject, resource_version, taken_at: 0.0, generation: 0, objects: 0, parts }
            };
            let _ = Reader::default().part(&header(part), part);
            let at = from.index(part.len().max(1));
            if let Some(byte) = part.get_mut(at) {
                *byte = byte.wrapping_add(1);
            }
            for object in Reader::default().part(&header(part), part).into_iter().flatten() {
                // All methods of the damaged object work without a panic.
                let _ = (object.key(), object.namespace(), object.name(), object.uid(), object.resource_version());
                let _ = (object.created(), object.labels().iter().count(), object.owners().count(), object.cells());
                let _ = object.json();
            }
        }
        let (known, _) = write(&[]);
        let header = [&known[..=MAGIC.len() + 8], &bytes].concat();
        let header = [&*header, &checksum(&header).to_le_bytes()].concat();
        let _ = Header::from_bytes(&header);
    }
}
