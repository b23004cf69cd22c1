//! CSV of rows, as RFC 4180 has it, which no spreadsheet takes for formulas.

use informer_engine::columns::Cell;
use js_sys::Date;

use crate::age::age;
use crate::text::decimal;

/// Writes one record.
pub(super) fn record(fields: impl Iterator<Item = String>) -> String {
    let mut line = fields.map(|field| quoted(&harmless(field))).collect::<Vec<_>>().join(",");
    line.push_str("\r\n");
    line
}

/// The text of a cell: a time as RFC 3339 has it, because the age of a file's content is unknown later.
pub(super) fn text_of(cell: Option<&Cell>, now: f64) -> String {
    match cell {
        Some(Cell::Text(text)) => text.clone(),
        Some(Cell::Number(number) | Cell::Restarts(number, _)) => decimal(*number),
        Some(Cell::Time(at)) => String::from(Date::new(&(*at).into()).to_iso_string()),
        Some(Cell::Duration(from, to)) => age(to.unwrap_or(now), *from),
        Some(Cell::None) | None => String::new(),
    }
}

/// Prefixes a text that a spreadsheet would run as a formula. A negative number is none.
///
/// <https://owasp.org/www-community/attacks/CSV_Injection>
fn harmless(text: String) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let is_number = text.strip_prefix('-').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    if is_formula && !is_number { ["'", &text].concat() } else { text }
}

fn quoted(text: &str) -> String {
    let is_plain = !text.contains([',', '"', '\n', '\r', ';', '\t']) && text.trim().len() == text.len();
    if is_plain { text.to_owned() } else { ["\"", &text.replace('"', "\"\""), "\""].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        let line = |fields: &[&str]| record(fields.iter().map(|field| (*field).to_owned()));
        assert_eq!(
            line(&["web", "a,b", "say \"x\"", "two\nlines", "", " x"]),
            "web,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",,\" x\"\r\n"
        );
    }

    #[test]
    fn no_cell_is_a_formula() {
        let field = |text: &str| record(std::iter::once(text.to_owned()));
        assert_eq!(field("=1+1"), "'=1+1\r\n");
        assert_eq!(field("@SUM(a1)"), "'@SUM(a1)\r\n");
        assert_eq!(field("+1"), "'+1\r\n");
        assert_eq!(field("-cmd"), "'-cmd\r\n");
        assert_eq!(field("\t=1"), "\"'\t=1\"\r\n");
        assert_eq!(field("=a,\"b"), "\"'=a,\"\"b\"\r\n");
        for number in ["-5", "-0.5", "12"] {
            assert_eq!(field(number), format!("{number}\r\n"));
        }
        assert_eq!(field("-5+cmd"), "'-5+cmd\r\n");
    }

    #[test]
    fn cells_are_written_without_ages() {
        assert_eq!(text_of(Some(&Cell::Restarts(3.0, Some(0.0))), 1e6), "3");
        assert_eq!(text_of(Some(&Cell::Duration(0.0, Some(90_000.0))), 1e6), "90s");
        assert_eq!((text_of(None, 0.0), text_of(Some(&Cell::None), 0.0)), (String::new(), String::new()));
    }
}
