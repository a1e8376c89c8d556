//! The schema of campaigns and their reader say the same.

use serde_json::{Value, json};
use yarnwise_precompute::campaign::DEFAULT_NAMING;
use yarnwise_precompute::campaign::file::CampaignFile;
use yarnwise_tests::schema::Schema;

fn schema() -> Schema {
    Schema::read("campaign.schema.json")
}

/// A value as TOML: tables inline, numbers as they are.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} = {}", toml(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn read(bytes: &[u8]) -> Result<CampaignFile, String> {
    let document: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    let fields = document.as_object().ok_or("no table")?;
    let lines: String = fields.iter().map(|(name, value)| format!("{name} = {}\n", toml(value))).collect();
    match CampaignFile::parse(&lines) {
        (file, faults) if faults.is_empty() => Ok(file),
        (_, faults) => Err(faults.into_iter().map(|fault| fault.problem).collect::<Vec<_>>().join("; ")),
    }
}

#[test]
fn every_field_of_the_schema_is_read_and_every_field_that_is_written_is_in_the_schema() {
    let count = schema().check_reader(read);
    assert!(count > 15, "{count}");
}

#[test]
fn what_is_beyond_the_limits_of_the_schema_is_refused_by_the_reader() {
    let count = schema().check_limits(read);
    assert!(count > 40, "{count}");
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    let least = json!({"patterns": ["a.yarn"], "materials": ["knit"], "relax": {}});
    let written = serde_json::to_value(read(least.to_string().as_bytes()).unwrap()).unwrap();
    assert_eq!(schema().check_defaults(&written), 6);
    assert_eq!(written["naming"], DEFAULT_NAMING);
}

#[test]
fn the_example_is_read_and_bad_files_are_refused_by_both() {
    let text = std::fs::read_to_string(yarnwise_tests::repository().join("data/campaigns/swatches.toml")).unwrap();
    let (file, faults) = CampaignFile::parse(&text);
    assert_eq!(faults, []);
    let schema = schema();
    assert_eq!(schema.fault(&serde_json::to_value(&file).unwrap()), None);
    for bad in [
        json!({}),
        json!({"patterns": [], "materials": ["knit"]}),
        json!({"patterns": ["a"], "materials": ["knit"], "speed": 1}),
        json!({"patterns": [{"name": "a"}], "materials": ["knit"]}),
        json!({"patterns": ["a"], "materials": [{"name": "a", "young": 1e5}]}),
        json!({"patterns": ["a"], "materials": ["knit"], "grids": [{"name": "t", "sx": [0, 1]}]}),
        json!({"patterns": ["a"], "materials": ["knit"], "grids": [{"name": "t", "file": "a", "sx": [0, 1]}]}),
        json!({"patterns": ["a"], "materials": ["knit"], "bake": {"shards": 1.5}}),
        json!({"patterns": "a", "materials": ["knit"]}),
    ] {
        assert!(schema.fault(&bad).is_some(), "{bad}");
        assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
    }
}
