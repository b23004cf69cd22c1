//! Writes a source file with its mutants in it.

use std::ops::Range;

use crate::site::{Kind, Site};

pub(crate) struct Rendered {
    pub(crate) text: String,
    /// Where in the text each mutant is: start, end, number.
    pub(crate) ranges: Vec<(usize, usize, usize)>,
}

pub(crate) fn render(text: &str, sites: &[Site]) -> Rendered {
    let mut writer = Writer { text, out: String::new(), ranges: Vec::new() };
    writer.range(0..text.len(), &sites.iter().collect::<Vec<_>>());
    Rendered { text: writer.out, ranges: writer.ranges }
}

struct Writer<'a> {
    text: &'a str,
    out: String,
    ranges: Vec<(usize, usize, usize)>,
}

/// Sites that begin within a range; of one that is the range itself, those behind `outer`.
fn within<'s>(range: &Range<usize>, sites: &[&'s Site]) -> Vec<&'s Site> {
    sites.iter().filter(|site| range.start <= site.range.start && site.range.end <= range.end).copied().collect()
}

impl Writer<'_> {
    /// The text of a range, with all sites in it.
    fn range(&mut self, range: Range<usize>, sites: &[&Site]) {
        let (mut at, mut rest) = (range.start, sites);
        while let [site, behind @ ..] = rest {
            self.out.push_str(&self.text[at..site.range.start]);
            let inner: Vec<&Site> = within(&site.range, behind);
            self.site(site, &inner);
            at = site.range.end;
            rest = &behind[inner.len()..];
        }
        self.out.push_str(&self.text[at..range.end]);
    }

    fn mutant(&mut self, number: usize, text: &str) {
        let start = self.out.len();
        self.out.push_str(text);
        self.ranges.push((start, self.out.len(), number));
    }

    fn site(&mut self, site: &Site, inner: &[&Site]) {
        let original = self.text[site.range.clone()].to_owned();
        let on = |number: usize| format!("crate::mutant::on({number})");
        match &site.kind {
            Kind::Body => {
                for (number, value) in &site.mutants {
                    self.mutant(*number, &format!(" if {} {{ return {value}; }}", on(*number)));
                }
                self.range(site.range.clone(), inner);
            }
            Kind::Binary { left, right } => {
                self.out.push('(');
                for (number, operator) in &site.mutants {
                    let (left, right) = (&self.text[left.clone()], &self.text[right.clone()]);
                    self.mutant(*number, &format!("if {} {{ {left} {operator} {right} }} else ", on(*number)));
                }
                self.out.push_str("{ ");
                self.range(left.clone(), &within(left, inner));
                self.out.push_str(&self.text[left.end..right.start]);
                self.range(right.clone(), &within(right, inner));
                self.out.push_str(" })");
            }
            Kind::Unary { operand } => {
                self.out.push('(');
                for (number, _) in &site.mutants {
                    self.mutant(*number, &format!("if {} {{ {} }} else ", on(*number), &self.text[operand.clone()]));
                }
                self.out.push_str("{ ");
                self.out.push_str(&self.text[site.range.start..operand.start]);
                self.range(operand.clone(), &within(operand, inner));
                self.out.push_str(" })");
            }
            Kind::Arm { guard } => {
                let off: Vec<String> = site.mutants.iter().map(|(number, _)| format!("!{}", on(*number))).collect();
                let start = self.out.len();
                self.out.push_str(&format!(" if {}", off.join(" && ")));
                if let Some(guard) = guard {
                    self.out.push_str(" && (");
                    self.range(guard.clone(), &within(guard, inner));
                    self.out.push(')');
                }
                for (number, _) in &site.mutants {
                    self.ranges.push((start, start + off[0].len(), *number));
                }
            }
            Kind::Guard => {
                self.out.push('(');
                for (number, value) in &site.mutants {
                    let text =
                        if value == "true" { format!("{} || ", on(*number)) } else { format!("!{} && ", on(*number)) };
                    self.mutant(*number, &text);
                }
                self.out.push('(');
                self.range(site.range.clone(), inner);
                self.out.push_str("))");
            }
            Kind::Field { base, field } => {
                let value = original.split_once(':').map_or(field.as_str(), |(_, value)| value);
                let skipped = original.len() - value.len();
                self.out.push_str(&format!("{field}: "));
                for (number, _) in &site.mutants {
                    self.mutant(*number, &format!("if {} {{ ({base}).{field} }} else ", on(*number)));
                }
                self.out.push_str("{ ");
                if original.contains(':') {
                    let value = site.range.start + skipped..site.range.end;
                    self.range(value.clone(), &within(&value, inner));
                } else {
                    self.out.push_str(field);
                }
                self.out.push_str(" }");
            }
        }
    }
}
