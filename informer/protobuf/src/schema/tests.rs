//! Tests of the schema.

use super::*;
use crate::{Error, ErrorKind};

fn real() -> Schema {
    Schema::parse(include_str!("../../schema.txt")).expect("schema")
}

#[test]
fn kinds_are_found_by_version_and_kind() {
    let schema = real();
    assert!(schema.version().starts_with("1."), "{}", schema.version());
    let name = |api_version, kind| schema.message(api_version, kind).map(|message| schema.name(message));
    for (api_version, kind, expected) in [
        ("v1", "Pod", Some("core/v1.Pod")),
        ("apps/v1", "Deployment", Some("apps/v1.Deployment")),
        ("rbac.authorization.k8s.io/v1", "Role", Some("rbac/v1.Role")),
        // Of another package than its version.
        ("v1", "Status", Some("meta/v1.Status")),
        ("meta.k8s.io/v1", "PartialObjectMetadata", Some("meta/v1.PartialObjectMetadata")),
        // The same fields as in another version.
        ("storage.k8s.io/v1beta1", "CSIDriver", Some("storage/v1.CSIDriver")),
        // No kind, no version, no custom resource.
        ("v1", "PodSpec", None),
        ("v1", "PodList", None),
        ("v2", "Pod", None),
        ("", "Pod", None),
        ("example.com/v1", "Widget", None),
    ] {
        assert_eq!(name(api_version, kind).as_deref(), expected, "{api_version} {kind}");
    }
}

#[test]
fn the_schema_is_small() {
    let text = include_str!("../../schema.txt").len();
    assert!(text < 80_000, "{text}");
    assert!(real().kinds().count() > 150);
}

#[test]
fn a_line_that_cannot_be_read_is_an_error_with_its_position() {
    let head = "kubernetes 1.0.0\n= a/v1 a/v1\n";
    assert!(Schema::parse(head).is_ok());
    assert!(Schema::parse(&format!("{head}\n# a comment\nA+ a=1s\n")).is_ok());
    for line in [
        "A a",
        "A a=s",
        "A a=0s",
        "A a=256s",
        "A a=1",
        "A a=1z",
        "A a=1Unknown",
        "A a=1b/v1.Unknown",
        "A a=1s b=1s",
        "A =1s",
        "A =1*A",
        "A a\"b=1s",
        "A+ >b/v1.A",
        "+ a=1s",
        "=",
        "= a",
    ] {
        assert_eq!(Schema::parse(&format!("{head}{line}\n")).err(), Some(Error::new(ErrorKind::Schema, 29)), "{line}");
    }
    // Names in no order cannot be searched.
    assert!(Schema::parse(&format!("{head}B\nA\n")).is_err());
    for text in ["", "<html>", "kubernetes", "= a/v1 a/v1", "kubernetes 1.0.0\nA a=1s\n"] {
        assert_eq!(Schema::parse(text).map_err(|error| error.kind).err(), Some(ErrorKind::Schema), "{text}");
    }
}
