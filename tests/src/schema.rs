//! JSON schemas of scene files, held to their readers.

use serde_json::{Map, Value, json};
use std::path::Path;

impl Validator {
    /// The schema in a file.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Validator(serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    }

    /// Documents that between them have every field and every variant.
    pub fn samples(&self) -> Vec<Value> {
        samples(&self.0, &self.0)
    }

    /// Checks that every default of an object's fields is the value that a reader gave; how many there are.
    pub fn compare_defaults(rules: &Value, values: &Value) -> usize {
        let fields = rules["properties"].as_object().into_iter().flatten();
        let with_default = fields.filter_map(|(name, rule)| Some((name, rule.get("default")?)));
        let check = |(name, default): (&String, &Value)| {
            assert!(is_same(&values[name], default), "{name}: {} and {default}", values[name]);
        };
        with_default.map(check).count()
    }

    /// Checks every JSON file of a folder; how many there are.
    pub fn check_folder(&self, folder: &Path) -> usize {
        let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        let paths = entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "json"));
        let check = |path: std::path::PathBuf| {
            let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(self.fault(&value), None, "{}", path.display());
        };
        paths.map(check).count()
    }
}

/// A validator of the keywords that the schema uses; refuses others, so that none is silently ignored.
#[derive(Debug)]
pub struct Validator(pub Value);

impl Validator {
    /// The first place where a value breaks the schema.
    pub fn fault(&self, value: &Value) -> Option<String> {
        self.fault_at(&self.0, value, "")
    }

    fn fault_at(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        schema.as_object().unwrap().iter().find_map(|(keyword, rule)| self.broken(schema, keyword, rule, value, at))
    }

    fn broken(&self, schema: &Value, keyword: &str, rule: &Value, value: &Value, at: &str) -> Option<String> {
        let number = |holds: fn(f64, f64) -> bool| value.as_f64().is_none_or(|v| holds(v, rule.as_f64().unwrap()));
        let length = |holds: fn(usize, usize) -> bool| {
            value.as_array().is_none_or(|v| holds(v.len(), rule.as_u64().unwrap() as usize))
        };
        let fine = match keyword {
            "$schema" | "$defs" | "title" | "description" | "default" | "additionalProperties" => true,
            "$ref" => {
                let target = self.0.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap();
                return self.fault_at(target, value, at);
            }
            "type" => match rule {
                Value::Array(any) => any.iter().any(|t| has_type(value, t)),
                one => has_type(value, one),
            },
            "enum" => rule.as_array().unwrap().contains(value),
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
                return items.into_iter().find_map(|(i, v)| self.fault_at(rule, v, &format!("{at}[{i}]")));
            }
            "properties" => {
                let closed = schema["additionalProperties"] == json!(false);
                let fields = value.as_object().into_iter().flatten();
                return fields.into_iter().find_map(|(name, v)| match rule.get(name) {
                    Some(inner) => self.fault_at(inner, v, &format!("{at}.{name}")),
                    None => closed.then(|| format!("{at}.{name}: unknown field")),
                });
            }
            "oneOf" => {
                let of = rule.as_array().unwrap();
                of.iter().filter(|s| self.fault_at(s, value, at).is_none()).count() == 1
            }
            other => panic!("the schema uses '{other}', which this test does not know"),
        };
        (!fine).then(|| format!("{at}: breaks '{keyword}'"))
    }
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

/// Documents that between them have every field and every variant of a schema.
fn samples(root: &Value, schema: &Value) -> Vec<Value> {
    if let Some(target) = schema.get("$ref") {
        return samples(root, root.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap());
    }
    if let Some(of) = schema.get("oneOf") {
        return of.as_array().unwrap().iter().flat_map(|s| samples(root, s)).collect();
    }
    if let Some(names) = schema.get("enum") {
        return names.as_array().unwrap().clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap();
    match kind {
        "object" => object_samples(root, schema),
        "array" => {
            let count = schema.get("minItems").map_or(1, |n| n.as_u64().unwrap());
            // Three different directions need different numbers; the default has them.
            let repeat = |v: Value| {
                schema.get("default").filter(|d| **d != json!([])).cloned().unwrap_or(json!(vec![v; count as usize]))
            };
            samples(root, &schema["items"]).into_iter().map(repeat).collect()
        }
        "string" => vec![schema.get("default").cloned().unwrap_or(json!("file.obj"))],
        "boolean" => vec![json!(true)],
        "null" => vec![Value::Null],
        number => {
            let low = schema.get("minimum").or(schema.get("exclusiveMinimum")).and_then(Value::as_f64).unwrap_or(0.0);
            let value =
                schema.get("default").and_then(Value::as_f64).unwrap_or(if low < 0.0 { 0.0 } else { low + 0.5 });
            vec![if number == "integer" { json!(value.ceil() as u64) } else { json!(value) }]
        }
    }
}

/// One object for each sample of each field, the other fields at their first sample.
fn object_samples(root: &Value, schema: &Value) -> Vec<Value> {
    let fields: Vec<(&String, Vec<Value>)> =
        schema["properties"].as_object().unwrap().iter().map(|(name, s)| (name, samples(root, s))).collect();
    let first: Map<String, Value> = fields.iter().map(|(name, s)| ((*name).clone(), s[0].clone())).collect();
    let mut out = vec![Value::Object(first.clone())];
    for (name, values) in &fields {
        for value in &values[1..] {
            let mut one = first.clone();
            one.insert((*name).clone(), value.clone());
            out.push(Value::Object(one));
        }
    }
    out
}

/// Equal, numbers up to what is lost in their decimal form.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * b.abs(),
        _ => a == b,
    }
}
