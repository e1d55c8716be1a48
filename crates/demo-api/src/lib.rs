//! demo-api
