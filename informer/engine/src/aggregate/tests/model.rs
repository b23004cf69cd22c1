//! Model test: after any history, a reader that applies every patch has the groups of a full computation.

use super::*;
use crate::value::natural;
use proptest::prelude::*;

/// Requests of containers, each with its billionths.
const REQUESTS: [(&str, i128); 6] = [
    ("100m", 100_000_000),
    ("0.1", 100_000_000),
    ("1", 1_000_000_000),
    ("250u", 250_000),
    ("333333333n", 333_333_333),
    ("1.5Gi", 1_610_612_736_000_000_000),
];

const FILTERS: [&str; 4] = ["", "status=Running", "age<30s", "-p1 restarts>1"];
const KEYS: [&[&str]; 4] = [&[], &["node"], &["node", "STATUS"], &["restarts", "namespace"]];

#[derive(Clone, Debug)]
struct Thing {
    namespace: u8,
    name: u8,
    node: u8,
    is_running: bool,
    restarts: u8,
    /// Seconds after the beginning; none for some.
    created: Option<u8>,
    /// Indices of [`REQUESTS`].
    requests: Vec<usize>,
}

impl Thing {
    fn key(&self) -> (u8, u8) {
        (self.namespace, self.name)
    }

    fn object(&self) -> Arc<Object> {
        let Self { namespace, name, node, restarts, .. } = self;
        let phase = if self.is_running { "Running" } else { "Pending" };
        let created = self
            .created
            .map_or(String::new(), |second| format!(r#","creationTimestamp":"2026-01-01T00:00:{second:02}Z""#));
        let container = |request: &usize| format!(r#"{{"cpu":"{}"}}"#, REQUESTS[*request].0);
        let containers = self.requests.iter().map(container).collect::<Vec<_>>().join(",");
        object(&format!(
            r#"{{"metadata":{{"name":"p{name}","namespace":"n{namespace}","resourceVersion":"1"{created}}},"spec":{{"nodeName":"node-{node}","containers":[{containers}]}},"status":{{"phase":"{phase}","restarts":{restarts}}}}}"#
        ))
    }

    fn passes(&self, filter: &str, now: f64) -> bool {
        match filter {
            "" => true,
            "status=Running" => self.is_running,
            "age<30s" => self.created.is_some_and(|second| now - BEGINNING - f64::from(second) * 1e3 < 30_000.0),
            _ => self.name != 1 && self.restarts > 1,
        }
    }

    fn texts(&self, by: &[&str]) -> Vec<String> {
        let text = |name: &&str| match *name {
            "node" => format!("node-{}", self.node),
            "namespace" => format!("n{}", self.namespace),
            "restarts" => self.restarts.to_string(),
            _ => if self.is_running { "Running" } else { "Pending" }.to_owned(),
        };
        by.iter().map(text).collect()
    }

    /// Billionths of a column.
    fn amount(&self, column: &str) -> Option<i128> {
        match column {
            "cpu" if self.requests.is_empty() => None,
            "cpu" => Some(self.requests.iter().map(|request| REQUESTS[*request].1).sum()),
            "restarts" => Some(i128::from(self.restarts) * 1_000_000_000),
            _ => self.created.map(|second| (1_767_225_600_000 + i128::from(second) * 1_000) * 1_000_000_000),
        }
    }
}

fn thing() -> impl Strategy<Value = Thing> {
    let requests = prop::collection::vec(0..REQUESTS.len(), 0..3);
    let key = (0..2u8, 0..6u8);
    (key, 0..3u8, any::<bool>(), 0..3u8, prop::option::weighted(0.9, 0..50u8), requests).prop_map(
        |((namespace, name), node, is_running, restarts, created, requests)| Thing {
            namespace,
            name,
            node,
            is_running,
            restarts,
            created,
            requests,
        },
    )
}

#[derive(Clone, Debug)]
enum Step {
    Upsert(Thing),
    Delete(u8, u8),
    Resync(u8, u8),
    /// Afterwards there are these objects only.
    Relist(Vec<Thing>),
    Pass(u16),
    Hear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => thing().prop_map(Step::Upsert),
        3 => (0..2u8, 0..6u8).prop_map(|(namespace, name)| Step::Delete(namespace, name)),
        1 => (0..2u8, 0..6u8).prop_map(|(namespace, name)| Step::Resync(namespace, name)),
        1 => prop::collection::vec(thing(), 0..12).prop_map(Step::Relist),
        2 => (0..20_000u16).prop_map(Step::Pass),
        4 => Just(Step::Hear),
    ]
}

/// Billionths as a decimal number.
fn decimal(amount: Option<i128>) -> String {
    let Some(amount) = amount else { return "null".to_owned() };
    let (whole, fraction) = (amount / 1_000_000_000, amount % 1_000_000_000);
    if fraction == 0 { whole.to_string() } else { format!("{whole}.{fraction:09}").trim_end_matches('0').to_owned() }
}

fn values(of: &[(AggregateOp, &str)], things: &[&Thing]) -> Vec<Option<i128>> {
    let value = |(op, column): &(AggregateOp, &str)| {
        let amounts = things.iter().filter_map(|thing| thing.amount(column));
        match op {
            AggregateOp::Count => Some(things.len() as i128 * 1_000_000_000),
            AggregateOp::Sum => Some(amounts.sum()),
            AggregateOp::Min => amounts.min(),
            AggregateOp::Max => amounts.max(),
        }
    };
    of.iter().map(value).collect()
}

proptest! {
    #[test]
    fn any_history_leads_to_the_groups_of_its_objects(
        steps in prop::collection::vec(step(), 0..80),
        (filter, by, first, limit) in (0..FILTERS.len(), 0..KEYS.len(), 0..6usize, 1..8usize),
    ) {
        let (filter, by) = (FILTERS[filter], KEYS[by]);
        let mut of = vec![
            (AggregateOp::Count, ""),
            (AggregateOp::Sum, "cpu"),
            (AggregateOp::Min, "cpu"),
            (AggregateOp::Max, "cpu"),
            (AggregateOp::Min, "age"),
            (AggregateOp::Sum, "restarts"),
        ];
        of.rotate_left(first);
        let columns = paths(&[
            ("cpu", "{.spec.containers[*].cpu}"),
            ("node", "{.spec.nodeName}"),
            ("status", "{.status.phase}"),
            ("restarts", "{.status.restarts}"),
        ]);
        let options = AggregateOptions { filter: filter.into(), limit, ..options(by, &of) };
        let mut aggregate = Aggregate::new(columns, options, None).expect("valid");
        let mut page = Reader::default();
        let mut known = BTreeMap::<(u8, u8), (Thing, Arc<Object>)>::new();
        let mut now = BEGINNING;
        for step in steps.into_iter().chain([Step::Hear]) {
            let mut changes = Vec::new();
            let mut upsert = |known: &mut BTreeMap<_, _>, thing: Thing| {
                let object = thing.object();
                changes.push(add(&object));
                known.insert(thing.key(), (thing, object));
            };
            match step {
                Step::Upsert(thing) => upsert(&mut known, thing),
                Step::Delete(namespace, name) => changes.extend(known.remove(&(namespace, name)).map(|(_, object)| delete(&object))),
                Step::Resync(namespace, name) => changes.extend(known.get(&(namespace, name)).map(|(_, object)| add(object))),
                Step::Relist(things) => {
                    let before = std::mem::take(&mut known);
                    for thing in things {
                        upsert(&mut known, thing);
                    }
                    let gone = before.iter().filter(|(key, _)| !known.contains_key(key));
                    changes.extend(gone.map(|(_, (_, object))| delete(object)));
                }
                Step::Pass(ms) => now += f64::from(ms),
                Step::Hear => {
                    page.receive(&mut aggregate, now);
                    prop_assert!(!page.receive(&mut aggregate, now), "a second patch without a change");
                    let passing: Vec<&Thing> =
                        known.values().map(|(thing, _)| thing).filter(|thing| thing.passes(filter, now)).collect();
                    let total: Vec<String> = values(&of, &passing).into_iter().map(decimal).collect();
                    prop_assert_eq!(&page.total, &total);
                    let mut groups = BTreeMap::<Vec<String>, Vec<&Thing>>::new();
                    if !by.is_empty() {
                        for thing in passing {
                            groups.entry(thing.texts(by)).or_default().push(thing);
                        }
                    }
                    let mut expected: Vec<_> =
                        groups.into_iter().map(|(key, things)| (key, values(&of, &things))).collect();
                    expected.sort_by(|(a, left), (b, right)| {
                        let by_key = || a.iter().zip(b).map(|(a, b)| natural(a, b)).find(|order| order.is_ne());
                        right[0].cmp(&left[0]).then_with(|| by_key().unwrap_or(std::cmp::Ordering::Equal))
                    });
                    prop_assert_eq!(page.count, expected.len());
                    let expected: Vec<Shown> = expected
                        .into_iter()
                        .take(limit)
                        .map(|(key, values)| (key, values.into_iter().map(decimal).collect()))
                        .collect();
                    prop_assert_eq!(page.shown(), expected);
                }
            }
            if !changes.is_empty() {
                aggregate.apply(&batch(changes), now);
            }
        }
    }
}
