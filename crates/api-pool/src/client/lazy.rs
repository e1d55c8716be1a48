//! A transport that is set up on first use.

use std::sync::OnceLock;

use crate::sync::{Mutex, lock};
use crate::transport::{Transport, TransportError, TransportOptions};

/// A transport given by the user, or set up once by the first call that needs it.
pub(super) struct Lazy<T> {
    ready: OnceLock<T>,
    /// Held while setting up, so that concurrent first calls set up one transport.
    connecting: Mutex<()>,
    options: TransportOptions,
}

impl<T: Transport> Lazy<T> {
    pub(super) fn new(given: Option<T>, options: TransportOptions) -> Self {
        let ready = given.map_or_else(OnceLock::new, OnceLock::from);
        Self { ready, connecting: Mutex::new(()), options }
    }

    /// The transport. A failure to set it up is not remembered: the next call tries again.
    #[inline]
    pub(super) fn get(&self) -> Result<&T, TransportError> {
        match self.ready.get() {
            Some(transport) => Ok(transport),
            None => self.get_or(T::connect),
        }
    }
}

impl<T> Lazy<T> {
    #[cold]
    fn get_or<C>(&self, connect: C) -> Result<&T, TransportError>
    where
        C: FnOnce(&TransportOptions) -> Result<T, TransportError>,
    {
        let _connecting = lock(&self.connecting);
        if let Some(transport) = self.ready.get() {
            return Ok(transport);
        }
        let transport = connect(&self.options)?;
        Ok(self.ready.get_or_init(|| transport))
    }
}

#[cfg(test)]
mod tests;
