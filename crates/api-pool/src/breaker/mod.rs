//! The circuit breaker: a pure machine, a gate that waits without polling, and a paced recovery.
