//! Content negotiation: the response form, from the `Accept` header.

use axum::http::{HeaderMap, header};

use crate::kinds::Kind;
use crate::query::Query;
use crate::status::Status;
use crate::view::{Form, Include, View};

/// Kind of request, which determines the possible response forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Object,
    List,
    Watch,
}

/// One media range of an Accept header.
struct Range<'a> {
    media: &'a str,
    quality: f32,
    parameters: Vec<(&'a str, &'a str)>,
}

/// Chooses the form of a response: by quality, then by order; unknown ranges are ignored.
pub(crate) fn negotiate(headers: &HeaderMap, query: &Query, request: RequestKind, kind: &Kind) -> Result<View, Status> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.trim().is_empty() {
        return Ok(View::default());
    }
    let mut ranges: Vec<Range> = accept.split(',').filter_map(Range::parse).collect();
    // The sort is stable: equal ranges keep their order, but wildcards come after named types.
    let rank = |range: &Range| range.media == "*/*";
    ranges.sort_by(|a, b| b.quality.total_cmp(&a.quality).then_with(|| rank(a).cmp(&rank(b))));
    // Two errors: no media type is known, or no known one has the requested form.
    if !ranges.iter().any(Range::is_known) {
        return Err(Status::unknown_media());
    }
    let view = ranges
        .iter()
        .find_map(|range| range.view(request))
        .ok_or_else(|| Status::not_acceptable("application/json, application/yaml"))?;
    match (view.form, request) {
        (Form::Table(..), _) => with_include(view, query),
        (Form::Metadata, RequestKind::List) => Err(Status::wrong_form(format!(
            "you requested PartialObjectMetadata, but the requested object is a list ({}List)",
            go_type(kind)
        ))),
        (Form::MetadataList, RequestKind::Object) => Err(Status::wrong_form(format!(
            "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
            go_type(kind)
        ))),
        _ => Ok(view),
    }
}

/// Go type of a kind, as the real server's messages name it.
fn go_type(kind: &Kind) -> String {
    if kind.custom {
        return "*unstructured.Unstructured".to_owned();
    }
    let package = kind.group.split('.').next().filter(|package| !package.is_empty()).unwrap_or("core");
    format!("*{package}.{}", kind.name)
}

fn with_include(view: View, query: &Query) -> Result<View, Status> {
    let include = match query.get("includeObject").unwrap_or_default() {
        "" | "Metadata" => Include::Metadata,
        "None" => Include::None,
        "Object" => Include::Object,
        other => {
            return Err(Status::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: \"{other}\": must be \
                 'Metadata', 'Object', 'None', or empty"
            )));
        }
    };
    Ok(View { form: Form::Table(include), ..view })
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let media = parts.next().filter(|media| !media.is_empty())?;
        let mut quality = 1.0;
        let mut parameters = Vec::new();
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if name == "q" {
                quality = value.parse().unwrap_or(1.0);
            } else {
                parameters.push((name, value.trim_matches('"')));
            }
        }
        Some(Self { media, quality, parameters })
    }

    fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// Whether the server writes this media type. Of the wildcards, the real server supports only `*/*`.
    fn is_known(&self) -> bool {
        ["application/json", "application/yaml", "*/*"].contains(&self.media)
    }

    /// Returns the form that this range requests, if it exists.
    fn view(&self, request: RequestKind) -> Option<View> {
        let yaml = match self.media {
            "application/json" | "*/*" => false,
            // YAML has no framing, so it cannot be watched.
            "application/yaml" if request != RequestKind::Watch => true,
            _ => return None,
        };
        let streamed = self.parameter("stream");
        if !streamed.is_empty() && streamed != "watch" {
            return None;
        }
        let meta_version = match (self.parameter("g"), self.parameter("v")) {
            ("meta.k8s.io", "v1") => "v1",
            ("meta.k8s.io", "v1beta1") => "v1beta1",
            _ => "",
        };
        let form = match (self.parameter("as"), meta_version) {
            ("", _) => Form::Object,
            (_, "") => return None,
            ("Table", _) => Form::Table(Include::Metadata),
            ("PartialObjectMetadata", _) => Form::Metadata,
            ("PartialObjectMetadataList", _) => Form::MetadataList,
            _ => return None,
        };
        let meta_version = if meta_version.is_empty() { "v1" } else { meta_version };
        Some(View { form, yaml, meta_version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(accept: &str, request: RequestKind) -> Result<(Form, bool), u16> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        let kind = &crate::kinds::built_in()[0];
        let view = negotiate(&headers, &Query::default(), request, kind);
        view.map(|view| (view.form, view.yaml)).map_err(|status| status.code)
    }

    #[test]
    fn ranges_are_chosen_by_quality_then_order_and_unknown_ones_ignored() {
        let json = Ok((Form::Object, false));
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        for accept in [
            "*/*",
            "application/cbor, application/json",
            "application/cbor, application/vnd.kubernetes.protobuf;q=0.5, application/json;q=0.1",
            "application/json;as=Nonsense;v=v1;g=meta.k8s.io, application/json",
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "*/*, application/json",
        ] {
            assert_eq!(form(accept, RequestKind::List), json, "{accept}");
        }
        assert_eq!(
            form(&format!("{table},application/json"), RequestKind::List),
            Ok((Form::Table(Include::Metadata), false))
        );
        assert_eq!(form(&format!("{table};q=0.5,application/json"), RequestKind::List), json);
        assert_eq!(form("application/yaml, application/json", RequestKind::Object), Ok((Form::Object, true)));
        assert_eq!(form("application/yaml, application/json", RequestKind::Watch), json);
        for accept in
            ["application/cbor", "application/*", "text/html", "application/json;as=Table", "application/json;stream=x"]
        {
            assert_eq!(form(accept, RequestKind::List), Err(406), "{accept}");
        }
        let partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
        assert_eq!(form(partial, RequestKind::List), Err(406));
        assert_eq!(form(partial, RequestKind::Watch), Ok((Form::Metadata, false)));
    }
}
