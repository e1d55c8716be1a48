//! Telling that names differ, without comparing each with each.

/// Names that were seen, by a fingerprint of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct([u64; 4]);

impl Distinct {
    /// Whether `name` surely differs from every name before it. False where
    /// that is not known: then compare.
    pub(crate) fn admits(&mut self, name: &str) -> bool {
        let at = fingerprint(name);
        let (word, bit) = (usize::from(at >> 6), 1 << (at & 63));
        let Some(seen) = self.0.get_mut(word) else { return false };
        let is_new = *seen & bit == 0;
        *seen |= bit;
        is_new
    }
}

/// Spreads names of columns, which differ in length and at their ends.
fn fingerprint(name: &str) -> u8 {
    let bytes = name.as_bytes();
    let end = |at: Option<&u8>| at.copied().unwrap_or_default();
    let length = u8::try_from(bytes.len() & 0xFF).unwrap_or_default();
    let before_last = bytes.len().checked_sub(2).and_then(|at| bytes.get(at));
    end(bytes.last())
        .wrapping_add(end(before_last).wrapping_mul(11))
        .wrapping_add(end(bytes.first()).wrapping_mul(29))
        .wrapping_add(length.wrapping_mul(53))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        // Kills a fingerprint that is not a function of the name.
        #[test]
        fn a_name_is_never_admitted_twice(names in prop::collection::vec("[a-z]{0,3}", 0..64)) {
            let mut seen = Distinct::default();
            let admitted: Vec<&String> = names.iter().filter(|name| seen.admits(name)).collect();
            for (at, name) in admitted.iter().enumerate() {
                prop_assert!(!admitted[..at].contains(name));
            }
        }
    }

    #[test]
    fn usual_columns_are_told_apart() {
        let mut seen = Distinct::default();
        let columns = ["id", "name", "city", "state", "country", "latitude", "longitude"];
        assert!(columns.iter().all(|column| seen.admits(column)));
    }
}
