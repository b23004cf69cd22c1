//! Outline: agreement with `serde_json` on valid JSON, and with a tree on the positions of values.

use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

use super::*;

/// Unusual JSON texts: blanks everywhere, escapes where none need be, names twice, numbers of any form.
fn json() -> impl Strategy<Value = String> {
    let blank = || prop::sample::select(vec!["", "", "", "", " ", "\n\t", "\r"]);
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            "false",
            "0",
            "-0",
            "-0.0e+00",
            "12345678901234567890123",
            "1E400",
            "9007199254740993",
            "1.50",
        ])
        .prop_map(str::to_owned),
        string(),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let padded = (blank(), inner, blank()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member =
            (blank(), name(), blank(), padded.clone()).prop_map(|(a, name, b, value)| format!("{a}{name}{b}:{value}"));
        prop_oneof![
            2 => prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
            1 => prop::collection::vec(padded, 0..4).prop_map(|elements| format!("[{}]", elements.join(","))),
            1 => blank().prop_map(|blank| format!("{{{blank}}}")),
        ]
    })
}

/// Names that meet each other often.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "\"metadata\"", "\"managedFields\"", "\"managed\\u0046ields\"", "\"m\\u0065tadata\"", "\"a\"", "\"\"", "\"b\"",
        ]).prop_map(str::to_owned),
        1 => string(),
    ]
}

