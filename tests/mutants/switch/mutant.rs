//! Which mutant is switched on (MUTANT), and which were reached by which test (MUTANTS_REACHED names the file to write).

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock};

struct Switch {
    active: Option<u32>,
    reached: Option<Mutex<File>>,
}

static SWITCH: OnceLock<Switch> = OnceLock::new();

thread_local! {
    static SEEN: RefCell<HashSet<u32>> = RefCell::default();
}

fn switch() -> &'static Switch {
    SWITCH.get_or_init(|| Switch {
        active: std::env::var("MUTANT").ok().and_then(|number| number.parse().ok()),
        reached: std::env::var("MUTANTS_REACHED")
            .ok()
            .and_then(|path| File::options().create(true).append(true).open(path).ok())
            .map(Mutex::new),
    })
}

/// Whether this mutant is switched on.
pub(crate) fn on(number: u32) -> bool {
    let switch = switch();
    if let Some(reached) = &switch.reached {
        let is_new = SEEN.try_with(|seen| seen.borrow_mut().insert(number)).unwrap_or(false);
        // libtest gives the thread of a test its name.
        if is_new && let (Ok(mut file), Some(test)) = (reached.lock(), std::thread::current().name()) {
            drop(file.write_all(format!("{number} {test}\n").as_bytes()));
        }
    }
    switch.active == Some(number)
}
