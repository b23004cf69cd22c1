//! Tests of the parser: printed queries parse to the same query, and errors have a position.

mod values;

use super::expression::{Column, Limit, Word};
use super::*;
use informer::JsonPath;
use proptest::prelude::*;

fn read(text: &str) -> Query {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn queries_are_parsed_as_documented() {
    for (text, printed) in [
        ("", ""),
        ("  web  ", "web"),
        ("Web", "web"),
        ("a b", "a b"),
        ("a AND b", "a b"),
        ("a b OR c", "(a b) OR c"),
        ("a|b c", "a OR (b c)"),
        ("(a OR b) c", "(a OR b) c"),
        ("-a !b NOT c", "-a -b -c"),
        ("-(a b)", "-(a b)"),
        ("web-1", "web-1"),
        ("shop/web", "shop/web"),
        ("system:node", "system:node"),
        ("- !", "\"-\" \"!\""),
        ("\"two  words\"", "\"two  words\""),
        ("\"a\\\"b\\\\c\\d\"", "\"a\\\"b\\\\c\\\\d\""),
        ("/a\\/b+$/", "/a\\/b+$/"),
        ("/a\\\\\\/b/", "/a\\\\\\/b/"),
        ("status=Running", "status=Running"),
        ("status==Running,\"a,b\",", "status=Running,\"a,b\","),
        ("node=", "node="),
        ("node!=n1", "node!=n1"),
        ("name=web-*", "name=web-*"),
        ("name=\"web-*\"", "name=\"web-*\""),
        ("a=1.1,-5,1/1,1Gi b=\"1.1\",\"-5\",\"1/1\",\"x\"", "a=1.1,-5,1/1,1Gi b=\"1.1\",\"-5\",1/1,x"),
        ("\"last schedule\"<5m", "\"last schedule\"<5m"),
        ("ready<1/2 a>=b c<=d e>f", "ready<1/2 a>=b c<=d e>f"),
        ("name~^web|x", "name~/^web/ OR x"),
        ("name~/^web|x/ b!~\"a b\"", "name~/^web|x/ b!~/a b/"),
        ("label=app labels=app=web,tier!=db", "label=app label=\"app=web,tier!=db\""),
        ("label!=\"app in (web, db)\"", "-label=\"app in (db,web)\""),
        ("field=spec.nodeName=n1", "field=\"spec.nodeName=n1\""),
        ("field=\"{.a[?(@.b=='c d')].e}>=3\"", "field=\"{.a[?(@.b=='c d')].e}>=3\""),
        ("field=.spec.x", "field=\".spec.x\""),
        ("field=spec.x~^a", "field=\"spec.x~^a\""),
        ("field=spec.x!~^a", "field=\"spec.x!~^a\""),
        ("field=a===b", "field=\"a===b\""),
        ("or and not ORDER", "or and not order"),
        ("restarts > 3", "restarts>3"),
        ("restarts> 3 web", "restarts>3 web"),
        ("restarts >3", "restarts>3"),
        ("status = Running,Pending web", "status=Running,Pending web"),
        ("status != Running", "status!=Running"),
        ("-restarts >= 3", "-restarts>=3"),
        ("\"last schedule\" < 5m", "\"last schedule\"<5m"),
        ("name ~ ^web", "name~/^web/"),
        ("name~ web", "name~/web/"),
        ("label = app=web", "label=\"app=web\""),
        ("node= web", "node= web"),
        ("node = OR web", "node= OR web"),
        ("status:Running \"a:b\"", "status:running \"a:b\""),
        ("app:a,b image:nginx* a:\\!", "app:a,b image:nginx* a:\\!"),
        ("name===*x name!==*x name==\"=*x\"", "name===*x name!==*x name==\"=*x\""),
    ] {
        assert_eq!(read(text).to_string(), printed, "{text}");
        assert_eq!(read(printed), read(text), "{text}");
    }
}

#[test]
fn an_invalid_query_reports_its_position_and_a_remedy() {
    for (text, start, end, says) in [
        ("a (b", 2, 3, "\")\" is missing"),
        ("a) b", 1, 2, "unmatched \")\""),
        ("a ()", 2, 4, "empty brackets"),
        ("é \"b", 3, 5, "unclosed quote: \" is missing"),
        ("/a", 0, 2, "\"/\" is missing"),
        ("a OR", 2, 4, "both sides"),
        ("| a", 0, 3, "both sides"),
        ("AND a", 0, 4, "both sides"),
        ("a AND OR b", 2, 6, "both sides"),
        ("a NOT", 2, 5, "after NOT"),
        ("=b", 0, 2, "status=Running"),
        ("a | =b", 4, 6, "status=Running"),
        ("restarts > ", 0, 10, "expected a value"),
        ("age<", 0, 4, "expected a value"),
        ("name~ ", 0, 5, "expected a value"),
        ("a name~[", 7, 8, "invalid regular expression"),
        ("label=", 6, 6, "label=app=web"),
        ("label=a=!", 6, 9, "label selector"),
        ("label>3", 0, 6, "write \"=\" after label"),
        ("field!=a", 0, 7, "write \"=\" after field"),
        ("field==a", 0, 7, "write \"=\" after field"),
        ("field=", 6, 6, "expected a path"),
        ("field={.a}b", 6, 11, "expected an operator"),
        ("field=a<", 6, 8, "expected a value"),
    ] {
        let error = text.parse::<Query>().expect_err(text);
        assert_eq!((error.start, error.end), (start, end), "{text}: {error}");
        assert!(error.message.contains(says), "{text}: {error}");
    }
}

#[test]
fn escaped_slashes_do_not_count_towards_the_length_of_a_pattern() {
    let slashes = "/".repeat(256);
    let query = read(&format!("name~\"{slashes}\""));
    assert_eq!(query.to_string(), format!("name~/{}/", "\\/".repeat(256)));
    assert_eq!(read(&query.to_string()), query);
    assert!(format!("name~\"{slashes}/\"").parse::<Query>().is_err());
}

#[test]
fn a_query_that_is_too_long_or_too_deep_is_rejected() {
    assert!("a".repeat(4096).parse::<Query>().is_ok());
    let error = "é".repeat(2049).parse::<Query>().expect_err("too long");
    assert_eq!((error.start, error.end), (4096, 4098));
    let text = format!("a{}", "é".repeat(2048));
    let error = text.parse::<Query>().expect_err("too long");
    assert!(text.get(error.start..error.end).is_some(), "{error:?}");
    assert!(format!("{}a{}", "(".repeat(31), ")".repeat(31)).parse::<Query>().is_ok());
    assert!(format!("{}a{}", "(".repeat(32), ")".repeat(32)).parse::<Query>().is_err());
    assert!(format!("{}a", "-".repeat(4000)).parse::<Query>().is_err());
    assert!(format!("/{}/", "a{1000}".repeat(30)).parse::<Query>().is_err(), "an expression that grows");
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9./:-]{1,6}", "[ a(|)\"\\\\,*=!~<>/-]{0,4}", Just("OR".to_owned()), Just("é".to_owned())]
}

