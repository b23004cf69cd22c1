//! Tests of the list cutter.

use super::*;
use crate::wire::field;
use proptest::prelude::*;

fn type_meta() -> Vec<u8> {
    field(1, &[field(1, b"v1"), field(2, b"PodList")].concat())
}

fn body(items: &[Vec<u8>]) -> Vec<u8> {
    let metadata = field(1, &[field(1, b""), field(2, b"17"), field(3, b"token"), vec![0x20, 5]].concat());
    let items: Vec<u8> = items.iter().flat_map(|item| field(2, item)).collect();
    // Unknown fields of each wire type.
    let unknown =
        [field(9, b"unknown"), vec![0x40, 0xac, 2], vec![0x45, 1, 2, 3, 4], vec![0x41, 1, 2, 3, 4, 5, 6, 7, 8]]
            .concat();
    let raw = field(2, &[metadata, items, unknown].concat());
    [&MAGIC[..], &type_meta(), &raw, b"\x1a\0\x22\0\x2a\x01?"].concat()
}

type Pieces = (Vec<String>, bool);

/// Pieces of a body that is split into chunks at these positions, and whether it was complete.
fn pieces(body: &[u8], cuts: &[usize]) -> Result<Pieces> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(body.len())).chain([0, body.len()]).collect();
    cuts.sort_unstable();
    let (mut cutter, mut pieces) = (ListCutter::new(1_000), Vec::new());
    for pair in cuts.windows(2) {
        cutter.push(&body[pair[0]..pair[1]], &mut |piece| {
            pieces.push(match piece {
                ListPiece::Item(item) => format!("item {item:?}"),
                other => format!("{other:?}"),
            });
            ControlFlow::Continue(())
        })?;
        assert_eq!(cutter.position(), pair[1]);
    }
    Ok((pieces, cutter.is_complete()))
}

fn expected(items: &[Vec<u8>]) -> Vec<String> {
    let meta = ListMeta { resource_version: "17", continue_token: "token", remaining_item_count: Some(5) };
    let head = [
        format!("{:?}", ListPiece::Type(TypeMeta { api_version: "v1", kind: "PodList" })),
        format!("{:?}", ListPiece::Metadata(meta)),
    ];
    head.into_iter().chain(items.iter().map(|item| format!("item {item:?}"))).collect()
}

#[test]
fn a_list_is_complete_with_its_last_byte() {
    let items = [b"a".to_vec(), Vec::new(), vec![7; 300]];
    let whole = body(&items);
    let end = whole.len() - 7;
    for length in 0..whole.len() {
        let is_complete = pieces(&whole[..length], &[]).expect("a list").1;
        // Between fields of the envelope, it is complete, too.
        assert_eq!(is_complete, length == end || length == end + 2 || length == end + 4, "{length} of {}", whole.len());
    }
    assert_eq!(pieces(&whole, &[]), Ok((expected(&items), true)));
}

#[test]
fn the_order_of_the_envelope_does_not_matter() {
    let body = [&MAGIC[..], &field(2, &field(2, b"a")), &type_meta()].concat();
    let expected = vec!["item [97]".to_owned(), expected(&[])[0].clone()];
    assert_eq!(pieces(&body, &[]), Ok((expected, true)));
    // Without a list nothing is complete.
    assert_eq!(pieces(&[&MAGIC[..], &type_meta()].concat(), &[]).map(|(_, is_complete)| is_complete), Ok(false));
    assert_eq!(pieces(&[&MAGIC[..], &field(2, b"")].concat(), &[]), Ok((Vec::new(), true)));
}

