//! JSON writer.

/// Writer of a JSON object, member by member.
///
/// The text is valid JSON once all writers of nested values and this one have been dropped.
///
/// ```
/// use informer_packing::ObjectWriter;
///
/// let mut text = String::new();
/// let mut pod = ObjectWriter::new(&mut text);
/// pod.text("name", "we\"b").number("restarts", 2).raw("spec", r#"{"nodeName":"n1"}"#);
/// pod.array("ips").text("::1").text("::2");
/// drop(pod);
/// assert_eq!(text, r#"{"name":"we\"b","restarts":2,"spec":{"nodeName":"n1"},"ips":["::1","::2"]}"#);
/// ```
#[derive(Debug)]
pub struct ObjectWriter<'w>(ArrayWriter<'w>);

impl<'w> ObjectWriter<'w> {
    /// Begins an object at the end of a text.
    pub fn new(out: &'w mut String) -> Self {
        Self(ArrayWriter::begin(out, '{', '}'))
    }

    /// Writes a string.
    pub fn text(&mut self, name: &str, text: &str) -> &mut Self {
        write_string(self.member(name), text);
        self
    }

    /// Writes a string that needs no escapes.
    pub fn word(&mut self, name: &str, word: &str) -> &mut Self {
        self.member(name).extend(["\"", word, "\""]);
        self
    }

    /// Writes an integer.
    pub fn number(&mut self, name: &str, number: u64) -> &mut Self {
        write_number(self.member(name), number);
        self
    }

    /// Writes any number: see [`write_float`].
    pub fn float(&mut self, name: &str, number: f64) -> &mut Self {
        write_float(self.member(name), number);
        self
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, name: &str, is_true: bool) -> &mut Self {
        self.raw(name, if is_true { "true" } else { "false" })
    }

    /// Writes JSON text.
    pub fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        self.member(name).push_str(json);
        self
    }

    /// Begins an array.
    pub fn array(&mut self, name: &str) -> ArrayWriter<'_> {
        ArrayWriter::new(self.member(name))
    }

    /// Begins an object.
    pub fn object(&mut self, name: &str) -> ObjectWriter<'_> {
        ObjectWriter::new(self.member(name))
    }

    /// Returns the text, to which the caller appends the value of this member.
    pub fn member(&mut self, name: &str) -> &mut String {
        let out = self.0.element();
        write_string(out, name);
        out.push(':');
        out
    }
}

/// Writer of a JSON array, element by element. Like [`ObjectWriter`], without names.
#[derive(Debug)]
pub struct ArrayWriter<'w> {
    out: &'w mut String,
    is_empty: bool,
    end: char,
}

impl<'w> ArrayWriter<'w> {
    /// Begins an array at the end of a text.
    pub fn new(out: &'w mut String) -> Self {
        Self::begin(out, '[', ']')
    }

    fn begin(out: &'w mut String, start: char, end: char) -> Self {
        out.push(start);
        Self { out, is_empty: true, end }
    }

    /// Writes a string.
    pub fn text(&mut self, text: &str) -> &mut Self {
        write_string(self.element(), text);
        self
    }

    /// Writes any number: see [`write_float`].
    pub fn float(&mut self, number: f64) -> &mut Self {
        write_float(self.element(), number);
        self
    }

    /// Writes JSON text.
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.element().push_str(json);
        self
    }

    /// Begins an object.
    pub fn object(&mut self) -> ObjectWriter<'_> {
        ObjectWriter::new(self.element())
    }

    /// Returns the text, to which the caller appends the next element.
    pub fn element(&mut self) -> &mut String {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        self.out
    }
}

impl Drop for ArrayWriter<'_> {
    fn drop(&mut self) {
        self.out.push(self.end);
    }
}

/// Writes a string in quotes.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | ..b' ')) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let (byte, after) = special.split_at(1);
        match byte {
            "\"" | "\\" => out.extend(["\\", byte]),
            "\n" => out.push_str("\\n"),
            "\r" => out.push_str("\\r"),
            "\t" => out.push_str("\\t"),
            _ => {
                let code = byte.bytes().next().unwrap_or_default();
                out.push_str(if code < 16 { "\\u000" } else { "\\u001" });
                out.push(char::from_digit(u32::from(code % 16), 16).unwrap_or_default());
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out.push('"');
}

/// Writes an integer.
pub fn write_number(out: &mut String, number: u64) {
    let mut digits = [0; 20];
    let (mut start, mut rest) = (digits.len(), number);
    loop {
        start -= 1;
        // Below ten, so it fits.
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push_str(str::from_utf8(&digits[start..]).unwrap_or_default());
}

/// Writes a number with as many decimals, at most six, as a double of its size can distinguish; null if it is not
/// finite. The shortest text that parses to the same number would take 20 KB of tables.
pub fn write_float(out: &mut String, number: f64) {
    const EXACT: f64 = (1_u64 << 53) as f64;
    if !number.is_finite() {
        return out.push_str("null");
    }
    if number < 0.0 {
        out.push('-');
    }
    let (mut rest, mut tens) = (number.abs(), 0);
    while rest >= EXACT {
        rest /= 10.0;
        tens += 1;
    }
    let (mut unit, mut decimals) = (1_u64, 0);
    while decimals < 6 && tens == 0 && rest.fract() != 0.0 && rest * ((unit * 10) as f64) < EXACT {
        unit *= 10;
        decimals += 1;
    }
    // Not negative, and below 2^53.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let whole = (rest * unit as f64).round() as u64;
    write_number(out, whole / unit);
    let mut fraction = whole % unit;
    if fraction > 0 {
        while fraction.is_multiple_of(10) {
            fraction /= 10;
            decimals -= 1;
        }
        out.push('.');
        let digits = fraction.checked_ilog10().map_or(1, |log| log + 1);
        (digits..decimals).for_each(|_| out.push('0'));
        write_number(out, fraction);
    }
    if tens > 0 {
        out.push('e');
        write_number(out, tens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_round_trip(text in any::<String>(), controls in "[\u{0}-\u{1f}\"\\\\]{0,8}") {
            let text = format!("{text}{controls}");
            let mut out = String::new();
            write_string(&mut out, &text);
            prop_assert_eq!(serde_json::from_str::<String>(&out).expect("JSON"), text);
        }

        #[test]
        fn numbers_are_written_in_decimal(number in any::<u64>()) {
            let mut out = String::new();
            write_number(&mut out, number);
            prop_assert_eq!(out, number.to_string());
        }
    }

    #[test]
    fn numbers_keep_six_decimals() {
        for (number, text) in [
            (0.0, "0"),
            (-3.0, "-3"),
            (1.5, "1.5"),
            (0.05, "0.05"),
            (-0.000_001, "-0.000001"),
            (0.1 + 0.2, "0.3"),
            (2.999_999_9, "3"),
            (1_795_235_495_000.25, "1795235495000.25"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (1e14 + 0.5, "100000000000000.5"),
            (1e16, "1000000000000000e1"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ] {
            let mut out = String::new();
            write_float(&mut out, number);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn parts_end_by_themselves() {
        let mut text = String::new();
        {
            let mut object = ObjectWriter::new(&mut text);
            object.object("empty");
            object.array("list").raw("null").object().bool("is", true).word("a", "b");
        }
        assert_eq!(text, r#"{"empty":{},"list":[null,{"is":true,"a":"b"}]}"#);
    }
}