fn word() -> impl Strategy<Value = Word> {
    let text = (text(), any::<bool>()).prop_map(|(text, is_wildcard)| {
        let bare = is_wildcard && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'=');
        if bare { Word::new(format!("{text}*"), false) } else { Word::new(text, true) }
    });
    // A number in quotes is text.
    let number =
        ("-?[0-9]{1,2}([.][0-9])?(Mi|m|e-1)?", any::<bool>()).prop_map(|(text, quoted)| Word::new(text, quoted));
    prop_oneof![4 => text, 1 => number]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof!["[a-z/ ]{0,4}", "(\\^|)a+(\\$|)", "\\\\/|\\\\\\\\/", "a\\|b"]
        .prop_filter_map("compiles", |text| Pattern::new(&text).ok())
}

fn test() -> impl Strategy<Value = Test> {
    prop_oneof![
        prop::collection::vec(word(), 1..3).prop_map(Test::Is),
        prop::collection::vec(word(), 1..3).prop_map(Test::IsNot),
        (0usize..4, text()).prop_filter_map("a limit is something", |(at, text)| {
            let all = [Comparison::Less, Comparison::LessOrEqual, Comparison::Greater, Comparison::GreaterOrEqual];
            (!text.is_empty()).then(|| Test::Compare(all[at], Limit::new(text)))
        }),
        pattern().prop_map(Test::Like),
        pattern().prop_map(Test::Unlike),
    ]
}

