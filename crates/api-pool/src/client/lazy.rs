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
    pub(super) fn get(&self) -> Result<&T, TransportError> {
        self.get_or(T::connect)
    }
}

impl<T> Lazy<T> {
    fn get_or<C>(&self, connect: C) -> Result<&T, TransportError>
    where
        C: FnOnce(&TransportOptions) -> Result<T, TransportError>,
    {
        if let Some(transport) = self.ready.get() {
            return Ok(transport);
        }
        let _connecting = lock(&self.connecting);
        if let Some(transport) = self.ready.get() {
            return Ok(transport);
        }
        let transport = connect(&self.options)?;
        Ok(self.ready.get_or_init(|| transport))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::transport::Fault;

    fn lazy(ready: OnceLock<&'static str>) -> Lazy<&'static str> {
        let options = TransportOptions { request_timeout: None };
        Lazy { ready, connecting: Mutex::new(()), options }
    }

    #[test]
    fn concurrent_first_calls_set_up_one_transport() {
        let lazy = lazy(OnceLock::new());
        let (connects, barrier) = (AtomicUsize::new(0), Barrier::new(8));

        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    barrier.wait();
                    let transport = lazy.get_or(|_| {
                        connects.fetch_add(1, Ordering::Relaxed);
                        Ok("own")
                    });
                    assert_eq!(transport.unwrap(), &"own");
                });
            }
        });

        assert_eq!(connects.into_inner(), 1);
    }

    #[test]
    fn a_failed_set_up_is_tried_again_and_a_given_transport_needs_none() {
        let own = lazy(OnceLock::new());
        own.get_or(|_| Err(TransportError::new(Fault::Local, "no proxy"))).unwrap_err();
        assert_eq!(own.get_or(|_| Ok("own")).unwrap(), &"own");

        let given = lazy(OnceLock::from("given"));
        assert_eq!(given.get_or(|_| unreachable!()).unwrap(), &"given");
    }
}
