//! Packed objects: exact round trip of any input.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::cell::{Cell, ReadCells};
use crate::error::ErrorCode;
use crate::packer::{Packer, carry_cells};

/// Cells as a table of columns might have them: the name, the creation, and each member of the body.
#[derive(Debug)]
struct Members;

impl ReadCells for Members {
    fn cells(&self, object: &Outline<'_>) -> Vec<Cell> {
        let name = object.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default().into_owned();
        let members = object.root().members().map(|(name, value)| match value.text().parse() {
            Ok(number) => Cell::Number(number),
            Err(_) if value.is_null() => Cell::None,
            Err(_) => Cell::Text(name.into_owned()),
        });
        [Cell::Text(name), Cell::Time(1_795_235_495_000.0)].into_iter().chain(members).collect()
    }
}

/// One whose objects carry the cells of [`Members`].
fn packer(resource: &str) -> Packer {
    carry_cells(|_| Box::new(Members));
    Object::packer(&resource.parse().expect("valid"), PackerOptions::default())
}

fn read_with(packer: &Packer, json: &str) -> Result<Object> {
    match Object::read(&Outline::of(Json::new(json)), None, packer, &|_| None)? {
        Reading::New(object) => Ok(object),
        Reading::Known(_) => unreachable!("nothing is known"),
    }
}

/// Unusual values.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            "0",
            "-0.0e+00",
            "12345678901234567890123",
            "9007199254740993",
            "1.50"
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec![
            r#""""#,
            r#""\ud800""#,
            r#""😀é\u0000\n\/""#,
            r#""</script>""#,
            r#""2026-11-21T04:31:35Z""#
        ])
        .prop_map(str::to_owned),
        "[a-z]{0,30}".prop_map(|text| format!("{text:?}")),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop::sample::select(vec!["a", "b", "name", "managedFields", "labels", "containers", "x\\u0061", ""]);
        prop_oneof![
            prop::collection::vec((key, inner.clone()), 0..5).prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\" : {value}")).collect();
                format!("{{ {} }}", members.join(",\n"))
            }),
            prop::collection::vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(", "))),
        ]
    })
}

