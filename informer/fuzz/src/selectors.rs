//! Fuzz target for selectors: the first line is parsed as a label selector and a field selector; then labels,
//! `key=value` per line.

use informer::{FieldRequirement, FieldSelector, LabelSelector, Labels, Requirement};

/// A selector that parses prints to text that parses to an equal selector, which matches the same labels.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (selector, labels) = text.split_once('\n').unwrap_or((text, ""));
    let labels: Vec<(&str, &str)> = labels.lines().filter_map(|line| line.split_once('=')).collect();

    if let Ok(parsed) = selector.parse::<LabelSelector>() {
        let again: LabelSelector = parsed.to_string().parse().expect("what was printed can be read");
        assert_eq!(again, parsed);
        assert_eq!(again.to_string(), parsed.to_string());
        assert_eq!(again.matches(labels.as_slice()), parsed.matches(labels.as_slice()));
        let requirements = parsed.requirements().expect("a text selects something");
        assert_eq!(parsed.is_empty(), requirements.is_empty());
        for one in requirements {
            assert_eq!(Requirement::new(one.key(), one.operator(), one.values()).as_ref(), Ok(one));
        }
    }
    if let Ok(parsed) = selector.parse::<FieldSelector>() {
        let again: FieldSelector = parsed.to_string().parse().expect("what was printed can be read");
        assert_eq!(again, parsed);
        let lookup = |field: &str| labels.as_slice().lookup(field);
        assert_eq!(again.matches(lookup), parsed.matches(lookup));
        for one in parsed.requirements() {
            if let Ok(built) = FieldRequirement::new(one.field(), one.is_equal(), one.value()) {
                assert_eq!(&built, one);
            }
        }
    }
}
