//! Log commands: rate, style, single lines, the end of a container, dropped streams.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::line_content::{LineContent, LogStyle};
use super::run::Run;

use crate::clock;

/// Command, and the containers that it applies to; all of them if a field is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogCommand {
    /// Action.
    #[serde(flatten)]
    pub action: LogAction,
    /// Namespace of the pods.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Name of the pod.
    #[serde(default)]
    pub pod: Option<String>,
    /// Name of the container.
    #[serde(default)]
    pub container: Option<String>,
}

/// Action of a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "log", rename_all = "kebab-case")]
pub enum LogAction {
    /// Writes at this rate from now on.
    Pace {
        /// Lines per second; 0 stops the output.
        per_second: u32,
        /// Style; unchanged if `None`.
        #[serde(default)]
        style: Option<LogStyle>,
        /// Number of lines that exist already, at the same rate.
        #[serde(default)]
        backlog: u64,
    },
    /// Writes one line of text.
    Line {
        /// The text, without the end of the line.
        text: String,
    },
    /// Writes one line of this many bytes.
    LongLine {
        /// Bytes without the end of the line.
        bytes: usize,
    },
    /// Writes one line of bytes.
    Bytes {
        /// The bytes in base64.
        base64: String,
    },
    /// Ends open streams without a last chunk, like a killed proxy.
    Drop,
    /// The container ends.
    End {
        /// Its exit code.
        #[serde(default)]
        exit_code: i32,
    },
}

impl LogCommand {
    /// Creates a command for all containers of all pods.
    #[must_use]
    pub fn new(action: LogAction) -> Self {
        Self { action, namespace: None, pod: None, container: None }
    }

    /// Limits it to the containers of this pod.
    #[must_use]
    pub fn on(mut self, namespace: impl Into<String>, pod: impl Into<String>) -> Self {
        (self.namespace, self.pod) = (Some(namespace.into()), Some(pod.into()));
        self
    }

    /// Limits it to containers of this name.
    #[must_use]
    pub fn container(mut self, name: impl Into<String>) -> Self {
        self.container = Some(name.into());
        self
    }

    /// Reads the JSON of `POST /admin/logs`. An unknown field is an error.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let given: serde_json::Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let command: Self = serde_json::from_value(given.clone()).map_err(|error| error.to_string())?;
        if let LogAction::Bytes { base64 } = &command.action {
            STANDARD.decode(base64).map_err(|error| error.to_string())?;
        }
        let known = serde_json::to_value(&command).map_err(|error| error.to_string())?;
        let fields = given.as_object().into_iter().flatten();
        match fields.map(|(name, _)| name).find(|name| known.get(name.as_str()).is_none()) {
            Some(unknown) => Err(format!("the command has no field `{unknown}`")),
            None => Ok(command),
        }
    }

    pub(crate) fn is_for(&self, namespace: &str, pod: &str, container: &str) -> bool {
        let fits = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        fits(&self.namespace, namespace) && fits(&self.pod, pod) && fits(&self.container, container)
    }

    fn apply(&self, run: &mut Run, at: SystemTime) {
        match &self.action {
            LogAction::Pace { per_second, style, backlog } => run.set_pace(at, *style, *per_second, *backlog),
            LogAction::Line { text } => run.add_line(at, LineContent::Line(Bytes::copy_from_slice(text.as_bytes()))),
            LogAction::LongLine { bytes } => run.add_line(at, LineContent::Long(*bytes)),
            LogAction::Bytes { base64 } => {
                run.add_line(at, LineContent::Line(STANDARD.decode(base64).unwrap_or_default().into()));
            }
            LogAction::Drop | LogAction::End { .. } => {}
        }
    }
}

/// All commands, with their times.
#[derive(Debug)]
pub(crate) struct Commands {
    all: Mutex<Vec<(SystemTime, LogCommand)>>,
    /// Number of commands, for waiting streams.
    count: watch::Sender<usize>,
}

impl Commands {
    pub(crate) fn new() -> Self {
        Self { all: Mutex::default(), count: watch::Sender::new(0) }
    }

    pub(crate) fn add(&self, command: LogCommand) {
        let mut all = self.all.lock();
        all.push((clock::now(), command));
        self.count.send_replace(all.len());
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// Returns the present time, and the number of commands until then. Each command that is not counted is later.
    pub(super) fn now_and_count(&self) -> (SystemTime, usize) {
        let all = self.all.lock();
        (clock::now(), all.len())
    }

    /// Returns a run with the commands applied to it.
    pub(super) fn apply_to(&self, run: &Run, namespace: &str, pod: &str, container: &str) -> Run {
        let mut run = run.clone();
        let started = run.started;
        for (at, command) in self.all.lock().iter() {
            let lives = *at >= started && run.ended.is_none_or(|ended| *at <= ended);
            if lives && command.is_for(namespace, pod, container) {
                command.apply(&mut run, *at);
            }
        }
        run
    }

    /// Whether a stream that has seen this many commands must drop.
    pub(super) fn drops_stream(&self, seen: usize, namespace: &str, pod: &str, container: &str) -> bool {
        let all = self.all.lock();
        let mut unseen = all.iter().skip(seen);
        unseen.any(|(_, command)| command.action == LogAction::Drop && command.is_for(namespace, pod, container))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_uncounted_command_is_later_than_the_returned_time() {
        let commands = Commands::new();
        std::thread::scope(|scope| {
            let adding = scope.spawn(|| (0..2000).for_each(|_| commands.add(LogCommand::new(LogAction::Drop))));
            let mut results = Vec::new();
            while !adding.is_finished() {
                results.push(commands.now_and_count());
            }
            let all = commands.all.lock();
            for (now, count) in results {
                assert!(all[count..].iter().all(|(at, _)| *at >= now), "an earlier command is not counted");
            }
        });
    }

    #[test]
    fn json_is_decoded_with_defaults_and_rejected_with_unknown_fields() {
        let read = |json: &str| LogCommand::from_json(json.as_bytes());
        let pace = LogAction::Pace { per_second: 9, style: Some(LogStyle::Ansi), backlog: 0 };
        let command = LogCommand::new(pace).on("n", "p");
        assert_eq!(read(r#"{"log":"pace","per_second":9,"style":"ansi","namespace":"n","pod":"p"}"#), Ok(command));
        assert_eq!(read(r#"{"log":"drop","pods":"p"}"#), Err("the command has no field `pods`".to_owned()));
        assert!(read(r#"{"log":"bytes","base64":"%"}"#).is_err() && read(r#"{"log":"sing"}"#).is_err());
    }
}
