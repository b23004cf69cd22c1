//! Text of a layout: `name,status~160,team=label:team` in a link and in the browser's storage.

use super::custom::checked_name;
use super::{CustomColumn, Item, Layout, MAX_PINNED, WIDTHS};
use crate::sort::slug;

/// Maximum numbers of columns of a layout, and of those that a user defines: each is read from every object.
pub(crate) const MAX_COLUMNS: (usize, usize) = (64, 12);

/// Maximum number of problems that are listed.
const MAX_PROBLEMS: usize = 3;

/// Text for the usual columns.
const USUAL: &str = "*";

/// Text after the columns that stay in sight.
const PIN: &str = "~";

impl Layout {
    /// Parses a text. Returns the layout, and messages about the ignored parts.
    ///
    /// Columns are separated by commas: the name of one of the kind, or `name=label:key`, `name=metrics:cpu` or
    /// `name=path` for one of the user's own, either with `~` and its width. `~` alone follows the columns that stay in
    /// sight. With `*` at the begin, the usual columns are shown, and what follows has their widths and the user's
    /// columns. `\` stands before a `,`, `=`, `~` or `\` that is part of a name or path.
    pub(crate) fn parse(text: &str) -> (Self, Vec<String>) {
        let mut layout = Self { is_usual: false, ..Self::default() };
        let mut problems = Vec::new();
        for (at, part) in split(text, ',').into_iter().enumerate() {
            let part = part.trim();
            if part == USUAL && at == 0 {
                layout.is_usual = true;
            } else if part == PIN {
                layout.pinned = layout.items.len().min(MAX_PINNED);
            } else if !part.is_empty() {
                match item(part).and_then(|item| layout.check(item)) {
                    Ok(item) => layout.items.push(item),
                    Err(error) => problems.push(format!("“{}”: {error}", short(part))),
                }
            }
        }
        if !layout.is_usual && layout.items.is_empty() {
            layout = Self::default();
        }
        if layout.is_usual {
            layout.pinned = 0;
        }
        let more = problems.len().saturating_sub(MAX_PROBLEMS);
        problems.truncate(MAX_PROBLEMS);
        if more > 0 {
            problems.push(format!("{more} more"));
        }
        (layout, problems)
    }

    fn check(&self, item: Item) -> Result<Item, String> {
        let custom_count = self.items.iter().filter(|item| item.custom.is_some()).count();
        if self.items.iter().any(|known| known.is(&item.name, item.custom.is_some())) {
            Err("a column of this name is listed already".to_owned())
        } else if self.items.len() >= MAX_COLUMNS.0 || (item.custom.is_some() && custom_count >= MAX_COLUMNS.1) {
            Err(format!("at most {} columns, {} of them your own", MAX_COLUMNS.0, MAX_COLUMNS.1))
        } else {
            Ok(item)
        }
    }

    /// Formats the layout as [`parse`](Self::parse) reads it; empty for the usual one.
    pub(crate) fn text(&self) -> String {
        if self.is_default() {
            return String::new();
        }
        let mut parts = Vec::new();
        if self.is_usual {
            parts.push(USUAL.to_owned());
        }
        for (at, item) in self.items.iter().enumerate() {
            if self.pinned > 0 && at == self.pinned {
                parts.push(PIN.to_owned());
            }
            let mut part = match &item.custom {
                Some(custom) => [&*escaped(&item.name), "=", &escaped(&custom.text())].concat(),
                None => escaped(&slug(&item.name)),
            };
            if let Some(width) = item.width {
                part.push('~');
                part.push_str(&width.to_string());
            }
            parts.push(part);
        }
        if self.pinned > 0 && self.pinned >= self.items.len() {
            parts.push(PIN.to_owned());
        }
        parts.join(",")
    }
}

