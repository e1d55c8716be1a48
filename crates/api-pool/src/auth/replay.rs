//! Whether a call that was answered 401 is sent again.

use super::{credentials::Credentials, slot::Generation};

const UNAUTHORIZED: u16 = 401;

/// What one call remembers of its own refusals.
///
/// The first 401 of a call is replayed with a newer token. The next one in a row is final: a fresh
/// token was refused, so it is not the token that is wrong. It is replayed all the same if a token
/// newer than the first refused has been accepted meanwhile, because then it may have expired
/// while the call waited; but only once, or a resource that always answers 401 would have a busy
/// client fetch tokens without end. Any other answer to the call starts it afresh.
#[derive(Debug, Default)]
pub(crate) struct CallAuth {
    refusals: Refusals,
}

#[derive(Debug, Default)]
enum Refusals {
    #[default]
    None,
    One(Generation),
    Two,
}

impl CallAuth {
    /// The server answered `status` to a request with the token of `generation`. Returns whether
    /// the call is to be sent again with a newer one.
    ///
    /// A final 401 does not give the token up: the next call tries it, and fetches another on its
    /// own account.
    pub(crate) fn answered(
        &mut self,
        credentials: &Credentials,
        generation: Generation,
        status: u16,
    ) -> bool {
        if status != UNAUTHORIZED {
            credentials.accepted(generation);
            self.refusals = Refusals::None;
            return false;
        }
        let replay = self.may_replay(generation, credentials.newest_accepted());
        if replay {
            credentials.refused(generation);
        }
        replay
    }

    /// `accepted` is the newest generation that got an answer other than 401, in whichever call.
    fn may_replay(&mut self, generation: Generation, accepted: Option<Generation>) -> bool {
        match self.refusals {
            Refusals::None => self.refusals = Refusals::One(generation),
            Refusals::One(first) if accepted > Some(first) => self.refusals = Refusals::Two,
            Refusals::One(_) | Refusals::Two => return false,
        }
        true
    }
}

#[cfg(all(test, not(pool_loom)))]
mod tests {
    use std::{convert::Infallible, sync::Arc};

    use super::*;

    /// A status that the call got for a generation; `Elsewhere` is another call's success.
    #[derive(Clone, Copy)]
    enum Event {
        Elsewhere(u64),
        Got(u16, u64),
    }
    use Event::{Elsewhere, Got};

    #[test]
    fn replays_as_the_table_says() {
        // What happens, and for each answer to the call whether it is replayed.
        let table: [(&str, &[Event], &[bool]); 9] = [
            ("the first", &[Got(401, 1)], &[true]),
            ("a fresh token refused too", &[Got(401, 1), Got(401, 2)], &[true, false]),
            (
                "the one refused had been accepted before",
                &[Elsewhere(1), Got(401, 1), Got(401, 2)],
                &[true, false],
            ),
            (
                "another call was served with the newer one",
                &[Got(401, 1), Elsewhere(2), Got(401, 2)],
                &[true, true],
            ),
            (
                "other calls are always served",
                &[
                    Got(401, 1),
                    Elsewhere(2),
                    Got(401, 2),
                    Elsewhere(3),
                    Got(401, 3),
                    Elsewhere(4),
                    Got(401, 4),
                ],
                &[true, true, false, false],
            ),
            (
                "this call got a 503 in between",
                &[Got(401, 1), Got(503, 2), Got(401, 2)],
                &[true, false, true],
            ),
            (
                "tokens expire again and again in a long call",
                &[Got(401, 1), Got(503, 2), Got(401, 2), Got(503, 3), Got(401, 3), Got(401, 4)],
                &[true, false, true, false, true, false],
            ),
            ("an answer before the first 401", &[Got(500, 1), Got(401, 1)], &[false, true]),
            ("no other status is", &[Got(403, 1), Got(407, 1)], &[false, false]),
        ];
        for (case, events, expected) in table {
            let source = Arc::new(|| async { Ok::<_, Infallible>("t") });
            let credentials = Credentials::new(source, "Authorization", "");
            let mut call = CallAuth::default();
            let mut replayed = Vec::new();
            for event in events {
                match *event {
                    Elsewhere(number) => credentials.accepted(Generation::from_number(number)),
                    Got(status, number) => {
                        let generation = Generation::from_number(number);
                        replayed.push(call.answered(&credentials, generation, status));
                    }
                }
            }
            assert_eq!(replayed, expected, "{case}");
        }
    }
}
