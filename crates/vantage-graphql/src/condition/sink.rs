//! Where a rendered filter goes: straight into a document, or into JSON.

use serde_json::{Map, Value as Json};

use crate::literal;

/// Receives a filter part by part, so that its rules are written once.
pub(crate) trait Sink {
    fn open_object(&mut self);
    fn close_object(&mut self);
    fn open_list(&mut self);
    fn close_list(&mut self);
    /// The key of the next value. Only inside an object.
    fn key(&mut self, key: &str);
    fn value(&mut self, value: &Json);

    /// The entry `key: {operator: value}` of an object.
    fn comparison(&mut self, key: &str, operator: &str, value: &Json) {
        self.key(key);
        self.open_object();
        self.key(operator);
        self.value(value);
        self.close_object();
    }
}

/// Writes GraphQL text without building a tree first.
pub(crate) struct TextSink<'a> {
    out: &'a mut String,
    /// Whether something stands before the next key or item.
    follows: bool,
}

impl<'a> TextSink<'a> {
    pub(crate) fn new(out: &'a mut String) -> Self {
        Self { out, follows: false }
    }

    fn separate(&mut self) {
        if self.follows {
            self.out.push_str(", ");
        }
    }

    fn open(&mut self, bracket: char) {
        self.separate();
        self.out.push(bracket);
        self.follows = false;
    }

    fn close(&mut self, bracket: char) {
        self.out.push(bracket);
        self.follows = true;
    }
}

impl Sink for TextSink<'_> {
    fn open_object(&mut self) {
        self.open('{');
    }

    fn close_object(&mut self) {
        self.close('}');
    }

    fn open_list(&mut self) {
        self.open('[');
    }

    fn close_list(&mut self) {
        self.close(']');
    }

    fn key(&mut self, key: &str) {
        self.separate();
        self.out.push_str(key);
        self.out.push_str(": ");
        self.follows = false;
    }

    fn value(&mut self, value: &Json) {
        self.separate();
        literal::write_value(self.out, value);
        self.follows = true;
    }

    fn comparison(&mut self, key: &str, operator: &str, value: &Json) {
        self.separate();
        self.out.push_str(key);
        self.out.push_str(": {");
        self.out.push_str(operator);
        self.out.push_str(": ");
        literal::write_value(self.out, value);
        self.out.push('}');
        self.follows = true;
    }
}

/// Builds a JSON value.
#[derive(Default)]
pub(crate) struct JsonSink {
    open: Vec<(Option<String>, Json)>,
    key: Option<String>,
    done: Json,
}

impl JsonSink {
    /// What was written; null when nothing was.
    pub(crate) fn finish(self) -> Json {
        self.done
    }

    fn open(&mut self, container: Json) {
        let key = self.key.take();
        self.open.push((key, container));
    }

    fn close(&mut self) {
        if let Some((key, container)) = self.open.pop() {
            self.place(key, container);
        }
    }

    fn place(&mut self, key: Option<String>, value: Json) {
        match self.open.last_mut() {
            Some((_, Json::Object(fields))) => {
                fields.insert(key.unwrap_or_default(), value);
            }
            Some((_, Json::Array(items))) => items.push(value),
            _ => self.done = value,
        }
    }
}

impl Sink for JsonSink {
    fn open_object(&mut self) {
        self.open(Json::Object(Map::new()));
    }

    fn close_object(&mut self) {
        self.close();
    }

    fn open_list(&mut self) {
        self.open(Json::Array(Vec::new()));
    }

    fn close_list(&mut self) {
        self.close();
    }

    fn key(&mut self, key: &str) {
        self.key = Some(key.to_owned());
    }

    fn value(&mut self, value: &Json) {
        let key = self.key.take();
        self.place(key, value.clone());
    }
}