fn item(part: &str) -> Result<Item, String> {
    let mut parts = split(part, '~').into_iter();
    let source = parts.next().unwrap_or_default();
    let width = match parts.next() {
        None => None,
        Some(width) => match width.trim().parse().ok().filter(|width| WIDTHS.contains(width)) {
            Some(width) => Some(width),
            None => return Err(format!("a width is {} to {} pixels", WIDTHS.start(), WIDTHS.end())),
        },
    };
    let mut sides = split(source, '=').into_iter();
    let name = checked_name(&unescaped(sides.next().unwrap_or_default()))?;
    let custom: Vec<&str> = sides.collect();
    // A path may contain the sign: [?(@.type=="Ready")].
    let custom = if custom.is_empty() { None } else { Some(CustomColumn::parse(&unescaped(&custom.join("=")))?) };
    Ok(Item { name, custom, width })
}

/// Splits at a sign without `\` before it.
fn split(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut from, mut is_escaped) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        if c == sign && !is_escaped {
            parts.push(&text[from..at]);
            from = at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    parts.push(&text[from..]);
    parts
}

fn escaped(text: &str) -> String {
    let mut into = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ',' | '=' | '~' | '\\') {
            into.push('\\');
        }
        into.push(c);
    }
    into
}

fn unescaped(text: &str) -> String {
    let (mut into, mut is_escaped) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        is_escaped = c == '\\' && !is_escaped;
        if !is_escaped {
            into.push(c);
        }
    }
    into
}

/// The first characters of a text, for a message.
fn short(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    let short = crate::visible::visible(&short).into_owned();
    if text.chars().count() > 40 { [&*short, "…"].concat() } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> String {
        let (layout, problems) = Layout::parse(text);
        assert_eq!(problems, Vec::<String>::new(), "{text}");
        layout.text()
    }

    #[test]
    fn a_layout_round_trips() {
        for text in [
            "",
            "name,status",
            "namespace,name,~,ready",
            "name,~",
            "name~240,team=label:team,node=.spec.nodeName~90",
            "*,name~240,team=label:team",
            "*,CPU=metrics:cpu~90,Memory=metrics:memory",
            r#"ready={.status.conditions[?(@.type\=\=\"Ready\")].status}"#,
            r"a=.x[0\,1]\~,b=.metadata.labels['a\\.b']",
        ] {
            assert_eq!(round(text), text.replace("\\\"", "\""), "{text}");
        }
        assert_eq!(round(" Name , Nominated Node,, "), "name,nominated-node");
        assert_eq!(round("*"), "", "the usual layout");
        assert_eq!(round("~,,"), "", "no column");
        assert_eq!(round("a,b,c,d,e,f,~"), "a,b,c,d,~,e,f", "at most four stay in sight");
        let (layout, _) = Layout::parse(r#"x={.a[?(@.b=="c")]}"#);
        assert_eq!(
            layout.custom_columns(),
            [("x".to_owned(), r#"{.a[?(@.b=="c")]}"#.to_owned())],
            "as a person types it"
        );
    }

    #[test]
    fn what_is_invalid_is_ignored_and_named() {
        let (layout, problems) = Layout::parse("name~9,status,a<b=.x,status~90,x=label:a b,\u{202e},y=");
        assert_eq!(layout.text(), "status");
        assert_eq!(problems.len(), 4);
        assert_eq!(problems[0], "“name~9”: a width is 40 to 1200 pixels");
        assert!(problems[1].contains("a<b") && problems[2].contains("listed already"), "{problems:?}");
        assert_eq!(problems[3], "3 more");
        let many: Vec<String> = (0..5_000).map(|at| format!("c{at}=.a")).collect();
        let (layout, problems) = Layout::parse(&many.join(","));
        assert_eq!((layout.items.len(), problems.len()), (12, 4));
        assert!(problems[0].contains("at most 64 columns, 12 of them your own"));
    }

    #[test]
    fn any_text_is_parsed() {
        for text in ["\\", "~~~", "=,=,=", "a~~~", "*,*,*", "a\\", "é~é", "\u{0}", "a=\\", &"~,".repeat(9_999)] {
            let (layout, _) = Layout::parse(text);
            let (again, _) = Layout::parse(&layout.text());
            assert_eq!(again, layout, "{text}");
        }
    }
}
