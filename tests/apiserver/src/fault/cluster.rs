//! Faults of the whole server: open watches, history, identity, life.

use std::sync::Arc;
use std::time::Duration;

use super::open::StreamCommand;
use super::{Fault, FaultAction, Faults};
use crate::clock;
use crate::crd::CRD_ID;
use crate::delete::DeleteOptions;

/// Performs a fault.
pub(super) fn perform(faults: &Arc<Faults>, fault: &Fault) {
    let store = faults.store();
    let every_watch = &Fault::new(FaultAction::CutOpen);
    let killed = |away_ms: u64| {
        faults.make_unreachable(Duration::from_millis(away_ms));
        faults.open.command(every_watch, StreamCommand::Cut);
    };
    match &fault.action {
        FaultAction::CutOpen => faults.open.command(fault, StreamCommand::Cut),
        FaultAction::StallOpen => faults.open.command(fault, StreamCommand::Stall),
        FaultAction::EndOpen => faults.open.command(fault, StreamCommand::End),
        FaultAction::Compact => store.compact(),
        FaultAction::Restart { away_ms } => {
            store.compact();
            killed(*away_ms);
        }
        FaultAction::Replace { revision, away_ms } => {
            // Watches first: none of them may see a change of the other cluster.
            killed(*away_ms);
            store.replace(*revision);
        }
        FaultAction::Drain { ms } => drain(faults, Duration::from_millis(*ms)),
        FaultAction::RemoveCrd { name } => {
            // It may be deleted already.
            drop(store.delete(CRD_ID, name, &DeleteOptions::default()));
        }
        // The others apply to requests and events.
        _ => {}
    }
}

fn drain(faults: &Arc<Faults>, period: Duration) {
    let every_watch = Fault::new(FaultAction::EndOpen);
    faults.make_unreachable(period);
    faults.open.command(&every_watch, StreamCommand::Quiet(faults.store().revision()));
    let faults = Arc::clone(faults);
    faults.tasks().clone().spawn(async move {
        clock::sleep(period).await;
        faults.open.command(&every_watch, StreamCommand::End);
        faults.store().compact();
    });
}
