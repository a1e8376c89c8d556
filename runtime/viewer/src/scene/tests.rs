use super::*;

const SMALL: &str = r#"{ "yarns": { "pattern": "p.yarn" }, "cloth": { "sheet": {} } }"#;

fn problem(text: &str) -> String {
    Scene::parse(text.as_bytes(), "x.json").unwrap_err().to_string()
}

#[test]
fn what_is_not_said_has_a_default() {
    let scene = Scene::parse(SMALL.as_bytes(), "x.json").unwrap();
    assert_eq!(scene.yarns, YarnsSpec::Pattern("p.yarn".into()));
    assert_eq!(scene.frame, FrameOptions::default());
    assert_eq!(scene.split, Split::None);
}

#[test]
fn a_scene_survives_writing_and_reading() {
    let scene = Scene { split: Split::Naive, still: 7, ..Scene::of("a.ydb".into(), "b.obj".into()) };
    let text = serde_json::to_string_pretty(&scene).unwrap();
    assert_eq!(Scene::parse(text.as_bytes(), "x").unwrap(), scene, "{text}");
}

#[test]
fn faults_name_file_line_field_and_cure() {
    let unknown = problem("{\n\"yarns\": { \"pattern\": \"p\" },\n\"cloth\": { \"sheet\": { \"sise\": [1, 1] } } }");
    for part in ["x.json, line 3", "cloth.sheet", "sise", "size", "docs/reference/scenes.md"] {
        assert!(unknown.contains(part), "no '{part}' in: {unknown}");
    }
    let kind = problem(r#"{ "yarns": { "databse": "p" }, "cloth": { "sheet": {} } }"#);
    assert!(kind.contains("yarns") && kind.contains("`database`"), "{kind}");
    let typed = problem(r#"{ "yarns": { "pattern": "p" }, "cloth": { "sheet": {} }, "camera": { "pitch": "up" } }"#);
    assert!(typed.contains("camera.pitch"), "{typed}");
    let missing = problem(r#"{ "yarns": { "pattern": "p" } }"#);
    assert!(missing.contains("`cloth`"), "{missing}");
    let behind = problem(&format!("{SMALL} {SMALL}"));
    assert!(behind.contains("trailing"), "{behind}");
}

#[test]
fn senseless_numbers_are_refused_with_their_range() {
    let with = |field: &str| problem(&SMALL.replacen('{', &format!("{{ {field},"), 1));
    for (field, name) in [
        (r#""frame": { "phong": 3 }"#, "frame.phong"),
        (r#""frame": { "radius_factor": -1 }"#, "frame.radius_factor"),
        (r#""camera": { "fov": 180 }"#, "camera.fov"),
        (r#""camera": { "zoom": 0 }"#, "camera.zoom"),
        (r#""layout": { "scale": 0 }"#, "layout.scale"),
        (r##""style": { "colors": ["#12345"] }"##, "style.colors[0]"),
        (r#""style": { "colors": [] }"#, "style.colors"),
        (r#""split": "compare""#, "compare"),
    ] {
        let message = with(field);
        assert!(message.contains(name) && message.contains("x.json"), "{field}: {message}");
    }
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let good = serde_json::to_vec(&Scene::of("a".into(), "b".into())).unwrap();
    for cut in 0..good.len() {
        assert!(Scene::parse(&good[..cut], "x").is_err());
    }
    let mut state = 1u32;
    for _ in 0..2000 {
        let mut bytes = good.clone();
        for _ in 0..3 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = state as usize / 7 % bytes.len();
            bytes[at] = (state >> 24) as u8;
        }
        let _ = Scene::parse(&bytes, "x");
    }
    assert!(Scene::parse("[".repeat(100_000).as_bytes(), "x").is_err());
}
