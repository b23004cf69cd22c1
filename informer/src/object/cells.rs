//! Compact encoding of cells.
//!
//! A tag, then its value. Text is stored as it is, so that the body, which contains it too, need not store it again.

use informer_packing::{RecordReader, push_number, push_text};

use crate::cell::Cell;

const NONE: u8 = 0;
const TEXT: u8 = 1;
/// The object's name.
const NAME: u8 = 2;
/// Creation time of the object.
const CREATED: u8 = 3;
const NUMBER: u8 = 4;
const TIME: u8 = 5;
const RESTARTS: u8 = 6;
const RESTARTS_SINCE: u8 = 7;
const DURATION: u8 = 8;
const DURATION_UNTIL: u8 = 9;

/// Appends a cell to a record.
pub(super) fn push_cell(record: &mut Vec<u8>, cell: &Cell, name: &str, created: f64) {
    let (tag, numbers) = match cell {
        Cell::None => (NONE, [None, None]),
        Cell::Text(text) if text == name => (NAME, [None, None]),
        Cell::Text(text) => {
            record.push(TEXT);
            return push_text(record, text);
        }
        Cell::Time(time) if time.to_bits() == created.to_bits() => (CREATED, [None, None]),
        Cell::Number(number) => (NUMBER, [Some(*number), None]),
        Cell::Time(time) => (TIME, [Some(*time), None]),
        Cell::Restarts(count, None) => (RESTARTS, [Some(*count), None]),
        Cell::Restarts(count, last) => (RESTARTS_SINCE, [Some(*count), *last]),
        Cell::Duration(start, None) => (DURATION, [Some(*start), None]),
        Cell::Duration(start, end) => (DURATION_UNTIL, [Some(*start), *end]),
    };
    record.push(tag);
    for number in numbers.into_iter().flatten() {
        push_number(record, number);
    }
}

/// Reads a cell.
pub(super) fn cell(record: &mut RecordReader<'_>, name: &str, created: f64) -> Option<Cell> {
    Some(match record.byte()? {
        TEXT => Cell::Text(record.text()?.to_owned()),
        NAME => Cell::Text(name.to_owned()),
        CREATED => Cell::Time(created),
        NUMBER => Cell::Number(record.number()?),
        TIME => Cell::Time(record.number()?),
        RESTARTS => Cell::Restarts(record.number()?, None),
        RESTARTS_SINCE => Cell::Restarts(record.number()?, Some(record.number()?)),
        DURATION => Cell::Duration(record.number()?, None),
        DURATION_UNTIL => Cell::Duration(record.number()?, Some(record.number()?)),
        _ => Cell::None,
    })
}

/// Reads the text of a cell, or skips a cell that is no text.
#[expect(clippy::option_option, reason = "the outer one is the end of the record")]
pub(super) fn text_cell<'r>(record: &mut RecordReader<'r>, name: &'r str) -> Option<Option<&'r str>> {
    let numbers = match record.byte()? {
        TEXT => return Some(Some(record.text()?)),
        NAME => return Some(Some(name)),
        NUMBER | TIME | RESTARTS | DURATION => 1,
        RESTARTS_SINCE | DURATION_UNTIL => 2,
        _ => 0,
    };
    for _ in 0..numbers {
        record.number()?;
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_round_trip() {
        let cells = [
            Cell::None,
            Cell::Text("web".into()),
            Cell::Text("né\"\n".into()),
            Cell::Text(String::new()),
            Cell::Number(0.0),
            Cell::Number(-0.0),
            Cell::Number(-1.5),
            Cell::Number(9_007_199_254_740_993.0),
            Cell::Number(f64::MAX),
            Cell::Number(2_000_000.0),
            Cell::Time(1_795_235_495_000.0),
            Cell::Time(1_795_235_495_123.0),
            Cell::Time(7000.0),
            Cell::Restarts(3.0, None),
            Cell::Restarts(3.0, Some(7000.0)),
            Cell::Duration(1000.0, None),
            Cell::Duration(1000.0, Some(2000.25)),
        ];
        let mut record = Vec::new();
        for cell in &cells {
            push_cell(&mut record, cell, "web", 7000.0);
        }
        let mut reader = RecordReader::new(&record);
        for expected in &cells {
            let cell = cell(&mut reader, "web", 7000.0).expect("it is there");
            assert_eq!(&cell, expected);
            if let (Cell::Number(a), Cell::Number(b)) = (cell, expected) {
                assert_eq!(a.to_bits(), b.to_bits());
            }
        }
        assert_eq!(cell(&mut reader, "web", 7000.0), None);
        let mut reader = RecordReader::new(&record);
        for expected in &cells {
            let text = text_cell(&mut reader, "web").expect("it is there");
            assert_eq!(text, if let Cell::Text(text) = expected { Some(text.as_str()) } else { None });
        }
        assert_eq!(text_cell(&mut reader, "web"), None);
    }
}
