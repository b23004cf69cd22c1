//! JSON scanner: one pass that validates a text and records where the members of an object are.

use std::ops::Range;

use super::block::{BLOCK, plain_bytes};
use super::brackets::end_of_brackets;
use super::invalid::Invalid;
use super::member::{Member, UNKNOWN_TAG, tag};

/// Maximum depth of arrays and objects.
const MAX_DEPTH: u32 = 127;
/// Maximum depth of recorded members. Frequently read fields are deep: the start of a container's last state is at the
/// sixth level. Half of an object is deeper: its `managedFields`.
const RECORDED_DEPTH: usize = 6;

/// Reason why a pass stops before the end of the value.
enum Stop {
    Incomplete,
    Invalid(usize, &'static str),
}

type Step<T> = Result<T, Stop>;

/// Scanner state: a pass that can be resumed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    at: usize,
    /// Whether a value precedes this position, so that a comma or an end must follow; otherwise a member or an element.
    after_value: bool,
    /// Depth of arrays and objects.
    depth: u32,
    /// One bit for each open array or object, the innermost lowest: 1 for an object.
    objects: u128,
    /// Start of the value.
    start: usize,
    members: Vec<Member>,
    /// Open arrays and objects of the recorded levels: the start of each, and the index of its current member.
    open_levels: [(usize, usize); RECORDED_DEPTH],
    /// Member of a member to skip: see [`crate::Outliner::passing_over`].
    skipped_member: Option<(&'static str, &'static str)>,
}

impl Scan {
    pub(crate) fn passing_over(parent: &'static str, name: &'static str) -> Self {
        Self { skipped_member: Some((parent, name)), ..Self::default() }
    }

    pub(crate) fn reset(&mut self) {
        self.members.clear();
        (self.at, self.after_value, self.depth, self.objects, self.start) = (0, false, 0, 0, 0);
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    pub(crate) fn into_members(self) -> Vec<Member> {
        self.members
    }

    /// Resumes in a text that begins like the last one. Returns the range of the value, once it is complete.
    pub(crate) fn run(&mut self, text: &[u8]) -> Result<Option<(usize, usize)>, Invalid> {
        if u32::try_from(text.len()).is_err() {
            return Err(Invalid { at: 0, why: "the text is longer than 4 GiB" });
        }
        match self.walk(text) {
            Ok(end) => Ok(Some((self.start, end))),
            Err(Stop::Incomplete) => Ok(None),
            Err(Stop::Invalid(at, why)) => Err(Invalid { at, why }),
        }
    }

    /// Returns the end of the value. Each iteration reads one member or element, and the ends after it. If the text
    /// ends in between, the next call begins with that member or end again.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn walk(&mut self, text: &[u8]) -> Step<usize> {
        let (mut depth, mut objects) = (self.depth, self.objects);
        let mut at = self.at;
        let mut after_value = self.after_value;
        loop {
            if !after_value {
                let mut key = 0..0;
                let mut is_plain = true;
                let mut byte = token(text, &mut at)?;
                if objects & 1 == 1 {
                    if byte != b'"' {
                        return Err(Stop::Invalid(at, "expected a name"));
                    }
                    let end = string(text, at, &mut is_plain)?;
                    key = at + 1..end - 1;
                    at = end;
                    if token(text, &mut at)? != b':' {
                        return Err(Stop::Invalid(at, "expected a colon"));
                    }
                    at += 1;
                    byte = token(text, &mut at)?;
                }
                let start = at;
                let mut opens = false;
                match byte {
                    b'"' => at = string(text, at, &mut true)?,
                    b'{' | b'[' if depth == 2 && self.is_skipped_member(text, &key) => {
                        at = end_of_brackets(text, at).ok_or(Stop::Incomplete)?;
                    }
                    b'{' | b'[' => {
                        at += 1;
                        // "]" is "[" plus two, and "}" is "{" plus two.
                        if token(text, &mut at)? == byte + 2 { at += 1 } else { opens = true }
                    }
                    _ => at = scalar(text, at, byte)?,
                }
                self.record_member(text, depth, &key, start..at, is_plain);
                if opens {
                    if depth == 0 {
                        self.start = start;
                    }
                    if let Some(level) = self.open_levels.get_mut(depth as usize) {
                        level.0 = start;
                    }
                    if depth == MAX_DEPTH {
                        return Err(Stop::Invalid(start, "more than 127 nested arrays and objects"));
                    }
                    depth += 1;
                    objects = objects << 1 | u128::from(byte == b'{');
                    (self.at, self.depth, self.objects, self.after_value) = (at, depth, objects, false);
                    continue;
                }
                if depth == 0 {
                    self.start = start;
                    return Ok(at);
                }
                (self.at, self.after_value) = (at, true);
            }
            loop {
                let byte = token(text, &mut at)?;
                at += 1;
                if byte == b',' {
                    break;
                }
                let expected = if objects & 1 == 1 { b'}' } else { b']' };
                if byte != expected {
                    return Err(Stop::Invalid(at - 1, "expected a comma or the end"));
                }
                depth -= 1;
                objects >>= 1;
                if depth == 0 {
                    return Ok(at);
                }
                self.record_end(depth, at);
                (self.at, self.depth, self.objects) = (at, depth, objects);
            }
            (self.at, self.after_value) = (at, false);
            after_value = false;
        }
    }

