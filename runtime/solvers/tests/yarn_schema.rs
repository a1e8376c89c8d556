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
    let panel = json!({"outline": [[0, 0], [0.01, 0], [0.01, 0.01]]});
    let compared = |cloth: Value| {
        let scene = read(json!({"cloth": cloth}).to_string().as_bytes()).unwrap();
        schema().check_defaults(&serde_json::to_value(scene).unwrap())
    };
    let count = compared(json!({"sheet": {"extent": {"yarns": [5, 5]}}}));
    assert!(count > 35, "{count}");
    // Those of lists are compared element by element.
    compared(json!({"garment": {"panels": [panel]}}));
    let written =
        serde_json::to_value(read(json!({"cloth": {"garment": {"panels": [panel]}}}).to_string().as_bytes()).unwrap());
    let panel = &written.unwrap()["cloth"]["garment"]["panels"][0];
    let expected = json!({"name": "", "outline": [[0.0, 0.0], [0.01, 0.0], [0.01, 0.01]], "draft": {"preset": "plain"}, "warp_angle": 0.0,
        "placement": {"origin": [0.0, 0.0, 0.0], "u": [1.0, 0.0, 0.0], "v": [0.0, 1.0, 0.0]}});
    assert_eq!(*panel, expected);
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
    assert!(scenes >= 6);
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
        json!({"cloth": {"garment": {"panels": []}}}),
        json!({"cloth": {"garment": {"panels": [{"outline": [[0, 0], [0.01, 0]]}]}}}),
        json!({"cloth": {"garment": {"panels": [{"outline": [[0, 0], [0.01, 0], [0.01, 0.01]], "draft": "plain"}]}}}),
        json!({"cloth": {"garment": {"panels": [{"outline": [[0, 0], [0.01, 0], [0.01, 0.01]]}], "seams": [{"a": 1, "b": 2}]}}}),
        json!({"cloth": sheet, "pins": [{"hold": {"edge": 2}}]}),
    ] {
        assert!(schema.fault(&bad).is_some(), "{bad}");
        assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
    }
}