#[test]
fn anything_else_is_a_typed_error_at_any_split() {
    let list = |raw: &[u8]| [&MAGIC[..], &field(2, raw)].concat();
    for (body, kind, at) in [
        (b"{\"kind\":\"Status\"}".to_vec(), ErrorKind::Magic, 0),
        (b"k8s{".to_vec(), ErrorKind::Magic, 3),
        (b"k8s\0\x0a\x03\x0a\x01\xff".to_vec(), ErrorKind::Utf8, 8),
        (b"k8s\0\x08\x05".to_vec(), ErrorKind::Mismatch, 6),
        (b"k8s\0\x10\x05".to_vec(), ErrorKind::Mismatch, 6),
        (b"k8s\0\x1a\x04gzip".to_vec(), ErrorKind::Encoding, 6),
        (b"k8s\0\x02\x05".to_vec(), ErrorKind::FieldNumber, 4),
        (b"k8s\0\x0b".to_vec(), ErrorKind::WireType, 4),
        ([&b"k8s\0\x0a"[..], &[0xff; 10]].concat(), ErrorKind::Varint, 5),
        (list(b"\x12\x05abc"), ErrorKind::Truncated, 8),
        (list(b"\x12"), ErrorKind::Truncated, 8),
        (list(b"\x10\x05"), ErrorKind::Mismatch, 8),
        (list(b"\x0a\x02\x12\x07"), ErrorKind::Truncated, 10),
        (list(b"\x0a\x02\x10\x07"), ErrorKind::Mismatch, 10),
        (list(&field(2, &[0; 1_001])), ErrorKind::TooLong, 10),
    ] {
        // The bytes after an error do not matter.
        let body = [body, b"\0\0\0\0\0\0\0\0".to_vec()].concat();
        for cuts in [vec![], (0..body.len()).collect::<Vec<_>>()] {
            assert_eq!(pieces(&body, &cuts), Err(Error::new(kind, at)), "{body:?}");
        }
    }
    let mut cutter = ListCutter::new(1_000);
    let stopped = cutter.push(&body(&[]), &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped.map_err(|error| error.kind), Err(ErrorKind::Stopped));
}

#[test]
fn an_item_inside_a_chunk_is_not_copied() {
    let body = body(&[vec![1; 100], vec![2; 100]]);
    let (first, second) = body.split_at(body.len() - 60);
    let (mut cutter, mut found) = (ListCutter::new(1_000), Vec::new());
    for chunk in [first, second] {
        let mut note = |piece: ListPiece<'_>| {
            if let ListPiece::Item(item) = piece {
                found.push(body.as_ptr_range().contains(&item.as_ptr()));
            }
            ControlFlow::Continue(())
        };
        cutter.push(chunk, &mut note).expect("a list");
    }
    assert_eq!(found, [true, false]);
}

#[test]
fn the_memory_of_a_huge_item_is_released() {
    let body = body(&[vec![1; 10 << 20], vec![2; 10]]);
    let (mut cutter, mut lengths) = (ListCutter::new(64 << 20), Vec::new());
    for chunk in body.chunks(16_384) {
        let mut note = |piece: ListPiece<'_>| {
            if let ListPiece::Item(item) = piece {
                lengths.push(item.len());
            }
            ControlFlow::Continue(())
        };
        cutter.push(chunk, &mut note).expect("a list");
    }
    assert_eq!(lengths, [10 << 20, 10]);
    assert!(cutter.rest.capacity() <= MAX_IDLE_BYTES, "{}", cutter.rest.capacity());
}

proptest! {
    #[test]
    fn any_split_produces_the_same_pieces(
        items in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..5),
        cuts in prop::collection::vec(0_usize..700, 0..12),
    ) {
        prop_assert_eq!(pieces(&body(&items), &cuts), Ok((expected(&items), true)));
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..60), cuts in prop::collection::vec(0_usize..60, 0..4)) {
        let bytes = [&MAGIC[..], &bytes].concat();
        let (whole, split) = (pieces(&bytes, &[]), pieces(&bytes, &cuts));
        prop_assert_eq!(whole, split);
    }

    #[test]
    fn a_damaged_list_is_the_same_at_any_split(
        at in 0_usize..400,
        byte in any::<u8>(),
        cuts in prop::collection::vec(0_usize..400, 0..4),
    ) {
        let mut bytes = body(&[vec![1; 100], vec![2; 200]]);
        let at = at % bytes.len();
        bytes[at] = byte;
        prop_assert_eq!(pieces(&bytes, &cuts), pieces(&bytes, &[]));
    }
}
