//! Replicas of the objects of a dialog: the number in the object, or that of its scale, read again with each of its
//! changes.

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::request::Target;
use super::subject::{Subject, Subjects, parsed};
use super::table::has_replicas;
use crate::client::failure::Failure;
use crate::client::{Factory, requests};

/// The number of replicas of one object; none until it is known.
type ReplicaCount = Option<Result<u64, Failure>>;

/// Replica counts of the subjects. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Replicas(Memo<Vec<ReplicaCount>>);

impl Replicas {
    /// Follows the counts of the subjects: an autoscaler may change them while the dialog is open.
    pub(super) fn of(subjects: Subjects) -> Self {
        let factory = subjects.cluster.factory();
        let numbers: Vec<Signal<ReplicaCount>> =
            subjects.with(|list| list.iter().map(|subject| number(&factory, subject)).collect());
        Self(Memo::new(move |_| numbers.iter().map(Signal::get).collect()))
    }

    /// The smallest and the largest number, once all are known.
    pub(super) fn range(self) -> Option<(u64, u64)> {
        self.0.with(|all| range(all))
    }

    /// Reason why a count cannot be read.
    pub(super) fn failure(self) -> Option<Failure> {
        self.0.with(|all| all.iter().find_map(|number| number.as_ref()?.as_ref().err().cloned()))
    }
}

/// The smallest and the largest of the numbers; none if one of them is unknown.
fn range(all: &[ReplicaCount]) -> Option<(u64, u64)> {
    let all: Option<Vec<u64>> = all.iter().map(|number| number.as_ref()?.as_ref().ok().copied()).collect();
    let all = all?;
    Some((all.iter().copied().min()?, all.iter().copied().max()?))
}

fn number(factory: &Factory, subject: &Subject) -> Signal<ReplicaCount> {
    let json = subject.json.clone();
    if has_replicas(&subject.target.resource) {
        let read = |json: &Option<String>| parsed(json.as_deref())["spec"]["replicas"].as_u64().unwrap_or(1);
        return Memo::new(move |_| Some(Ok(json.with(read)))).into();
    }
    let (number, requests) = (RwSignal::new(None), StoredValue::new(0_u32));
    let version = Memo::new(move |_| {
        json.with(|json| parsed(json.as_deref())["metadata"]["resourceVersion"].as_str().map(str::to_owned))
    });
    let (factory, target) = (StoredValue::new_local(factory.clone()), subject.target.clone());
    Effect::new(move || {
        // Read, not only tracked: a memo that was never read follows nothing.
        version.with(|_| ());
        requests.update_value(|count| *count += 1);
        let (request, factory, target) = (requests.get_value(), factory.get_value(), target.clone());
        spawn_local(async move {
            let found = read(&factory, &target).await;
            // The response to a later request may have arrived first.
            if requests.try_get_value() == Some(request) {
                number.try_set(Some(found));
            }
        });
    });
    number.into()
}

/// Reads the scale of an object, at the path that its definition names.
async fn read(factory: &Factory, target: &Target) -> Result<u64, Failure> {
    let scale: Value = requests::call(factory, "get", &[target.subresource_reference("scale")]).await?;
    // Zero is left out.
    Ok(scale["spec"]["replicas"].as_u64().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_objects_may_have_different_numbers_of_replicas() {
        let known = |number| Some(Ok(number));
        assert_eq!(range(&[known(3), known(1), known(2)]), Some((1, 3)));
        assert_eq!(range(&[known(2)]), Some((2, 2)));
        assert_eq!(range(&[known(2), None]), None);
        assert_eq!(range(&[known(2), Some(Err(Failure::default()))]), None);
        assert_eq!(range(&[]), None);
    }
}
