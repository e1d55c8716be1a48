//! What is sent to an endpoint, and what becomes of its answers. One module
//! per promise; the endpoint is scripted and on loopback.

mod reads;
mod support;