    /// Whether a member at the second level is the skipped one.
    #[inline]
    fn is_skipped_member(&self, text: &[u8], key: &Range<usize>) -> bool {
        let Some((parent, name)) = self.skipped_member else { return false };
        text.get(key.clone()) == Some(name.as_bytes())
            && self
                .open_levels
                .first()
                .and_then(|(start, open)| Some(self.members.get(*open)?.key_in(text.get(*start..)?)))
                == Some(parent.as_bytes())
    }

    /// Records a member or element. The end of an array or object is not known yet.
    #[inline]
    fn record_member(&mut self, text: &[u8], depth: u32, key: &Range<usize>, value: Range<usize>, is_plain: bool) {
        let Some((start, open)) = (depth as usize).checked_sub(1).and_then(|depth| self.open_levels.get_mut(depth))
        else {
            return;
        };
        *open = self.members.len();
        // An element has no key; a key follows a quote.
        let key = if key.start == 0 { *start..*start } else { key.clone() };
        let span = |span: Range<usize>| (narrow(span.start - *start), narrow(span.end - *start));
        let tag = if is_plain { tag(text.get(key.clone()).unwrap_or_default()) } else { UNKNOWN_TAG };
        self.members.push(Member { key: span(key), value: span(value), skip: 1, tag });
    }

    /// Records the end of an array or object.
    #[inline]
    fn record_end(&mut self, depth: u32, end: usize) {
        let Some((start, open)) = (depth as usize).checked_sub(1).and_then(|depth| self.open_levels.get(depth)) else {
            return;
        };
        let skip = narrow(self.members.len() - open);
        if let Some(member) = self.members.get_mut(*open) {
            member.value.1 = narrow(end - start);
            member.skip = skip;
        }
    }
}

/// Position in a text, whose length was checked.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
fn narrow(at: usize) -> u32 {
    at as u32
}

/// Returns the first byte from `at` on that is not a blank.
#[inline]
fn token(text: &[u8], at: &mut usize) -> Step<u8> {
    loop {
        match text.get(*at) {
            Some(&byte) if byte > b' ' => return Ok(byte),
            Some(b' ' | b'\n' | b'\t' | b'\r') => *at += 1,
            Some(_) => return Err(Stop::Invalid(*at, "unexpected control character")),
            None => return Err(Stop::Incomplete),
        }
    }
}

/// Returns the byte after the string that begins here. The string is not plain if it has escapes or characters outside
/// ASCII.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
#[inline]
fn string(text: &[u8], quote: usize, is_plain: &mut bool) -> Step<usize> {
    let mut at = quote + 1;
    loop {
        while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
            let plain = plain_bytes(*block);
            at += plain;
            if plain < BLOCK {
                break;
            }
        }
        match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(0x20..0x80) if text.get(at) != Some(&b'\\') => at += 1,
            Some(_) => {
                *is_plain = false;
                at = irregular(text, at)?;
            }
            None => return Err(Stop::Incomplete),
        }
    }
}

