//! Request bodies: decoded in any form, and checked against the kind of the URL.

use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde_json::Value;

use super::Call;
use crate::delete::DeleteOptions;
use crate::patch::PatchType;
use crate::status::Status;
use crate::syntax::go_value;
use crate::{body, custom_values, openapi, typed, typed_patch};

impl Call<'_> {
    pub(super) fn content_type(&self) -> &str {
        self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Decodes a body that is not an object of the URL's kind.
    pub(super) fn json_body(&self) -> Result<Value, Status> {
        body::decode(self.content_type(), &self.body)
    }

    /// Decodes the body of a PATCH, whose Content-Type names the kind of patch.
    pub(super) fn patch_body(&self) -> Result<(PatchType, Value), Status> {
        let patch_type = PatchType::of(self.content_type())?;
        let patch = match patch_type {
            PatchType::Apply => body::yaml(&self.body),
            PatchType::Strategic => body::patch(&self.body, ""),
            PatchType::Json | PatchType::Merge => body::patch(&self.body, "error decoding patch: "),
        };
        Ok((patch_type, patch?))
    }

    /// Decodes the body as an object of the URL's kind.
    pub(super) fn object_body(&self) -> Result<Value, Status> {
        self.check_object(body::object(&self.kind, self.content_type(), &self.body)?)
    }

    /// Rejects an object of another kind, or one that is invalid for its kind.
    pub(super) fn check_object(&self, mut object: Value) -> Result<Value, Status> {
        let (kind, version) = (&self.kind, &self.address.version);
        let unfit = self.check_kind(&object, &[&kind.api_version(version)], &kind.name, &kind.group)?;
        let unknown = typed::check(kind, version, self.schema.as_ref(), &mut object).map_err(|why| unfit(&why))?;
        self.validate_fields(&unknown).map_err(|why| unfit(&why))?;
        self.check_values(object)
    }

    /// Rejects a custom resource with values that its schema does not allow.
    pub(super) fn check_values(&self, object: Value) -> Result<Value, Status> {
        if let Some(schema) = &self.schema {
            custom_values::check(&self.kind, schema, &object)?;
        }
        Ok(object)
    }

    /// Treats unknown fields as the parameter `fieldValidation` says: as an error, as warnings (the default), or not at
    /// all.
    fn validate_fields(&self, unknown: &[String]) -> Result<(), String> {
        match self.query.get("fieldValidation").unwrap_or_default() {
            "Strict" if !unknown.is_empty() => return Err(typed::strict_error(unknown)),
            "Ignore" => {}
            _ => self.warnings.lock().extend(unknown.iter().map(|path| typed::unknown_field(path))),
        }
        Ok(())
    }

    /// Adds the warnings to a response.
    pub(super) fn warn(&self, reply: &mut Response) {
        for warning in self.warnings.lock().iter() {
            if let Ok(value) = HeaderValue::from_bytes(format!("299 - {warning:?}").as_bytes()) {
                reply.headers_mut().append(header::WARNING, value);
            }
        }
    }

    /// Rejects an object of another kind or version. Returns a function that makes the error of another defect.
    fn check_kind(
        &self,
        object: &Value,
        versions: &[&str],
        kind: &str,
        group: &str,
    ) -> Result<impl Fn(&str) -> Status + use<>, Status> {
        let given = |field: &str, wanted: &str| {
            let found = object[field].as_str().filter(|text| !text.is_empty());
            found.unwrap_or(wanted).to_owned()
        };
        let wanted = versions.first().copied().unwrap_or_default();
        let (found_version, found_kind) = (given("apiVersion", wanted), given("kind", kind));
        let short = found_version.rsplit('/').next().unwrap_or_default().to_owned();
        let unfit = {
            let head = format!("{found_kind} in version \"{short}\" cannot be handled as a {kind}: ");
            move |why: &str| Status::bad_request(format!("{head}{why}"))
        };
        if !versions.contains(&found_version.as_str()) || found_kind != kind {
            let group = if group.is_empty() { "core" } else { group.split('.').next().unwrap_or_default() };
            let known = self.app.store.kinds().iter().any(|other| {
                other.name == found_kind
                    && other.versions.iter().any(|served| other.api_version(served) == found_version)
            });
            return Err(unfit(&if known {
                format!("converting ({short}.{found_kind}) to ({group}.{kind}): unknown conversion")
            } else {
                format!(
                    "no kind \"{found_kind}\" is registered for version \"{found_version}\" in scheme \
                     \"pkg/runtime/scheme.go:111\""
                )
            }));
        }
        Ok(unfit)
    }

    /// Decodes an eviction: checks the pod's name, and completes the options from the query.
    pub(super) fn eviction(&self) -> Result<DeleteOptions, Status> {
        let eviction = self.json_body()?;
        let unfit = self.check_kind(&eviction, &["policy/v1", "policy/v1beta1"], "Eviction", "policy")?;
        if eviction["metadata"]["name"].as_str() != self.address.name.as_deref() {
            return Err(Status::bad_request("name in URL does not match name in Eviction object"));
        }
        let options = &eviction["deleteOptions"];
        let stages_of_body = options["dryRun"].as_array().filter(|stages| !stages.is_empty());
        if self.write_options.dry_run && stages_of_body.is_some_and(|stages| stages[..] != ["All"]) {
            let stages: Vec<&str> = stages_of_body.into_iter().flatten().filter_map(Value::as_str).collect();
            let why = "Non-matching dry-run options in request and content";
            return Err(Status::unreasoned(format!("{why}: [All] and [{}]", stages.join(" "))));
        }
        let mut options: DeleteOptions = match options {
            Value::Null => DeleteOptions::default(),
            options => serde_json::from_value(options.clone()).map_err(|error| unfit(&error.to_string()))?,
        };
        options.check()?;
        options.dry_run |= self.write_options.dry_run;
        Ok(options)
    }

    /// Rejects a configuration that cannot be applied to the object of the URL.
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
        let schema = self.schema.clone().or_else(|| openapi::schema(&self.kind, &self.address.version));
        let Some(schema) = schema else { return Ok(()) };
        typed_patch::check(&schema, config).map_err(|why| {
            let version = if version.contains('/') { version } else { format!("/{version}") };
            let of = |field: &str| config["metadata"][field].as_str().unwrap_or_default();
            let object = format!("{}/{}; {version}, Kind={kind}", of("namespace"), of("name"));
            Status::unreasoned(format!("failed to create typed patch object ({object}): {why}"))
        })
    }

    /// Rejects a patch whose result is invalid for the kind.
    pub(super) fn check_patched(
        &self,
        patch_type: PatchType,
        patch: &Value,
        mut object: Value,
    ) -> Result<Value, Status> {
        let wanted = (self.kind.api_version(&self.address.version), self.kind.name.as_str());
        let (version, kind) = (object["apiVersion"].as_str(), object["kind"].as_str());
        let unfit =
            |shown: &str, why: &str| Status::invalid("", "", "", "patch", &format!("Invalid value: {shown:?}: {why}"));
        let given = object.to_string();
        if version.is_some_and(|version| version != wanted.0) || kind.is_some_and(|kind| kind != wanted.1) {
            return Err(unfit(&given, "unable to decode into the kind of the URL"));
        }
        let unknown = typed::check(&self.kind, &self.address.version, self.schema.as_ref(), &mut object)
            .map_err(|why| unfit(&given, &why))?;
        // The error of a strategic patch shows the patch, not its result.
        let shown = if patch_type == PatchType::Strategic { go_value(patch) } else { given };
        self.validate_fields(&unknown).map_err(|why| unfit(&shown, &why))?;
        self.check_values(object)
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
        options.dry_run |= self.write_options.dry_run;
        Ok(options)
    }
}
