//! Write options: dry run and field manager.

use axum::http::{HeaderMap, Method, header};

use crate::address::Address;
use crate::kinds::Kind;
use crate::managed_fields::{Manager, Mode};
use crate::patch::PatchType;
use crate::query::Query;
use crate::status::Status;

/// Options of a write request.
#[derive(Debug, Clone, Default)]
pub(crate) struct WriteOptions {
    /// Whether everything except the write is performed.
    pub(crate) dry_run: bool,
    /// Owner of the written fields; the simulated cluster records none.
    pub(crate) manager: Option<Manager>,
}

/// Returns the options of a request, from its query, Content-Type and User-Agent.
pub(crate) fn parse(
    method: &Method,
    kind: &Kind,
    address: &Address,
    query: &Query,
    headers: &HeaderMap,
) -> Result<WriteOptions, Status> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let options = match *method {
        Method::POST => "CreateOptions",
        Method::PUT => "UpdateOptions",
        Method::PATCH => "PatchOptions",
        Method::DELETE => "DeleteOptions",
        _ => return Ok(WriteOptions::default()),
    };
    let invalid = |field, why: String| Err(Status::invalid("meta.k8s.io", options, "", field, &why));
    // A collection accepts no patch; its error is reported elsewhere.
    if *method == Method::PATCH && address.name.is_some() {
        PatchType::of(header(header::CONTENT_TYPE))?;
    }
    let dry_run = match query.get("dryRun").unwrap_or_default() {
        "" => false,
        "All" => true,
        other => return invalid("dryRun", format!("Unsupported value: [\"{other}\"]: supported values: \"All\"")),
    };
    let validation = query.get("fieldValidation").unwrap_or_default();
    if !matches!(validation, "" | "Ignore" | "Strict" | "Warn") {
        let supported = "\"\", \"Ignore\", \"Strict\", \"Warn\"";
        return invalid(
            "fieldValidation",
            format!("Unsupported value: \"{validation}\": supported values: {supported}"),
        );
    }
    let is_apply = *method == Method::PATCH && header(header::CONTENT_TYPE).starts_with("application/apply-patch");
    let given = query.get("fieldManager").filter(|name| !name.is_empty());
    if given.is_some_and(|name| name.len() > 128) {
        return invalid("fieldManager", "Too long: may not be more than 128 bytes".to_owned());
    }
    if let Some((at, odd)) = given.and_then(|name| name.char_indices().find(|(_, c)| c.is_control())) {
        let given = given.unwrap_or_default();
        let why = format!("Invalid value: {given:?}: invalid character U+{:04X} (at position {at})", u32::from(odd));
        return invalid("fieldManager", why);
    }
    let force = query.get("force").is_some();
    if is_apply && given.is_none() {
        return invalid("fieldManager", "Required value: is required for apply patch".to_owned());
    }
    if force && !is_apply && *method == Method::PATCH {
        return invalid("force", "Forbidden: may not be specified for non-apply patch".to_owned());
    }
    // The default name is the first word of the User-Agent.
    let agent = header(header::USER_AGENT).split('/').next().filter(|agent| !agent.is_empty()).unwrap_or("unknown");
    let subresource = match address.subresource.as_deref() {
        Some("status") => "status",
        Some("scale") => "scale",
        Some("ephemeralcontainers") => "ephemeralcontainers",
        _ => "",
    };
    let manager = Manager {
        name: given.unwrap_or(agent).to_owned(),
        api_version: kind.api_version(&address.version),
        subresource,
        mode: if is_apply { Mode::Apply { force: query.flag("force") } } else { Mode::Update },
    };
    Ok(WriteOptions { dry_run, manager: Some(manager) })
}
