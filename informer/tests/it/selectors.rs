//! Keys, label selectors and field selectors: parsing, errors, matching.

use std::collections::{BTreeMap, BTreeSet};

use informer::{
    ErrorCode, FieldRequirement, FieldSelector, LabelSelector, Labels, Operator, Requirement, meta_namespace_key,
    split_meta_namespace_key,
};
use proptest::prelude::*;

#[test]
fn sto_08_sto_09_keys_round_trip() {
    for (key, parts) in [("ns/name", ("ns", "name")), ("name", ("", "name")), ("", ("", "")), ("/name", ("", "name"))] {
        assert_eq!(split_meta_namespace_key(key), Ok(parts), "{key}");
    }
    for key in ["a/b/c", "//", "a//b", "a/b/"] {
        let error = split_meta_namespace_key(key).expect_err(key);
        assert_eq!(error.code(), ErrorCode::BadRequest);
        assert!(error.message().contains(key), "{error}");
    }
    assert_eq!(meta_namespace_key("ns", "name"), "ns/name");
    assert_eq!(meta_namespace_key("", "name"), "name");
}

fn labels(text: &str) -> LabelSelector {
    text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

#[test]
fn sel_01_good_label_selectors_print_sorted_and_read_back_the_same() {
    for (text, printed) in [
        ("", ""),
        ("  \t\r\n", ""),
        ("x", "x"),
        ("x=", "x="),
        ("x= ", "x="),
        ("x=,z= ", "x=,z="),
        ("x= ,z= ", "x=,z="),
        ("!x", "!x"),
        ("! x", "!x"),
        ("x>1", "x>1"),
        ("x>1,z<5", "x>1,z<5"),
        ("x in ()", "x in ()"),
        ("x in (,a)", "x in (,a)"),
        ("x in (a,)", "x in (,a)"),
        ("x in (,)", "x in ()"),
        ("x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"),
        ("x in(b,a,b)", "x in (a,b)"),
        ("x==a", "x=a"),
        ("x!=a", "x!=a"),
        ("x!=", "x!="),
        ("z=1,a notin (q),m", "a notin (q),m,z=1"),
        ("b,a,b", "a,b"),
        ("in", "in"),
        ("notin=in", "notin=in"),
        ("in in (in,notin)", "in in (in,notin)"),
        ("!in", "!in"),
        ("app.kubernetes.io/name=web_1.0-a", "app.kubernetes.io/name=web_1.0-a"),
    ] {
        let selector = labels(text);
        assert_eq!(selector.to_string(), printed, "{text:?}");
        assert_eq!(labels(printed), selector, "{text:?}");
        assert_eq!(selector.is_empty(), printed.is_empty(), "{text:?}");
    }
    assert_eq!(labels("b=1, a==2"), labels("a=2,b=1"));
}

#[test]
fn sel_02_bad_label_selectors_are_refused_with_position_and_reason() {
    for (text, at, reason) in [
        ("x=a||y=b", 0, "values[0]: it must consist of letters"),
        ("x==a==b", 4, "expected a comma or the end, found \"==\""),
        ("!x=a", 2, "expected a comma or the end, found \"=\""),
        ("x<a", 0, "values[0]: it must be a 64-bit integer"),
        ("a,x>", 2, "values[0]: it must be a 64-bit integer"),
        ("x>9223372036854775808", 0, "64-bit"),
        ("x>=1", 2, "a value"),
        ("x,", 2, "expected a key or \"!\", found the end"),
        (",x", 0, "a key or \"!\""),
        ("x,,y", 2, "a key or \"!\""),
        ("=a", 0, "a key or \"!\""),
        ("!", 1, "expected a key after \"!\", found the end"),
        ("!!x", 1, "a key after \"!\""),
        ("x y", 2, "one of = =="),
        ("x!", 1, "one of = =="),
        ("x in", 4, "expected \"(\", found the end"),
        ("x in a", 5, "\"(\""),
        ("x in (a", 7, "expected \",\" or \")\", found the end"),
        ("x in (a b)", 8, "\",\" or \")\""),
        ("x in (a=b)", 7, "\",\" or \")\""),
        ("x in (a)b", 8, "a comma or the end"),
        ("x=a b", 4, "a comma or the end"),
        ("x=!a", 2, "a value"),
        ("x=(a)", 2, "a value"),
        ("é=a", 0, "key: it must consist of letters"),
        ("a=é", 0, "values[0]: it must consist of letters"),
        ("a,b/c/d", 2, "key: it must consist of letters"),
        ("/a", 0, "key: the prefix before the slash"),
        ("A.b/c", 0, "DNS"),
        ("a/", 0, "key: it must not be empty"),
        ("-a", 0, "key"),
        ("a\0", 0, "key"),
    ] {
        let error = text.parse::<LabelSelector>().expect_err(text);
        assert_eq!(error.code(), ErrorCode::BadRequest);
        assert!(error.message().contains(&format!(" at byte {at}: ")), "{text:?}: {error}");
        assert!(error.message().contains(reason), "{text:?}: {error}");
    }
    let endless = "x".repeat(1_000_000).parse::<LabelSelector>().expect_err("too long");
    assert!(endless.message().len() < 500, "an error is for people");
}

#[test]
fn sel_04_what_matches() {
    let object = [("app", "web"), ("tier", ""), ("size", "10"), ("text", "abc"), ("minus", "-3")];
    for (selector, expected) in [
        ("", true),
        ("app", true),
        ("!app", false),
        ("none", false),
        ("!none", true),
        ("app=web", true),
        ("app=WEB", false),
        ("app!=web", false),
        ("none=", false),
        ("tier=", true),
        ("tier in ()", true),
        ("tier in (,a)", true),
        ("app in (a,web)", true),
        ("app in (a)", false),
        ("app notin (a,web)", false),
        ("none!=a", true),
        ("none notin (a)", true),
        ("none notin ()", true),
        ("none in ()", false),
        ("size>9,size<11", true),
        ("size>9,size<10", false),
        ("minus<0", true),
        ("app,app=web,!none", true),
        ("app,!app", false),
    ] {
        assert_eq!(labels(selector).matches(&object), expected, "{selector}");
    }
}

#[test]
fn sel_05_greater_and_less_want_integers_on_both_sides() {
    let value = |value: &str| BTreeMap::from([("x".to_owned(), value.to_owned())]);
    for (labelled, expected) in
        [("2", true), ("1", false), ("abc", false), ("", false), ("99999999999999999999", false)]
    {
        assert_eq!(labels("x>1").matches(&value(labelled)), expected, "{labelled}");
    }
    assert!(!labels("x>1").matches(&BTreeMap::new()));
    assert!(!labels("x<1").matches(&BTreeMap::new()));
    assert!(labels("x<007").matches(&value("6")));
}

#[test]
fn sel_06_an_invalid_requirement_is_rejected_with_the_invalid_part() {
    let key = |length: usize| "k".repeat(length);
    for (key, operator, values, part) in [
        (key(254).as_str(), Operator::Exists, &[][..], "key: "),
        (&key(64), Operator::Exists, &[], "key: "),
        (&format!("{}/x", key(254)), Operator::Exists, &[], "key: "),
        ("", Operator::Exists, &[], "key: "),
        ("a", Operator::Equals, &[&*key(64)], "values[0]: "),
        ("a", Operator::Equals, &["a b"], "values[0]: "),
        ("a", Operator::In, &["a", "b", "c!"], "values[2]: "),
        ("a", Operator::In, &[], "values: at least one"),
        ("a", Operator::NotIn, &[], "values: at least one"),
        ("a", Operator::Exists, &["a"], "values: none are allowed"),
        ("a", Operator::DoesNotExist, &["a"], "values: none are allowed"),
        ("a", Operator::GreaterThan, &["1", "2"], "values: exactly one"),
        ("a", Operator::LessThan, &[], "values: exactly one"),
        ("a", Operator::Equals, &["a", "a"], "values: exactly one"),
        ("a", Operator::NotEquals, &[], "values: exactly one"),
        ("a", Operator::GreaterThan, &["1.5"], "values[0]: it must be a 64-bit integer"),
        ("a", Operator::GreaterThan, &["-1"], "values[0]: "),
    ] {
        let error = Requirement::new(key, operator, values.iter().copied()).expect_err(part);
        assert_eq!(error.code(), ErrorCode::BadRequest);
        assert!(error.message().contains(part), "{part}: {error}");
    }
    let (prefix, name, value) = (vec!["k".repeat(62); 4].join("."), key(63), key(63));
    let longest = Requirement::new(&format!("{prefix}/{name}"), Operator::Equals, [value.as_str()]).expect("allowed");
    assert!(longest.matches(&[(format!("{prefix}/{name}"), value)]));
}

#[derive(serde::Deserialize)]
struct Policy {
    selector: LabelSelector,
}

#[test]
fn sel_07_the_form_of_objects_and_the_two_empty_ones() {
    let read = |json: &str| serde_json::from_str::<LabelSelector>(json);
    assert_eq!(read("{}").expect("valid"), LabelSelector::everything());
    assert_eq!(read("null").expect("valid"), LabelSelector::nothing());
    assert_eq!(read(r#"{"matchLabels":null,"matchExpressions":null}"#).expect("valid"), LabelSelector::everything());

    let policy: Policy = serde_json::from_str("{}").expect("valid");
    assert!(policy.selector.is_nothing(), "a field that is not there selects nothing");

    let selector = read(
        r#"{"matchLabels":{"b":"1","a":""},"matchExpressions":[
            {"key":"z","operator":"In","values":["y","x"]},{"key":"n","operator":"NotIn","values":["m"]},
            {"key":"e","operator":"Exists"},{"key":"d","operator":"DoesNotExist","values":null}]}"#,
    );
    assert_eq!(selector.expect("valid").to_string(), "a=,b=1,!d,e,n notin (m),z in (x,y)");

    for json in [
        r#"{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}"#,
        r#"{"matchExpressions":[{"key":"a","operator":"In"}]}"#,
        r#"{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}"#,
        r#"{"matchExpressions":[{"operator":"Exists"}]}"#,
        r#"{"matchLabels":{"a b":"c"}}"#,
        r#"{"matchLabels":{"a":"c c"}}"#,
        "[]",
        "\"a=b\"",
    ] {
        assert!(read(json).is_err(), "{json}");
    }
}

/// Labels that count their lookups.
struct Counting<'l>(&'l [(&'l str, &'l str)], std::cell::Cell<usize>);

