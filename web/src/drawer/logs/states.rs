//! States of the logs that are read, in words.

use crate::age::thousands;
use crate::visible::visible;

/// State of a log, as in the package's `LogState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Connecting,
    Following,
    Reconnecting,
    /// The container has ended, and restarts.
    Restarting,
    Ended,
    Failed,
}

impl Phase {
    /// Parses the package's name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "connecting" => Self::Connecting,
            "following" => Self::Following,
            "reconnecting" => Self::Reconnecting,
            "restarting" => Self::Restarting,
            "ended" => Self::Ended,
            "failed" => Self::Failed,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Following => "following",
            Self::Reconnecting => "reconnecting",
            Self::Restarting => "restarting",
            Self::Ended => "ended",
            Self::Failed => "failed",
        }
    }
}

/// State of one container's log.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// `pod/container`
    pub(super) name: String,
    /// Code and message of an error.
    pub(super) error: Option<String>,
    /// In milliseconds since 1970.
    pub(super) next_retry_at: Option<f64>,
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) reason: Option<String>,
    /// End of the previous run, if this log was read then.
    pub(super) previous_end: Option<String>,
}

impl State {
    /// The state as a sentence, at a moment in milliseconds since 1970.
    pub(super) fn sentence(&self, now: f64) -> String {
        let error = self.error.as_deref().map(|error| format!(": {}", visible(error))).unwrap_or_default();
        match self.phase {
            Phase::Connecting => "Connecting …".to_owned(),
            Phase::Following => match &self.previous_end {
                Some(previous_end) => format!("Following; the previous run ended: {previous_end}"),
                None => "Following".to_owned(),
            },
            Phase::Reconnecting => {
                let seconds = self.next_retry_at.map_or(0.0, |at| ((at - now) / 1000.0).ceil());
                let when = if seconds > 0.0 { format!(" in {seconds:.0} s") } else { String::new() };
                format!("Reconnecting{when}{error}")
            }
            Phase::Restarting => format!("Ended: {}; waiting for the container to start again", self.end()),
            Phase::Ended => format!("Ended: {}", self.end()),
            Phase::Failed => format!("Failed{error}"),
        }
    }

    /// End of the container.
    fn end(&self) -> String {
        let reason =
            self.reason.as_deref().filter(|reason| !reason.is_empty()).map(|reason| visible(reason).into_owned());
        let code = self.exit_code.map(|code| format!("exit code {code}"));
        let signal = self.signal.map(|signal| format!("signal {signal}"));
        let why: Vec<_> = [reason, code, signal].into_iter().flatten().collect();
        if why.is_empty() { "the log is complete".to_owned() } else { why.join(", ") }
    }
}

/// Maximum number of ended logs that are kept one by one: a workload that is replaced repeatedly ends any number.
const MAX_ENDED: usize = 50;

/// All states, and the number of waiting containers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct States {
    pub(super) all: Vec<State>,
    pub(super) waiting: u32,
    /// Number of ended logs that are only counted.
    counted_ended: usize,
    /// Whether reading has ended.
    pub(super) is_over: bool,
}

impl States {
    /// Records a state, which replaces the previous one of the same container.
    pub(super) fn record(&mut self, mut state: State) {
        if let Some(known) = self.all.iter().find(|known| known.name == state.name) {
            let has_ended = matches!(known.phase, Phase::Restarting | Phase::Ended);
            state.previous_end = if has_ended { Some(known.end()) } else { known.previous_end.clone() };
        }
        match self.all.iter_mut().find(|known| known.name == state.name) {
            Some(known) => *known = state,
            None => self.all.push(state),
        }
        let mut ended = (0..self.all.len()).filter(|at| self.all[*at].phase == Phase::Ended);
        if let Some(oldest) = ended.next()
            && ended.count() >= MAX_ENDED
        {
            self.all.remove(oldest);
            self.counted_ended += 1;
        }
    }

    /// Removes the state of a selection that is readable again: its containers have states of their own.
    pub(super) fn remove(&mut self, name: &str) {
        self.all.retain(|known| known.name != name);
    }

    /// State that is shown for all: the most important one.
    pub(super) fn phase(&self) -> Phase {
        let has = |phase| self.all.iter().any(|state| state.phase == phase);
        let by_need =
            [Phase::Reconnecting, Phase::Following, Phase::Connecting, Phase::Restarting, Phase::Failed, Phase::Ended];
        by_need.into_iter().find(|phase| has(*phase)).unwrap_or(Phase::Connecting)
    }