/// Strings as they are written, quotes and all.
fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -!#-\\[\\]-~]{0,20}",
        1 => prop::sample::select(vec![
            "\\\"", "\\\\", "\\/", "\\b", "\\n", "\\ud800", "\\uD83D\\ude00", "\\u0000", "é", "😀", "\u{7f}", "\u{2028}", "日本語日本語",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text {
        match (quoted, escaped, byte) {
            (true, true, _) => escaped = false,
            (true, false, b'\\') => escaped = true,
            (_, false, b'"') => quoted = !quoted,
            (false, _, b'{' | b'[') => depth += 1,
            (false, _, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Whether it is one JSON value, according to `serde_json`.
fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(text).is_ok() && std::str::from_utf8(text).is_ok() && depth(text) <= 127
}

fn outlined(text: &[u8]) -> Result<Option<usize>, Invalid> {
    match Outliner::default().read(text) {
        Outlined::Complete(outline) => Ok(Some(outline.len())),
        Outlined::Incomplete => Ok(None),
        Outlined::Invalid(invalid) => Err(invalid),
    }
}

/// The naive tree: members in order, by their names, with their texts.
fn members(text: &str) -> Vec<(String, &str)> {
    Json::new(text).members().map(|(name, value)| (name.into_owned(), value.text())).collect()
}

/// Expected rest of a text, by a naive algorithm.
fn naive_without(text: &str) -> String {
    if !text.starts_with('{') {
        return text.to_owned();
    }
    let quoted = |name: &str, value: &str| format!("{}:{value}", Value::from(name));
    let without = |value: &str| {
        let kept = members(value).into_iter().filter(|(name, _)| name != "managedFields");
        format!("{{{}}}", kept.map(|(name, value)| quoted(&name, value)).collect::<Vec<_>>().join(","))
    };
    let all = members(text).into_iter().map(|(name, value)| match &*name {
        "metadata" if value.starts_with('{') => quoted(&name, &without(value)),
        _ => quoted(&name, value),
    });
    format!("{{{}}}", all.collect::<Vec<_>>().join(","))
}

/// A text without its blanks and with its names unescaped, one level after the other down to `levels`.
fn plain(text: &str, levels: usize) -> String {
    if !text.starts_with('{') || levels == 0 {
        return text.to_owned();
    }
    let all: Vec<String> = members(text)
        .iter()
        .map(|(name, value)| format!("{}:{}", Value::from(&**name), plain(value, levels - 1)))
        .collect();
    format!("{{{}}}", all.join(","))
}

proptest! {
    #[test]
    fn valid_texts_are_whole_at_their_end_and_begun_before(text in json(), after in prop::sample::select(vec!["", ",", "]", " ", "{"])) {
        prop_assume!(text.starts_with(['{', '[', '"']));
        prop_assert!(is_json(text.as_bytes()));
        prop_assert_eq!(outlined(format!("{text}{after}").as_bytes()), Ok(Some(text.len())));
        for end in 0..text.len() {
            prop_assert_eq!(outlined(&text.as_bytes()[..end]), Ok(None), "at {}", end);
        }
        prop_assert!(Outline::parse(&text).is_ok());
    }

    #[test]
    fn a_text_in_chunks_is_scanned_as_a_whole(text in json(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        prop_assume!(text.starts_with(['{', '[']));
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len())).collect();
        ends.sort_unstable();
        let mut outliner = Outliner::default();
        let mut first = true;
        for end in ends {
            let piece = &text.as_bytes()[..end];
            let outlined = if first { outliner.read(piece) } else { outliner.resume(piece) };
            prop_assert!(matches!(outlined, Outlined::Incomplete));
            first = false;
        }
        let outlined = if first { outliner.read(text.as_bytes()) } else { outliner.resume(text.as_bytes()) };
        let Outlined::Complete(outline) = outlined else { panic!("{outlined:?}") };
        let whole = Outline::parse(&text).expect("valid");
        prop_assert_eq!(outline.len(), whole.len());
        let mut texts = [Vec::new(), Vec::new()];
        outline.write_without("metadata", "managedFields", &mut texts[0]);
        whole.write_without("metadata", "managedFields", &mut texts[1]);
        prop_assert_eq!(&texts[0], &texts[1]);
        for pointer in ["/metadata", "/metadata/a", "/a/b", "/b"] {
            prop_assert_eq!(outline.pointer(pointer), whole.pointer(pointer));
        }
    }

    #[test]
    fn broken_texts_are_judged_as_by_serde_json(text in json(), at in any::<prop::sample::Index>(), change in 0..3, byte: u8) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        match change {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, b"{}[],:\"\\0-.eE \n\x00\xC3"[usize::from(byte) % 17]),
            _ => drop(bytes.remove(at)),
        }
        // A number ends where something else begins.
        bytes.push(b' ');
        let agrees = match outlined(&bytes) {
            Ok(Some(end)) => is_json(&bytes[..end]),
            // Begun, or blank.
            Ok(None) => !is_json(&bytes),
            Err(invalid) => !is_json(&bytes) && invalid.at < bytes.len(),
        };
        prop_assert!(agrees, "{:?} {:?}", outlined(&bytes), String::from_utf8_lossy(&bytes));
        if is_json(&bytes) {
            prop_assert!(matches!(outlined(&bytes), Ok(Some(_))));
        }
    }

    #[test]
    fn any_bytes_are_judged_as_by_serde_json(bytes in prop::collection::vec(prop::sample::select(b"{}[],:\"\\u0a1-.eE tn\xE2\x82\xAC\x1F".to_vec()), 0..30)) {
        let outlined = outlined(&bytes);
        if let Ok(Some(end)) = outlined {
            prop_assert!(is_json(&bytes[..end]));
        } else if is_json(&bytes) {
            prop_assert_eq!(outlined, Ok(None), "a number may go on");
        }
    }

    #[test]
    fn members_are_found_as_in_a_tree(text in json()) {
        let outline = Outline::of(Json::new(&text));
        for pointer in ["", "/a", "/metadata", "/metadata/a", "/metadata/managedFields", "/a/b/a", "/a/a/b/a", "/"] {
            prop_assert_eq!(outline.pointer(pointer), Json::new(&text).pointer(pointer), "{}", pointer);
        }
    }

    #[test]
    fn many_members_are_found_as_one_by_one(text in json()) {
        let mut outliner = Outliner::default();
        let names = ["a", "b", "", "metadata", "managedFields", "x", "y", "z", "a", "managedFields"];
        for text in [text.clone(), format!("{{\"a\":{text}}}")] {
            let Outlined::Complete(outline) = outliner.read(text.as_bytes()) else { continue };
            for object in [Some(Json::new(&text)), Some(outline.root()), outline.pointer("/a")].into_iter().flatten() {
                let mut found = [None; 10];
                object.get_all(&names, &mut found);
                prop_assert_eq!(found, names.map(|name| object.get(name)));
            }
        }
    }

    #[test]
    fn a_skipped_member_can_be_removed_and_all_others_stay(text in json(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4)) {
        // A number ends where something else begins.
        let text = format!("{text} ");
        let mut outliner = Outliner::passing_over("metadata", "managedFields");
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len())).collect();
        ends.sort_unstable();
        let mut complete = matches!(outliner.read(b""), Outlined::Complete(_));
        for end in ends {
            complete = complete || matches!(outliner.resume(&text.as_bytes()[..end]), Outlined::Complete(_));
        }
        let outlined = if complete { outliner.read(text.as_bytes()) } else { outliner.resume(text.as_bytes()) };
        let Outlined::Complete(outline) = outlined else { panic!("{outlined:?}") };
        let expected = Outline::of(Json::new(&text));
        for pointer in ["", "/a", "/metadata", "/metadata/a", "/metadata/managedFields", "/metadata/managedFields/a", "/a/b/a", "/managedFields/a"] {
            prop_assert_eq!(outline.pointer(pointer), expected.pointer(pointer), "{}", pointer);
        }
        let cut = |outline: &Outline<'_>| {
            let mut cut = Vec::new();
            outline.write_without("metadata", "managedFields", &mut cut);
            cut
        };
        prop_assert_eq!(cut(&outline), cut(&expected));
    }

    #[test]
    fn a_removed_member_is_gone_and_all_others_stay(text in json()) {
        let outline = Outline::of(Json::new(&text));
        let mut cut = Vec::new();
        outline.write_without("metadata", "managedFields", &mut cut);
        let cut = String::from_utf8(cut).expect("UTF-8");
        prop_assert!(is_json(cut.as_bytes()), "{}", cut);
        prop_assert_eq!(plain(&cut, 2), plain(&naive_without(text.trim()), 2));
        if !text.contains("managed") {
            prop_assert_eq!(&cut, &text);
        }
    }
}