impl Labels for Counting<'_> {
    fn lookup(&self, key: &str) -> Option<&str> {
        self.1.set(self.1.get() + 1);
        self.0.lookup(key)
    }
}

#[test]
fn lis_01_lis_02_lis_03_a_selector_picks_some_all_or_none() {
    let objects = [&[("app", "web")][..], &[("app", "db")], &[]];
    let objects: Vec<Counting<'_>> = objects.into_iter().map(|labels| Counting(labels, 0.into())).collect();
    let picked = |selector: &LabelSelector| objects.iter().filter(|labels| selector.matches(*labels)).count();
    let lookups = || objects.iter().map(|labels| labels.1.take()).sum::<usize>();

    assert_eq!((picked(&LabelSelector::everything()), lookups()), (3, 0), "no label is looked at");
    assert_eq!((picked(&LabelSelector::nothing()), lookups()), (0, 0));
    assert_eq!((picked(&labels("app")), lookups()), (2, 3));
    assert_eq!(picked(&labels("app=db")), 1);
    assert_eq!(picked(&labels("app=other")), 0);
    assert_eq!(picked(&labels("app!=other")), 3);

    assert!(LabelSelector::nothing().is_nothing() && !LabelSelector::nothing().is_empty());
    assert!(LabelSelector::everything().is_empty() && !LabelSelector::everything().is_nothing());
    let nothing = LabelSelector::nothing().to_string();
    assert!(nothing.parse::<LabelSelector>().is_err(), "{nothing:?} must not read back as everything");
}