    /// One sentence about all states.
    pub(super) fn summary(&self, now: f64) -> String {
        let summary = match self.all.as_slice() {
            [] if self.is_over => "Ended: no container has a log for this selection".to_owned(),
            [] => "Waiting for containers …".to_owned(),
            [one] => one.sentence(now),
            all => {
                let order = [
                    Phase::Following,
                    Phase::Connecting,
                    Phase::Reconnecting,
                    Phase::Restarting,
                    Phase::Ended,
                    Phase::Failed,
                ];
                let counted = |phase| if phase == Phase::Ended { self.counted_ended } else { 0 };
                let count = |phase| all.iter().filter(|state| state.phase == phase).count() + counted(phase);
                let counts = order.map(|phase| (phase, count(phase)));
                let counts = counts.into_iter().filter(|(_, count)| *count > 0);
                let words: Vec<_> = counts.map(|(phase, count)| format!("{count} {}", phase.word())).collect();
                format!("{} containers: {}", all.len() + self.counted_ended, words.join(", "))
            }
        };
        if self.waiting > 0 {
            let waiting = thousands(u64::from(self.waiting));
            return format!("{summary}; {waiting} wait until another log ends");
        }
        summary
    }

    /// Sentence about each container that is not following, if there are several.
    pub(super) fn details(&self, now: f64) -> Vec<String> {
        let unusual = self.all.iter().filter(|state| self.all.len() > 1 && state.phase != Phase::Following);
        unusual.map(|state| format!("{}: {}", visible(&state.name), state.sentence(now))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str, phase: Phase) -> State {
        State {
            phase,
            name: name.to_owned(),
            error: None,
            next_retry_at: None,
            exit_code: None,
            signal: None,
            reason: None,
            previous_end: None,
        }
    }

    #[test]
    fn one_log_has_a_sentence_with_its_reason() {
        let mut states = States::default();
        assert_eq!(states.summary(0.0), "Waiting for containers …");
        let lost = State {
            error: Some("no connection: x".to_owned()),
            next_retry_at: Some(4200.0),
            ..state("p/c", Phase::Reconnecting)
        };
        states.record(lost);
        assert_eq!(states.summary(1000.0), "Reconnecting in 4 s: no connection: x");
        assert_eq!(states.summary(9000.0), "Reconnecting: no connection: x");
        let over = State { exit_code: Some(137), reason: Some("OOMKilled".to_owned()), ..state("p/c", Phase::Ended) };
        states.record(over);
        assert_eq!(states.summary(0.0), "Ended: OOMKilled, exit code 137");
        assert!(states.details(0.0).is_empty());
        states.record(state("p/c", Phase::Ended));
        assert_eq!(states.summary(0.0), "Ended: the log is complete");
    }

    #[test]
    fn a_restart_is_reported_until_the_log_is_read_again() {
        let mut states = States::default();
        states.record(state("p/c", Phase::Following));
        states.record(State {
            exit_code: Some(3),
            reason: Some("Error".to_owned()),
            ..state("p/c", Phase::Restarting)
        });
        assert_eq!(states.summary(0.0), "Ended: Error, exit code 3; waiting for the container to start again");
        states.record(state("p/c", Phase::Connecting));
        states.record(state("p/c", Phase::Following));
        assert_eq!(states.summary(0.0), "Following; the previous run ended: Error, exit code 3");
    }

    #[test]
    fn old_ended_logs_are_only_counted() {
        let mut states = States::default();
        states.record(state("web/c", Phase::Following));
        for pod in 0..200 {
            states.record(state(&format!("job-{pod}/c"), Phase::Following));
            states.record(state(&format!("job-{pod}/c"), Phase::Ended));
        }
        assert_eq!(states.summary(0.0), "201 containers: 1 following, 200 ended");
        assert_eq!(states.details(0.0).len(), MAX_ENDED);
    }

    #[test]
    fn a_selection_that_can_be_read_again_is_no_container() {
        let mut states = States::default();
        states.record(state("/", Phase::Reconnecting));
        assert_eq!(states.summary(0.0), "Reconnecting");
        states.remove("/");
        states.record(state("p/c", Phase::Following));
        assert_eq!(states.summary(0.0), "Following");
    }

    #[test]
    fn several_logs_are_counted() {
        let mut states = States { waiting: 2, ..States::default() };
        for (name, phase) in [("a/c", Phase::Following), ("b/c", Phase::Following), ("c\u{202e}/c", Phase::Failed)] {
            states.record(state(name, phase));
        }
        assert_eq!(states.summary(0.0), "3 containers: 2 following, 1 failed; 2 wait until another log ends");
        assert_eq!(states.phase(), Phase::Following);
        assert_eq!(states.details(0.0), ["c\\u202e/c: Failed"]);
    }
}
