//! Content negotiation: the response form, from the `Accept` header.

use axum::http::{HeaderMap, header};

use crate::kinds::Kind;
use crate::protobuf;
use crate::query::Query;
use crate::reply::{Format, wants_pretty};
use crate::status::Status;
use crate::view::{Encoding, Form, Include, View};

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

/// Media types of objects and lists, as errors list them.
pub(crate) const ACCEPTED: &str = if protobuf::IS_AVAILABLE {
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"
} else {
    "application/json, application/yaml"
};

/// Media types of watches, as errors list them. YAML has no framing.
pub(crate) const STREAMED: &str = if protobuf::IS_AVAILABLE {
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
} else {
    "application/json;stream=watch"
};

/// Chooses the form of a response: by quality, then by order; unknown ranges are ignored.
pub(crate) fn negotiate(
    headers: &HeaderMap,
    query: &Query,
    request: RequestKind,
    (kind, version): (&Kind, &str),
) -> Result<View, Status> {
    let ranges = ranges(accept(headers));
    if ranges.is_empty() {
        return Ok(View::default());
    }
    // Two errors: no media type is known, or no known one has the requested form. The router of built-in kinds finds the first.
    if !kind.custom && !ranges.iter().any(Range::is_known) {
        return Err(Status::unknown_media());
    }
    let view =
        ranges.iter().find_map(|range| range.view(kind, version)).ok_or_else(|| Status::not_acceptable(ACCEPTED))?;
    match (view.form, request) {
        (_, RequestKind::Watch) if view.encoding == Encoding::Yaml => Err(Status::not_acceptable(STREAMED)),
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

/// Chooses the format of an error, which has no other form. If the client accepts none, it is JSON for reading.
pub(crate) fn error_format(headers: &HeaderMap, pretty: Option<&str>) -> Format {
    let ranges = ranges(accept(headers));
    let pretty = wants_pretty(headers, pretty);
    match ranges.iter().find_map(Range::encoding_of_errors) {
        Some(encoding) => Format { encoding, pretty },
        None => Format { encoding: Encoding::Json, pretty: pretty || !ranges.is_empty() },
    }
}

fn accept(headers: &HeaderMap) -> &str {
    headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Returns the ranges in the order of preference.
fn ranges(accept: &str) -> Vec<Range<'_>> {
    let mut ranges: Vec<Range<'_>> = accept.split(',').filter_map(Range::parse).collect();
    // The sort is stable: equal ranges keep their order, but wildcards come after named types.
    let wildcards = |range: &Range<'_>| range.media.matches('*').count();
    ranges.sort_by(|a, b| b.quality.total_cmp(&a.quality).then_with(|| wildcards(a).cmp(&wildcards(b))));
    ranges
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

    /// Whether the server writes this media type. Of the wildcards, the real server's router supports only `*/*`.
    fn is_known(&self) -> bool {
        self.media != "application/*" && self.encoding_of_media().is_some()
    }

    fn encoding_of_media(&self) -> Option<Encoding> {
        match self.media {
            "application/json" | "application/*" | "*/*" => Some(Encoding::Json),
            "application/yaml" => Some(Encoding::Yaml),
            protobuf::MEDIA_TYPE if protobuf::IS_AVAILABLE => Some(Encoding::Protobuf),
            _ => None,
        }
    }

    /// Returns the encoding, unless the range requests a stream that it does not have.
    fn encoding(&self) -> Option<Encoding> {
        self.encoding_of_media().filter(|encoding| match self.parameter("stream") {
            "" => true,
            "watch" => *encoding != Encoding::Yaml,
            _ => false,
        })
    }

    /// Returns the encoding of an error; none if the range requests another form.
    fn encoding_of_errors(&self) -> Option<Encoding> {
        let plain = ["as", "g", "v"].iter().all(|name| self.parameters.iter().all(|(known, _)| known != name));
        self.encoding().filter(|_| plain)
    }

    /// Returns the form that this range requests, if it exists.
    fn view(&self, kind: &Kind, version: &str) -> Option<View> {
        let encoding = self.encoding()?;
        let meta_version = match (self.parameter("g"), self.parameter("v")) {
            ("meta.k8s.io", "v1") => "v1",
            ("meta.k8s.io", "v1beta1") => "v1beta1",
            _ => "",
        };
        let is_protobuf = encoding == Encoding::Protobuf;
        let form = match (self.parameter("as"), meta_version) {
            _ if is_protobuf && kind.is_metrics() => return None,
            // Custom objects have no protobuf, but their metadata has.
            ("", _) if is_protobuf && !protobuf::has_kind(&kind.api_version(version), &kind.name) => return None,
            ("", _) => Form::Object,
            (_, "") => return None,
            ("Table", _) if !is_protobuf => Form::Table(Include::Metadata),
            // The list of v1beta1 has other field numbers; no client requests it.
            ("PartialObjectMetadataList", "v1beta1") if is_protobuf => return None,
            ("PartialObjectMetadata", _) => Form::Metadata,
            ("PartialObjectMetadataList", _) => Form::MetadataList,
            _ => return None,
        };
        let meta_version = if meta_version.is_empty() { "v1" } else { meta_version };
        Some(View { form, encoding, meta_version })
    }
}

#[cfg(test)]
mod tests;
