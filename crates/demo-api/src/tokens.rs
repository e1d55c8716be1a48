//! Short-lived tokens: a machine that is given the time and counts uses.

use std::{collections::VecDeque, time::Duration};

use crate::{config::Lifetime, mix::mix};

/// Tokens that are remembered at the same time.
const LIVE: usize = 4_096;

/// Whether data needs a token, and how long one lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenRules {
    required: Option<Lifetime>,
    rotation: Rotation,
}

/// What becomes of older tokens when a new one is issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rotation {
    /// They live on until their own end.
    #[default]
    Overlap,
    /// They end at once, and each refresh token is good for one use.
    Revoke,
}

impl TokenRules {
    /// Data needs no token; `/token` issues tokens nevertheless. The default.
    #[must_use]
    pub const fn open() -> Self {
        Self { required: None, rotation: Rotation::Overlap }
    }

    /// Data needs `Authorization: Bearer` with a token that lasts this long.
    #[must_use]
    pub const fn required(lifetime: Lifetime) -> Self {
        Self { required: Some(lifetime), rotation: Rotation::Overlap }
    }

    /// Sets what becomes of older tokens. Default: [`Rotation::Overlap`].
    #[must_use]
    pub const fn with_rotation(self, rotation: Rotation) -> Self {
        Self { rotation, ..self }
    }
}

/// Why a token was not accepted or not issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// No token was sent.
    Missing,
    /// The token is unknown, used up, too old or revoked.
    Invalid,
}

/// A fresh pair of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) lifetime: Option<Duration>,
}

#[derive(Debug)]
struct Live {
    access: String,
    issued: Duration,
    uses: u64,
}

/// Issues and checks tokens. `now` is the time since the server started.
#[derive(Debug)]
pub(crate) struct TokenDesk {
    rules: TokenRules,
    seed: u64,
    issued: u64,
    live: VecDeque<Live>,
    refresh: VecDeque<String>,
}

impl TokenDesk {
    pub(crate) fn new(rules: TokenRules, seed: u64) -> Self {
        Self { rules, seed, issued: 0, live: VecDeque::new(), refresh: VecDeque::new() }
    }

    /// Issues a pair, for a refresh token if one is given.
    pub(crate) fn issue(&mut self, refresh: Option<&str>, now: Duration) -> Result<Issued, Denied> {
        if let Some(refresh) = refresh {
            let known = self.refresh.iter().position(|known| known == refresh);
            let known = known.ok_or(Denied::Invalid)?;
            if self.rules.rotation == Rotation::Revoke {
                self.refresh.remove(known);
            }
        }
        if self.rules.rotation == Rotation::Revoke {
            self.live.clear();
        }
        self.issued += 1;
        let access = self.text("access");
        let refresh = self.text("refresh");
        keep(&mut self.live, Live { access: access.clone(), issued: now, uses: 0 });
        keep(&mut self.refresh, refresh.clone());
        let lifetime = self.rules.required.and_then(|lifetime| lifetime.longest());
        Ok(Issued { access, refresh, lifetime })
    }

    /// Accepts a token for one request, which uses it once.
    pub(crate) fn accept(&mut self, token: Option<&str>, now: Duration) -> Result<(), Denied> {
        let Some(lifetime) = self.rules.required else { return Ok(()) };
        let token = token.ok_or(Denied::Missing)?;
        let live = self.live.iter_mut().find(|live| live.access == token);
        let live = live.ok_or(Denied::Invalid)?;
        if !lifetime.covers(live.uses, now.saturating_sub(live.issued)) {
            return Err(Denied::Invalid);
        }
        live.uses += 1;
        Ok(())
    }

    /// Ends every token issued so far; refresh tokens stay.
    pub(crate) fn revoke(&mut self) {
        self.live.clear();
    }

    fn text(&self, kind: &str) -> String {
        let tag = u64::try_from(kind.len()).unwrap_or_default();
        let secret = mix(mix(self.seed ^ self.issued) ^ tag);
        format!("{kind}-{}-{secret:016x}", self.issued)
    }
}

fn keep<T>(all: &mut VecDeque<T>, new: T) {
    if all.len() == LIVE {
        all.pop_front();
    }
    all.push_back(new);
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::ZERO;

    #[test]
    fn a_token_ends_with_its_last_use() {
        let rules = TokenRules::required(Lifetime::requests(2));
        let mut desk = TokenDesk::new(rules, 1);
        let token = desk.issue(None, START).unwrap().access;
        assert_eq!(desk.accept(Some(&token), START), Ok(()));
        assert_eq!(desk.accept(Some(&token), START), Ok(()));
        assert_eq!(desk.accept(Some(&token), START), Err(Denied::Invalid));
    }

    #[test]
    fn a_token_ends_with_its_time() {
        let rules = TokenRules::required(Lifetime::time(Duration::from_millis(50)));
        let mut desk = TokenDesk::new(rules, 1);
        let token = desk.issue(None, START).unwrap().access;
        assert_eq!(desk.accept(Some(&token), Duration::from_millis(49)), Ok(()));
        assert_eq!(desk.accept(Some(&token), Duration::from_millis(50)), Err(Denied::Invalid));
    }

    #[test]
    fn rotation_decides_about_the_older_token() {
        for (rotation, older) in
            [(Rotation::Overlap, Ok(())), (Rotation::Revoke, Err(Denied::Invalid))]
        {
            let rules = TokenRules::required(Lifetime::unlimited()).with_rotation(rotation);
            let mut desk = TokenDesk::new(rules, 1);
            let first = desk.issue(None, START).unwrap();
            let second = desk.issue(Some(&first.refresh), START).unwrap();
            assert_ne!(first.access, second.access);
            assert_eq!(desk.accept(Some(&first.access), START), older);
            assert_eq!(desk.accept(Some(&second.access), START), Ok(()));
            assert_eq!(desk.issue(Some(&first.refresh), START).map(|_| ()), older);
        }
    }

    #[test]
    fn nothing_is_accepted_in_place_of_a_token() {
        let rules = TokenRules::required(Lifetime::unlimited());
        let mut desk = TokenDesk::new(rules, 1);
        let issued = desk.issue(None, START).unwrap();
        assert_eq!(desk.accept(None, START), Err(Denied::Missing));
        assert_eq!(desk.accept(Some(&issued.refresh), START), Err(Denied::Invalid));
        desk.revoke();
        assert_eq!(desk.accept(Some(&issued.access), START), Err(Denied::Invalid));
    }
}
