//! ANSI colours: SGR sequences (`ESC [ … m`) become styles, and are left out of the text. Other sequences stay text.

use std::borrow::Cow;

/// Style of a run of text. Colours are the 16 of a terminal by number: 0 to 7, and 8 to 15 for the bright ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "the switches of a terminal")]
pub struct Style {
    /// Colour of the text.
    pub colour: Option<u8>,
    /// Colour behind it.
    pub background: Option<u8>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Struck out.
    pub struck: bool,
    /// Colours exchanged.
    pub inverse: bool,
}

const ESCAPE: u8 = 0x1b;
/// Longer sequences are text, in bytes.
const LONGEST: usize = 64;

/// Text without its SGR sequences.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.as_bytes().contains(&ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    each_run(text, |run, _| plain.push_str(run));
    Cow::Owned(plain)
}

/// Calls `take` with each run of text of one style.
pub(crate) fn each_run<'a>(text: &'a str, mut take: impl FnMut(&'a str, Style)) {
    let mut style = Style::default();
    let mut start = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == ESCAPE) {
        let escape = at + found;
        let Some((parameters, after)) = sequence(text, escape) else {
            at = escape + 1;
            continue;
        };
        if start < escape {
            take(&text[start..escape], style);
        }
        style.apply(parameters);
        (start, at) = (after, after);
    }
    if start < text.len() {
        take(&text[start..], style);
    }
}

/// Parameters of the SGR sequence at a place, and where it ends.
fn sequence(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..)?.strip_prefix("\u{1b}[")?;
    let length = rest.bytes().take(LONGEST).position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    (rest.as_bytes()[length] == b'm').then(|| (&rest[..length], at + 2 + length + 1))
}

impl Style {
    fn apply(&mut self, parameters: &str) {
        let mut codes =
            parameters.split([';', ':']).map(|code| if code.is_empty() { Some(0) } else { code.parse::<u16>().ok() });
        while let Some(code) = codes.next() {
            match code {
                Some(0) => *self = Self::default(),
                Some(1) => self.bold = true,
                Some(2) => self.dim = true,
                Some(3) => self.italic = true,
                Some(4) => self.underline = true,
                Some(7) => self.inverse = true,
                Some(9) => self.struck = true,
                Some(22) => (self.bold, self.dim) = (false, false),
                Some(23) => self.italic = false,
                Some(24) => self.underline = false,
                Some(27) => self.inverse = false,
                Some(29) => self.struck = false,
                Some(code @ 30..=37) => self.colour = narrow(code - 30),
                Some(38) => self.colour = extended(&mut codes),
                Some(39) => self.colour = None,
                Some(code @ 40..=47) => self.background = narrow(code - 40),
                Some(48) => self.background = extended(&mut codes),
                Some(49) => self.background = None,
                Some(code @ 90..=97) => self.colour = narrow(code - 82),
                Some(code @ 100..=107) => self.background = narrow(code - 92),
                _ => {}
            }
        }
    }

    /// CSS classes: `c1`, `b4`, `bold` …
    #[must_use]
    pub fn classes(&self) -> String {
        let mut classes = Vec::new();
        let named = |prefix: &str, colour: Option<u8>| colour.map(|colour| format!("{prefix}{colour}"));
        classes.extend(named("c", self.colour));
        classes.extend(named("b", self.background));
        let switches = [
            (self.bold, "bold"),
            (self.dim, "dim"),
            (self.italic, "italic"),
            (self.underline, "underline"),
            (self.struck, "struck"),
            (self.inverse, "inverse"),
        ];
        classes.extend(switches.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| (*name).to_owned()));
        classes.join(" ")
    }
}

fn narrow(code: u16) -> Option<u8> {
    u8::try_from(code).ok()
}

/// `5;n` of 256 colours, or `2;r;g;b`, as the nearest of 16.
fn extended(codes: &mut impl Iterator<Item = Option<u16>>) -> Option<u8> {
    match codes.next()?? {
        5 => match codes.next()?? {
            code @ 0..=15 => narrow(code),
            code @ 16..=231 => {
                let [red, green, blue] = [(code - 16) / 36, (code - 16) / 6 % 6, (code - 16) % 6];
                Some(nearest(red * 51, green * 51, blue * 51))
            }
            code @ 232..=255 => {
                let grey = (code - 232) * 10 + 8;
                Some(nearest(grey, grey, grey))
            }
            _ => None,
        },
        2 => {
            let mut next = || codes.next().flatten().map(|code| code.min(255));
            Some(nearest(next()?, next()?, next()?))
        }
        _ => None,
    }
}

fn nearest(red: u16, green: u16, blue: u16) -> u8 {
    let most = red.max(green).max(blue);
    let least = red.min(green).min(blue);
    if most - least < 40 {
        return match most {
            0..64 => 0,
            64..160 => 8,
            160..230 => 7,
            _ => 15,
        };
    }
    let half = most / 2;
    let bits = u8::from(red > half) | u8::from(green > half) << 1 | u8::from(blue > half) << 2;
    if most > 200 { bits + 8 } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<(&str, String)> {
        let mut runs = Vec::new();
        each_run(text, |run, style| runs.push((run, style.classes())));
        runs
    }

    #[test]
    fn colours_become_classes_and_leave_the_text() {
        let text = "\u{1b}[31mERROR\u{1b}[0m x \u{1b}[1;44m200\u{1b}[22m y\u{1b}[m";
        let expected = [("ERROR", "c1"), (" x ", ""), ("200", "b4 bold"), (" y", "b4")];
        assert_eq!(runs(text), expected.map(|(run, classes)| (run, classes.to_owned())));
        assert_eq!(plain(text), "ERROR x 200 y");
    }

    #[test]
    fn many_colours_become_sixteen() {
        for (code, class) in [
            ("38;5;9", "c9"),
            ("38;5;196", "c9"),
            ("38;2;0;100;0", "c2"),
            ("48;2;255;255;255", "b15"),
            ("38;5;240", "c8"),
            ("97", "c15"),
        ] {
            assert_eq!(runs(&format!("\u{1b}[{code}mx")), [("x", class.to_owned())], "{code}");
        }
    }

    #[test]
    fn other_sequences_stay_text() {
        for text in [
            "\u{1b}[2K",
            "\u{1b}]0;title\u{7}",
            "\u{1b}",
            "\u{1b}[",
            "\u{1b}[31",
            "a\u{1b}[999999999999999999999999999999999999999999999999999999999999999999m",
        ] {
            assert_eq!(plain(text), text);
        }
        assert_eq!(runs("\u{1b}[38;5m\u{1b}[999mx"), [("x", String::new())]);
    }
}
