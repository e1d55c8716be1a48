//! Noticing that a server leads in a circle, in constant memory.

/// The cursors that were followed, as far as a circle among them needs it.
///
/// Brent's method: one cursor is kept and compared with those after it; the
/// kept one moves on at powers of two. A circle of any length is noticed
/// before it has been walked through three times.
#[derive(Debug, Default)]
pub(super) struct Trail {
    kept: Option<String>,
    since: u32,
    reach: u32,
}

impl Trail {
    /// A trail that begins at `cursor`.
    pub(super) fn from(cursor: String) -> Self {
        Self { kept: Some(cursor), since: 0, reach: 1 }
    }

    /// Whether `cursor` has been followed before, as far as is known. It counts
    /// as followed from now on.
    pub(super) fn repeats(&mut self, cursor: &str) -> bool {
        if self.kept.as_deref() == Some(cursor) {
            return true;
        }
        self.since = self.since.saturating_add(1);
        if self.since >= self.reach {
            self.kept = Some(cursor.to_owned());
            self.reach = self.reach.max(1).saturating_mul(2);
            self.since = 0;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        // Kills a kept cursor that never moves on, and one that moves on always.
        #[test]
        fn every_circle_is_noticed_and_soon(lead in 0..50_usize, circle in 1..50_usize) {
            let cursor = |at: usize| {
                let at = if at < lead { at } else { lead + (at - lead) % circle };
                at.to_string()
            };
            let mut trail = Trail::default();
            let noticed = (0..).find(|at| trail.repeats(&cursor(*at))).unwrap();
            prop_assert!(noticed >= lead + circle, "it is a circle only from there");
            prop_assert!(noticed <= 3 * (lead + circle));
        }

        #[test]
        fn a_straight_trail_never_repeats(length in 0..2000_usize) {
            let mut trail = Trail::default();
            prop_assert!((0..length).all(|at| !trail.repeats(&at.to_string())));
        }
    }

    #[test]
    fn a_cursor_that_leads_to_itself_is_noticed_at_once() {
        let mut trail = Trail::default();
        assert!(!trail.repeats("a"));
        assert!(trail.repeats("a"));
        assert!(Trail::from("a".to_owned()).repeats("a"));
    }
}
