//! Fuzz target for watch streams: eight bytes give the lengths of the chunks, repeated; the rest is the stream.

use informer::{Keyed, LineDecoder, Object, WatchEvent, meta_namespace_key};

/// Maximum length of a line: short, so that a fuzzer finds longer ones.
const LIMIT: usize = 300;

/// The lines and the end are the same however the stream is cut, and no line causes a panic.
pub fn run(data: &[u8]) {
    let Some((lengths, stream)) = data.split_at_checked(8) else { return };
    let mut chunks = Vec::new();
    let mut rest = stream;
    for length in lengths.iter().cycle() {
        let (chunk, tail) = rest.split_at(rest.len().min(1 + usize::from(*length)));
        chunks.push(chunk);
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    let lines = decode(&[stream]);
    assert_eq!(decode(&chunks), lines);
    for line in lines.0.iter().map(Vec::as_slice).chain([stream]) {
        assert!(line.len() <= LIMIT || line == stream);
        if let Ok(WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object)) =
            WatchEvent::<Object>::from_line(line)
        {
            assert_eq!(object.key(), meta_namespace_key(object.namespace(), object.name()));
            assert!(!object.name().is_empty());
        }
    }
}

/// The lines and the unfinished rest, or an error.
fn decode(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Option<usize>) {
    let mut decoder = LineDecoder::new(LIMIT);
    let mut lines = Vec::new();
    let fine = chunks.iter().try_for_each(|chunk| decoder.push(chunk, |line| lines.push(line.to_vec())));
    (lines, fine.is_ok().then(|| decoder.unfinished()))
}
