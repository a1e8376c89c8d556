//! The schema of hybrid scenes and their reader say the same.
#![cfg(feature = "yarn-level")]

use serde_json::{Value, json};
use yarnwise_solvers::hybrid::scene::Scene;
use yarnwise_tests::schema::Schema;

fn schema() -> Schema {
    Schema::read("hybrid-scene.schema.json")
}

fn read(bytes: &[u8]) -> yarnwise_solvers::Result<Scene> {
    Scene::parse(bytes, "sample")
}

#[test]
fn every_field_of_the_schema_is_read_and_every_field_that_is_written_is_in_the_schema() {
    assert!(schema().check_reader(read) > 15);
}

#[test]
fn what_the_schema_refuses_the_reader_refuses() {
    assert!(schema().check_limits(read) > 60);
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    let compared = |scene: Value| {
        let scene = read(scene.to_string().as_bytes()).unwrap();
        schema().check_defaults(&serde_json::to_value(scene).unwrap())
    };
    let count = compared(json!({"cloth": {"sheet": {"cells": [2, 2], "crossings": 4}}, "region": "half"}));
    assert!(count > 35, "{count}");
    compared(json!({"cloth": {"mesh": {"file": "a.obj"}}, "region": "all"}));
    let springs = json!({"cloth": {"mesh": {"file": "a.obj"}}, "region": "none", "triangles": {"springs": {}}});
    let written = serde_json::to_value(read(springs.to_string().as_bytes()).unwrap()).unwrap();
    assert_eq!(written["triangles"]["springs"]["density"], json!(0.2));
}

#[test]
fn every_scene_of_the_project_is_valid_and_a_bad_one_is_not() {
    let schema = schema();
    let mut scenes = 0;
    for entry in std::fs::read_dir(yarnwise_tests::repository().join("data/hybrid-scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(schema.fault(&value), None, "{}", path.display());
            scenes += 1;
        }
    }
    assert!(scenes >= 7);
    // Negative controls: what the reader refuses, the schema refuses too.
    let sheet = json!({"sheet": {"cells": [4, 4], "crossings": 5}});
    for bad in [
        json!({"cloth": sheet}),
        json!({"region": "all"}),
        json!({"cloth": sheet, "region": "some"}),
        json!({"cloth": sheet, "region": {"polygons": [[[0, 0], [1, 0]]]}}),
        json!({"cloth": sheet, "region": {"faces": [0]}}),
        json!({"cloth": sheet, "region": "all", "materiel": {}}),
        json!({"cloth": sheet, "region": "all", "triangles": "rubber"}),
        json!({"cloth": sheet, "region": "all", "triangles": {"springs": {"mass": 1}}}),
        json!({"cloth": sheet, "region": "all", "pins": [{"hold": {"box": {"low": [0, 0, 0], "high": [1, 1, 1]}}}]}),
        json!({"cloth": sheet, "region": "all", "pins": [{"hold": {"vertices": [0]}}]}),
        json!({"cloth": sheet, "region": "all", "solver": {"preconditioner": "blocks"}}),
        json!({"cloth": sheet, "region": "all", "start": {"stretch": [1, 0, 1]}}),
        json!({"cloth": {"sheet": {"cells": [0, 4], "crossings": 5}}, "region": "all"}),
        json!({"cloth": {"sheet": {"cells": [4, 4], "crossings": 5, "draft": "plain"}}, "region": "all"}),
    ] {
        assert!(schema.fault(&bad).is_some(), "{bad}");
        assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
    }
}
