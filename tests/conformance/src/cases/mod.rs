//! Cases by subject.

mod actions;
mod attach;
mod bad_bodies;
mod bad_queries;
mod bookmarks;
mod chunks;
mod columns;
mod custom;
mod deletion;
mod discovery;
mod encoding;
mod ephemeral;
mod evictions;
mod field_validation;
mod forbidden;
mod invalid_metadata;
mod list;
mod logs;
mod metadata;
mod negotiation;
mod old_versions;
mod openapi;
mod paths;
mod protobuf;
mod proxy;
mod reviews;
mod selectors;
mod shells;
mod table;
mod versions;
mod watch;
mod watch_list;
mod websocket;
mod writes;

use crate::case::Case;

/// All of them, in the order of the report.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    [
        list::CASES,
        chunks::CASES,
        versions::CASES,
        encoding::CASES,
        watch::CASES,
        bookmarks::CASES,
        selectors::CASES,
        watch_list::CASES,
        deletion::CASES,
        old_versions::CASES,
        bad_queries::CASES,
        bad_bodies::CASES,
        paths::CASES,
        forbidden::CASES,
        negotiation::CASES,
        protobuf::CASES,
        table::CASES,
        columns::CASES,
        metadata::CASES,
        custom::CASES,
        discovery::CASES,
        openapi::CASES,
        writes::CASES,
        invalid_metadata::CASES,
        websocket::CASES,
        proxy::CASES,
        logs::CASES,
        shells::CASES,
        attach::CASES,
        actions::CASES,
        field_validation::CASES,
        evictions::CASES,
        ephemeral::CASES,
        reviews::CASES,
    ]
    .into_iter()
    .flatten()
}
