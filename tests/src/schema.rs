//! JSON schemas of the reference, held against the readers of the files that they describe.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// A schema of `docs/reference`.
///
/// Knows the keywords that the schemas use and refuses others, so that none is silently ignored.
pub struct Schema(Value);

/// Whether a value has the pattern of a schema; the only one in use is that of colors.
fn has_pattern(text: &str, pattern: &str) -> bool {
    assert_eq!(pattern, "^#[0-9a-fA-F]{6}$", "the schema uses a pattern which this test does not know");
    text.len() == 7 && text.starts_with('#') && text[1..].bytes().all(|b| b.is_ascii_hexdigit())
}

impl Schema {
    /// Reads the schema in a file of `docs/reference`.
    ///
    /// # Panics
    /// When there is none.
    pub fn read(name: &str) -> Self {
        let path = crate::repository().join("docs/reference").join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Schema(serde_json::from_str(&text).unwrap())
    }

    /// The first place where a document breaks the schema.
    pub fn fault(&self, document: &Value) -> Option<String> {
        self.fault_in(&self.0, document, "")
    }

    /// Every field of the schema is read, and every field that is written is in the schema. How many documents were read.
    ///
    /// # Panics
    /// When that is not so.
    pub fn check_reader<T: Serialize, E: std::fmt::Display>(&self, read: impl Fn(&[u8]) -> Result<T, E>) -> usize {
        let documents = self.samples(&self.0);
        for document in &documents {
            assert_eq!(self.fault(document), None, "{document}");
            // The reader refuses fields that it does not know.
            let scene = read(document.to_string().as_bytes()).unwrap_or_else(|e| panic!("{e}: {document}"));
            // It writes every field that it has.
            let written = serde_json::to_value(&scene).unwrap();
            assert_eq!(self.fault(&written), None, "{written}");
            for (name, _) in document.as_object().unwrap() {
                assert!(written.get(name).is_some(), "{name} is read and not kept");
            }
        }
        documents.len()
    }

    /// What the schema refuses, because a number is beyond its limits or a list too short or too long, the reader refuses too.
    /// How many documents were refused.
    ///
    /// # Panics
    /// When that is not so.
    pub fn check_limits<T, E>(&self, read: impl Fn(&[u8]) -> Result<T, E>) -> usize {
        let documents = self.beyond(&self.0);
        for document in &documents {
            assert!(self.fault(document).is_some(), "{document}");
            assert!(read(document.to_string().as_bytes()).is_err(), "the reader takes {document}");
        }
        documents.len()
    }

    /// What the schema says is the default is what the reader gives: `written` is a document in which nothing was said that need
    /// not be. How many defaults were compared.
    ///
    /// # Panics
    /// When a default is another one.
    pub fn check_defaults(&self, written: &Value) -> usize {
        self.compare_defaults(&self.0, written, "")
    }

    fn compare_defaults(&self, schema: &Value, value: &Value, at: &str) -> usize {
        let schema = self.resolve(schema);
        if let Some(of) = schema.get("oneOf") {
            let fits = of.as_array().unwrap().iter().find(|s| self.fault_in(s, value, at).is_none());
            return fits.map_or(0, |s| self.compare_defaults(s, value, at));
        }
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let compare = |(name, rule): (&String, &Value)| {
            let (Some(value), at) = (value.get(name), format!("{at}.{name}")) else { return 0 };
            let default = self.resolve(rule).get("default");
            if let Some(default) = default {
                assert!(is_same(value, default), "{at}: {value} is read, the schema says {default}");
            }
            usize::from(default.is_some()) + self.compare_defaults(rule, value, &at)
        };
        fields.map(compare).sum()
    }

