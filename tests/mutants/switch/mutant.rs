//! Active mutant (MUTANT), and a record of the mutants that each test reaches (file MUTANTS_REACHED).

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock};

struct Switch {
    active: Option<u32>,
    reached: Option<Mutex<File>>,
}

static SWITCH: OnceLock<Switch> = OnceLock::new();

thread_local! {
    static SEEN: RefCell<Vec<bool>> = RefCell::default();
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
pub fn on(number: u32) -> bool {
    let switch = switch();
    if let Some(reached) = &switch.reached {
        let is_new = SEEN.try_with(|seen| note(&mut seen.borrow_mut(), number as usize)).unwrap_or(false);
        // libtest gives the thread of a test its name.
        if is_new && let (Ok(mut file), Some(test)) = (reached.lock(), std::thread::current().name()) {
            drop(file.write_all(format!("{number} {test}\n").as_bytes()));
        }
    }
    switch.active == Some(number)
}

fn note(seen: &mut Vec<bool>, number: usize) -> bool {
    if seen.len() <= number {
        seen.resize(number + 1, false);
    }
    !std::mem::replace(&mut seen[number], true)
}
