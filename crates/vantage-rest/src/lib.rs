//! vantage-rest
