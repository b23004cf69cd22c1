//! Decoding of lists: whole, split and damaged.

use std::borrow::Cow;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::object::{Keyed, Object};

fn read(body: &str) -> Result<ListPage<Object>> {
    ListPage::from_json(body.as_bytes())
}

#[test]
fn krs_23_pag_06_a_page_with_bad_items_loses_those_only() {
    let page = read(
        r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":3},
        "items":[{"metadata":{"name":"a","namespace":"n"}},{"metadata":null},{"metadata":{"name":"b"}},
        {"metadata":{"name":"c","namespace":"n","resourceVersion":5}},{"metadata":{"name":"d","uid":[]}}]}"#,
    )
    .expect("readable");
    let keys: Vec<&str> = page.items.iter().map(Keyed::key).collect();
    assert_eq!(keys, ["n/a", "b"]);
    let said: Vec<&str> = page.unreadable.iter().map(InformerError::message).collect();
    assert_eq!(said.len(), 3);
    assert!(said[1].starts_with("n/c cannot be decoded: "), "{said:?}");
    let named: Vec<_> = page.unreadable.iter().map(InformerError::object).collect();
    assert_eq!(named, [None, Some("n/c"), Some("d")]);
    assert_eq!((page.resource_version.as_str(), page.continue_token.as_str()), ("7", "c"));
}

#[test]
fn an_empty_list_may_say_null() {
    let page = read(r#"{"kind":"XList","metadata":{"resourceVersion":"1"},"items":null}"#).expect("readable");
    assert!(page.items.is_empty());
}

#[test]
fn lst_13_lst_20_what_is_no_list_is_refused() {
    for body in [
        "",
        "null",
        "<html></html>",
        r#"{"kind":"Status","code":500,"metadata":{}}"#,
        r#"{"kind":"Table","metadata":{"resourceVersion":"1"},"items":[]}"#,
        r#"{"kind":"PodList","items":[]}"#,
        r#"{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"a":"#,
        r#"{"kind":"Pod","metadata":{"resourceVersion":"1"}}"#,
    ] {
        assert_eq!(read(body).expect_err(body).code(), ErrorCode::Decode);
    }
}

/// The list as serde decodes it, whole: the expected result for all splits of the bytes.
fn model(body: &[u8]) -> Result<ListPage<Object>> {
    #[derive(Deserialize)]
    struct Page<'a> {
        #[serde(borrow, default)]
        kind: Cow<'a, str>,
        #[serde(borrow, default, rename = "apiVersion")]
        api_version: Cow<'a, str>,
        metadata: Metadata,
        #[serde(borrow)]
        items: Option<Vec<&'a RawValue>>,
    }
    #[derive(Deserialize)]
    struct Metadata {
        #[serde(default, rename = "resourceVersion")]
        resource_version: String,
        #[serde(default, rename = "continue")]
        continue_token: String,
    }
    let text = std::str::from_utf8(body).map_err(|_| unreadable("not UTF-8"))?;
    let page: Page<'_> = serde_json::from_str(text).map_err(|error| unreadable(&error.to_string()))?;
    let Some(kind) = page.kind.strip_suffix("List") else { return Err(unreadable("no list")) };
    let meta = TypeMeta { kind: kind.to_owned(), api_version: page.api_version.into_owned() };
    let (mut items, mut unreadable) = (Vec::new(), Vec::new());
    for item in page.items.unwrap_or_default() {
        match read_object(item.get(), Some(&meta)) {
            Ok(item) => items.push(item),
            Err(error) => unreadable.push(error),
        }
    }
    let Metadata { resource_version, continue_token } = page.metadata;
    Ok(ListPage { items, unchanged: Vec::new(), resource_version, continue_token, unreadable })
}

/// Decodes a body that is split at these places.
fn read_cut(body: &[u8], cuts: &[usize]) -> Result<ListPage<Object>> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(body.len())).chain([0, body.len()]).collect();
    cuts.sort_unstable();
    let mut decoder = ListDecoder::new(true);
    let mut read =
        |outline: &Outline<'_>, meta: Option<&TypeMeta>| read_object(outline.root().text(), meta).map(Reading::New);
    for pair in cuts.windows(2) {
        decoder.push(&body[pair[0]..pair[1]], &mut read)?;
    }
    decoder.finish(&mut read)
}

fn agree(body: &[u8], cuts: &[usize]) -> std::result::Result<(), TestCaseError> {
    let said = String::from_utf8_lossy(body);
    match (read_cut(body, cuts), model(body)) {
        (Ok(page), Ok(model)) => prop_assert_eq!(page, model, "{}", said),
        (Err(error), Err(model)) => prop_assert_eq!(error.code(), model.code(), "{}", said),
        (page, model) => prop_assert!(false, "{page:?}\n{model:?}\n{said}"),
    }
    Ok(())
}