#[test]
fn a_selector_is_built_from_requirements() {
    let required =
        |key: &str, operator, values: &[&str]| Requirement::new(key, operator, values.iter().copied()).expect("valid");
    let selector = LabelSelector::everything()
        .with(required("b", Operator::In, &["2", "1", "2"]))
        .with(required("a", Operator::Equals, &["x"]))
        .with(required("a", Operator::Equals, &["x"]));
    assert_eq!(selector, labels("a=x,b in (1,2)"));
    let keys: Vec<&str> = selector.requirements().expect("not nothing").iter().map(Requirement::key).collect();
    assert_eq!(keys, ["a", "b"]);
    assert!(LabelSelector::nothing().with(required("a", Operator::Exists, &[])).is_nothing());
    assert_eq!(LabelSelector::of_labels([("b", "1"), ("a", "")]).expect("valid"), labels("a=,b=1"));
    assert!(LabelSelector::of_labels([("b", "1 1")]).is_err());
}

fn fields(text: &str) -> FieldSelector {
    text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

#[test]
fn sel_08_fields_with_escapes_survive_printing_and_reading() {
    for (text, printed, field, equal, value) in [
        ("x=a", "x=a", "x", true, "a"),
        ("x==a", "x=a", "x", true, "a"),
        ("x!=a", "x!=a", "x", false, "a"),
        ("x=", "x=", "x", true, ""),
        ("x!=", "x!=", "x", false, ""),
        (r"x=a\,b", r"x=a\,b", "x", true, "a,b"),
        (r"x=a\=b", r"x=a\=b", "x", true, "a=b"),
        (r"x=\\", r"x=\\", "x", true, r"\"),
        (r"x!=\\\,\=", r"x!=\\\,\=", "x", false, r"\,="),
        (r"x=\=\=", r"x=\=\=", "x", true, "=="),
        ("x=a!b", "x=a!b", "x", true, "a!b"),
        ("x!y=a", "x!y=a", "x!y", true, "a"),
        (",,x=a,", "x=a", "x", true, "a"),
        (" x = a ", " x = a ", " x ", true, " a "),
        ("x=äö€😀", "x=äö€😀", "x", true, "äö€😀"),
        ("ä€=ö", "ä€=ö", "ä€", true, "ö"),
        (r"a\,b=c", r"a\,b=c", r"a\,b", true, "c"),
        ("=a", "=a", "", true, "a"),
    ] {
        let selector = fields(text);
        assert_eq!(selector.to_string(), printed, "{text}");
        assert_eq!(fields(printed), selector, "{text}");
        let [one] = selector.requirements() else { panic!("{text}: {selector:?}") };
        assert_eq!((one.field(), one.is_equal(), one.value()), (field, equal, value), "{text}");
    }
    for text in ["", ",", ",,", "=", "!=", "==", "=,="] {
        assert!(fields(text).is_empty(), "{text}");
    }
    assert_eq!(fields("b=1,a=2,b==1").to_string(), "a=2,b=1");
    assert_eq!(fields("b=1,a=2"), fields("a=2,b=1"));
}

#[test]
fn sel_09_bad_field_selectors_are_refused_with_position_and_reason() {
    for (text, at, reason) in [
        ("x", 0, "a term must be"),
        ("a=b,x", 4, "a term must be"),
        ("x in (a)", 0, "a term must be"),
        ("x==a==b", 4, "write \"=\" in a value as"),
        ("x=a,b", 4, "a term must be"),
        ("x===a", 3, "write \"=\" in a value as"),
        ("x!==a", 3, "write \"=\" in a value as"),
        (r"x=a\b", 3, "follow a backslash"),
        (r"x=a\", 3, "follow a backslash"),
        (r"ä=b,x=€\n", 10, "follow a backslash"),
        (r"x\=a=b", 4, "write \"=\" in a value as"),
    ] {
        let error = text.parse::<FieldSelector>().expect_err(text);
        assert_eq!(error.code(), ErrorCode::BadRequest);
        assert!(error.message().contains(&format!(" at byte {at}: ")), "{text:?}: {error}");
        assert!(error.message().contains(reason), "{text:?}: {error}");
    }
    for name in ["", "a=b", "a,b", r"a\", "a!"] {
        assert!(FieldRequirement::new(name, true, "x").is_err(), "{name:?} could not be read back");
    }
}

#[test]
fn sel_10_a_field_that_is_missing_is_empty() {
    let none = |_: &str| None;
    assert!(fields("x=").matches(none));
    assert!(!fields("x!=").matches(none));
    assert!(!fields("x=a").matches(none));
    assert!(fields("x!=a").matches(none));
    let pod = |field: &str| match field {
        "metadata.name" => Some("web"),
        "status.phase" => Some("Running"),
        _ => None,
    };
    assert!(fields("metadata.name=web,status.phase!=Pending").matches(pod));
    assert!(!fields("metadata.name=web,status.phase!=Running").matches(pod));
    assert!(fields("spec.nodeName=").matches(pod));
    assert!(FieldSelector::everything().matches(pod));
    assert_eq!(
        FieldSelector::one_term_equal("metadata.name", "a,b").expect("valid").to_string(),
        r"metadata.name=a\,b"
    );
}

/// Selectors that are nearly right, and some that are.
fn nearly_a_selector() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "a", "b.c/d", "in", "notin", " in (", " notin (", "(", ")", ",", ",", "=", "==", "!=", "!", ">", "<", "1",
            " ", "-", "é", "\\", "\\,", "\0", "x",
        ]),
        0..12,
    )
    .prop_map(|parts| parts.concat())
}

