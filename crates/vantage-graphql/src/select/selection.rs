//! The set of fields a document asks for: dotted paths grouped into nested sets.

/// Fields of one object, each with the fields selected within it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Selection<'a> {
    fields: Vec<(&'a str, Self)>,
}

impl<'a> Selection<'a> {
    /// Groups dotted `paths`, keeping first-seen order. A field that is
    /// selected both whole and in part is selected in part.
    pub(super) fn of(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let paths = paths.into_iter();
        let mut root = Self { fields: Vec::with_capacity(paths.size_hint().0) };
        for path in paths {
            let mut at = &mut root;
            for segment in path.split('.') {
                at = at.child(segment);
            }
        }
        root
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &Self)> {
        self.fields.iter().map(|(name, within)| (*name, within))
    }

    fn child(&mut self, name: &'a str) -> &mut Self {
        let at = self.fields.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.fields.push((name, Self::default()));
            self.fields.len() - 1
        });
        // `at` is the position of a field found or pushed above.
        &mut self.fields[at].1
    }
}
