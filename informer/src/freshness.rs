//! Freshness: how far the cache can be trusted, derived from the reflector's state.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorCode, InformerError};
use crate::phase::Phase;

/// How far the displayed rows can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Freshness {
    /// A watch is open and verified: the cache equals the server's state, as far as it has reported it. After an
    /// outage an informer is not live before it is verified. A suspicion that the watch is dead is shown if it is not
    /// refuted within a second.
    Live,
    /// A request is in flight without an error, or the open watch is not verified yet.
    #[default]
    CatchingUp,
    /// Lists succeed but the watch is rejected, keeps failing, or has no version to start from. The resource is
    /// listed every half minute; the cache is from [`crate::InformerStatus::last_contact_at`].
    /// [`crate::InformerStatus::last_error`] is the reason, not an error.
    Polling,
    /// Queued for a connection.
    Queued,
    /// The server responds with an error; the cache is from [`crate::InformerStatus::last_contact_at`].
    Stale,
    /// The user is not allowed to read the resource, or is not authenticated. The cache, if there is one, is from
    /// [`crate::InformerStatus::last_contact_at`].
    Forbidden,
    /// The server cannot be reached; the cache is from [`crate::InformerStatus::last_contact_at`].
    Disconnected,
}

/// How far a watch can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The watch is verified and has caught up.
    Verified,
    /// The watch has been suspect for less than a second, without an error. This is not shown.
    Suspected,
    /// The watch has yet to show that it is alive, or that it has caught up.
    Unverified,
}

/// Inputs of [`Freshness::of`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreshnessInputs<'a> {
    pub(crate) phase: Phase,
    /// Whether the first list, or a persisted one, is in the cache.
    pub(crate) has_synced: bool,
    /// The last error, except for the reason of polling.
    pub(crate) current_error: Option<&'a InformerError>,
    pub(crate) trust: Trust,
    /// Whether the next request is queued for a connection.
    pub(crate) queued: bool,
    /// Whether there is no watch, and the last list is recent enough.
    pub(crate) polling: bool,
}

impl Freshness {
    /// All values.
    pub const ALL: [Self; 7] =
        [Self::Live, Self::CatchingUp, Self::Polling, Self::Queued, Self::Stale, Self::Forbidden, Self::Disconnected];

