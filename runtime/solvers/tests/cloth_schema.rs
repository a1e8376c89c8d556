//! The schema of cloth scenes and their reader say the same.

use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use yarnwise_solvers::cloth::scene::Scene;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Value {
    let text = std::fs::read_to_string(root().join("docs/reference/cloth-scene.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A validator of the keywords that the schema uses; refuses others, so that none is silently ignored.
struct Validator(Value);

impl Validator {
    /// The first place where a value breaks the schema.
    fn fault(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
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
                return self.fault(target, value, at);
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
                return items.into_iter().find_map(|(i, v)| self.fault(rule, v, &format!("{at}[{i}]")));
            }
            "properties" => {
                let closed = schema["additionalProperties"] == json!(false);
                let fields = value.as_object().into_iter().flatten();
                return fields.into_iter().find_map(|(name, v)| match rule.get(name) {
                    Some(inner) => self.fault(inner, v, &format!("{at}.{name}")),
                    None => closed.then(|| format!("{at}.{name}: unknown field")),
                });
            }
            "oneOf" => {
                let of = rule.as_array().unwrap();
                of.iter().filter(|s| self.fault(s, value, at).is_none()).count() == 1
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
        "string" => vec![json!("file.obj")],
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

#[test]
fn every_field_of_the_schema_is_read_and_every_field_that_is_written_is_in_the_schema() {
    let schema = schema();
    let validator = Validator(schema.clone());
    let documents = samples(&schema, &schema);
    assert!(documents.len() > 15, "{}", documents.len());
    for document in documents {
        assert_eq!(validator.fault(&schema, &document, ""), None, "{document}");
        // The reader refuses fields that it does not know.
        let scene =
            Scene::parse(document.to_string().as_bytes(), "sample").unwrap_or_else(|e| panic!("{e}: {document}"));
        // It writes every field that it has.
        let written = serde_json::to_value(&scene).unwrap();
        assert_eq!(validator.fault(&schema, &written, ""), None, "{written}");
        for (name, _) in document.as_object().unwrap() {
            assert!(written.get(name).is_some(), "{name} is read and not kept");
        }
    }
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    let minimal = r#"{"cloth": {"grid": {"columns": 5, "rows": 5, "spacing": 0.1}}, "self_contact": {}}"#;
    let scene = serde_json::to_value(Scene::parse(minimal.as_bytes(), "minimal").unwrap()).unwrap();
    let schema = schema();
    let mut compared = 0;
    let mut compare = |rules: &Value, values: &Value| {
        for (name, rule) in rules["properties"].as_object().unwrap() {
            if let Some(default) = rule.get("default") {
                assert!(is_same(&values[name], default), "{name}: {} and {default}", values[name]);
                compared += 1;
            }
        }
    };
    for part in ["material", "environment", "solver", "output"] {
        compare(&schema["properties"][part], &scene[part]);
    }
    compare(&schema["properties"]["self_contact"]["oneOf"][1], &scene["self_contact"]);
    compare(&schema["properties"]["cloth"]["oneOf"][0]["properties"]["grid"], &scene["cloth"]["grid"]);
    assert!(compared > 25, "{compared}");
}

/// Equal, numbers up to what is lost in their decimal form.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * b.abs(),
        _ => a == b,
    }
}

#[test]
fn every_scene_of_the_project_is_valid_and_a_bad_one_is_not() {
    let schema = schema();
    let validator = Validator(schema.clone());
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("data/cloth-scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(validator.fault(&schema, &value, ""), None, "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 6);
    // Negative controls: what the reader refuses, the schema refuses too.
    let grid = json!({"grid": {"columns": 5, "rows": 5, "spacing": 0.1}});
    for bad in [
        json!({}),
        json!({"cloth": grid, "materiel": {}}),
        json!({"cloth": grid, "material": {"density": 0}}),
        json!({"cloth": grid, "bodies": [{"shape": {"cone": {}}}]}),
        json!({"cloth": grid, "solver": {"integrator": {"adaptive-imex": {"safety": 2}}}}),
        json!({"cloth": {"grid": {"columns": 1, "rows": 5, "spacing": 0.1}}}),
        json!({"cloth": {"grid": {"columns": 5, "rows": 5, "spacing": "wide"}}}),
    ] {
        assert!(validator.fault(&schema, &bad, "").is_some(), "{bad}");
        assert!(Scene::parse(bad.to_string().as_bytes(), "bad").is_err(), "{bad}");
    }
}
