//! The two classes of work that share slots.

/// Which line an attempt waits in.
///
/// Essential attempts go before background ones, in order of arrival inside each class. A
/// background attempt is not starved: it goes next once 16 essential ones have passed it, or once
/// it has waited 10 s. Of several that have, every other turn is an essential attempt's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueueClass {
    /// Somebody is looking at a screen that waits for this.
    Essential,
    /// Polling, prefetching, everything that can wait.
    #[default]
    Background,
}
