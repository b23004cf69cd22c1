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
    /// Verified and caught up.
    Whole,
    /// Suspect for less than a second, without an error: not shown.
    Suspected,
    /// It must yet show that it is alive, or that it has caught up.
    Unverified,
}

/// The inputs of [`Freshness::of`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grounds<'a> {
    pub(crate) phase: Phase,
    /// The first list, or a persisted one, is in the cache.
    pub(crate) has_synced: bool,
    /// The last error; not the reason for polling.
    pub(crate) trouble: Option<&'a InformerError>,
    pub(crate) trust: Trust,
    /// The next request is queued for a connection.
    pub(crate) queued: bool,
    /// There is no watch, but the last list is recent enough.
    pub(crate) polling: bool,
}

impl Freshness {
    /// All there are.
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

    /// The first rule that applies. An open watch without an error or suspicion is live. The last error precedes the
    /// current attempt; otherwise an unreachable server would appear to be catching up at each attempt.
    ///
    /// No response, or a proxy's response that the apiserver is unreachable ([`ErrorCode::Network`] too), is
    /// [`Freshness::Disconnected`]. Any other error is a response.
    pub(crate) fn of(grounds: Grounds<'_>) -> Self {
        let Grounds { phase, has_synced, trouble, trust, queued, polling } = grounds;
        match (phase, trouble.map(InformerError::code)) {
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

    fn grounds(phase: Phase) -> Grounds<'static> {
        Grounds { phase, has_synced: true, trouble: None, trust: Trust::Whole, queued: false, polling: false }
    }

    #[test]
    fn only_an_open_watch_without_an_error_or_a_doubt_is_live() {
        let errors = [None, Some(ErrorCode::Network), Some(ErrorCode::Forbidden), Some(ErrorCode::Internal)];
        let phases = [Phase::Idle, Phase::Listing, Phase::Watching, Phase::Reconnecting, Phase::Stopped, Phase::Failed];
        for (phase, code) in phases.into_iter().flat_map(|phase| errors.map(|code| (phase, code))) {
            for (queued, polling) in [(false, false), (true, false), (false, true)] {
                let error = code.map(|code| InformerError::new(code, "so it is"));
                for trust in [Trust::Whole, Trust::Unverified] {
                    let trouble = error.as_ref();
                    let freshness = Freshness::of(Grounds { trouble, trust, queued, polling, ..grounds(phase) });
                    let sound = code.is_none() && trust == Trust::Whole && !polling;
                    assert_eq!(freshness == Freshness::Live, phase == Phase::Watching && sound);
                }
            }
        }
    }

    #[test]
    fn nothing_is_live_before_the_first_list_is_in_the_cache() {
        let of = |phase, trust| Freshness::of(Grounds { has_synced: false, trust, ..grounds(phase) });
        for trust in [Trust::Whole, Trust::Suspected, Trust::Unverified] {
            assert_eq!(of(Phase::Watching, trust), Freshness::CatchingUp);
        }
        let error = InformerError::new(ErrorCode::Decode, "lost");
        let lost = Grounds { has_synced: false, trouble: Some(&error), ..grounds(Phase::Watching) };
        assert_eq!(Freshness::of(lost), Freshness::Stale);
    }

    #[test]
    fn a_young_suspicion_is_hidden_and_hides_nothing_else() {
        let of = |grounds| Freshness::of(Grounds { trust: Trust::Suspected, ..grounds });
        assert_eq!(of(grounds(Phase::Watching)), Freshness::Live);
        assert_eq!(of(grounds(Phase::Reconnecting)), Freshness::Live);
        assert_eq!(of(grounds(Phase::Listing)), Freshness::CatchingUp);
        assert_eq!(of(grounds(Phase::Stopped)), Freshness::Stale);
        assert_eq!(of(Grounds { queued: true, ..grounds(Phase::Reconnecting) }), Freshness::Queued);
        assert_eq!(of(Grounds { polling: true, ..grounds(Phase::Reconnecting) }), Freshness::Polling);
        let error = InformerError::new(ErrorCode::Network, "reset");
        assert_eq!(of(Grounds { trouble: Some(&error), ..grounds(Phase::Watching) }), Freshness::Disconnected);
    }

    #[test]
    fn what_went_wrong_comes_before_what_is_tried() {
        let of = |code, phase| {
            let error = InformerError::new(code, "so it is");
            Freshness::of(Grounds { trouble: Some(&error), queued: true, polling: true, ..grounds(phase) })
        };
        assert_eq!(of(ErrorCode::Network, Phase::Listing), Freshness::Disconnected);
        assert_eq!(of(ErrorCode::Timeout, Phase::Reconnecting), Freshness::Disconnected);
        assert_eq!(of(ErrorCode::Unauthorized, Phase::Reconnecting), Freshness::Forbidden);
        assert_eq!(of(ErrorCode::Forbidden, Phase::Failed), Freshness::Forbidden);
        assert_eq!(of(ErrorCode::Decode, Phase::Watching), Freshness::Stale);
    }

    #[test]
    fn without_an_error_it_is_queued_polling_or_catching_up() {
        let listing = grounds(Phase::Listing);
        assert_eq!(Freshness::of(listing), Freshness::CatchingUp);
        assert_eq!(Freshness::of(Grounds { queued: true, polling: true, ..listing }), Freshness::Queued);
        assert_eq!(Freshness::of(Grounds { polling: true, ..listing }), Freshness::Polling);
        assert_eq!(
            Freshness::of(Grounds { trust: Trust::Unverified, ..grounds(Phase::Watching) }),
            Freshness::CatchingUp
        );
        assert_eq!(Freshness::of(grounds(Phase::Stopped)), Freshness::Stale);
    }
}
