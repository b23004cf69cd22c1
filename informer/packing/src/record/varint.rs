//! Variable-length integers, and a reader of records.

/// Appends an integer to a record: seven bits per byte, the lowest first.
pub fn push_varint(record: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            return record.push(low);
        }
        record.push(0x80 | low);
    }
}

/// Appends a text to a record, after its length.
pub fn push_text(record: &mut Vec<u8>, text: &str) {
    push_varint(record, text.len() as u64);
    record.extend_from_slice(text.as_bytes());
}

/// Appends a number to a record: 0 and all its bytes or, for an integer, a varint of the integer plus one and a flag.
/// With the flag, the integer counts thousands: times are nearly always whole seconds.
pub fn push_number(record: &mut Vec<u8>, number: f64) {
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && (0.0..WHOLE).contains(&number) && number.is_sign_positive() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and small enough")]
        let whole = number as u64;
        let is_seconds = whole > 1_000_000 && whole.is_multiple_of(1000);
        let (whole, scale) = if is_seconds { (whole / 1000, 1) } else { (whole, 0) };
        return push_varint(record, (whole + 1) << 1 | scale);
    }
    record.push(0);
    record.extend_from_slice(&number.to_bits().to_le_bytes());
}

/// Reader of a record, from its beginning. Missing values are `None`.
#[derive(Clone, Copy, Debug)]
pub struct RecordReader<'r>(&'r [u8]);

impl<'r> RecordReader<'r> {
    /// Creates a reader of a record.
    pub fn new(record: &'r [u8]) -> Self {
        Self(record)
    }

    /// Returns the unread bytes.
    pub fn rest(&self) -> &'r [u8] {
        self.0
    }

    /// Reads a byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    /// Reads an integer written by [`push_varint`].
    pub fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads an integer that is a length.
    pub fn length(&mut self) -> Option<usize> {
        self.varint().and_then(|length| usize::try_from(length).ok())
    }

    /// Reads this many bytes.
    pub fn bytes(&mut self, length: usize) -> Option<&'r [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads a text of this many bytes.
    pub fn text_of(&mut self, length: usize) -> Option<&'r str> {
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    /// Skips this many texts.
    pub fn skip_texts(&mut self, texts: usize) -> Option<()> {
        for _ in 0..texts {
            let length = self.length()?;
            self.bytes(length)?;
        }
        Some(())
    }

    /// Reads a number written by [`push_number`].
    pub fn number(&mut self) -> Option<f64> {
        match self.varint()? {
            0 => self.bytes(8)?.first_chunk().map(|bits| f64::from_bits(u64::from_le_bytes(*bits))),
            whole => Some(((whole >> 1).saturating_sub(1) * if whole & 1 == 1 { 1000 } else { 1 }) as f64),
        }
    }

    /// Reads a text written by [`push_text`].
    pub fn text(&mut self) -> Option<&'r str> {
        let length = self.length()?;
        self.text_of(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_into_a_record_comes_out_of_it() {
        let numbers = [0, 1, 127, 128, 300, 1 << 35, u64::MAX];
        let mut record = Vec::new();
        for number in numbers {
            push_varint(&mut record, number);
            push_text(&mut record, "né");
        }
        let mut reader = RecordReader::new(&record);
        for number in numbers {
            assert_eq!((reader.varint(), reader.text()), (Some(number), Some("né")));
        }
        assert_eq!((reader.byte(), reader.varint(), reader.text()), (None, None, None));
        assert_eq!(RecordReader::new(&[0xFF; 20]).varint(), None, "no number is that long");
        assert_eq!(RecordReader::new(&[5, b'a']).text(), None);
        assert_eq!(RecordReader::new(&[1, 0xFF]).text(), None);
    }
}
