//! Quantities: `100m`, `128Mi`, `1.5`.

use serde_json::Value;

/// A quantity as a number in its base unit: cores, bytes, pods. `None` if it is no quantity.
pub fn quantity(value: &Value) -> Option<f64> {
    if let Some(number) = value.as_f64() {
        return Some(number);
    }
    let text = value.as_str()?;
    let end = text.find(|letter: char| !matches!(letter, '0'..='9' | '.' | '+' | '-')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let number = decimal(number)?;
    let factor = match suffix {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        "Pi" => 1_125_899_906_842_624.0,
        "Ei" => 1_152_921_504_606_846_976.0,
        exponent => 10_f64.powi(exponent.strip_prefix(['e', 'E'])?.parse().ok()?),
    };
    Some(number * factor)
}

/// A decimal number of at most fifteen digits on either side. Reading a float from any text is 13 KB of wasm.
fn decimal(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() || whole.len() > 18 || fraction.len() > 15 {
        return None;
    }
    let read = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
    let unit = 10_f64.powi(i32::try_from(fraction.len()).ok()?);
    Some(sign * (read(whole)? as f64 + read(fraction)? as f64 / unit))
}

/// An amount of a resource in the unit that keeps it short: `250m`, `1.5`, `512Mi`.
pub fn amount(resource: &str, amount: f64) -> String {
    let is_bytes = ["memory", "storage", "hugepages"].iter().any(|name| resource.contains(name));
    if is_bytes {
        let units = [("Ti", 1_099_511_627_776.0), ("Gi", 1_073_741_824.0), ("Mi", 1_048_576.0), ("Ki", 1024.0)];
        let unit = units.into_iter().find(|(_, size)| amount.abs() >= *size);
        return unit.map_or_else(|| short(amount), |(unit, size)| format!("{}{unit}", short(amount / size)));
    }
    if resource.ends_with("cpu") && amount.abs() < 1.0 && amount.abs() > 0.0 {
        return format!("{}m", (amount * 1_000.0).round());
    }
    short(amount)
}

/// A number with at most one decimal place.
fn short(number: f64) -> String {
    let rounded = (number * 10.0).round() / 10.0;
    if (rounded - rounded.round()).abs() < 0.01 { format!("{}", rounded.round()) } else { format!("{rounded:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quantities_are_read_and_written() {
        let close = |value: Value, expected: f64| {
            let read = quantity(&value).unwrap_or(f64::NAN);
            assert!((read - expected).abs() < 1e-9 * expected.abs().max(1.0), "{value}: {read}");
        };
        close(json!("100m"), 0.1);
        close(json!("1.5"), 1.5);
        close(json!(".5"), 0.5);
        close(json!("128Mi"), 134_217_728.0);
        close(json!("1e3"), 1_000.0);
        close(json!("2E"), 2e18);
        close(json!(2), 2.0);
        for odd in
            [json!("m"), json!(""), json!("--1"), json!("1Mib"), json!(null), json!("1.2.3"), json!("1e99999999999")]
        {
            assert_eq!(quantity(&odd), None, "{odd}");
        }
        assert_eq!(
            (amount("cpu", 0.25), amount("requests.cpu", 1.5), amount("cpu", 0.0)),
            ("250m".into(), "1.5".into(), "0".into())
        );
        assert_eq!((amount("memory", 134_217_728.0), amount("pods", 110.0)), ("128Mi".into(), "110".into()));
    }
}
