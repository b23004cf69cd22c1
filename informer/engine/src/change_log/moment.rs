//! Moment: the objects of a change log at an earlier time, as a view reads them.

use std::rc::Rc;
use std::sync::Arc;

use informer::Object;

use super::ChangeLog;
use crate::view::Past;

/// Objects of a change log at a time. If changes after that time have been dropped, these are the earliest known
/// states.
pub(crate) struct Moment<'l> {
    log: &'l ChangeLog,
    time: f64,
}

impl ChangeLog {
    /// Returns the objects at a time.
    pub(crate) fn moment(&self, time: f64) -> Moment<'_> {
        Moment { log: self, time }
    }
}

impl Past for Moment<'_> {
    fn time(&self) -> f64 {
        self.time
    }

    fn kept_since(&self) -> f64 {
        self.log.kept_since().unwrap_or(f64::INFINITY)
    }

    fn changed_between(&self, after: f64, until: f64) -> Vec<Rc<str>> {
        self.log.changed_between(after, until)
    }

    fn object(&self, key: &str) -> Option<Arc<Object>> {
        self.log.state_at(key, self.time)?.into_object()
    }

    fn last_state(&self, key: &str) -> Option<(Arc<Object>, bool)> {
        let newest = self.log.newest(key).map(|newest| (newest, true));
        let (state, is_cached) = newest.or_else(|| Some((self.log.before_last(key)?, false)))?;
        Some((state.into_object()?, is_cached))
    }
}
