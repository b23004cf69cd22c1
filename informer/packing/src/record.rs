//! What is asked of records most: the key that each begins with, and the moment after it.
//!
//! Sorting and searching ask it of a hundred thousand records in a row, so it is done in one call each.

use crate::varint::RecordReader;

/// A record up to its key.
#[derive(Clone, Copy, Debug)]
pub struct RecordKey<'r> {
    /// The number before the key.
    pub mark: usize,
    /// The key.
    pub key: &'r str,
    /// What follows it, up to the end of the head.
    pub rest: RecordReader<'r>,
}

/// Reads the beginning of a record: the length of its body, the length of its head; of that a number and the key.
pub fn record_key(record: &[u8]) -> Option<RecordKey<'_>> {
    let (mark, mut rest) = head(record)?;
    Some(RecordKey { mark, key: rest.text()?, rest })
}

/// The number that stands in the head after the key and two texts.
pub fn record_moment(record: &[u8]) -> Option<f64> {
    let (_, mut rest) = head(record)?;
    rest.skip_texts(3)?;
    rest.number()
}

fn head(record: &[u8]) -> Option<(usize, RecordReader<'_>)> {
    let mut reader = RecordReader::new(record);
    reader.varint()?;
    let length = reader.length()?;
    let mut head = RecordReader::new(reader.bytes(length)?);
    Some((head.length()?, head))
}
