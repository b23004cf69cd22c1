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

/// Appends a number to a record. An integer from 0 to 2^53 is a varint of `(integer + 1) << 1 | flag`; with the flag it
/// counts thousands, because times in milliseconds are nearly always whole seconds. Any other number is a 0 byte and
/// its eight bytes.
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

/// Reader of a record, from its beginning. Missing and malformed values are `None`.
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
            whole => {
                let number = (whole >> 1).checked_sub(1)?;
                number.checked_mul(if whole & 1 == 1 { 1000 } else { 1 }).map(|number| number as f64)
            }
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
    fn values_round_trip() {
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

    #[test]
    fn numbers_round_trip() {
        let numbers =
            [0.0, -0.0, 1.0, 1_000_000.0, 1_001_000.0, 1_764_230_400_000.0, 9_007_199_254_740_991.0, 0.5, -3.0, 1e300];
        let mut record = Vec::new();
        for number in numbers {
            push_number(&mut record, number);
        }
        let mut reader = RecordReader::new(&record);
        for number in numbers {
            assert_eq!(reader.number().map(f64::to_bits), Some(number.to_bits()));
        }
        assert_eq!(reader.number(), None);
    }

    #[test]
    fn a_malformed_number_is_none() {
        // Thousands beyond 64 bits, and the code that no integer has.
        for varint in [u64::MAX, 1] {
            let mut record = Vec::new();
            push_varint(&mut record, varint);
            assert_eq!(RecordReader::new(&record).number(), None, "{varint}");
        }
    }
}
