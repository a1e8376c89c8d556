//! The schema of yarn scenes and their reader say the same.
#![cfg(feature = "yarn-level")]

use serde_json::{Value, json};
use yarnwise_solvers::yarn::scene::Scene;
use yarnwise_tests::schema::Schema;

fn schema() -> Schema {
    Schema::read("yarn-scene.schema.json")
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
    let minimal = r#"{"cloth": {"sheet": {"extent": {"yarns": [5, 5]}}}}"#;
    let scene = serde_json::to_value(read(minimal.as_bytes()).unwrap()).unwrap();
    let compared = schema().check_defaults(&scene);
    assert!(compared > 35, "{compared}");
}

#[test]
fn every_scene_of_the_project_is_valid_and_a_bad_one_is_not() {
    let schema = schema();
    let mut scenes = 0;
    for entry in std::fs::read_dir(yarnwise_tests::repository().join("data/yarn-scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(schema.fault(&value), None, "{}", path.display());
            scenes += 1;
        }
    }
    assert!(scenes >= 5);
    // Negative controls: what the reader refuses, the schema refuses too.
    let sheet = json!({"sheet": {"extent": {"yarns": [5, 5]}}});
    for bad in [
        json!({}),
        json!({"cloth": sheet, "materiel": {}}),
        json!({"cloth": sheet, "material": {"density": 0}}),
        json!({"cloth": sheet, "material": {"thickness": 1}}),
        json!({"cloth": sheet, "bodies": [{"shape": {"cone": {}}}]}),
        json!({"cloth": sheet, "pins": [{"hold": {"ends": {"of": "warp"}}}]}),
        json!({"cloth": sheet, "solver": {"method": "jacobi"}}),
        json!({"cloth": {"sheet": {"extent": {"yarns": [0, 5]}}}}),
        json!({"cloth": {"sheet": {"extent": {"meters": [0.1, -0.1]}}}}),
        json!({"cloth": {"sheet": {"extent": {"yarns": [5, 5]}, "draft": "plain"}}}),
    ] {
        assert!(schema.fault(&bad).is_some(), "{bad}");
        assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
    }
}