    /// What a reference leads to.
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema.get("$ref") {
            Some(target) => self.0.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap(),
            None => schema,
        }
    }

    fn fault_in(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        schema.as_object().unwrap().iter().find_map(|(keyword, rule)| self.broken(schema, keyword, rule, value, at))
    }

    fn broken(&self, schema: &Value, keyword: &str, rule: &Value, value: &Value, at: &str) -> Option<String> {
        let number = |holds: fn(f64, f64) -> bool| value.as_f64().is_none_or(|v| holds(v, rule.as_f64().unwrap()));
        let length = |holds: fn(usize, usize) -> bool| {
            value.as_array().is_none_or(|v| holds(v.len(), rule.as_u64().unwrap() as usize))
        };
        let fine = match keyword {
            "$schema" | "$defs" | "title" | "description" | "default" | "examples" => true,
            "$ref" => return self.fault_in(self.resolve(schema), value, at),
            "type" => match rule {
                Value::Array(any) => any.iter().any(|t| has_type(value, t)),
                one => has_type(value, one),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "pattern" => value.as_str().is_none_or(|text| has_pattern(text, rule.as_str().unwrap())),
            "minimum" => number(|v, limit| v >= limit),
            "maximum" => number(|v, limit| v <= limit),
            "exclusiveMinimum" => number(|v, limit| v > limit),
            "minItems" => length(|n, limit| n >= limit),
            "maxItems" => length(|n, limit| n <= limit),
            "required" => {
                let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                !value.is_object() || rule.as_array().unwrap().iter().all(has)
            }
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                return items.into_iter().find_map(|(i, v)| self.fault_in(rule, v, &format!("{at}[{i}]")));
            }
            "properties" => {
                let fields = value.as_object().into_iter().flatten();
                let known = fields.into_iter().filter_map(|(name, v)| Some((name, rule.get(name)?, v)));
                return known.into_iter().find_map(|(name, rule, v)| self.fault_in(rule, v, &format!("{at}.{name}")));
            }
            "additionalProperties" => {
                let known = |name: &String| schema.get("properties").is_some_and(|p| p.get(name).is_some());
                let fields = value.as_object().into_iter().flatten();
                let mut others = fields.into_iter().filter(|(name, _)| !known(name));
                return others.find_map(|(name, v)| match rule {
                    Value::Bool(true) => None,
                    Value::Bool(false) => Some(format!("{at}.{name}: unknown field")),
                    rule => self.fault_in(rule, v, &format!("{at}.{name}")),
                });
            }
            "oneOf" => {
                let of = rule.as_array().unwrap();
                of.iter().filter(|s| self.fault_in(s, value, at).is_none()).count() == 1
            }
            other => panic!("the schema uses '{other}', which this test does not know"),
        };
        (!fine).then(|| format!("{at}: breaks '{keyword}'"))
    }

    /// Documents that between them have every field and every variant of a schema.
    fn samples(&self, schema: &Value) -> Vec<Value> {
        let schema = self.resolve(schema);
        if let Some(of) = schema.get("oneOf") {
            return of.as_array().unwrap().iter().flat_map(|s| self.samples(s)).collect();
        }
        if let Some(given) = schema.get("enum").or(schema.get("examples")) {
            return given.as_array().unwrap().clone();
        }
        match kind(schema) {
            "object" => self.object_samples(schema),
            "array" => {
                let count = schema.get("minItems").map_or(1, |n| n.as_u64().unwrap());
                // Three different directions need different numbers; the default has them.
                let repeat = |v: Value| {
                    let default = schema.get("default").filter(|d| **d != json!([])).cloned();
                    default.unwrap_or(json!(vec![v; count as usize]))
                };
                self.samples(&schema["items"]).into_iter().map(repeat).collect()
            }
            "string" => vec![schema.get("default").cloned().unwrap_or(json!("file.obj"))],
            "boolean" => vec![json!(true)],
            "null" => vec![Value::Null],
            number => {
                let low =
                    schema.get("minimum").or(schema.get("exclusiveMinimum")).and_then(Value::as_f64).unwrap_or(0.0);
                let usual = if low < 0.0 { 0.0 } else { low + 0.5 };
                let value = schema.get("default").and_then(Value::as_f64).unwrap_or(usual);
                vec![if number == "integer" { json!(value.ceil() as u64) } else { json!(value) }]
            }
        }
    }

    /// One object for each sample of each field, the other fields at their first sample.
    fn object_samples(&self, schema: &Value) -> Vec<Value> {
        let fields: Vec<(String, Vec<Value>)> =
            self.fields(schema).into_iter().map(|(name, rule)| (name, self.samples(rule))).collect();
        let first: Map<String, Value> = fields.iter().map(|(name, s)| (name.clone(), s[0].clone())).collect();
        let others = fields.iter().flat_map(|(name, values)| values[1..].iter().map(move |v| (name, v)));
        let with = |(name, value): (&String, &Value)| {
            let mut one = first.clone();
            one.insert(name.clone(), value.clone());
            Value::Object(one)
        };
        std::iter::once(Value::Object(first.clone())).chain(others.map(with)).collect()
    }

    /// The fields of an object; one that may have any name is called 0.
    fn fields<'a>(&self, schema: &'a Value) -> Vec<(String, &'a Value)> {
        let named = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let any = schema.get("additionalProperties").filter(|rule| rule.is_object());
        named
            .into_iter()
            .map(|(name, rule)| (name.clone(), rule))
            .chain(any.map(|rule| ("0".to_owned(), rule)))
            .collect()
    }

    /// Documents each of which has one number beyond a limit or one list of the wrong length.
    fn beyond(&self, schema: &Value) -> Vec<Value> {
        let schema = self.resolve(schema);
        if let Some(of) = schema.get("oneOf") {
            return of.as_array().unwrap().iter().flat_map(|s| self.beyond(s)).collect();
        }
        if schema.get("enum").is_some() {
            return vec![json!("no-such-name")];
        }
        let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
        match kind(schema) {
            "object" => {
                let first = self.samples(schema).swap_remove(0);
                let fields = self.fields(schema).into_iter();
                let with = |(name, value): (String, Value)| {
                    let mut one = first.clone();
                    one[&name] = value;
                    one
                };
                fields
                    .flat_map(|(name, rule)| self.beyond(rule).into_iter().map(move |v| (name.clone(), v)))
                    .map(with)
                    .collect()
            }
            "array" => {
                let (item, good) = (&schema["items"], self.samples(schema).swap_remove(0));
                let length = good.as_array().unwrap().len();
                let repeated = |value: &Value, n: usize| json!(vec![value.clone(); n]);
                let inside = self.beyond(item).into_iter().map(|v| repeated(&v, length.max(1)));
                let sizes = [limit("minItems").map(|n| n - 1.0), limit("maxItems").map(|n| n + 1.0)];
                let fill = self.samples(item).swap_remove(0);
                inside.chain(sizes.into_iter().flatten().map(|n| repeated(&fill, n as usize))).collect()
            }
            "number" | "integer" => {
                let low = limit("minimum").map(|low| low - 1.0).or(limit("exclusiveMinimum"));
                let high = limit("maximum").map(|high| high + high.abs().max(1.0));
                [low, high].into_iter().flatten().map(|v| json!(v)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The type of a value, the first of several.
fn kind(schema: &Value) -> &str {
    schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap()
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("unknown type {other}"),
    }
}

/// Equal, numbers up to what an f32 loses of a decimal number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-7 * b.abs(),
            _ => a == b,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Negative controls: what a schema or a reader has too much or too little is seen.
    #[test]
    fn a_schema_that_is_not_the_readers_is_seen() {
        let schema = |properties: Value| {
            Schema(json!({"type": "object", "additionalProperties": false, "properties": properties}))
        };
        let number = |max: f64| json!({"type": "number", "minimum": 0, "maximum": max, "default": 1});
        // Reads {"a": number from 0 to 2, 1 unless given}.
        let read = |bytes: &[u8]| {
            let value: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
            let object = value.as_object().ok_or("no object")?;
            let known = object.keys().all(|name| name == "a");
            let a = object.get("a").map_or(Some(1.0), Value::as_f64).filter(|a| (0.0..=2.0).contains(a));
            a.filter(|_| known).map(|a| json!({"a": a})).ok_or("refused".to_owned())
        };
        let good = schema(json!({"a": number(2.0)}));
        assert_eq!(good.check_reader(read), 1);
        assert_eq!(good.check_limits(read), 2);
        assert_eq!(good.check_defaults(&json!({"a": 1.0})), 1);
        let fails = |check: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err();
        assert!(fails(&|| _ = schema(json!({"b": number(2.0)})).check_reader(read)), "a field that is not read");
        assert!(fails(&|| _ = schema(json!({})).check_reader(read)), "a field that is not in the schema");
        assert!(fails(&|| _ = schema(json!({"a": number(0.5)})).check_limits(read)), "another limit");
        assert!(fails(&|| _ = good.check_defaults(&json!({"a": 1.5}))), "another default");
        assert!(fails(&|| _ = good.check_defaults(&json!({"a": null}))), "a default that is no number");
        let unknown = schema(json!({"a": {"type": "number", "multipleOf": 2}}));
        assert!(fails(&|| _ = unknown.fault(&json!({"a": 1}))), "an unknown keyword");
    }
}
