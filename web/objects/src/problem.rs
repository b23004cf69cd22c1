//! Problem: the same finding of all objects of one owner, as one line of a list.
//!
//! The list covers many objects, and their related objects are not read. A rule that needs those reports nothing; other
//! rules report what the object itself shows.

mod owner;
mod since;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diagnosis::diagnose;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::link::Link;
use crate::subject::{Answer, Subject};
use owner::Owners;
use since::since;

/// An object with the finding of a [`Problem`].
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The object.
    pub link: Link,
    /// Uid of the owner that controls it; empty without one.
    pub controller: String,
    /// The rule's sentence about it.
    pub sentence: String,
    /// Start of its problem in milliseconds since 1970, if the object shows it.
    pub since: Option<f64>,
}

/// Objects that have a problem in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The objects of an owner, or the owner itself: `Deployment web`.
    Owner(Link),
    /// Objects without an owner: the link has their group, kind and namespace, and no name.
    Alike(Link),
}

impl What {
    /// The owner, or group, kind and namespace of the objects.
    pub fn link(&self) -> &Link {
        match self {
            Self::Owner(link) | Self::Alike(link) => link,
        }
    }
}

/// One rule's findings with one cause, of the objects of one owner.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Severity of the problem.
    pub severity: Severity,
    /// Name of the rule.
    pub code: &'static str,
    /// What distinguishes it from other findings of the rule: [`Finding::cause`].
    pub cause: String,
    /// Objects that have it, or their owner.
    pub what: What,
    /// The objects, the one with the oldest problem first; never empty.
    pub members: Vec<Member>,
    /// Sentences of further rules about the owner itself: its pods are not available.
    pub also: Vec<String>,
}

impl Problem {
    /// Id of the problem; it does not change while the problem exists.
    pub fn id(&self) -> String {
        let Link { group, kind, namespace, name } = self.what.link();
        // A cause may be a message of several lines; the rows below it have ids of their own.
        [self.code, group, kind, namespace, name, &self.cause.replace('\n', " ")].join("\n")
    }

    /// Start of the oldest problem among its objects, in milliseconds since 1970.
    pub fn since(&self) -> Option<f64> {
        self.members.iter().filter_map(|member| member.since).reduce(f64::min)
    }

    /// The sentence that most of its objects have. If others have another one, it names the object: "For example web-0: …".
    pub fn sentence(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for member in &self.members {
            *counts.entry(&member.sentence).or_default() += 1;
        }
        let count = |member: &&Member| counts.get(member.sentence.as_str()).copied().unwrap_or_default();
        // The first one of those with the most.
        let best = self.members.iter().rev().max_by_key(count);
        match best {
            Some(member) if counts.len() > 1 => format!("For example {}: {}", member.link.name, member.sentence),
            Some(member) => member.sentence.clone(),
            None => String::new(),
        }
    }
}

/// Rules about a workload that follow from problems of its pods. If there are such problems, these rules get no lines
/// of their own.
const OF_PODS: [&str; 6] =
    ["RolloutStuck", "NoPodAvailable", "PodsUnavailable", "StatefulSetWaitsForPod", "JobFailed", "JobPodsFail"];

/// Returns the problems of these objects: the most severe first, then those of the most objects, then by owner.
///
/// Findings that are no fault ([`Severity::Info`]) are left out. `answers` are objects of needs that the caller has anyway. O(n log n).
pub fn problems(objects: &[&Value], answers: &[Answer<'_>], now: f64) -> Vec<Problem> {
    let owners = Owners::of(objects);
    let mut lines: BTreeMap<(What, &'static str, String), Problem> = BTreeMap::new();
    for object in objects {
        let what = owners.what(object);
        for finding in diagnose(&Subject { answers, ..Subject::new(object, now) }) {
            if finding.severity != Severity::Info {
                add(&mut lines, object, &what, finding);
            }
        }
    }
    let mut problems = folded(lines.into_values().collect());
    for problem in &mut problems {
        let at = |member: &Member| member.since.unwrap_or(f64::INFINITY);
        problem.members.sort_by(|a, b| at(a).total_cmp(&at(b)).then_with(|| a.link.cmp(&b.link)));
    }
    problems.sort_by(|a, b| {
        let rank = |of: &Problem| (of.severity, std::cmp::Reverse(of.members.len()));
        rank(a).cmp(&rank(b)).then_with(|| (&a.what, a.code, &a.cause).cmp(&(&b.what, b.code, &b.cause)))
    });
    problems
}

fn add(lines: &mut BTreeMap<(What, &'static str, String), Problem>, object: &Value, what: &What, finding: Finding) {
    let since = since(object, &finding);
    let Finding { severity, code, sentence, cause, .. } = finding;
    let problem = lines.entry((what.clone(), code, cause.clone())).or_insert_with(|| Problem {
        severity,
        code,
        cause,
        what: what.clone(),
        members: Vec::new(),
        also: Vec::new(),
    });
    let link = Link::of(object);
    // A rule may find the same of two containers.
    if problem.members.last().is_none_or(|last| last.link != link) {
        let controller = object.controller().text("uid").to_owned();
        problem.members.push(Member { link, controller, sentence, since });
    }
}

/// Moves the findings about a workload into the worst problem of its pods, if there is one.
fn folded(lines: Vec<Problem>) -> Vec<Problem> {
    let (of_workloads, mut rest): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| OF_PODS.contains(&line.code));
    for line in of_workloads {
        let of_pods = rest.iter_mut().filter(|other| {
            other.what == line.what
                && !OF_PODS.contains(&other.code)
                && other.members.iter().all(|m| m.link.kind == "Pod")
        });
        match of_pods.min_by_key(|other| (other.severity, std::cmp::Reverse(other.members.len()))) {
            Some(worst) => {
                worst.severity = worst.severity.min(line.severity);
                worst.also.push(line.sentence());
            }
            None => rest.push(line),
        }
    }
    rest
}