/// Objects with a name, and anything else.
fn object() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "spec",
        "status",
        "kind",
        "data",
        "labels",
        "ownerReferences",
        "annotations",
        "generateName",
        "finalizers",
        "x",
    ]);
    let members = move || prop::collection::vec((names.clone(), value()), 0..6);
    let place = any::<prop::sample::Index>();
    (members(), members(), "[a-z0-9.-]{1,40}", place).prop_map(|(inner, outer, name, place)| {
        let mut inner: Vec<String> = inner
            .into_iter()
            .filter(|(key, _)| *key != "kind")
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        inner.insert(place.index(inner.len() + 1), format!("\"name\": \"{name}\""));
        let mut outer: Vec<String> = outer
            .into_iter()
            .filter(|(key, _)| *key != "kind")
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        outer.insert(place.index(outer.len() + 1), format!("\"metadata\":{{{}}}", inner.join(" ,")));
        format!("{{{}}}", outer.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn objects_come_out_as_they_came(objects in prop::collection::vec(object(), 1..60)) {
        for resource in ["v1/pods", "example.dev/v1/things"] {
            let packer = packer(resource);
            let packed: Vec<Object> = objects.iter().map(|json| read_with(&packer, json).expect("readable")).collect();
            for (json, object) in objects.iter().zip(&packed) {
                let mut expected = Vec::new();
                Outline::of(Json::new(json)).write_without("metadata", "managedFields", &mut expected);
                prop_assert_eq!(&*object.json(), String::from_utf8(expected).expect("UTF-8"));
                let by_itself = Object::from_json(json, None).expect("readable");
                prop_assert_eq!(by_itself.json(), json.as_str());
                prop_assert_eq!(
                    (object.key(), object.uid(), object.resource_version(), object.labels()),
                    (by_itself.key(), by_itself.uid(), by_itself.resource_version(), by_itself.labels())
                );
                prop_assert_eq!(object.created().to_bits(), by_itself.created().to_bits());
                prop_assert!(object.owners().eq(by_itself.owners()));
            }
        }
    }

    #[test]
    fn cells_are_those_of_the_body(objects in prop::collection::vec(object(), 1..20)) {
        for resource in ["v1/pods", "v1/services", "batch/v1/jobs"] {
            let packer = packer(resource);
            for json in &objects {
                let object = read_with(&packer, json).expect("readable");
                prop_assert_eq!(object.cells(), Members.cells(&Outline::of(Json::new(json))));
            }
        }
    }
}

fn pod(name: &str, version: u64) -> String {
    format!(
        r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{name}","namespace":"shop","uid":"1f0d3c5e-7a1b-4c6d-9e8f-{version:012}","resourceVersion":"{version}","creationTimestamp":"2026-11-21T04:31:35Z","labels":{{"app":"web","tier":"front"}},"ownerReferences":[{{"apiVersion":"apps/v1","controller":true,"kind":"ReplicaSet","name":"web-5d","uid":"9f0d3c5e-7a1b-4c6d-9e8f-000000000001"}},{{"kind":"Shop","name":"main","uid":"u"}}],"managedFields":[{{"manager":"kubelet"}}]}},"spec":{{"nodeName":"node-1","containers":[{{"name":"web","image":"registry.example.com/shop/web:v1"}}]}},"status":{{"phase":"Running","podIP":"10.0.0.{}"}}}}"#,
        version % 250
    )
}

#[test]
fn common_fields_are_read_without_the_body() {
    let packer = packer("v1/pods");
    for number in 0..2000 {
        let object = read_with(&packer, &pod(&format!("web-5d-{number}"), number + 1)).expect("readable");
        assert_eq!(object.key(), format!("shop/web-5d-{number}"));
        assert_eq!((object.namespace(), object.name()), ("shop", &*format!("web-5d-{number}")));
        assert_eq!(object.resource_version(), (number + 1).to_string());
        assert_eq!(object.created().to_bits(), 1_795_235_495_000_f64.to_bits());
        assert_eq!(object.labels().get("tier"), Some("front"));
        let uid = "9f0d3c5e-7a1b-4c6d-9e8f-000000000001";
        let replica_set = Owner { kind: "ReplicaSet", name: "web-5d", uid, is_controller: true };
        assert_eq!(object.controller(), Some(replica_set));
        let shop = Owner { kind: "Shop", name: "main", uid: "u", is_controller: false };
        assert!(object.owners().eq([replica_set, shop]));
        assert_eq!(object.cells()[0], Cell::Text(object.name().to_owned()));
        assert!(object.json().ends_with(&format!(r#""podIP":"10.0.0.{}"}}}}"#, (number + 1) % 250)));
        assert!(!object.json().contains("managedFields"));
        assert!(number < 2 || object.size() < 400, "{} of {number}", object.size());
    }
}

#[test]
fn managed_fields_are_kept_on_request() {
    let packer = Object::packer(
        &"v1/pods".parse().expect("valid"),
        PackerOptions { managed_fields: true, ..PackerOptions::default() },
    );
    assert_eq!(read_with(&packer, &pod("a", 1)).expect("readable").json(), pod("a", 1));
}

#[test]
fn an_unchanged_object_is_the_cached_instance() {
    let packer = packer("v1/pods");
    let cached: HashMap<String, Arc<Object>> = [("a", 1), ("b", 2)]
        .into_iter()
        .map(|(name, version)| Arc::new(read_with(&packer, &pod(name, version)).expect("readable")))
        .map(|object| (object.key().to_owned(), object))
        .collect();
    let known = |key: &str| cached.get(key).cloned();
    let read = |json: &str| Object::read(&Outline::of(Json::new(json)), None, &packer, &known).expect("readable");
    assert!(matches!(read(&pod("a", 1)), Reading::Known(a) if Arc::ptr_eq(&a, &cached["shop/a"])));
    assert!(matches!(read(&pod("a", 3)), Reading::New(_)), "another version");
    assert!(matches!(read(&pod("c", 1)), Reading::New(_)), "another name");
    let reborn = pod("a", 1).replace("1f0d3c5e", "2f0d3c5e");
    assert!(matches!(read(&reborn), Reading::New(_)), "another object of the same name");
    let nameless = read_with(&packer, r#"{"metadata":{"name":"n"}}"#).expect("readable");
    let known = |_: &str| Some(Arc::new(nameless.clone()));
    let again = Object::read(&Outline::of(Json::new(r#"{"metadata":{"name":"n"}}"#)), None, &packer, &known);
    assert!(matches!(again, Ok(Reading::New(_))), "without a version nothing is known");
}

#[test]
fn items_of_a_list_are_packed_with_its_kind() {
    let packer = packer("v1/nodes");
    let meta = TypeMeta { kind: "Node".into(), api_version: "v1".into() };
    for (item, json) in [
        (r#" {"metadata":{"name":"a"}}"#, r#"{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}"#),
        (r#"{"metadata":{"name":"a"},"kind":"X"}"#, r#"{"apiVersion":"v1","metadata":{"name":"a"},"kind":"X"}"#),
    ] {
        let read = Object::read(&Outline::of(Json::new(item)), Some(&meta), &packer, &|_| None).expect("readable");
        assert_eq!(read.into_arc().json(), json);
    }
}

#[test]
fn unusual_objects_do_not_affect_others() {
    let packer = packer("v1/configmaps");
    let ordinary = |n: u64| pod("ordinary", n).replace(r#","managedFields":[{"manager":"kubelet"}]"#, "");
    let large = format!(r#"{{"metadata":{{"name":"large"}},"data":{{"x":"{}"}}}}"#, "0123456789abcdef".repeat(200_000));
    let labels: Vec<String> = (0..100_000).map(|n| format!(r#""label-{}":"{n}""#, n * 7919 % 100_000)).collect();
    let labelled = format!(r#"{{"metadata":{{"name":"labelled","labels":{{{}}}}}}}"#, labels.join(","));
    let owners = vec![r#"{"uid":"u","name":"o"}"#; 100_000].join(",");
    let owned = format!(r#"{{"metadata":{{"name":"owned","ownerReferences":[{owners}]}}}}"#);
    for json in [&large, &labelled, &owned] {
        assert_eq!(read_with(&packer, json).expect("readable").json(), json.as_str());
        assert_eq!(read_with(&packer, &ordinary(1)).expect("readable").json(), ordinary(1));
    }
    let labelled = read_with(&packer, &labelled).expect("readable");
    assert_eq!((labelled.labels().iter().count(), labelled.labels().get("label-7919")), (100_000, Some("1")));
    assert_eq!(read_with(&packer, &owned).expect("readable").owners().count(), 64);
    // What is no text is no name, and says so with what can be read of it.
    let deep = format!(r#"{{"metadata":{{"name":"deep"}},"spec":{}1{}}}"#, "[".repeat(500), "]".repeat(500));
    for (json, key) in [(&*deep, "deep"), (r#"{"metadata":{"name":"n","namespace":"s","uid":7}}"#, "s/n")] {
        let error = read_one::<Object>(&Outline::of(Json::new(json)), None, &packer, &|_| None).expect_err(json);
        assert_eq!((error.code(), error.object()), (ErrorCode::Decode, Some(key)));
    }
}

#[test]
fn objects_outlive_the_dictionaries_they_were_packed_with() {
    let packer = packer("example.dev/v1/things");
    // Three times they get values that were not seen before.
    let thing = |n: u64| {
        let word = |at: u64| format!("{:x}", (n / 6000 * 64 + at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let words: Vec<String> = (0..24).map(|at| format!(r#""{}":{n}"#, word(at))).collect();
        format!(r#"{{"metadata":{{"name":"t{n}"}},"spec":{{{}}}}}"#, words.join(","))
    };
    let mut kept = Vec::new();
    for n in 0..18_000 {
        let object = read_with(&packer, &thing(n)).expect("readable");
        if n % 100 == 99 {
            kept.push((n, object));
        }
    }
    for (n, object) in &kept {
        assert_eq!(object.json(), thing(*n));
    }
    let size = |n: usize| kept[n / 100].1.size();
    assert!(size(5900) * 2 < size(6100), "at first the dictionary is of no use: {} {}", size(5900), size(6100));
    assert!(size(11_900) < size(5900) * 5 / 4, "then there is another: {} {}", size(5900), size(11_900));
    let dictionaries = packer.buffers().compressor.dictionaries();
    assert!((5..8).contains(&dictionaries), "{dictionaries}");
}

#[test]
fn key_and_body_round_trip() {
    let json = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"18446744073709551616000","creationTimestamp":"1970-01-01T00:00:01Z"},"x":12345678901234567890}"#;
    let object = Object::from_json(json, None).expect("valid");
    assert_eq!((object.key(), object.namespace(), object.name(), object.uid()), ("n/a", "n", "a", "u"));
    assert_eq!((object.resource_version(), object.created()), ("18446744073709551616000", 1000.0));
    assert_eq!(object.json(), json);
}

#[test]
fn lst_21_items_of_a_list_get_the_kind_of_the_list() {
    let meta = TypeMeta { kind: "Node".into(), api_version: "v1".into() };
    let object = Object::from_json(r#" {"metadata":{"name":"a"}}"#, Some(&meta)).expect("valid");
    assert_eq!(object.json(), r#"{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}"#);
    assert_eq!((object.namespace(), object.name()), ("", "a"));
}

#[test]
fn kind_and_version_of_an_item_are_not_repeated() {
    let meta = TypeMeta { kind: "Node".into(), api_version: "v1".into() };
    for (item, json) in [
        (
            r#"{"apiVersion":"v2","metadata":{"name":"a"}}"#,
            r#"{"kind":"Node","apiVersion":"v2","metadata":{"name":"a"}}"#,
        ),
        (r#"{"metadata":{"name":"a"},"kind":"X"}"#, r#"{"apiVersion":"v1","metadata":{"name":"a"},"kind":"X"}"#),
        (r#"{"kind":null,"metadata":{"name":"a"}}"#, r#"{"apiVersion":"v1","kind":null,"metadata":{"name":"a"}}"#),
    ] {
        let object = Object::from_json(item, Some(&meta)).expect("valid");
        assert_eq!(object.json(), json);
        assert_eq!(Object::from_json(json, None), Ok(object), "and can be read again");
    }
}

#[test]
fn a_custom_resource_may_be_called_table_or_status() {
    for kind in ["Table", "Status"] {
        let json = format!(r#"{{"kind":"{kind}","apiVersion":"example.dev/v1","metadata":{{"name":"a"}}}}"#);
        assert!(Object::from_json(&json, None).is_ok(), "{kind}");
    }
    let table = r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}"#;
    assert_eq!(Object::from_json(table, None).expect_err("a table").code(), ErrorCode::Decode);
}

#[test]
fn responses_in_place_of_an_object_are_named() {
    let status = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}"#;
    let table = r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"rows":[]}"#;
    for (json, message) in [
        (status, "expected an object, received a Status: pods is forbidden"),
        (table, "expected an object, received a Table: no message"),
        (r#"{"kind":"Status"}"#, "expected an object, received a Status: no message"),
    ] {
        assert_eq!(Object::from_json(json, None).expect_err(json).message(), message);
    }
}

#[test]
fn error_of_a_name_with_a_slash_names_no_object() {
    // "b/c" is also the key of the object c in the namespace b.
    for json in [r#"{"metadata":{"name":"b/c"}}"#, r#"{"metadata":{"name":"c","namespace":"a/b"}}"#] {
        assert_eq!(read_object::<Object>(json, None).expect_err(json).object(), None);
    }
}

#[test]
fn a_value_that_is_no_object_is_rejected() {
    for json in [
        "",
        "null",
        "[]",
        "{}",
        "\"x\"",
        "{\"metadata\":{}}",
        "{\"metadata\":{\"name\":1}}",
        "{\"metadata\":{\"name\":\"\",\"namespace\":\"n\"}}",
        "[null,null,{\"name\":\"a\"}]",
        "{\"kind\":\"Status\",\"metadata\":{\"name\":\"x\"}}",
        "{\"metadata\":{\"name\":\"x\"}",
        // "a/b" and "c" would have the key of "a" and "b/c".
        "{\"metadata\":{\"name\":\"c\",\"namespace\":\"a/b\"}}",
        "{\"metadata\":{\"name\":\"b/c\"}}",
    ] {
        assert_eq!(Object::from_json(json, None).expect_err(json).code(), ErrorCode::Decode);
    }
}

#[test]
fn an_object_of_another_type_is_an_error_that_names_it() {
    #[derive(Debug, serde::Deserialize)]
    struct Scaled {
        spec: Spec,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Spec {
        replicas: u32,
    }
    let of = |replicas: &str| {
        let json = format!(r#"{{"metadata":{{"name":"web","namespace":"shop"}},"spec":{{"replicas":{replicas}}}}}"#);
        Object::from_json(&json, None).expect("an object").decode::<Scaled>()
    };
    assert_eq!(of("3").expect("a number").spec.replicas, 3);
    let error = of("\"many\"").expect_err("no number");
    assert_eq!((error.code(), error.object()), (ErrorCode::Decode, Some("shop/web")));
    assert!(error.message().contains("expected u32"), "{}", error.message());
}
