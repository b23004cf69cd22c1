//! Option checks of lists and watches: invalid combinations are rejected.

use crate::query::Query;
use crate::status::Status;

const VERSION_MATCH: &str = "resourceVersionMatch";

/// Rejects malformed numbers and conflicting options.
pub(crate) fn check(query: &Query) -> Result<(), Status> {
    for name in ["limit", "timeoutSeconds"] {
        query.number(name)?;
    }
    let wrong = if query.flag("watch") { check_watch(query) } else { check_list(query) };
    if wrong.is_empty() { Ok(()) } else { Err(Status::all_invalid("meta.k8s.io", "ListOptions", "", wrong)) }
}

fn given<'a>(query: &'a Query, name: &str) -> &'a str {
    query.get(name).unwrap_or_default()
}

fn check_watch(query: &Query) -> Vec<(&'static str, String)> {
    let (initial, requested) = (query.get("sendInitialEvents").is_some(), given(query, VERSION_MATCH));
    let mut wrong = Vec::new();
    if initial && requested != "NotOlderThan" {
        wrong.push("Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan".to_owned());
    }
    if !requested.is_empty() {
        if !initial {
            let why = "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
            wrong.push(why.to_owned());
        }
        if requested != "NotOlderThan" {
            wrong.push(format!("Unsupported value: \"{requested}\": supported values: \"NotOlderThan\""));
        }
    }
    if !given(query, "continue").is_empty() {
        wrong.push("Forbidden: resourceVersionMatch is forbidden when continue is provided".to_owned());
    }
    wrong.into_iter().map(|why| (VERSION_MATCH, why)).collect()
}

fn check_list(query: &Query) -> Vec<(&'static str, String)> {
    let (requested, version) = (given(query, VERSION_MATCH), given(query, "resourceVersion"));
    let mut wrong = Vec::new();
    if !requested.is_empty() {
        if version.is_empty() {
            let why = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
            wrong.push((VERSION_MATCH, why.to_owned()));
        }
        if !given(query, "continue").is_empty() {
            let why = "Forbidden: resourceVersionMatch is forbidden when continue is provided";
            wrong.push((VERSION_MATCH, why.to_owned()));
        }
        if !matches!(requested, "Exact" | "NotOlderThan") {
            let why =
                format!("Unsupported value: \"{requested}\": supported values: \"Exact\", \"NotOlderThan\", \"\"");
            wrong.push((VERSION_MATCH, why));
        }
        if requested == "Exact" && version == "0" {
            let why = "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            wrong.push((VERSION_MATCH, why.to_owned()));
        }
    }
    if query.get("sendInitialEvents").is_some() {
        wrong.push(("sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list".to_owned()));
    }
    wrong
}
