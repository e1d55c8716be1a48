//! vantage-graphql
