//! Replacement: another cluster under the same address.

use super::*;

fn replaced(reflector: &mut Reflector<Thing>, since: u64, at: u64) -> Step<Thing> {
    reflector.step(Input::Replaced { since: seconds(since), certain: true }, seconds(at))
}

#[test]
fn replaced_cluster_empties_the_cache_and_lists_the_newest() {
    let mut reflector = watching();
    reflector.step(added("a", "11"), seconds(1));
    let step = replaced(&mut reflector, 20, 21);
    assert_eq!(step.call, Some(replace(Vec::new(), String::new())));
    assert_eq!((word(step.command.as_ref()).as_str(), step.report), ("list newest", None));
    let steps: Vec<_> = reflector.history().iter().rev().take(2).map(|entry| entry.what).collect();
    assert_eq!(steps, [ProtocolStep::Relist, ProtocolStep::Replaced]);
    // After a failed list, the next one requests the newest version, too: no version of the old cluster is requested again.
    let inputs = [Input::Failed(error(ErrorCode::Network)), Input::Wake, page(&[Thing("b", "90")], "90", "")];
    let words: Vec<String> =
        inputs.into_iter().map(|input| word(reflector.step(input, seconds(30)).command.as_ref())).collect();
    assert_eq!(words, ["wait", "list newest", "watch 90"]);
}

#[test]
fn objects_listed_after_the_replacement_stay_until_the_next_list() {
    let relisting = || {
        let mut reflector = watching();
        reflector.step(in_stream(ErrorCode::Expired), seconds(10));
        reflector.step(Input::Wake, seconds(12));
        reflector
    };
    assert_eq!(replaced(&mut relisting(), 11, 13), Step::none(), "a list in flight is not aborted");
    assert!(replaced(&mut relisting(), 12, 13).call.is_some(), "a list sent at the moment of the replacement is");
    for (since, goes) in [(11, false), (12, true), (13, true)] {
        let mut reflector = relisting();
        reflector.step(page(&[], "5", ""), seconds(14));
        reflector.step(Input::Opened, seconds(15));
        let step = replaced(&mut reflector, since, 16);
        assert_eq!((word(step.command.as_ref()).as_str(), step.call.is_some()), ("list newest", goes), "{since}");
    }
    assert_eq!(replaced(&mut waiting_to_list(), 5, 6), Step::none(), "nothing was delivered");
    // A pause after a failure does not end early.
    let mut reflector = waiting_to_watch();
    let step = replaced(&mut reflector, 5, 6);
    assert_eq!((step.command, step.call.is_some()), (None, true));
    assert_eq!(word(reflector.step(Input::Wake, seconds(7)).command.as_ref()), "list newest");
}

#[test]
fn possible_replacement_compares_the_cache_with_a_list() {
    let maybe = |since| Input::Replaced { since: seconds(since), certain: false };
    let mut reflector = watching();
    let step = reflector.step(maybe(0), seconds(5));
    assert_eq!((word(step.command.as_ref()).as_str(), step.call), ("list newest", None));
    assert!(reflector.history().iter().all(|entry| entry.what != ProtocolStep::Replaced));
    let mut reflector = after([Input::Start]);
    reflector.step(page(&[], "10", ""), seconds(1));
    assert!(reflector.step(maybe(0), seconds(5)).command.is_some(), "a list counts from its request");
    let mut reflector = new();
    for input in [Input::Start, page(&[], "10", ""), Input::Opened] {
        reflector.step(input, seconds(1));
    }
    assert_eq!(reflector.step(maybe(0), seconds(5)), Step::none());
}

#[test]
fn replacement_restarts_an_incomplete_first_list() {
    let options = ReflectorOptions { populate_by_page: true, consistent_lists: true, ..ReflectorOptions::default() };
    let mut reflector = Reflector::new(options, 3);
    reflector.step(Input::Start, T0);
    let step = reflector.step(page(&[Thing("a", "1")], "10", "c"), T0);
    assert!(matches!(step.call, Some(StoreCall::Populate { .. })));
    let step = replaced(&mut reflector, 1, 2);
    assert_eq!((word(step.command.as_ref()).as_str(), step.call), ("list newest", None));
    let step = reflector.step(page(&[Thing("b", "1")], "7", ""), seconds(3));
    assert_eq!(step.call, Some(replace(vec![Thing("b", "1")], "7".into())), "compared with the first page");
    // So is a start from a snapshot that the server has not confirmed.
    let mut reflector = new();
    reflector.resume_from(Some("10".into()));
    reflector.step(Input::Start, T0);
    let step = replaced(&mut reflector, 1, 2);
    assert_eq!((word(step.command.as_ref()).as_str(), step.call), ("list newest", None));
}
