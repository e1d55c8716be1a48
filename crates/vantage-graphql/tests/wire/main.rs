//! What is sent to an endpoint, and what becomes of its answers. One module
//! per promise; the endpoint is scripted and on loopback.

mod api;
mod connections;
mod errors;
mod extras;
mod local;
mod reads;
mod relations;
mod search;
mod select;
mod support;
mod vista;
mod yaml;
