//! Log options, validated as by the real server.

use std::time::{Duration, SystemTime};

use humantime::parse_rfc3339;

use super::run::Run;
use crate::clock;
use crate::query::Query;
use crate::status::Status;

fn whole_seconds(time: SystemTime) -> SystemTime {
    let passed = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(passed.as_secs())
}

/// `PodLogOptions`.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) container: Option<String>,
    pub(super) follow: bool,
    pub(super) previous: bool,
    pub(super) timestamps: bool,
    pub(super) limit_bytes: usize,
    tail: Option<u64>,
    since: Option<SystemTime>,
}

impl Options {
    pub(super) fn parse(pod: &str, query: &Query) -> Result<Self, Status> {
        let number = |name: &str| query.number(name);
        let (tail, since, limit) = (number("tailLines")?, number("sinceSeconds")?, number("limitBytes")?);
        let since_time = match query.get("sinceTime").filter(|text| !text.is_empty()) {
            // The apiserver passes whole seconds to the kubelet.
            Some(text) => Some(parse_rfc3339(text).map(whole_seconds).map_err(|_| {
                Status::bad_request(format!(
                    "parsing time \"{text}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{text}\" as \"2006\""
                ))
            })?),
            None => None,
        };
        let mut wrong: Vec<(&'static str, String)> = Vec::new();
        if let Some(tail) = tail.filter(|tail| *tail < 0) {
            wrong.push(("tailLines", format!("Invalid value: {tail}: must be greater than or equal to 0")));
        }
        if let Some(limit) = limit.filter(|limit| *limit < 1) {
            wrong.push(("limitBytes", format!("Invalid value: {limit}: must be greater than 0")));
        }
        if since.is_some() && since_time.is_some() {
            let why = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
            wrong.push(("[]", why.to_owned()));
        } else if let Some(since) = since.filter(|since| *since < 1) {
            wrong.push(("sinceSeconds", format!("Invalid value: {since}: must be greater than 0")));
        }
        if !wrong.is_empty() {
            return Err(Status::all_invalid("", "PodLogOptions", pod, wrong));
        }
        let ago = |seconds: i64| clock::now().checked_sub(Duration::from_secs(seconds.unsigned_abs()));
        Ok(Self {
            container: query.get("container").filter(|name| !name.is_empty()).map(str::to_owned),
            follow: query.flag("follow"),
            previous: query.flag("previous"),
            timestamps: query.flag("timestamps"),
            limit_bytes: limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            tail: tail.map(i64::unsigned_abs),
            since: since_time.or_else(|| since.and_then(ago)),
        })
    }

    /// Returns the number of the first line to send, and of the first unwritten line.
    pub(super) fn span(&self, run: &Run, now: SystemTime) -> (u64, u64) {
        let end = run.written(now);
        let mut first = run.oldest(end);
        if let Some(since) = self.since {
            first = first.max(run.before(since));
        }
        if let Some(tail) = self.tail {
            first = first.max(end.saturating_sub(tail));
        }
        (first.min(end), end)
    }
}