/// Member of a list, as unusual as servers and proxies may send it.
fn member() -> impl Strategy<Value = (&'static str, Value)> {
    let item = prop_oneof![
        6 => ("[a-c]", any::<bool>(), "[a-z\"\\\\é\n{\\[]{0,9}").prop_map(|(name, kind, text)| {
            let mut item = json!({"metadata": {"name": name, "namespace": "n"}, "text": text, "n": [1.5e3, {}, null]});
            if kind {
                item["kind"] = json!("Own");
                item["apiVersion"] = json!("own/v1");
            }
            item
        }),
        1 => prop_oneof![Just(json!(null)), Just(json!([])), Just(json!("text")), Just(json!({"metadata": {}}))],
    ];
    let items = prop::collection::vec(item, 0..6).prop_map(Value::from);
    let metadata = prop_oneof![
        8 => ("[0-9]{1,3}", "[a-z=]{0,3}").prop_map(|(version, token)| json!({"resourceVersion": version, "continue": token, "x": {}})),
        1 => prop_oneof![Just(json!(null)), Just(json!({})), Just(json!({"resourceVersion": 5}))],
    ];
    prop_oneof![
        3 => prop_oneof![4 => Just(json!("PodList")), 1 => Just(json!("Status")), 1 => Just(json!(1))].prop_map(|kind| ("kind", kind)),
        3 => prop_oneof![6 => Just(json!("v1")), 1 => Just(json!(null))].prop_map(|version| ("apiVersion", version)),
        4 => metadata.prop_map(|metadata| ("metadata", metadata)),
        5 => prop_oneof![9 => items, 1 => prop_oneof![Just(json!(null)), Just(json!({}))]].prop_map(|items| ("items", items)),
        1 => Just(("other", json!({"items": [{"kind": "x"}], "]": "}"}))),
    ]
}

fn list() -> impl Strategy<Value = String> {
    // Mostly each member once, in any order; now and then twice, or not at all.
    let whole = (prop::collection::vec(member(), 30), any::<bool>()).prop_map(|(members, twice)| {
        let mut seen = std::collections::HashSet::new();
        let mut members: Vec<_> =
            members.into_iter().filter(|(name, _)| seen.insert(*name) || (twice && *name == "kind")).collect();
        members.truncate(if twice { 6 } else { 5 });
        members
    });
    (whole, any::<bool>(), "[ \n]{0,2}").prop_map(|(members, pretty, blank)| {
        let members = members.into_iter().map(|(name, value)| {
            let value = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            format!("{blank}\"{name}\"{blank}:{blank}{}", value.expect("written"))
        });
        format!("{blank}{{{}{blank}}}{blank}", members.collect::<Vec<_>>().join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn however_a_list_is_cut_it_is_what_it_is_in_one_piece(body in list(), cuts in prop::collection::vec(0_usize..700, 0..9)) {
        agree(body.as_bytes(), &cuts)?;
    }

    #[test]
    fn a_list_that_is_broken_anywhere_is_no_list(
        body in list(),
        at in any::<prop::sample::Index>(),
        byte in prop_oneof![Just(None), prop::sample::select(b"\"{}[],:\\ x0\n\xff\x01".to_vec()).prop_map(Some)],
        cuts in prop::collection::vec(0_usize..700, 0..4),
    ) {
        let mut bytes = body.into_bytes();
        let at = at.index(bytes.len());
        match byte {
            None => bytes.truncate(at),
            Some(byte) => bytes[at] = byte,
        }
        agree(&bytes, &cuts)?;
    }
}

#[test]
fn custom_resources_come_before_the_kind_of_their_list() {
    let body = r#"{"apiVersion":"a/v1","items":[{"apiVersion":"a/v1","kind":"A","metadata":{"name":"a"}},{"metadata":{"name":"b"}},
        {"apiVersion":"a/v1","kind":"A","metadata":{"name":"c"}}],"kind":"AList","metadata":{"resourceVersion":"1"}}"#;
    let page = read(body).expect("readable");
    let kinds: Vec<_> =
        page.items.iter().map(|item| (item.key().to_owned(), item.json().contains(r#""kind":"A""#))).collect();
    assert_eq!(kinds, [("a".to_owned(), true), ("b".to_owned(), true), ("c".to_owned(), true)]);
    assert_eq!(model(body.as_bytes()), Ok(page));
}

#[test]
fn items_are_read_before_their_list_has_ended() {
    let seen = std::cell::RefCell::new(Vec::new());
    let mut read = |outline: &Outline<'_>, meta: Option<&TypeMeta>| {
        seen.borrow_mut().push(outline.root().text().len());
        read_object::<Object>(outline.root().text(), meta).map(Reading::New)
    };
    let mut decoder = ListDecoder::new(true);
    let head = r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":["#;
    decoder.push(head.as_bytes(), &mut read).expect("a list so far");
    for n in 0..3 {
        decoder.push(br#"{"metadata":{"name":"#, &mut read).expect("a list so far");
        assert_eq!(seen.borrow().len(), n);
        decoder.push(br#""a"}},"#, &mut read).expect("a list so far");
        assert_eq!(seen.borrow().len(), n + 1);
    }
}

#[test]
fn what_is_held_back_is_bounded() {
    let item = format!(r#"{{"metadata":{{"name":"a"}},"text":"{}"}},"#, "x".repeat(1 << 20));
    let mut read =
        |_: &Outline<'_>, _: Option<&TypeMeta>| -> Result<Reading<Object>> { panic!("nothing can be read yet") };
    let mut decoder = ListDecoder::new(true);
    decoder.push(br#"{"items":["#, &mut read).expect("a list so far");
    let refused = (0..64).find_map(|n| decoder.push(item.as_bytes(), &mut read).err().map(|error| (n, error)));
    let (items, error) = refused.expect("refused");
    assert_eq!((items, error.code()), (31, ErrorCode::Decode));
}

#[test]
fn nameless_errors_are_bounded() {
    let items = vec!["null"; 3_000].join(",");
    let body = format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"1"}},"items":[{items}]}}"#);
    assert_eq!(read(&body).expect("readable").unreadable.len(), MAX_NAMELESS);
}

#[test]
fn errors_contain_the_received_data() {
    let said = |body: &str| read(body).expect_err("no list").message().to_owned();
    assert!(said("<html><title>Sign in</title>").contains("Sign in"));
    assert!(said(r#"{"kind":"PodList","items":[{"#).contains("truncated after 28 bytes"));
    assert!(said(r#"{"kind":"Status","code":500}"#).contains("expected a list, received a Status"));
}
