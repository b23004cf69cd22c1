//! Site of a mutant: the range of bytes in a source file that can be rewritten.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Block, Expr, ExprBinary, ExprMatch, ExprStruct, ExprUnary, Pat, PatIdent, Signature};

use crate::Mutant;

/// A piece of source that one or several mutants change.
pub(crate) struct Site {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
    /// What stands there instead, by the number of the mutant.
    pub(crate) mutants: Vec<(usize, String)>,
}

pub(crate) enum Kind {
    /// Behind the brace that opens a function's body: the mutant returns at once.
    Body,
    /// Two operands and the operator between them.
    Binary { left: Range<usize>, right: Range<usize> },
    /// An operator that is left out, and its operand.
    Unary { operand: Range<usize> },
    /// The place behind a pattern; the guard, if there is one.
    Arm { guard: Option<Range<usize>> },
    /// A guard that is always or never true.
    Guard,
    /// The value of a field that the base of its struct would give, too.
    Field { base: String, field: String },
}

/// The sites of these mutants, by where they begin, and why others have none.
pub(crate) fn find(text: &str, mutants: &[Mutant]) -> (Vec<Site>, BTreeMap<usize, String>) {
    let mut by_place: HashMap<(String, (usize, usize)), Vec<&Mutant>> = HashMap::new();
    for mutant in mutants {
        by_place.entry((mutant.genre.clone(), mutant.at)).or_default().push(mutant);
    }
    let mut finder = Finder { text, by_place, sites: Vec::new(), constant: 0, last_arm: None };
    finder.visit_file(&syn::parse_file(text).expect("Rust"));
    let mut sites = finder.sites;
    sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    let left = finder.by_place.into_values().flatten().map(|mutant| (mutant.number, format!("{} has no switch here", mutant.genre)));
    (sites, left.collect())
}

struct Finder<'a> {
    text: &'a str,
    by_place: HashMap<(String, (usize, usize)), Vec<&'a Mutant>>,
    sites: Vec<Site>,
    /// Within so many things that are evaluated when they are compiled.
    constant: usize,
    /// The arm that takes what no other one does, in the match that is looked at.
    last_arm: Option<(usize, usize)>,
}

fn place(span: Span) -> (usize, usize) {
    (span.start().line, span.start().column + 1)
}

impl Finder<'_> {
    fn take(&mut self, genre: &str, span: Span) -> Vec<(usize, String)> {
        if self.constant > 0 {
            return Vec::new();
        }
        let mutants = self.by_place.remove(&(genre.to_owned(), place(span))).unwrap_or_default();
        mutants.into_iter().map(|mutant| (mutant.number, mutant.replacement.clone())).collect()
    }

    fn add(&mut self, range: Range<usize>, kind: Kind, mutants: Vec<(usize, String)>) {
        if !mutants.is_empty() {
            self.sites.push(Site { range, kind, mutants });
        }
    }

    fn function(&mut self, signature: &Signature, block: &Block, visit: impl FnOnce(&mut Self)) {
        let constant = usize::from(signature.constness.is_some());
        self.constant += constant;
        if let Some(first) = block.stmts.first() {
            let open = block.brace_token.span.open().byte_range().end;
            let mutants = self.take("FnValue", first.span());
            self.add(open..open, Kind::Body, mutants);
        }
        visit(self);
        self.constant -= constant;
    }
}

fn takes_all(arm: &Arm) -> bool {
    arm.guard.is_none() && matches!(&arm.pat, Pat::Wild(_) | Pat::Ident(PatIdent { subpat: None, .. }))
}

/// A condition that binds names cannot be put into parentheses.
fn binds(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block, |finder| visit::visit_item_fn(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block, |finder| visit::visit_impl_item_fn(finder, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        match &item.default {
            Some(block) => self.function(&item.sig, block, |finder| visit::visit_trait_item_fn(finder, item)),
            None => visit::visit_trait_item_fn(self, item),
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        let [left, right] = [&binary.left, &binary.right].map(|side| side.span().byte_range());
        if !(matches!(binary.op, BinOp::And(_)) && (binds(&binary.left) || binds(&binary.right))) {
            let mutants = self.take("BinaryOperator", binary.op.span());
            self.add(left.start..right.end, Kind::Binary { left, right }, mutants);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        let operand = unary.expr.span().byte_range();
        let mutants = self.take("UnaryOperator", unary.op.span());
        self.add(unary.span().byte_range().start..operand.end, Kind::Unary { operand }, mutants);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, matched: &'ast ExprMatch) {
        // An arm with a guard counts for nothing where all cases must be covered, so another one must take them all.
        let last = matched.arms.iter().filter(|arm| takes_all(arm)).last().map(|arm| place(arm.span()));
        let before = std::mem::replace(&mut self.last_arm, last);
        for arm in &matched.arms {
            self.visit_arm(arm);
            self.last_arm = last;
        }
        self.last_arm = before;
        self.visit_expr(&matched.expr);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        let guard = arm.guard.as_ref().map(|(_, guard)| guard);
        if !guard.is_some_and(|guard| binds(guard)) {
            let behind = arm.pat.span().byte_range().end;
            let may_go = self.last_arm.is_some_and(|last| last != place(arm.span()));
            let mutants = if may_go { self.take("MatchArm", arm.span()) } else { Vec::new() };
            let guard = guard.map(|guard| guard.span().byte_range());
            let range = behind..guard.as_ref().map_or(behind, |guard| guard.end);
            self.add(range, Kind::Arm { guard }, mutants);
            if let Some((_, guard)) = &arm.guard {
                let mut mutants = self.take("MatchArmGuard", guard.span());
                // The one that is always true comes first: `on(1) || !on(2) && (…)`.
                mutants.sort_by(|a, b| b.1.cmp(&a.1));
                self.add(guard.span().byte_range(), Kind::Guard, mutants);
            }
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, made: &'ast ExprStruct) {
        if let Some(base) = &made.rest {
            for field in &made.fields {
                let mutants = self.take("StructField", field.span());
                let base = self.text[base.span().byte_range()].to_owned();
                let name = self.text[field.member.span().byte_range()].to_owned();
                // `name` alone is written out.
                self.add(field.span().byte_range(), Kind::Field { base, field: name }, mutants);
            }
        }
        visit::visit_expr_struct(self, made);
    }
}
