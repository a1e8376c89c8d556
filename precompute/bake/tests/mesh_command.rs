//! `yarnwise-bake mesh`: what it prints, writes and refuses.

use std::path::Path;
use std::process::Command;

struct Output {
    success: bool,
    stdout: String,
    stderr: String,
}

fn mesh(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yarnwise-bake"));
    let output = command.current_dir(folder).arg("mesh").args(arguments.split_whitespace()).output().unwrap();
    Output {
        success: output.status.success(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn succeeds(folder: &Path, arguments: &str) -> String {
    let output = mesh(folder, arguments);
    assert!(output.success, "{arguments}: {}", output.stderr);
    assert!(!output.stdout.contains("panicked"));
    output.stdout
}

/// The one message of a command that must fail.
fn fails(folder: &Path, arguments: &str) -> String {
    let output = mesh(folder, arguments);
    assert!(!output.success, "{arguments}: {}", output.stdout);
    assert!(output.stderr.starts_with("error: ") && !output.stderr.contains("panicked"), "{}", output.stderr);
    output.stderr
}

/// Every shape and every format: made, checked, converted, and the same positions at the end.
#[test]
fn made_clips_check_and_convert() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let made =
        succeeds(at, "make sheet --size 0.2,0.1 --cells 8x4 --motion stretch-x --amount 0.5 --frames 5 -o a.bin");
    assert_eq!(made, "a.bin: 5 frames, 45 vertices, 64 faces\n");
    let checked = succeeds(at, "check a.bin --fps 25");
    for part in ["5, one every 40.00 ms", "0.200 x 0.100 x 0.000 m", "1 in the UV plane", "nothing is wrong"] {
        assert!(checked.contains(part), "{part}: {checked}");
    }
    let strain = checked.lines().find(|l| l.trim().starts_with("sx")).unwrap();
    assert!(strain.contains(" 0.500 "), "{strain}");

    succeeds(at, "convert a.bin -o a.pc2");
    assert!(at.join("a.obj").is_file(), "a point cache comes with its mesh");
    succeeds(at, "convert a.pc2 -o frames");
    succeeds(at, "convert frames -o b.bin");
    assert_eq!(std::fs::read(at.join("a.bin")).unwrap(), std::fs::read(at.join("b.bin")).unwrap());
    succeeds(at, "convert a.bin --frame 2 --scale 2 -o still.obj");
    assert!(succeeds(at, "check still.obj").contains("0.600 x 0.200 x 0.000 m"));

    for shape in ["tube", "skirt"] {
        succeeds(at, &format!("make {shape} --motion twist --frames 3 -o {shape}.pc2"));
        assert!(succeeds(at, &format!("check {shape}.pc2")).contains("seams that are closed"));
    }
}

#[test]
fn troubles_are_told_with_their_cure_and_errors_fail() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let square = "v 0 0 0\nv 0.5 0 0\nv 0.5 0.5 0\nv 0 0.5 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    std::fs::write(at.join("texture.obj"), format!("{square}f 1/1 2/2 3/3 4/4\n")).unwrap();
    let checked = succeeds(at, "check texture.obj");
    assert!(checked.contains("warning: UVs are probably not in meters"), "{checked}");
    assert!(checked.contains("cure: multiply the UVs by 0.5000 (--uv-scale 0.5000)"), "{checked}");
    assert!(succeeds(at, "check texture.obj --uv-scale 0.5").contains("nothing is wrong"), "the cure works");
    assert!(succeeds(at, "check texture.obj --uv-scale 0.5,1").contains("multiply u by 1.0000 and v by 0.5000"));

    std::fs::write(at.join("line.obj"), format!("{square}f 1/1 2/2 3/3\nvt 0 0\nf 1/1 3/3 4/5\n")).unwrap();
    let output = mesh(at, "check line.obj");
    assert!(output.stdout.contains("error: 1 face has no area in the UV plane") && output.stdout.contains("(face 1)"));
    assert_eq!((output.success, output.stderr.as_str()), (false, "error: line.obj: 1 error, 1 warning\n"));
}

#[test]
fn wrong_input_is_one_clear_message() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(fails(at, "check none.obj").contains("none.obj: "));
    std::fs::write(at.join("bad.obj"), "v 0 0 x\n").unwrap();
    assert_eq!(fails(at, "check bad.obj"), "error: bad.obj, line 1: vertex 0: 'x' is not a number\n");
    std::fs::write(at.join("bad.bin"), [0xff; 50]).unwrap();
    assert!(fails(at, "check bad.bin").contains("bad.bin, byte 4"));
    succeeds(at, "make sheet --motion wave --frames 3 -o a.pc2");
    std::fs::rename(at.join("a.obj"), at.join("other.obj")).unwrap();
    assert!(fails(at, "check a.pc2").contains("there is no a.obj"));
    succeeds(at, "check a.pc2 --obj other.obj");
    assert!(fails(at, "convert a.pc2 --obj other.obj -o b.obj").contains("3 frames do not fit one OBJ file"));
    assert!(fails(at, "convert a.pc2 --obj other.obj --frame 3 -o b.obj").contains("there are 3 frames"));
    assert!(fails(at, "make sheet --cells 0,1 -o c.obj").contains("cells"));
    assert!(fails(at, "make sheet --cells 1,2,3 -o c.obj").contains("two with a comma"));
    assert!(fails(at, "check other.obj --scale -1").contains("scale"));
    assert!(fails(at, "make sheet --fps 0 -o c.obj").contains("--fps 0"));
}
