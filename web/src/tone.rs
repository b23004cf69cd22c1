//! Tone: the classification of the cluster's status words as good, bad, in progress or finished.

/// Tone of a status word. Shown by a mark and weight besides colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Good.
    Ok,
    /// In progress, or worth attention.
    Warn,
    /// Broken.
    Bad,
    /// Finished or inactive.
    Idle,
}

impl Tone {
    /// The value of `data-tone`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Idle => "idle",
        }
    }
}

const OK: &[&str] = &["Running", "Ready", "Active", "Bound", "Available", "True"];
const WARN: &[&str] = &[
    "Pending",
    "ContainerCreating",
    "PodInitializing",
    "Terminating",
    "NotReady",
    "Unknown",
    "SchedulingGated",
    "Released",
    "FailureTarget",
    "Warning",
];
const IDLE: &[&str] = &["Completed", "Complete", "Succeeded", "Suspended", "SuccessCriteriaMet"];
const BAD: &[&str] =
    &["Error", "Failed", "Evicted", "OOMKilled", "NodeLost", "DeadlineExceeded", "Lost", "NodeAffinity", "Preempting"];

/// Tone of a cell, if its column contains states.
pub(crate) fn tone_of(column: &str, text: &str) -> Option<Tone> {
    match column {
        "Type" => return (text == "Warning").then_some(Tone::Warn),
        "Status" | "Phase" | "State" => {}
        _ => return None,
    }
    // "Ready,SchedulingDisabled" is a node that works and accepts no pods.
    let (word, more) = text.split_once(',').map_or((text, false), |(word, _)| (word, true));
    let word_tone = if OK.contains(&word) {
        Tone::Ok
    } else if IDLE.contains(&word) {
        Tone::Idle
    } else if BAD.contains(&word)
        || word.ends_with("BackOff")
        || word.ends_with("Error")
        || word.contains("Err")
        || word.starts_with("ExitCode:")
        || word.starts_with("Signal:")
        || word.starts_with("Invalid")
        || word.ends_with("Failed")
    {
        Tone::Bad
    } else if WARN.contains(&word) || word.starts_with("Init:") {
        Tone::Warn
    } else {
        return None;
    };
    Some(if more && word_tone == Tone::Ok { Tone::Warn } else { word_tone })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_tones() {
        let cases = [
            ("Running", Some(Tone::Ok)),
            ("Completed", Some(Tone::Idle)),
            ("Init:0/2", Some(Tone::Warn)),
            ("Init:CrashLoopBackOff", Some(Tone::Bad)),
            ("CrashLoopBackOff", Some(Tone::Bad)),
            ("ErrImagePull", Some(Tone::Bad)),
            ("CreateContainerConfigError", Some(Tone::Bad)),
            ("Ready,SchedulingDisabled", Some(Tone::Warn)),
            ("SomethingOfACustomResource", None),
        ];
        for (text, tone) in cases {
            assert_eq!(tone_of("Status", text), tone, "{text}");
        }
    }

    #[test]
    fn only_columns_of_state_have_tones() {
        assert_eq!(tone_of("Name", "Running"), None);
        assert_eq!((tone_of("Type", "Warning"), tone_of("Type", "Normal")), (Some(Tone::Warn), None));
    }
}
