//! Text conversions with the browser's tables. Those of Rust would be 16 KB gzip of the page's first wasm file: lower case and
//! numbers 8 KB each. `js_sys::parse_float` is used for the same reason: Rust's parser of floats has another 15 KB.

/// Lower case of each character, as the engine compares names of columns. For ASCII alone, use `to_ascii_lowercase`.
pub(crate) fn lower(text: &str) -> String {
    let mut lower = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            lower.push(c.to_ascii_lowercase());
        } else {
            lower.push_str(&lower_of(c));
        }
    }
    lower
}

/// Formats a number without rounding: `3`, `0.5`; beyond 1e21 and below 1e-6 as JavaScript does, `1e-7`. Whole numbers, which
/// nearly all are, do not leave the wasm.
#[expect(clippy::cast_possible_truncation, reason = "the number is whole and small enough")]
pub(crate) fn decimal(number: f64) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.trunc().to_bits() == number.to_bits() && number.abs() < EXACT {
        (number as i64).to_string()
    } else {
        fraction(number)
    }
}

#[cfg(target_arch = "wasm32")]
fn lower_of(c: char) -> String {
    js_sys::JsString::from(c).to_lower_case().into()
}

#[cfg(target_arch = "wasm32")]
fn fraction(number: f64) -> String {
    js_sys::Number::from(number).to_string_with_radix(10).map_or_else(|_| String::new(), String::from)
}

#[cfg(not(target_arch = "wasm32"))]
fn lower_of(c: char) -> String {
    c.to_lowercase().collect()
}

#[cfg(not(target_arch = "wasm32"))]
fn fraction(number: f64) -> String {
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_alphabet_become_lower_case() {
        for (text, expected) in [("Node Name", "node name"), ("ÜBER", "über"), ("ΣΑΣ", "σασ"), ("", "")] {
            assert_eq!(lower(text), expected);
        }
    }

    #[test]
    fn numbers_are_written_as_they_are() {
        let cases =
            [(3.0, "3"), (-12.0, "-12"), (0.5, "0.5"), (-2.25, "-2.25"), (9_007_199_254_740_991.0, "9007199254740991")];
        for (number, expected) in cases {
            assert_eq!(decimal(number), expected);
        }
    }
}
