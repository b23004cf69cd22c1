//! Coverage of stories: they contain every action and fault; a fault that never occurs tests nothing.

use crate::run::attempt;
use crate::story::Story;

const REQUEST_FAULTS: &str = "Delay Status(400 Status(401 Status(403 Status(404 Status(410 Status(429 Status(500 Status(503 \
    Status(504 Plain Html SignIn NotThat Refused Hang Cut Stall Slow CloseEmpty ExpiredToken ErrorEvent BareStatus \
    EndAfter NothingNew Silence Gzip";

const EVENT_FAULTS: &str = "Duplicate Garbage Stray Unreadable Broken DelayEvents";

const ACTIONS: &str = "Put Relabel Delete Recreate Burst Churn Compact Restart Restore Replace Drain LiftFaults CutOpen StallOpen \
    EndOpen Away Want Start Release Stop Wake AddIndex AddHandler RemoveHandler ShutDown OpenPage ClosePage PageInformer \
    PageStop PageWake View Window CloseView Follow Unfollow PageHandler RemovePageHandler Hold Resume PageHold PageTake RunOwn DropOwn";

const LANDMARKS: [&str; 15] = [
    "continue=",
    "bookmark @",
    "is touched",
    "cannot be read",
    " leaves",
    " adds handler",
    " removes handler",
    " stops its informer",
    "has listed",
    "is resynced",
    " resumes",
    "cannot be read: Broken",
    "queue ByKey",
    "is reopened",
    "what was missed",
];

#[test]
fn whatever_can_happen_does() {
    let lines =
        |before: &str, words: &str| words.split_whitespace().map(|word| format!("{before}{word}")).collect::<Vec<_>>();
    let mut missing = lines("-> ", REQUEST_FAULTS);
    missing.extend(lines("but ", EVENT_FAULTS));
    missing.extend(lines("s  ", ACTIONS));
    missing.extend(LANDMARKS.map(str::to_owned));
    for seed in 0..4_000 {
        let log = attempt(&Story::of(seed), true).log;
        missing.retain(|word| !log.iter().any(|line| line.contains(word.as_str())));
    }
    assert_eq!(missing, Vec::<String>::new());
}
