//! Real servers: the demo API's three spellings of GraphQL, and the driver
//! contract of the framework over them.

mod contract;
mod demo;
mod faults;
