//! The schema of cloth scenes and their reader say the same.

use serde_json::{Value, json};
use yarnwise_solvers::cloth::scene::Scene;
use yarnwise_tests::schema::Schema;

fn schema() -> Schema {
    Schema::read("cloth-scene.schema.json")
}

fn read(bytes: &[u8]) -> yarnwise_solvers::Result<Scene> {
    Scene::parse(bytes, "sample")
}

#[test]
fn every_field_of_the_schema_is_read_and_every_field_that_is_written_is_in_the_schema() {
    assert!(schema().check_reader(read) > 15);
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    let minimal = r#"{"cloth": {"grid": {"columns": 5, "rows": 5, "spacing": 0.1}}, "self_contact": {}}"#;
    let scene = serde_json::to_value(read(minimal.as_bytes()).unwrap()).unwrap();
    assert!(schema().check_defaults(&scene) > 25);
}

#[test]
fn every_scene_of_the_project_is_valid_and_a_bad_one_is_not() {
    let schema = schema();
    let mut count = 0;
    for entry in std::fs::read_dir(yarnwise_tests::repository().join("data/cloth-scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(schema.fault(&value), None, "{}", path.display());
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
        assert!(schema.fault(&bad).is_some(), "{bad}");
        assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
    }
}
