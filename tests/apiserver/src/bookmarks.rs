//! Bookmark schedule of a watch: periodic, and twice shortly before a timeout.

use std::collections::VecDeque;
use std::time::Duration;

use crate::clock::Instant;

/// Bookmark schedule of a watch.
#[derive(Debug)]
pub(crate) struct Bookmarks {
    every: Duration,
    /// Next periodic bookmark; `None` if the client requested none.
    next: Option<Instant>,
    /// Bookmarks before the end.
    last: VecDeque<Instant>,
}

impl Bookmarks {
    /// Schedule of a watch without bookmarks.
    pub(crate) fn none() -> Self {
        Self { every: Duration::ZERO, next: None, last: VecDeque::new() }
    }

    /// Schedule of a watch with bookmarks; `end` is the client's timeout.
    pub(crate) fn new(now: Instant, every: Duration, end: Option<Instant>) -> Self {
        let before = |seconds| end.and_then(|end| end.checked_sub(Duration::from_secs(seconds)));
        let last = [2, 1].into_iter().filter_map(before).filter(|due| *due > now).collect();
        Self { every, next: Some(now + every), last }
    }

    /// Returns when the next one is due.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.next.into_iter().chain(self.last.front().copied()).min()
    }

    /// Removes the due ones.
    pub(crate) fn advance(&mut self, now: Instant) {
        self.next = self.next.map(|next| if next <= now { now + self.every } else { next });
        while self.last.front().is_some_and(|due| *due <= now) {
            self.last.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_continues_until_the_two_before_the_end() {
        let start = Instant::now();
        let mut bookmarks = Bookmarks::new(start, Duration::from_secs(10), Some(start + Duration::from_secs(25)));
        let mut seconds = Vec::new();
        for _ in 0..5 {
            let due = bookmarks.due().unwrap();
            seconds.push((due - start).as_secs());
            bookmarks.advance(due);
        }
        assert_eq!(seconds, [10, 20, 23, 24, 30]);
        assert_eq!(Bookmarks::none().due(), None);
    }
}
