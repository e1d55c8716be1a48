//! vantage-transport
