//! Tests of secret values in the YAML.

use super::super::{Yaml, to_text};
use super::*;

// "hunter2", "line 1\nline 2\n", and bytes that are no text.
const SECRET: &str = r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","annotations":{"note":"plain",
    "kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"password\":\"hunter2\"}}\n"}},
    "data":{"password":"aHVudGVyMg==","file":"bGluZSAxCmxpbmUgMgo=","key":"/wCA"},
    "stringData":{"token":"abc123"},"type":"Opaque"}"#;

fn printed(json: &str, revealed: &[&str], form: Form) -> Yaml {
    let revealed = revealed.iter().map(|id| (*id).to_owned()).collect();
    Yaml::of(json, &Printing { is_secret: false, revealed, form }).expect("valid JSON")
}

fn text(json: &str, revealed: &[&str], form: Form) -> String {
    to_text(&printed(json, revealed, form).body)
}

#[test]
fn the_values_of_a_secret_are_masked_on_screen_and_when_copied() {
    for form in [Form::Screen, Form::Copy] {
        let yaml = printed(SECRET, &[], form);
        let all = format!("{yaml:?}");
        for value in ["hunter2", "aHVudGVyMg", "line 1", "bGluZSAx", "/wCA", "abc123"] {
            assert!(!all.contains(value), "{value} in {all}");
        }
        assert!(to_text(&yaml.body).contains("  password: •••••••• # hidden, 7 bytes\n"), "{all}");
        assert!(to_text(&yaml.body).contains("note: plain\n"), "other annotations stay");
        let secrets: Vec<&str> =
            yaml.body.lines.iter().filter_map(|line| Some(line.secret.as_ref()?.id.as_str())).collect();
        let annotation = "metadata/annotations/kubectl.kubernetes.io/last-applied-configuration";
        assert_eq!(secrets, [annotation, "data/password", "data/file", "data/key", "stringData/token"]);
    }
}

#[test]
fn one_key_is_revealed_and_the_others_stay_masked() {
    let screen = text(SECRET, &["data/password"], Form::Screen);
    assert!(screen.contains("  password: hunter2 # decoded\n"), "{screen}");
    assert!(!screen.contains("line 1") && !screen.contains("abc123"), "{screen}");
    let copied = text(SECRET, &["data/password"], Form::Copy);
    assert!(copied.contains("  password: aHVudGVyMg== # hunter2\n"), "it can be applied: {copied}");
}

#[test]
fn several_lines_are_a_block_and_bytes_stay_base64() {
    let revealed = ["data/file", "data/key", "stringData/token"];
    let screen = text(SECRET, &revealed, Form::Screen);
    assert!(screen.contains("  file: | # decoded\n    line 1\n    line 2\n"), "{screen}");
    assert!(screen.contains("  key: /wCA # binary, 3 bytes\n"), "{screen}");
    assert!(screen.contains("  token: abc123\n"), "{screen}");
    let copied = text(SECRET, &revealed, Form::Copy);
    assert!(copied.contains("  file: bGluZSAxCmxpbmUgMgo=\n"), "{copied}");
    let file = printed(SECRET, &revealed, Form::Screen)
        .body
        .lines
        .iter()
        .find_map(|line| line.secret.clone().filter(|secret| secret.id == "data/file"));
    let file = file.expect("it is there");
    assert_eq!((file.name.as_str(), file.content.as_deref()), ("file", Some("line 1\nline 2\n")));
}

#[test]
fn the_annotation_can_be_revealed() {
    let id = format!("metadata/annotations/{LAST_APPLIED}");
    assert!(text(SECRET, &[&id], Form::Screen).contains("hunter2"));
}

#[test]
fn other_kinds_are_not_masked_unless_the_table_shows_secrets() {
    let json = r#"{"kind":"ConfigMap","data":{"password":"hunter2"}}"#;
    assert!(text(json, &[], Form::Screen).contains("password: hunter2\n"));
    let printing = Printing { is_secret: true, ..Printing::default() };
    assert!(!to_text(&Yaml::of(json, &printing).expect("valid JSON").body).contains("hunter2"));
    let inner = r#"{"kind":"List","items":[{"kind":"Secret","data":{"a":"b"}}]}"#;
    assert!(text(inner, &[], Form::Screen).contains("a: b"), "the drawer shows one object, never a list");
}

#[test]
fn malformed_values_are_masked_too() {
    let cases = [
        r#"{"data":{"a":"hunter2"},"kind":"Secret"}"#,
        r#"{"d\u0061ta":{"a":"hunter2"},"kind":"\u0053ecret"}"#,
        r#"{"kind":"Secret","data":["hunter2"]}"#,
        r#"{"kind":"Secret","data":"hunter2"}"#,
        r#"{"kind":"Secret","data":{"a":{"b":["hunter2"]}}}"#,
        r#"{"kind":"Secret","data":{},"data":{"a":"hunter2"}}"#,
        r#"{"kind":"Secret","data":{"a":"hunter2 is no base64"}}"#,
    ];
    for json in cases {
        let shown = text(json, &[], Form::Screen);
        assert!(!shown.contains("hunter2") && shown.contains(MASK), "{json}: {shown}");
    }
    assert!(text(r#"{"kind":"Secret","data":["hunter2"]}"#, &["data"], Form::Screen).contains("- hunter2"));
    assert!(text(r#"{"kind":"Secret","data":null}"#, &[], Form::Screen).contains("hidden"));
}
