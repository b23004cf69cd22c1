//! `Status`: the error response of an apiserver.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Display;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use crate::accept::{ACCEPTED, STREAMED};
use crate::reply::{Format, object_reply, text_reply};

/// `v1.Status` failure, or one of the few errors that the real server returns as plain text.
#[derive(Debug, Clone)]
pub struct Status {
    /// HTTP status code.
    pub code: u16,
    /// Machine-readable reason; empty where the real server gives none.
    pub reason: &'static str,
    /// Human-readable sentence.
    pub message: String,
    details: Option<Box<Details>>,
    continue_token: Option<String>,
    plain: bool,
}

#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    group: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    kind: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    causes: Vec<Cause>,
    #[serde(skip_serializing_if = "is_zero")]
    retry_after_seconds: u32,
}

#[derive(Debug, Clone, Serialize)]
struct Cause {
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'static str,
    message: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    field: Cow<'static, str>,
}

impl Cause {
    /// Error of a field; its reason is the first word of the message.
    fn of_field(field: Cow<'static, str>, message: String) -> Self {
        if message.contains(" in body must be of type ") {
            return Self { reason: "FieldValueTypeInvalid", message, field };
        }
        let reasons = [
            ("Forbidden", "FieldValueForbidden"),
            ("Required", "FieldValueRequired"),
            ("Unsupported", "FieldValueNotSupported"),
            ("Too long", "FieldValueTooLong"),
            ("Not found", "FieldValueNotFound"),
            ("Duplicate", "FieldValueDuplicate"),
        ];
        let known = reasons.iter().find(|(word, _)| message.starts_with(word));
        Self { reason: known.map_or("FieldValueInvalid", |(_, reason)| reason), message, field }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    kind: &'static str,
    api_version: &'static str,
    metadata: WireMeta<'a>,
    status: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: &'a Option<Box<Details>>,
    code: u16,
}

#[derive(Serialize)]
struct WireMeta<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    continue_token: &'a Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Status {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None, continue_token: None, plain: false }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// Creates the error of a PUT or an apply whose object has no name.
    pub(crate) fn nameless(name: &str) -> Self {
        Self::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))
    }

    /// Creates the real server's response to a malformed watch version: a 500 without a reason.
    pub(crate) fn unreasoned(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// 500 with the reason that the real server gives.
    pub(crate) fn internal(why: &str) -> Self {
        let mut status = Self::new(500, "InternalError", format!("Internal error occurred: {why}"));
        let cause = Cause { reason: "", message: why.to_owned(), field: "".into() };
        status.details = Some(Box::new(Details { causes: vec![cause], ..Details::default() }));
        status
    }

    pub(crate) fn not_found(group: &str, resource: &str, name: &str) -> Self {
        let mut status = Self::new(404, "NotFound", format!("{} \"{name}\" not found", qualified(group, resource)));
        status.details = Some(Box::new(object_details(group, resource, name)));
        status
    }

    pub(crate) fn unknown_resource() -> Self {
        let mut status = Self::new(404, "NotFound", "the server could not find the requested resource");
        status.details = Some(Box::default());
        status
    }

    /// An unknown group or path is not even a Status.
    pub(crate) fn unknown_path() -> Self {
        let mut status = Self::new(404, "", "404 page not found\n");
        status.plain = true;
        status
    }

    pub(crate) fn method_not_allowed() -> Self {
        let mut status =
            Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
        status.details = Some(Box::default());
        status
    }

    pub(crate) fn already_exists(group: &str, resource: &str, name: &str) -> Self {
        let mut status =
            Self::new(409, "AlreadyExists", format!("{} \"{name}\" already exists", qualified(group, resource)));
        status.details = Some(Box::new(object_details(group, resource, name)));
        status
    }

    pub(crate) fn conflict(group: &str, resource: &str, name: &str, why: &str) -> Self {
        let mut status = Self::new(
            409,
            "Conflict",
            format!("Operation cannot be fulfilled on {} \"{name}\": {why}", qualified(group, resource)),
        );
        status.details = Some(Box::new(object_details(group, resource, name)));
        status
    }

    /// 409: fields of an apply are owned by another manager; each with its owner.
    pub(crate) fn apply_conflict(fields: &[(String, String)]) -> Self {
        let message = if let [(owner, path)] = fields {
            format!("Apply failed with 1 conflict: conflict with {owner}: {path}")
        } else {
            let owners: BTreeSet<&String> = fields.iter().map(|(owner, _)| owner).collect();
            let of_owner = |owner: &String| {
                let paths = fields.iter().filter(|(other, _)| other == owner).map(|(_, path)| path.as_str());
                format!("conflicts with {owner}:\n- {}", paths.collect::<Vec<_>>().join("\n- "))
            };
            let sentences: Vec<String> = owners.into_iter().map(of_owner).collect();
            format!("Apply failed with {} conflicts: {}", fields.len(), sentences.join("\n"))
        };
        let mut status = Self::new(409, "Conflict", message);
        let cause = |(owner, path): &(String, String)| Cause {
            reason: "FieldManagerConflict",
            message: format!("conflict with {owner}"),
            field: path.clone().into(),
        };
        let causes = fields.iter().map(cause).collect();
        status.details = Some(Box::new(Details { causes, ..Details::default() }));
        status
    }

    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// Creates the 410 of a continue token, with a token that continues at the newest version.
    pub(crate) fn expired_continue(fresh: String) -> Self {
        let mut status = Self::expired(
            "The provided continue parameter is too old to display a consistent list result. \
             You can start a new list without the continue parameter, or use the continue token in this response \
             to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent \
             list - objects that were created, modified, or deleted between the time the first chunk was returned \
             and now may show up in the list.",
        );
        status.continue_token = Some(fresh);
        status
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(413, "RequestEntityTooLarge", message)
    }

    pub(crate) fn unsupported_media_type(message: impl Into<String>) -> Self {
        let mut status = Self::new(415, "UnsupportedMediaType", message);
        if status.message.starts_with("415") {
            status.details = Some(Box::default());
        }
        status
    }

    /// 406: no form that the client accepts is available.
    pub(crate) fn not_acceptable(accepted: impl Display) -> Self {
        Self::wrong_form(format!("only the following media types are accepted: {accepted}"))
    }

    /// 406: no media type that the client accepts is known.
    pub(crate) fn unknown_media() -> Self {
        let why = format!("406: Not Acceptable\n\nAvailable representations: {ACCEPTED}, {STREAMED}");
        let mut status = Self::wrong_form(why);
        status.details = Some(Box::default());
        status
    }

    /// A form that this response does not have.
    pub(crate) fn wrong_form(why: impl Into<String>) -> Self {
        Self::new(406, "NotAcceptable", why)
    }

    /// A JSON patch that cannot be applied; the real server gives no details.
    pub(crate) fn rejected_patch() -> Self {
        let mut status = Self::new(422, "Invalid", "the server rejected our request due to an error in our request");
        status.details = Some(Box::default());
        status
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 403; `why` names user, verb, resource and scope.
    pub(crate) fn forbidden(group: &str, resource: &str, name: &str, why: &str) -> Self {
        let named = if name.is_empty() { String::new() } else { format!(" \"{name}\"") };
        let message = format!("{}{named} is forbidden: {why}", qualified(group, resource));
        let mut status = Self::new(403, "Forbidden", message);
        status.details = Some(Box::new(object_details(group, resource, name)));
        status
    }

    /// 429: a disruption budget allows no eviction now.
    pub(crate) fn too_many_disruptions(why: &str, retry_after: u32) -> Self {
        let message = "Cannot evict pod as it would violate the pod's disruption budget.";
        let mut status = Self::new(429, "TooManyRequests", message);
        let cause = Cause { reason: "DisruptionBudget", message: why.to_owned(), field: "".into() };
        let details = Details { causes: vec![cause], retry_after_seconds: retry_after, ..Details::default() };
        status.details = Some(Box::new(details));
        status
    }

    /// 422 about one field of an object or of the list options.
    pub(crate) fn invalid(group: &str, kind: &str, name: &str, field: &'static str, why: &str) -> Self {
        Self::all_invalid(group, kind, name, vec![(field, why.to_owned())])
    }

    /// 422 about several fields.
    pub(crate) fn all_invalid<F>(group: &str, kind: &str, name: &str, wrong: Vec<(F, String)>) -> Self
    where
        F: Into<Cow<'static, str>> + Display,
    {
        // The message has each error once, the causes have it as often as it was found.
        let mut sentences: Vec<String> = Vec::new();
        for (field, why) in &wrong {
            let sentence = format!("{field}: {why}");
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        let sentence = match sentences.len() {
            1 => sentences.remove(0),
            _ => format!("[{}]", sentences.join(", ")),
        };
        let mut status =
            Self::new(422, "Invalid", format!("{} \"{name}\" is invalid: {sentence}", qualified(group, kind)));
        let mut details = object_details(group, kind, name);
        details.causes = wrong.into_iter().map(|(field, why)| Cause::of_field(field.into(), why)).collect();
        status.details = Some(Box::new(details));
        status
    }

    /// 504: the requested version is in the future.
    pub(crate) fn version_too_large(requested: u64, current: u64) -> Self {
        let mut status =
            Self::new(504, "Timeout", format!("Timeout: Too large resource version: {requested}, current: {current}"));
        status.details = Some(Box::new(Details {
            causes: vec![Cause {
                reason: "ResourceVersionTooLarge",
                message: "Too large resource version".to_owned(),
                field: "".into(),
            }],
            retry_after_seconds: 1,
            ..Details::default()
        }));
        status
    }

    /// Returns the compact JSON, as it also goes into an ERROR event.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let wire = Wire {
            kind: "Status",
            api_version: "v1",
            metadata: WireMeta { continue_token: &self.continue_token },
            status: "Failure",
            message: &self.message,
            reason: self.reason,
            details: &self.details,
            code: self.code,
        };
        serde_json::to_vec(&wire).unwrap_or_default()
    }

    pub(crate) fn into_reply(self, format: Format) -> Response {
        let code = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if self.plain {
            return text_reply(code, self.message);
        }
        let mut reply = object_reply(code, self.to_json(), format);
        if self.code == 403 {
            reply.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        }
        let seconds = self.details.map_or(0, |details| details.retry_after_seconds);
        if seconds > 0 {
            reply.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        reply
    }
}

fn qualified(group: &str, resource: &str) -> String {
    if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") }
}

fn object_details(group: &str, kind: &str, name: &str) -> Details {
    Details { name: name.to_owned(), group: group.to_owned(), kind: kind.to_owned(), ..Details::default() }
}
