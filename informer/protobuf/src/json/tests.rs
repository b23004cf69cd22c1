//! Tests of the JSON writer, with a small schema.

use super::*;
use crate::ErrorKind;
use crate::wire::field;
use proptest::prelude::*;

const SCHEMA: &str = "kubernetes 1.0.0\n# a comment\n= meta/v1 meta.k8s.io/v1\nObjectMeta name=1s managedFields=17[]s\n\
    = test/v1 test/v1\n\
    All+ text=1s always=2s! flag=3*b small=4i big=5l! bytes=6y kept=7y! amount=8q time=9t? other=10*u port=11x raw=12*r\n\
    Inner x=2l y=1s\n\
    Lists texts=1[]s numbers=2[]i objects=3[]Inner typed=4[]Thing@ none=5[]s! blobs=6[]y\n\
    Maps texts=1{}s bytes=2{}y objects=3{}Inner names=4{}Names counts=5{}l none=6{}s!\n\
    Names []s\n\
    Nested+ value=1Inner pointer=2*Inner null=3*Inner! =4Inner again=5*Nested\n\
    Thing+ metadata=1meta/v1.ObjectMeta spec=2Whole\n\
    Whole metadata=1meta/v1.ObjectMeta\n";

fn schema() -> Schema {
    Schema::parse(SCHEMA).expect("schema")
}

fn write_as(name: &str, bytes: &[u8]) -> Result<(String, UnknownFields)> {
    let schema = schema();
    let message = schema.by_name("test/v1", name).expect("a message");
    let mut out = b"before".to_vec();
    let unknown = JsonWriter::new(&schema).write(message, None, bytes, &mut out);
    let text = String::from_utf8(out).expect("UTF-8");
    let json = text.strip_prefix("before").expect("appended").to_owned();
    assert!(unknown.is_ok() || json.is_empty(), "{json}");
    unknown.map(|unknown| (json, unknown))
}

/// The JSON of a message all of whose fields are known.
fn json(name: &str, bytes: &[u8]) -> String {
    let (json, unknown) = write_as(name, bytes).expect("JSON");
    assert_eq!(unknown, UnknownFields::default());
    json
}

