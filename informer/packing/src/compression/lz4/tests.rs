//! Compression round trip, with this decompressor and with another LZ4.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;

/// Texts that repeat themselves and each other, as those to be compressed do.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            &b"\"name\":"[..], b"{\"kind\":\"Pod\",", b"registry.example.com/shop/web:v1", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            b"0", b"2026-11-21T04:31:35Z", b"}", b",\"metadata\":{\"name\":\"",
        ]).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => (any::<u8>(), 0..700_usize).prop_map(|(byte, count)| vec![byte; count]),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn prepared(bytes: &[u8]) -> PreparedDictionary {
    PreparedDictionary::new(Arc::new(Dictionary::new(bytes)))
}

fn round_trip(compressor: &mut Compressor, dictionary: &[u8], text: &[u8], known: usize) {
    let prepared = prepared(dictionary);
    let block = compressor.compress(&prepared, text, known).to_vec();
    let known = known.min(text.len());
    let mut back = b"before".to_vec();
    decompress(&block, dictionary, &text[..known], text.len() - known, &mut back).expect("as it was written");
    assert_eq!(back.strip_prefix(b"before"), Some(&text[known..]));
    let history = [dictionary, &text[..known]].concat();
    let other = lz4_flex::block::decompress_with_dict(&block, text.len() - known, &history).expect("an LZ4 block");
    assert_eq!(other, &text[known..]);
}

proptest! {
    #[test]
    fn texts_round_trip_through_compression(texts in prop::collection::vec((text(), 0..200_usize), 1..4), dictionary in text()) {
        let mut compressor = Compressor::default();
        for (text, known) in texts {
            round_trip(&mut compressor, &dictionary, &text, known);
        }
    }

    #[test]
    fn blocks_of_another_lz4_are_read(text in text(), dictionary in text()) {
        let block = lz4_flex::block::compress_with_dict(&text, &dictionary);
        let mut back = Vec::new();
        decompress(&block, &dictionary, &[], text.len(), &mut back).expect("an LZ4 block");
        prop_assert_eq!(back, text);
    }

    #[test]
    fn garbage_is_an_error_without_a_panic(block in prop::collection::vec(any::<u8>(), 0..300), length in 0..2000_usize) {
        let mut to = b"before".to_vec();
        let read = decompress(&block, b"a dictionary", b"known", length, &mut to);
        prop_assert_eq!(to.len(), if read.is_ok() { 6 + length } else { 6 });
    }

    #[test]
    fn broken_blocks_are_an_error_or_another_text(text in text(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
        let mut block = Compressor::default().compress(&prepared(b""), &text, 0).to_vec();
        let at = at.index(block.len());
        if cut { block.truncate(at) } else { block[at] = byte }
        let mut to = Vec::new();
        let read = decompress(&block, &[], &[], text.len(), &mut to);
        prop_assert_eq!(to.len(), if read.is_ok() { text.len() } else { 0 });
        prop_assert!(!cut || read.is_err() || text.is_empty());
    }
}

#[test]
fn a_length_that_no_block_can_have_takes_no_memory() {
    let mut to = Vec::new();
    assert_eq!(decompress(b"\x0Fabc", &[], &[], usize::MAX, &mut to), Err(Corrupt));
    assert_eq!(to.capacity(), 0);
}

#[test]
fn a_dictionary_longer_than_a_match_reaches_is_used_as_far_as_that() {
    let words: Vec<u8> =
        (0..20_000_u32).flat_map(|n| format!("{:x},", n.wrapping_mul(0x9E37_79B9)).into_bytes()).collect();
    let dictionary = Dictionary::new(&words);
    assert_eq!(dictionary.bytes().len(), Dictionary::MAX);
    let dictionary = dictionary.bytes().to_vec();
    for from in [0, 10, 30_000, 60_000] {
        let text = [b"some text that stands before ", &dictionary[from..from + 5000]].concat();
        round_trip(&mut Compressor::default(), &dictionary, &text, 0);
        round_trip(&mut Compressor::default(), &dictionary, &text, 29);
    }
}

#[test]
fn long_texts_round_trip() {
    let mut compressor = Compressor::default();
    for step in [1, 7, 61, 4099_u32] {
        let text: Vec<u8> = (0..300_000_u32).map(|n| (n / step).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
        round_trip(&mut compressor, &text[..70_000.min(Dictionary::MAX)], &text, 100);
    }
}
