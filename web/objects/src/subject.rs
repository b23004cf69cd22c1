//! Subject: an object, the objects of its needs, and the time.

use serde_json::Value;

use crate::need::Need;

/// The objects that a need found, once its informer has synced.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The need.
    pub need: &'a Need,
    /// All objects that match it.
    pub objects: &'a [Value],
}

/// The last lines of a container's log, if the caller requested them.
#[derive(Clone, Copy, Debug)]
pub struct Log<'a> {
    /// Uid of the pod.
    pub pod: &'a str,
    /// Name of the container.
    pub container: &'a str,
    /// The lines, the last one last.
    pub lines: &'a str,
}

/// Subject: an object, the objects of its needs, and the time.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The object.
    pub object: &'a Value,
    /// Answers to [`needs`](crate::needs), of informers that have synced. A missing answer is unknown.
    pub answers: &'a [Answer<'a>],
    /// Last log lines, where they were requested.
    pub logs: &'a [Log<'a>],
    /// Milliseconds since 1970, by the server's clock as far as it is known.
    pub now: f64,
    /// When the caller first saw the object with its present generation, in milliseconds since 1970, if it knows.
    pub generation_seen: Option<f64>,
    /// Offset of a time zone from UTC in milliseconds, by its name and a moment; for schedules of cron jobs.
    pub zone_offset: fn(zone: &str, at: f64) -> Option<f64>,
}

impl<'a> Subject<'a> {
    /// Creates the subject of an object without answers.
    pub fn new(object: &'a Value, now: f64) -> Self {
        Self { object, answers: &[], logs: &[], now, generation_seen: None, zone_offset: utc_only }
    }

    /// Another object with the same answers.
    pub(crate) fn about(&self, object: &'a Value) -> Self {
        Self { object, generation_seen: None, ..*self }
    }

    /// The objects of a need; `None` while they are unknown.
    pub(crate) fn answer(&self, need: &Need) -> Option<&'a [Value]> {
        self.answers.iter().find(|answer| answer.need == need).map(|answer| answer.objects)
    }

    /// Returns the objects of a need; none while they are unknown. For rules that do not depend on absence.
    pub(crate) fn found(&self, need: &Need) -> &'a [Value] {
        self.answer(need).unwrap_or_default()
    }

    /// The object of a need by name; `None` while it is unknown, and if it does not exist.
    pub(crate) fn one(&self, need: &Need) -> Option<&'a Value> {
        self.answer(need)?.first()
    }

    /// Whether the object of a need by name is known not to exist.
    pub(crate) fn is_absent(&self, need: &Need) -> bool {
        self.answer(need).is_some_and(<[Value]>::is_empty)
    }

    /// Milliseconds since a moment; `None` if the moment is unknown.
    pub(crate) fn since(&self, moment: Option<f64>) -> Option<f64> {
        moment.map(|moment| self.now - moment)
    }
}

/// The offset of the zones that need no time zone database.
fn utc_only(zone: &str, _: f64) -> Option<f64> {
    matches!(zone, "" | "UTC" | "Etc/UTC" | "Etc/GMT" | "GMT" | "Z").then_some(0.0)
}