#[test]
fn empty_values_are_omitted_as_their_tags_say() {
    assert_eq!(json("All", b""), r#"{"always":"","big":0,"kept":null,"amount":"0","port":0}"#);
    let zeros = b"\x0a\0\x12\0\x18\0\x20\0\x28\0\x32\0\x3a\0\x42\0\x4a\0\x52\0\x5a\0\x62\0";
    let expected = r#"{"always":"","flag":false,"big":0,"kept":"","amount":"0","other":null,"port":0,"raw":null}"#;
    assert_eq!(json("All", zeros), expected);
    assert_eq!(json("Lists", b""), r#"{"none":null}"#);
    assert_eq!(json("Maps", b""), r#"{"none":null}"#);
    assert_eq!(json("Nested", b""), r#"{"value":{},"null":null}"#);
    assert_eq!(json("Nested", b"\x0a\0\x12\0\x1a\0"), r#"{"value":{},"pointer":{},"null":{}}"#);
}

#[test]
fn values_of_all_types() {
    let bytes =
        b"\x0a\x01<\x12\x01a\x18\x01\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x28\x80\x01\x32\x01f\x3a\x02fo\
        \x42\x03\x0a\x011\x4a\x02\x08\x01\x52\x05\x08\x01\x10\xe8\x07\x5a\x05\x08\x01\x1a\x018\x62\x05\x0a\x03[1]";
    let expected = r#"{"text":"\u003c","always":"a","flag":true,"small":-1,"big":128,"bytes":"Zg==","kept":"Zm8=","amount":"1","time":"1970-01-01T00:00:01Z","other":"1970-01-01T00:00:01.000001Z","port":"8","raw":[1]}"#;
    assert_eq!(json("All", bytes), expected);
}

#[test]
fn members_have_the_order_of_json() {
    assert_eq!(json("Inner", b"\x0a\x01b\x10\x05"), r#"{"x":5,"y":"b"}"#);
    // The inlined struct is written at its place.
    assert_eq!(
        json("Nested", b"\x22\x05\x0a\x01b\x10\x05\x12\0"),
        r#"{"value":{},"pointer":{},"null":null,"x":5,"y":"b"}"#
    );
}

#[test]
fn lists_may_be_packed_and_interrupted() {
    let bytes = b"\x0a\x01a\x10\x01\x12\x03\x02\x80\x01\x0a\0\x1a\x02\x10\x01\x12\x01\x03\x1a\0\x32\0";
    let expected = r#"{"texts":["a",""],"numbers":[1,2,128,3],"objects":[{"x":1},{}],"none":null,"blobs":[""]}"#;
    assert_eq!(json("Lists", bytes), expected);
    assert_eq!(json("Lists", b"\x12\0"), r#"{"numbers":[],"none":null}"#);
    let typed =
        r#"{"typed":[{"kind":"Thing","apiVersion":"test/v1","metadata":{},"spec":{"metadata":{}}}],"none":null}"#;
    assert_eq!(json("Lists", b"\x22\0"), typed);
}

#[test]
fn maps_are_sorted_and_the_last_of_equal_keys_counts() {
    let entry = |key: &str, value: &str| field(1, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat());
    let bytes = [entry("b", "1"), entry("<", "2"), entry("b", "3"), entry("", "4")].concat();
    assert_eq!(json("Maps", &bytes), r#"{"texts":{"":"4","\u003c":"2","b":"3"},"none":null}"#);
    // Entries may lack their key or value, or have an unknown field.
    let bytes = b"\x0a\0\x12\x03\x0a\x01a\x1a\x03\x0a\x01a\x22\x09\x0a\x01a\x12\x04\x0a\x02<b\x2a\x05\x0a\x01a\x10\x07\x2a\x05\x0a\x01b\x18\x07";
    let expected = r#"{"texts":{"":""},"bytes":{"a":""},"objects":{"a":{}},"names":{"a":["\u003cb"]},"counts":{"a":7,"b":0},"none":null}"#;
    assert_eq!(json("Maps", bytes), expected);
}

#[test]
fn parts_of_a_message_are_merged() {
    assert_eq!(
        json("Nested", b"\x0a\x02\x10\x05\x0a\x03\x0a\x01b\x0a\x02\x10\x06"),
        r#"{"value":{"x":6,"y":"b"},"null":null}"#
    );
    assert_eq!(json("All", b"\x12\x01a\x12\x01b"), r#"{"always":"b","big":0,"kept":null,"amount":"0","port":0}"#);
}

#[test]
fn fields_of_a_newer_server_are_counted() {
    let schema = schema();
    let (json, unknown) = write_as("Nested", b"\x0a\x07\x10\x05\x1d\x01\x02\x03\x04\xfa\x01\x01x").expect("JSON");
    assert_eq!(json, r#"{"value":{"x":5},"null":null}"#);
    assert_eq!(unknown.count, 2);
    // The outer message is read first.
    let (message, number) = unknown.first.expect("a field");
    assert_eq!((schema.name(message).as_str(), number), ("test/v1.Nested", 31));
}

#[test]
fn managed_fields_of_the_object_alone_are_skipped() {
    let schema = schema();
    let thing = schema.message("test/v1", "Thing").expect("a kind");
    let bytes = b"\x0a\x07\x0a\x01a\x8a\x01\x01m\x12\x06\x0a\x04\x8a\x01\x01n";
    let (mut all, mut short) = (Vec::new(), Vec::new());
    let type_meta = TypeMeta { api_version: "test/v1", kind: "Thing" };
    JsonWriter::new(&schema).write(thing, Some(type_meta), bytes, &mut all).expect("JSON");
    let expected = r#"{"kind":"Thing","apiVersion":"test/v1","metadata":{"name":"a","managedFields":["m"]},"spec":{"metadata":{"managedFields":["n"]}}}"#;
    assert_eq!(str::from_utf8(&all), Ok(expected));
    JsonWriter::new(&schema).without_managed_fields().write(thing, None, bytes, &mut short).expect("JSON");
    assert_eq!(str::from_utf8(&short), Ok(r#"{"metadata":{"name":"a"},"spec":{"metadata":{"managedFields":["n"]}}}"#));
}

#[test]
fn undecodable_messages_are_typed_errors() {
    let deep = (0..70).fold(Vec::new(), |inner: Vec<u8>, _| field(5, &inner));
    for (name, bytes, kind, at) in [
        ("All", &b"\x08\x01"[..], ErrorKind::Mismatch, 2),
        ("All", b"\x1a\x01\x01", ErrorKind::Mismatch, 3),
        ("All", b"\x0d\0\0\0\0", ErrorKind::Mismatch, 5),
        ("All", b"\x0a\x05", ErrorKind::Truncated, 2),
        ("All", b"\x0b", ErrorKind::WireType, 0),
        ("All", b"\x42\x02\x08\x01", ErrorKind::Mismatch, 4),
        ("All", b"\x4a\x02\x0a\0", ErrorKind::Mismatch, 4),
        ("All", b"\x52\x01\x08", ErrorKind::Truncated, 3),
        ("All", b"\x5a\x02\x08\x02", ErrorKind::IntOrString, 2),
        ("All", b"\x5a\x02\x0a\x00", ErrorKind::Mismatch, 4),
        ("All", b"\x62\x04\x0a\x02{]", ErrorKind::Json, 5),
        ("Lists", b"\x12\x01\x80", ErrorKind::Truncated, 3),
        ("Lists", b"\x08\x01", ErrorKind::Mismatch, 2),
        ("Maps", b"\x0a\x02\x08\x01", ErrorKind::Mismatch, 4),
        ("Maps", b"\x0a\x02\x10\x01", ErrorKind::Mismatch, 4),
        ("Maps", b"\x2a\x02\x12\x00", ErrorKind::Mismatch, 4),
        ("Maps", b"\x22\x04\x12\x02\x08\x01", ErrorKind::Mismatch, 6),
        ("Nested", b"\x0a\x03\x0a\x02a", ErrorKind::Truncated, 4),
    ] {
        let error = write_as(name, bytes).expect_err("an error");
        assert_eq!((error.kind, error.at), (kind, at), "{name} {bytes:?}");
    }
    assert_eq!(write_as("Nested", &deep).expect_err("too deep").kind, ErrorKind::TooDeep);
    assert!(write_as("Nested", &deep[40..]).is_ok());
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..60), name in "(All|Lists|Maps|Nested)") {
        if let Ok((json, _)) = write_as(&name, &bytes) {
            prop_assert!(informer_packing::Outline::parse(&json).is_ok(), "{json}");
        }
    }

    #[test]
    fn any_fields_are_taken(
        fields in prop::collection::vec((1_u8..14, any::<bool>(), prop::collection::vec(any::<u8>(), 0..9)), 0..12),
        name in "(All|Lists|Maps|Nested)",
    ) {
        let mut bytes = Vec::new();
        for (number, is_varint, value) in fields {
            bytes.extend(if is_varint { vec![number << 3, value.first().map_or(0, |byte| byte & 0x7f)] } else { field(number, &value) });
        }
        if let Ok((json, _)) = write_as(&name, &bytes) {
            prop_assert!(informer_packing::Outline::parse(&json).is_ok(), "{json}");
        }
    }
}
