//! Phrases for sentences: counts, durations, lists.

/// A count and its noun: `1 pod`, `3 pods`.
pub(crate) fn count(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, noun) => format!("1 {noun}"),
        (count, noun) if noun.ends_with('y') && !noun.ends_with("ay") => {
            format!("{count} {}ies", &noun[..noun.len() - 1])
        }
        (count, noun) => format!("{count} {noun}s"),
    }
}

/// Number of times in words: `once`, `3 times`.
pub(crate) fn times(count: i64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// A duration in its largest unit, for a sentence: `12 seconds`, `4 minutes`, `3 hours`, `2 days`.
pub(crate) fn duration(milliseconds: f64) -> String {
    let seconds = (milliseconds / 1_000.0).max(0.0).floor();
    let (amount, unit) = match seconds {
        s if s < 120.0 => (s, "second"),
        s if s < 7_200.0 => (s / 60.0, "minute"),
        s if s < 172_800.0 => (s / 3_600.0, "hour"),
        s => (s / 86_400.0, "day"),
    };
    let amount = amount.floor();
    if (amount - 1.0).abs() < 0.5 { format!("1 {unit}") } else { format!("{amount} {unit}s") }
}

/// Names in a sentence: `a`, `a and b`, `a, b and 3 more`.
pub(crate) fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.into_iter().collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
}

/// A message of the server as the end of a sentence: one line, cut after 600 characters, with a period.
pub(crate) fn quoted(message: &str) -> String {
    let line: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text: String = line.chars().take(600).collect();
    if text.len() < line.len() {
        text.push('…');
    } else if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_sentences() {
        assert_eq!(
            (count(1, "pod"), count(2, "policy"), count(0, "pod")),
            ("1 pod".into(), "2 policies".into(), "0 pods".into())
        );
        assert_eq!(
            (duration(1_500.0), duration(125_000.0), duration(-5.0)),
            ("1 second".into(), "2 minutes".into(), "0 seconds".into())
        );
        assert_eq!(names(["a", "b", "c", "d"]), "a, b and 2 more");
        assert_eq!(names(["a", "b", "c"]), "a, b and c");
        assert_eq!(quoted("back-off\n 5m"), "back-off 5m.");
    }
}