#[test]
fn only_the_end_of_a_skipped_member_is_searched() {
    let read = |text: &str| {
        let mut outliner = Outliner::passing_over("metadata", "managedFields");
        matches!(outliner.read(text.as_bytes()), Outlined::Complete(_))
    };
    assert!(read(r#"{"metadata":{"managedFields":{no "}" JSON}},"a":1}"#));
    for elsewhere in
        [r#"{"metadata":{"labels":{no}}}"#, r#"{"spec":{"managedFields":{no}}}"#, r#"{"managedFields":{no}}"#]
    {
        assert!(!read(elsewhere), "{elsewhere}");
    }
}

#[test]
fn a_member_is_removed_with_one_comma() {
    for (text, expected) in [
        (r#"{"metadata":{"managedFields":[],"a":1}}"#, r#"{"metadata":{"a":1}}"#),
        (r#"{"metadata":{"a":1,"managedFields":[{"x":{}}]}}"#, r#"{"metadata":{"a":1}}"#),
        (r#"{"metadata":{"a":1 , "managedFields" : [] , "b":2 } }"#, r#"{"metadata":{"a":1 , "b":2 } }"#),
        (r#"{"metadata":{"managedFields":0,"managedFields":1}}"#, r#"{"metadata":{}}"#),
        (r#"{"metadata":{"a":0,"managedFields":1,"managedFields":2},"b":0}"#, r#"{"metadata":{"a":0},"b":0}"#),
        (
            r#"{"metadata":{"managedFields":1,"a":0,"managedFields":2},"metadata":{"managedFields":3}}"#,
            r#"{"metadata":{"a":0},"metadata":{}}"#,
        ),
        (r#"{"managedFields":1,"spec":{"managedFields":2}}"#, r#"{"managedFields":1,"spec":{"managedFields":2}}"#),
    ] {
        let mut cut = Vec::new();
        Outline::parse(text).expect("valid").write_without("metadata", "managedFields", &mut cut);
        assert_eq!(String::from_utf8_lossy(&cut), expected);
    }
}

#[test]
fn the_maximum_depth_is_that_of_serde_json() {
    for (depth, is_read) in [(127, true), (128, false), (100_000, false)] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(Outline::parse(&text).is_ok(), is_read, "{depth}");
            assert_eq!(serde_json::from_str::<Value>(&text).is_ok(), is_read, "{depth}");
        }
    }
}

#[test]
fn invalid_json_is_reported_with_its_position() {
    for (text, at) in [
        (&b"{\"a\" 1}"[..], 5),
        (b"{\"a\":1,}", 7),
        (b"[1,]", 3),
        (b"{\"a\":\"\x01\"}", 6),
        (b"{\"a\":\"\\x\"}", 7),
        (b"{\"a\":\"\\u12g4\"}", 10),
        (b"{\"a\":01}", 6),
        (b"{\"a\":1]", 6),
        (b"{\"a\":nulk}", 8),
        (b"{\"a\":\"\xC3(\"}", 7),
        (b"{\"a\":\"\xED\xA0\x80\"}", 7),
        (b"\xEF\xBB\xBF{}", 0),
        (b"<html>", 0),
        (b"{a:1}", 1),
    ] {
        assert_eq!(outlined(text).map_err(|invalid| invalid.at), Err(at), "{}", String::from_utf8_lossy(text));
    }
}
