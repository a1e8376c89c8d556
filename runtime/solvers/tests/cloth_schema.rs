//! The schema of cloth scenes and their reader say the same.

use serde_json::json;
use std::path::{Path, PathBuf};
use yarnwise_solvers::cloth::scene::Scene;
use yarnwise_tests::schema::Validator;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Validator {
    Validator::read(&root().join("docs/reference/cloth-scene.schema.json"))
}

#[test]
fn every_field_of_the_schema_is_read_and_every_field_that_is_written_is_in_the_schema() {
    let schema = schema();
    let documents = schema.samples();
    assert!(documents.len() > 15, "{}", documents.len());
    for document in documents {
        assert_eq!(schema.fault(&document), None, "{document}");
        // The reader refuses fields that it does not know.
        let scene =
            Scene::parse(document.to_string().as_bytes(), "sample").unwrap_or_else(|e| panic!("{e}: {document}"));
        // It writes every field that it has.
        let written = serde_json::to_value(&scene).unwrap();
        assert_eq!(schema.fault(&written), None, "{written}");
        for (name, _) in document.as_object().unwrap() {
            assert!(written.get(name).is_some(), "{name} is read and not kept");
        }
    }
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    let minimal = r#"{"cloth": {"grid": {"columns": 5, "rows": 5, "spacing": 0.1}}, "self_contact": {}}"#;
    let scene = serde_json::to_value(Scene::parse(minimal.as_bytes(), "minimal").unwrap()).unwrap();
    let schema = schema().0;
    let mut compared = 0;
    for part in ["material", "environment", "solver", "output"] {
        compared += Validator::compare_defaults(&schema["properties"][part], &scene[part]);
    }
    compared += Validator::compare_defaults(&schema["properties"]["self_contact"]["oneOf"][1], &scene["self_contact"]);
    let grid = &schema["properties"]["cloth"]["oneOf"][0]["properties"]["grid"];
    compared += Validator::compare_defaults(grid, &scene["cloth"]["grid"]);
    assert!(compared > 25, "{compared}");
}

#[test]
fn every_scene_of_the_project_is_valid_and_a_bad_one_is_not() {
    let schema = schema();
    assert!(schema.check_folder(&root().join("data/cloth-scenes")) >= 6);
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
        assert!(Scene::parse(bad.to_string().as_bytes(), "bad").is_err(), "{bad}");
    }
}
