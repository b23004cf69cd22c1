//! Tests of the YAML of objects.

use super::scalar::scalar;
use super::*;

fn of(json: &str) -> Result<Yaml, String> {
    Yaml::of(json, &Printing::default())
}

fn yaml(json: &str) -> String {
    to_text(&of(json).expect("valid JSON").body)
}

#[test]
fn nests_as_kubectl_does() {
    let json = r#"{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"a","args":["x","z"]},{"name":"b"}],"x":{},"z":[]}}"#;
    let expected = "kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - name: a\n    args:\n    - x\n    - z\n  - name: b\n  x: {}\n  z: []\n";
    assert_eq!(yaml(json), expected);
}

#[test]
fn sequences_in_sequences_keep_their_dashes() {
    assert_eq!(yaml(r#"{"a":[[1,2],[3]]}"#), "a:\n- - 1\n  - 2\n- - 3\n");
}

#[test]
fn a_bare_value_is_a_document() {
    assert_eq!(yaml("[1,{\"a\":2}]"), "- 1\n- a: 2\n");
    assert_eq!(yaml("\"x\""), "x\n");
    assert_eq!(yaml("null"), "null\n");
}

#[test]
fn strings_are_quoted_only_when_needed() {
    let cases = [
        ("nginx:1.27", "nginx:1.27"),
        ("default/web", "default/web"),
        ("a b", "a b"),
        ("", "''"),
        ("true", "'true'"),
        ("No", "'No'"),
        ("null", "'null'"),
        ("~", "'~'"),
        ("1", "'1'"),
        ("1e3", "'1e3'"),
        ("0x1F", "'0x1F'"),
        ("1:30", "'1:30'"),
        ("1.2.3", "1.2.3"),
        ("1e-3", "'1e-3'"),
        ("98e7cfcb-de9a", "98e7cfcb-de9a"),
        ("---", "'---'"),
        ("-1", "'-1'"),
        (".5", "'.5'"),
        (".inf", "'.inf'"),
        (".dockerconfigjson", ".dockerconfigjson"),
        ("2026-01-02T03:04:05Z", "'2026-01-02T03:04:05Z'"),
        ("100m", "100m"),
        ("64Mi", "64Mi"),
        ("-flag", "-flag"),
        ("--flag=x", "--flag=x"),
        ("- x", "'- x'"),
        ("*", "'*'"),
        ("a: b", "'a: b'"),
        ("a #b", "'a #b'"),
        ("a#b", "a#b"),
        ("it's", "it's"),
        ("'it'", "\"'it'\""),
        ("trailing ", "'trailing '"),
        ("tab\there", "\"tab\\there\""),
        ("\u{202e}evil", "\"\\u202eevil\""),
        ("é", "é"),
    ];
    for (text, expected) in cases {
        assert_eq!(scalar(text), expected, "{text:?}");
    }
}

#[test]
fn keys_are_scalars_too() {
    assert_eq!(
        yaml(r#"{"app.kubernetes.io/name":"x","1":"z","a\"b":0}"#),
        "app.kubernetes.io/name: x\n'1': z\na\"b: 0\n"
    );
}

#[test]
fn several_lines_become_a_block() {
    assert_eq!(yaml(r#"{"a":{"b":"x\ny\n"}}"#), "a:\n  b: |\n    x\n    y\n");
    assert_eq!(yaml(r#"{"b":"x\n\n y"}"#), "b: |-\n  x\n\n   y\n");
    assert_eq!(yaml(r#"{"b":"x\ny\n\n"}"#), "b: |+\n  x\n  y\n\n");
    assert_eq!(yaml(r#"{"b":" x\ny"}"#), "b: |2-\n   x\n  y\n");
    assert_eq!(yaml(r#"{"b":["x\ny","z"]}"#), "b:\n- |-\n  x\n  y\n- z\n");
}

#[test]
fn what_a_block_cannot_carry_is_quoted() {
    assert_eq!(yaml(r#"{"b":"x \ny"}"#), "b: \"x \\ny\"\n");
    assert_eq!(yaml(r#"{"b":"x\ny\u0007"}"#), "b: \"x\\ny\\u0007\"\n");
    assert_eq!(yaml(r#"{"b":"\n"}"#), "b: \"\\n\"\n");
}

#[test]
fn numbers_keep_their_digits() {
    let json = r#"{"a":9007199254740993,"b":18446744073709551616,"c":1.0,"d":-0,"e":1e400}"#;
    assert_eq!(yaml(json), "a: 9007199254740993\nb: 18446744073709551616\nc: 1.0\nd: -0\ne: 1e400\n");
}

#[test]
fn managed_fields_are_separate() {
    let json = r#"{"metadata":{"name":"x","managedFields":[{"manager":"kubectl"}]},"spec":{"managedFields":1}}"#;
    let yaml = of(json).expect("valid JSON");
    assert_eq!(to_text(&yaml.body), "metadata:\n  name: x\nspec:\n  managedFields: 1\n");
    assert_eq!(to_text(&yaml.managed_fields), "managedFields:\n- manager: kubectl\n");
}

#[test]
fn only_the_objects_own_managed_fields_are_folded() {
    let json = r#"{"spec":{"metadata":{"managedFields":[1]}}}"#;
    assert_eq!(yaml(json), "spec:\n  metadata:\n    managedFields:\n    - 1\n");
}

#[test]
fn depth_is_bounded() {
    let json = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(yaml(&json).contains("[["));
    let json = format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100));
    assert!(yaml(&json).contains("{\"a\":"));
}

#[test]
fn what_is_not_json_is_an_error() {
    assert!(of("{\"a\":").is_err());
    assert!(of("<html>").is_err());
}

#[test]
fn hidden_characters_stay_in_a_block_and_are_escaped_elsewhere() {
    assert_eq!(yaml("{\"a\":\"x\u{200b}\\ny\"}"), "a: |-\n  x\u{200b}\n  y\n");
    assert_eq!(yaml("{\"a\":\"\u{feff}x\\ny\"}"), "a: \"\\ufeffx\\ny\"\n", "YAML takes it for a byte order mark");
    assert_eq!(yaml("{\"a\u{200b}\":\"\u{e0041}\"}"), "\"a\\u200b\": \"\\U000e0041\"\n");
}

#[test]
fn only_the_core_group_has_secrets() {
    let is_secret = |resource: &str| super::is_secret(&resource.parse().expect("a resource"));
    assert!(is_secret("v1/secrets") && !is_secret("example.com/v1/secrets") && !is_secret("v1/configmaps"));
}

#[test]
fn literals_are_numbers_booleans_and_null_as_values() {
    let json = r#"{"a":1,"b":-0.5e+3,"c":true,"d":null,"e":"1","f":"-","g":"x","h":[7,"y"],"i":"1\n2","j":{},"k":"e1","l":"1-2"}"#;
    let literals = of(json).expect("valid JSON").body;
    let literals: Vec<String> =
        literals.lines.iter().filter(|line| line.is_literal()).map(ToString::to_string).collect();
    assert_eq!(literals, ["a: 1", "b: -0.5e+3", "c: true", "d: null", "- 7"]);
}
