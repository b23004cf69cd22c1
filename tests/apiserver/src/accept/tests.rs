//! Tests of content negotiation.

use super::*;

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

fn headers(accept: &str) -> HeaderMap {
    HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())])
}

fn custom() -> Kind {
    Kind {
        group: "example.com".to_owned(),
        name: "Widget".to_owned(),
        custom: true,
        ..(*crate::kinds::built_in()[0]).clone()
    }
}

fn form_of(kind: &Kind, accept: &str, request: RequestKind) -> Result<(Form, Encoding), String> {
    let view = negotiate(&headers(accept), &Query::default(), request, (kind, &kind.versions[0]));
    view.map(|view| (view.form, view.encoding)).map_err(|status| status.message)
}

fn form(accept: &str, request: RequestKind) -> Result<(Form, Encoding), String> {
    form_of(&crate::kinds::built_in()[0], accept, request)
}

#[test]
fn ranges_are_chosen_by_quality_then_order_and_unknown_ones_ignored() {
    let json = Ok((Form::Object, Encoding::Json));
    for accept in [
        "*/*",
        "",
        "application/cbor, application/json",
        "application/json;as=Nonsense;v=v1;g=meta.k8s.io, application/json",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "*/*, application/json",
        "application/*, application/yaml;q=0.5",
    ] {
        assert_eq!(form(accept, RequestKind::List), json, "{accept}");
    }
    let table = Ok((Form::Table(Include::Metadata), Encoding::Json));
    assert_eq!(form(&format!("{TABLE},application/json"), RequestKind::List), table);
    assert_eq!(form(&format!("{TABLE};q=0.5,application/json"), RequestKind::List), json);
    assert_eq!(form("application/yaml, application/json", RequestKind::Object), Ok((Form::Object, Encoding::Yaml)));
    // YAML has no framing, and the real server looks no further.
    assert!(form("application/yaml, application/json", RequestKind::Watch).is_err_and(|why| why.ends_with(STREAMED)));
    for accept in
        ["application/cbor", "application/*", "text/html", "application/json;as=Table", "application/json;stream=x"]
    {
        assert!(form(accept, RequestKind::List).is_err(), "{accept}");
    }
    let partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    assert!(form(partial, RequestKind::List).is_err());
    assert_eq!(form(partial, RequestKind::Watch), Ok((Form::Metadata, Encoding::Json)));
}

#[cfg(feature = "protobuf")]
#[test]
fn protobuf_is_chosen_like_any_other_type_where_the_kind_has_it() {
    let (protobuf, json) = (Ok((Form::Object, Encoding::Protobuf)), Ok((Form::Object, Encoding::Json)));
    let media = protobuf::MEDIA_TYPE;
    for accept in [
        media.to_owned(),
        format!("{media},application/json;q=0.9"),
        format!("application/json;q=0.1, {media};q=0.5"),
        format!("application/cbor, {media}"),
        format!("*/*, {media}"),
        format!("{media};stream=watch"),
        // As the real server: a quality of 0 is the lowest, not a refusal.
        format!("{media};q=0"),
        format!("{media};as=Table;v=v1;g=meta.k8s.io, {media};q=0.5"),
    ] {
        for request in [RequestKind::List, RequestKind::Watch, RequestKind::Object] {
            assert_eq!(form(&accept, request), protobuf, "{accept}");
        }
    }
    for accept in [format!("{media};q=0.5, application/json"), format!("application/json, {media}")] {
        assert_eq!(form(&accept, RequestKind::List), json, "{accept}");
    }
    assert_eq!(form_of(&custom(), &format!("{media},application/json;q=0.9"), RequestKind::List), json);
    let only = |kind: &Kind| form_of(kind, media, RequestKind::Watch);
    assert_eq!(only(&custom()), Err(format!("only the following media types are accepted: {ACCEPTED}")));
    // The metadata of any kind has a message; a table has none.
    let metadata = format!("{media};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
    assert_eq!(form_of(&custom(), &metadata, RequestKind::List), Ok((Form::MetadataList, Encoding::Protobuf)));
    let table = form(&format!("{media};as=Table;v=v1;g=meta.k8s.io,{TABLE};q=0.5"), RequestKind::List);
    assert_eq!(table, Ok((Form::Table(Include::Metadata), Encoding::Json)));
}

#[test]
fn errors_have_no_other_form_and_are_laid_out_if_the_client_accepts_none() {
    let format = |accept: &str| {
        let Format { encoding, pretty } = error_format(&headers(accept), None);
        (encoding, pretty)
    };
    assert_eq!(format(""), (Encoding::Json, false));
    assert_eq!(format(TABLE), (Encoding::Json, true));
    assert_eq!(format(&format!("{TABLE},application/json")), (Encoding::Json, false));
    assert_eq!(format("text/html"), (Encoding::Json, true));
    assert_eq!(format("application/*"), (Encoding::Json, false));
    assert_eq!(format("application/yaml, application/json"), (Encoding::Yaml, false));
    if protobuf::IS_AVAILABLE {
        assert_eq!(format(&format!("{},application/json;q=0.9", protobuf::MEDIA_TYPE)), (Encoding::Protobuf, false));
        let partial = format!("{};as=PartialObjectMetadata;v=v1;g=meta.k8s.io", protobuf::MEDIA_TYPE);
        assert_eq!(format(&partial), (Encoding::Json, true));
    }
}
