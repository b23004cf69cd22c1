//! Summary, relations and diagnosis of one Kubernetes object, as pure functions over JSON.
//!
//! No I/O, no browser, no clock. A caller does three things:
//!
//! 1. It calls [`needs`], opens an informer for each [`Need`], and calls [`needs`] again when answers arrive, until no
//!    need is new. If it shows the relations, it calls [`needs_of_relations`] instead, which returns more.
//! 2. It builds a [`Subject`] from the object, the answers and the time.
//! 3. It shows [`summary`], [`edges`] (also as a [`picture`]) and [`diagnose`].
//!
//! [`describe_change`] describes a change of an object in one line.
//!
//! [`problems`] is for a list of many objects: it groups what [`diagnose`] finds of each by cause and owner.
//!
//! A caller passes an answer only when its informer has synced. A missing answer means *unknown*: no function concludes
//! from it that an object does not exist.
//!
//! Objects carry `apiVersion` and `kind`, as the informer's objects do. Every other field may be missing or have the
//! wrong type: the functions accept any JSON.
//!
#![doc = include_str!("../RULES.md")]

mod backend;
mod change;
mod changed_path;
mod condition;
mod cron;
mod diagnosis;
mod edge;

mod event;
mod field;
mod finding;
mod kinds;
mod link;
mod managers;
mod map;
mod membership;
mod need;
mod needs;

mod picture;
mod problem;
mod section;
mod selector;
mod subject;

mod quantity;
mod summary;
mod words;
mod workload;

pub use change::{Category, ChangedField, describe_change};
pub use changed_path::ChangedPath;
pub use diagnosis::{RULES, Rule, diagnose};

pub use edge::{Edge, Relation, edges};
pub use finding::{Evidence, Finding, Severity};
pub use kinds::{Kind, is_custom};
pub use link::Link;
pub use managers::{Extent, Setting, Step, settings};
pub use map::{Map, MapBox, MapOptions, map, map_id};
pub use need::{By, Need};
pub use needs::{needs, needs_of_relations};
pub use picture::{Branch, Node, Side, picture};
pub use problem::{Member, Problem, What, problems};
pub use quantity::{amount, quantity};
pub use section::{Body, Cell, Fact, Section, Tone};
pub use subject::{Answer, Log, Subject};
pub use summary::{has_summary, summary};
