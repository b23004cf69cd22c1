//! Rules: each fires on its fixture with its sentence, healthy objects have no finding, and RULES.md lists them all.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use kube_objects::{Evidence, RULES, Severity};
use serde_json::Value;

use crate::fixtures::all;

/// Writes sentences and RULES.md instead of comparing them: `UPDATE=1 cargo test -p kube-objects -- --test-threads=1`. Review
/// the diff.
fn updates() -> bool {
    std::env::var_os("UPDATE").is_some()
}

#[test]
fn each_fixture_has_its_finding_and_no_other() {
    let mut wrong = String::new();
    for mut fixture in all() {
        let (code, findings) = (fixture.text("code").to_owned(), fixture.findings());
        let also: Vec<&str> = fixture.json["also"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let others: Vec<&str> = findings
            .iter()
            .map(|finding| finding.code)
            .filter(|other| *other != code && !also.contains(other))
            .collect();
        if !others.is_empty() {
            let _ = writeln!(
                wrong,
                "{}: also {others:?}: {:?}",
                fixture.name,
                findings.iter().map(|f| &f.sentence).collect::<Vec<_>>()
            );
        }
        if code.is_empty() {
            continue;
        }
        let Some(finding) = findings.iter().find(|finding| finding.code == code) else {
            let _ = writeln!(wrong, "{}: does not fire", fixture.name);
            continue;
        };
        if updates() {
            fixture.json["sentence"] = finding.sentence.clone().into();
            fixture.json["next"] = finding.next.clone().into();
            let text = format!("{}\n", serde_json::to_string_pretty(&fixture.json).expect("JSON"));
            fs::write(&fixture.path, text).expect("written");
        } else {
            for (field, value) in [("sentence", &finding.sentence), ("next", &finding.next)] {
                if fixture.text(field) != value {
                    let _ = writeln!(wrong, "{}: {field}\n  {}\n  {value}", fixture.name, fixture.text(field));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn evidence_of_a_finding_comes_from_the_server() {
    for fixture in all() {
        // Without what the rule itself wrote.
        let mut said = fixture.json.clone();
        for field in ["sentence", "next"] {
            said[field].take();
        }
        let text = said.to_string();
        for finding in fixture.findings() {
            assert!(!finding.evidence.is_empty(), "{}: {}", fixture.name, finding.code);
            assert!(finding.sentence.ends_with(['.', '!', '?', '…']), "{}: {}", fixture.name, finding.sentence);
            assert!(!finding.next.is_empty() && !finding.next.contains('\n'), "{}: {}", fixture.name, finding.next);
            for evidence in &finding.evidence {
                if let Evidence::Condition { message, .. } | Evidence::Event { message, .. } = evidence {
                    let quoted = Value::from(message.as_str()).to_string();
                    assert!(text.contains(quoted.trim_matches('"')), "{}: {message}", fixture.name);
                }
            }
        }
    }
}

#[test]
fn no_rule_concludes_from_missing_data() {
    // Without answers, only findings from the object itself remain.
    for fixture in all() {
        let object = &fixture.json["object"];
        let findings = kube_objects::diagnose(&kube_objects::Subject::new(object, fixture.now()));
        for finding in findings {
            let absent = finding.evidence.iter().any(|evidence| matches!(evidence, Evidence::Absent { .. }));
            assert!(!absent, "{}: {}", fixture.name, finding.sentence);
        }
    }
}

#[test]
fn every_rule_is_in_rules_md_with_a_sentence_that_it_wrote() {
    let fixtures = all();
    let mut page = String::from(
        "# Rules of the diagnosis\n\nEach sentence is of a fixture in `fixtures/`; `tests/it/rules.rs` writes and holds this page.\n\n\
         | code | severity | kinds | fires on | a sentence |\n|---|---|---|---|---|\n",
    );
    let mut codes = BTreeSet::new();
    for rule in RULES.iter().copied().flatten() {
        assert!(codes.insert(rule.code), "{} is there twice", rule.code);
        let of_rule = fixtures.iter().filter(|fixture| fixture.text("code") == rule.code);
        let fixture = of_rule.into_iter().find(|fixture| !fixture.text("firesOn").is_empty());
        let fixture = fixture.unwrap_or_else(|| panic!("{} has no fixture", rule.code));
        let severity = match rule.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let kinds: Vec<&str> = rule.kinds.iter().map(|kind| kind.kind).collect();
        let cell = |field: &str| fixture.text(field).replace('|', "\\|").replace('<', "\\<").replace('[', "\\[");
        let _ = writeln!(
            page,
            "| `{}` | {severity} | {} | {} | {} |",
            rule.code,
            kinds.join(", "),
            cell("firesOn"),
            cell("sentence")
        );
    }
    for fixture in &fixtures {
        let code = fixture.text("code");
        assert!(code.is_empty() || codes.contains(code), "{}: no rule {code}", fixture.name);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/RULES.md");
    if updates() {
        fs::write(path, page).expect("written");
    } else {
        assert!(
            fs::read_to_string(path).expect("RULES.md") == page,
            "RULES.md is old: UPDATE=1 cargo test -p kube-objects -- --test-threads=1"
        );
    }
}
