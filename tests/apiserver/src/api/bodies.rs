//! Request bodies: decoded in any form, and checked against the kind of the URL.

use axum::http::header;
use serde_json::Value;

use super::Call;
use crate::delete::DeleteOptions;
use crate::patch::PatchType;
use crate::status::Status;
use crate::{body, typed};

impl Call<'_> {
    pub(super) fn content_type(&self) -> &str {
        self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body of a request that brings something else than an object of this kind.
    pub(super) fn json_body(&self) -> Result<Value, Status> {
        body::decode(self.content_type(), &self.body)
    }

    /// The body of a PATCH, whose Content-Type names the kind of patch.
    pub(super) fn patch_body(&self) -> Result<(PatchType, Value), Status> {
        let patch_type = PatchType::of(self.content_type())?;
        let patch = match patch_type {
            PatchType::Apply => body::yaml(&self.body),
            PatchType::Strategic => body::patch(&self.body, ""),
            PatchType::Json | PatchType::Merge => body::patch(&self.body, "error decoding patch: "),
        };
        Ok((patch_type, patch?))
    }

    /// The body as an object of this kind.
    pub(super) fn object_body(&self) -> Result<Value, Status> {
        self.check_object(body::object(&self.kind, self.content_type(), &self.body)?)
    }

    /// Refuses an object that is not of the URL's kind, or not what that kind holds.
    pub(super) fn check_object(&self, mut object: Value) -> Result<Value, Status> {
        let (kind, version) = (&self.kind, &self.address.version);
        let wanted = kind.api_version(version);
        let given = |field: &str, wanted: &str| {
            let found = object[field].as_str().filter(|text| !text.is_empty());
            found.unwrap_or(wanted).to_owned()
        };
        let (found_version, found_kind) = (given("apiVersion", &wanted), given("kind", &kind.name));
        let short = found_version.rsplit('/').next().unwrap_or_default();
        let unfit = |why: &str| {
            let name = &kind.name;
            Status::bad_request(format!("{found_kind} in version \"{short}\" cannot be handled as a {name}: {why}"))
        };
        if found_version != wanted || found_kind != kind.name {
            let group = if kind.group.is_empty() { "core" } else { kind.group.split('.').next().unwrap_or_default() };
            let known = self.app.store.kinds().iter().any(|other| {
                other.name == found_kind
                    && other.versions.iter().any(|served| other.api_version(served) == found_version)
            });
            return Err(unfit(&if known {
                format!("converting ({short}.{found_kind}) to ({group}.{}): unknown conversion", kind.name)
            } else {
                format!(
                    "no kind \"{found_kind}\" is registered for version \"{found_version}\" in scheme \
                     \"pkg/runtime/scheme.go:111\""
                )
            }));
        }
        let strict = self.query.get("fieldValidation") == Some("Strict");
        typed::check(kind, version, &mut object, strict).map_err(|why| unfit(&why))?;
        Ok(object)
    }

    /// Refuses what cannot be applied to the object of the URL.
    pub(super) fn check_applied(&self, config: &Value) -> Result<(), Status> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text(&config["apiVersion"]), text(&config["kind"]));
        if version != self.kind.api_version(&self.address.version) || kind != self.kind.name {
            let version = if version.contains('/') { version } else { format!("/{version}") };
            return Err(Status::bad_request(format!("invalid object type: {version}, Kind={kind}")));
        }
        if !config["metadata"]["managedFields"].is_null() {
            return Err(Status::bad_request("metadata.managedFields must be nil"));
        }
        let url_name = self.address.name.as_deref().unwrap_or_default();
        if let Some(name) = config["metadata"]["name"].as_str().filter(|name| *name != url_name) {
            let why = format!("the name of the object ({name}) does not match the name on the URL ({url_name})");
            return Err(Status::bad_request(why));
        }
        let mut checked = config.clone();
        typed::check(&self.kind, &self.address.version, &mut checked, false).map_err(|why| {
            let version = if version.contains('/') { version } else { format!("/{version}") };
            Status::unreasoned(format!("failed to create typed patch object (/; {version}, Kind={kind}): {why}"))
        })
    }

    /// Refuses a patch whose outcome is not what the kind holds.
    pub(super) fn check_patched(&self, mut object: Value) -> Result<Value, Status> {
        let wanted = (self.kind.api_version(&self.address.version), self.kind.name.as_str());
        let (version, kind) = (object["apiVersion"].as_str(), object["kind"].as_str());
        let typed = if version.is_some_and(|version| version != wanted.0) || kind.is_some_and(|kind| kind != wanted.1) {
            Err("unable to decode into the kind of the URL".to_owned())
        } else {
            typed::check(&self.kind, &self.address.version, &mut object, false)
        };
        match typed {
            Ok(()) => Ok(object),
            Err(why) => {
                let why = format!("Invalid value: {:?}: {why}", object.to_string());
                Err(Status::invalid("", "", "", "patch", &why))
            }
        }
    }

    /// `DeleteOptions` from the body, completed by the query.
    pub(super) fn delete_options(&self) -> Result<DeleteOptions, Status> {
        let mut options: DeleteOptions = if self.body.is_empty() {
            DeleteOptions::default()
        } else {
            serde_json::from_value(self.json_body()?)
                .map_err(|error| Status::bad_request(format!("couldn't decode DeleteOptions: {error}")))?
        };
        if let Some(grace) = self.query.number("gracePeriodSeconds")? {
            options.grace_period_seconds = Some(grace);
        }
        if let Some(policy) = self.query.get("propagationPolicy") {
            options.propagation_policy = Some(policy.to_owned());
        }
        options.check()?;
        options.dry_run |= self.terms.dry_run;
        Ok(options)
    }
}
