//! Inspection texts: the history of an informer in plain words.

use informer::ErrorCode;

use crate::age::{age, bytes, thousands};
use crate::freshness;
use crate::plain::whole;
use crate::tone::Tone;
use crate::visible::visible;

/// The package's `Inspection`.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
pub(crate) struct Inspection {
    /// Counters.
    pub(crate) metrics: Metrics,
    /// Network traffic.
    pub(crate) transport: Transport,
    /// Last protocol steps, oldest first.
    pub(crate) history: Vec<Step>,
}

/// Counters that the status lacks, of the package's `InformerMetrics`.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metrics {
    pub(crate) bookmarks: u64,
    pub(crate) early_ends: u64,
    pub(crate) suspicions: u64,
    pub(crate) false_suspicions: u64,
    pub(crate) errors: u64,
}

/// The package's `Traffic`.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Transport {
    pub(crate) carrier: Option<String>,
    #[serde(default)]
    pub(crate) protobuf: bool,
    #[serde(default)]
    pub(crate) json_reason: Option<String>,
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    pub(crate) events_per_second: f64,
    pub(crate) bytes_per_second: f64,
}

/// The package's `HistoryEntry`.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub(crate) struct Step {
    pub(crate) what: String,
    pub(crate) at: f64,
    pub(crate) until: f64,
    pub(crate) count: u64,
    pub(crate) code: Option<ErrorCode>,
}

/// Displayed protocol step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Sentence about the step.
    pub(crate) text: String,
    /// Tone, if the step is good or bad news.
    pub(crate) tone: Option<Tone>,
    /// Time of its first occurrence.
    pub(crate) at: f64,
    /// Time of its last occurrence.
    pub(crate) until: f64,
    /// Index among the steps of the same time.
    place: usize,
}

impl Line {
    /// Key of a line: lines with different text are different.
    pub(crate) fn key(&self) -> (u64, usize, String) {
        (self.at.to_bits(), self.place, self.text.clone())
    }
}

impl Inspection {
    /// Returns the steps, newest first.
    pub(crate) fn lines(&self) -> Vec<Line> {
        lines(&self.history)
    }
}

/// Returns the lines of a history, newest first.
pub(crate) fn lines(history: &[Step]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(history.len());
    for step in history {
        let of_this_moment = |before: &&Line| before.at.to_bits() == step.at.to_bits();
        let place = lines.last().filter(of_this_moment).map_or(0, |before| before.place + 1);
        lines.push(Line { text: step.words(), tone: step.tone(), at: step.at, until: step.until, place });
    }
    lines.reverse();
    lines
}

/// Number of suspicions of open watches, and of false ones.
pub(crate) fn suspicions(all: u64, unfounded: u64) -> String {
    match all {
        0 => "0".to_owned(),
        _ => format!("{}, {} of them false", thousands(all), thousands(unfounded)),
    }
}

/// Note behind a number of lists: how many of them replaced an earlier one.
pub(crate) fn relists_note(relists: u64) -> String {
    match relists {
        0 => String::new(),
        1 => " (1 relist)".to_owned(),
        _ => format!(" ({} relists)", thousands(relists)),
    }
}

impl Transport {
    /// Transport of the watch, and why it is not in protobuf where it could be.
    pub(crate) fn carrier(&self) -> String {
        let carrier = match self.carrier.as_deref() {
            Some("fetch") if self.protobuf => "one open over HTTP, in protobuf",
            Some("fetch") => "one open over HTTP",
            Some("websocket") => "one open over a WebSocket",
            Some(_) => "one open",
            None => "none open",
        };
        match &self.json_reason {
            Some(reason) => format!("{carrier}, in JSON because protobuf could not be read ({})", visible(reason)),
            None => carrier.to_owned(),
        }
    }
}

impl Step {
    fn words(&self) -> String {
        let some = |one: &str, many: &str| match self.count {
            1 => format!("1 {one}"),
            count => format!("{} {many}", thousands(count)),
        };
        let because = |text: &str| match self.code {
            Some(code) => format!("{text}: {}", freshness::code(code)),
            None => text.to_owned(),
        };
        match self.what.as_str() {
            "list" => "Requested all objects".to_owned(),
            "relist" => "Requested all objects again".to_owned(),
            "streaming-list" => "Requested all objects as a stream".to_owned(),
            "page" if self.count == 0 => "Received an empty page".to_owned(),
            "page" => format!("Received {}", some("object", "objects")),
            "probe" => "Requested the newest version".to_owned(),
            "went-back" => "The server's version is lower than before: the cluster was restored or replaced".to_owned(),
            "replaced" => "Another cluster has this URL: the cache was cleared".to_owned(),
            "watch" => "Requested a watch".to_owned(),
            "opened" => "The watch is open".to_owned(),
            "events" => some("change", "changes"),
            "unreadable" => because(&format!("{} could not be decoded", some("change", "changes"))),
            "bookmarks" => some("bookmark", "bookmarks"),
            "error" => because("The server ended the watch"),
            "ended" => "The watch ended normally, as it does every few minutes".to_owned(),
            "ended-early" => "The watch ended early; the server ends it for clients that read too slowly".to_owned(),
            "broken-off" => because("The watch was interrupted"),
            "refused" => because("The request failed"),
            "overdue" => "No response in time".to_owned(),
            "suspected" => "The open watch is suspect; it is being verified".to_owned(),
            "unreachable" => "The server did not respond to a heartbeat".to_owned(),
            "slept" => "This machine was asleep".to_owned(),
            "woken" => "Retried at once: Retry now, network restored, or page became visible".to_owned(),
            "pause" => because(&format!("Pause of {}", wait(self.count))),
            "polling" => {
                because(&format!("Pause of {} before the next list, because there is no watch", wait(self.count)))
            }
            "queued" => "Queued for a connection".to_owned(),
            "revoked" => "The connection slot was revoked for another watch".to_owned(),
            "failed" => because("Stopped: a retry cannot succeed"),
            "stopped" => "Stopped".to_owned(),
            other => other.replace('-', " "),
        }
    }

