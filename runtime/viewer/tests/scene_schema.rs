//! The schema of scenes and their reader say the same.

use serde_json::{Value, json};
use yarnwise_tests::schema::Schema;
use yarnwise_viewer::scene::Scene;

fn schema() -> Schema {
    Schema::read("scene.schema.json")
}

fn read(bytes: &[u8]) -> yarnwise_viewer::Result<Scene> {
    Scene::parse(bytes, "sample")
}

#[test]
fn every_field_of_the_schema_is_read_and_every_field_that_is_written_is_in_the_schema() {
    assert!(schema().check_reader(read) > 20);
}

#[test]
fn what_is_beyond_the_limits_of_the_schema_is_refused_by_the_reader() {
    assert!(schema().check_limits(read) > 60);
}

#[test]
fn defaults_of_the_schema_are_those_of_the_reader() {
    for cloth in [json!({"clip": {"file": "a.obj"}}), json!({"sheet": {}}), json!({"tube": {}}), json!({"skirt": {}})] {
        let minimal = json!({"yarns": {"pattern": "a.yarn"}, "cloth": cloth, "layout": {"islands": {"0": {}}}});
        let scene = read(minimal.to_string().as_bytes()).unwrap();
        let compared = schema().check_defaults(&serde_json::to_value(&scene).unwrap());
        assert!(compared > 20, "{compared} with {minimal}");
    }
}

#[test]
fn every_scene_of_the_project_is_valid_and_a_bad_one_is_not() {
    let schema = schema();
    let mut count = 0;
    for entry in std::fs::read_dir(yarnwise_tests::repository().join("data/scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(schema.fault(&value), None, "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 10, "{count}");
    // Negative controls: what the reader refuses, the schema refuses too.
    let with = |name: &str, value: Value| {
        let mut scene = json!({"yarns": {"pattern": "a.yarn"}, "cloth": {"sheet": {}}});
        scene[name] = value;
        scene
    };
    assert_eq!(schema.fault(&with("still", json!(3))), None);
    for bad in [
        json!({}),
        with("stile", json!({})),
        with("yarns", json!({"databse": "a.ydb"})),
        with("cloth", json!({"sheet": {"sise": [1, 1]}})),
        with("camera", json!({"pitch": "up"})),
        with("camera", json!({"fov": 180})),
        with("style", json!({"colors": ["#12345"]})),
        with("layout", json!({"islands": {"0": {"skale": 1}}})),
    ] {
        assert!(schema.fault(&bad).is_some(), "{bad}");
        assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
    }
}
