//! Dates and times.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, Utc};
use serde_json::Value as Json;

use super::system::{
    GraphqlType, GraphqlTypeDateMarker, GraphqlTypeDateTimeMarker, GraphqlTypeTimeMarker,
};

impl GraphqlType for DateTime<Utc> {
    type Target = GraphqlTypeDateTimeMarker;

    fn to_json(&self) -> Json {
        Json::String(self.to_rfc3339())
    }

    fn from_json(value: Json) -> Option<Self> {
        Some(instant(&value)?.with_timezone(&Utc))
    }
}

impl GraphqlType for DateTime<FixedOffset> {
    type Target = GraphqlTypeDateTimeMarker;

    fn to_json(&self) -> Json {
        Json::String(self.to_rfc3339())
    }

    fn from_json(value: Json) -> Option<Self> {
        instant(&value)
    }
}

fn instant(value: &Json) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(value.as_str()?).ok()
}

impl GraphqlType for NaiveDate {
    type Target = GraphqlTypeDateMarker;

    fn to_json(&self) -> Json {
        Json::String(self.format("%Y-%m-%d").to_string())
    }

    fn from_json(value: Json) -> Option<Self> {
        Self::parse_from_str(value.as_str()?, "%Y-%m-%d").ok()
    }
}

impl GraphqlType for NaiveTime {
    type Target = GraphqlTypeTimeMarker;

    fn to_json(&self) -> Json {
        Json::String(self.format("%H:%M:%S%.f").to_string())
    }

    fn from_json(value: Json) -> Option<Self> {
        Self::parse_from_str(value.as_str()?, "%H:%M:%S%.f").ok()
    }
}
