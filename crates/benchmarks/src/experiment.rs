//! What is counted, by name.

/// Something that different subjects do, each in its way.
pub(crate) struct Experiment {
    /// A short name for the command line.
    pub(crate) id: &'static str,
    /// What is done once.
    pub(crate) title: &'static str,
    /// The subject that does it with the least. The others are compared with it.
    pub(crate) floor: &'static str,
    /// The features that this is built with where it counts: what they switch on elsewhere would
    /// change the other counts. Commas between them.
    pub(crate) features: &'static str,
    /// How often it is done in the two runs whose difference counts.
    pub(crate) repeats: (u64, u64),
    pub(crate) subjects: &'static [Subject],
}

/// One way to do it.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Does it that often.
    pub(crate) run: fn(u64),
}

/// Sizes of one kind of thing.
pub(crate) struct Sizes {
    pub(crate) title: &'static str,
    /// Name and bytes.
    pub(crate) of: fn() -> Vec<(&'static str, usize)>,
}

impl Subject {
    pub(crate) const fn new(name: &'static str, run: fn(u64)) -> Self {
        Self { name, run }
    }
}