    /// Name in messages and in JavaScript, for example `catching-up`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::CatchingUp => "catching-up",
            Self::Polling => "polling",
            Self::Queued => "queued",
            Self::Stale => "stale",
            Self::Forbidden => "forbidden",
            Self::Disconnected => "disconnected",
        }
    }

    /// Returns the freshness by the first rule that applies. An open watch without an error or suspicion is live. The
    /// last error precedes the current attempt; otherwise an unreachable server would appear to be catching up at each
    /// attempt.
    ///
    /// No response, or a proxy's response that the apiserver is unreachable ([`ErrorCode::Network`] too), is
    /// [`Freshness::Disconnected`]. Any other error is a response.
    pub(crate) fn of(inputs: FreshnessInputs<'_>) -> Self {
        let FreshnessInputs { phase, has_synced, current_error, trust, queued, polling } = inputs;
        match (phase, current_error.map(InformerError::code)) {
            // The items of the list's last page may still be in the queue.
            (Phase::Watching, None) if !has_synced => Self::CatchingUp,
            (Phase::Watching, None) if trust != Trust::Unverified && !polling => Self::Live,
            (Phase::Reconnecting, None) if trust == Trust::Suspected && !queued && !polling => Self::Live,
            (_, Some(ErrorCode::Forbidden | ErrorCode::Unauthorized)) => Self::Forbidden,
            (Phase::Stopped | Phase::Failed, _) => Self::Stale,
            (_, Some(ErrorCode::Network | ErrorCode::Timeout)) => Self::Disconnected,
            (_, Some(_)) => Self::Stale,
            (_, None) if queued => Self::Queued,
            (_, None) if polling => Self::Polling,
            (_, None) => Self::CatchingUp,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(phase: Phase) -> FreshnessInputs<'static> {
        FreshnessInputs {
            phase,
            has_synced: true,
            current_error: None,
            trust: Trust::Verified,
            queued: false,
            polling: false,
        }
    }

    #[test]
    fn only_an_open_watch_without_an_error_or_a_doubt_is_live() {
        let errors = [None, Some(ErrorCode::Network), Some(ErrorCode::Forbidden), Some(ErrorCode::Internal)];
        let phases = [Phase::Idle, Phase::Listing, Phase::Watching, Phase::Reconnecting, Phase::Stopped, Phase::Failed];
        for (phase, code) in phases.into_iter().flat_map(|phase| errors.map(|code| (phase, code))) {
            for (queued, polling) in [(false, false), (true, false), (false, true)] {
                let error = code.map(|code| InformerError::new(code, "so it is"));
                for trust in [Trust::Verified, Trust::Unverified] {
                    let current_error = error.as_ref();
                    let freshness =
                        Freshness::of(FreshnessInputs { current_error, trust, queued, polling, ..inputs(phase) });
                    let sound = code.is_none() && trust == Trust::Verified && !polling;
                    assert_eq!(freshness == Freshness::Live, phase == Phase::Watching && sound);
                }
            }
        }
    }

    #[test]
    fn nothing_is_live_before_the_first_list_is_in_the_cache() {
        let of = |phase, trust| Freshness::of(FreshnessInputs { has_synced: false, trust, ..inputs(phase) });
        for trust in [Trust::Verified, Trust::Suspected, Trust::Unverified] {
            assert_eq!(of(Phase::Watching, trust), Freshness::CatchingUp);
        }
        let error = InformerError::new(ErrorCode::Decode, "lost");
        let lost = FreshnessInputs { has_synced: false, current_error: Some(&error), ..inputs(Phase::Watching) };
        assert_eq!(Freshness::of(lost), Freshness::Stale);
    }

    #[test]
    fn a_young_suspicion_is_hidden_and_hides_nothing_else() {
        let of = |inputs| Freshness::of(FreshnessInputs { trust: Trust::Suspected, ..inputs });
        assert_eq!(of(inputs(Phase::Watching)), Freshness::Live);
        assert_eq!(of(inputs(Phase::Reconnecting)), Freshness::Live);
        assert_eq!(of(inputs(Phase::Listing)), Freshness::CatchingUp);
        assert_eq!(of(inputs(Phase::Stopped)), Freshness::Stale);
        assert_eq!(of(FreshnessInputs { queued: true, ..inputs(Phase::Reconnecting) }), Freshness::Queued);
        assert_eq!(of(FreshnessInputs { polling: true, ..inputs(Phase::Reconnecting) }), Freshness::Polling);
        let error = InformerError::new(ErrorCode::Network, "reset");
        assert_eq!(
            of(FreshnessInputs { current_error: Some(&error), ..inputs(Phase::Watching) }),
            Freshness::Disconnected
        );
    }

    #[test]
    fn what_went_wrong_comes_before_what_is_tried() {
        let of = |code, phase| {
            let error = InformerError::new(code, "so it is");
            Freshness::of(FreshnessInputs { current_error: Some(&error), queued: true, polling: true, ..inputs(phase) })
        };
        assert_eq!(of(ErrorCode::Network, Phase::Listing), Freshness::Disconnected);
        assert_eq!(of(ErrorCode::Timeout, Phase::Reconnecting), Freshness::Disconnected);
        assert_eq!(of(ErrorCode::Unauthorized, Phase::Reconnecting), Freshness::Forbidden);
        assert_eq!(of(ErrorCode::Forbidden, Phase::Failed), Freshness::Forbidden);
        assert_eq!(of(ErrorCode::Decode, Phase::Watching), Freshness::Stale);
    }

    #[test]
    fn without_an_error_it_is_queued_polling_or_catching_up() {
        let listing = inputs(Phase::Listing);
        assert_eq!(Freshness::of(listing), Freshness::CatchingUp);
        assert_eq!(Freshness::of(FreshnessInputs { queued: true, polling: true, ..listing }), Freshness::Queued);
        assert_eq!(Freshness::of(FreshnessInputs { polling: true, ..listing }), Freshness::Polling);
        assert_eq!(
            Freshness::of(FreshnessInputs { trust: Trust::Unverified, ..inputs(Phase::Watching) }),
            Freshness::CatchingUp
        );
        assert_eq!(Freshness::of(inputs(Phase::Stopped)), Freshness::Stale);
    }
}
