//! The schema of parameters files and their reader say the same.

use serde_json::{Value, json};
use yarnwise_shared::parameters::Parameters;
use yarnwise_tests::schema::Schema;

fn schema() -> Schema {
    Schema::read("parameters.schema.json")
}

fn read(bytes: &[u8]) -> yarnwise_shared::Result<Parameters> {
    Parameters::parse(bytes, "sample")
}

fn file(model: &Value) -> Value {
    json!({"format": "yarnwise-parameters", "version": 1, "model": model})
}

#[test]
fn every_field_of_the_schema_is_read_and_every_field_that_is_written_is_in_the_schema() {
    let count = schema().check_reader(read);
    assert!(count >= 5, "{count}");
}

#[test]
fn what_the_schema_refuses_the_reader_refuses() {
    let count = schema().check_limits(read);
    assert!(count > 80, "{count}");
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    let constants = json!({"constants": {"c11": 1.0, "c22": 1.0, "c12": null, "c66": 1.0}});
    let least = file(&json!({"membrane": {"in_plane": constants}}));
    let written = serde_json::to_value(read(least.to_string().as_bytes()).unwrap()).unwrap();
    assert_eq!(schema().check_defaults(&written), 3);
}

#[test]
fn bad_files_are_refused_by_both() {
    let schema = schema();
    for bad in [
        file(&json!({})),
        file(&json!({"membrane": {}})),
        file(&json!({"membrane": {"in_plane": {"constants": {"c11": 1.0}}}})),
        file(&json!({"yarn": {"young": 1e5, "shear": 4e4, "gamma": 0.1, "contact": "stiff"}})),
        json!({"model": {}}),
    ] {
        assert!(schema.fault(&bad).is_some(), "{bad}");
        assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
    }
}
