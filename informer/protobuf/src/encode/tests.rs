//! Tests of the encoder, with a small schema.

use super::*;
use crate::error::{Error, ErrorKind};

const SCHEMA: &str = "kubernetes 1.0.0\n= test/v1 test/v1\n\
    All+ text=2s flag=1b small=3*i big=4l! bytes=5y amount=6q time=7t? micro=8*u port=9x raw=10r\n\
    Inner y=2s x=1l\n\
    Lists+ texts=1[]s numbers=2[]i objects=3[]Inner names=4{}Names bytes=5{}y blobs=6[]y\n\
    Names []s\n\
    Nested+ value=1Inner pointer=2*Inner =3Inner\n";

fn encoded(kind: &str, json: &str) -> Result<Vec<u8>> {
    let schema = Schema::parse(SCHEMA).expect("schema");
    let message = schema.message("test/v1", kind).expect("a kind");
    let mut out = b"before".to_vec();
    let result = encode(&schema, message, json, &mut out);
    let bytes = out.strip_prefix(b"before").expect("appended").to_vec();
    assert!(result.is_ok() || bytes.is_empty());
    result.map(|()| bytes)
}

#[test]
fn values_that_are_no_pointers_are_written_even_when_they_are_zero() {
    let zero = b"\x08\0\x12\0\x20\0\x32\x03\x0a\x010\x3a\0\x4a\x06\x08\0\x10\0\x1a\0\x52\0";
    assert_eq!(encoded("All", "{}").as_deref(), Ok(&zero[..]));
    let nulls = r#"{"text":null,"flag":null,"small":null,"big":null,"bytes":null,"amount":null,"time":null,"micro":null,"port":null,"raw":null,"kind":"All"}"#;
    assert_eq!(encoded("All", nulls).as_deref(), Ok(&zero[..]));
    assert_eq!(encoded("Nested", "{}").as_deref(), Ok(&b"\x0a\x04\x08\0\x12\0\x1a\x04\x08\0\x12\0"[..]));
    assert_eq!(encoded("Lists", r#"{"texts":[],"names":{},"objects":null}"#).as_deref(), Ok(&b""[..]));
}

#[test]
fn fields_have_the_order_of_their_numbers() {
    let json = r#"{"raw": {"a": 1} ,"port":"http","micro":"1970-01-01T00:00:01.0000019Z","time":"1970-01-01T00:00:01.9Z","amount":"5m","bytes":"Zg==","big":-1,"small":0,"flag":true,"text":"<\u00e4\n"}"#;
    let expected =
        b"\x08\x01\x12\x04<\xc3\xa4\n\x18\0\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x2a\x01f\x32\x04\x0a\x025m\
        \x3a\x04\x08\x01\x10\0\x42\x05\x08\x01\x10\xe8\x07\x4a\x0a\x08\x01\x10\0\x1a\x04http\x52\x0a\x0a\x08{\"a\": 1}";
    assert_eq!(encoded("All", json).as_deref(), Ok(&expected[..]));
    // The members of an inlined struct are beside the others; a name of both is in both.
    let nested = encoded("Nested", r#"{"y":"b","x":5,"pointer":{"x":6}}"#);
    assert_eq!(nested.as_deref(), Ok(&b"\x0a\x04\x08\0\x12\0\x12\x04\x08\x06\x12\0\x1a\x05\x08\x05\x12\x01b"[..]));
}

#[test]
fn lists_and_maps() {
    let json = r#"{"texts":["a",null],"numbers":[1,-1],"objects":[null,{"x":1}],"names":{"b":["x","y"],"a":null},"bytes":{"k":"","n":null},"blobs":["Zg==",""]}"#;
    let expected = b"\x0a\x01a\x0a\0\x10\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a\x04\x08\0\x12\0\x1a\x04\x08\x01\x12\0\
        \x22\x05\x0a\x01a\x12\0\x22\x0b\x0a\x01b\x12\x06\x0a\x01x\x0a\x01y\x2a\x05\x0a\x01k\x12\0\x2a\x03\x0a\x01n\x32\x01f\x32\0";
    assert_eq!(encoded("Lists", json).as_deref(), Ok(&expected[..]));
    // A length of more than one byte.
    let long = encoded("Lists", &format!(r#"{{"texts":["{}"]}}"#, "x".repeat(300))).expect("encoded");
    assert_eq!((&long[..3], long.len()), (&b"\x0a\xac\x02"[..], 303));
}

#[test]
fn another_type_than_the_field_has_is_an_error_at_its_position() {
    for (kind, json, at) in [
        ("All", "[]", 0),
        ("All", "{", 0),
        ("All", r#"{"text":5}"#, 8),
        ("All", r#"{"flag":"x"}"#, 8),
        ("All", r#"{"small":2147483648}"#, 9),
        ("All", r#"{"big":1.5}"#, 7),
        ("All", r#"{"bytes":"?"}"#, 9),
        ("All", r#"{"time":"yesterday"}"#, 8),
        ("All", r#"{"micro":5}"#, 9),
        ("All", r#"{"port":true}"#, 8),
        ("Lists", r#"{"texts":{}}"#, 9),
        ("Lists", r#"{"names":[]}"#, 9),
        ("Lists", r#"{"objects":[{},5]}"#, 15),
        ("Nested", r#"{"value":"x"}"#, 9),
    ] {
        let error = encoded(kind, json).expect_err(json);
        assert!(error == Error::new(ErrorKind::Json, at) || json == "{", "{json} {error}");
    }
}