fn requirement() -> impl Strategy<Value = Requirement> {
    let in_or_not = prop_oneof![Just(Operator::In), Just(Operator::NotIn)];
    (prop::sample::select(vec!["a", "a-b", "a.b/c", "ab"]), in_or_not, prop::collection::vec("[a.]?[ab-]?[ab]", 1..4))
        .prop_filter_map("valid", |(key, operator, values)| Requirement::new(key, operator, values).ok())
}

proptest! {
    #[test]
    fn requirements_are_sorted_as_they_compare_and_each_is_there_once(
        requirements in prop::collection::vec(requirement(), 0..8),
    ) {
        let selector = LabelSelector::new(requirements.clone());
        let expected: Vec<Requirement> = requirements.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        for requirement in &expected {
            let values: BTreeSet<&String> = requirement.values().iter().collect();
            prop_assert!(requirement.values().iter().eq(values), "{requirement}");
        }
        prop_assert_eq!(selector.requirements(), Some(&*expected));
    }

    #[test]
    fn every_valid_selector_round_trips(text in nearly_a_selector()) {
        let object = [("a", "1"), ("b.c/d", "x"), ("in", "")];
        if let Ok(selector) = text.parse::<LabelSelector>() {
            let again = labels(&selector.to_string());
            prop_assert_eq!(again.matches(&object), selector.matches(&object));
            prop_assert_eq!(again, selector);
        }
        if let Ok(selector) = text.parse::<FieldSelector>() {
            prop_assert_eq!(fields(&selector.to_string()), selector);
        }
    }

    #[test]
    fn any_value_of_a_field_can_be_selected(value in "\\PC*") {
        let selector = FieldSelector::one_term_equal("x", &value).expect("valid");
        prop_assert!(selector.matches(|_| Some(&value)));
        prop_assert_eq!(fields(&selector.to_string()), selector);
    }
}
