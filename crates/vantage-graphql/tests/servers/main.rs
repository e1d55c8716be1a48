//! Real servers: the demo API's three spellings of GraphQL, a server from npm,
//! and the driver contract of the framework.

mod contract;
mod demo;
mod faults;
mod foreign;
