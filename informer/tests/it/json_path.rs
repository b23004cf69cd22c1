//! kubectl's JSONPath on JSON text. The expected output comes from client-go's own `jsonpath` package.

use informer::{ErrorCode, JsonPath};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A list of two nodes and a few odd things.
const CLUSTER: &str = r#"{"items":[
  {"kind":"Node","metadata":{"labels":{"kubernetes.io/hostname":"h1","zone":"eu"},"name":"one"},
   "status":{"addresses":[{"address":"10.0.0.1","type":"InternalIP"},{"address":"one.dev","type":"Hostname"}],
             "capacity":{"cpu":4,"memory":"8Gi"},"ready":true}},
  {"kind":"Node","metadata":{"labels":{"kubernetes.io/hostname":"h2"},"name":"two"},
   "status":{"addresses":[{"address":"10.0.0.2","type":"InternalIP"}],
             "capacity":{"cpu":16,"memory":"8Gi"},"ready":false}}],
 "kind":"List","nothing":null,"numbers":[1,2,3,4],"fraction":1.5,
 "odd":{"":"empty","a b":"blank","q'":"quote","*":"star","x\ty":"tab"},
 "text":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀"}"#;

fn path(text: &str) -> JsonPath {
    JsonPath::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn templates_print_the_output_of_kubectl() {
    for (template, printed) in [
        ("", ""),
        ("plain", "plain"),
        ("a } b", "a } b"),
        ("a\nb{.kind}", "a\nbList"),
        ("{.kind}", "List"),
        ("{ .kind }", "List"),
        ("{$.kind}{@.kind}", "ListList"),
        ("{.kind}}", "List}"),
        ("{.missing}", ""),
        ("{.kind.deeper}", ""),
        ("-{.missing.deeper}-", "--"),
        ("{.nothing}", "null"),
        ("{.nothing.x}", ""),
        ("{.fraction} {.items[0].status.capacity.cpu}", "1.5 4"),
        ("{.items[0].status.ready}", "true"),
        ("{.items[0].status.capacity}", r#"{"cpu":4,"memory":"8Gi"}"#),
        ("{.numbers}", "[1,2,3,4]"),
        ("{.text}", "a\"\\/\u{8}\u{c}\n\r\té😀é😀"),
        // names
        ("{.items[0].metadata['name']}", "one"),
        ("{['kind']}", "List"),
        (r"{.items[0].metadata.labels.kubernetes\.io/hostname}", "h1"),
        (r"{.items[*].metadata.labels['kubernetes\.io/hostname']}", "h1 h2"),
        ("{.items[0]['metadata.name']}", "one"),
        ("{.items[*]['metadata.name', 'status.capacity.cpu']}", "one two 4 16"),
        (r"{.k\ind}", "List"),
        ("{.kind .deeper}", ""),
        // elements
        ("{.numbers[0]}", "1"),
        ("{.numbers[-1]}", "4"),
        ("{.numbers[*]}", "1 2 3 4"),
        ("{.numbers[0:2]}", "1 2"),
        ("{.numbers[:2]}", "1 2"),
        ("{.numbers[2:]}", "3 4"),
        ("{.numbers[-1:]}", "4"),
        ("{.numbers[1:-1]}", "2 3"),
        ("{.numbers[::2]}", "1 3"),
        ("{.numbers[1::2]}", "2 4"),
        ("{.numbers[:4:3]}", "1 4"),
        ("{.numbers[1:1]}", ""),
        ("{.numbers[0,2]}", "1 3"),
        ("{.numbers[0, -1]}", "1 4"),
        ("{.numbers.*}", "1 2 3 4"),
        ("{.items[0].status.capacity.*}", "4 8Gi"),
        ("{.items[0].status.capacity['*']}", "4 8Gi"),
        ("{.items[*].status.addresses[*].address}", "10.0.0.1 one.dev 10.0.0.2"),
        // depth
        ("{..name}", "one two"),
        ("{...name}", "one two"),
        ("{.items..address}", "10.0.0.1 one.dev 10.0.0.2"),
        ("{..['address']}", "10.0.0.1 one.dev 10.0.0.2"),
        ("{..addresses[0].address}", "10.0.0.1 10.0.0.2"),
        ("{..labels.zone}", "eu"),
        ("{.items[0].status.capacity..}", r#"{"cpu":4,"memory":"8Gi"} 8Gi"#),
        ("{..absent}", ""),
        // filters
        (r#"{.items[*].status.addresses[?(@.type=="Hostname")].address}"#, "one.dev"),
        ("{.items[*].status.addresses[?( @.type == 'Hostname' )].address}", "one.dev"),
        (r#"{.items[?(@.metadata.name!="one")].metadata.name}"#, "two"),
        (r#"{.items[?(@.metadata.labels.kubernetes\.io/hostname=="h1")].metadata.name}"#, "one"),
        ("{.items[?(@.status.ready==true)].metadata.name}", "one"),
        ("{.items[?(@..ready==false)].metadata.name}", "two"),
        ("{.items[?(@.status.capacity.cpu>4)].metadata.name}", "two"),
        ("{.items[?(@.status.capacity.cpu>=4)].metadata.name}", "one two"),
        ("{.items[?(@.status.capacity.cpu<16)].metadata.name}", "one"),
        ("{.items[?(@.status.capacity.cpu<=-1)].metadata.name}", ""),
        ("{.items[?(@.metadata.labels.zone)].metadata.name}", "one"),
        (r#"{.items[?("one"==@.metadata.name)].metadata.name}"#, "one"),
        ("{.items[?(@.metadata.name==@.metadata.name)].kind}", "Node Node"),
        (r#"{.items[?(@.metadata.name<"p")].metadata.name}"#, "one"),
        (r#"{.items[?(@.missing!="x")].metadata.name}"#, ""),
        ("{.numbers[?(@>2)]}", "3 4"),
        ("{.numbers[?(@!=2)]}", "1 3 4"),
        ("{.numbers[?(2<@)]}", "3 4"),
        // ranges
        (r#"{range .items[*]}{.metadata.name}{"\t"}{.status.capacity.cpu}{"\n"}{end}"#, "one\t4\ntwo\t16\n"),
        ("{range .items[*]}[{@.metadata.name}]{end}{.kind}", "[one][two]List"),
        ("{range .items[*]}{range .status.addresses[*]}{.type},{end};{end}", "InternalIP,Hostname,;InternalIP,;"),
        ("{range .missing[*]}x{end}y", "y"),
        ("{range .numbers[?(@>3)]}<{@}>{end}", "<4>"),
        ("{range.numbers[:2]}{@} {end}", "1 2 "),
        ("{range .items[*]}{$.kind} {end}", "Node Node "),
        // literals
        (r#"{"{"}{'}'}"#, "{}"),
        (r#"{"a\tb\n\\\"\u00e9\x41"}"#, "a\tb\n\\\"éA"),
        (r"{'it\'s'}", "it's"),
        ("{5}{-5}{true}{false}", "5-5truefalse"),
    ] {
        assert_eq!(path(template).print(CLUSTER).as_deref(), Ok(printed), "{template}");
    }
}

#[test]
fn a_path_that_fails_in_kubectl_finds_nothing() {
    for (template, printed) in [
        ("{.numbers[4]}", ""),
        ("{.numbers[-5]}", ""),
        ("{.numbers[2:10]}", "3 4"),
        ("{.numbers[-10:1]}", "1"),
        ("{.numbers[3:1]}", ""),
        ("{.numbers[9223372036854775807]}{.numbers[-9223372036854775808]}", ""),
        ("{.kind[0]}{.kind[*]}{.kind.*}", ""),
        ("{.odd[0]}{.odd[*]}{.odd[?(@.x)]}", ""),
        (r#"{.numbers[?(@=="1")]}{.numbers[?(@!="1")]}"#, ""),
        ("{.items[?(@.status.addresses[*].type==1)].kind}", ""),
        ("{.items[?(@.status==@.status)].kind}", ""),
        ("{.numbers[?(@>1.5)]}", "2 3 4"),
        // The first element has no third address: kubectl fails there, although the others have one.
        ("{.items[*].status.addresses[1].address}", "one.dev"),
        // An empty array ends kubectl's whole list.
        ("{.items[*].status.addresses[1:][*]}", ""),
        // Beyond kubectl: quotes of both kinds, with any content.
        (r#"{["kind"]}"#, "List"),
        (r#"{.odd["a b"]}{.odd["q'"]}{.odd['']}{.odd['\*']}"#, "blankquoteemptystar"),
        ("{.odd['x\ty']}", "tab"),
        ("{.numbers[ 1 , 2 ]}", "2 3"),
    ] {
        assert_eq!(path(template).print(CLUSTER).as_deref(), Ok(printed), "{template}");
    }
}

#[test]
fn bad_templates_are_refused_with_position_and_reason() {
    for (template, at, reason) in [
        ("{", 1, "unexpected end: "),
        ("{.a", 3, "unexpected end: "),
        ("a{.b\n}", 4, "unexpected '\\n'"),
        ("{hello}", 1, "unknown keyword \"hello\"; write a field as \".hello\""),
        ("{.}", 2, "expected a name"),
        ("{.a.}", 4, "expected a name"),
        ("{.a.[0]}", 4, "expected a name"),
        ("{....a}", 3, "expected a name after \"..\""),
        ("{..*}", 3, "unexpected '*'"),
        ("{.a[}", 4, "an index, a slice"),
        ("{.a[]}", 4, "an index, a slice"),
        ("{.a[b]}", 4, "a quoted name"),
        ("{.a[0}", 5, "\",\" or \"]\""),
        ("{.a[0,]}", 6, "an index, a slice"),
        ("{.a[1:2:0]}", 4, "greater than 0"),
        ("{.a[::-1]}", 4, "greater than 0"),
        ("{.a[1:2:3:4]}", 9, "\",\" or \"]\""),
        ("{.a[--1]}", 4, "is not an index"),
        ("{.a[9223372036854775808]}", 4, "is not an index"),
        ("{.a['b]}", 4, "unclosed quote"),
        ("{.a['b..c']}", 4, "both sides of the dot"),
        ("{.a[?(@.b=1)]}", 9, "expected one of =="),
        ("{.a[?(@.b<>1)]}", 9, "expected one of =="),
        ("{.a[?(@.b==1)}", 12, "expected \")]\""),
        ("{.a[?(@.b==1 && @.c==2)]}", 13, "neither && nor ||"),
        ("{.a[?(@.b==null)]}", 11, "is neither a path"),
        ("{.a[?(@.b==)]}", 11, "is neither a path"),
        ("{.a[?(\"x\")]}", 6, "must be a path"),
        ("{.a[?(@.b[?(@.c)])]}", 9, "a filter cannot contain a filter"),
        ("{.a[?@.b]}", 3, "expected a filter"),
        ("{\"a}", 1, "unclosed quote"),
        ("{\"\\q\"}", 2, "unknown escape"),
        ("{\"\\xff\"}", 2, "not a character"),
        ("{\"\\ud800\"}", 2, "not a character"),
        ("{\"\\u+123\"}", 2, "not a character"),
        ("{1.2.3}", 1, "is not a number"),
        ("{-}", 1, "is not a number"),
        ("{5.}", 1, "is not a number"),
        ("{.a \"x\"}", 4, "unexpected "),
        ("{end}", 0, "{end} without a range"),
        ("x{range .a[*]}{.b}", 1, "unclosed range"),
        ("{range .a}{range .b}{end}", 0, "unclosed range"),
        ("{end .a}", 5, "unexpected "),
    ] {
        let error = JsonPath::parse(template).expect_err(template);
        assert_eq!(error.code(), ErrorCode::BadRequest);
        assert!(error.message().contains(&format!(" at byte {at}: ")), "{template}: {error}");
        assert!(error.message().contains(reason), "{template}: {error}");
    }
    assert!(JsonPath::parse(&"{range @}".repeat(9)).is_err());
    assert!(JsonPath::parse(&format!("{}{}", "{range @}".repeat(8), "{end}".repeat(8))).is_ok());
    let long = JsonPath::parse(&"x".repeat(4097)).expect_err("too long");
    assert!(long.message().len() < 500, "an error is for people");
}

#[test]
fn values_are_what_an_index_or_a_column_wants() {
    for (template, values) in [
        ("{.kind}", &["List"][..]),
        ("{.nothing}", &[]),
        ("{.missing}", &[]),
        ("literal", &[]),
        ("a {.kind} b {.fraction}", &["List", "1.5"]),
        ("{.items[*].status.ready}", &["true", "false"]),
        ("{range .items[*]}{.metadata.name}: {.kind}{end}", &["one", "Node", "two", "Node"]),
        ("{.items[0].status.capacity}", &[r#"{"cpu":4,"memory":"8Gi"}"#]),
        ("{.items[*].metadata.labels.zone}", &["eu"]),
    ] {
        assert_eq!(path(template).values(CLUSTER).expect("valid"), values, "{template}");
    }
    let borrowed = path("{.kind}").values(CLUSTER).expect("valid");
    assert!(matches!(borrowed[..], [std::borrow::Cow::Borrowed(_)]), "nothing is copied");
}

#[test]
fn a_relaxed_path_needs_neither_braces_nor_the_first_dot() {
    let node = path("{.spec.nodeName}");
    for text in [
        "{.spec.nodeName}",
        ".spec.nodeName",
        "spec.nodeName",
        "{spec.nodeName}",
        "$.spec.nodeName",
        " .spec.nodeName ",
    ] {
        let relaxed = JsonPath::relaxed(text).expect(text);
        assert_eq!(relaxed, node, "{text}");
        assert_eq!(relaxed.text(), text);
    }
    assert_ne!(JsonPath::relaxed("spec").expect("valid"), node);
    let filter = JsonPath::relaxed(r#"items[?(@.metadata.name=="}")]"#).expect("valid");
    assert_eq!(filter, path(r#"{.items[?(@.metadata.name=="}")]}"#));
    for text in ["", " ", ".", "{.a", ".a}", "{.a}{.b}", "x{.a}", "{.a}x", "a b"] {
        assert_eq!(JsonPath::relaxed(text).expect_err(text).code(), ErrorCode::BadRequest);
    }
    assert_eq!("{.a}".parse::<JsonPath>(), JsonPath::parse("{.a}"));
}

#[test]
fn of_a_key_that_is_there_twice_the_last_counts() {
    let json = r#"{"a":1,"b":{"c":1},"\u0061":2,"b":{"c":2,"c":3},"\u00e4":4,"x\\":5}"#;
    for (template, values) in [
        ("{.a}", &["2"][..]),
        ("{.b.c}", &["3"]),
        ("{..c}", &["3"]),
        ("{.*.c}", &["3"]),
        ("{.ä}", &["4"]),
        ("{.x}", &[]),
    ] {
        assert_eq!(path(template).values(json).expect("valid"), values, "{template}");
    }
    assert_eq!(path("{.*}").values(json).expect("valid").len(), 4);
    // Small and large objects are searched by different algorithms.
    for others in [0, 100] {
        let others: Vec<String> = (0..others).map(|n| format!(r#""k{n}":{n},"#)).collect();
        let others = others.concat();
        let json = format!(r#"{{"a":-1,"b":-2,{others}"a":-3,"c":-4}}"#);
        let found = path("{.*}").values(&json).expect("valid");
        let negative: Vec<&str> = found.iter().map(AsRef::as_ref).filter(|value| value.starts_with('-')).collect();
        assert_eq!(negative, ["-2", "-3", "-4"]);
    }
}

#[test]
fn halves_of_surrogate_pairs_are_replaced_as_in_go() {
    for (json, text) in [
        (r#""\ud800""#, "\u{fffd}"),
        (r#""\udc00\ud800x""#, "\u{fffd}\u{fffd}x"),
        (r#""\ud83dx""#, "\u{fffd}x"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
    ] {
        assert_eq!(path("{@}").values(json).expect("valid"), [text], "{json}");
    }
}

#[test]
fn broken_json_is_an_error_or_nothing() {
    for json in [
        r#"{"a""#,
        r#"{"a":"#,
        r#"{"a":1"#,
        r#"{"a":"x"#,
        r#"{"a":{"b":1}"#,
        r#"{"b":[1,2"#,
        "{a:1}",
        r#"{"a" 1}"#,
        "{,}",
    ] {
        assert_eq!(path("{.a}").values(json).expect_err(json).code(), ErrorCode::Decode, "{json}");
    }
    for json in ["", "  ", "nonsense", "\"x", "[", "\u{feff}{}"] {
        assert_eq!(path("{.a}").values(json), Ok(Vec::new()), "{json}");
    }
}

#[test]
fn hostile_depth_costs_an_error_and_no_stack() {
    let depth = 30_000;
    let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    assert_eq!(path("{.a.a.a..zz}").values(&objects).expect_err("too deep").code(), ErrorCode::BadRequest);
    assert_eq!(path("{..}").values(&arrays).expect_err("too deep").code(), ErrorCode::BadRequest);
    assert_eq!(path("{.a.a[0]}").values(&objects), Ok(Vec::new()));
    assert_eq!(path("{[0][0]}").print(&arrays).expect("as it is written").len(), 2 * (depth - 2));
    assert_eq!(path("{[?(@.a)]}").values(&arrays), Ok(Vec::new()));
}

#[test]
fn paths_with_too_many_results_are_aborted() {
    let nested = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    let wide = format!("[{}1]", "1,".repeat(10_000));
    let many = |entry: &str, count| format!("[{}{entry}]", format!("{entry},").repeat(count));
    for (template, json) in [
        ("{..a..a..a..a..a..a}".to_owned(), &nested),
        (format!("{{{}}}", many("*", 1000)), &wide),
        (format!("{{range {}}}{{@}}{{range @}}{{@}}{{end}}{{end}}", many("::2", 900)), &wide),
        (format!("{{range [*]}}{{range {}}}{{end}}{{end}}", many("0", 900)), &format!("[{wide}]")),
    ] {
        for error in [path(&template).values(json).map(|_| ()), path(&template).print(json).map(|_| ())] {
            assert_eq!(error.expect_err(&template).code(), ErrorCode::BadRequest);
        }
    }
    let once = path("{..a}").values(&nested).expect("what looks at each level once is not too much");
    assert_eq!(once.len(), 100);
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec!["", "x", "y", "a\"b\\", "é\n😀", "]}{[", "\u{1}"]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..4_i64).prop_map(Value::from),
        prop::sample::select(vec![json!(1.5), json!(-1e30), json!(u64::MAX)]),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        let key = prop::sample::select(vec!["a", "b", "c.d", "", "k\"\\", "é"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

/// Paths that can be read, most of them.
fn any_path() -> impl Strategy<Value = String> {
    let step = prop::sample::select(vec![
        ".a",
        ".b",
        ".é",
        r".c\.d",
        "['a']",
        "['']",
        r#"["k\"\\"]"#,
        "['a','b']",
        "['a.b']",
        "[0]",
        "[-1]",
        "[1]",
        "[*]",
        ".*",
        "[1:]",
        "[:-1]",
        "[::2]",
        "[-3:3:2]",
        "[0,-1,*]",
        "..a",
        "..b",
        "..",
        "[?(@.a)]",
        "[?(@.a==1)]",
        "[?(@.a!=@.b)]",
        "[?(@>=1)]",
        r#"[?(@<"y")]"#,
        "[?(@..a==true)]",
        "[?(@==1.5)]",
        "[?(@.*==-1)]",
        "}{",
        "}{range ",
        "}{end}{",
    ]);
    prop::collection::vec(step, 0..6).prop_map(|steps| format!("{{{}}}", steps.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_path_finds_the_same_in_text_and_in_a_tree(tree in any_json(), template in any_path(), pretty in any::<bool>()) {
        let Ok(path) = JsonPath::parse(&template) else { return Ok(()) };
        let mut expected = path.values_in_tree(&tree);
        let text = if pretty { serde_json::to_string_pretty(&tree) } else { serde_json::to_string(&tree) };
        let text = text.expect("a tree is JSON");
        let mut found: Vec<String> = path.values(&text).expect("small").into_iter().map(Into::into).collect();
        if pretty {
            // Objects and arrays are returned as they are written.
            let compact = |text: &mut String| if text.starts_with(['{', '[']) {
                *text = serde_json::from_str::<Value>(text).map_or_else(|_| text.clone(), |tree| tree.to_string());
            };
            found.iter_mut().chain(&mut expected).for_each(compact);
        }
        prop_assert_eq!(found, expected, "{} of {}", template, text);
    }

    #[test]
    fn any_text_is_evaluated_without_a_panic(template in "\\PC{0,20}", json in r#"[\[\]{}",:\\ua0-9 é]{0,40}"#) {
        for template in [template.clone(), format!("{{{template}}}"), format!("{{.a[?(@.{template}==1)]}}")] {
            if let Ok(path) = JsonPath::parse(&template) {
                let _ = path.values(&json);
                let _ = path.print(&json);
            }
            let _ = JsonPath::relaxed(&template);
        }
    }
}