/// Test of a field: one value, up to the end, in which a star cannot be quoted.
fn field_test() -> impl Strategy<Value = Test> {
    let no_sign = |test: &Test| !matches!(test, Test::Compare(_, limit) if limit.text.starts_with('='));
    test().prop_filter("no limit can begin with =", no_sign).prop_map(|test| match test {
        Test::Is(words) => Test::Is(vec![Word::new(words[0].text.clone(), false)]),
        Test::IsNot(words) => Test::IsNot(vec![Word::new(words[0].text.clone(), false)]),
        other => other,
    })
}

fn clause() -> impl Strategy<Value = Clause> {
    let path = prop_oneof![Just("spec.nodeName"), Just("{.a[?(@.b==\"c\")].d}")];
    prop_oneof![
        text().prop_map(|text| Clause::Text(text.to_lowercase())),
        "[a-z]{1,2}:[a-z:/,*\\\\-]{0,4}".prop_map(|text| Clause::Colon(Colon::read(&text, 0).expect("a colon"))),
        pattern().prop_map(Clause::Pattern),
        (text(), test()).prop_filter_map("a column", |(name, test)| {
            let special = ["label", "labels", "field"].contains(&name.to_ascii_lowercase().as_str());
            (!special).then(|| Clause::Column(Column { name, span: (0..0, 0..0), test }))
        }),
        prop_oneof![Just("app"), Just("a=b,c!=d"), Just("!x,y in (z,)")]
            .prop_map(|text| Clause::Label(text.parse().expect("a selector"))),
        (path, prop::option::of(field_test()))
            .prop_map(|(path, test)| { Clause::Field { path: JsonPath::relaxed(path).expect("a path"), test } }),
    ]
}

/// An AND or OR has at least two parts.
fn expression() -> impl Strategy<Value = Expression> {
    clause().prop_map(Expression::Clause).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::All),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::Any),
            inner.prop_map(|inner| Expression::Not(Box::new(inner))),
        ]
    })
}

proptest! {
    #[test]
    fn a_query_prints_to_what_reads_as_the_same(expression in expression()) {
        let query = Query { expression };
        let printed = query.to_string();
        match printed.parse::<Query>() {
            Ok(again) => prop_assert_eq!(&again, &query, "{}", printed),
            Err(error) => prop_assert!(false, "{}: {}", printed, error),
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place_in_it(text in "([a-z]|[ ()|\"/=!~<>,:*é\\\\-]|OR |NOT |label=|field=){0,12}") {
        match text.parse::<Query>() {
            Ok(query) => prop_assert_eq!(&read(&query.to_string()), &query, "{}", query),
            Err(error) => prop_assert!(text.get(error.start..error.end).is_some(), "{:?}", error),
        }
    }
}

#[test]
fn an_empty_query_is_one_that_keeps_every_row() {
    for text in ["", "  ", "\t"] {
        assert!(text.parse::<Query>().expect("valid").is_empty(), "{text:?}");
    }
    assert!(Query::default().is_empty());
    for text in ["web", "status=Running", "-web", "a OR b"] {
        assert!(!text.parse::<Query>().expect("valid").is_empty(), "{text:?}");
    }
    let error = "(web".parse::<Query>().expect_err("unclosed quote");
    assert_eq!(error.to_string(), format!("invalid filter at byte 0: {}", error.message));
}
