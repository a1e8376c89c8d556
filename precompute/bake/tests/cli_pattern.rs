//! `yarnwise-bake pattern` as its users meet it.

use yarnwise_shared::pattern;
use yarnwise_tests::program::Program;

fn bake() -> Program {
    Program::new(env!("CARGO_BIN_EXE_yarnwise-bake"))
}

#[test]
fn every_preset_is_made_checked_and_drawn() {
    let bake = bake();
    let knits = pattern::knit::PRESETS.map(|p| ("knit", p.name));
    let weaves = pattern::weave::PRESETS.map(|p| ("weave", p.name));
    for (kind, name) in knits.into_iter().chain(weaves) {
        let file = format!("{name}.yarn");
        let made = bake.success(&["pattern", "make", kind, "--preset", name, "-o", &file]);
        assert!(made.starts_with(&format!("{name}.yarn: ")), "{made}");
        let checked = bake.success(&["pattern", "check", &file]);
        assert!(checked.contains("a valid pattern") && !checked.contains("overlap"), "{checked}");
    }
    let picture = bake.success(&["pattern", "show", "twill.yarn", "-o", "twill.png", "--pixels", "64"]);
    assert!(picture.starts_with("twill.png: "), "{picture}");
    let drawn = yarnwise_picture::Picture::read(&bake.folder.path("twill.png")).unwrap();
    assert!(drawn.width > 64 && drawn.pixels.chunks_exact(4).any(|p| p[0] < 100));
}

#[test]
fn charts_and_drafts_are_typed_or_read_from_files() {
    let bake = bake();
    bake.folder.write("chart.txt", "# a corner\nKKP\nPPP\n");
    let make = ["pattern", "make", "knit", "-o", "a.yarn", "--radius", "0.5", "--chart"];
    bake.success(&[&make[..], &["KKP/PPP"]].concat());
    let typed = pattern::read(&bake.folder.path("a.yarn")).unwrap();
    bake.success(&[&make[..], &["chart.txt"]].concat());
    assert_eq!(pattern::read(&bake.folder.path("a.yarn")).unwrap(), typed);
    assert_eq!((typed.yarns().len(), typed.radius()), (2, 0.5e-3));
    let weave = ["pattern", "make", "weave", "--draft", "110/011", "--warps-per-cm", "2", "--wefts-per-cm", "1.6"];
    bake.success(&[&weave[..], &["--vertices", "5", "-o", "b.pyp"]].concat());
    let woven = pattern::read(&bake.folder.path("b.pyp")).unwrap();
    assert_eq!(woven.period().map(|p| (p * 1e6).round()), [15e3, 12.5e3]);
    assert_eq!(woven.vertices().len(), 2 * 6 * 5);
    let loose = bake.run("pattern make weave --draft 11/01 -o c.yarn").succeeded();
    let warning = loose.stderr;
    assert!(warning.starts_with("warning: nothing holds weft 2 from the bottom"), "{warning}");
}

#[test]
fn import_converts_without_loss() {
    let bake = bake();
    bake.success(&["pattern", "make", "knit", "--preset", "seed", "-o", "a.yarn"]);
    bake.success(&["pattern", "import", "a.yarn", "-o", "sub/b.pyp"]);
    bake.success(&["pattern", "import", "sub/b.pyp", "-o", "c.yarn"]);
    let text = |name: &str| bake.folder.text(name);
    assert_eq!(text("a.yarn"), text("c.yarn"));
    assert!(text("sub/b.pyp").starts_with("*pattern"));
}

#[test]
fn wrong_input_is_one_clear_message() {
    let bake = bake();
    bake.success(&["pattern", "make", "knit", "--preset", "stockinette", "-o", "good.yarn"]);
    let good = bake.folder.text("good.yarn");
    bake.folder.write("nan.yarn", good.replace("radius 1", "radius nan"));
    bake.folder.write("fat.yarn", good.replace("radius 1", "radius 3"));
    bake.folder.write("mesh.obj", "v 0 0 0\n");
    let knit = |extra: &[&'static str]| [&["pattern", "make", "knit", "-o", "x.yarn"], extra].concat();
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (vec!["pattern", "check", "missing.yarn"], "missing.yarn: No such file"),
        (vec!["pattern", "check", "."], "is a folder"),
        (vec!["pattern", "check", "mesh.obj"], "mesh.obj: is not a pattern"),
        (vec!["pattern", "check", "nan.yarn"], "nan.yarn, line 4: radius: 'nan' is not a number"),
        (vec!["pattern", "check", "fat.yarn"], "fat.yarn: the yarns at the edges from vertices"),
        (vec!["pattern", "show", "good.yarn", "-o", "good.jpg"], "good.jpg: the name of a picture ends in .png"),
        (vec!["pattern", "import", "good.yarn", "-o", "good.obj"], "ends in .yarn or .pyp"),
        (knit(&["--preset", "lace"]), "invalid value 'lace' for '--preset <NAME>'"),
        (knit(&["--chart", "KX"]), "row 1: 'X' is not known here, use K (knit) and P (purl)"),
        (knit(&["--chart", "missing.txt"]), "'missing.txt' is not a file, and not a grid either"),
        (knit(&["--chart", "KP", "--radius", "nan"]), "the yarn radius is NaN"),
        (knit(&["--chart", "KP", "--wales-per-cm", "8"]), "would overlap"),
        (knit(&["--chart", "KP", "--vertices", "0"]), "0 vertices per loop: at least"),
        (knit(&["--chart", "KP", "--preset", "seed"]), "cannot be used with"),
        (knit(&[]), "required arguments were not provided"),
    ];
    for (arguments, expected) in cases {
        let error = bake.failure(&arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert!(!bake.folder.has("x.yarn"));
    let both = bake.run("pattern check good.yarn nan.yarn mesh.obj");
    let (out, error) = (both.stdout, both.stderr);
    assert!(out.contains("good.yarn: a valid pattern") && !both.status.success());
    assert!(error.ends_with("error: 2 of 3 patterns are bad\n") && error.contains("nan.yarn, line 4"), "{error}");
}