    fn tone(&self) -> Option<Tone> {
        match self.what.as_str() {
            "opened" => Some(Tone::Ok),
            "unreadable" | "error" | "ended-early" | "broken-off" | "refused" | "overdue" | "suspected"
            | "unreachable" | "went-back" => Some(Tone::Warn),
            "failed" => Some(Tone::Bad),
            _ => None,
        }
    }
}

/// Formats the rates of the last ten seconds.
pub(crate) fn rates(events: f64, received: f64) -> String {
    format!("{events:.1} events/s, {}/s", bytes(whole(received)))
}

/// Formats milliseconds.
fn wait(milliseconds: u64) -> String {
    match milliseconds as f64 {
        short if short < 1_000.0 => format!("{short} ms"),
        seconds if seconds < 60_000.0 => format!("{:.1} s", seconds / 1_000.0),
        long => age(long, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use informer::ProtocolStep;

    use super::*;

    fn step(what: &str, at: f64, until: f64, count: u64, code: Option<ErrorCode>) -> Step {
        Step { what: what.to_owned(), at, until, count, code }
    }

    fn says(history: &[Step]) -> Vec<String> {
        lines(history).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn steps_are_listed_newest_first_as_sentences() {
        let story = vec![
            step("list", 1.0, 1.0, 0, None),
            step("page", 2.0, 2.0, 1, None),
            step("events", 3.0, 9.0, 1234, None),
            step("broken-off", 10.0, 10.0, 0, Some(ErrorCode::Network)),
            step("pause", 10.0, 10.0, 1240, Some(ErrorCode::Network)),
            step("pause", 11.0, 11.0, 850, None),
            step("polling", 12.0, 12.0, 300_000, Some(ErrorCode::Forbidden)),
        ];
        let mut expected = [
            "Requested all objects",
            "Received 1 object",
            "1,234 changes",
            "The watch was interrupted: no connection",
            "Pause of 1.2 s: no connection",
            "Pause of 850 ms",
            "Pause of 5m before the next list, because there is no watch: forbidden",
        ];
        expected.reverse();
        assert_eq!(says(&story), expected);
    }

    #[test]
    fn suspicions_are_counted_in_words() {
        assert_eq!(suspicions(3, 2), "3, 2 of them false");
        assert_eq!(suspicions(0, 0), "0");
        assert_eq!([0, 1, 2].map(relists_note), ["", " (1 relist)", " (2 relists)"]);
    }

    #[test]
    fn every_step_has_words_of_its_own() {
        use ProtocolStep as P;
        let steps = [
            P::List,
            P::Relist,
            P::StreamingList,
            P::Page,
            P::Probe,
            P::WentBack,
            P::Replaced,
            P::Watch,
            P::Opened,
            P::Events,
            P::Unreadable,
            P::Bookmarks,
            P::Error,
            P::Ended,
            P::EndedEarly,
            P::BrokenOff,
            P::Refused,
            P::Overdue,
            P::Suspected,
            P::Unreachable,
            P::Slept,
            P::Woken,
            P::Pause,
            P::Polling,
            P::Queued,
            P::Revoked,
            P::Failed,
            P::Stopped,
        ];
        let words = |what: &str| says(&[step(what, 1.0, 1.0, 2, None)]).remove(0);
        let mut all: Vec<String> = steps.iter().map(|step| words(step.as_str())).collect();
        assert!(steps.iter().zip(&all).all(|(step, words)| *words != step.as_str().replace('-', " ")), "{all:?}");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), steps.len());
        assert_eq!(words("of-the-future"), "of the future");
    }

    #[test]
    fn lines_of_one_time_are_distinct_and_keep_their_identity() {
        let watch = || step("watch", 5.0, 5.0, 0, None);
        let before = lines(&[watch(), watch()]);
        let after = lines(&[watch(), watch(), step("events", 6.0, 6.0, 1, None)]);
        assert_ne!(before[0].key(), before[1].key());
        assert_eq!(after[1..], before[..]);
    }
}