/// Returns the byte after an escape or a character outside ASCII.
#[inline(never)]
fn irregular(text: &[u8], at: usize) -> Step<usize> {
    let byte = text.get(at).copied().ok_or(Stop::Incomplete)?;
    match byte {
        b'\\' => match text.get(at + 1).ok_or(Stop::Incomplete)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 2),
            b'u' => {
                for digit in at + 2..at + 6 {
                    if !text.get(digit).ok_or(Stop::Incomplete)?.is_ascii_hexdigit() {
                        return Err(Stop::Invalid(digit, "expected four hexadecimal digits"));
                    }
                }
                Ok(at + 6)
            }
            _ => Err(Stop::Invalid(at + 1, "unknown escape sequence")),
        },
        ..0x20 => Err(Stop::Invalid(at, "control character in a string")),
        _ => character(text, at, byte),
    }
}

/// Returns the byte after a character of several bytes (the Unicode Standard, table 3-7).
fn character(text: &[u8], at: usize, first: u8) -> Step<usize> {
    let (second, length) = match first {
        0xC2..=0xDF => (0x80..=0xBF, 2),
        0xE0 => (0xA0..=0xBF, 3),
        0xE1..=0xEC | 0xEE..=0xEF => (0x80..=0xBF, 3),
        0xED => (0x80..=0x9F, 3),
        0xF0 => (0x90..=0xBF, 4),
        0xF1..=0xF3 => (0x80..=0xBF, 4),
        0xF4 => (0x80..=0x8F, 4),
        _ => return Err(Stop::Invalid(at, "not UTF-8")),
    };
    for (index, expected) in [second, 0x80..=0xBF, 0x80..=0xBF].into_iter().enumerate().take(length - 1) {
        let index = at + 1 + index;
        if !expected.contains(text.get(index).ok_or(Stop::Incomplete)?) {
            return Err(Stop::Invalid(index, "not UTF-8"));
        }
    }
    Ok(at + length)
}

/// Returns the byte after a number, `true`, `false` or `null`.
#[inline]
fn scalar(text: &[u8], at: usize, first: u8) -> Step<usize> {
    match first {
        b'-' | b'0'..=b'9' => number(text, at, first),
        b't' => word(text, at, b"true"),
        b'f' => word(text, at, b"false"),
        b'n' => word(text, at, b"null"),
        _ => Err(Stop::Invalid(at, "expected a value")),
    }
}

#[inline]
fn word(text: &[u8], at: usize, word: &[u8]) -> Step<usize> {
    if text.get(at..at + word.len()) == Some(word) {
        return Ok(at + word.len());
    }
    for (index, letter) in (at..).zip(word) {
        if text.get(index).ok_or(Stop::Incomplete)? != letter {
            return Err(Stop::Invalid(index, "expected a value"));
        }
    }
    Err(Stop::Incomplete)
}

fn number(text: &[u8], mut at: usize, first: u8) -> Step<usize> {
    if first == b'-' {
        at += 1;
    }
    at = match text.get(at).ok_or(Stop::Incomplete)? {
        b'0' => at + 1,
        _ => digits(text, at)?,
    };
    let mut byte = *text.get(at).ok_or(Stop::Incomplete)?;
    if byte == b'.' {
        at = digits(text, at + 1)?;
        byte = *text.get(at).ok_or(Stop::Incomplete)?;
    }
    if byte | 0x20 == b'e' {
        at += 1;
        if matches!(text.get(at).ok_or(Stop::Incomplete)?, b'+' | b'-') {
            at += 1;
        }
        at = digits(text, at)?;
        text.get(at).ok_or(Stop::Incomplete)?;
    }
    Ok(at)
}

/// Returns the byte after one or more digits.
fn digits(text: &[u8], start: usize) -> Step<usize> {
    let mut at = start;
    loop {
        match text.get(at).ok_or(Stop::Incomplete)? {
            b'0'..=b'9' => at += 1,
            _ if at > start => return Ok(at),
            _ => return Err(Stop::Invalid(at, "expected a digit")),
        }
    }
}
