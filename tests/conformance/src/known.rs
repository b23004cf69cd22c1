//! Known differences, each with its reason.
//!
//! Each entry is an intentional difference. A difference that can be corrected is corrected instead.

use crate::scene::Mismatch;

/// Known difference: a step of a case with another permitted outcome.
pub(crate) struct Known {
    /// Title of the case.
    pub(crate) case: &'static str,
    /// The step in it.
    pub(crate) step: &'static str,
    /// Permitted outcome.
    pub(crate) actual: &'static str,
    /// Reason of the difference.
    pub(crate) reason: &'static str,
}

const NO_PROTOBUF: &str =
    "The embedded server reads protobuf and does not write it: nothing here asks for it, and it does not offer it.";
const REPRESENTATIONS: &str = "406 NotAcceptable: 406: Not Acceptable\\n\\nAvailable representations: application/json, \
    application/yaml, application/json;stream=watch {}";

/// All known differences.
pub(crate) const DIFFERENCES: &[Known] = &[
    Known {
        case: "forbidden: bad token is 401",
        step: "verdict",
        actual: "200 ConfigMapList",
        reason: "The embedded server asks for no token until a test gives it some, so that any client may use it.",
    },
    Known { case: "accept: nothing known is 406", step: "text/html", actual: REPRESENTATIONS, reason: NO_PROTOBUF },
    Known { case: "accept: nothing known is 406", step: "application/*", actual: REPRESENTATIONS, reason: NO_PROTOBUF },
    Known {
        case: "accept: nothing known is 406",
        step: "application/cbor",
        actual: REPRESENTATIONS,
        reason: NO_PROTOBUF,
    },
    Known {
        case: "accept: nothing known is 406",
        step: "application/json;as=Nothing;v=v1;g=meta.k8s.io",
        actual: "406 NotAcceptable: only the following media types are accepted: application/json, application/yaml",
        reason: NO_PROTOBUF,
    },
    Known {
        case: "accept: watches are negotiated too",
        step: "text/html",
        actual: REPRESENTATIONS,
        reason: NO_PROTOBUF,
    },
];

/// Returns the index of the known difference that excuses a mismatch.
pub(crate) fn find_difference(case: &str, mismatch: &Mismatch) -> Option<usize> {
    DIFFERENCES
        .iter()
        .position(|known| known.case == case && known.step == mismatch.step && known.actual == mismatch.actual)
}
